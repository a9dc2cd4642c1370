package inside

import (
	"image"
	"image/color"
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// A coloured box on a gray picture is of that colour; a label takes no more than 3 % of
// the word beneath; and the second look does not take it for text.
func TestFillAndLabels(t *testing.T) {
	fill := document.Colour{R: 180, G: 20, B: 40}
	page := oneLine()
	page.Words[1].Box = document.Box{X: 60, Y: 10, W: 110, H: 40}
	o := process(t, &fakeReader{page: page}, rules(document.Rules{Fill: fill, Labels: true}))
	img := o.image(t)
	b, other := o.burned[0], 0
	for y := b.Y; y < b.Y+b.H; y++ {
		for x := b.X; x < b.X+b.W; x++ {
			if color.NRGBAModel.Convert(img.At(int(x), int(y))) != (color.NRGBA{180, 20, 40, 255}) {
				other++
			}
		}
	}
	if area := int(b.W * b.H); other == 0 || 33*other > area {
		t.Errorf("%d of %d pixels are not of the colour", other, area)
	}
	if len(o.burned) != 1 {
		t.Errorf("burned %+v", o.burned)
	}
	plain := process(t, &fakeReader{page: page}, rules(document.Rules{Fill: fill}))
	if !plainBox(plain.image(t), b.X, b.Y, b.W, b.H) {
		t.Error("without labels a box has more than one colour")
	}
}

func plainBox(img image.Image, x0, y0, w, h uint32) bool {
	for y := y0; y < y0+h; y++ {
		for x := x0; x < x0+w; x++ {
			if img.At(int(x), int(y)) != img.At(int(x0), int(y0)) {
				return false
			}
		}
	}
	return true
}

// The first word of a long box may be too small for a label that the box could bear.
func TestLabelsSpareSmallWords(t *testing.T) {
	box := document.Box{X: 10, Y: 10, W: 180, H: 30}
	page := &words.Page{Width: 200, Height: 100, Words: []words.Word{
		{Box: document.Box{X: 10, Y: 10, W: 12, H: 30}}, {Box: document.Box{X: 30, Y: 10, W: 160, H: 30}},
	}}
	a := &asset{page: page}
	a.findings = []document.Finding{{Box: box, Type: document.Name}}
	img := image.NewGray(image.Rect(0, 0, 200, 100))
	p := &pipeline{task: rules(document.Rules{Labels: true})}
	p.label(a, img)
	if !plainBox(img, 0, 0, 200, 100) {
		t.Error("a label takes more than 3 % of a word")
	}
	page.Words[0].Box.W = 60
	p.label(a, img)
	if plainBox(img, 0, 0, 200, 100) {
		t.Error("no label where there is room")
	}
}

func TestLabelsDoNotOverlap(t *testing.T) {
	box := document.Box{X: 10, Y: 10, W: 180, H: 30}
	a := &asset{page: &words.Page{}, findings: []document.Finding{{Box: box, Type: document.Name}, {Box: box, Type: document.Staff}}}
	one, two := image.NewGray(image.Rect(0, 0, 200, 100)), image.NewGray(image.Rect(0, 0, 200, 100))
	p := &pipeline{task: rules(document.Rules{Labels: true})}
	p.label(a, two)
	a.findings = a.findings[:1]
	p.label(a, one)
	if string(one.Pix) != string(two.Pix) {
		t.Error("a second label was written over the first")
	}
}
