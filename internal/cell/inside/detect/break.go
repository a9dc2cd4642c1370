package detect

import (
	"slices"

	"blotter/internal/document"
)

// Running text breaks where its column ends, also between the columns of a page: a
// telephone number or an address may stand half on one line and half on the next.

// lineBreak is the end of a cell of running text and the beginning of the one that goes on
// below it.
type lineBreak struct {
	tail, head [2]int // tokens
}

const (
	// breakTokens is how much of each side of a break is looked at, in tokens.
	breakTokens = 10
	// brokenTokens is the shortest cell, in tokens, that is taken for running text.
	brokenTokens = 4
)

// breaks finds the cells that go on below: the same left edge, the upper one as long as
// the lower, and no label at its head.
func (sh *sheet) breaks() []lineBreak {
	var out []lineBreak
	for i := range sh.rows {
		r := &sh.rows[i]
		for k := r.from; k < r.to && r.upright; k = sh.toks[k].cell[1] {
			end := sh.toks[k].cell[1]
			if end-k < brokenTokens {
				continue
			}
			from, to, ok := sh.cellBelow(k)
			if !ok || sh.inLabel[from] || sh.toks[end-1].x1 < sh.toks[to-1].x1-4*r.height {
				continue
			}
			out = append(out, lineBreak{[2]int{max(k, end-breakTokens), end}, [2]int{from, min(to, from+breakTokens)}})
		}
	}
	return out
}

// acrossBreaks tries the patterns and the layer of places where lines break.
func (f *Finder) acrossBreaks(sh *sheet) []span {
	var out []span
	for _, b := range sh.breaks() {
		if !f.mayGoOn(sh, b) {
			continue
		}
		joined := sh.join(b)
		found := f.places(joined)
		if f.isNumberAt(sh, b) {
			found = append(f.matchRow(joined, &joined.rows[0]), found...)
		}
		for _, s := range found {
			if n := b.tail[1] - b.tail[0]; s.from < n && s.to > n && s.score >= 0.7 && s.typ != document.Code {
				above, below := s, s
				above.from, above.to = b.tail[0]+s.from, b.tail[1]
				below.from, below.to = b.head[0], b.head[0]+s.to-n
				out = append(out, above, below)
			}
		}
	}
	return out
}

// mayGoOn reports whether a break has what a number, a date, an address or a house's name
// is made of: a digit near it, a month before it, a word for a house behind it.
func (f *Finder) mayGoOn(sh *sheet, b lineBreak) bool {
	tail, head := sh.toks[b.tail[0]:b.tail[1]], sh.toks[b.head[0]:b.head[1]]
	return hasDigits(tail) || hasDigits(head) || f.terms.months.has(tail[len(tail)-1].fold) ||
		slices.ContainsFunc(head[:min(2, len(head))], func(t token) bool { return f.terms.facilities.has(t.fold) })
}

// besideBreak is how near a digit stands, in tokens, on one side at least of a break that
// goes through a number or a date.
const besideBreak = 5

// isNumberAt reports whether a pattern may go over a break.
func (f *Finder) isNumberAt(sh *sheet, b lineBreak) bool {
	tail, head := sh.toks[max(b.tail[0], b.tail[1]-besideBreak):b.tail[1]], sh.toks[b.head[0]:min(b.head[1], b.head[0]+besideBreak)]
	return hasDigits(tail) || hasDigits(head) || f.terms.months.has(tail[len(tail)-1].fold)
}

// join lays both sides of a break into one row of a sheet of its own.
func (sh *sheet) join(b lineBreak) *sheet {
	toks := slices.Concat(sh.toks[b.tail[0]:b.tail[1]], sh.toks[b.head[0]:b.head[1]])
	text := make([]byte, 0, 16*len(toks))
	for i := range toks {
		t := &toks[i]
		switch i {
		case 0:
			t.gap = farGap
		case b.tail[1] - b.tail[0]:
			t.gap = leastGap
		}
		if i > 0 && t.gap > 0 {
			text = append(text, ' ')
		}
		t.index, t.row, t.cell, t.at = i, 0, [2]int{0, len(toks)}, len(text)
		text = append(text, t.text...)
	}
	r := row{to: len(toks), text: string(text), height: sh.rows[sh.toks[b.tail[0]].row].height, below: -1, upright: true, caps: sh.rows[sh.toks[b.tail[0]].row].caps}
	return &sheet{page: sh.page, toks: toks, rows: []row{r}, inLabel: make([]bool, len(toks)), public: make([]bool, len(toks))}
}
