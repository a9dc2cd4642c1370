package read

import (
	"math"
	"slices"
)

// regions groups the map's text pixels into connected cores and grows each to the
// line it stands for: the detector was trained on lines shrunk towards their middle
// (DBNet), by a distance of area × ratio / circumference.
func (m heat) regions() []region {
	var cores []core
	seen := make([]bool, len(m.p))
	var stack []int
	for start, p := range m.p {
		if seen[start] || float64(p) <= coreThreshold {
			continue
		}
		var c core
		c, stack = m.core(start, seen, stack[:0])
		if c.pixels >= minCorePixels && c.score() >= minScore {
			c.edge = hull(c.edge)
			c.tight = tightest(c.edge)
			cores = append(cores, c)
		}
	}
	direction := direction(cores)
	var out []region
	for _, c := range cores {
		if r, ok := c.region(direction); ok {
			out = append(out, r)
		}
	}
	return joined(outermost(out))
}

// direction is the unit vector along the page's lines: the median over long cores,
// each counted by its length; along the rows where too few tell.
func direction(cores []core) point {
	var long []quad
	for _, c := range cores {
		if c.tight.length() > elongated*c.tight.height() {
			long = append(long, c.tight)
		}
	}
	slope := 0.0
	if len(long) >= fewLines {
		slope = medianSlope(long)
	}
	l := math.Hypot(1, slope)
	return point{1 / l, slope / l}
}

// medianSlope is the median of dy/dx along rectangles, each counted by its length.
func medianSlope(lines []quad) float64 {
	slices.SortFunc(lines, func(a, b quad) int { return compare(a.along.y/a.along.x, b.along.y/b.along.x) })
	total, sum := 0.0, 0.0
	for _, q := range lines {
		total += q.length()
	}
	for _, q := range lines {
		if sum += q.length(); 2*sum >= total {
			return q.along.y / q.along.x
		}
	}
	return 0
}

// core is one connected group of text pixels: its edge, later the edge's convex hull
// and the tightest rectangle around it, and the sum of probabilities.
type core struct {
	edge   []point
	tight  quad
	pixels int
	sum    float64
}

func (c core) score() float64 { return c.sum / float64(c.pixels) }

// core collects the pixels connected with start (by sides and corners) and marks them.
func (m heat) core(start int, seen []bool, stack []int) (core, []int) {
	var c core
	seen[start] = true
	stack = append(stack, start)
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		x, y := i%m.w, i/m.w
		c.pixels++
		c.sum += float64(m.p[i]) / 255
		inside := 0
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				nx, ny := x+dx, y+dy
				if nx < 0 || ny < 0 || nx >= m.w || ny >= m.h {
					continue
				}
				j := ny*m.w + nx
				if float64(m.p[j]) <= coreThreshold {
					continue
				}
				inside++
				if !seen[j] {
					seen[j] = true
					stack = append(stack, j)
				}
			}
		}
		if inside < 9 {
			fx, fy := float64(x), float64(y)
			c.edge = append(c.edge, point{fx, fy}, point{fx + 1, fy}, point{fx, fy + 1}, point{fx + 1, fy + 1})
		}
	}
	return c, stack
}

// region grows the core to its line. The direction of a core that is not very long is
// an accident of its letters: the page's counts, unless the core clearly has another.
func (c core) region(direction point) (region, bool) {
	q := around(c.edge, direction)
	t := c.tight
	if t.length() > veryLong*t.height() || t.length()*t.height() < otherWay*q.length()*q.height() {
		q = t
	}
	l, w := q.length(), q.height()
	if min(l, w) < 1 {
		return region{}, false
	}
	d := l * w * growRatio / (2 * (l + w))
	return region{q.grown(d), c.score()}, true
}

// joined makes one region of two that overlap along the same line: large letters
// break into pieces of their word, and each piece alone is misread.
func joined(regions []region) []region {
	slices.SortStableFunc(regions, func(a, b region) int { return compare(a.origin.x, b.origin.x) })
	var out []region
	for _, g := range regions {
		i := slices.IndexFunc(out, func(o region) bool { return o.continues(g.quad) })
		if i < 0 {
			out = append(out, g)
			continue
		}
		o := &out[i]
		l := o.length()
		corners := []point{o.at(0, 0), o.at(1, 0), o.at(0, 1), o.at(1, 1), g.at(0, 0), g.at(1, 0), g.at(0, 1), g.at(1, 1)}
		o.quad, o.score = around(corners, o.along.scale(1/l)), max(o.score, g.score)
	}
	return out
}

// continues reports whether another rectangle of about the same height lies on the
// same line and begins before this one ends.
func (q quad) continues(o quad) bool {
	h, oh := q.height(), o.height()
	if !q.upright() || q.length() < h || max(h, oh) > 1.4*min(h, oh) {
		return false
	}
	u0, v0 := q.place(o.at(0, 0))
	u1, v1 := q.place(o.at(1, 1))
	return min(1, v1)-max(0, v0) > 0.75 && (min(1, u1)-max(0, u0))*q.length() > overlapping*h
}

// outermost drops regions that lie in another almost whole: large letters break into
// pieces of their line.
func outermost(regions []region) []region {
	slices.SortStableFunc(regions, func(a, b region) int {
		return compare(b.length()*b.height(), a.length()*a.height())
	})
	var out []region
	for _, g := range regions {
		if !slices.ContainsFunc(out, func(o region) bool { return g.inside(o.quad) >= nested }) {
			out = append(out, g)
		}
	}
	return out
}

// inside is the share of the rectangle, judged on a grid of points, that lies in
// another.
func (q quad) inside(o quad) float64 {
	const n = 8
	hit := 0
	for j := range n {
		for i := range n {
			u, v := o.place(q.at((float64(i)+0.5)/n, (float64(j)+0.5)/n))
			if u >= 0 && u <= 1 && v >= 0 && v <= 1 {
				hit++
			}
		}
	}
	return float64(hit) / (n * n)
}

// grown moves every side outwards by d.
func (q quad) grown(d float64) quad {
	l, h := q.length(), q.height()
	if l == 0 || h == 0 {
		return q
	}
	return q.part(-d/l, -d/h, 1+d/l, 1+d/h)
}
