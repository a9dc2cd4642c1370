package read

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
	"blotter/internal/examples/paper"
	"blotter/internal/specimen/typecase"
	"blotter/internal/truth"
)

// scene is a small picture with a difficulty, and what is written on it.
type scene struct {
	image *image.RGBA
	words []truth.Word
}

const sceneDPI = 150

var black = paper.Style{Face: paper.Regular, Size: 11}

func sized(points float64) paper.Style { return paper.Style{Face: paper.Regular, Size: points} }

func drawn(t *testing.T, s *paper.Sheet, ground color.Color) scene {
	t.Helper()
	d, err := s.Draw(sceneDPI, ground)
	if err != nil {
		t.Fatal(err)
	}
	return scene{d.Image, d.Words}
}

// warped is a scene as it looks through a mapping.
func (s scene) warped(m paper.Mapping) scene {
	out := image.NewRGBA(s.image.Rect)
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	paper.Warp(out, s.image, m)
	return scene{out, paper.Move(s.words, m)}
}

// lined is a note of six lines.
func lined(w, h float64) *paper.Sheet {
	s := &paper.Sheet{Width: w, Height: h}
	s.Block(40, 50, 26, black, "Patient: Katherine Oyelaran", "Date of birth: 07/22/1984", "Record number SRMC-7741920",
		"was admitted with frontal headache and nausea", "for three days, worse in the morning", "Signed by Jorge Quispe, physician")
	return s
}

// readScene reads a scene and returns the page with the shares of its words that were
// read exactly and that boxes cover by 95 % of their quads.
func readScene(t *testing.T, s scene) (p words.Page, exact, covered float64) {
	t.Helper()
	img := image.NewNRGBA(s.image.Rect)
	draw.Draw(img, img.Rect, s.image, image.Point{}, draw.Src)
	keepScene(t, img)
	p = mustRead(t, img, nil)
	for _, w := range s.words {
		if wordOn(p, printed{w.Text, boundsOf(w.Quad)}, func(a, b string) bool { return a == b }) {
			exact++
		} else {
			t.Logf("not read: %s", w.Text)
		}
		if under := quadUnder(w.Quad, seenOn(p)); under >= 0.95 {
			covered++
		} else {
			t.Logf("covered to %.0f %%: %s", 100*under, w.Text)
		}
	}
	n := float64(len(s.words))
	return p, exact / n, covered / n
}

