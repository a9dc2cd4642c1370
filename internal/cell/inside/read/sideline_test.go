package read

import (
	"image/color"
	"math"
	"testing"

	"blotter/internal/examples/paper"
)

// Lines that run up or down a margin are seen whole, however close they stand, and the
// text beside them stays what it was.
func TestLinesUpAndDownAMargin(t *testing.T) {
	for name, turn := range map[string]float64{"up": -90, "down": 90} {
		t.Run(name, func(t *testing.T) {
			s := &paper.Sheet{Width: 420, Height: 380}
			for i := range 18 {
				s.Text(60, 60+16*float64(i), sized(9.5), "The patient was admitted with frontal headache and nausea")
			}
			st := sized(11)
			st.Turn = turn
			for i, line := range []string{"Oyelaran, Katherine 07/22/1984", "MRN SRMC-7741920 Ward 7", "printed 03/04/2023 by jquispe"} {
				s.Text(22+13.2*float64(i), 190-turn*8/5, st, line)
			}
			p, exact, covered := readScene(t, drawn(t, s, color.White))
			if exact < 0.98 || covered < 1 || len(p.Unread) > 0 {
				t.Errorf("%.0f %% of words read, %.0f %% covered, unread: %v", 100*exact, 100*covered, p.Unread)
			}
		})
	}
}

func TestTurnedBackIsTheInverseOfATurn(t *testing.T) {
	p := newPicture(40, 90, 1)
	before, after := p.turned(3), p.turned(4)
	for _, q := range []quad{{point{3, 5}, point{20, 0}, point{0, 7}}, {point{10, 2}, point{25, 4}, point{-1, 6}}} {
		back := q.turnedBack(before.h)
		for _, c := range [][2]float64{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
			want := after.asset(q.at(c[0], c[1]))
			got := before.asset(back.at(c[1], 1-c[0]))
			if math.Hypot(want.x-got.x, want.y-got.y) > 1e-9 {
				t.Errorf("corner %v of %v is at %v of the asset, want %v", c, q, got, want)
			}
		}
	}
}

// The lone digit and the letter that is higher than wide tell of no such line, so that
// pages without one are searched once.
func TestSlimLettersAreNoSideline(t *testing.T) {
	at := func(x, y, w, h float64) region { return region{quad{point{x, y}, point{w, 0}, point{0, h}}, 1} }
	for name, c := range map[string]struct {
		regions []region
		want    int
	}{
		"lines":               {[]region{at(50, 50, 300, 20), at(50, 90, 300, 20)}, 0},
		"a digit":             {[]region{at(50, 50, 300, 20), at(400, 50, 14, 24)}, 0},
		"digits far apart":    {[]region{at(400, 50, 14, 24), at(400, 350, 14, 24)}, 0},
		"a line up":           {[]region{at(50, 50, 300, 20), at(10, 100, 20, 90)}, 1},
		"two pieces":          {[]region{at(10, 100, 20, 34), at(10, 140, 20, 34)}, 1},
		"a line at each edge": {[]region{at(10, 100, 20, 90), at(570, 100, 20, 90)}, 2},
	} {
		if got := len(sideParts(c.regions, 600, 800)); got != c.want {
			t.Errorf("%s: %d parts, want %d", name, got, c.want)
		}
	}
}
