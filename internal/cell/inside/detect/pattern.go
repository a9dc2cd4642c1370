package detect

import (
	"regexp"
	"slices"
	"sort"
	"strings"

	"blotter/internal/document"
)

// need says what a cell must have for a pattern to be tried.
type need struct {
	digits, dots int // at least so many digits in one stretch, so many of "." "/" ":"
	lead         lead
}

func digits(least int) need            { return need{digits: least} }
func digitsAndDots(least, n int) need  { return need{digits: least, dots: n} }
func digitsAnd(least int, l lead) need { return need{digits: least, lead: l} }
func (n need) met(h need) bool {
	return h.digits >= n.digits && h.dots >= n.dots && h.lead&n.lead == n.lead
}

// pattern is a form of personal data that its characters alone give away. The first
// group is what it finds; the whole match where it has none.
type pattern struct {
	typ   document.Type
	score float64
	need  need
	re    *regexp.Regexp
	valid func(string) bool // nil: every match counts
	signs string            // a match has one of these; empty: any
}

// having is a pattern whose matches have one of these signs: a look for a sign is far
// cheaper than a match.
func (p pattern) having(signs string) pattern {
	p.signs = signs
	return p
}

// Go's regular expressions run in linear time whatever the input; tests hold that with
// hostile rows.

// d is a digit as readers misread it; sep stands between the parts of a date.
const (
	d   = `[0-9OoQDlI|SsBZ]`
	sep = ` ?[/.\-–·_\\] ?`
)

// The parts of an address that is spelt so that no program may read it. People mix the
// ways: "ada (at) clinic dot org".
const (
	user       = `[a-z0-9._%+\-]+`
	host       = `[a-z0-9\-]+`
	bracketAt  = ` ?[\[(] ?at ?[\])] ?`
	bracketDot = ` ?[\[(] ?dot ?[\])] ?`
	anyDots    = `(?:(?:\.|` + bracketDot + `| dot )` + host + `)*`
	// topDomain ends an address that is spelt in plain words. Endings that are English words
	// ("at", "it", "me") are none here: "meet at the clinic dot" is no address.
	topDomain = `(?:com|org|net|edu|gov|mil|int|info|biz|io|co|us|uk|ca|au|nz|ie|de|fr|es|nl|ch|pt|br|eu|mx|health|care|clinic|med|dental|email|online|app|dev)`
)

// lastDigits leads to the last digits of a number: "ending in", "last four digits are".
const lastDigits = `(?:(?:ending|ends|ended|endet|endend|terminant|termine|termina|terminad[ao]|eindigend)(?: (?:in|with|auf|par|en|con|em|op))?|` +
	`(?:last|letzten?|laatste|derniers|[úu]ltimos|ultime) (?:4|four|vier|quatre|cuatro|quattro|quatro)(?: (?:digits|numbers|ziffern|stellen|chiffres|d[íi]gitos|cifre|cijfers))?)` +
	`(?: (?:are|is|in|with|sind|sont|son|sono|zijn|s[ãa]o|of (?:(?:his|her|the|your) )?(?:ssn|social(?: security)?(?: number)?|card|account)(?: (?:are|is))?))?[:#]? ?#? ?`

func compile(typ document.Type, score float64, n need, re string, valid func(string) bool) pattern {
	return pattern{typ: typ, score: score, need: n, re: regexp.MustCompile(re), valid: valid}
}

var patterns = slices.Concat(datePatterns, agePatterns, youngAgePatterns, otherPatterns)

