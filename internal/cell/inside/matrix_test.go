package inside

import (
	"math"
	"testing"

	"blotter/internal/document"
)

// What is found on a page is burned on its images and back, so that no part of a box may be
// lost on the way: the box that it becomes holds every mapped point of it that lies in the
// picture, and mapping it back gives a box around what was there first.
func FuzzMatrix(f *testing.F) {
	f.Add(2.0, 0.0, 0.0, 2.0, 10.0, 20.0, uint16(3), uint16(4), uint16(50), uint16(60))
	f.Add(0.0, 1.5, -1.5, 0.0, 300.0, 0.0, uint16(0), uint16(0), uint16(1), uint16(1))
	f.Add(-1.0, 0.0, 0.0, -1.0, 900.0, 900.0, uint16(9), uint16(9), uint16(9), uint16(9))
	f.Add(0.7, 0.7, -0.7, 0.7, 0.0, 0.0, uint16(100), uint16(100), uint16(2), uint16(200))
	f.Add(1e-9, 0.0, 0.0, 1e9, 0.0, 0.0, uint16(1), uint16(1), uint16(1), uint16(1))
	f.Add(1.0, 1.0, 1.0, 1.0, 0.0, 0.0, uint16(1), uint16(1), uint16(1), uint16(1))
	f.Add(math.Inf(1), math.NaN(), -math.MaxFloat64, math.MaxFloat64, 0.0, 0.0, uint16(1), uint16(1), uint16(1), uint16(1))
	f.Fuzz(func(t *testing.T, a, b, c, d, e, g float64, x, y, w, h uint16) {
		m := matrix{a, b, c, d, e, g}
		from := document.Box{X: int(x), Y: int(y), W: int(w), H: int(h)}
		const side = 1000
		to := m.box(from, side, side)
		if to.X < 0 || to.Y < 0 || to.W < 0 || to.H < 0 || to.X+to.W > side || to.Y+to.H > side {
			t.Fatalf("%v maps %v to %v, outside the picture", m, from, to)
		}
		for _, v := range m {
			if !(math.Abs(v) < 1e6) { // no page is larger; beyond, sums are no sums any more
				return
			}
		}
		for _, share := range [][2]float64{{0, 0}, {0.5, 0.5}, {1, 1}, {0.25, 1}, {1, 0.3}} {
			px, py := float64(x)+share[0]*float64(w), float64(y)+share[1]*float64(h)
			qx, qy := m[0]*px+m[2]*py+m[4], m[1]*px+m[3]*py+m[5]
			const eps = 1e-4 // of sums below 1e12
			inside := qx > eps && qy > eps && qx < side-eps && qy < side-eps
			if inside && !to.Empty() && (qx < float64(to.X)-eps || qy < float64(to.Y)-eps || qx > float64(to.X+to.W)+eps || qy > float64(to.Y+to.H)+eps) {
				t.Fatalf("%v maps (%g, %g) to (%g, %g), outside %v", m, px, py, qx, qy, to)
			}
			if inside && to.Empty() && w > 0 && h > 0 && share[0] == 0.5 && math.Abs(m[0]*m[3]-m[1]*m[2]) > 1 {
				t.Fatalf("%v loses %v", m, from)
			}
		}
		back, ok := m.inverse()
		if _, straight := m.turn(int(w), int(h)); straight && !ok && w > 0 && h > 0 {
			t.Fatalf("%v turns by quarters and has no way back", m)
		}
		whole := to.X > 0 && to.Y > 0 && to.X+to.W < side && to.Y+to.H < side
		if !ok || !whole || from.Empty() || math.Abs(a*d-b*c) < 1e-3 {
			return
		}
		if again := back.box(to, 1<<17, 1<<17).Grow(1, 1<<17, 1<<17); !from.Rect().In(again.Rect()) {
			t.Fatalf("%v maps %v to %v and back to %v", m, from, to, again)
		}
	})
}
