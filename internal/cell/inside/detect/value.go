package detect

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"blotter/internal/cell/inside/detect/lexicon"
	"blotter/internal/document"
)

// value trims tokens [from, to) to what the label's type can be; false if nothing is
// left.
func (f *Finder) value(sh *sheet, l label, from, to int, score float64) (span, bool) {
	for from < to && sh.toks[from].kind == sign && !strings.Contains("(+", sh.toks[from].text) {
		from++
	}
	if sh.isUnknownLabel(from, to) || from < to && sh.toks[to-1].text == "?" && to-from > 2 { // a question
		return span{}, false
	}
	var ok bool
	switch {
	case l.typ == document.Name:
		from, to, ok = f.nameValue(sh, from, to)
		ok = ok && !f.isSpecialty(sh, span{from: from, to: to})                                                                                                                                      // "Attending, Internal Medicine"
		ok = ok && (!l.header || slices.ContainsFunc(sh.toks[from:to], func(t token) bool { return f.prior(&t) > 0 || t.upper && len(t.text) == 1 && to-from <= 2 }) || f.isInitialed(sh, from, to)) // tests and drugs have names too
	case l.typ == document.Date:
		to, ok = f.dateValue(sh, from, to)
	case l.typ == document.Age:
		to, score, ok = f.ageValue(sh, from, to, score)
	case numberLike(l.typ):
		from, to, ok = f.numberValue(sh, l, from, to)
	default:
		ok = f.speaks(sh, from, to) && !(l.typ == document.Organisation && sh.beginsSmall(from, to)) && !(l.header && l.typ == document.Organisation && f.isPlain(sh, from, to))
	}
	for to > from && sh.toks[to-1].kind == sign {
		to--
	}
	return span{from, to, l.typ, score, document.ByLabel}, ok && from < to
}

// nameValue leaves titles and credentials, and ends at whatever cannot be part of a name.
func (f *Finder) nameValue(sh *sheet, from, to int) (int, int, bool) {
	for from < to && (f.terms.titles.has(sh.toks[from].fold) || sh.toks[from].kind == sign) {
		from++
	}
	strong, words := false, 0
	end := from
	for k := from; k < to && words < 8; k++ {
		t := &sh.toks[k]
		if t.kind == sign {
			if strings.Contains(";([#:", t.text) || t.text == "." && len([]rune(sh.toks[max(k-1, from)].text)) > 2 {
				break
			}
			continue
		}
		if t.kind == number || t.kind == mixed && digitsIn(t.text) > 1 || words > 0 && !t.title && f.terms.nameStop.has(t.fold) || words > 0 && (f.isCredential(t) || f.beginsNumber(sh, k)) {
			break
		}
		words++
		end = k + 1
		if (!f.terms.notNames.has(t.fold) || f.isMonthName(t)) && (t.title || t.entry.IsName() || !f.isVocabulary(t)) {
			strong = true
		}
	}
	return from, f.withSuffix(sh, f.trimCredentials(sh, from, end), to), strong && !f.isPosition(sh, from, end)
}

// isInitialed accepts an initial and a word that is none: "N. Mutua", "B. Najjar-bin Saleh".
func (f *Finder) isInitialed(sh *sheet, from, to int) bool {
	return to-from >= 3 && sh.toks[from].upper && len(sh.toks[from].text) == 1 && sh.toks[from+1].text == "." &&
		sh.toks[from+2].title && sh.toks[from+2].kind == letters && !f.isVocabulary(&sh.toks[from+2])
}

// beginsNumber reports whether the label of a date or number stands at token k, behind a
// comma: "Ellison, DOB 01/02/1950".
func (f *Finder) beginsNumber(sh *sheet, k int) bool {
	if sh.toks[k-1].text != "," && !f.isLabelWord(&sh.toks[k]) {
		return false
	}
	l, ok := f.labelAt(sh, k)
	return ok && (numberLike(l.typ) || l.typ == document.Date) && l.to < sh.toks[k].cell[1] && digitsIn(sh.toks[l.to].text) > 0
}

