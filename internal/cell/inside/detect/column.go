package detect

import (
	"slices"

	"blotter/internal/document"
)

// Whoever ran a test or gave a dose signs in a column of its own, with two or three
// letters: "JF", "BCD", "TLN". A single cell says nothing, a column of different ones that
// are no words does.

// column is the cells of several rows that stand below one another.
type column struct {
	x     int   // where its last cell begins: pages are skewed
	cells []int // tokens: cells of one token that may be initials
	other int   // cells that hold longer words: then it is a column of names of tests
}

// Fewest rows and fewest different initials of such a column, and fewest cells of a row.
const (
	columnCells    = 3
	columnVariety  = 3
	columnRowCells = 3
)

// initialColumns finds columns of initials.
func (f *Finder) initialColumns(sh *sheet) []span {
	var out []span
	for _, c := range f.columns(sh) {
		if !f.areInitials(sh, c) {
			continue
		}
		for _, k := range c.cells {
			out = append(out, span{k, k + 1, document.Name, 0.6, document.ByLabel})
		}
	}
	return out
}

// columns gathers cells that may be initials by their left ends, over the rows of tables.
func (f *Finder) columns(sh *sheet) []*column {
	var out []*column
	for i := range sh.rows {
		r := &sh.rows[i]
		if !r.upright || sh.countCells(r) < columnRowCells {
			continue
		}
		for k := r.from; k < r.to; k = sh.toks[k].cell[1] {
			f.intoColumn(sh, &out, r, k)
		}
	}
	return out
}

func (f *Finder) intoColumn(sh *sheet, all *[]*column, r *row, k int) {
	t := &sh.toks[k]
	at := slices.IndexFunc(*all, func(c *column) bool { return abs(c.x-t.x0) <= r.height })
	single := t.cell[1] == k+1 && t.upper && t.kind == letters && len(t.text) >= 2 && len(t.text) <= 3
	switch {
	case single && at < 0 && len(*all) < 2*maxRowsAhead:
		*all = append(*all, &column{x: t.x0, cells: []int{k}})
	case single && at >= 0:
		(*all)[at].x = t.x0
		(*all)[at].cells = append((*all)[at].cells, k)
	case at >= 0 && t.kind == letters && len(t.text) > 3:
		(*all)[at].other++
	}
}

func (sh *sheet) countCells(r *row) int {
	n := 0
	for k := r.from; k < r.to; k = sh.toks[k].cell[1] {
		n++
	}
	return n
}

// areInitials wants different cells, most of them neither units nor flags, none below
// longer words, and something before them in their rows: names of tests come first.
func (f *Finder) areInitials(sh *sheet, c *column) bool {
	seen, words, first := map[string]bool{}, 0, 0
	for _, k := range c.cells {
		t := &sh.toks[k]
		if k == sh.rows[t.row].from {
			first++
		}
		if !seen[t.fold] && (f.terms.units.has(t.fold) || f.terms.sections["flags"].has(t.fold)) {
			words++
		}
		seen[t.fold] = true
	}
	return len(c.cells) >= columnCells && len(seen) >= columnVariety && c.other == 0 && 2*first < len(c.cells) && words*5 <= len(seen)*2
}
