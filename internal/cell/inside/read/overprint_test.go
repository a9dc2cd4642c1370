package read

import (
	"image/color"
	"strings"
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/examples/paper"
)

// What is stamped on print is read, or ends unread: that the print beneath was read says
// nothing of it.
func TestStampsOnPrintAreSeen(t *testing.T) {
	for name, c := range map[string]struct {
		ink  color.Color
		turn float64
	}{
		"gray":              {color.NRGBA{60, 60, 60, 150}, -9},
		"red":               {color.NRGBA{200, 30, 40, 200}, 12},
		"blue, as if level": {color.NRGBA{40, 60, 200, 190}, -4},
	} {
		t.Run(name, func(t *testing.T) {
			s := &paper.Sheet{Width: 420, Height: 300}
			for i := range 14 {
				s.Text(40, 40+16*float64(i), sized(9.5), "The patient was admitted with frontal headache and nausea")
			}
			print := len(drawn(t, s, color.White).words)
			st := paper.Style{Face: paper.Bold, Size: 17, Ink: c.ink, Turn: c.turn}
			s.Text(110, 150, st, "RECEIVED")
			s.Text(112, 176, st, "SEP 12 2022")
			all := drawn(t, s, color.White)
			p, _, _ := readScene(t, all)
			rest := words.Page{Width: p.Width, Height: p.Height, Turn: p.Turn, Unread: p.Unread}
			for _, w := range all.words[print:] {
				said := wordOn(p, printed{w.Text, boundsOf(w.Quad)}, func(a, b string) bool { return strings.EqualFold(plain(a), plain(b)) })
				if under := quadUnder(w.Quad, seenOn(rest)); !said && under < 0.9 {
					t.Errorf("%s was not read, and %.0f %% of it is unread", w.Text, 100*under)
				}
			}
		})
	}
}

// A page without stamps is not searched again for them.
func TestPlainPrintHoldsNoStamp(t *testing.T) {
	for name, img := range map[string]picture{
		"letter at 300 dpi": grayOf(t, a4(t, 300, letterLines)),
		"letter at 100 dpi": grayOf(t, a4(t, 100, letterLines)),
		"small print":       grayOf(t, dense(t, 7)),
	} {
		tones, ok := img.tones()
		if !ok {
			t.Errorf("%s: no print on paper", name)
		}
		if parts := img.overprinted(tones); len(parts) > 0 {
			t.Errorf("%s: another ink at %v", name, parts)
		}
	}
}

func grayOf(t *testing.T, s *sheet) picture {
	t.Helper()
	p, err := pictureOf(s.Gray)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
