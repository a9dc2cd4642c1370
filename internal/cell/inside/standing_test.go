package inside

import (
	"image"
	"image/draw"
	"strconv"
	"testing"
	"time"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// sheetOf writes words in a row, at a size that a scan at 200 dots per inch has, and
// returns them with the boxes of their ink. Words without room between them touch.
func sheetOf(t *testing.T, room int, texts ...string) (*image.Gray, *words.Page) {
	t.Helper()
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: 32, DPI: 72})
	if err != nil {
		t.Fatal(err)
	}
	img := image.NewGray(image.Rect(0, 0, 900, 80))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	page := &words.Page{Width: 900, Height: 80}
	d := &font.Drawer{Dst: img, Src: image.Black, Face: face, Dot: fixed.P(20, 50)}
	for _, text := range texts {
		ink, _ := d.BoundString(text)
		r := image.Rect(ink.Min.X.Floor(), ink.Min.Y.Floor(), ink.Max.X.Ceil(), ink.Max.Y.Ceil())
		d.DrawString(text)
		d.Dot.X += fixed.I(room)
		page.Words = append(page.Words, words.Word{Text: text, Box: document.BoxOf(r), Confidence: 1})
	}
	return img, page
}

// burn finds all words as one value of a type, burns what the rules say, and returns what
// is left and the boxes.
func burnAs(img *image.Gray, page *words.Page, typ document.Type, r document.Rules) []document.Finding {
	p := &pipeline{task: rules(r)}
	p.spell(img, page)
	all := page.Words[0].Box
	for _, w := range page.Words {
		all = all.Union(w.Box)
	}
	fs := p.judge(page, []document.Finding{{Box: all, Type: typ, Score: 1}})
	p.paint(img, fs)
	return fs
}

// inkLeft counts dark pixels of a box that lie under none of the others.
func inkLeft(img *image.Gray, b document.Box, burned []document.Finding) (n int) {
	for y := b.Y; y < b.Y+b.H; y++ {
		for x := b.X; x < b.X+b.W; x++ {
			under := false
			for _, f := range burned {
				under = under || image.Pt(x, y).In(f.Box.Rect())
			}
			if !under && img.GrayAt(x, y).Y < 128 {
				n++
			}
		}
	}
	return n
}

func thisYear(back int) string { return strconv.Itoa(time.Now().Year() - back) }

func TestKeepYear(t *testing.T) {
	old, young := thisYear(90), thisYear(40)
	for name, c := range map[string]struct {
		words []string
		stays map[int][2]int // by word, which of its letters
	}{
		"a word of its own":             {[]string{"3", "March", young}, map[int][2]int{2: {0, 4}}},
		"with its comma":                {[]string{"March", young + ","}, map[int][2]int{1: {0, 5}}},
		"alone":                         {[]string{young}, map[int][2]int{0: {0, 4}}},
		"at the end of a word":          {[]string{"03/12/" + young}, map[int][2]int{0: {6, 10}}},
		"at the front of a word":        {[]string{young + "-12-03"}, map[int][2]int{0: {0, 4}}},
		"with dots":                     {[]string{"3.12." + young}, map[int][2]int{0: {5, 9}}},
		"by which one can be 90":        {[]string{"3", "March", old}, nil},
		"by which one can be 90, glued": {[]string{"03/12/" + old}, nil},
		"of two":                        {[]string{old + "/" + young}, nil},
		"of two digits":                 {[]string{"03/12/61"}, nil},
		"without separators":            {[]string{"0312" + young}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			img, page := sheetOf(t, 12, c.words...)
			checkStanding(t, page, document.Date, img, burnAs(img, page, document.Date, document.Rules{KeepYear: true}), c.stays)
			img, page = sheetOf(t, 12, c.words...)
			checkStanding(t, page, document.Date, img, burnAs(img, page, document.Date, document.Rules{}), nil)
		})
	}
}

