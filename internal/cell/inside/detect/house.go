package detect

import (
	"blotter/internal/cell/inside/detect/lexicon"
	"blotter/internal/document"
)

// Where the name of a house begins and ends in a run of capitalised words.

// isInitial reports whether token k is a capital letter with its stop before a capitalised
// word.
func (sh *sheet) isInitial(k int) bool {
	return k+2 < sh.toks[k].cell[1] && sh.toks[k].upper && len([]rune(sh.toks[k].text)) == 1 && sh.toks[k+1].text == "." && sh.toks[k+2].title && len(sh.toks[k+2].text) > 1
}

// isHouseLabel reports whether token i is a label that asks for a house, before the name of
// one: a capitalised word that names no kind of house follows.
func (f *Finder) isHouseLabel(sh *sheet, i int) bool {
	def, ok := f.labels.lookup(labelKey(sh.toks[i].text), false)
	next := &sh.toks[i+1]
	return ok && def.typ == document.Organisation && next.kind == letters && next.title && !f.terms.facilities.has(next.fold) && !f.terms.facilityLead.has(next.fold)
}

// endsSentence reports whether the stop at token k, in a run from token i on, ends a sentence
// and no abbreviation: an ordinary word stands before it, a space behind it.
func (f *Finder) endsSentence(sh *sheet, k, i int) bool {
	if k == i || k+1 >= sh.toks[k].cell[1] || sh.toks[k+1].gap == 0 {
		return false
	}
	t := &sh.toks[k-1]
	return t.kind == letters && len(t.fold) > 3 && t.entry.Has(lexicon.Common) && !f.terms.facilities.has(t.fold) && !f.terms.facilityLead.has(t.fold)
}
