package detect

import (
	"strings"

	"blotter/internal/cell/inside/detect/lexicon"
	"blotter/internal/document"
)

// What stands alone in its cell may show by its shape and its neighbours what it is:
// an address without a word for street, a name in small letters.

// lone finds such cells.
func (f *Finder) lone(sh *sheet) []span {
	var out []span
	for i := 0; i < len(sh.toks); i = sh.toks[i].cell[1] {
		if f.isSmallNameLine(sh, i) {
			out = append(out, span{i, sh.toks[i].cell[1], document.Name, 0.6, document.ByName})
		}
		if f.isInitialLine(sh, i) || f.isRareNameLine(sh, i) {
			out = append(out, span{i, sh.toks[i].cell[1], document.Name, 0.6, document.ByName})
		}
		if f.isBareStreet(sh, i) {
			out = append(out, span{i, sh.toks[i].cell[1], document.Place, 0.7, document.ByPlace})
		}
	}
	return out
}

// isSmallNameLine accepts "tan chay yee" alone on its row, as a stamp or a receipt's head
// has it: two to four words in small letters, one a name for sure by the lists, none a
// word of a language that is not a name too, and no end of running text.
func (f *Finder) isSmallNameLine(sh *sheet, i int) bool {
	from, to := sh.toks[i].cell[0], sh.toks[i].cell[1]
	r := &sh.rows[sh.toks[i].row]
	if from != r.from || to != r.to || to-from < 2 || to-from > 4 || r.wraps || sh.beforeToken(from) != nil {
		return false
	}
	names, strange := 0, 0
	for k := from; k < to; k++ {
		t := &sh.toks[k]
		name := t.entry.IsName()
		if f.terms.particles.has(t.fold) && k+1 < to {
			continue
		}
		if t.kind != letters || t.title || len(t.fold) < 2 || f.terms.notNames.has(t.fold) || f.terms.clinical.has(t.fold) ||
			f.terms.units.has(t.fold) || f.terms.kin.has(t.fold) || f.isVocabulary(t) && !name {
			return false
		}
		if name {
			names++
		}
		if !name || !f.isVocabulary(t) {
			strange++
		}
	}
	return names >= 1 && strange*2 >= to-from
}

// isBareStreet accepts "12 Elm" or "4 The Old Forge": a house number and up to four
// capitalised words that fill their cell, where the line below is one of an address or a
// direction opens the street's name.
func (f *Finder) isBareStreet(sh *sheet, i int) bool {
	to := sh.toks[i].cell[1]
	if !isHouseNumber(&sh.toks[i]) || to-i < 2 || to-i > 7 {
		return false
	}
	words := 0
	for k := i + 1; k < to; k++ {
		t := &sh.toks[k]
		switch {
		case t.kind == sign && strings.Contains(".,-'’", t.text):
		case t.kind != letters || !t.title || f.terms.units.has(t.fold) || f.terms.months.has(t.fold) || sh.inLabel[k]:
			return false
		default:
			words++
		}
	}
	if last := &sh.toks[to-1]; words == 2 && len(sh.toks[i].text) > 1 && to == i+3 && f.terms.sections["directions"].has(sh.toks[i+1].fold) &&
		!f.terms.notNames.has(last.fold) && (last.entry.IsName() || !last.entry.Has(lexicon.Common) && !f.terms.clinical.has(last.fold)) {
		return true // "35 West Wacker"; "3 North Telemetry" is a ward
	}
	from, end, ok := sh.cellBelow(i)
	return ok && words >= 1 && words <= 4 && f.hasStateOrCode(sh, from, end)
}

// hasStateOrCode reports whether a cell ends as the last line of an address does: with a
// postal code beside a place, or a state behind a comma.
func (f *Finder) hasStateOrCode(sh *sheet, from, to int) bool {
	if !f.isAddressLine(sh, from, to) || to-from < 2 {
		return false
	}
	for k := from; k < to; k++ {
		if f.zipAfterState(sh, k) >= 0 || k > from && sh.toks[k-1].text == "," && f.stateEnd(sh, k, to) == to {
			return true
		}
		if _, ok := f.codeAndCity(sh, k); ok {
			return true
		}
	}
	return false
}

// isInitialLine accepts "J. Banks" and "E.M. FROST" that fill their cell: initials with
// their stops and a word that is a name, or that no vocabulary has ("E. coli" is known).
func (f *Finder) isInitialLine(sh *sheet, i int) bool {
	to := sh.toks[i].cell[1]
	k := i
	for k+2 < to && sh.toks[k].upper && len([]rune(sh.toks[k].text)) == 1 && sh.toks[k+1].text == "." && k < i+6 {
		k += 2
	}
	t := &sh.toks[k]
	rare := t.kind == letters && t.title && len(t.fold) >= 4 && to == k+1 && !t.entry.Has(lexicon.Common|lexicon.Short) && !f.terms.notNames.has(t.fold) && !f.terms.clinical.has(t.fold)
	if k == i || to-k > 3 || !f.isFamilyWord(t) && !rare { // "R. Batiste" is no linen
		return false
	}
	return to == k+1 || to == k+3 && strings.Contains("-'’", sh.toks[k+1].text) && f.isFamilyWord(&sh.toks[k+2])
}

func (f *Finder) isFamilyWord(t *token) bool {
	return t.kind == letters && t.title && len(t.fold) >= 3 && !f.terms.notNames.has(t.fold) && !f.terms.clinical.has(t.fold) && !f.terms.units.has(t.fold) &&
		(t.entry.IsName() || !f.isVocabulary(t))
}

// isRareNameLine accepts "Mwangi Cross" alone on its row: a word that no list has and one
// that is a family name, both capitalised in the same way.
func (f *Finder) isRareNameLine(sh *sheet, i int) bool {
	r := &sh.rows[sh.toks[i].row]
	if i != r.from || sh.toks[i].cell[1] != r.to || r.to-r.from != 2 || r.wraps || sh.beforeToken(i) != nil {
		return false
	}
	a, b := &sh.toks[i], &sh.toks[i+1]
	rare := func(t *token) bool { return t.entry == 0 && len(t.fold) >= 4 && f.isFamilyWord(t) }
	named := func(t *token) bool { return t.entry.Has(lexicon.Surname) && f.isFamilyWord(t) }
	return a.upper == b.upper && !f.terms.facilities.has(b.fold) && !f.terms.eponyms.has(a.fold) && !f.terms.eponymHeads.has(b.fold) && (rare(a) && named(b) || named(a) && rare(b))
}