var otherPatterns = []pattern{
	// Phones and addresses of the net.
	compile(document.Phone, 0.85, digits(9), `(?:^|[^0-9A-Za-z])((?:\+?[0-9]{1,3}[ .\-]?)?(?:\( ?`+d+`{3} ?\)[ \-.]{0,3}|`+d+`{3} ?[ .\-/] ?)`+d+`{3} ?[ .\-–·] ?`+d+`{4}(?:[ ,]{0,2}(?:(?i:x|ext|extension)\.?|#) ?[0-9]{1,6})?)(?:$|[^0-9A-Za-z])`, mostlyDigits(7)),
	compile(document.Phone, 0.8, digits(8), `(\+[0-9]{1,3}(?:[ .\-/]{0,2}\(?[0-9OolI]{1,5}\)?){2,6})(?:$|[^0-9A-Za-z])`, digitsBetween(8, 15)).having(`+`),
	compile(document.Phone, 0.8, digits(7), `((?:\+?[0-9]{1,3} ?)?\(0\) ?[0-9]{2,5}[ /\-]{0,3}[0-9]{3,8}(?:[ \-][0-9]{2,6}){0,3})(?:$|[^0-9A-Za-z/])`, digitsBetween(7, 15)).having(`(`),
	compile(document.Phone, 0.7, digits(8), `(?:^|[^0-9A-Za-z/.])(0[0-9]{1,5}[ /\-]{1,3}[0-9]{2,8}(?:[ \-][0-9]{2,6}){0,3})(?:$|[^0-9A-Za-z/])`, digitsBetween(8, 13)),
	compile(document.Phone, 0.75, digitsAnd(8, leadBracket), `(\([0-9]{2,5}\) ?[0-9]{3,5}[ \-][0-9]{3,6})(?:$|[^0-9A-Za-z])`, digitsBetween(8, 13)),
	compile(document.Phone, 0.75, digitsAnd(8, leadBracket), `(\(0[0-9]{1,5}\) ?[0-9]{2,8}(?:[ \-/]{1,3}[0-9]{1,6}){0,3})(?:$|[^0-9A-Za-z])`, digitsBetween(8, 13)),
	compile(document.Phone, 0.7, digits(8), `(?:^|[^0-9A-Za-z/.])(0[0-9]{1,4} ?[/\-] ?[0-9]{2,4}(?: ?[ \-] ?[0-9]{1,4}){1,3})(?:$|[^0-9A-Za-z/])`, digitsBetween(8, 13)),
	compile(document.Phone, 0.7, digits(10), `(?:^|[^0-9A-Za-z.])([2-9][0-9]{2}[ /.\-][0-9]{7})(?:$|[^0-9A-Za-z.])`, nil),
	compile(document.Phone, 0.7, digitsAnd(7, leadCall), `(?i)\b(?:tel|telephone|phone|call|called|cell|mobile|mob|text|contact|number|ring|fax|whatsapp|handy|m[óo]vil|tlf|telem[óo]vel|cellulare|reached)[.:]?(?: at| on| is| me at| us at| her at| him at)? ([+(]?[0-9][0-9 ().\-/–]{5,18}[0-9])(?:$|[^0-9A-Za-z])`, digitsBetween(7, 15)),
	compile(document.Phone, 0.8, digits(10), `(?:^|[^0-9A-Za-z])(00[1-9][0-9]{0,2}(?:[ .\-/]{0,2}\(?[0-9]{1,6}\)?){2,5})(?:$|[^0-9A-Za-z])`, digitsBetween(10, 16)),
	compile(document.Phone, 0.8, digits(10), `(?:^|[^0-9A-Za-z])(0[1-9](?:[ .\-][0-9]{2}){4})(?:$|[^0-9A-Za-z])`, nil),
	compile(document.Phone, 0.7, digits(9), `(?:^|[^0-9A-Za-z])([6789][0-9]{1,2}[ .\-][0-9]{2,3}[ .\-][0-9]{2}[ .\-]?[0-9]{2,3})(?:$|[^0-9A-Za-z])`, digitsBetween(9, 9)),
	compile(document.Phone, 0.6, digits(7), `(?:^|[^0-9A-Za-z.\-])([2-9][0-9]{2}[\-.][0-9]{4})(?:$|[^0-9A-Za-z.\-])`, nil).having(`-.`),
	compile(document.Phone, 0.7, digitsAnd(3, leadExt), `(?i)\b(?:x|ext\.?:? ?|extension |pager:? #?|beeper:? #?|bleep:? #?)([0-9]{3,6})\b`, nil),
	compile(document.Phone, 0.8, digits(3), `\b((?:1[ \-.]?)?8[0-9]{2}[ \-.][A-Z]{3,4}[\-]?[A-Z0-9]{3,4})\b`, nil),
	compile(document.Email, 0.95, need{lead: leadAt}, `([A-Za-z0-9._%+\-]+ ?@ ?[A-Za-z0-9\-]+(?:\.[A-Za-z0-9\-]+)*(?: ?\. ?(?:com|org|net|edu|gov|uk|de|fr|es|it|nl|ch|at|eu)\b)?)`, isEmail),
	compile(document.Email, 0.9, need{lead: leadAt}, `(?i)\b(`+user+bracketAt+host+`(?:(?: ?\. ?|`+bracketDot+`| dot )`+host+`)+)`, nil),
	compile(document.Email, 0.9, need{lead: leadDotWord}, `(?i)\b(`+user+`(?: at | ?@ ?)`+host+anyDots+bracketDot+host+anyDots+`)`, nil),
	compile(document.Email, 0.8, need{lead: leadDotWord}, `(?i)\b(`+user+`(?: at | ?@ ?)`+host+anyDots+` dot `+topDomain+`)\b`, nil),
	compile(document.URL, 0.6, need{lead: leadAt}, `(?:^|\s)(@[A-Za-z0-9_]{3,})`, nil),
	compile(document.URL, 0.9, need{dots: 1, lead: leadWeb}, `(?i)\b((?:https?: ?//|www\. ?)[^\s;,]+)`, nil),
	compile(document.URL, 0.75, need{dots: 1, lead: leadHost}, `(?i)\b([a-z0-9\-]+(?:\.[a-z0-9\-]+)*\.(?:com|org|net|edu|gov|info|health|care|med|clinic|co\.uk|nhs\.uk|de|fr|es|it|nl|eu|pt|ch|at)(?:/[^\s;,]*)?)(?:$|[^A-Za-z0-9])`, nil),
	compile(document.URL, 0.75, need{dots: 1, lead: leadWeb}, `(?i)(?:^|\s)((?:www\. ?)?[a-z0-9\-]+(?:\. ?[a-z0-9\-]+)*\. ?(?:com|org|edu|gov)\b(?:/[^\s;,]*)?)`, nil), // a space lost its way in
	compile(document.IP, 0.75, need{1, 4, leadColons}, `(?i)(?:^|[^0-9a-z:])((?:[0-9a-f]{1,4} ?:[ :]{0,3}){3,7}[0-9a-f]{1,4})(?:$|[^0-9a-z:])`, isSpacedIP),
	compile(document.IP, 0.8, digitsAndDots(4, 3), `(?:^|[^0-9.])((?:[0-9]{1,3}\.){3}[0-9]{1,3})(?:$|[^0-9.])`, isIP),
	compile(document.IP, 0.8, digits(2), `\b((?:[0-9a-fA-F]{2}-){5}[0-9a-fA-F]{2})\b`, nil).having(`-`),
	compile(document.IP, 0.8, digitsAndDots(1, 4), `\b((?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}|(?:[0-9a-fA-F]{1,4}:){4,7}[0-9a-fA-F]{1,4})\b`, nil),
	compile(document.IP, 0.8, digitsAndDots(1, 4), `(?i)\b((?:[0-9a-f]{1,4}:){1,6}(?::[0-9a-f]{1,4}){1,6})\b`, nil), // "fe80::1ff:fe23"

	// Numbers with a form of their own.
	compile(document.SSN, 0.9, digits(8), `(?:^|[^0-9A-Za-z\-])(`+d+`{3}[\- ]`+d+`{2}[\- ]`+d+`{4})(?:$|[^0-9A-Za-z\-])`, mostlyDigits(8)),
	compile(document.SSN, 0.85, digitsAnd(6, leadParts), `(?:^|[^0-9A-Za-z\-])(`+d+`{3} ?[\-–] ?`+d+`{2} ?[\-–] ?`+d+`{4})(?:$|[^0-9A-Za-z\-])`, mostlyDigits(6)),
	compile(document.SSN, 0.85, digits(4), `(?i)((?:x{3}|\*{3})-?(?:x{2}|\*{2})-?[0-9]{4})\b`, nil).having(`xX*`),
	compile(document.Account, 0.66, digitsAnd(4, leadCall), `(?i)\b(?:card|visa|mastercard|amex|discover|account|acct|a/c|bank|checking|konto|karte|carte|compte|tarjeta|cuenta|conto|carta|rekening|conta|cart[ãa]o)\b.{0,24}\b`+lastDigits+`([0-9]{4})\b`, nil),
	compile(document.SSN, 0.65, digitsAnd(4, leadCall), `(?i)\b`+lastDigits+`([0-9]{4})\b`, nil),
	compile(document.SSN, 0.85, digits(10), `\b([0-9]{3} [0-9]{3} [0-9]{4})\b`, isNHS),
	compile(document.SSN, 0.85, digits(6), `\b([A-CEGHJ-PR-TW-Z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D])\b`, nil),
	compile(document.SSN, 0.85, digits(13), `\b([12] ?[0-9]{2} ?(?:0[1-9]|1[0-2]|[2-9][0-9]) ?[0-9][0-9AB] ?[0-9]{3} ?[0-9]{3}(?: ?[0-9]{2})?)\b`, nil),
	compile(document.SSN, 0.8, digits(7), `\b([0-9]{8}-?[A-HJ-NP-TV-Z]|[XYZ]-?[0-9]{7}-?[A-Z]|[A-Z]{6}[0-9]{2}[A-EHLMPR-T][0-9]{2}[A-Z][0-9]{3}[A-Z]|[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}|756\.[0-9]{4}\.[0-9]{4}\.[0-9]{2})\b`, nil),
	compile(document.HealthPlan, 0.9, digits(4), `\b([1-9][AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9][0-9]-?[AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9][0-9]-?[AC-HJKMNP-RT-Y]{2}[0-9]{2})\b`, nil),
	compile(document.Licence, 0.85, digits(10), `\b([12][0-9]{9})\b`, isNPI),
	compile(document.Licence, 0.85, digits(7), `\b([A-Z][A-Z9][0-9]{7})\b`, isDEA),
	compile(document.Vehicle, 0.85, digits(3), `\b([A-HJ-NPR-Z0-9]{17})\b`, isVIN),
	compile(document.Vehicle, 0.6, digits(2), `\b((?:[ABD-HJ-PR-Y][A-Y]|C[A-CE-Y])[0-9]{2} [A-HJ-PR-Z]{3})\b`, nil), // United Kingdom; CD34 POS is a stain
	compile(document.Vehicle, 0.7, digitsAnd(2, leadCall), `(?i:plate|licen[cs]e plate|kennzeichen|immatriculation|matrícula|targa)[ :#.]{1,3}(?i:no\.? ?|number )?([A-Z0-9]{1,4}[ \-]?[A-Z0-9]{1,4}(?:[ \-][A-Z0-9]{2,4})?)\b`, hasTrueDigit),
	compile(document.Device, 0.9, digits(8), `(\(01\) ?[0-9]{14}(?: ?\([0-9]{2}\) ?[A-Za-z0-9\-]+)*|\([0-9]{2}\) ?[A-Za-z0-9\-]{4,20}(?: ?\([0-9]{2}\) ?[A-Za-z0-9\-]{4,20})+)`, nil).having(`(`),
	compile(document.Device, 0.8, digitsAnd(1, leadSerial), `(?i)\b(?:s/n|sn|serial(?: (?:no|number))?)[.:# ]{1,3}([A-Z0-9\-]{4,24})\b`, hasTrueDigit),
	compile(document.Account, 0.85, digits(12), `\b([A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?)\b`, mostlyDigits(12)),
	compile(document.Account, 0.85, digits(13), `\b([3-6][0-9]{3}[ \-]?[0-9]{4}[ \-]?[0-9]{4}[ \-]?[0-9]{1,7})\b`, digitsBetween(13, 19)),

	// Postal addresses; streets and cities need words, so place.go finds them.
	compile(document.Place, 0.8, digitsAnd(1, leadPost), `(?i)\b((?:p\.? ?o\.?|post office) ?b[o0]x[ .:#]{0,3}[0-9]+|postfach [0-9 ]{2,9}|apartado(?: de correos)? [0-9]+)`, nil),
	compile(document.Place, 0.85, digits(5), `\b((?:(?:PSC|UNIT|Unit|CMR) [0-9]{1,5},? )?(?:(?:BOX|Box) [0-9]{1,5},? )?(?:APO|FPO|DPO),? ?A[AEP],? ?[0-9]{5}(?:-[0-9]{4})?)\b`, nil).having(`O`),
	compile(document.Place, 0.75, digitsAnd(1, leadPost), `(?i)\b(rural route ?#? ?[0-9]{1,4}(?:,? ?b[o0]x ?[0-9]+[a-z]?)?|(?:r\.? ?r\.?|h\.? ?c\.?) ?#? ?[0-9]{1,4},? ?b[o0]x ?[0-9]+[a-z]?|county (?:road|rd|highway|hwy) [0-9a-z]{1,4})\b`, nil),
	compile(document.Place, 0.7, digitsAnd(2, leadRoad), `(?:^|[^0-9A-Za-z])([0-9]{1,5}[A-Z]? (?:[NSEW]\.? )?(?:FM|RM|CR|SR|US|(?i:state|us|county|ranch|farm|old|highway|hwy|route|rte|interstate)(?i: (?:route|road|rd|highway|hwy))?)\.? [0-9]{1,4}[A-Z]?)(?:$|[^0-9A-Za-z])`, nil),
	compile(document.Place, 0.8, digits(2), `\b((?:GIR ?0AA|[A-PR-UWYZ][A-HK-Y]?[0-9][A-Z0-9]? [0-9][ABD-HJLNP-UW-Z]{2}))\b`, nil),
	compile(document.Place, 0.75, digits(3), `\b([ABCEGHJ-NPRSTVXY][0-9][A-Z] ?[0-9][A-Z][0-9])\b`, nil),
	compile(document.Place, 0.75, digits(9), `(?:^|[^0-9A-Za-z\-])([0-9]{5}-[0-9]{4})(?:$|[^0-9A-Za-z\-])`, nil).having(`-`),
	compile(document.Place, 0.7, digitsAnd(1, leadFlat), `\b((?:(?i:apt|apartment|suite|ste|flat)|Unit|UNIT)\.? ?#? ?[0-9]{1,5}-?[A-Za-z]?)\b`, nil),
	compile(document.Place, 0.65, need{lead: leadFlat}, `\b((?i:apt|apartment|suite|ste)\.? ?#? ?[A-Z](?:-?[0-9]{1,4})?)\b`, nil),

	// Who dictated and who typed: "RC/ect" alone at the end of a letter.
	compile(document.Name, 0.6, need{lead: leadSlash}, `^ ?([A-Z]{2,4} ?[/:] ?[a-z]{2,4})$`, nil),

	// Codes: long digit runs, letters mixed with digits.
	compile(document.Code, 0.75, digits(7), `(?:^|[^0-9A-Za-z.,])([0-9](?:[\-–]?[0-9]){6,})(?:$|[^0-9A-Za-z])`, nil),
	compile(document.Code, 0.6, digits(6), `(?:^|[^0-9A-Za-z.,/])([0-9]{6})(?:$|[^0-9A-Za-z.,/])`, nil),
	compile(document.Code, 0.7, digits(5), `(?:^|[^0-9A-Za-z])([A-Za-z]{1,5}[\-–#]?[0-9]{5,}(?:[\-–][A-Za-z0-9]+)*)(?:$|[^0-9A-Za-z])`, nil),
	compile(document.Code, 0.65, digits(4), `(?:^|[^0-9A-Za-z])([A-Z]{1,4}[0-9]{0,4}(?:[\-–][0-9A-Z]{2,}){1,5})(?:$|[^0-9A-Za-z])`, isHyphenedCode).having(`-–`),
	compile(document.Code, 0.65, digits(5), `(?:^|[^0-9A-Za-z.])([0-9]{5,}[\-–][A-Z])(?:$|[^0-9A-Za-z])`, nil).having(`-–`),
	compile(document.Code, 0.65, digits(4), `(?:^|[^0-9A-Za-z])([0-9]{2,4}[\-–][A-Z]{1,4}[\-–]?[0-9]{2,})(?:$|[^0-9A-Za-z])`, nil).having(`-–`),
	compile(document.Code, 0.65, digits(5), `(?:^|[^0-9A-Za-z/])([A-Z]{2,4}/[0-9]{2,4}/[0-9]{3,8})(?:$|[^0-9A-Za-z/])`, nil).having(`/`),
	compile(document.Code, 0.65, digits(2), `(?:^|[^0-9A-Za-z])([0-9A-Z]{6,})(?:$|[^0-9A-Za-z])`, isMixedCode),
	compile(document.Code, 0.6, digits(6), `(?:^|[^0-9A-Za-z.,/\-])([0-9]{2,3}-[0-9]{2,3}-[0-9]{2,3})(?:$|[^0-9A-Za-z.,/\-])`, nil).having(`-`),
	compile(document.Code, 0.6, digits(5), `(?:^|[^0-9A-Za-z])([A-Z]{1,3}-[0-9]{2,3} [0-9]{3,4})(?:$|[^0-9A-Za-z.,])`, nil),
	// Groups that fill a cell.
	compile(document.Code, 0.55, digits(5), `^ ?([A-Z]{1,3}[0-9]{2,3}(?: [0-9]{3}){1,2}|[A-Z]{2,3} [0-9]{2,3}-[0-9]{3,4}|[0-9]{3} [0-9]{3}|[0-9]{4}(?: [0-9]{4}){1,2} [0-9]{1,4})$`, nil),
	compile(document.Code, 0.55, digits(7), `^ ?([0-9]{3} [0-9]{2} [0-9]{2,3}|[0-9]{2} [0-9]{3} [0-9]{3}|[0-9]{3} [0-9]{3} [0-9]{2,3})$`, nil),
	compile(document.Code, 0.6, digits(4), `(?:^|[^0-9A-Za-z])(#[ ]?[0-9]{4,})\b`, nil).having(`#`),
	compile(document.Code, 0.8, digitsAndDots(6, 5), `\b((?:[0-9]{1,6}\.){5,}[0-9]{1,40})\b`, nil),
	compile(document.Code, 0.8, digits(1), `\b([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})\b`, nil).having(`-`),
}