// isCredential accepts "MD", "PhD" and "RPh", not "Ma" or "Do".
func (f *Finder) isCredential(t *token) bool {
	return f.terms.credentials.has(t.fold) && (t.upper || t.title && strings.IndexFunc(t.text[1:], unicode.IsUpper) >= 0)
}

// isPosition tells a post ("Director of Technical Operations") from a name: it has a word
// that no name has, the others are words of the language, none mainly a name.
func (f *Finder) isPosition(sh *sheet, from, to int) bool {
	post := false
	for k := from; k < to; k++ {
		t := &sh.toks[k]
		if t.kind == sign {
			continue
		}
		if !f.isVocabulary(t) || f.prior(t) >= 0.35 {
			return false
		}
		post = post || f.terms.sections["posts"].has(t.fold)
	}
	return post
}

// dateValue accepts what has a day or month, and leaves a time of day behind it. Digits
// alone are a date only if they are written as one: parted, or six or eight together.
func (f *Finder) dateValue(sh *sheet, from, to int) (int, bool) {
	digits, numbers, month, stroke := 0, 0, false, false
	for k := from; k < to; k++ {
		t := &sh.toks[k]
		if k+1 < to && sh.toks[k+1].text == ":" && digitsIn(t.text) == len(t.text) && len(t.text) <= 2 && digits >= 3 {
			to = k
			break
		}
		if t.kind == letters && digits >= 3 && !f.terms.months.has(t.fold) && !f.goesOnDate(sh, k, to) {
			to = k
			break
		}
		if t.text == "(" && digits > 4 { // "Dec 1, 1998 (22 y)"
			to = k
			break
		}
		if k > from && t.gap > 0 && t.kind != sign && sh.isYear(k-1) && digits > 4 && digitsIn(t.text) > 0 {
			to = k // "Jul 10, 1942 77 Y"
			break
		}
		if n := digitsIn(t.text); n > 0 {
			digits += n
			numbers++
			month = month || t.kind == mixed
		}
		if t.text == "," { // "146,925"
			numbers--
		}
		month = month || f.terms.months.has(t.fold)
		stroke = stroke || t.text == "/"
	}
	if f.isTime(sh, from, to) {
		return to, false
	}
	return to, digits >= 2 && (month || numbers >= 2 && (digits >= 3 || stroke) || numbers == 1 && (digits == 6 || digits == 8))
}

// isYear reports whether token k is a year of four digits.
func (sh *sheet) isYear(k int) bool {
	t := &sh.toks[k]
	return t.kind == number && len(t.text) == 4 && (t.text[:2] == "19" || t.text[:2] == "20")
}

// goesOnDate reports whether a short word inside a date leads to more of it: "3rd of May",
// "12 de mayo", "04/12 to 04/15".
func (f *Finder) goesOnDate(sh *sheet, k, to int) bool {
	if k+1 >= to || !slices.Contains([]string{"of", "de", "del", "to", "and", "bis", "au", "al", "du", "the", "st", "nd", "rd", "th", "er"}, sh.toks[k].fold) {
		return false
	}
	next := &sh.toks[k+1]
	return digitsIn(next.text) > 0 || f.terms.months.has(next.fold)
}

// hourMark is how French and Portuguese write a time: "08h15".
var hourMark = regexp.MustCompile(`^[0-2]?[0-9]h[0-5][0-9]$`)

// isTime reports whether a value is a time of day alone: "08:15", "7:30 am".
func (f *Finder) isTime(sh *sheet, from, to int) bool {
	if to == from+1 && hourMark.MatchString(sh.toks[from].fold) {
		return true
	}
	if to-from < 3 || to-from > 7 || digitsIn(sh.toks[from].text) != len(sh.toks[from].text) || len(sh.toks[from].text) > 2 || sh.toks[from+1].text != ":" {
		return false
	}
	for _, t := range sh.toks[from+2 : to] {
		if t.text != ":" && t.text != "." && (t.kind != number || len(t.text) > 2) && t.fold != "am" && t.fold != "pm" && t.fold != "a" && t.fold != "p" && t.fold != "m" && t.fold != "h" && t.fold != "uhr" {
			return false
		}
	}
	return true
}

