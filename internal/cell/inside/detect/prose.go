package detect

import (
	"strings"

	"blotter/internal/cell/inside/detect/lexicon"
	"blotter/internal/document"
)

// In running text a name shows by what stands around it even where its words are ordinary
// ones: "my uncle, Ebony Cheeks, at the door", "Brown, RN", "spoke with daughter sheila".

// proseScore is what such a place is worth: enough to cover, and where a relative or a
// credential says so, to seek the name in the whole document.
const (
	proseScore     = 0.6
	announcedScore = 0.7
)

// told finds names by the text around them.
func (f *Finder) told(sh *sheet) []span {
	var out []span
	add := func(from, to int, score float64) {
		out = append(out, span{from, to, document.Name, score, document.ByName})
	}
	for i := range sh.toks {
		t := &sh.toks[i]
		if t.kind != letters || sh.inLabel[i] || len(t.fold) < 2 {
			continue
		}
		switch {
		case f.isCredited(sh, i), f.isBeforeSpecialty(sh, i):
			add(sh.withInitial(i), i+1, announcedScore)
		case sh.rows[t.row].caps:
		case f.isPairAmidSmall(sh, i):
			add(i, i+2, f.pairScore(sh, i))
		case f.isSmallRelative(sh, i):
			add(i, i+1, proseScore)
		case f.actsAsPerson(sh, i):
			add(i, i+1, proseScore)
		}
	}
	return out
}

// pairScore is that of a given and a family name from token i on.
func (f *Finder) pairScore(sh *sheet, i int) float64 {
	if f.isAnnounced(f.around(sh, i)) {
		return announcedScore
	}
	return proseScore
}

// isAnnounced reports whether a relative stands right before, perhaps with a comma.
func (f *Finder) isAnnounced(a around) bool {
	return f.terms.kin.has(a.before) || a.before == "," && f.terms.kin.has(a.before2)
}

// isPairAmidSmall accepts two capitalised words between small ones, the first a given name
// that many bear, where a relative or a word such as "with" or "by" leads to them. The
// second may be any word then: "my uncle, Ebony Cheeks, at"; behind a preposition it is a
// family name or no term of medicine: "spoke with Joy Fields about".
func (f *Finder) isPairAmidSmall(sh *sheet, i int) bool {
	if i+1 >= sh.toks[i].cell[1] {
		return false
	}
	given, family := &sh.toks[i], &sh.toks[i+1]
	if family.kind != letters || family.gap == 0 || !given.title || given.upper || !family.title || family.upper || len(family.fold) < 3 ||
		given.entry.Births() < 500 || given.entry.Births() < 20_000 && given.entry.Has(plainWords) || f.terms.notNames.has(given.fold) && !f.isMonthName(given) || f.terms.kin.has(given.fold) || !f.endsName(sh, i+1) {
		return false
	}
	if f.terms.notNames.has(family.fold) || f.terms.facilities.has(family.fold) || f.terms.kin.has(family.fold) || f.terms.titles.has(family.fold) {
		return false
	}
	a := f.around(sh, i)
	if f.isAnnounced(a) {
		return true
	}
	leads := f.terms.sections["leads to somebody"].has(a.before) && a.prev != nil && !a.prev.title
	if !leads || f.terms.eponyms.has(given.fold) || f.terms.streetWords.has(family.fold) && !family.entry.Has(lexicon.Surname) {
		return false
	}
	return family.entry.IsName() || !f.terms.eponymHeads.has(family.fold) && !f.terms.clinical.has(family.fold)
}

// endsName reports whether nothing goes on behind token i as a term or a title of a page
// would: a sign, a small word, a credential or the end of its text.
func (f *Finder) endsName(sh *sheet, i int) bool {
	next := sh.afterToken(i)
	return next == nil || next.kind == sign && next.text != "-" && next.text != "/" || next.kind == letters && !next.title || f.isCredential(next)
}

