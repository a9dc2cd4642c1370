package detect

import (
	"strings"

	"blotter/internal/cell/inside/detect/lexicon"
)

// lead is a set of things that a row has: words that a pattern builds on, or signs that
// it cannot do without. Most rows have none of them, and a look is cheaper than a match.
type lead uint32

const (
	leadMonth   lead = 1 << iota
	leadDay          // a weekday or a word of a holiday
	leadSeason       // a season
	leadOrdinal      // a day of the month in words
	leadBefore       // a preposition or a verb before a date
	leadAge          // an age over 89 in words
	leadAged         // "age", "turned" before a number
	leadCall         // a word that leads to a number
	leadExt          // an extension or a pager
	leadFlat         // a flat, a suite
	leadPost         // a box, a rural route
	leadSerial       // a serial number
	leadAt           // the sign, or what stands for it
	leadBracket      // a round bracket
	leadHost         // a full stop between letters
	leadParts        // a stroke, a hyphen or a full stop before a digit
	leadColons       // two colons
	leadRoad         // a numbered road
	leadSlash        // a stroke or a colon
	leadWeb          // "www", "http"
	leadDotWord      // "dot", as people spell addresses
	leadRoman        // a full stop before I, V or X
)

// leadWords are the words of each lead, folded.
var leadWords = map[lead]string{
	leadDay:     "mon tue tues wed thu thur thurs fri sat sun",
	leadSeason:  "spring summer autumn winter fall",
	leadOrdinal: "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth",
	leadBefore:  "on seen since until till by born dated before after from to through thru due collected admitted discharged visit starting began surgery last again for of and date drawn obtained performed done repeated appt appointment labs vitals en in au im nel a em du de depuis desde seit sinds au am den vom bis seit zum ab the last next this early late mid end beginning",
	leadAge: "ninety ninetieth hundred hundredth nineties nonagenarian nonagenarians centenarian centenarians supercentenarian neunzig noventa novanta nonante negentig " +
		"quatre einundneunzig zweiundneunzig dreiundneunzig vierundneunzig fünfundneunzig sechsundneunzig siebenundneunzig achtundneunzig neunundneunzig",
	leadAged:    "age aged alter edad âge turned turning his her their birthday man woman male female lady gentleman",
	leadExt:     "x ext extension pager beeper bleep",
	leadFlat:    "apt apartment suite ste flat unit",
	leadPost:    "box rural county postfach apartado",
	leadSerial:  "s sn serial",
	leadDotWord: "dot",
	leadWeb:     "www http https com org edu gov",
	leadRoad:    "fm rm cr sr us state county ranch farm old highway hwy route rte interstate",
}

// leadsOf makes the table of words from the lists.
func leadsOf(t *terms) map[string]lead {
	out := map[string]lead{}
	for l, words := range leadWords {
		for _, w := range strings.Fields(words) {
			out[lexicon.Fold(w)] |= l
		}
	}
	for l, words := range map[lead]set{leadMonth: t.months, leadDay: t.weekdays, leadCall: t.sections["before a number"]} {
		for w := range words {
			out[w] |= l
		}
	}
	for w := range t.sections["holidays"] {
		out[w] |= leadDay
	}
	return out
}

// leadsOfRow is what the words of a row lead to.
func (f *Finder) leadsOfRow(sh *sheet, r *row) lead {
	var all lead
	for i := r.from; i < r.to; i++ {
		switch t := &sh.toks[i]; t.kind {
		case letters:
			all |= f.leads[t.fold] | f.leads[strings.TrimSuffix(t.fold, "s")]&leadDay
			if len(t.fold) > len("neunzig") && strings.Contains(t.fold, "neunzig") {
				all |= leadAge
			}
		case mixed:
			all |= f.leadOfMixed(t.fold)
		}
	}
	return all
}

// leadOfMixed sees words that are glued to digits: "12MAR2020", "4thJuly", "x44".
func (f *Finder) leadOfMixed(s string) lead {
	all := f.leads[s[:len(s)-len(strings.TrimLeft(s, asciiLetters))]]
	all |= f.leads[readAsLetters.Replace(s)] // "B0X"
	word := strings.Trim(s, "0123456789")
	for _, ordinal := range [...]string{"th", "st", "nd", "rd"} {
		word = strings.TrimPrefix(word, ordinal)
	}
	if len(word) >= 3 {
		all |= f.leads[word] & leadMonth
	}
	return all
}

// readAsLetters undoes digits that readers see in words.
var readAsLetters = strings.NewReplacer("0", "o", "1", "l", "5", "s", "8", "b")

const asciiLetters = "abcdefghijklmnopqrstuvwxyz"

// wordLetters is how many letters in a row end a stretch of digits: no number has so many
// inside, "ext" and the bank of an IBAN are shorter or come first.
const wordLetters = 5

// needsOf is what a text has of what patterns need. Its digits are those of the stretch
// that has most of them: a line of doses has many, but no number of so many.
func needsOf(text string, words lead) need {
	n := need{lead: words}
	stretch, letters, colons := 0, 0, 0
	for i := range len(text) {
		c := text[i]
		if !isASCIILetter(c) && c < 0x80 {
			letters = 0
		} else if letters++; letters == wordLetters {
			stretch = 0
		}
		switch {
		case c >= '0' && c <= '9':
			stretch++
			n.digits = max(n.digits, stretch)
		case c == '@':
			n.lead |= leadAt
		case c == '(' || c == '[':
			n.lead |= leadBracket
			if inside := strings.TrimPrefix(text[i+1:], " "); len(inside) >= 2 && strings.EqualFold(inside[:2], "at") {
				n.lead |= leadAt
			}
		case c == '_' || c == '\\' || c >= 0x80 && strings.HasSuffix(text[:i+1], "·") || c >= 0x80 && strings.HasSuffix(text[:i+1], "–"):
			n.lead |= leadOfSign(text, i) & leadParts
		case c == '.' || c == '/' || c == ':' || c == '-' || c == '|':
			n.lead |= leadOfSign(text, i)
			if c != '-' && c != '|' {
				n.dots++
			}
			if c == ':' {
				colons++
			}
			if c == ':' || c == '/' {
				n.lead |= leadSlash
			}
		}
	}
	if colons >= 2 {
		n.lead |= leadColons
	}
	return n
}

// leadOfSign tells a stroke or a stop inside a number, and a stop inside a host's name.
func leadOfSign(text string, i int) lead {
	rest := strings.TrimPrefix(text[i+1:], " ")
	switch {
	case rest == "":
	case rest[0] >= '0' && rest[0] <= '9':
		return leadParts
	case rest[0] == 'I' || rest[0] == 'V' || rest[0] == 'X':
		return leadRoman
	case text[i] == '.' && len(rest) == len(text)-i-1 && i > 0 && text[i-1] != ' ' && isASCIILetter(rest[0]):
		return leadHost
	}
	return 0
}

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
