package mark

import (
	"image"

	"blotter/internal/document"
)

// PDF417 codes are found by the guards at their two ends, which stand as they are over
// the whole height and on which every row of the code agrees.

// guard is one end of a code, as runs of modules from left to right.
type guard struct {
	modules []int
	left    bool // the code lies right of it
}

var guards = []guard{
	{[]int{8, 1, 1, 1, 1, 1, 1, 3}, true},
	{[]int{1, 2, 1, 1, 1, 3, 1, 1, 7}, true}, // the other end, of a code upside down
	{[]int{7, 1, 1, 3, 1, 1, 1, 2, 1}, false},
	{[]int{3, 1, 1, 1, 1, 1, 1, 8}, false},
}

// matches reports whether the last runs are the guard's, and how many pixels they take.
func (g guard) matches(last *runs) (width int, ok bool) {
	tail := last[len(last)-len(g.modules):]
	modules := 0
	for i, n := range tail {
		if n == 0 {
			return 0, false
		}
		width, modules = width+n, modules+g.modules[i]
	}
	m := float64(width) / float64(modules)
	for i, n := range tail {
		if d := float64(n) - m*float64(g.modules[i]); d > 0.45*m+0.5 || d < -0.45*m-0.5 {
			return 0, false
		}
	}
	return width, width >= modules
}

// post is a guard that was seen on lines that follow each other: s runs along the lines,
// t from line to line.
type post struct {
	left      bool
	s0, s1    int // of the newest line
	t0, t1    int
	lines     int
	low, high int // the least s0 and the largest s1 of all lines
	unit      float64
}

const (
	leastPost = 5 // lines that agree
	postGap   = 12
)

// stacked finds PDF417 codes in four directions.
func (c *cells) stacked() []document.Box {
	upright := c.between(c.posts(c.rows*cell, 2, c.rowRuns), func(s, t int) image.Point { return image.Pt(s, t) })
	turned := c.between(c.posts(c.cols*cell, 4, c.columnRuns), func(s, t int) image.Point { return image.Pt(t, s) })
	return append(upright, turned...)
}

// posts collects the guards on every step-th of n lines.
func (c *cells) posts(n, step int, walk func(t int, see func(end int, last *runs))) []post {
	var open, done []post
	for t := 0; t < n; t += step {
		walk(t, func(end int, last *runs) {
			for _, g := range guards {
				if width, ok := g.matches(last); ok && len(open) < maxCandidates {
					open = addPost(open, g.left, end-width, end, t)
				}
			}
		})
		kept := open[:0]
		for _, p := range open {
			switch {
			case t-p.t1 <= postGap:
				kept = append(kept, p)
			case p.lines >= leastPost && len(done) < maxCandidates:
				done = append(done, p)
			}
		}
		open = kept
	}
	for _, p := range open {
		if p.lines >= leastPost {
			done = append(done, p)
		}
	}
	return done
}

func addPost(open []post, left bool, s0, s1, t int) []post {
	slack := max(3, (s1-s0)/6)
	for i := range open {
		p := &open[i]
		if p.left == left && abs(p.s0-s0) <= slack && abs(p.s1-s1) <= slack {
			if p.t1 != t {
				p.lines++
			}
			p.s0, p.s1, p.t1 = s0, s1, t
			p.low, p.high = min(p.low, s0), max(p.high, s1)
			return open
		}
	}
	return append(open, post{left: left, s0: s0, s1: s1, t0: t, t1: t, lines: 1, low: s0, high: s1, unit: float64(s1-s0) / 17})
}

func abs(n int) int { return max(n, -n) }

// between makes a box of each pair of posts, and of a single post one as wide as the
// narrowest code: the other end may be torn off.
func (c *cells) between(ps []post, at func(s, t int) image.Point) []document.Box {
	paired := make([]bool, len(ps))
	var out []document.Box
	add := func(s0, s1, t0, t1 int, unit float64) {
		more := int(2*unit) + 2
		r := image.Rectangle{Min: at(s0-more, t0-more), Max: at(s1+more, t1+more)}
		out = append(out, document.BoxOf(r.Intersect(image.Rect(0, 0, c.w, c.h))))
	}
	for i, a := range ps {
		for j, b := range ps {
			if a.left && !b.left && a.faces(b) {
				paired[i], paired[j] = true, true
				add(a.low, b.high, min(a.t0, b.t0), max(a.t1, b.t1), a.unit)
			}
		}
	}
	for i, p := range ps {
		width := int(17 * 5 * p.unit)
		switch {
		case paired[i]:
		case p.left:
			add(p.low, p.high+width, p.t0, p.t1, p.unit)
		default:
			add(p.low-width, p.high, p.t0, p.t1, p.unit)
		}
	}
	return out
}

// faces reports whether b is the right end of the code that a begins: on most lines
// both, modules alike, and no more than the 34 columns a code may have.
func (a post) faces(b post) bool {
	both := min(a.t1, b.t1) - max(a.t0, b.t0)
	gap := float64(b.low - a.high)
	return 2*both >= min(a.t1-a.t0, b.t1-b.t0) && a.unit < 1.3*b.unit && b.unit < 1.3*a.unit &&
		gap > 17*a.unit && gap < 17*36*a.unit
}