// patterns looks for all patterns in every row, and with places across the breaks
// of running text.
func (f *Finder) patterns(sh *sheet) []span {
	var out []span
	for i := range sh.rows {
		r := &sh.rows[i]
		out = append(out, withoutTimes(withoutParts(f.matchRow(sh, r)))...)
	}
	out = append(out, f.acrossBreaks(sh)...)
	for i := range out {
		out[i].from = sh.fromDay(out[i])
	}
	return slices.DeleteFunc(out, sh.isPublic)
}

// fromDay is where a date begins that a pattern saw from its month on: hands leave room
// between the day and the month.
func (sh *sheet) fromDay(s span) int {
	if s.typ != document.Date || s.from == sh.rows[sh.toks[s.from].row].from || sh.toks[s.from].kind != letters || sh.toks[s.from].gap >= spreadGap {
		return s.from
	}
	d := &sh.toks[s.from-1]
	if n := digitsIn(d.text); d.kind != number || n > 2 || numbers(d.text)[0] > 31 || numbers(d.text)[0] == 0 || d.cell[0] != d.index {
		return s.from
	}
	return s.from - 1
}

// withoutParts drops dates and telephones that are a part of a longer number with a form
// of its own: "10.20.30.40" is no date, nine digits of a French NIR are no telephone.
func withoutParts(spans []span) []span {
	var whole []span
	for _, s := range spans {
		if s.typ == document.IP || s.typ == document.SSN {
			whole = append(whole, s)
		}
	}
	return slices.DeleteFunc(spans, func(s span) bool {
		return (s.typ == document.Date || s.typ == document.Phone) && slices.ContainsFunc(whole, func(w span) bool {
			return w.from <= s.from && s.to <= w.to && s.to-s.from < w.to-w.from
		})
	})
}