// checkStanding compares, letter by letter, what a burned sheet still shows with what may
// stand. Letters are where the unburned sheet has them.
func checkStanding(t *testing.T, page *words.Page, typ document.Type, img *image.Gray, burned []document.Finding, stays map[int][2]int) {
	t.Helper()
	texts := make([]string, len(page.Words))
	for i, w := range page.Words {
		texts[i] = w.Text
	}
	clean, _ := sheetOf(t, 12, texts...)
	for i, w := range page.Words {
		boxes := letters(clean, page, w)
		if boxes == nil {
			boxes = []document.Box{w.Box}
		}
		for k, b := range boxes {
			may := i < len(page.Words) && stays[i][0] <= k && k < stays[i][1] && stays[i][1] > 0
			all, left := inkLeft(clean, b, nil), inkLeft(img, b, burned)
			if may && 10*left < 9*all {
				t.Errorf("letter %d of %q shows %d of %d pixels of ink", k, w.Text, left, all)
			}
			if !may && left > 0 {
				t.Errorf("letter %d of %q shows %d pixels of ink", k, w.Text, left)
			}
		}
	}
}

func TestKeepZIP3(t *testing.T) {
	for name, c := range map[string]struct {
		words []string
		stays map[int][2]int
	}{
		"behind a code":          {[]string{"Salem", "OR", "97301"}, map[int][2]int{2: {0, 3}}},
		"behind a name":          {[]string{"Fargo,", "North", "Dakota", "58102"}, map[int][2]int{3: {0, 3}}},
		"nine digits":            {[]string{"OR", "97301-4482"}, map[int][2]int{1: {0, 3}}},
		"behind its label":       {[]string{"ZIP:", "97301"}, map[int][2]int{1: {0, 3}}},
		"where few people live":  {[]string{"WY", "82190"}, nil},
		"the number of a house":  {[]string{"97301", "Pine"}, nil},
		"a house behind a house": {[]string{"Box", "97301"}, nil},
		"six digits":             {[]string{"OR", "973012"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			img, page := sheetOf(t, 12, c.words...)
			checkStanding(t, page, document.Place, img, burnAs(img, page, document.Place, document.Rules{KeepZIP3: true}), c.stays)
			img, page = sheetOf(t, 12, c.words...)
			checkStanding(t, page, document.Place, img, burnAs(img, page, document.Place, document.Rules{}), nil)
		})
	}
}

// Where the letters cannot be told apart, nothing stands: a stroke through them, two that
// touch, noise, or more letters read than there are.
func TestInDoubtTheWholeWordGoes(t *testing.T) {
	date := "03/12/" + thisYear(40)
	for name, spoil := range map[string]func(img *image.Gray, w *words.Word){
		"a stroke": func(img *image.Gray, w *words.Word) {
			draw.Draw(img, image.Rect(w.Box.X, 40, w.Box.X+w.Box.W, 42), image.Black, image.Point{}, draw.Src)
		},
		"two touch and one is torn": func(img *image.Gray, w *words.Word) {
			b := letters(img, &words.Page{Width: 900, Height: 80}, *w)
			draw.Draw(img, image.Rect(b[7].X, 40, b[8].X+5, 44), image.Black, image.Point{}, draw.Src)
			draw.Draw(img, image.Rect(b[0].X+b[0].W/2-2, 0, b[0].X+b[0].W/2+2, 80), image.White, image.Point{}, draw.Src)
		},
		"another": func(_ *image.Gray, w *words.Word) { w.Text = "0" + w.Text },
		"nothing": func(img *image.Gray, w *words.Word) {
			draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
		},
		"a column": func(_ *image.Gray, w *words.Word) { w.Vertical = true },
	} {
		img, page := sheetOf(t, 12, date)
		spoil(img, &page.Words[0])
		fs := burnAs(img, page, document.Date, document.Rules{KeepYear: true})
		if len(fs) != 1 || fs[0].Box != page.Words[0].Box {
			t.Errorf("%s: burned %+v", name, fs)
		}
	}
}

// White writing on a dark screen has letters as well, and so has a page that lies.
func TestLettersOnScreensAndTurnedPages(t *testing.T) {
	img, page := sheetOf(t, 12, "03/12/"+thisYear(40))
	for i := range img.Pix {
		img.Pix[i] = 255 - img.Pix[i]
	}
	if letters(img, page, page.Words[0]) == nil {
		t.Error("white on black")
	}
	turned := image.NewGray(image.Rect(0, 0, 80, 900))
	lying := &words.Page{Width: 900, Height: 80, Turn: 1, Words: page.Words}
	for y := range 80 {
		for x := range 900 {
			at := lying.ToAsset(document.Box{X: x, Y: y, W: 1, H: 1})
			turned.SetGray(at.X, at.Y, img.GrayAt(x, y))
		}
	}
	if letters(turned, lying, page.Words[0]) == nil {
		t.Error("a page that lies")
	}
}

