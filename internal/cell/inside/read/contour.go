package read

import (
	"bytes"

	"blotter/internal/document"
)

// contours are the places of a picture where neighbouring pixels differ: all that can be
// text has some, whatever its colour and its paper's. A page that was drawn by a program
// has no others than those of its letters, rules and pictures.
type contours struct {
	at   []uint8 // acrossRows, acrossColumns, or both
	w, h int
}

const (
	acrossRows    = 1 // a pixel differs from the one below
	acrossColumns = 2 // from the one to the right
)

func (p picture) contours() contours {
	c := contours{make([]uint8, p.w*p.h), p.w, p.h}
	for y := range p.h {
		row := p.pix[y*p.stride:][:(p.w-1)*p.step+p.channels]
		below := row
		if y+1 < p.h {
			below = p.pix[(y+1)*p.stride:][:len(row)]
		}
		p.contourRow(c.at[y*p.w:(y+1)*p.w], row, below)
	}
	return c
}

// contourRow compares a row with the one below and with itself. Most of a drawn page is
// blank: what equals the row below, and is of one colour, is told by the piece.
func (p picture) contourRow(out, row, below []uint8) {
	const piece = 32
	for from := 0; from < p.w; from += piece {
		to := min(from+piece, p.w)
		next := min(to, p.w-1)
		a, b := row[from*p.step:next*p.step+p.channels], below[from*p.step:next*p.step+p.channels]
		beside := max(0, len(a)-p.step) // bytes that have a pixel to their left; none in a piece of one pixel
		if bytes.Equal(a, b) && bytes.Equal(a[len(a)-beside:], a[:beside]) {
			continue
		}
		for x := from; x < to; x++ {
			i := x * p.step
			j := min(x+1, p.w-1) * p.step
			if differ(row[i:i+p.channels], below[i:i+p.channels]) {
				out[x] = acrossRows
			}
			if differ(row[i:i+p.channels], row[j:j+p.channels]) {
				out[x] |= acrossColumns
			}
		}
	}
}

func differ(a, b []uint8) bool {
	for i, v := range a {
		if d := int(v) - int(b[i]); d > contourLeast || d < -contourLeast {
			return true
		}
	}
	return false
}

// any reports whether a box holds contours.
func (c contours) any(b document.Box) bool {
	b = b.Intersect(document.Box{W: c.w, H: c.h})
	for y := b.Y; y < b.Y+b.H; y++ {
		for _, v := range c.at[y*c.w+b.X : y*c.w+b.X+b.W] {
			if v != 0 {
				return true
			}
		}
	}
	return false
}

func (c contours) erase(b document.Box) {
	b = b.Intersect(document.Box{W: c.w, H: c.h})
	for y := b.Y; y < b.Y+b.H; y++ {
		clear(c.at[y*c.w+b.X : y*c.w+b.X+b.W])
	}
}

// eraseRules takes away rules, and the edges of frames and panels: straight runs along
// rows or columns that are longer than any stroke of a letter, and shorter ones down from
// one such run to another. A stroke as long and thick leaves its ends.
func (c contours) eraseRules(least int) {
	rows, columns := c.rowRules(least), c.columnRules(sideLeast)
	few := len(rows) < drawnShapes && len(columns) < drawnShapes
	for _, b := range columns {
		if b.H >= least+2*ruleHalo || few && joins(b, rows) {
			c.erase(b)
		}
	}
	for _, b := range rows {
		c.erase(b)
	}
}

// joins reports whether a run down the page begins at one rule and ends at another.
func joins(b document.Box, rules []document.Box) bool {
	top := document.Box{X: b.X, Y: b.Y, W: b.W, H: 2 * ruleHalo}
	foot := document.Box{X: b.X, Y: b.Y + b.H - 2*ruleHalo, W: b.W, H: 2 * ruleHalo}
	begins, ends := false, false
	for _, r := range rules {
		begins = begins || !r.Intersect(top).Empty()
		ends = ends || !r.Intersect(foot).Empty()
	}
	return begins && ends
}

// run is a straight contour being followed: n of the pixels from first to last are in it.
type run struct{ first, last, n int }