// numberValue ends at plain words once there were digits. A number that was misread, or
// has none, is still one if it is no word.
func (f *Finder) numberValue(sh *sheet, l label, from, to int) (int, int, bool) {
	digits, code := 0, false
	if f.isFieldNumber(sh, from, to) {
		return from, from, false
	}
	for from < to && slices.Contains([]string{"at", "is", "on"}, sh.toks[from].fold) && sh.rows[sh.toks[from].row].caps {
		from++ // "BY FAX AT 364.555.4279"
	}
	for k := from; k < to; k++ {
		t := &sh.toks[k]
		if t.kind == letters && f.isVocabulary(t) && !t.upper && len(t.fold) > 1 {
			if digits == 0 {
				return from, from, false
			}
			to = k
			break
		}
		if digits > 0 && t.kind == letters && len(t.text) == 1 && k+1 < to && strings.Contains(":°º", sh.toks[k+1].text) || digits >= 7 && t.fold == "p" && k+1 < to && sh.toks[k+1].text == "." { // "F: 734 555 0417", "N° de", "P.01/02" behind a telephone
			to = k
			break
		}
		if digits >= 7 && t.kind == letters && t.gap > 0 && len(t.fold) > 3 && sh.rows[t.row].caps && t.entry.Has(lexicon.Common) { // "364.555.4279 THANK YOU"
			to = k
			break
		}
		if digits > 0 && t.gap > 0 && l.typ != document.Device && sh.isMoment(k, to) {
			to = k
			break
		}
		if digits > 0 && strings.Contains(";,(", t.text) && l.typ != document.Phone && l.typ != document.Fax {
			to = k
			break
		}
		digits += digitsIn(t.text)
		code = code || t.upper && len(t.text) >= 4 && !f.isVocabulary(t)
	}
	least := 2
	if l.ordinary || l.typ == document.Phone || l.typ == document.Fax {
		least = 3
	}
	return from, to, digits >= least || code && l.separated
}

// isFieldNumber reports whether tokens are the number of the next field of a form, with its
// caption or without: "26." before "PATIENT'S ACCOUNT NO.", "52 REL. INFO".
func (f *Finder) isFieldNumber(sh *sheet, from, to int) bool {
	if from >= to || digitsIn(sh.toks[from].text) == 0 || digitsIn(sh.toks[from].text) > 2 || len(sh.toks[from].text) > 3 {
		return false
	}
	words, k := 0, from+1
	for ; k < to; k++ {
		t := &sh.toks[k]
		if t.kind == number || t.kind == mixed || t.kind == letters && (!t.title || !f.isVocabulary(t) && len(t.fold) > 4 || t.entry.Births() > knownBirths) {
			return false
		}
		if t.kind == letters && len(t.text) > 1 {
			words++
		}
	}
	dotted := from+1 < to && strings.Contains(".)", sh.toks[from+1].text)
	return words > 0 && sh.rows[sh.toks[from].row].caps || words == 0 && dotted && to < sh.rows[sh.toks[from].row].to && sh.inLabel[to]
}

// isMoment reports whether a date with strokes or a time of day begins with token k: what
// stands behind a number is no part of it.
func (sh *sheet) isMoment(k, to int) bool {
	t := &sh.toks[k]
	if t.kind != number || len(t.text) > 2 || k+2 >= to || sh.toks[k+1].gap > 0 || sh.toks[k+2].kind != number || sh.toks[k+2].gap > 0 {
		return false
	}
	switch sh.toks[k+1].text {
	case ":":
		return len(sh.toks[k+2].text) == 2
	case "/":
		return k+4 < to && sh.toks[k+3].text == "/" && sh.toks[k+4].kind == number
	}
	return false
}