// withoutTimes drops numbers that only begin inside a date: "1999-02-03 0730" is a date
// with its time and no telephone.
func withoutTimes(spans []span) []span {
	var dates []span
	for _, s := range spans {
		if s.typ == document.Date {
			dates = append(dates, s)
		}
	}
	return slices.DeleteFunc(spans, func(s span) bool {
		return numberLike(s.typ) && slices.ContainsFunc(dates, func(d span) bool { return s.from < d.to && d.from < s.to && s.score <= d.score })
	})
}

// rowBytes bounds the text of one row that patterns see at once; what is longer is no
// line that a person reads.
const rowBytes = 16 << 10

// matchRow looks at one cell after the other: nothing that a pattern describes goes over
// a wide gap.
func (f *Finder) matchRow(sh *sheet, r *row) []span {
	var out []span
	text := r.text[:min(len(r.text), rowBytes)]
	words := f.leadsOfRow(sh, r)
	for skip := 0; skip < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[skip:], '\t'); n >= 0 {
			end = skip + n
		}
		out = append(out, matchCell(sh, r, text[skip:end], skip, words)...)
		skip = end + 1
	}
	return out
}

func matchCell(sh *sheet, r *row, text string, skip int, words lead) []span {
	has := needsOf(text, words)
	a, b := aroundDigits(text)
	var out []span
	for n := range patterns {
		p := &patterns[n]
		if !p.need.met(has) {
			continue
		}
		part, at := text, 0
		if p.need.digits > 0 {
			part, at = text[a:b], a
		}
		if p.signs != "" && !strings.ContainsAny(part, p.signs) {
			continue
		}
		for _, m := range p.find(part) {
			if from, to := sh.tokensAt(r, skip+at+m[0], skip+at+m[1]); from < to {
				out = append(out, span{from, to, p.typ, p.score, document.ByPattern})
			}
		}
	}
	return out
}

