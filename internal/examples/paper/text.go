package paper

import (
	"image"
	"image/color"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"

	"blotter/internal/truth"
)

// draw sets the line into img. Turned text is set on a clear layer first, which is then
// laid over the page.
func (t textLine) draw(img *image.RGBA, face font.Face, dpi float64) []truth.Word {
	x, y := t.x*dpi/72, t.y*dpi/72
	if t.style.Turn == 0 {
		return t.set(img, face, dpi, fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(y * 64)})
	}
	size := t.style.Size * dpi / 72
	margin := math.Ceil(2 * size)
	length := t.measure() * dpi / 72
	layer := image.NewRGBA(image.Rect(0, 0, int(length+2*margin), int(2*margin)))
	words := t.set(layer, face, dpi, fixed.P(int(margin), int(margin)))
	m := turnAround(t.style.Turn, margin, margin, x, y)
	overlay(img, layer, m)
	return Move(words, m)
}

// set draws the words one after another, from that point on the baseline.
func (t textLine) set(img *image.RGBA, face font.Face, dpi float64, from fixed.Point26_6) []truth.Word {
	ink := t.style.Ink
	if ink == nil {
		ink = color.Black
	}
	pen := font.Drawer{Dst: img, Src: image.NewUniform(ink), Face: face, Dot: from}
	tracking := fixed.Int26_6(t.style.Tracking * dpi / 72 * 64)
	words := make([]truth.Word, 0, len(t.spans))
	for i, s := range t.spans {
		if i > 0 && !s.glued {
			pen.Dot.X += pen.MeasureString(" ") + tracking
		}
		if tracking == 0 {
			bounds, _ := pen.BoundString(s.text)
			words = append(words, s.word(quadOf(bounds)))
			pen.DrawString(s.text)
			continue
		}
		words = append(words, s.word(quadOf(drawSpread(&pen, s.text, tracking))))
	}
	return words
}

// drawSpread draws the characters apart and returns the bounds of their ink.
func drawSpread(pen *font.Drawer, text string, tracking fixed.Int26_6) fixed.Rectangle26_6 {
	var all fixed.Rectangle26_6
	for _, r := range text {
		bounds, _ := pen.BoundString(string(r))
		all = all.Union(bounds)
		pen.DrawString(string(r))
		pen.Dot.X += tracking
	}
	return all
}

func quadOf(r fixed.Rectangle26_6) [4]truth.Point {
	x0, y0, x1, y1 := float64(r.Min.X)/64, float64(r.Min.Y)/64, float64(r.Max.X)/64, float64(r.Max.Y)/64
	return truth.Rect(x0, y0, x1, y1)
}

func (s span) word(quad [4]truth.Point) truth.Word {
	return truth.Word{Text: s.text, Quad: quad, Want: s.want, Type: s.kind, Value: s.value}
}

// Measure is the width of a line of marked-up text, in points.
func Measure(st Style, markup string) float64 {
	value := 0
	return textLine{style: st, spans: spans(markup, &value)}.measure()
}

// Fit makes a style smaller until a line of marked-up text is no wider than width.
func Fit(st Style, markup string, width float64) Style {
	if w := Measure(st, markup); w > width && width > 0 {
		st.Size *= width / w
	}
	return st
}

func (t textLine) measure() float64 {
	sum := 0.0
	for i, s := range t.spans {
		if i > 0 && !s.glued {
			sum += t.style.advance(" ")
		}
		sum += t.style.advance(s.text)
	}
	return sum
}

// wrap breaks spans into lines at the gaps between printed words.
func wrap(st Style, all []span, width float64) [][]span {
	var lines [][]span
	var line []span
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].glued {
			n++
		}
		longer := append(line[:len(line):len(line)], all[:n]...)
		if len(line) > 0 && (textLine{style: st, spans: longer}).measure() > width {
			lines, longer = append(lines, line), all[:n:n]
		}
		line, all = longer, all[n:]
	}
	if len(line) > 0 {
		lines = append(lines, line)
	}
	return lines
}
