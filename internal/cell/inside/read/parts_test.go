package read

import (
	"image"
	"math"
	"slices"
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// What can be judged without the engines.

func TestViewMapsAsTurnDoes(t *testing.T) {
	p := newPicture(7, 4, 1)
	for turn := range document.Turn(4) {
		v := p.turned(turn)
		for y := range v.h {
			for x := range v.w {
				want := turn.ToAsset(document.Box{X: x, Y: y, W: 1, H: 1}, v.w, v.h)
				a := v.asset(point{float64(x) + 0.5, float64(y) + 0.5})
				if got := (document.Box{X: int(a.x), Y: int(a.y), W: 1, H: 1}); got != want {
					t.Fatalf("turn %d: (%d, %d) is %v of the asset, want %v", turn, x, y, got, want)
				}
				if back := v.fromAsset(want); back != (document.Box{X: x, Y: y, W: 1, H: 1}) {
					t.Fatalf("turn %d: %v came back as %v", turn, want, back)
				}
			}
		}
	}
}

func TestTilesCoverAndStaySmall(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {905, 1280}, {1280, 1280}, {2555, 2080}, {60, 40_000}, {9000, 33}, {5000, 5000}} {
		count := make([]int, size.X*size.Y)
		for _, tile := range tiles(size.X, size.Y) {
			w, h := roundUp(tile.seen.Dx()+2*tileMargin, netStride), roundUp(tile.seen.Dy()+2*tileMargin, netStride)
			if w*h > tilePixels || !tile.core.In(tile.seen) {
				t.Errorf("%v: tile %v of %d pixels", size, tile, w*h)
			}
			for y := tile.core.Min.Y; y < tile.core.Max.Y; y++ {
				for x := tile.core.Min.X; x < tile.core.Max.X; x++ {
					count[y*size.X+x]++
				}
			}
		}
		if slices.ContainsFunc(count, func(n int) bool { return n != 1 }) {
			t.Errorf("%v: a pixel is in no core or in two", size)
		}
	}
	if n := len(tiles(905, 1280)); n != 1 {
		t.Errorf("an A4 page takes %d tiles", n)
	}
}

func TestScale(t *testing.T) {
	for _, c := range []struct {
		w, h int
		want float64
	}{
		{2480, 3508, 1280.0 / 3508}, {1240, 1754, 1280.0 / 1754}, // A4 at any resolution up to 300
		{7000, 9900, 1280.0 / 3508}, // more pixels: no coarser than that
		{300, 3000, 1},              // a strip is not seen as a thin A4 page
		{200, 60, maxEnlarge},
	} {
		if got := detectScale(c.w, c.h); math.Abs(got-c.want) > 0.01 {
			t.Errorf("%d×%d: %.3f, want %.3f", c.w, c.h, got, c.want)
		}
	}
}

func TestDecode(t *testing.T) {
	a := newAlphabet([]byte("a\nb\n"))
	const blank, ca, cb, space = 0, 1, 2, 3
	// What is left of the probability is the blank's, or an a's where the blank is best.
	step := func(best int, p, spaceP float32) []float32 {
		out := make([]float32, 4)
		out[space] = spaceP
		out[best] = p
		out[max(0, 1-best)] += max(1-p-spaceP, 0)
		return out
	}
	// a a – a b(…)space-like gap b space a
	steps := [][]float32{
		step(ca, 0.6, 0), step(ca, 0.9, 0), step(blank, 0.9, 0.04), step(ca, 0.8, 0), step(cb, 0.7, 0),
		step(blank, 0.8, 0.15), step(cb, 0.9, 0), step(space, 0.9, 0.9), step(ca, 0.6, 0),
	}
	var got string
	glyphs := a.decode(scoresOf(steps), len(steps))
	for _, g := range glyphs {
		if g.gap > spaceRatio {
			got += " "
		}
		got += g.text
	}
	if got != "aab b a" {
		t.Errorf("%q, want %q", got, "aab b a")
	}
	if glyphs[0].step != 1 || math.Abs(glyphs[0].p-0.9) > 1e-6 {
		t.Errorf("the first character stands at step %d with %.2f", glyphs[0].step, glyphs[0].p)
	}
	if c := confidence(nil); c != 0 {
		t.Errorf("nothing read with confidence %v", c)
	}
}

// scoresOf turns probabilities of steps into scores of classes, each step moved by another
// constant, which must not matter.
func scoresOf(steps [][]float32) (out []float32) {
	for class := range steps[0] {
		for t, p := range steps {
			out = append(out, float32(math.Log(max(1e-12, float64(p[class])))+float64(t)))
		}
	}
	return out
}

// inked is a line whose characters are ten columns wide with the given gaps between them,
// and the glyphs that stand in it.
func inked(text string, gaps []int, traces []float64) (ink, []glyph, func(glyph) int) {
	var columns []bool
	var glyphs []glyph
	for i, c := range text {
		if i > 0 {
			columns = append(columns, make([]bool, gaps[i-1])...)
		}
		g := glyph{text: string(c), step: len(columns) + 5}
		if i > 0 {
			g.gap = traces[i-1]
		}
		glyphs = append(glyphs, g)
		columns = append(columns, slices.Repeat([]bool{true}, 10)...)
	}
	k := ink{slices.Repeat(columns, cropRows), len(columns)}
	return k, glyphs, func(g glyph) int { return g.step }
}

