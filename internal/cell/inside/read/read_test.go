package read

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"slices"
	"strings"
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

func mustRead(t testing.TB, img image.Image, layer []words.Word) words.Page {
	t.Helper()
	p, err := reader(t).Read(context.Background(), img, layer)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// found is the share of printed words that were read exactly, where they stand. A
// word's box must cover its ink to 95 %.
func found(t *testing.T, want []printed, p words.Page) float64 {
	t.Helper()
	n := 0
	for _, w := range want {
		i := slices.IndexFunc(p.Words, func(x words.Word) bool {
			return x.Text == w.text && !x.Box.Intersect(w.box).Empty()
		})
		if i < 0 {
			t.Logf("not read: %s", w.text)
			continue
		}
		n++
		if c := float64(p.Words[i].Box.Intersect(w.box).Area()) / float64(w.box.Area()); c < 0.95 {
			t.Errorf("%s: %.0f %% of the ink covered: %v of %v", w.text, 100*c, p.Words[i].Box, w.box)
		}
	}
	return float64(n) / float64(len(want))
}

func TestReadsPages(t *testing.T) {
	for name, page := range map[string]struct {
		dpi   int
		least float64 // at 100 dpi letters are 7 pixels high, and some spaces get lost
	}{"300 dpi": {300, 0.98}, "100 dpi": {100, 0.95}} {
		t.Run(name, func(t *testing.T) {
			s := a4(t, page.dpi, letterLines)
			p := mustRead(t, s.Gray, nil)
			if got := found(t, s.words, p); got < page.least {
				t.Errorf("%.1f %% of words read", 100*got)
			}
			if p.Turn != 0 || p.Width != s.Rect.Dx() || p.Height != s.Rect.Dy() || len(p.Unread) > 0 {
				t.Errorf("turn %d, %d×%d, unread %v", p.Turn, p.Width, p.Height, p.Unread)
			}
		})
	}
}

func TestTurnsPagesUpright(t *testing.T) {
	s := a4(t, 150, noteLines)
	for turn := range document.Turn(4) {
		p := mustRead(t, turned(s.Gray, 4-turn), nil)
		if p.Turn != turn {
			t.Errorf("turn %d, want %d", p.Turn, turn)
			continue
		}
		if got := found(t, s.words, p); got < 0.97 {
			t.Errorf("turn %d: %.1f %% of words read", turn, 100*got)
		}
		asset := turned(s.Gray, 4-turn)
		for _, w := range p.Words {
			if b := p.ToAsset(w.Box); !hasInk(asset, b) {
				t.Errorf("turn %d: no ink in the asset's %v", turn, b)
			}
		}
	}
}

func hasInk(m *image.Gray, b document.Box) bool {
	for y := b.Y; y < b.Y+b.H; y++ {
		for x := b.X; x < b.X+b.W; x++ {
			if m.GrayAt(x, y).Y < 128 {
				return true
			}
		}
	}
	return false
}

func TestReadsSkewedPage(t *testing.T) {
	s := a4(t, 150, noteLines)
	p := mustRead(t, skewed(s.Gray, 1.5), nil)
	texts := map[string]bool{}
	for _, w := range p.Words {
		texts[w.Text] = true
	}
	n := 0
	for _, w := range s.words {
		if texts[w.text] {
			n++
		}
	}
	if got := float64(n) / float64(len(s.words)); got < 0.97 {
		t.Errorf("%.1f %% of words read", 100*got)
	}
	label, value := wordOf(p, "Record"), wordOf(p, "Telephone")
	if label == nil || value == nil || label.Line != value.Line {
		t.Error("the two columns of a skewed row are not one line")
	}
}

func wordOf(p words.Page, text string) *words.Word {
	for i, w := range p.Words {
		if w.Text == text {
			return &p.Words[i]
		}
	}
	return nil
}

func TestLabelAndValueShareALine(t *testing.T) {
	s := newSheet(1200, 500, 255, 0)
	s.print(t, "Surname", 28, 60, 100)
	s.print(t, "Lindqvist", 28, 800, 104)
	s.print(t, "Given", 28, 60, 180)
	s.print(t, "Annika", 28, 800, 176)
	p := mustRead(t, s.Gray, nil)
	var got []string
	for i, w := range p.Words {
		if i > 0 && w.Line == p.Words[i-1].Line {
			got[len(got)-1] += " " + w.Text
		} else {
			got = append(got, w.Text)
		}
	}
	if want := []string{"Surname Lindqvist", "Given Annika"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestReadsVerticalLines(t *testing.T) {
	strip := newSheet(700, 60, 255, 0)
	strip.print(t, "Accession 20260312", 30, 20, 40)
	for name, turn := range map[string]document.Turn{"up": 3, "down": 1} {
		s := a4(t, 150, noteLines)
		side := turned(strip.Gray, turn)
		draw.Draw(s, side.Rect.Add(image.Pt(1140, 800)), side, image.Point{}, draw.Src)
		p := mustRead(t, s.Gray, nil)
		w := wordOf(p, "20260312")
		if w == nil || !w.Vertical || p.Turn != 0 {
			t.Errorf("%s: the line in the margin was read as %+v, page turned by %d", name, w, p.Turn)
		}
	}
}

func TestReadsSmallDarkAndColoured(t *testing.T) {
	small := newSheet(200, 60, 255, 0)
	small.print(t, "Marta Okafor", 18, 20, 38)
	dark := newSheet(800, 600, 10, 230)
	dark.print(t, "Marta Okafor", 16, 40, 60)
	edge := newSheet(420, 26, 255, 0)
	edge.print(t, "Marta Okafor", 22, 1, 20)
	for name, s := range map[string]*sheet{"200×60": small, "white on dark": dark, "up to the edge": edge} {
		t.Run(name, func(t *testing.T) {
			if got := found(t, s.words, mustRead(t, s.Gray, nil)); got < 1 {
				t.Errorf("%.0f %% of words read", 100*got)
			}
		})
	}
	t.Run("same brightness", func(t *testing.T) {
		// Red on green of the same luma is invisible to whoever looks at gray.
		img := image.NewNRGBA(image.Rect(0, 0, 400, 100))
		mask := newSheet(400, 100, 0, 255)
		mask.print(t, "Marta Okafor", 30, 40, 60)
		draw.Draw(img, img.Rect, image.NewUniform(color.NRGBA{0, 102, 0, 255}), image.Point{}, draw.Src)
		alpha := &image.Alpha{Pix: mask.Pix, Stride: mask.Stride, Rect: mask.Rect}
		draw.DrawMask(img, img.Rect, image.NewUniform(color.NRGBA{200, 0, 0, 255}), image.Point{}, alpha, image.Point{}, draw.Over)
		if got := found(t, mask.words, mustRead(t, img, nil)); got < 1 {
			t.Errorf("%.0f %% of words read", 100*got)
		}
	})
	t.Run("nothing", func(t *testing.T) {
		for _, r := range []image.Rectangle{image.Rect(0, 0, 1, 1), image.Rect(0, 0, 3, 700), image.Rect(0, 0, 0, 0)} {
			if p := mustRead(t, image.NewGray(r), nil); len(p.Words)+len(p.Unread) > 0 {
				t.Errorf("%v: %+v", r, p)
			}
		}
	})
}

func TestForeignScriptIsUnread(t *testing.T) {
	s := newSheet(1000, 400, 255, 0)
	s.print(t, "Patient name and address", 32, 60, 80)
	s.print(t, "Борщёва Любовь Юрьевна", 32, 60, 180)
	s.print(t, "Μαυρομιχάλη Ψυχή Ξένη", 32, 60, 280)
	p := mustRead(t, s.Gray, nil)
	for _, w := range s.words {
		covered := 0
		for _, b := range p.Unread {
			covered += b.Intersect(w.box).Area()
		}
		latin := w.text[0] < 0x80
		if share := float64(covered) / float64(w.box.Area()); latin && share > 0.1 || !latin && share < 0.9 {
			t.Errorf("%s: %.0f %% unread", w.text, 100*share)
		}
	}
}

func layerOf(s *sheet) (out []words.Word) {
	for _, w := range s.words {
		out = append(out, words.Word{Text: w.text, Box: w.box})
	}
	return out
}

func TestLayerExplains(t *testing.T) {
	s := a4(t, 150, noteLines)
	layer := layerOf(s)
	layer[7].Text = "Berta" // where the layer says something else than the pixels, it is believed
	p := mustRead(t, s.Gray, layer)
	if w := wordOf(p, "Berta"); w == nil || w.Origin != words.FromLayer || w.Confidence != 1 {
		t.Errorf("the layer's word became %+v", w)
	}
	for _, w := range p.Words {
		if w.Origin != words.FromLayer {
			t.Errorf("%q was read again", w.Text)
		}
	}
	if len(p.Unread) > 0 {
		t.Errorf("unread %v", p.Unread)
	}
}

func TestLayerThatIsSilent(t *testing.T) {
	s := a4(t, 150, noteLines)
	n := len(strings.Fields(letter[:strings.Index(letter, "The patient")]))
	p := mustRead(t, s.Gray, layerOf(s)[n:])
	if got := found(t, s.words, p); got < 0.97 {
		t.Errorf("%.1f %% of words found", 100*got)
	}
	if w := wordOf(p, "Oyelaran"); w == nil || w.Origin != words.FromPixels {
		t.Errorf("what the layer left out became %+v", w)
	}
}

func TestLayerThatLies(t *testing.T) {
	s := a4(t, 150, noteLines)
	layer := layerOf(s)
	for i := range layer {
		layer[i].Text = strings.Repeat("x", len(layer[i].Text))
	}
	p := mustRead(t, s.Gray, layer)
	if got := found(t, s.words, p); got < 0.97 {
		t.Errorf("%.1f %% of words read", 100*got)
	}
	for _, w := range p.Words {
		if w.Origin == words.FromLayer {
			t.Fatalf("%q of the layer was believed", w.Text)
		}
	}
}

// A page whose layer lies in one region only, as under a sticker or where another
// reader erred on a name: wherever that is, the pixels count there, and the layer is
// believed elsewhere.
func TestLayerThatLiesInOneRegion(t *testing.T) {
	s := a4(t, 150, letterLines)
	claims := sampledLines(t, s)
	for _, i := range []int{0, 1, layerSamples / 2} {
		layer := layerOf(s)
		lie := map[document.Box]bool{}
		for j := range layer {
			if slices.Contains(boxesOf(claims[i].words), layer[j].Box) {
				layer[j].Text, lie[layer[j].Box] = strings.Repeat("x", len(layer[j].Text)), true
			}
		}
		p := mustRead(t, s.Gray, layer)
		if got := found(t, s.words, p); got < 0.97 {
			t.Errorf("lie in region %d: %.1f %% of words found", i, 100*got)
		}
		believed := 0
		for _, w := range p.Words {
			if w.Origin == words.FromLayer {
				believed++
				if lie[w.Box] || strings.HasPrefix(w.Text, "xx") {
					t.Errorf("%q of the layer was believed", w.Text)
				}
			}
		}
		if 2*believed < len(layer) {
			t.Errorf("only %d of %d words of the layer are believed", believed, len(layer))
		}
	}
}

// sampledLines are the lines of a page's layer that are compared.
func sampledLines(t *testing.T, s *sheet) []*claim {
	t.Helper()
	lines := layerLines(layerOf(s), viewOf(t, s.Gray).contours())
	if len(lines) < 2*layerSamples {
		t.Fatalf("%d lines: too few to sample", len(lines))
	}
	return spread(lines, layerSamples)
}

// Once one lie is known, a name that differs in few letters is found, too.
func TestLayerThatWasWrongIsReadEverywhere(t *testing.T) {
	s := a4(t, 150, letterLines)
	layer := layerOf(s)
	claims := sampledLines(t, s)
	for j := range layer {
		switch {
		case slices.Contains(boxesOf(claims[0].words), layer[j].Box): // sampled
			layer[j].Text = strings.Repeat("x", len(layer[j].Text))
		case layer[j].Text == "Quispe,":
			layer[j].Text = "Outcome,"
		case layer[j].Text == "Jorge":
			layer[j].Text = "large"
		}
	}
	if p := mustRead(t, s.Gray, layer); wordOf(p, "Jorge") == nil || wordOf(p, "large") != nil {
		t.Error("a name that the layer has wrong was not read")
	}
}

func viewOf(t *testing.T, img image.Image) view {
	t.Helper()
	p, err := pictureOf(img)
	if err != nil {
		t.Fatal(err)
	}
	return p.turned(0)
}

func boxesOf(ws []words.Word) (out []document.Box) {
	for _, w := range ws {
		out = append(out, w.Box)
	}
	return out
}

func TestLayerOfATurnedPage(t *testing.T) {
	s := a4(t, 150, noteLines)
	layer := layerOf(s)
	for i := range layer { // the asset lies on its side: it was turned clockwise by three quarters
		layer[i].Box = document.Turn(1).ToAsset(layer[i].Box, s.Rect.Dx(), s.Rect.Dy())
	}
	p := mustRead(t, turned(s.Gray, 3), layer)
	if p.Turn != 1 {
		t.Fatalf("turn %d", p.Turn)
	}
	if got := found(t, s.words, p); got < 1 {
		t.Errorf("%.1f %% of words found", 100*got)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := reader(t).Read(ctx, a4(t, 100, noteLines).Gray, nil); err == nil {
		t.Error("a cancelled reading gave no error")
	}
}

func BenchmarkReadA4(b *testing.B) {
	s := a4(b, 300, letterLines)
	reader(b)
	for b.Loop() {
		mustRead(b, s.Gray, nil)
	}
}