func TestAges(t *testing.T) {
	for _, c := range []struct {
		rules document.Rules
		score float64
		gone  bool
	}{
		{document.Rules{}, 0.9, true},
		{document.Rules{}, 0.45, false},
		{document.Rules{AllAges: true}, 0.45, true},
		{document.Rules{AllAges: true, Actions: map[document.Type]document.Action{document.Age: document.Keep}}, 0.9, false},
		{document.Rules{Thresholds: map[document.Type]float64{document.Age: 0.95}}, 0.9, false},
	} {
		p := &pipeline{task: rules(c.rules)}
		if got := p.destroys(document.Finding{Type: document.Age, Score: c.score}); got != c.gone {
			t.Errorf("%+v: an age at %v goes: %v", c.rules, c.score, got)
		}
	}
}

func TestUnknownWords(t *testing.T) {
	for rule, want := range map[document.WordRule][]float64{
		document.NoWords: nil, document.LikeNames: {0.45, 0.4}, document.AllWords: {0.45, 0.4, 0.3, 0.2}, "": {0.45, 0.4, 0.3, 0.2},
	} {
		p := &pipeline{task: rules(document.Rules{UnknownWords: rule})}
		n := 0
		for _, score := range []float64{0.45, 0.4, 0.3, 0.2} {
			if p.destroys(document.Finding{Type: document.Unknown, Score: score}) {
				n++
			}
		}
		if n != len(want) {
			t.Errorf("%q: %d of the scores go, want %v", rule, n, want)
		}
	}
}

// What goes beside what stands is one box along the line, and never reaches into the
// next line of a skewed page.
func TestPiecesJoinAlongTheLine(t *testing.T) {
	_, page := sheetOf(t, 12, "Salem", "Creek", "OR", "97301")
	p := &pipeline{task: rules(document.Rules{KeepZIP3: true})}
	all := page.Words[0].Box.Union(page.Words[3].Box)
	page.Letters = map[int][]document.Box{3: make([]document.Box, 5)}
	for i := range page.Letters[3] {
		page.Letters[3][i] = document.Box{X: page.Words[3].Box.X + 18*i, Y: page.Words[3].Box.Y, W: 16, H: 24}
	}
	gone, standing := p.pieces(page, document.Finding{Box: all, Type: document.Place})
	if len(gone) != 3 || gone[0] != page.Words[0].Box.Union(page.Words[1].Box).Union(page.Words[2].Box) || len(standing) != 1 {
		t.Errorf("gone %+v, standing %+v", gone, standing)
	}
	page.Words[1].Box.Y += 10
	page.Words[2].Box.Y += 20
	gone, _ = p.pieces(page, document.Finding{Box: all.Union(page.Words[2].Box), Type: document.Place})
	if len(gone) != 5 {
		t.Errorf("on a skewed line: gone %+v", gone)
	}
}

// What the policy lets stand is no news to the second look; a word beside it is.
func TestSecondLookKnowsWhatStands(t *testing.T) {
	a := &asset{page: &words.Page{Width: 400, Height: 100, Standing: []document.Box{{X: 100, Y: 20, W: 60, H: 20}}}}
	a.findings = []document.Finding{{Box: document.Box{X: 20, Y: 18, W: 78, H: 24}}}
	for b, want := range map[document.Box]bool{
		{X: 98, Y: 18, W: 64, H: 24}:   true,
		{X: 60, Y: 18, W: 102, H: 24}:  true,  // with some of the black beside it
		{X: 98, Y: 18, W: 120, H: 24}:  false, // with something behind it
		{X: 200, Y: 18, W: 60, H: 24}:  false,
		{X: 30, Y: 20, W: 50, H: 20}:   false, // nothing of it stands
		{X: 100, Y: 50, W: 60, H: 20}:  false,
		{X: 100, Y: 20, W: 60, H: 120}: false,
	} {
		if a.spared(b) != want {
			t.Errorf("%+v: %v", b, !want)
		}
	}
}