func TestSpacesThatTheRecogniserSwallows(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		gaps   []int
		traces []float64
		want   string
	}{
		"said":         {"abcd", []int{2, 3, 2}, []float64{0, 0.06, 0}, "ab cd"},
		"wide":         {"abcd", []int{2, 11, 2}, []float64{0, 0.01, 0}, "ab cd"},
		"never heard":  {"abcd", []int{2, 11, 2}, []float64{0, 0.001, 0}, "abcd"},
		"spread":       {"abcd", []int{7, 11, 7}, []float64{0, 0.01, 0}, "abcd"},
		"very wide":    {"abcd", []int{2, 14, 2}, []float64{0, 0, 0}, "ab cd"},
		"a comma":      {"ab,d", []int{2, 2, 1}, []float64{0, 0, 0}, "ab, d"},
		"initials":     {"J.S.", []int{2, 2, 2}, []float64{0, 0, 0}, "J.S."},
		"after a mark": {"ab.d", []int{2, 2, 8}, []float64{0, 0, 0}, "ab. d"},
		"a number":     {"1.28", []int{2, 8, 2}, []float64{0, 0, 0}, "1.28"},
	} {
		k, glyphs, column := inked(c.text, c.gaps, c.traces)
		got := ""
		for i, begins := range k.wordsBegin(glyphs, column) {
			if begins {
				got += " "
			}
			got += glyphs[i].text
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestReachCoversCutStrokes(t *testing.T) {
	s := newSheet(400, 100, 255, 0)
	s.print(t, "Mwimba", 40, 60, 60)
	ink := s.words[0].box
	p, err := pictureOf(s.Gray)
	if err != nil {
		t.Fatal(err)
	}
	v := p.turned(0)
	short := document.Box{X: ink.X + 8, Y: ink.Y - 4, W: ink.W - 14, H: ink.H + 8}
	if got := v.reach(quadOf(short)).bounds(400, 100); got.X > ink.X || got.X+got.W < ink.X+ink.W {
		t.Errorf("%v does not cover %v", got, ink)
	}
	exact := ink.Grow(4, 400, 100)
	if got := v.reach(quadOf(exact)).bounds(400, 100); got != exact {
		t.Errorf("a box that cuts nothing grew from %v to %v", exact, got)
	}
}

func TestScrambled(t *testing.T) {
	for text, want := range map[string]bool{
		"HOpbeBHa": true, "o6oBb": true, "Smith": false, "SMITH": false, "SRMC-7741920": false, "20mg": false, "COVID19": false, "": false,
	} {
		if got := scrambled(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestCoverLeavesWhatWasNotBurned(t *testing.T) {
	s := newSheet(300, 100, 200, 0)
	s.print(t, "Abernathy", 30, 40, 60)
	standing := s.words[0].box
	gone := document.Box{X: 230, Y: 30, W: 50, H: 40}
	across := document.Box{X: 260, Y: 50, W: 60, H: 30} // and out of the picture
	p, err := pictureOf(burn(s.Gray, []document.Box{gone, across}))
	if err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(p.pix)
	uncover := p.cover([]document.Box{standing, gone, across})
	for y := range p.h {
		for x := range p.w {
			at, i := image.Pt(x, y), y*p.stride+x
			covered := at.In(gone.Rect()) || at.In(across.Rect())
			if covered && p.pix[i] != 200 || !covered && p.pix[i] != before[i] {
				t.Fatalf("%v is %d, was %d", at, p.pix[i], before[i])
			}
		}
	}
	if uncover(); !slices.Equal(p.pix, before) {
		t.Error("the derivative is not what it was")
	}
}

// A date written across a line of the layer shares its columns, and is no part of it.
func TestLayerDoesNotExplainWhatLiesAcross(t *testing.T) {
	line := func(across bool) (view, []words.Word) {
		s := newSheet(760, 120, 255, 0)
		s.print(t, "and authorize the disclosures to the local Department of Health", 20, 20, 84)
		layer := layerOf(s)
		if across {
			s.print(t, "08/01/2021", 40, 60, 66)
			s.print(t, "08/01/2021", 40, 380, 66)
		}
		return viewOf(t, s.Gray), layer
	}
	g := region{quad: quadOf(document.Box{X: 14, Y: 28, W: 620, H: 66})}
	v, layer := line(false)
	if got := v.covered(g, layer); got < layerCover {
		t.Errorf("a line under its own words is covered to %.2f", got)
	}
	v, layer = line(true)
	if got := v.covered(g, layer); got >= layerCover {
		t.Errorf("dates across the line count as covered, to %.2f", got)
	}
}

func TestSamplesOfLongLinesEndBetweenWords(t *testing.T) {
	c := &claim{region: region{quad: quadOf(document.Box{W: 1000, H: 20})}}
	for x := 0; x < 1000; x += 100 {
		c.words = append(c.words, words.Word{Box: document.Box{X: x, W: 90, H: 20}})
	}
	short := &claim{region: region{quad: quadOf(document.Box{W: 150, H: 20})}, words: c.words[:2]}
	got := parts([]*claim{c, c, short})
	if b := got[0].bounds(2000, 100); len(got[0].words) != 2 || b.X != 0 || b.W != 195 {
		t.Errorf("start: %d words, %v", len(got[0].words), b)
	}
	if b := got[1].bounds(2000, 100); len(got[1].words) != 2 || b.X != 795 || b.W != 205 || got[1].words[0].Box.X != 800 {
		t.Errorf("end: %d words, %v", len(got[1].words), b)
	}
	if got[2] != short {
		t.Error("a short line was cut")
	}
}
