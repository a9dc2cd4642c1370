package inside

import (
	"math"
	"testing"

	"blotter/internal/cell/inside/extract"
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// placed is a source of which only assets and placements matter here.
type placed struct {
	extract.Source
	items      []extract.Item
	placements map[int][]extract.Placement
}

func (s placed) Assets() []extract.Item               { return s.items }
func (s placed) Placements(i int) []extract.Placement { return s.placements[i] }

func sized(w, h int) *asset {
	return &asset{Item: extract.Item{Asset: document.Asset{Width: w, Height: h}}}
}

func finding(x, y, w, h int) document.Finding {
	return document.Finding{Box: document.Box{X: x, Y: y, W: w, H: h}, Type: document.Name, Score: 1, Source: document.ByName}
}

// A page of 100×100 shows, from (50,50), an image of 200×200 at a quarter of its size.
func quarter() *pipeline {
	return &pipeline{
		assets: []*asset{sized(100, 100), sized(200, 200)},
		source: placed{placements: map[int][]extract.Placement{0: {{Image: 1, ToPage: [6]float64{.25, 0, 0, .25, 50, 50}}}}},
	}
}

func TestFindingsAreCarriedToTheImage(t *testing.T) {
	p := quarter()
	p.assets[0].findings = []document.Finding{finding(60, 60, 10, 5), finding(0, 0, 10, 10)}
	p.carry()
	got := p.assets[1].findings
	if len(got) != 1 || got[0].Box != (document.Box{X: 40, Y: 40, W: 40, H: 20}) || got[0].Source != document.ByCarry {
		t.Errorf("on the image: %+v", got)
	}
	if len(p.assets[0].findings) != 2 {
		t.Errorf("the page got its own back: %+v", p.assets[0].findings)
	}
}

func TestFindingsAreCarriedToThePage(t *testing.T) {
	p := quarter()
	p.assets[1].findings = []document.Finding{finding(41, 41, 38, 18)}
	p.carry()
	got := p.assets[0].findings
	if len(got) != 1 || got[0].Box != (document.Box{X: 60, Y: 60, W: 10, H: 5}) {
		t.Errorf("on the page: %+v", got)
	}
}

func TestFindingsReachASecondPageThroughTheImage(t *testing.T) {
	p := quarter()
	p.assets = append(p.assets, sized(100, 100))
	src := p.source.(placed)
	src.placements[2] = []extract.Placement{{Image: 1, ToPage: [6]float64{.5, 0, 0, .5, 0, 0}}}
	p.assets[0].findings = []document.Finding{finding(60, 60, 10, 5)}
	p.carry()
	if got := p.assets[2].findings; len(got) != 1 || got[0].Box != (document.Box{X: 20, Y: 20, W: 20, H: 10}) {
		t.Errorf("on the second page: %+v", got)
	}
}

// Text on an image is a claim about the image; it is read from the pixels.
func TestLayerIsBelievedBesideImagesOnly(t *testing.T) {
	word := func(x, y int) words.Word {
		return words.Word{Text: "Oyelaran", Box: document.Box{X: x, Y: y, W: 10, H: 5}}
	}
	got := quarter().besideImages(0, []words.Word{word(10, 10), word(60, 60), word(45, 50)})
	if len(got) != 1 || got[0] != word(10, 10) {
		t.Errorf("believed: %+v", got)
	}
	if got := quarter().besideImages(1, []words.Word{word(60, 60)}); len(got) != 1 {
		t.Errorf("an image has no images: %+v", got)
	}
}

func TestMatrixTurnsBoxes(t *testing.T) {
	// A quarter turn clockwise of an image 10 wide and 20 high: (x,y) → (20−y, x).
	turn := matrix{0, 1, -1, 0, 20, 0}
	b := document.Box{X: 1, Y: 2, W: 3, H: 4}
	if got := turn.box(b, 20, 10); got != (document.Box{X: 14, Y: 1, W: 4, H: 3}) {
		t.Errorf("turned: %+v", got)
	}
	back, ok := turn.inverse()
	if got := back.box(turn.box(b, 20, 10), 10, 20); !ok || got != b {
		t.Errorf("there and back: %+v", got)
	}
}

// Hostile matrices neither panic nor leave the asset.
func TestHostileMatrices(t *testing.T) {
	odd := []float64{0, 1, -1, 1e-300, 1e300, math.Inf(1), math.Inf(-1), math.NaN()}
	for _, a := range odd {
		for _, b := range odd {
			m := matrix{a, b, b, a, b, a}
			for _, m := range []matrix{m, {a, 0, 0, b, b, a}} {
				check := func(m matrix) {
					got := m.box(document.Box{X: 1, Y: 1, W: 5, H: 5}, 10, 10)
					if got.Rect().Intersect(document.Box{W: 10, H: 10}.Rect()) != got.Rect() {
						t.Errorf("%v maps to %+v", m, got)
					}
				}
				check(m)
				if back, ok := m.inverse(); ok {
					check(back)
				}
			}
		}
	}
}

// An image that fills its page takes the page's words: each lands on the same ink in the
// image's pixels, however the page and its text are turned.
func TestSharedWords(t *testing.T) {
	// A page of 100×50 or 50×100 shows an image of twice that size, turned by 0–3 quarters.
	for k, m := range []matrix{
		{.5, 0, 0, .5, 0, 0}, {0, .5, -.5, 0, 100, 0}, {-.5, 0, 0, -.5, 100, 50}, {0, -.5, .5, 0, 0, 50},
	} {
		for upright := range 4 {
			page, img := sized(100, 50), sized(200, 100)
			if k%2 == 1 {
				img = sized(100, 200)
			}
			p := &pipeline{assets: []*asset{page, img}, source: placed{placements: map[int][]extract.Placement{
				0: {{Image: 1, Alone: true, ToPage: m}},
			}}}
			p.share()
			if p.takeWords(img) {
				t.Fatal("words of a page that was not read")
			}
			p.share()
			page.page = &words.Page{Width: 100, Height: 50, Turn: document.Turn(upright), Words: []words.Word{
				{Text: "x", Box: document.Box{X: 10, Y: 20, W: 6, H: 4}},
			}}
			if upright%2 == 1 {
				page.page.Width, page.page.Height = 50, 100
			}
			if !p.takeWords(img) {
				t.Fatalf("turn %d: not shared", k)
			}
			onPage := page.page.ToAsset(page.page.Words[0].Box)
			onImage := img.page.ToAsset(img.page.Words[0].Box)
			if got := m.box(onImage, 100, 50); got != onPage {
				t.Errorf("turn %d, upright %d: %+v on the image is %+v on the page, want %+v", k, upright, onImage, got, onPage)
			}
			if want := document.Turn(k+upright) % 4; img.page.Turn != want {
				t.Errorf("turn %d, upright %d: image turns by %d", k, upright, img.page.Turn)
			}
		}
	}
}

func TestMirroredAndSkewedImagesAreReadThemselves(t *testing.T) {
	for _, m := range []matrix{{-.5, 0, 0, .5, 100, 0}, {0, .5, .5, 0, 0, 0}, {.5, .1, -.1, .5, 0, 0}, {0, 0, 0, 0, 0, 0}} {
		if turn, ok := m.turn(200, 100); ok {
			t.Errorf("%v is taken for turn %d", m, turn)
		}
	}
}