// isSmallRelative accepts a given name in small letters behind a relative, or behind "spoke
// with" and its like: "per daughter sheila". What is also an ordinary English word is none.
func (f *Finder) isSmallRelative(sh *sheet, i int) bool {
	t := &sh.toks[i]
	if t.title || t.entry.Births() < 20_000 || t.entry.Has(lexicon.Common) || f.terms.notNames.has(t.fold) || f.terms.clinical.has(t.fold) || f.terms.kin.has(t.fold) || f.terms.months.has(t.fold) {
		return false
	}
	a := f.around(sh, i)
	if a.prev == nil || a.prev.title && !f.terms.kin.has(a.before) {
		return false
	}
	if f.terms.sections["relatives"].has(a.before) {
		return true
	}
	return (a.before == "with" || a.before == "to") && f.terms.sections["speaking"].has(a.before2) || f.terms.sections["speaking"].has(a.before) && t.entry.Births() >= famousBirths
}

// actsAsPerson accepts a family name that is a word, too, where it opens a sentence and does
// what only people do: "Brooks denies pain", "Miller was admitted on".
func (f *Finder) actsAsPerson(sh *sheet, i int) bool {
	t := &sh.toks[i]
	if !t.title || t.upper || t.entry.Births() < 500 || !t.entry.Has(lexicon.Surname|lexicon.Proper) || f.terms.notNames.has(t.fold) || f.terms.kin.has(t.fold) || f.terms.eponyms.has(t.fold) {
		return false
	}
	a := f.around(sh, i)
	if a.prev != nil && a.before != "." || a.next == nil || a.next.title || a.next.kind != letters {
		return false
	}
	if f.terms.sections["only people do"].has(a.after) {
		return true
	}
	return (a.after == "was" || a.after == "is") && f.terms.sections["done to people"].has(a.after2) && t.entry.Births() >= 1000 && t.entry.Has(lexicon.Proper) && !f.terms.clinical.has(t.fold)
}

// isCredited accepts a word before a credential: behind an initial any ("K. Long PA-C"),
// else one that is a name at all, with a comma between ("Brown, RN").
func (f *Finder) isCredited(sh *sheet, i int) bool {
	t := &sh.toks[i]
	end := t.cell[1]
	if !t.title || len(t.fold) < 3 || i+1 >= end || f.isCredential(t) || f.terms.facilities.has(t.fold) && !t.entry.Has(lexicon.Surname) {
		return false
	}
	comma := sh.toks[i+1].text == "," && i+2 < end && f.isSureCredential(&sh.toks[i+2])
	if (comma || f.isSureCredential(&sh.toks[i+1])) && sh.isBehindInitial(i) {
		return true
	}
	opens := i == t.cell[0] || sh.toks[i-1].kind == sign && strings.Contains(".:;(", sh.toks[i-1].text) || sh.toks[i-1].kind == letters && !sh.toks[i-1].title
	return comma && opens && t.entry.IsName() && (!f.terms.clinical.has(t.fold) || t.entry.Births() > 0) && !f.terms.sections["specialties"].has(t.fold)
}

// isBeforeSpecialty accepts a word behind an initial and before a specialty of one or two
// words, as lists of visits have it: "D. Norton Dermatology".
func (f *Finder) isBeforeSpecialty(sh *sheet, i int) bool {
	t, a := &sh.toks[i], f.around(sh, i)
	if !t.title || len(t.fold) < 3 || !sh.isBehindInitial(i) || f.terms.notNames.has(t.fold) || f.isVocabulary(t) && !t.entry.IsName() && !f.terms.eponyms.has(t.fold) {
		return false
	}
	has := f.terms.sections["specialties"].has
	return has(a.after) || has(a.after2) && f.terms.clinical.has(a.after) || has(a.after2) && f.terms.facilityLead.has(a.after)
}

// withInitial is where a name begins whose family name is token i: with its initial, if one
// with a stop stands before it.
func (sh *sheet) withInitial(i int) int {
	if sh.isBehindInitial(i) {
		return i - 2
	}
	return i
}

func (sh *sheet) isBehindInitial(i int) bool {
	return i-2 >= sh.toks[i].cell[0] && sh.toks[i-1].text == "." && sh.toks[i-2].upper && len([]rune(sh.toks[i-2].text)) == 1
}

// isSureCredential accepts a credential in capitals that is hardly anything else.
func (f *Finder) isSureCredential(t *token) bool {
	return t.upper && f.terms.sections["staff credentials"].has(t.fold) && t.fold != "do" && t.fold != "od" && t.fold != "rt" && t.fold != "dc"
}