// keepScene writes a scene to BLOTTER_SCENES, for a person to look at.
func keepScene(t *testing.T, img image.Image) {
	dir := os.Getenv("BLOTTER_SCENES")
	if dir == "" {
		return
	}
	f, err := os.Create(filepath.Join(dir, strings.ReplaceAll(t.Name(), "/", "-")+".png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
}

func TestScenes(t *testing.T) {
	for name, c := range map[string]struct {
		make           func(t *testing.T) scene
		exact, covered float64 // at least
	}{
		"skewed by 5 degrees": {func(t *testing.T) scene {
			s := drawn(t, lined(420, 240), color.White)
			return s.warped(paper.Skew(5, 0.5, 0.5, s.image.Rect.Dx(), s.image.Rect.Dy()))
		}, 0.9, 1},
		"seen from the side": {func(t *testing.T) scene {
			s := drawn(t, lined(420, 240), color.White)
			w, h := float64(s.image.Rect.Dx()), float64(s.image.Rect.Dy())
			return s.warped(paper.OntoQuad(w, h, [4]truth.Point{{X: 30, Y: 10}, {X: w - 10, Y: 60}, {X: w - 40, Y: h - 50}, {X: 10, Y: h - 10}}))
		}, 0.9, 1},
		"white on dark, 7 points": {func(t *testing.T) scene {
			s := &paper.Sheet{Width: 260, Height: 80}
			white := paper.Style{Face: paper.Regular, Size: 7, Ink: color.Gray{230}}
			s.Block(20, 24, 16, white, "OYELARAN KATHERINE 07/22/1984", "SRMC-7741920 12:41:07", "Operator: Jorge Quispe")
			return drawn(t, s, color.Gray{18})
		}, 0.8, 1},
		"very large beside small": {func(t *testing.T) scene {
			s := &paper.Sheet{Width: 500, Height: 240}
			s.Text(20, 120, sized(100), "Oyelaran")
			s.Text(20, 200, sized(9), "Summit Ridge Regional Medical Center")
			return drawn(t, s, color.White)
		}, 1, 1},
		"over rules and in boxes": {func(t *testing.T) scene {
			s := lined(420, 240)
			for y := 52.0; y < 200; y += 26 {
				s.Stroke(0.8, color.Black, truth.Point{X: 30, Y: y}, truth.Point{X: 390, Y: y})
			}
			s.Frame(30, 26, 360, 178)
			return drawn(t, s, color.White)
		}, 0.9, 1},
		"stamped across": {func(t *testing.T) scene {
			s := lined(420, 240)
			red := paper.Style{Face: paper.Bold, Size: 15, Ink: color.RGBA{190, 20, 20, 255}, Turn: -14}
			s.Text(230, 112, red, "RECEIVED QUISPE")
			return drawn(t, s, color.White)
		}, 0.75, 0.95},
		"a block sideways": {func(t *testing.T) scene {
			s := lined(420, 240)
			up := black
			up.Turn = -90
			for i, line := range []string{"Oyelaran Katherine", "born 07/22/1984", "ward 7 bed 12"} {
				s.Text(350+22*float64(i), 210, up, line)
			}
			return drawn(t, s, color.White)
		}, 0.9, 1},
	} {
		t.Run(name, func(t *testing.T) {
			_, exact, covered := readScene(t, c.make(t))
			if exact < c.exact || covered < c.covered {
				t.Errorf("%.0f %% of words read, %.0f %% covered", 100*exact, 100*covered)
			}
		})
	}
}

// What the recogniser cannot know, or is not sure of, ends covered, and is not taken for
// words that nobody wrote; print beside it stays.
func TestStrangeWritingIsCovered(t *testing.T) {
	faces, err := typecase.Open()
	if err != nil {
		t.Skip(err)
	}
	for name, c := range map[string]struct {
		face    string
		size    float64
		strange bool // in letters that the recogniser lacks
		lines   []string
	}{
		"Devanagari": {"noto-sans-devanagari", 14, true, []string{"रोगी का नाम", "जन्म तिथि और पता"}},
		"Arabic":     {"noto-sans-arabic", 14, true, []string{"اسم المريض", "تاريخ الميلاد"}},
		"Cyrillic":   {"noto-sans", 13, true, []string{"Борщёва Любовь Юрьевна", "отделение кардиологии"}},
		"scrawl":     {"homemade-apple", 18, false, []string{"Katherine Oyelaran", "see again in two weeks"}},
	} {
		t.Run(name, func(t *testing.T) {
			face, err := faces.Typeface(c.face)
			if err != nil {
				t.Skip(err)
			}
			s := &paper.Sheet{Width: 420, Height: 180}
			for i, line := range c.lines {
				s.Text(30, 90+44*float64(i), paper.Style{Face: face, Size: c.size}, line)
			}
			d := drawn(t, s, color.White)
			print := *s
			print.Text(30, 40, black, "Patient name and address")
			p, _, covered := readScene(t, scene{drawn(t, &print, color.White).image, d.words})
			if covered < 1 {
				t.Errorf("%.0f %% of words covered", 100*covered)
			}
			for _, w := range d.words {
				if c.strange && quadUnder(w.Quad, p.Unread) < 0.9 {
					t.Errorf("%s is not unread", w.Text)
				}
			}
			if got := textOf(p.Words); !strings.HasPrefix(got, "Patientnameandaddress") || c.strange && len(got) > 21 {
				t.Errorf("read %q", got)
			}
		})
	}
}

// A date written across two lines of print is seen, whatever the lines say.
func TestWritingAcrossPrintIsSeen(t *testing.T) {
	faces, err := typecase.Open()
	if err != nil {
		t.Skip(err)
	}
	hand, err := faces.Typeface("caveat")
	if err != nil {
		t.Skip(err)
	}
	s := lined(420, 240)
	before := len(drawn(t, s, color.White).words)
	s.Text(150, 146, paper.Style{Face: hand, Size: 30, Ink: color.RGBA{20, 20, 120, 255}}, "08/01/2021 Kate")
	across := drawn(t, s, color.White)
	p, _, _ := readScene(t, across)
	for _, w := range across.words[before:] {
		if under := quadUnder(w.Quad, seenOn(p)); under < 0.95 {
			t.Errorf("%s is covered to %.0f %%", w.Text, 100*under)
		}
	}
}

// Small squares to tick are no text, ticked or not.
func TestCheckBoxesStay(t *testing.T) {
	s := &paper.Sheet{Width: 420, Height: 160}
	ink := color.Black
	for i, label := range []string{"Diabetes", "Asthma", "Hypertension", "Stroke"} {
		y := 40 + 28*float64(i)
		s.Text(60, y, black, label)
		s.Text(260, y, black, "no  known  allergy")
		for _, x := range []float64{40, 240} {
			s.Frame(x, y-9, 10, 10)
			if (i+int(x))%3 == 0 {
				s.Stroke(1.2, ink, truth.Point{X: x + 2, Y: y - 4}, truth.Point{X: x + 4, Y: y - 1}, truth.Point{X: x + 9, Y: y - 10})
			} else if i%2 == 1 {
				s.Stroke(1.2, ink, truth.Point{X: x + 2, Y: y - 7}, truth.Point{X: x + 8, Y: y - 1})
				s.Stroke(1.2, ink, truth.Point{X: x + 8, Y: y - 7}, truth.Point{X: x + 2, Y: y - 1})
			}
		}
	}
	p, exact, _ := readScene(t, drawn(t, s, color.White))
	if len(p.Unread) > 0 || exact < 0.9 {
		t.Errorf("unread %v, %.0f %% of words read", p.Unread, 100*exact)
	}
	for _, w := range p.Words {
		if len(w.Text) == 1 {
			t.Errorf("a box was read as %q", w.Text)
		}
	}
}

// Boxes of a comb hold characters of a number: they are no boxes to tick.
func TestCombsAreNoBoxesToTick(t *testing.T) {
	comb := func(apart float64) (view, reading) {
		s := &paper.Sheet{Width: 200, Height: 60}
		for i := range 5 {
			x := 20 + (14+apart)*float64(i)
			s.Frame(x, 20, 14, 14)
			s.Text(x+3, 31, black, "7")
		}
		d := drawn(t, s, color.White)
		middle := truth.Point{X: 20 + (14+apart)*2, Y: 20}
		px := func(points float64) int { return int(points * sceneDPI / 72) }
		box := document.Box{X: px(middle.X), Y: px(middle.Y), W: px(14), H: px(14)}
		return viewOf(t, paper.Gray(d.image)), reading{region: region{quad: quadOf(box)}, confidence: 0.5}
	}
	for apart, want := range map[float64]bool{0: false, 4: false, 25: true} {
		if v, g := comb(apart); v.tickBox(g) != want {
			t.Errorf("frames %g points apart: a box to tick: %v", apart, !want)
		}
	}
}
