package redact

import (
	"fmt"
	"image"
	"image/color"
	"testing"

	"blotter/internal/document"
)

func anywhere([]document.Box) bool { return true }

// canvas is a picture that is one box.
func canvas(w, h int, fill document.Colour) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	Burn(img, []document.Box{{W: w, H: h}}, fill)
	return img
}

func TestLabelStaysInItsBoxAndStandsOut(t *testing.T) {
	for _, fill := range []document.Colour{{}, {R: 255, G: 255, B: 255}, {R: 200}, {R: 250, G: 240, B: 30}} {
		img := canvas(200, 60, fill)
		b := document.Box{X: 20, Y: 10, W: 160, H: 40}
		at := Label(img, b, document.HealthPlan, fill, anywhere)
		if at.Empty() || at.Intersect(b) != at || at.Y < b.Y+b.H/2 {
			t.Fatalf("%v: written at %+v", fill, at)
		}
		ink := 0
		for y := range 60 {
			for x := range 200 {
				if img.NRGBAAt(x, y) != opaque(fill) {
					ink++
					if !image.Pt(x, y).In(at.Rect()) || img.NRGBAAt(x, y) != opaque(contrary(fill)) {
						t.Fatalf("%v: pixel %d,%d is %v", fill, x, y, img.NRGBAAt(x, y))
					}
				}
			}
		}
		if 4*ink < at.Area() {
			t.Errorf("%v: only %d of %d pixels are ink", fill, ink, at.Area())
		}
	}
}

func TestLabelTakesWhatFits(t *testing.T) {
	black := document.Colour{}
	for _, c := range []struct{ w, h, dot int }{{160, 60, 4}, {160, 30, 2}, {160, 15, 1}, {160, 14, 0}, {17, 30, 1}, {16, 30, 0}} {
		at := Label(canvas(c.w, c.h, black), document.Box{W: c.w, H: c.h}, document.Date, black, anywhere)
		if at.H != 5*c.dot {
			t.Errorf("%d×%d: letters %d high, want %d", c.w, c.h, at.H, 5*c.dot)
		}
	}
	tried := 0
	at := Label(canvas(160, 60, black), document.Box{W: 160, H: 60}, document.Date, black, func(ink []document.Box) bool {
		tried++
		return ink[0].W == 2
	})
	if at.H != 10 || tried != 3 {
		t.Errorf("refused at first: %+v after %d", at, tried)
	}
}

// Every type's name is written with letters that differ.
func TestLettersDiffer(t *testing.T) {
	seen := map[string]rune{}
	for i, rows := range alphabet {
		c := rune('A' + i)
		if other, ok := seen[fmt.Sprint(rows)]; ok {
			t.Errorf("%c looks like %c", c, other)
		}
		seen[fmt.Sprint(rows)] = c
	}
}

func TestCanvasKeepsThePixels(t *testing.T) {
	gray := image.NewGray(image.Rect(0, 0, 9, 7))
	noise(gray)
	red := document.Colour{R: 200, G: 10, B: 20}
	if Canvas(gray, document.Colour{R: 7, G: 7, B: 7}) != gray {
		t.Error("a gray box needs no other canvas")
	}
	got := Canvas(gray, red)
	for y := range 7 {
		for x := range 9 {
			if color.GrayModel.Convert(got.At(x, y)) != color.Color(gray.GrayAt(x, y)) {
				t.Fatalf("pixel %d,%d is %v", x, y, got.At(x, y))
			}
		}
	}
	Burn(got, []document.Box{{X: 2, Y: 2, W: 3, H: 3}}, red)
	if got.At(3, 3) != color.Color(opaque(red)) || !Burned(got, document.Box{X: 2, Y: 2, W: 3, H: 3}, red) {
		t.Error("the box is not red")
	}
	if Burned(got, document.Box{X: 1, Y: 2, W: 3, H: 3}, red) {
		t.Error("what lies beside the box is called burned")
	}
}
