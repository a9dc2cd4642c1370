package detect

import (
	"slices"
	"strings"

	"blotter/internal/cell/inside/detect/lexicon"
)

// An address ends in a postal code, whatever its street is called. The layers of this
// file go back from the code.

// addressTokens bounds an address before its postal code, in tokens.
const addressTokens = 14

// beforeCode takes what stands before a comma, a postal code and a city for the street:
// "Unter den Eichen 87, 12205 Berlin", "lieu-dit Le Moulin, 24200 Sarlat".
func (f *Finder) beforeCode(sh *sheet, i int) (span, bool) {
	cell := sh.toks[i].cell
	if sh.toks[i].text != "," || i == cell[0] || f.isMonthDay(sh, i-1) || !f.isCoded(sh, i, cell[1]) || !f.namesCity(sh, i, cell[1]) {
		return span{}, false
	}
	from, ok := f.addressStart(sh, i)
	if !ok {
		return span{}, false
	}
	return place(from, f.addressEnd(sh, i+1, cell[1]), 0.75)
}

// isMonthDay reports whether token i is the day behind a month: what follows is a year.
func (f *Finder) isMonthDay(sh *sheet, i int) bool {
	return i > sh.toks[i].cell[0] && digitsIn(sh.toks[i].text) > 0 && f.terms.months.has(sh.toks[i-1].fold)
}

// beforePostcode does the same for British codes: "The Old Rectory, Church Lane, Skipton
// BD23 1QE".
func (f *Finder) beforePostcode(sh *sheet, i int) (span, bool) {
	cell := sh.toks[i].cell
	if i+1 >= cell[1] || i == cell[0] || !isOutward(sh.toks[i].text) || !isInward(sh.toks[i+1].text) {
		return span{}, false
	}
	from, ok := f.addressStart(sh, i)
	if !ok {
		return span{}, false
	}
	return place(from, i+2, 0.75)
}

// cityApart takes what ends its cell for a city where state and ZIP code begin the next
// cell: on forms they stand at stops of their own. Token i begins it.
func (f *Finder) cityApart(sh *sheet, i int) (span, bool) {
	end := sh.toks[i].cell[1]
	if end >= sh.rows[sh.toks[i].row].to || sh.toks[end].gap >= farGap || f.zipAfterState(sh, end) < 0 || !f.mayBeCity(sh, i, end) {
		return span{}, false
	}
	return place(i, end, 0.75)
}

// mayBeCity accepts words of a cell that no label holds, one of which is a name, a place or
// no word of the language.
func (f *Finder) mayBeCity(sh *sheet, from, to int) bool {
	named := false
	for i := from; i < to; i++ {
		t := &sh.toks[i]
		if sh.inLabel[i] {
			return false
		}
		named = named || t.kind == letters && (t.entry.Has(lexicon.USPlace|lexicon.City) || t.entry.IsName() || !f.isVocabulary(t))
	}
	return named
}

// beforeZIP takes a house number and what follows it before city, state and ZIP code for
// a street without a word that says so: "1422 Tchoupitoulas, Baton Rouge, LA 70801".
func (f *Finder) beforeZIP(sh *sheet, i int) (span, bool) {
	cell := sh.toks[i].cell
	if i == cell[0] || f.zipAfterState(sh, i) < 0 {
		return span{}, false
	}
	from, ok := f.addressStart(sh, i)
	for ok && from < i && !isHouseNumber(&sh.toks[from]) && !isSpelledNumber(&sh.toks[from]) {
		from++
	}
	if !ok || i-from < 4 {
		return span{}, false
	}
	return place(from, i, 0.75)
}

// addressStart goes back from token i to the start of the cell, a label, or a word that
// leads to an address; false where no capitalised word lies between.
func (f *Finder) addressStart(sh *sheet, i int) (int, bool) {
	from := i
	for from > sh.toks[i].cell[0] && from > i-addressTokens && !sh.inLabel[from-1] && f.isAddressPart(sh, from-1) {
		from--
	}
	for from < i && (sh.toks[from].kind == sign || f.terms.particles.has(sh.toks[from].fold) && !sh.toks[from].title) {
		from++
	}
	return from, slices.ContainsFunc(sh.toks[from:i], func(t token) bool { return t.kind == letters && t.title })
}

// isAddressPart reports whether token k may belong to the lines of an address.
func (f *Finder) isAddressPart(sh *sheet, k int) bool {
	t := &sh.toks[k]
	switch {
	case t.kind == sign:
		return strings.Contains(".,-'’ºª°/#", t.text)
	case t.kind == number || t.kind == mixed:
		return len(t.text) <= 5
	case f.terms.beforePlace.has(t.fold), f.terms.sections["lives"].has(t.fold), f.terms.kin.has(t.fold), f.terms.credentials.has(t.fold) && t.upper:
		return false
	}
	return t.title || f.terms.particles.has(t.fold) || f.terms.streetHeads.has(t.fold) || f.terms.sections["flats"].has(t.fold) || f.terms.sections["address bits"].has(t.fold)
}

// namesCity reports whether the word behind the postal code is a listed place or no word.
func (f *Finder) namesCity(sh *sheet, i, end int) bool {
	for k := i + 1; k < end && k < i+7; k++ {
		if t := &sh.toks[k]; t.kind == letters && t.title && len(t.text) >= 2 && (len(t.text) > 2 || !t.upper) {
			return f.cityLength(sh, k, end) > 0 || !f.isVocabulary(t) || f.terms.particles.has(t.fold)
		}
	}
	return false
}

// isOutward accepts the first half of a British postal code: "BD23", "W1A".
func isOutward(s string) bool {
	if len(s) < 2 || len(s) > 4 || s[0] < 'A' || s[0] > 'Z' {
		return false
	}
	n := digitsIn(s)
	return n >= 1 && n <= 2 && strings.ToUpper(s) == s && (s[1] >= '0' && s[1] <= '9' || len(s) > 2 && s[2] >= '0' && s[2] <= '9')
}

// isInward accepts the second half: "1QE".
func isInward(s string) bool {
	return len(s) == 3 && s[0] >= '0' && s[0] <= '9' && s[1] >= 'A' && s[1] <= 'Z' && s[2] >= 'A' && s[2] <= 'Z'
}

func isSpelledNumber(t *token) bool {
	return t.title && slices.Contains([]string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}, t.fold)
}
