package metafile

import "math"

// point is a place in the picture.
type point struct{ x, y float64 }

func (p point) plus(q point) point { return point{p.x + q.x, p.y + q.y} }

func (p point) minus(q point) point { return point{p.x - q.x, p.y - q.y} }

func (p point) times(f float64) point { return point{p.x * f, p.y * f} }

func (p point) length() float64 { return math.Hypot(p.x, p.y) }

// near reports whether a place is one where something honest may lie.
func (p point) near() bool { return math.Abs(p.x) < farAway && math.Abs(p.y) < farAway }

// area is a rectangle; empty where it has no inside.
type area struct{ min, max point }

func nothing() area {
	return area{point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}}
}

func everything() area {
	return area{point{math.Inf(-1), math.Inf(-1)}, point{math.Inf(1), math.Inf(1)}}
}

func (a area) with(p point) area {
	return area{point{math.Min(a.min.x, p.x), math.Min(a.min.y, p.y)}, point{math.Max(a.max.x, p.x), math.Max(a.max.y, p.y)}}
}

func (a area) meet(b area) area {
	return area{point{math.Max(a.min.x, b.min.x), math.Max(a.min.y, b.min.y)}, point{math.Min(a.max.x, b.max.x), math.Min(a.max.y, b.max.y)}}
}

func (a area) join(b area) area { return a.with(b.min).with(b.max) }

func (a area) empty() bool { return !(a.min.x < a.max.x && a.min.y < a.max.y) }

// share is how much of an area another covers that lies within it, 0–1.
func (a area) share(part area) float64 {
	w, h := a.size()
	if v, u := part.size(); !part.empty() {
		return v * u / (w * h)
	}
	return 0
}

func (a area) size() (w, h float64) { return a.max.x - a.min.x, a.max.y - a.min.y }

// wider is the area with a margin.
func (a area) wider(by float64) area {
	return area{point{a.min.x - by, a.min.y - by}, point{a.max.x + by, a.max.y + by}}
}

func around(pts []point) area {
	box := nothing()
	for _, at := range pts {
		box = box.with(at)
	}
	return box
}

// figure is a line through points, or an outline where it is closed.
type figure struct {
	pts    []point
	closed bool
}

func bounds(figs []figure) area {
	box := nothing()
	for _, f := range figs {
		box = box.join(around(f.pts))
	}
	return box
}

// box is the figure's corners where it is an upright rectangle.
func (f figure) box() (area, bool) {
	if len(f.pts) < 4 || len(f.pts) > 5 || len(f.pts) == 5 && f.pts[4] != f.pts[0] {
		return area{}, false
	}
	a, b, c, d := f.pts[0], f.pts[1], f.pts[2], f.pts[3]
	if a.y == b.y && b.x == c.x && c.y == d.y && d.x == a.x || a.x == b.x && b.y == c.y && c.x == d.x && d.y == a.y {
		return nothing().with(a).with(c), true
	}
	return area{}, false
}

// matrix maps x, y to x·a + y·c + e, x·b + y·d + f for [a b c d e f].
type matrix [6]float64

var unmoved = matrix{1, 0, 0, 1, 0, 0}

func (m matrix) apply(p point) point {
	return point{m[0]*p.x + m[2]*p.y + m[4], m[1]*p.x + m[3]*p.y + m[5]}
}

// vector maps a direction.
func (m matrix) vector(p point) point { return point{m[0]*p.x + m[2]*p.y, m[1]*p.x + m[3]*p.y} }

// then is m followed by b.
func (m matrix) then(b matrix) matrix {
	return matrix{m[0]*b[0] + m[1]*b[2], m[0]*b[1] + m[1]*b[3], m[2]*b[0] + m[3]*b[2], m[2]*b[1] + m[3]*b[3],
		m[4]*b[0] + m[5]*b[2] + b[4], m[4]*b[1] + m[5]*b[3] + b[5]}
}

