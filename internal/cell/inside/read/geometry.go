package read

import (
	"image"
	"math"
	"slices"

	"blotter/internal/document"
)

// point is a place on a page in continuous coordinates: pixel (0, 0) spans from
// (0, 0) to (1, 1).
type point struct{ x, y float64 }

func (p point) add(q point) point     { return point{p.x + q.x, p.y + q.y} }
func (p point) sub(q point) point     { return point{p.x - q.x, p.y - q.y} }
func (p point) scale(f float64) point { return point{p.x * f, p.y * f} }
func (p point) dot(q point) float64   { return p.x*q.x + p.y*q.y }

// quad is a rotated rectangle around text: the corner where the text starts at the
// top, and the two sides that leave it, along the line and down across it.
type quad struct{ origin, along, down point }

func (q quad) length() float64 { return math.Hypot(q.along.x, q.along.y) }
func (q quad) height() float64 { return math.Hypot(q.down.x, q.down.y) }

// at is the point at fraction u of the line's length and v of its height.
func (q quad) at(u, v float64) point {
	return q.origin.add(q.along.scale(u)).add(q.down.scale(v))
}

// part is the rectangle between two fractions of the length and of the height.
func (q quad) part(u0, v0, u1, v1 float64) quad {
	return quad{q.at(u0, v0), q.along.scale(u1 - u0), q.down.scale(v1 - v0)}
}

// reversed is the same rectangle read from its other end: upside down.
func (q quad) reversed() quad {
	return quad{q.at(1, 1), q.along.scale(-1), q.down.scale(-1)}
}

// upwards is the same rectangle read along its down side, from the bottom to the top.
func (q quad) upwards() quad { return quad{q.at(0, 1), q.down.scale(-1), q.along} }

// upright reports whether the text runs along the rows of the page.
func (q quad) upright() bool { return math.Abs(q.along.x) >= math.Abs(q.along.y) }

// bounds is the smallest box around the rectangle, clipped to w×h.
func (q quad) bounds(w, h int) document.Box {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, p := range []point{q.at(0, 0), q.at(1, 0), q.at(0, 1), q.at(1, 1)} {
		x0, y0, x1, y1 = min(x0, p.x), min(y0, p.y), max(x1, p.x), max(y1, p.y)
	}
	r := image.Rect(int(math.Floor(x0)), int(math.Floor(y0)), int(math.Ceil(x1)), int(math.Ceil(y1)))
	return document.BoxOf(r.Intersect(image.Rect(0, 0, w, h)))
}

// hull is the convex hull of points, counter-clockwise in a frame whose y points up.
func hull(points []point) []point {
	slices.SortFunc(points, func(a, b point) int {
		if a.x != b.x {
			return compare(a.x, b.x)
		}
		return compare(a.y, b.y)
	})
	if len(points) < 3 {
		return points
	}
	half := func(points []point) (out []point) {
		for _, p := range points {
			for len(out) > 1 && cross(out[len(out)-2], out[len(out)-1], p) <= 0 {
				out = out[:len(out)-1]
			}
			out = append(out, p)
		}
		return out[:len(out)-1]
	}
	lower := half(points)
	slices.Reverse(points)
	return append(lower, half(points)...)
}

func cross(o, a, b point) float64 { return (a.x-o.x)*(b.y-o.y) - (a.y-o.y)*(b.x-o.x) }

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// around is the rectangle around points whose side along points in direction u, a
// unit vector.
func around(points []point, u point) quad {
	v := point{-u.y, u.x}
	a0, a1, b0, b1 := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, p := range points {
		a, b := p.dot(u), p.dot(v)
		a0, a1, b0, b1 = min(a0, a), max(a1, a), min(b0, b), max(b1, b)
	}
	return quad{u.scale(a0).add(v.scale(b0)), u.scale(a1 - a0), v.scale(b1 - b0)}
}

// tightest is the rectangle of least area around a convex hull, with the side along
// closer to the rows of the page than to its columns, pointing right.
func tightest(hull []point) quad {
	best, area := around(hull, point{1, 0}), math.Inf(1)
	for i, p := range hull {
		e := hull[(i+1)%len(hull)].sub(p)
		l := math.Hypot(e.x, e.y)
		if l == 0 {
			continue
		}
		u := e.scale(1 / l)
		if math.Abs(u.x) < math.Abs(u.y) {
			u = point{-u.y, u.x}
		}
		if u.x < 0 {
			u = u.scale(-1)
		}
		if q := around(hull, u); q.length()*q.height() < area {
			best, area = q, q.length()*q.height()
		}
	}
	return best
}
