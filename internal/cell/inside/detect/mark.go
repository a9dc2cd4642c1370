package detect

import (
	"strings"

	"blotter/internal/cell/inside/detect/lexicon"
	"blotter/internal/document"
)

// Marks are the initials that somebody leaves instead of a name: the technologist's on a
// film, a column of them in a table of results, "JRS/kt" under a letter. Two or three
// capitals are as often an abbreviation, so their place must tell.

// longestMark is how many letters a mark has.
const longestMark = 3

// markScore is what a mark's place is worth: enough to cover, not to seek elsewhere.
const markScore = 0.6

// markedBy finds them.
func (f *Finder) markedBy(sh *sheet) []span {
	out := f.markColumns(sh)
	for i := range sh.toks {
		if f.isTrailing(sh, i) {
			out = append(out, span{i, i + 1, document.Staff, markScore, document.ByName})
			continue
		}
		to, ok := f.markAt(sh, i)
		switch {
		case !ok:
		case f.isBehindStaff(sh, i) || f.isDictation(sh, i, to):
			out = append(out, span{i, to, document.Staff, markScore, document.ByName})
		case f.isAlone(sh, i, to):
			out = append(out, span{i, to, document.Name, markScore, document.ByName})
		}
	}
	return out
}

// markAt reports whether a mark begins at token i and ends its cell or stands before a sign
// that ends it: "KT", "K.T.", "kt" behind a stroke.
func (f *Finder) markAt(sh *sheet, i int) (to int, ok bool) {
	t := &sh.toks[i]
	end := t.cell[1]
	if t.kind != letters || sh.inLabel[i] || f.terms.sections["flags"].has(t.fold) {
		return 0, false
	}
	n := len([]rune(t.text))
	if n >= 2 && n <= longestMark && t.upper {
		return i + 1, true
	}
	to, count := i, 0 // letters with their stops
	for to+1 < end && len([]rune(sh.toks[to].text)) == 1 && sh.toks[to].upper && sh.toks[to+1].text == "." && sh.toks[to+1].gap == 0 && count < longestMark {
		to, count = to+2, count+1
	}
	return to, count >= 2
}

// isTrailing accepts what a note ends in: "no distress. -KT", "tolerated well /jm". A stroke
// or a dash stands apart from the text and touches the letters, which no list explains.
func (f *Finder) isTrailing(sh *sheet, i int) bool {
	t := &sh.toks[i]
	n := len([]rune(t.text))
	if t.kind != letters || n < 2 || n > longestMark || t.gap > 0 || i+1 != t.cell[1] || i-2 < t.cell[0] || t.title && !t.upper {
		return false
	}
	sep, before := &sh.toks[i-1], &sh.toks[i-2]
	if sep.gap == 0 || !strings.Contains("/-–—", sep.text) || before.kind != letters && before.text != "." {
		return false
	}
	if sep.text != "/" && (!t.upper || before.text != ".") {
		return false
	}
	return !f.terms.sections["flags"].has(t.fold) && !f.terms.clinical.has(t.fold) && !f.terms.units.has(t.fold) && !f.terms.credentials.has(t.fold) &&
		!f.terms.notNames.has(t.fold) && !t.entry.Has(lexicon.Common|lexicon.Vocab)
}

// isBehindStaff reports whether the word before a mark calls for one: "Tech KT", "by: KT".
func (f *Finder) isBehindStaff(sh *sheet, i int) bool {
	k := i - 1
	for k >= sh.rows[sh.toks[i].row].from && sh.toks[k].kind == sign && strings.Contains(":.#/-", sh.toks[k].text) {
		k--
	}
	if k < sh.rows[sh.toks[i].row].from || sh.toks[k].kind != letters && sh.toks[k].kind != mixed {
		return false
	}
	return f.terms.sections["mark labels"].hasAlike(sh.toks[k].fold) && !f.terms.credentials.has(sh.toks[i].fold)
}

// isDictation reports whether a mark and another behind a stroke or a colon fill their cell:
// "JRS/kt", "JS:mw".
func (f *Finder) isDictation(sh *sheet, i, to int) bool {
	cell := sh.toks[i].cell
	if to+2 != cell[1] || !strings.Contains("/:", sh.toks[to].text) {
		return false
	}
	if f.terms.clinical.has(sh.toks[i].fold) {
		return false // "SOB/ha"
	}
	first := i == cell[0] || i-1 >= cell[0] && sh.toks[i-1].text == ":"
	last := &sh.toks[to+1]
	n := len([]rune(last.text))
	return first && last.kind == letters && n >= 2 && n <= longestMark && sh.toks[to].gap == 0 && last.gap == 0 &&
		!f.terms.clinical.has(last.fold) && !f.terms.units.has(last.fold)
}

// isAlone reports whether letters with stops fill their cell and spell no abbreviation that
// anybody knows: "P.H.H." under a stamp, not "P.R.N." in a column of doses.
func (f *Finder) isAlone(sh *sheet, i, to int) bool {
	if t := &sh.toks[i]; to-i < 4 || t.cell != [2]int{i, to} {
		return false
	}
	joined := ""
	for k := i; k < to; k += 2 {
		joined += sh.toks[k].fold
	}
	return !f.terms.clinical.has(joined) && !f.terms.units.has(joined) && !f.terms.credentials.has(joined) &&
		!f.terms.notNames.has(joined) && !f.lex.Lookup(joined).Has(lexicon.Common|lexicon.Vocab|lexicon.Short)
}

// fewestMarks is how many cells a column of marks or short numbers has at least.
const fewestMarks = 3

// markColumns finds marks one below the other at the ends of rows that hold numbers.
func (f *Finder) markColumns(sh *sheet) []span {
	var out []span
	for _, column := range f.markCells(sh) {
		strange := 0
		for _, i := range column {
			if t := &sh.toks[i]; t.kind == letters && !f.terms.clinical.has(t.fold) && !f.terms.units.has(t.fold) && !f.terms.notNames.has(t.fold) {
				strange++
			}
		}
		if len(column) < fewestMarks || strange == 0 {
			continue
		}
		for _, i := range column {
			if sh.toks[i].kind == letters {
				out = append(out, span{i, i + 1, document.Staff, markScore, document.ByName})
			}
		}
	}
	return out
}

// markCells gathers the cells at row ends that hold nothing but two or three capitals or
// two digits, by column, in order.
func (f *Finder) markCells(sh *sheet) [][]int {
	var columns [][]int
	for _, r := range sh.rows {
		i := r.to - 1
		t := &sh.toks[i]
		n := len([]rune(t.text))
		short := n >= 2 && n <= longestMark && t.kind == letters && t.upper && !f.terms.sections["flags"].has(t.fold) || n == 2 && t.kind == number
		if !short || t.cell[0] != i || sh.inLabel[i] || !sh.holdsNumber(r.from, i) {
			continue
		}
		placed := false
		for c, column := range columns {
			if abs(sh.toks[column[0]].x0-t.x0) <= r.height {
				columns[c], placed = append(column, i), true
				break
			}
		}
		if !placed {
			columns = append(columns, []int{i})
		}
	}
	return columns
}

// holdsNumber reports whether one of tokens [from, to) is a number.
func (sh *sheet) holdsNumber(from, to int) bool {
	for k := from; k < to; k++ {
		if sh.toks[k].kind == number {
			return true
		}
	}
	return false
}