func (m matrix) det() float64 { return m[0]*m[3] - m[1]*m[2] }

// back undoes m; false where nothing can.
func (m matrix) back() (matrix, bool) {
	d := m.det()
	if d == 0 || math.IsNaN(d) || math.IsInf(d, 0) {
		return unmoved, false
	}
	return matrix{m[3] / d, -m[1] / d, -m[2] / d, m[0] / d, (m[2]*m[5] - m[3]*m[4]) / d, (m[1]*m[4] - m[0]*m[5]) / d}, true
}

// upright reports that rectangles stay rectangles with level sides.
func (m matrix) upright() bool { return m[1] == 0 && m[2] == 0 }

func corners(a, b point) []point { return []point{a, {b.x, a.y}, b, {a.x, b.y}} }

// bezier adds a curve from a to d, without a. A curve of some hundred device units gets 32
// pieces: a picture is seldom drawn at more than a few pixels for a unit.
func bezier(out []point, a, b, c, d point) []point {
	long := b.minus(a).length() + c.minus(b).length() + d.minus(c).length()
	n := 32
	if long < 256 {
		n = max(6, int(2*math.Sqrt(long)))
	}
	for i := 1; i <= n; i++ {
		t := float64(i) / float64(n)
		s := 1 - t
		p := a.times(s * s * s).plus(b.times(3 * s * s * t)).plus(c.times(3 * s * t * t)).plus(d.times(t * t * t))
		out = append(out, p)
	}
	return out
}

// arcPoints are points on the ellipse within a rectangle, from one angle over a sweep, in
// radians; y grows with the sine.
func arcPoints(a, b point, from, sweep float64) []point {
	rx, ry := (b.x-a.x)/2, (b.y-a.y)/2
	n := int(math.Ceil(arcSides * math.Abs(sweep) / (2 * math.Pi)))
	n = max(4, min(n, arcSides))
	out := make([]point, n+1)
	for i := range out {
		s, c := math.Sincos(from + sweep*float64(i)/float64(n))
		out[i] = point{a.x + rx + rx*c, a.y + ry + ry*s}
	}
	return out
}

// arcSides is how many sides stand for a full turn.
const arcSides = 96

// ellipse is a ring of points within a rectangle.
func ellipse(a, b point) []point { return arcPoints(a, b, 0, 2*math.Pi)[:arcSides] }

// roundRect is a rectangle whose corners are quarters of an ellipse of a width and height.
func roundRect(a, b, corner point) []point {
	lo, hi := nothing().with(a).with(b).min, nothing().with(a).with(b).max
	w, h := math.Min(math.Abs(corner.x), hi.x-lo.x), math.Min(math.Abs(corner.y), hi.y-lo.y)
	var out []point
	for i, at := range []point{{hi.x - w, hi.y - h}, {lo.x, hi.y - h}, lo, {hi.x - w, lo.y}} {
		out = append(out, arcPoints(at, at.plus(point{w, h}), float64(i)*math.Pi/2, math.Pi/2)...)
	}
	return out
}

// between is the arc of an ellipse from the ray to one point to the ray to another, counted
// against the clock on paper, where y grows downwards, unless clockwise.
func between(a, b, start, end point, clockwise bool) []point {
	mid := a.plus(b).times(0.5)
	rx, ry := math.Abs(b.x-a.x)/2, math.Abs(b.y-a.y)/2
	if rx == 0 || ry == 0 {
		return []point{a, b}
	}
	angle := func(p point) float64 { return math.Atan2((p.y-mid.y)/ry, (p.x-mid.x)/rx) }
	from, to := angle(start), angle(end)
	sweep := to - from
	if clockwise {
		for sweep <= 0 {
			sweep += 2 * math.Pi
		}
	} else {
		for sweep >= 0 {
			sweep -= 2 * math.Pi
		}
	}
	box := nothing().with(a).with(b)
	return arcPoints(box.min, box.max, from, sweep)
}