// digitMargin is how many bytes before the first and behind the last digit of a row may
// belong to what a pattern of digits finds or asks for ("serial number: ").
const digitMargin = 32

// aroundDigits is the part of a text that patterns of digits need to see. It begins after
// a space, so that no word is taken for another by its end.
func aroundDigits(text string) (int, int) {
	a := strings.IndexAny(text, "0123456789")
	if a < 0 {
		return 0, 0
	}
	if a = strings.LastIndexAny(text[:max(0, a-digitMargin)], " \t") + 1; a > 0 {
		a-- // with the space
	}
	b := strings.LastIndexAny(text, "0123456789") + digitMargin
	if b >= len(text) {
		return a, len(text)
	}
	if n := strings.IndexAny(text[b:], " \t"); n >= 0 {
		return a, b + n
	}
	return a, len(text)
}

// find returns the byte ranges of valid matches.
func (p *pattern) find(text string) [][2]int {
	var out [][2]int
	for start := 0; start < len(text); {
		m := p.re.FindStringSubmatchIndex(text[start:])
		if m == nil {
			break
		}
		a, b := start+m[2], start+m[3]
		if p.valid == nil || p.valid(text[a:b]) {
			out = append(out, [2]int{a, b})
		}
		start = max(b, start+1) // the character after a match may open the next
	}
	return out
}

// tokensAt returns the tokens of a row that bytes [a, b) of its text touch.
func (sh *sheet) tokensAt(r *row, a, b int) (int, int) {
	toks := sh.toks[r.from:r.to]
	from := sort.Search(len(toks), func(i int) bool { return toks[i].at+len(toks[i].text) > a })
	to := sort.Search(len(toks), func(i int) bool { return toks[i].at >= b })
	return r.from + from, r.from + max(from, to)
}
