package read

import (
	"image"
	"image/color"
	"math/rand/v2"
	"testing"
)

// grain adds noise of a deviation, in gray levels, to every pixel.
func grain(m *image.Gray, deviation float64) {
	chance := rand.New(rand.NewPCG(3, 4))
	for i, v := range m.Pix {
		m.Pix[i] = uint8(min(255, max(0, float64(v)+deviation*chance.NormFloat64())))
	}
}

// Grain alone is no text, whatever the detector sees in it.
func TestGrainIsNoText(t *testing.T) {
	s := newSheet(576, 800, 120, 255)
	grain(s.Gray, 45)
	p := mustRead(t, s.Gray, nil)
	if n := len(p.Unread) + len(p.Words); n > 5 {
		t.Errorf("%d boxes over grain", n)
	}
}

// Print on grain is read or covered, from clear to faint.
func TestPrintOnGrainIsSeen(t *testing.T) {
	for _, c := range []struct {
		size, deviation float64
		ink             uint8
	}{{17, 45, 255}, {17, 30, 220}, {12, 30, 255}, {40, 45, 200}, {60, 50, 180}} {
		s := newSheet(800, 600, 120, c.ink)
		for y := 100; y < 600; y += 100 {
			s.print(t, "Patient: Oyelaran 7741920", c.size, 40, y)
		}
		grain(s.Gray, c.deviation)
		p := mustRead(t, s.Gray, nil)
		covered, n := 0.0, 0.0
		for _, w := range s.words {
			covered, n = covered+coverOf(w.box, seenBoxes(p)), n+1
		}
		v, lost := viewOf(t, s.Gray), 0
		for _, w := range s.words {
			if v.picture.noise(w.box, float64(w.box.H)) {
				lost++
			}
		}
		if lost > 0 || covered/n < 0.9 {
			t.Errorf("%+v: %.2f covered, %d words taken for grain", c, covered/n, lost)
		}
	}
}

// Single strokes, dots and screens of dots are not taken for grain, nor is an empty box.
func TestStrokesAreNoGrain(t *testing.T) {
	s := newSheet(200, 100, 255, 0)
	s.print(t, "l. i", 9, 40, 40)
	for y := 60; y < 90; y += 3 {
		for x := 40; x < 160; x++ {
			s.SetGray(x, y, color.Gray{0})
		}
	}
	v := viewOf(t, s.Gray)
	for _, w := range s.words {
		if v.picture.noise(w.box, float64(w.box.H)) {
			t.Errorf("%q is taken for grain", w.text)
		}
	}
}