// speaks reports whether a place or an organisation may stand there: something with a
// capital or a digit that is not a remark such as "same as above".
func (f *Finder) speaks(sh *sheet, from, to int) bool {
	for k := from; k < to; k++ {
		t := &sh.toks[k]
		if t.kind == number && len(t.text) > 1 || t.kind == mixed {
			return true
		}
		if t.kind == sign || f.terms.notNames.has(t.fold) && len(t.fold) > 2 && !f.terms.facilities.has(t.fold) {
			continue
		}
		if t.title && !(k == from && to-from > 1 && f.isVocabulary(t) && !t.entry.Has(namesAndPlaces) && !sh.toks[k+1].title) || t.kind == letters && !f.isVocabulary(t) {
			return true
		}
	}
	return false
}

// beginsSmall reports whether a value begins with a word in small letters: a remark, no
// house.
func (sh *sheet) beginsSmall(from, to int) bool {
	return from < to && sh.toks[from].kind == letters && !sh.toks[from].title
}

// isPlain reports whether a cell holds only words of the language, none of which names a
// house, a place or a person: what stands under "Site" may be a muscle.
func (f *Finder) isPlain(sh *sheet, from, to int) bool {
	for k := from; k < to; k++ {
		t := &sh.toks[k]
		if t.kind == sign || len(t.fold) == 1 {
			continue
		}
		if t.kind != letters || !f.isVocabulary(t) || t.entry.Has(namesAndPlaces) || f.terms.facilities.has(t.fold) {
			return false
		}
	}
	return true
}

// digitsIn counts decimal digits.
func digitsIn(s string) int {
	n := 0
	for _, r := range s {
		if unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// isUnknownLabel reports whether a cell is a label that no list has: words alone, a colon
// at their end.
func (sh *sheet) isUnknownLabel(from, to int) bool {
	return to-from >= 2 && sh.toks[to-1].text == ":" && (to == sh.toks[from].cell[1] || sh.inLabel[to]) && !hasDigits(sh.toks[from:to])
}

// isSpread reports whether token k goes on with the number before it although a wide gap
// parts them: printed brackets and strokes between written digits.
func (sh *sheet) isSpread(typ document.Type, k int) bool {
	return (numberLike(typ) || typ == document.Date) && sh.toks[k].gap < spreadGap && isPiece(&sh.toks[k]) && isPiece(&sh.toks[k-1])
}

// withoutRemarks leaves what says who a person or what a number is ("Ellison, husband,
// 555 …"; "Prairie Shield, member ID 884") out of a labelled name or organisation.
func (f *Finder) withoutRemarks(sh *sheet, s span) []span {
	if s.typ != document.Name && s.typ != document.Organisation {
		return []span{s}
	}
	var out []span
	add := func(from, to int) {
		for from < to && sh.toks[from].kind == sign && sh.toks[from].text != "(" {
			from++
		}
		for to > from && sh.toks[to-1].kind == sign {
			to--
		}
		if from < to {
			part := s
			part.from, part.to = from, to
			out = append(out, part)
		}
	}
	start := s.from
	for k := s.from + 1; k < s.to; k++ {
		if n := f.remark(sh, k); n > 0 {
			add(start, k)
			start = min(k+n, s.to)
			k = start
		}
	}
	add(start, s.to)
	return out
}

// remark is how many tokens of a remark begin with token k, behind a comma or a bracket.
func (f *Finder) remark(sh *sheet, k int) int {
	t := &sh.toks[k]
	if !strings.Contains(",;(", sh.toks[k-1].text) || t.kind != letters || len(t.fold) <= 2 {
		return 0
	}
	if l, ok := f.labelAt(sh, k); ok && numberLike(l.typ) && l.to < sh.toks[k].cell[1] && digitsIn(sh.toks[l.to].text)+len(sh.toks[l.to].text) > 2 {
		return l.to - k
	}
	if !t.title && !t.entry.IsName() && (f.terms.kin.has(t.fold) || f.terms.notNames.has(t.fold)) {
		return 1
	}
	return 0
}
