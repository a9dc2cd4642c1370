package inside

import (
	"slices"
	"testing"

	"blotter/internal/cell/inside/extract"
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// strips is a read page of 100×30, put together of three strips of 100×10 pixels each.
func strips() *pipeline {
	p := &pipeline{assets: []*asset{sized(100, 30)}, source: placed{placements: map[int][]extract.Placement{}}}
	p.assets[0].page = &words.Page{Width: 100, Height: 30}
	for i := range 3 {
		p.assets = append(p.assets, sized(100, 10))
		p.place(0, i+1, matrix{1, 0, 0, 1, 0, float64(10 * i)})
	}
	return p
}

func (p *pipeline) place(page, image int, m matrix) {
	src := p.source.(placed) //nolint:forcetypeassert // the tests' own
	src.placements[page] = append(src.placements[page], extract.Placement{Image: image, ToPage: [6]float64(m)})
}

func boxes(a *asset) (out []document.Box) {
	for _, f := range a.findings {
		out = append(out, f.Box)
	}
	return out
}

// F9: what a strip shows of half a line says nothing of the page; what lies in it whole does.
func TestHalfLinesOfAStripStay(t *testing.T) {
	for name, c := range map[string]struct {
		box    document.Box // on the middle strip
		onPage bool
	}{
		"at the seam above": {document.Box{X: 20, Y: 0, W: 10, H: 5}, false},
		"at the seam below": {document.Box{X: 20, Y: 5, W: 10, H: 4}, false},
		"within":            {document.Box{X: 20, Y: 4, W: 10, H: 3}, true},
		"at the paper edge": {document.Box{X: 0, Y: 4, W: 10, H: 3}, true},
	} {
		p := strips()
		p.assets[2].findings = []document.Finding{{Box: c.box, Type: document.Name, Source: document.ByName}}
		p.carry()
		if got := len(boxes(p.assets[0])) == 1; got != c.onPage {
			t.Errorf("%s: on the page %v", name, boxes(p.assets[0]))
		}
		p = strips()
		p.assets[0].page = nil // it was not read: the strips are all there is
		p.assets[2].findings = []document.Finding{{Box: c.box, Type: document.Name, Source: document.ByName}}
		if p.carry(); len(boxes(p.assets[0])) != 1 {
			t.Errorf("%s: a page that was not read has %v", name, boxes(p.assets[0]))
		}
	}
}

// F9: a face that fills its picture touches the next one, and is burned on the page as well.
func TestFacesAndCodesAtASeamAreTold(t *testing.T) {
	for _, by := range []document.Source{document.ByFace, document.ByBarcode} {
		p := strips()
		p.assets[2].findings = []document.Finding{{Box: document.Box{X: 20, W: 10, H: 10}, Type: document.Face, Source: by}}
		p.carry()
		if got := boxes(p.assets[0]); !slices.Equal(got, []document.Box{{X: 20, Y: 10, W: 10, H: 10}}) {
			t.Errorf("on the page: %v", got)
		}
	}
}

// A blank strip that stands in many places brings what hangs over it to none of them.
func TestBlankStripsPassNothingOn(t *testing.T) {
	p := strips()
	p.place(0, 1, matrix{1, 0, 0, 1, 0, 20}) // the first strip again, over the third
	p.assets[0].findings = []document.Finding{finding(20, 5, 30, 12)}
	p.carry()
	if got := boxes(p.assets[0]); !slices.Equal(got, []document.Box{{X: 20, Y: 5, W: 30, H: 12}}) {
		t.Errorf("on the page: %v", got)
	}
	if got := boxes(p.assets[1]); !slices.Contains(got, document.Box{X: 20, Y: 5, W: 30, H: 5}) {
		t.Errorf("on the strip: %v", got)
	}
}

// F7: a single pixel below a mask of words. What is found on the page burns the pixel, which
// does not burn the page.
func TestCoarsePicturesPassNothingOn(t *testing.T) {
	p := &pipeline{assets: []*asset{sized(100, 100), sized(1, 1)}, source: placed{placements: map[int][]extract.Placement{}}}
	p.assets[0].page = &words.Page{Width: 100, Height: 100}
	p.place(0, 1, matrix{100, 0, 0, 100, 0, 0})
	p.assets[0].findings = []document.Finding{finding(20, 20, 30, 10)}
	p.assets[1].findings = []document.Finding{{Box: document.Box{W: 1, H: 1}, Type: document.Unread, Source: document.ByCoverage}}
	p.carry()
	if got := boxes(p.assets[0]); len(got) != 1 {
		t.Errorf("on the page: %v", got)
	}
}

// F36: a small copy is burned where its picture is, between bars and without; the next
// picture has copies of its own.
func TestCopiesAreBurnedLikeTheirPictures(t *testing.T) {
	frame, copied := sized(300, 200), sized(30, 20)
	barred, cut, other := sized(30, 30), sized(20, 20), sized(300, 200)
	for _, a := range []*asset{copied, barred, cut} {
		a.Kind = document.Thumbnail
	}
	frame.findings = []document.Finding{finding(100, 50, 100, 20)}
	p := &pipeline{assets: []*asset{frame, copied, barred, cut, other}, source: placed{}}
	p.carry()
	for i, want := range map[int][]document.Box{
		1: {{X: 10, Y: 5, W: 10, H: 2}},
		2: {{X: 10, Y: 10, W: 10, H: 2}, {X: 7, Y: 7, W: 16, H: 4}},
		3: {{X: 6, Y: 6, W: 8, H: 2}, {X: 5, Y: 5, W: 10, H: 2}},
		4: nil,
	} {
		if got := boxes(p.assets[i]); !slices.Equal(got, want) {
			t.Errorf("asset %d: %v, want %v", i, got, want)
		}
	}
}
