package examples

import (
	"blotter/internal/truth"
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/gofont/gosmallcaps"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// typeface names one of the Go fonts (BSD licence, inside golang.org/x/image).
type typeface string

const (
	regular   typeface = "regular"
	bold      typeface = "bold"
	medium    typeface = "medium"
	italic    typeface = "italic"
	mono      typeface = "mono"
	smallCaps typeface = "smallcaps"
)

var outlines = map[typeface][]byte{
	regular: goregular.TTF, bold: gobold.TTF, medium: gomedium.TTF,
	italic: goitalic.TTF, mono: gomono.TTF, smallCaps: gosmallcaps.TTF,
}

// style is how text is set.
type style struct {
	face typeface
	size float64     // points
	ink  color.Color // nil is black
}

// sheet is a page before it is drawn. Its unit is the point (1/72 inch), from the top
// left corner; text stands on its baseline.
type sheet struct {
	width, height float64
	fills         []fill
	texts         []textLine
	values        int
}

type fill struct {
	x, y, w, h float64
	ink        color.Color
}

type textLine struct {
	x, y  float64
	style style
	spans []span
}

// text sets one line of marked-up text.
func (s *sheet) text(x, y float64, st style, markup string) {
	s.texts = append(s.texts, textLine{x, y, st, spans(markup, &s.values)})
}

// block sets several lines, leading points apart, and returns the next free baseline.
func (s *sheet) block(x, y, leading float64, st style, lines ...string) float64 {
	for _, l := range lines {
		s.text(x, y, st, l)
		y += leading
	}
	return y
}

// fill paints a rectangle under all text.
func (s *sheet) fill(x, y, w, h float64, ink color.Color) {
	s.fills = append(s.fills, fill{x, y, w, h, ink})
}

// frame draws the outline of a rectangle, half a point thick.
func (s *sheet) frame(x, y, w, h float64) {
	const t = 0.5
	s.fill(x, y, w, t, color.Black)
	s.fill(x, y+h-t, w, t, color.Black)
	s.fill(x, y, t, h, color.Black)
	s.fill(x+w-t, y, t, h, color.Black)
}

// draw renders the sheet at dpi pixels per inch, on paper of that colour, and says
// where each word's ink lies.
func (s *sheet) draw(dpi float64, paper color.Color) (*image.RGBA, []truth.Word, error) {
	px := func(points float64) int { return int(math.Round(points * dpi / 72)) }
	img := image.NewRGBA(image.Rect(0, 0, px(s.width), px(s.height)))
	draw.Draw(img, img.Rect, image.NewUniform(paper), image.Point{}, draw.Src)
	for _, f := range s.fills {
		r := image.Rect(px(f.x), px(f.y), max(px(f.x+f.w), px(f.x)+1), max(px(f.y+f.h), px(f.y)+1))
		draw.Draw(img, r, image.NewUniform(f.ink), image.Point{}, draw.Over)
	}
	var words []truth.Word
	for _, t := range s.texts {
		face, err := newFace(t.style, dpi)
		if err != nil {
			return nil, nil, err
		}
		words = append(words, t.draw(img, face, dpi)...)
	}
	return img, words, nil
}

func newFace(st style, dpi float64) (font.Face, error) {
	parsed, err := opentype.Parse(outlines[st.face])
	if err != nil {
		return nil, err
	}
	return opentype.NewFace(parsed, &opentype.FaceOptions{Size: st.size, DPI: dpi, Hinting: font.HintingNone})
}

func (t textLine) draw(img *image.RGBA, face font.Face, dpi float64) []truth.Word {
	ink := t.style.ink
	if ink == nil {
		ink = color.Black
	}
	pen := font.Drawer{Dst: img, Src: image.NewUniform(ink), Face: face,
		Dot: fixed.Point26_6{X: fixed.Int26_6(t.x * dpi / 72 * 64), Y: fixed.Int26_6(t.y * dpi / 72 * 64)}}
	words := make([]truth.Word, 0, len(t.spans))
	for i, s := range t.spans {
		if i > 0 && !s.glued {
			pen.Dot.X += pen.MeasureString(" ")
		}
		bounds, _ := pen.BoundString(s.text)
		words = append(words, s.word(quadOf(bounds)))
		pen.DrawString(s.text)
	}
	return words
}

func quadOf(r fixed.Rectangle26_6) [4]truth.Point {
	x0, y0, x1, y1 := float64(r.Min.X)/64, float64(r.Min.Y)/64, float64(r.Max.X)/64, float64(r.Max.Y)/64
	return truth.Rect(x0, y0, x1, y1)
}

func (s span) word(quad [4]truth.Point) truth.Word {
	return truth.Word{Text: s.text, Quad: quad, Want: s.want, Type: s.kind, Value: s.value}
}
