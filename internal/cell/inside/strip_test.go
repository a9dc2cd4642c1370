package inside

import (
	"context"
	"errors"
	"image"
	"image/color"
	"io"
	"slices"
	"testing"

	"blotter/internal/cell/inside/detect"
	"blotter/internal/cell/inside/extract"
	"blotter/internal/cell/inside/mark"
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// pictures is a source whose assets have pixels: each is as light as its number.
type pictures struct {
	placed
	sizes  []image.Point
	broken int // one that does not decode; 0: none
}

func (s pictures) Load(i int) (image.Image, error) {
	if i == s.broken && i > 0 {
		return nil, reason.Because(reason.ExtractMalformed, errors.New("broken"))
	}
	img := image.NewGray(image.Rectangle{Max: s.sizes[i]})
	for n := range img.Pix {
		img.Pix[n] = uint8(100 + i)
	}
	return img, nil
}

func (s pictures) Layer(int) ([]words.Word, error) { return nil, nil }

// recorder is a reader that reads nothing but notes what it was shown. The second look at a
// picture of a size finds a name there.
type recorder struct {
	read, looked []image.Point
	first        []color.Color // of what was read
	newsAt       image.Point
	news         document.Box
	fails        error
}

func (r *recorder) Read(_ context.Context, img image.Image, _ []words.Word) (words.Page, error) {
	size := img.Bounds().Size()
	r.read, r.first = append(r.read, size), append(r.first, img.At(0, size.Y-1))
	return words.Page{Width: size.X, Height: size.Y}, nil
}

func (r *recorder) Look(_ context.Context, img image.Image, _ document.Turn, _ []document.Box, _ *words.Page) (words.Page, error) {
	size := img.Bounds().Size()
	r.looked = append(r.looked, size)
	page := words.Page{Width: size.X, Height: size.Y}
	if size == r.newsAt {
		if r.fails != nil {
			return page, r.fails
		}
		if !slices.Contains(r.looked[:len(r.looked)-1], size) {
			page.Unread = []document.Box{r.news}
		}
	}
	return page, nil
}

// striped is a page of 200×150 pixels and images that it may draw.
func striped(r reader, images ...image.Point) *pipeline {
	src := pictures{placed: placed{placements: map[int][]extract.Placement{}}, sizes: append([]image.Point{{200, 150}}, images...)}
	p := &pipeline{out: newEmitter(io.Discard)}
	p.engines = engines{reader: r, finder: detect.New(), marker: mark.New()}
	p.task = rules(document.Rules{})
	p.task.Limits = document.Limits{AssetPixels: 1e6, TotalPixels: 1e6}
	for i, size := range src.sizes {
		a := sized(size.X, size.Y)
		a.Index, a.Kind = i, document.Image
		p.assets = append(p.assets, a)
	}
	p.assets[0].Kind, p.source = document.Page, src
	return p
}

func (p *pipeline) draw(image int, m matrix) {
	places := p.source.(pictures).placements //nolint:forcetypeassert // the tests' own
	places[0] = append(places[0], extract.Placement{Image: image, ToPage: [6]float64(m)})
}

func at(x, y float64) matrix { return matrix{1, 0, 0, 1, x, y} }

var strip5 = image.Pt(200, 5)

func TestWhatStandsInAStack(t *testing.T) {
	half := matrix{.5, 0, 0, .5, 0, 0}
	aside := matrix{0, 1, -1, 0, 150, 0} // a quarter clockwise
	for name, c := range map[string]struct {
		second image.Point // image 2; image 1 is 200×5 and drawn at 0
		on     matrix      // applied to both
		place  matrix      // of image 2, before that
		stands bool
	}{
		"edge to edge":          {strip5, at(0, 0), at(0, 5), true},
		"above":                 {strip5, at(0, 50), at(0, -5), true},
		"lower than the others": {image.Pt(200, 2), at(0, 0), at(0, 5), true},
		"scaled":                {strip5, half, at(0, 5), true},
		"turned":                {strip5, aside, at(0, 5), true},
		"mirrored":              {strip5, matrix{-1, 0, 0, 1, 200, 0}, at(0, 5), true},
		"rounded down":          {strip5, at(0, 0), at(0, 4), true},
		"rounded up":            {strip5, at(0, 0), at(0, 6), true},
		"apart":                 {strip5, at(0, 0), at(0, 7), false},
		"over the first":        {strip5, at(0, 0), at(0, 3), false},
		"on the first":          {strip5, at(0, 0), at(0, 0), false},
		"beside":                {strip5, at(0, 0), at(3, 5), false},
		"at another scale":      {strip5, at(0, 0), matrix{.9, 0, 0, 1, 0, 5}, false},
		"slanting":              {strip5, at(0, 0), matrix{1, .02, 0, 1, 0, 5}, false},
		"narrower":              {image.Pt(199, 4), at(0, 0), at(0, 5), false},
		"high enough for words": {image.Pt(200, 6), at(0, 0), at(0, 5), false},
		"flat":                  {strip5, at(0, 0), matrix{1, 0, 0, 0, 0, 5}, false},
	} {
		p := striped(nil, strip5, c.second)
		p.draw(1, at(0, 0).then(c.on))
		p.draw(2, c.place.then(c.on))
		p.stackUp()
		if got := p.assets[1].isStrip() && p.assets[2].isStrip(); got != c.stands || len(p.assets) > 3 != c.stands {
			t.Errorf("%s: stands in a stack: %v; %d assets", name, got, len(p.assets))
		}
	}
}

// Of three strips the third is no part: it is read by itself.
func TestWhatStandsAlone(t *testing.T) {
	for name, spoil := range map[string]func(p *pipeline){
		"on no page": func(*pipeline) {},
		"withheld":   func(p *pipeline) { p.draw(3, at(0, 10)); p.assets[3].Withheld = reason.ExtractPixels },
		"its page's only image": func(p *pipeline) {
			p.draw(3, at(0, 10))
			p.assets[3].sharesOf = p.assets[0]
		},
	} {
		p := striped(nil, strip5, strip5, strip5)
		p.draw(1, at(0, 0))
		p.draw(2, at(0, 5))
		spoil(p)
		p.stackUp()
		if len(p.assets) != 5 || p.assets[4].Height != 10 || p.assets[3].isStrip() {
			t.Errorf("%s: %d assets, the third a strip: %v", name, len(p.assets), p.assets[3].isStrip())
		}
	}
	p := striped(nil, strip5)
	p.draw(1, at(0, 0))
	p.draw(1, at(0, 5))
	if p.stackUp(); len(p.assets) != 2 {
		t.Error("one strip drawn twice makes a stack")
	}
}

// Strips that no page shows are put together as they stand in the file, each document's and
// each width's by themselves.
func TestStripsOnNoPage(t *testing.T) {
	wide := image.Pt(250, 4)
	p := striped(nil, strip5, wide, strip5, wide, strip5, strip5, image.Pt(200, 6))
	p.draw(1, at(0, 0)) // its page shows it, and is read
	p.assets[6].Within = document.Path{1}
	p.stackUp()
	var got []image.Point
	for _, a := range p.assets[8:] {
		got = append(got, image.Pt(a.Width, a.Height))
	}
	if want := []image.Point{{250, 8}, {200, 10}}; !slices.Equal(got, want) {
		t.Fatalf("stacks of %v, want %v", got, want)
	}
	for i, want := range []bool{false, false, true, true, true, true, false, false} {
		if p.assets[i].isStrip() != want {
			t.Errorf("asset %d a strip: %v", i, !want)
		}
	}
	if a := p.assets[5]; a.sharesOf != p.assets[9] || a.back != (matrix{1, 0, 0, 1, 0, -5}) {
		t.Errorf("the second of a stack takes its words by %v", a.back)
	}
}

// A stack has as many pixels as an image may have; what is over it begins another.
func TestStacksKeepTheLimits(t *testing.T) {
	for more, want := range map[int64][]int{-1: {15}, 0: {20}, 1: {20}} {
		p := striped(nil, strip5, strip5, strip5, strip5)
		for i := range 4 {
			p.draw(i+1, at(0, float64(5*i)))
		}
		p.task.Limits.AssetPixels = 200*20 + more
		var got []int
		p.stackUp()
		for _, a := range p.assets[5:] {
			got = append(got, a.Height)
		}
		if !slices.Equal(got, want) { // the last one alone is no stack
			t.Errorf("%+d pixels: stacks %d high, want %d", more, got, want)
		}
	}
	for more, want := range map[int64]int{-1: 0, 0: 1, 1: 1} {
		p := striped(nil, strip5, strip5)
		p.draw(1, at(0, 0))
		p.draw(2, at(0, 5))
		p.task.Limits.TotalPixels = 200*10 + more
		if p.stackUp(); len(p.assets)-3 != want {
			t.Errorf("%+d pixels in all: %d stacks, want %d", more, len(p.assets)-3, want)
		}
	}
}

// Rounding adds up: a stack whose strips would lie elsewhere than on the page is none.
func TestStacksDoNotDrift(t *testing.T) {
	for name, c := range map[string]struct {
		pitch  func(i int) float64
		stands bool
	}{
		"evenly": {func(i int) float64 { return 5.8 * float64(i) }, true},
		"unevenly": {func(i int) float64 {
			return 5*float64(i) + 1.2*float64(min(i, 4))
		}, false},
	} {
		p := striped(nil, slices.Repeat([]image.Point{strip5}, 8)...)
		for i := range 8 {
			p.draw(i+1, at(0, c.pitch(i)))
		}
		if p.stackUp(); p.assets[1].isStrip() != c.stands {
			t.Errorf("%s: a stack: %v", name, !c.stands)
		}
	}
}

// F9: a stack is read once and looked at once; its strips are not. A strip that is drawn twice
// stands twice in it, the only one on no page is read alone.
func TestStripsAreReadTogether(t *testing.T) {
	r := &recorder{}
	p := striped(r, strip5, strip5, strip5)
	p.draw(2, at(0, 10))
	p.draw(1, at(0, 0))
	p.draw(2, at(0, 5))
	if err := errors.Join(p.readAll(t.Context(), nil), p.detect(t.Context(), nil), p.redactAll(t.Context(), nil)); err != nil {
		t.Fatal(err)
	}
	want := []image.Point{{200, 150}, {200, 5}, {200, 15}}
	if !slices.Equal(r.read, want) || r.first[2] != (color.Gray{Y: 102}) {
		t.Errorf("read %v, below %v", r.read, r.first)
	}
	slices.SortFunc(r.looked, func(a, b image.Point) int { return a.Y - b.Y })
	if want = []image.Point{{200, 5}, {200, 15}, {200, 150}}; !slices.Equal(r.looked, want) {
		t.Errorf("looked at %v", r.looked)
	}
}

// Where a strip does not decode, there is no stack: the others are read as ever.
func TestBrokenStripsLeaveTheOthersAlone(t *testing.T) {
	r := &recorder{}
	p := striped(r, strip5, strip5, strip5)
	for i := range 3 {
		p.draw(i+1, at(0, float64(5*i)))
	}
	src := p.source.(pictures) //nolint:forcetypeassert // the tests' own
	src.broken = 2
	p.source = src
	if err := errors.Join(p.readAll(t.Context(), nil), p.detect(t.Context(), nil), p.redactAll(t.Context(), nil)); err != nil {
		t.Fatal(err)
	}
	if want := []image.Point{{200, 150}, strip5, strip5}; !slices.Equal(r.read, want) || len(r.looked) != 3 {
		t.Errorf("read %v, looked at %v", r.read, r.looked)
	}
	if p.assets[1].Withheld != "" || p.assets[2].Withheld != reason.ExtractMalformed || p.assets[3].Withheld != "" {
		t.Errorf("withheld: %q %q %q", p.assets[1].Withheld, p.assets[2].Withheld, p.assets[3].Withheld)
	}
}

// What the second look finds on a stack goes from its strips; where it fails, they stay.
func TestSecondLookAtAStack(t *testing.T) {
	for _, fails := range []error{nil, reason.Because(reason.ReadTime, errors.New("slow"))} {
		r := &recorder{newsAt: image.Pt(200, 15), news: document.Box{X: 50, Y: 3, W: 40, H: 4}, fails: fails}
		p := striped(r, strip5, strip5, strip5)
		for i := range 3 {
			p.draw(i+1, at(0, float64(5*i)))
		}
		if err := errors.Join(p.readAll(t.Context(), nil), p.detect(t.Context(), nil), p.redactAll(t.Context(), nil)); err != nil {
			t.Fatal(err)
		}
		for i, a := range p.assets[1:4] {
			switch {
			case fails != nil && a.Withheld != reason.ReadTime:
				t.Errorf("strip %d: %q", i, a.Withheld)
			case fails == nil && (len(a.findings) > 0) != (i < 2):
				t.Errorf("strip %d: %v", i, boxes(a))
			}
		}
	}
}

// What is found on a stack is cut to its strips and told to its page.
func TestFindingsOfAStack(t *testing.T) {
	p := halved()
	p.carry()
	for i, want := range [][]document.Box{
		{{X: 30, Y: 22, W: 10, H: 3}},
		{{X: 40, Y: 4, W: 20, H: 1}},
		{{X: 40, Y: 0, W: 20, H: 4}},
		nil,
	} {
		if got := boxes(p.assets[i]); !slices.Equal(got, want) {
			t.Errorf("asset %d: %v, want %v", i, got, want)
		}
	}
}

// They are so to the pixel, whatever the page found there: nobody looks at a strip again.
func TestFindingsOfAStackAreCutToThePixel(t *testing.T) {
	p := halved()
	p.assets[0].findings = []document.Finding{finding(31, 22, 8, 3)} // from 42 to 58 on the strip
	p.carry()
	if got, want := boxes(p.assets[1]), (document.Box{X: 40, Y: 4, W: 20, H: 1}); !slices.Contains(got, want) {
		t.Errorf("on the strip: %v, want %v among them", got, want)
	}
}

// halved is a page that shows three strips at half their size, and what was found on two.
func halved() *pipeline {
	p := striped(&recorder{}, strip5, strip5, strip5)
	for i := range 3 {
		p.draw(i+1, matrix{.5, 0, 0, .5, 10, 20 + 2.5*float64(i)})
	}
	p.stackUp()
	stack := p.assets[4]
	stack.page, p.assets[0].page = &words.Page{Width: 200, Height: 15}, &words.Page{Width: 200, Height: 150}
	stack.findings = []document.Finding{finding(40, 4, 20, 5)}
	return p
}

// A policy that withholds what was not understood withholds the strips on which it is.
func TestStripsWithUnreadTextAreWithheld(t *testing.T) {
	p := striped(&recorder{}, strip5, strip5, strip5)
	for i := range 3 {
		p.draw(i+1, at(0, float64(5*i)))
	}
	p.task.Unread = document.WithholdUnread
	p.stackUp()
	stack := p.assets[4]
	stack.page = &words.Page{Width: 200, Height: 15, Unread: []document.Box{{X: 10, Y: 1, W: 50, H: 7}}}
	stack.Withheld = reason.ReadUnread
	for i, want := range []reason.Code{reason.ReadUnread, reason.ReadUnread, ""} {
		if !p.takeWords(p.assets[i+1]) || p.assets[i+1].Withheld != want {
			t.Errorf("strip %d: %q, want %q", i, p.assets[i+1].Withheld, want)
		}
	}
	stack.Withheld = reason.MarkFailed
	if p.takeWords(p.assets[1]) {
		t.Error("words are taken of a stack that was not searched for marks")
	}
}
