package detect

import (
	"strings"

	"blotter/internal/cell/inside/detect/lexicon"
)

// withSuffix moves a name's end over the suffix that belongs to it: "Jr.", ", III".
func (f *Finder) withSuffix(sh *sheet, end, to int) int {
	k := end
	if k+1 < to && sh.toks[k].text == "," && sh.toks[k].gap == 0 {
		k++
	}
	if k >= to || sh.toks[k].gap >= wideGap || sh.toks[k].gap == 0 || !sh.toks[k].title || !f.terms.sections["name suffixes"].has(sh.toks[k].fold) {
		return end
	}
	return k + 1
}

// isGreeted reports whether a word is greeted at the start of a line: "Hi Tadesse,".
func (f *Finder) isGreeted(sh *sheet, t *token, a around) bool {
	return f.terms.sections["salutations"].has(a.before) && a.prev.title && a.prev.index == sh.rows[t.row].from && a.prev.row == t.row &&
		(a.after == "," || a.after == "!" || a.after == ":") && !f.terms.notNames.has(t.fold) && !f.terms.kin.has(t.fold) && (t.entry.IsName() || !f.isVocabulary(t))
}

// isPost reports whether the work of a person stands in brackets or behind a comma.
func (f *Finder) isPost(a around) bool {
	return (a.after == "(" || a.after == ",") && f.terms.sections["posts"].has(a.after2)
}

// listStart is where an entry of a list may begin before token i: at the start of its
// cell, or behind a dash that stands alone ("PROGRESS NOTE - Cross, Hope").
func (sh *sheet) listStart(i int) int {
	start := sh.toks[i].cell[0]
	for k := i; k > start && k > i-3; k-- {
		if t := &sh.toks[k-1]; strings.Contains("-–:|", t.text) && (t.gap > 0 || t.text == ":") && sh.toks[k].gap > 0 {
			return k
		}
	}
	return start
}

// isRareGiven reports whether word k of "SURNAME, GIVEN" is in no list at all and the other
// one may be a name: a pair with a comma that fills its cell but for an initial, a sex or
// a credential.
func (f *Finder) isRareGiven(sh *sheet, words []int, k int) bool {
	t, other := &sh.toks[k], &sh.toks[words[0]]
	if k == words[0] {
		other = &sh.toks[words[1]]
	}
	if t.entry != 0 || f.isVocabulary(t) || len(t.fold) < 4 || !other.entry.IsName() || f.terms.clinical.has(other.fold) || t.upper != other.upper {
		return false
	}
	for i := words[1] + 1; i < sh.toks[k].cell[1]; i++ {
		if w := &sh.toks[i]; w.kind != sign && len(w.text) > 1 && !f.isCredential(w) {
			return false
		}
	}
	return true
}

// bothNames reports whether two words with a comma between them are names both, one of
// them a given name that many bear: "Cross, Hope".
func (f *Finder) bothNames(a, b *token) bool {
	return a.entry.IsName() && b.entry.IsName() && (b.entry.Births() > knownBirths || a.entry.Births() > knownBirths) &&
		!f.terms.clinical.has(a.fold) && !f.terms.clinical.has(b.fold)
}

// isRarePair accepts a given name that no list has before a family name that is also a
// word, in running text: "Mwangi Banks".
func (f *Finder) isRarePair(given, family *token) bool {
	if given == nil || family == nil || given.entry != 0 || len(given.fold) < 4 || given.upper != family.upper || family.gap >= wideGap || family.gap == 0 {
		return false
	}
	return f.isFamilyWord(given) && family.entry.Has(lexicon.Surname) && f.isFamilyWord(family) && !f.terms.eponymHeads.has(family.fold) && !f.terms.facilities.has(family.fold)
}

// listOfTitled bounds the names behind one title.
const listOfTitled = 6

// isSecondTitled reports whether token i stands behind a titled name and "and", or in a
// list behind a title in the plural: "Drs. Patel, Baker and Price".
func (f *Finder) isSecondTitled(sh *sheet, a around) bool {
	plural := false
	for n := 0; n < listOfTitled && a.prev != nil && (a.before == "and" || a.before == "&" || a.before == ","); n++ {
		plural = plural || a.before == ","
		first := sh.beforeToken(a.prev.index)
		if first == nil || !first.title {
			return false
		}
		a = f.around(sh, first.index)
		if f.isTitled(a) {
			return !plural || f.terms.sections["titles of several"].has(a.before) || f.terms.sections["titles of several"].has(a.before2)
		}
	}
	return false
}

// isLabelWord accepts a label in capitals that is no name: "Zhou, Ming F. DOB 18NOV2000".
func (f *Finder) isLabelWord(t *token) bool {
	if !t.upper || len(t.fold) < 2 || len(t.fold) > 3 && t.entry.IsName() {
		return false
	}
	_, ok := f.labels.lookup(labelKey(t.text), false)
	return ok
}
