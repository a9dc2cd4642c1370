package paper

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"

	xdraw "golang.org/x/image/draw"

	"blotter/internal/truth"
)

// Style is how text is set.
type Style struct {
	Face     *Typeface
	Size     float64     // points
	Ink      color.Color // nil is black; ink that lets the paper through mixes with it
	Turn     float64     // degrees clockwise around the start of the baseline
	Tracking float64     // points between characters, for combs of one box a character
}

// Sheet is a page before it is drawn. Its unit is the point (1/72 inch), from the top
// left corner; text stands on its baseline. Fills and pictures lie under the text,
// strokes above it.
type Sheet struct {
	Width, Height float64
	fills         []fill
	pictures      []picture
	texts         []textLine
	strokes       []stroke
	areas         []truth.Area // in points
	values        int
}

type fill struct {
	x, y, w, h float64
	ink        color.Color
}

type picture struct {
	x, y, w, h float64
	img        image.Image
}

type textLine struct {
	x, y  float64
	style Style
	spans []span
}

// edge is how near, in points, text that has to shrink comes to the edge of the sheet.
const edge = 3

// Text sets one line of marked-up text; what would hang over the right edge is set smaller.
func (s *Sheet) Text(x, y float64, st Style, markup string) {
	if st.Turn == 0 {
		st = Fit(st, markup, s.Width-x-edge)
	}
	s.texts = append(s.texts, textLine{x, y, st, spans(markup, &s.values)})
}

// Right sets one line that ends at x.
func (s *Sheet) Right(x, y float64, st Style, markup string) {
	st = Fit(st, markup, x-edge)
	s.Text(x-Measure(st, markup), y, st, markup)
}

// Centre sets one line around x.
func (s *Sheet) Centre(x, y float64, st Style, markup string) {
	st = Fit(st, markup, 2*(min(x, s.Width-x)-edge))
	s.Text(x-Measure(st, markup)/2, y, st, markup)
}

// Block sets several lines, leading points apart, and returns the next free baseline.
func (s *Sheet) Block(x, y, leading float64, st Style, lines ...string) float64 {
	for _, l := range lines {
		s.Text(x, y, st, l)
		y += leading
	}
	return y
}

// Paragraph breaks marked-up text into lines no wider than width and returns the next
// free baseline. A value that is broken stays one value.
func (s *Sheet) Paragraph(x, y, width, leading float64, st Style, markup string) float64 {
	for _, line := range wrap(st, spans(markup, &s.values), width) {
		s.texts = append(s.texts, textLine{x, y, st, line})
		y += leading
	}
	return y
}

// Table sets rows of cells, the first in bold; columns are offsets from x.
func (s *Sheet) Table(x, y float64, columns []float64, head, body Style, rows [][]string) {
	st := head
	for _, row := range rows {
		for i, cell := range row {
			s.Text(x+columns[i], y, st, cell)
		}
		y, st = y+16, body
	}
}

// Fill paints a rectangle under all text.
func (s *Sheet) Fill(x, y, w, h float64, ink color.Color) {
	s.fills = append(s.fills, fill{x, y, w, h, ink})
}

// Frame draws the outline of a rectangle, half a point thick.
func (s *Sheet) Frame(x, y, w, h float64) {
	const t = 0.5
	s.Fill(x, y, w, t, color.Black)
	s.Fill(x, y+h-t, w, t, color.Black)
	s.Fill(x, y, t, h, color.Black)
	s.Fill(x+w-t, y, t, h, color.Black)
}

// Picture lays a picture on the paper, scaled without smoothing: it serves bar codes.
func (s *Sheet) Picture(x, y, w, h float64, img image.Image) {
	s.pictures = append(s.pictures, picture{x, y, w, h, img})
}

// Area marks a place without words, for the truth.
func (s *Sheet) Area(x, y, w, h float64, want truth.Want, kind string) {
	s.areas = append(s.areas, truth.Area{Quad: truth.Rect(x, y, x+w, y+h), Want: want, Type: kind})
}

// Drawing is a sheet in pixels and what stands where.
type Drawing struct {
	Image *image.RGBA
	Words []truth.Word
	Areas []truth.Area
}

// Draw renders the sheet at dpi pixels per inch, on paper of that colour, and says
// where each word's ink lies. A character that the typeface lacks is an error, and so is
// a word that leaves the sheet.
func (s *Sheet) Draw(dpi float64, paper color.Color) (Drawing, error) {
	px := func(points float64) int { return int(math.Round(points * dpi / 72)) }
	img := image.NewRGBA(image.Rect(0, 0, px(s.Width), px(s.Height)))
	draw.Draw(img, img.Rect, image.NewUniform(paper), image.Point{}, draw.Src)
	for _, f := range s.fills {
		r := image.Rect(px(f.x), px(f.y), max(px(f.x+f.w), px(f.x)+1), max(px(f.y+f.h), px(f.y)+1))
		draw.Draw(img, r, image.NewUniform(f.ink), image.Point{}, draw.Over)
	}
	for _, p := range s.pictures {
		r := image.Rect(px(p.x), px(p.y), px(p.x+p.w), px(p.y+p.h))
		xdraw.NearestNeighbor.Scale(img, r, p.img, p.img.Bounds(), xdraw.Over, nil)
	}
	words, err := s.drawTexts(img, dpi)
	err = errors.Join(err, inside(words, img.Rect))
	for _, k := range s.strokes {
		k.draw(img, dpi)
	}
	return Drawing{img, words, s.scaledAreas(dpi)}, err
}

// inside finds words that hang over the edge: the writer's fault, for nobody can read them.
func inside(words []truth.Word, r image.Rectangle) error {
	for _, w := range words {
		for _, q := range w.Quad {
			if q.X < -1 || q.Y < -1 || q.X > float64(r.Max.X)+1 || q.Y > float64(r.Max.Y)+1 {
				return fmt.Errorf("%q leaves the sheet of %v at %.0f, %.0f", w.Text, r.Max, q.X, q.Y)
			}
		}
	}
	return nil
}

func (s *Sheet) drawTexts(img *image.RGBA, dpi float64) ([]truth.Word, error) {
	var words []truth.Word
	faces := faceCache{}
	for _, t := range s.texts {
		face, err := faces.of(t.style, dpi)
		if err != nil {
			return nil, err
		}
		if err := t.style.Face.covers(t.spans); err != nil {
			return nil, err
		}
		words = append(words, t.draw(img, face, dpi)...)
	}
	return words, nil
}

func (s *Sheet) scaledAreas(dpi float64) []truth.Area {
	out := append([]truth.Area(nil), s.areas...)
	for i := range out {
		for k, p := range out[i].Quad {
			out[i].Quad[k] = truth.Point{X: p.X * dpi / 72, Y: p.Y * dpi / 72}
		}
	}
	return out
}
