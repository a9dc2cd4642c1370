package inside

import (
	"image"
	"image/draw"
	"testing"

	"blotter/internal/cell/inside/redact"
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// A word that stays and says the same as before is no news, nor is a part of it, nor what
// can be read of it under a burned box that cuts it; another word is.
func TestKnown(t *testing.T) {
	box := func(x, w int) document.Box { return document.Box{X: x, Y: 20, W: w, H: 20} }
	kept := &words.Page{Width: 400, Height: 100, Words: []words.Word{
		{Text: "MD,", Box: box(100, 40), Confidence: 0.9}, {Text: "FACP", Box: box(150, 60), Confidence: 0.9},
		{Text: "Research", Box: box(250, 80), Confidence: 0.95},
	}}
	gone := []document.Finding{{Box: document.Box{X: 240, Y: 10, W: 100, H: 15}}}
	for name, c := range map[string]struct {
		again words.Word
		want  bool
	}{
		"the same":             {words.Word{Text: "M.D.", Box: box(98, 44), Confidence: 1}, true},
		"its beginning":        {words.Word{Text: "FAC", Box: box(150, 45), Confidence: 1}, true},
		"both in one":          {words.Word{Text: "MD,FACP", Box: box(98, 114), Confidence: 1}, true},
		"cut and misread":      {words.Word{Text: "kesearcn", Box: box(250, 80), Confidence: 0.8}, true},
		"cut and surer":        {words.Word{Text: "Keseanu", Box: box(250, 80), Confidence: 0.99}, false},
		"another in its place": {words.Word{Text: "Ahn", Box: box(100, 40), Confidence: 0.8}, false},
		"more than it":         {words.Word{Text: "Ahn,MD", Box: box(60, 80), Confidence: 1}, false},
		"where nothing was":    {words.Word{Text: "MD", Box: box(350, 40), Confidence: 1}, false},
	} {
		if known(c.again, kept, gone) != c.want {
			t.Errorf("%s: known %v", name, !c.want)
		}
	}
}

// The rest of a word whose end was burned is read again; a word of which the line above
// takes a strip, or padding a little, stays.
func TestRemaining(t *testing.T) {
	page := &words.Page{Width: 400, Height: 100, Words: []words.Word{{Text: "L", Box: document.Box{X: 100, Y: 20, W: 20, H: 30}}}}
	for name, c := range map[string]struct {
		burned document.Box
		stays  bool
	}{
		"an end":   {document.Box{X: 114, Y: 18, W: 80, H: 34}, false},
		"padding":  {document.Box{X: 118, Y: 18, W: 80, H: 34}, true},
		"a strip":  {document.Box{X: 0, Y: 0, W: 300, H: 32}, true},
		"the most": {document.Box{X: 0, Y: 0, W: 300, H: 40}, false},
	} {
		if got := remaining(page, []document.Finding{{Box: c.burned}}); (len(got.Words) == 1) != c.stays {
			t.Errorf("%s: stays %v", name, !c.stays)
		}
	}
}

// What is read again of a word whose end was burned goes, whatever it says: not so where
// only a strip of it, or all of its width, was taken.
func TestRests(t *testing.T) {
	first := words.Word{Text: "L", Box: document.Box{X: 100, Y: 20, W: 20, H: 30}}
	again := []words.Word{{Text: "7", Box: document.Box{X: 100, Y: 20, W: 14, H: 30}}, {Text: "on", Box: document.Box{X: 40, Y: 20, W: 30, H: 30}}}
	a := &asset{page: &words.Page{Width: 400, Height: 100, Words: []words.Word{first}}}
	for burned, want := range map[document.Box]int{
		{X: 114, Y: 18, W: 80, H: 34}: 1,
		{X: 114, Y: 18, W: 80, H: 8}:  0,
		{X: 90, Y: 18, W: 80, H: 28}:  0,
		{X: 200, Y: 18, W: 80, H: 34}: 0,
	} {
		a.findings = []document.Finding{{Box: burned}}
		if got := a.rests(again); len(got) != want || want > 0 && got[0] != again[0].Box {
			t.Errorf("beside %+v: %+v", burned, got)
		}
	}
}

// fitting burns the first word of a sheet but for its last pixels, and fits what the
// second look is taken to see there.
func fitting(t *testing.T, left int, seen func(first, second document.Box) document.Finding) (fs []document.Finding, rest, second document.Box) {
	t.Helper()
	img, page := sheetOf(t, 8, "Oyelaran", "Sample")
	first := page.Words[0].Box
	second = page.Words[1].Box
	burned := document.Box{X: first.X - 2, Y: first.Y - 2, W: first.W + 4 - left, H: first.H + 4}
	p := &pipeline{}
	redact.Burn(img, []document.Box{burned}, p.task.Fill)
	a := &asset{page: page, findings: []document.Finding{{Box: burned}}}
	a.Width, a.Height = page.Width, page.Height
	rest = document.Box{X: burned.X + burned.W, Y: first.Y, W: left - 4, H: first.H}
	return p.fit(a, img, remaining(page, a.findings), []document.Finding{seen(first, second)}), rest, second
}

// What shows of a burned word is covered as far as its ink goes, and the next word keeps
// all of its own.
func TestFitFollowsTheInkOfARest(t *testing.T) {
	for _, typ := range []document.Type{document.Unread, document.Name} {
		fs, rest, second := fitting(t, 14, func(first, second document.Box) document.Finding {
			return document.Finding{Type: typ, Box: document.Box{X: first.X + first.W - 14, Y: first.Y, W: 14 + 8 + second.W/4, H: first.H}}
		})
		ink := document.Box{X: rest.X, Y: rest.Y + rest.H/2, W: rest.W - 2, H: rest.H / 4} // of a small letter
		if coveredShare(ink, fs) < 1 || coveredShare(second, fs) > 0.02 {
			t.Errorf("%v: %.2f of the rest and %.2f of the next word under %+v", typ, coveredShare(ink, fs), coveredShare(second, fs), fs)
		}
	}
}

// A scrap beside a burned box in which there is nothing but a word that stays is not
// burned; where ink cannot be told from paper it is, and wider.
func TestFitOfScraps(t *testing.T) {
	fs, _, _ := fitting(t, 0, func(_, second document.Box) document.Finding {
		return document.Finding{Type: document.Unread, Box: document.Box{X: second.X - 6, Y: second.Y, W: 30, H: second.H}}
	})
	if len(fs) > 0 {
		t.Errorf("burned %+v of a word that stays", fs)
	}
	gray := image.NewGray(image.Rect(0, 0, 200, 100))
	draw.Draw(gray, gray.Rect, image.White, image.Point{}, draw.Src)
	a := &asset{page: &words.Page{Width: 200, Height: 100}}
	a.Width, a.Height = 200, 100
	scrap := document.Box{X: 50, Y: 40, W: 40, H: 16}
	fs = (&pipeline{}).fit(a, gray, a.page, []document.Finding{{Type: document.Unread, Box: scrap}})
	if len(fs) != 1 || !scrap.Grow(4, 200, 100).Rect().In(fs[0].Box.Rect()) {
		t.Errorf("faint writing is covered by %+v", fs)
	}
}

// coveredShare is the share of a box that lies under findings.
func coveredShare(b document.Box, fs []document.Finding) float64 {
	n := 0
	for i := range b.Area() {
		if len(near(document.Box{X: b.X + i%b.W, Y: b.Y + i/b.W, W: 1, H: 1}, boxesOf(fs))) > 0 {
			n++
		}
	}
	return float64(n) / float64(b.Area())
}
