package detect

// termPenalty is what speaks against: an eponym, or a head that makes it one.
func (f *Finder) termPenalty(sh *sheet, t *token, a around) float64 {
	head := f.terms.eponymHeads.has(a.after)
	if !head && (a.after == "-" || a.after == "'") {
		head = f.terms.eponymHeads.has(a.after2) || f.terms.eponyms.has(a.after2) && f.terms.eponyms.has(t.fold)
	}
	switch {
	case head, f.isListedEponym(sh, t):
		return 0.6
	case f.terms.eponyms.has(t.fold) && f.terms.eponyms.has(a.after) && f.terms.eponymHeads.has(a.after2):
		return 0.5 // "Hill Sachs lesion"
	case f.terms.sections["eponyms alone"].has(t.fold), f.isFormWord(t, a), f.isScored(t, a):
		return 0.5
	}
	return 0
}

// isEponym accepts a word before what makes an eponym of it, or before another eponym that
// goes on so: "Hashimoto thyroiditis", "Ann Arbor stage".
func (f *Finder) isEponym(t *token, a around) bool {
	return f.terms.eponymHeads.has(a.after) || f.terms.eponyms.has(t.fold) && f.terms.eponyms.has(a.after) && f.terms.eponymHeads.has(a.after2)
}

// listedEponyms bounds a list of them, in tokens: "Moro, Galant and Babinski reflexes".
const listedEponyms = 8

// isListedEponym reports whether a word stands in a list of eponyms that ends in what they
// are: capitalised words with commas and "and" between, one of them an eponym for sure.
func (f *Finder) isListedEponym(sh *sheet, t *token) bool {
	known, listed := f.terms.eponyms.has(t.fold), false
	for k := t.index + 1; k < t.cell[1] && k <= t.index+listedEponyms; k++ {
		switch w := &sh.toks[k]; {
		case w.text == "," || w.fold == "and" || w.fold == "or" || w.text == "&":
			listed = true
		case listed && known && f.terms.eponymHeads.has(w.fold):
			return true
		case w.kind != letters || !w.title:
			return false
		default:
			known = known || f.terms.eponyms.has(w.fold)
		}
	}
	return false
}

// isFormWord reports whether a word that is also a given name stands as a form has it:
// "Bill To", "Mark one", "Grant no. 12".
func (f *Finder) isFormWord(t *token, a around) bool {
	return f.terms.sections["form words"].has(t.fold) &&
		(a.next != nil && (a.next.kind == number || f.terms.sections["behind form words"].has(a.after)) || a.before == "grade" || a.before == "this" || a.before == "the")
}

// isScored reports whether an eponym is a scale, its score right behind it: "Hamilton 18",
// "Wong-Baker 4".
func (f *Finder) isScored(t *token, a around) bool {
	score := func(t *token) bool { return t != nil && t.kind == number && len(t.text) <= 3 && t.gap > 0 }
	if !f.terms.eponyms.has(t.fold) {
		return false
	}
	return score(a.next) || a.after == "-" && f.terms.eponyms.has(a.after2) || a.before == "-" && f.terms.eponyms.has(a.before2)
}
