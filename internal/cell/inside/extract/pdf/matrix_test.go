package pdf

import (
	"math"
	"testing"

	"github.com/klippa-app/go-pdfium/structs"
)

// A page's box fills its picture, whichever way the page is turned, and what is drawn in the
// box is placed within the picture.
func FuzzToPixels(f *testing.F) {
	f.Add(float32(0), float32(0), float32(612), float32(792), 0, uint16(1275), uint16(1650), float32(0.5), float32(0.5))
	f.Add(float32(-10), float32(20), float32(100), float32(300), 1, uint16(700), uint16(275), float32(0), float32(1))
	f.Add(float32(0), float32(0), float32(1e6), float32(1), 2, uint16(65535), uint16(1), float32(1), float32(0))
	f.Add(float32(5), float32(5), float32(6), float32(6), 3, uint16(1), uint16(1), float32(0.25), float32(0.75))
	f.Add(float32(0), float32(0), float32(9), float32(9), -1, uint16(9), uint16(9), float32(1), float32(1))
	f.Fuzz(func(t *testing.T, left, bottom, right, top float32, turns int, w, h uint16, u, v float32) {
		wide, high := float64(right)-float64(left), float64(top)-float64(bottom)
		if !(wide > 0 && high > 0 && wide < 1e6 && high < 1e6) || w == 0 || h == 0 || !(u >= 0 && u <= 1 && v >= 0 && v <= 1) {
			return // measure refuses such a page
		}
		m := toPixels(structs.FPDF_FS_RECTF{Left: left, Bottom: bottom, Right: right, Top: top}, turns, int(w), int(h))
		// Coordinates far from the origin leave fewer digits for the place in the box.
		off := 1e-9 * float64(max(w, h)) * (1 + max(math.Abs(float64(left)), math.Abs(float64(bottom)))/min(wide, high))
		if l, t0, r, b := m.bounds(float64(left), float64(bottom), float64(right), float64(top)); !near(l, 0, off) || !near(t0, 0, off) || !near(r, float64(w), off) || !near(b, float64(h), off) {
			t.Fatalf("the box becomes %g %g %g %g of %d×%d", l, t0, r, b, w, h)
		}
		image := matrix{wide / 2, 0, 0, high / 3, float64(left) + float64(u)*wide/2, float64(bottom) + float64(v)*high*2/3} // of the unit square
		one, x, y := image.then(m), 0.3, 0.8
		px, py := one.apply(x, y)
		qx, qy := m.apply(image.apply(x, y))
		if !near(px, qx, off) || !near(py, qy, off) {
			t.Fatalf("(%g, %g) at once and (%g, %g) one after the other", px, py, qx, qy)
		}
		if l, t0, r, b := one.bounds(0, 0, 1, 1); l < -off || t0 < -off || r > float64(w)+off || b > float64(h)+off {
			t.Fatalf("an image in the box lies at %g %g %g %g of %d×%d", l, t0, r, b, w, h)
		}
	})
}

func near(a, b, off float64) bool { return math.Abs(a-b) <= off }
