package read

import "math"

// regions groups the map's text pixels into connected cores and grows each to the
// line it stands for: the detector was trained on lines shrunk towards their middle
// (DBNet), by a distance of area × ratio / circumference.
func (m heat) regions() []region {
	var out []region
	seen := make([]bool, len(m.p))
	var stack []int
	for start, p := range m.p {
		if seen[start] || float64(p) <= coreThreshold {
			continue
		}
		var core core
		core, stack = m.core(start, seen, stack[:0])
		if r, ok := core.region(); ok {
			out = append(out, r)
		}
	}
	return out
}

// core is one connected group of text pixels: the ends of its rows, and the sum of
// probabilities.
type core struct {
	edge   []point
	pixels int
	sum    float64
}

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

func (c core) region() (region, bool) {
	score := c.sum / float64(c.pixels)
	if c.pixels < minCorePixels || score < minScore {
		return region{}, false
	}
	h := hull(c.edge)
	q := tightest(h)
	// The direction of a short core is an accident of its outline.
	if l, w := max(q.length(), q.height()), min(q.length(), q.height()); l < elongated*w {
		q = around(h, point{1, 0})
	}
	l, w := q.length(), q.height()
	if min(l, w) < 1 {
		return region{}, false
	}
	d := l * w * growRatio / (2 * (l + w))
	return region{q.grown(d), score}, true
}

// grown moves every side outwards by d.
func (q quad) grown(d float64) quad {
	l, h := q.length(), q.height()
	if l == 0 || h == 0 {
		return q
	}
	return q.part(-d/l, -d/h, 1+d/l, 1+d/h)
}

// angle is the slope of the line against the page's rows, radians.
func (q quad) angle() float64 { return math.Atan2(q.along.y, q.along.x) }
