package paper

import (
	"bytes"
	"image"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/ccitt"

	"blotter/internal/truth"
)

func TestG4IsWhatADecoderReads(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 60 {
		b := Bitmap{Width: 1 + rng.IntN(3000), Height: 1 + rng.IntN(12)}
		b.Pix = make([]byte, b.Width*b.Height)
		long := 1 + rng.IntN(200)
		colour := byte(0)
		for i := range b.Pix {
			if rng.IntN(long) == 0 {
				colour = 1 - colour
			}
			b.Pix[i] = colour
			if i >= b.Width && rng.IntN(3) > 0 {
				b.Pix[i] = b.Pix[i-b.Width] // lines that resemble each other, as print does
			}
		}
		got := image.NewGray(image.Rect(0, 0, b.Width, b.Height))
		err := ccitt.DecodeIntoGray(got, bytes.NewReader(encodeG4(b)), ccitt.MSB, ccitt.Group4, nil)
		if err != nil {
			t.Fatalf("%d×%d: %v", b.Width, b.Height, err)
		}
		for i, v := range b.Pix {
			if want := 0xff * (1 - v); got.Pix[i] != want {
				t.Fatalf("%d×%d: pixel %d is %d, want %d", b.Width, b.Height, i, got.Pix[i], want)
			}
		}
	}
}

func TestMarkup(t *testing.T) {
	value := 0
	got := spans("Re: {name:Ada Byron}, {?place:MT}.", &value)
	want := []span{
		{"Re:", truth.Keep, "", 0, true}, {"Ada", truth.Destroy, "name", 1, false}, {"Byron", truth.Destroy, "name", 1, false},
		{",", truth.Either, "", 0, true}, {"MT", truth.Either, "place", 2, false}, {".", truth.Either, "", 0, true},
	}
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("span %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}

func TestParagraphKeepsABrokenValueTogether(t *testing.T) {
	s := &Sheet{Width: 300, Height: 100}
	st := Style{Face: Regular, Size: 10}
	end := s.Paragraph(10, 20, 90, 12, st, "seen by {name:Ada Augusta Byron}, who will call again")
	drawn, err := s.Draw(100, image.White.C)
	if err != nil {
		t.Fatal(err)
	}
	rows, values := map[int]bool{}, map[int]bool{}
	for _, w := range drawn.Words {
		if w.Want == truth.Destroy {
			values[w.Value] = true
			rows[int(w.Quad[3].Y)/5] = true
		}
		if right := w.Quad[1].X * 72 / 100; right > 101 {
			t.Errorf("%q ends at %.0f points, beyond the width", w.Text, right)
		}
	}
	if end < 44 || len(values) != 1 || len(rows) < 2 {
		t.Errorf("ends at %.0f, %d values in %d rows", end, len(values), len(rows))
	}
}

// Turned words lie under their quads: the ink inside is nearly all the ink there is.
func TestTurnedAndSpreadTextLiesUnderItsQuads(t *testing.T) {
	for _, st := range []Style{{Face: Bold, Size: 14, Turn: 90}, {Face: Bold, Size: 14, Turn: -33}, {Face: Mono, Size: 12, Tracking: 5}} {
		s := &Sheet{Width: 200, Height: 200}
		s.Text(90, 100, st, "{mrn:HKX 481}")
		drawn, err := s.Draw(144, image.White.C)
		if err != nil {
			t.Fatal(err)
		}
		all, inside := 0, 0
		for y := range drawn.Image.Rect.Dy() {
			for x := range drawn.Image.Rect.Dx() {
				if drawn.Image.RGBAAt(x, y).R > 128 {
					continue
				}
				all++
				for _, w := range drawn.Words {
					if holds(w.Quad, truth.Point{X: float64(x) + 0.5, Y: float64(y) + 0.5}) {
						inside++
					}
				}
			}
		}
		if all < 300 || inside < all*98/100 {
			t.Errorf("%+v: %d of %d dark pixels are in a quad", st, inside, all)
		}
	}
}

func holds(q [4]truth.Point, p truth.Point) bool {
	for i := range q {
		a, b := q[i], q[(i+1)%4]
		if (b.X-a.X)*(p.Y-a.Y)-(b.Y-a.Y)*(p.X-a.X) < -2 {
			return false
		}
	}
	return true
}

func TestAMissingCharacterIsAnError(t *testing.T) {
	s := &Sheet{Width: 100, Height: 100}
	s.Text(10, 20, Style{Face: Regular, Size: 10}, "नमस्ते")
	if _, err := s.Draw(72, image.White.C); err == nil {
		t.Error("boxes were drawn for characters that the font lacks")
	}
}

func TestTextIsFittedToTheSheetOrRefused(t *testing.T) {
	const long = "otorhinolaryngology department"
	upright, turned := Style{Face: Regular, Size: 12}, Style{Face: Regular, Size: 12, Turn: 90}
	for _, c := range []struct {
		st   Style
		good bool
	}{{upright, true}, {turned, false}, {Fit(turned, long, 70), true}} {
		s := &Sheet{Width: 100, Height: 100}
		s.Text(20, 20, c.st, long)
		s.Right(90, 40, upright, long)
		s.Centre(50, 60, upright, long)
		if _, err := s.Draw(72, image.White.C); (err == nil) != c.good {
			t.Errorf("at %.1f points, turned by %.0f°, the error is %v", c.st.Size, c.st.Turn, err)
		}
	}
}

func TestStrokesLieOverFillsAndAreasAreScaled(t *testing.T) {
	s := &Sheet{Width: 100, Height: 100}
	s.Fill(0, 0, 100, 100, image.White.C)
	s.Stroke(4, image.Black.C, truth.Point{X: 10, Y: 50}, truth.Point{X: 90, Y: 50})
	s.Area(10, 40, 80, 20, truth.Destroy, "signature")
	drawn, err := s.Draw(144, image.White.C)
	if err != nil {
		t.Fatal(err)
	}
	if drawn.Image.RGBAAt(100, 100).R != 0 || drawn.Image.RGBAAt(100, 80).R != 255 {
		t.Error("the stroke is not where it was drawn")
	}
	if len(drawn.Areas) != 1 || drawn.Areas[0].Quad[2] != (truth.Point{X: 180, Y: 120}) {
		t.Errorf("areas %+v", drawn.Areas)
	}
}
