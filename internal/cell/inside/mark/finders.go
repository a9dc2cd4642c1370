package mark

import (
	"cmp"
	"math"
	"slices"

	"blotter/internal/document"
)

// QR codes are found by the squares in three of their corners: on every line through
// one, dark and light alternate as 1:1:3:1:1.

const (
	straightSlack = 0.5 // of a module, on rows and columns
	leastSquare   = 10  // pixels of the seven modules
	slantSlack    = 0.9 // on a diagonal, which cuts corners where the code is turned
)

// pattern is a corner square that was seen on several lines.
type pattern struct {
	point
	module float64 // pixels of one module
	seen   int
}

// squares finds the corner patterns, in dark on light and in light on dark.
func (c *cells) squares() []pattern {
	var out []pattern
	for y := 0; y < c.rows*cell; y += 2 {
		c.rowRuns(y, func(end int, last *runs) {
			five := [5]int(last[len(last)-5:])
			if !isSquare(&five, straightSlack) {
				return
			}
			if p, ok := c.confirm(end, y, &five); ok {
				out = addPattern(out, p)
			}
		})
	}
	out = slices.DeleteFunc(out, func(p pattern) bool { return p.seen < 2 })
	slices.SortStableFunc(out, func(a, b pattern) int { return cmp.Compare(b.seen, a.seen) })
	return out[:min(len(out), maxPatterns)]
}

// isSquare reports whether five runs are as 1:1:3:1:1, to within some part of a module,
// and half a pixel for blur.
func isSquare(r *[5]int, part float64) bool {
	if r[0] == 0 {
		return false
	}
	total := r[0] + r[1] + r[2] + r[3] + r[4]
	if total < leastSquare {
		return false
	}
	m := float64(total) / 7
	slack := part*m + 0.4
	for i, n := range r {
		want := m
		if i == 2 {
			want = 3 * m
		}
		if d := math.Abs(float64(n) - want); d > slack && !(i == 2 && d <= 1.5*slack) {
			return false
		}
	}
	return true
}

// confirm looks at the column and the diagonal through the middle of a row's match.
func (c *cells) confirm(end, y int, r *[5]int) (pattern, bool) {
	total := r[0] + r[1] + r[2] + r[3] + r[4]
	x := end - r[4] - r[3] - r[2]/2 - 1
	mid, high, ok := c.cross(x, y, 0, 1, total, straightSlack)
	if !ok {
		return pattern{}, false
	}
	if _, _, ok := c.cross(x, mid, 1, 1, total, slantSlack); !ok {
		return pattern{}, false
	}
	return pattern{point{float64(end) - float64(r[4]+r[3]) - float64(r[2])/2, float64(mid)}, float64(total+high) / 14, 1}, true
}

// cross measures the five runs through a point in a direction. It returns the middle's
// place on that line (as a row) and the total, if they are as 1:1:3:1:1 and about as
// long as on the row where they were first seen; on the diagonal of a code that stands on
// its corner they are half as long.
func (c *cells) cross(x, y, dx, dy, want int, slack float64) (mid, total int, ok bool) {
	var r [5]int
	ink := c.dark(x, y)
	up := c.half(x, y, -dx, -dy, ink, 2*want)
	down := c.half(x+dx, y+dy, dx, dy, ink, 2*want)
	r = [5]int{up[2], up[1], up[0] + down[0], down[1], down[2]}
	total = r[0] + r[1] + r[2] + r[3] + r[4]
	if up[2] == 0 || down[2] == 0 || 2*total > 3*want || 5*total < 2*want || !isSquare(&r, slack) {
		return 0, 0, false
	}
	return y + dy*(down[0]-up[0])/2, total, true
}

// half counts three runs from a point outwards, not further than limit.
func (c *cells) half(x, y, dx, dy int, ink bool, limit int) (r [3]int) {
	for k := 0; limit > 0 && x >= 0 && y >= 0 && x < c.cols*cell && y < c.rows*cell; limit-- {
		if c.dark(x, y) != ink {
			ink = !ink
			if k++; k == 3 {
				break
			}
		}
		r[k]++
		x, y = x+dx, y+dy
	}
	return r
}

// addPattern joins p with one that was seen at the same place.
func addPattern(ps []pattern, p pattern) []pattern {
	for i := len(ps) - 1; i >= 0; i-- {
		q := &ps[i]
		if p.distance(q.point) <= 2*q.module && p.module < 1.6*q.module && q.module < 1.6*p.module {
			n := float64(q.seen)
			q.point = q.times(n / (n + 1)).plus(p.times(1 / (n + 1)))
			q.module = (q.module*n + p.module) / (n + 1)
			q.seen++
			return ps
		}
	}
	if len(ps) >= 8*maxPatterns {
		return ps
	}
	return append(ps, p)
}

// square is a code's place: its corners in order around it.
type square struct {
	corners [4]point
	module  float64
	error   float64 // how far the three patterns are from a right angle with equal sides
}

// quickResponse combines corner patterns to QR codes, the best first; each pattern
// serves one code.
func quickResponse(ps []pattern) []square {
	type triple struct {
		square
		i, j, k int
	}
	var found []triple
	for i := range ps {
		for j := range i {
			if !alike(ps[i], ps[j]) {
				continue
			}
			for k := range j {
				if s, ok := squareOf(ps[i], ps[j], ps[k]); ok && alike(ps[i], ps[k]) && len(found) < 1<<14 {
					found = append(found, triple{s, i, j, k})
				}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b triple) int { return cmp.Compare(a.error, b.error) })
	used := make([]bool, len(ps))
	var out []square
	for _, t := range found {
		if !used[t.i] && !used[t.j] && !used[t.k] {
			used[t.i], used[t.j], used[t.k] = true, true, true
			out = append(out, t.square)
		}
	}
	return out
}

func alike(a, b pattern) bool { return a.module < 1.4*b.module && b.module < 1.4*a.module }

// squareOf reports whether three patterns are the corners of one code. Their centres
// lie 14 modules apart in the smallest and 170 in the largest.
func squareOf(a, b, c pattern) (square, bool) {
	ab, bc, ca := a.distance(b.point), b.distance(c.point), c.distance(a.point)
	switch max(ab, bc, ca) { // a shall be the one between the legs
	case ab:
		a, c = c, a
	case ca:
		a, b = b, a
	}
	p, q := b.minus(a.point), c.minus(a.point)
	module := (a.module + b.module + c.module) / 3
	x, y := math.Hypot(p.x, p.y), math.Hypot(q.x, q.y)
	if short, long := min(x, y)/module, max(x, y)/module; short < 10 || long > 190 || long > 1.35*short {
		return square{}, false
	}
	cosine := math.Abs(p.dot(q)) / (x * y)
	if cosine > 0.3 {
		return square{}, false
	}
	// The corners are 3.5 modules beyond the centres, and a half for a skewed picture.
	u, v := p.times(4.5*module/x), q.times(4.5*module/y)
	s := square{module: module, error: cosine + math.Abs(x-y)/max(x, y)}
	s.corners = [4]point{
		a.minus(u).minus(v), b.plus(u).minus(v), b.plus(q).plus(u).plus(v), c.minus(u).plus(v),
	}
	return s, true
}

// box is the smallest upright box around the code.
func (s square) box(r raster) document.Box { return r.around(s.corners[:]...) }