// follow adds a pixel and returns the run that it ends, where that is a rule.
func (r *run) follow(at, least int) (rule run, ok bool) {
	rule = *r
	if r.n > 0 && at-r.last <= ruleGap {
		r.last, r.n = at, r.n+1
		return rule, false
	}
	*r = run{at, at, 1}
	return rule, rule.rule(least)
}

func (r run) rule(least int) bool {
	length := r.last - r.first + 1
	return r.n > 0 && length >= least && float64(r.n) >= ruleFilled*float64(length)
}

func (c contours) rowRules(least int) (out []document.Box) {
	add := func(r run, y int) {
		out = append(out, document.Box{X: r.first, Y: y, W: r.last - r.first + 1, H: 1}.Grow(ruleHalo, c.w, c.h))
	}
	for y := range c.h {
		var r run
		for x, v := range c.at[y*c.w : (y+1)*c.w] {
			if v&acrossRows == 0 {
				continue
			}
			if rule, ok := r.follow(x, least); ok {
				add(rule, y)
			}
		}
		if r.rule(least) {
			add(r, y)
		}
	}
	return out
}

// columnRules follows all columns at once, row by row, as memory lies.
func (c contours) columnRules(least int) (out []document.Box) {
	add := func(r run, x int) {
		out = append(out, document.Box{X: x, Y: r.first, W: 1, H: r.last - r.first + 1}.Grow(ruleHalo, c.w, c.h))
	}
	runs := make([]run, c.w)
	for y := range c.h {
		for x, v := range c.at[y*c.w : (y+1)*c.w] {
			if v&acrossColumns == 0 {
				continue
			}
			if rule, ok := runs[x].follow(y, least); ok {
				add(rule, x)
			}
		}
	}
	for x, r := range runs {
		if r.rule(least) {
			add(r, x)
		}
	}
	return out
}

// shapes are the connected groups of contours that are left, as boxes; nil and false
// where there are too many for a page that was drawn.
func (c contours) shapes(most int) (out []document.Box, ok bool) {
	seen := make([]bool, len(c.at))
	var stack []int
	for start, v := range c.at {
		if v == 0 || seen[start] {
			continue
		}
		if len(out) == most {
			return nil, false
		}
		var b document.Box
		b, stack = c.shape(start, seen, stack[:0])
		out = append(out, b)
	}
	return out, true
}

func (c contours) shape(start int, seen []bool, stack []int) (document.Box, []int) {
	x0, y0, x1, y1 := c.w, c.h, 0, 0
	seen[start] = true
	stack = append(stack, start)
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		x, y := i%c.w, i/c.w
		x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x), max(y1, y)
		for ny := max(0, y-1); ny <= min(c.h-1, y+1); ny++ {
			for nx := max(0, x-1); nx <= min(c.w-1, x+1); nx++ {
				if j := ny*c.w + nx; c.at[j] != 0 && !seen[j] {
					seen[j] = true
					stack = append(stack, j)
				}
			}
		}
	}
	return document.Box{X: x0, Y: y0, W: x1 - x0 + 1, H: y1 - y0 + 1}, stack
}

// emptyFrame reports whether a shape is the thin square frame of a box to tick, with
// nothing in it.
func (c contours) emptyFrame(b document.Box) bool {
	if b.W < frameLeast || 4*b.W < 3*b.H || 4*b.H < 3*b.W {
		return false
	}
	within := document.Box{X: b.X + frameThick, Y: b.Y + frameThick, W: b.W - 2*frameThick, H: b.H - 2*frameThick}
	if c.any(within) {
		return false
	}
	rows, columns := 0, 0
	for y := b.Y; y < b.Y+b.H; y++ {
		if c.any(document.Box{X: b.X, Y: y, W: frameThick, H: 1}) && c.any(document.Box{X: b.X + b.W - frameThick, Y: y, W: frameThick, H: 1}) {
			rows++
		}
	}
	for x := b.X; x < b.X+b.W; x++ {
		if c.any(document.Box{X: x, Y: b.Y, W: 1, H: frameThick}) && c.any(document.Box{X: x, Y: b.Y + b.H - frameThick, W: 1, H: frameThick}) {
			columns++
		}
	}
	return 10*rows >= 9*b.H && 10*columns >= 9*b.W
}
