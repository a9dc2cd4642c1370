package objects

import "math"

// transform maps a point: x' = a·x + c·y + e and y' = b·x + d·y + f.
type transform [6]float64

var unit = transform{1, 0, 0, 1, 0, 0}

// then applies n after m.
func (m transform) then(n transform) transform {
	return transform{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// scale is how many times an area becomes larger.
func (m transform) scale() float64 { return math.Abs(m[0]*m[3] - m[1]*m[2]) }

// inverse is the unit where there is none.
func (m transform) inverse() transform {
	det := m[0]*m[3] - m[1]*m[2]
	if det == 0 {
		return unit
	}
	return transform{m[3] / det, -m[1] / det, -m[2] / det, m[0] / det,
		(m[2]*m[5] - m[3]*m[4]) / det, (m[1]*m[4] - m[0]*m[5]) / det}
}

// rect is an upright rectangle; one without points has x0 > x1.
type rect struct{ x0, y0, x1, y1 float64 }

var (
	nowhere    = rect{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	everywhere = rect{-math.MaxFloat32, -math.MaxFloat32, math.MaxFloat32, math.MaxFloat32}
)

func (r rect) with(x, y float64) rect {
	return rect{min(r.x0, x), min(r.y0, y), max(r.x1, x), max(r.y1, y)}
}

func (r rect) intersect(s rect) rect {
	return rect{max(r.x0, s.x0), max(r.y0, s.y0), min(r.x1, s.x1), min(r.y1, s.y1)}
}

func (r rect) size() (w, h float64) { return max(0, r.x1-r.x0), max(0, r.y1-r.y0) }

func (r rect) area() float64 { w, h := r.size(); return w * h }

// through is the upright rectangle around what r becomes.
func (r rect) through(m transform) rect {
	if r.x0 > r.x1 || r.y0 > r.y1 {
		return nowhere
	}
	out := nowhere
	for _, p := range [4][2]float64{{r.x0, r.y0}, {r.x1, r.y0}, {r.x0, r.y1}, {r.x1, r.y1}} {
		out = out.with(m[0]*p[0]+m[2]*p[1]+m[4], m[1]*p[0]+m[3]*p[1]+m[5])
	}
	return out
}

// rect reads four numbers; false for anything else.
func (f *File) rect(v any, from int) (rect, bool) {
	n := f.numbers(v, from, 4)
	if n == nil {
		return rect{}, false
	}
	return nowhere.with(n[0], n[1]).with(n[2], n[3]), true
}

// matrix reads six numbers; the unit for anything else.
func (f *File) matrix(v any, from int) transform {
	n := f.numbers(v, from, 6)
	if n == nil {
		return unit
	}
	return transform(n)
}

func (f *File) numbers(v any, from, count int) []float64 {
	a, _ := f.resolve(v, from).(Array)
	if len(a) != count {
		return nil
	}
	out := make([]float64, count)
	for i, e := range a {
		n, _ := f.resolve(e, from).(Number)
		out[i] = decimal([]byte(n))
	}
	return out
}
