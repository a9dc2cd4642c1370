package specimen

import (
	"image/color"

	"blotter/internal/examples/paper"
)

// US letter and ISO A4, points.
const (
	letterWidth, letterHeight = 612.0, 792.0
	a4Width, a4Height         = 595.0, 842.0
)

var (
	ruleGray  = color.Gray{0x90}
	shadeGray = color.Gray{0xe6}
	softBlue  = color.RGBA{0xdc, 0xe8, 0xf4, 0xff}
)

// page is an empty sheet of the size that the country uses.
func (d *desk) page() *paper.Sheet {
	if d.country == "us" || d.country == "ca" {
		return &paper.Sheet{Width: letterWidth, Height: letterHeight}
	}
	return &paper.Sheet{Width: a4Width, Height: a4Height}
}

// field is a label with its value.
type field struct{ label, value string }

// fieldStyle is how labels stand to their values.
type fieldStyle int

// The even styles serve one half, the odd ones the other; the first two serve both.
const (
	inline     fieldStyle = iota // Label: value
	boxed                        // the label small in the corner of a box, the value below it
	underlined                   // Label ______ with the value on the line
	shaded                       // a table of shaded label cells beside value cells
	captioned                    // the value on a line, the label small below it
	stacked                      // the label in bold above, no box
)

func (d *desk) fieldStyle() fieldStyle {
	if d.maybe(40) {
		return fieldStyle(d.rng.IntN(2))
	}
	return fieldStyle(d.variant(6))
}

// form sets fields in columns from (x, y) over width and returns where it ends. set is
// the style of values.
func (d *desk) form(s *paper.Sheet, style fieldStyle, x, y, width float64, columns int, set paper.Style, fields []field) float64 {
	heights := map[fieldStyle]float64{inline: 1.65, boxed: 2.5, underlined: 1.9, shaded: 1.8, captioned: 2.6, stacked: 2.7}
	row := set.Size * heights[style]
	cell := width / float64(columns)
	column := 0
	for _, f := range fields {
		span := d.span(style, set, f, cell, columns-column)
		if span > columns-column {
			y, column = y+row, 0
			span = min(d.span(style, set, f, cell, columns), columns)
		}
		d.cell(s, style, x+float64(column)*cell, y, cell*float64(span), row, set, f)
		if column += span; column >= columns {
			y, column = y+row, 0
		}
	}
	if column > 0 {
		y += row
	}
	return y
}

// span is how many columns a field needs; more than there are left means a new row.
func (d *desk) span(style fieldStyle, set paper.Style, f field, cell float64, left int) int {
	label := paper.Measure(d.labelStyle(style, set), f.label+": ")
	value := paper.Measure(set, f.value)
	need := max(label, value) + 12
	switch style {
	case inline, underlined:
		need = label + value + 16
	case shaded:
		need = max(value+cell*0.38, label+cell*0.62) + 10
	}
	span := 1
	for float64(span)*cell < need {
		span++
		if span > left {
			return max(span, left+1)
		}
	}
	return span
}

func (d *desk) labelStyle(style fieldStyle, set paper.Style) paper.Style {
	switch style {
	case boxed, captioned:
		return d.print.at(max(set.Size*0.62, 5.5))
	case stacked:
		return d.print.strong(set.Size * 0.85)
	case inline:
		return d.print.strong(min(set.Size, 11))
	}
	return d.print.at(min(set.Size*0.92, 11))
}

func (d *desk) cell(s *paper.Sheet, style fieldStyle, x, y, w, h float64, set paper.Style, f field) {
	label := d.labelStyle(style, set)
	narrow := func(room float64) paper.Style { return paper.Fit(set, f.value, room) }
	switch style {
	case inline:
		set = narrow(w - 8 - paper.Measure(label, f.label+": "))
		s.Text(x+2, y+h*0.7, label, f.label+":")
		s.Text(x+2+paper.Measure(label, f.label+": ")+3, y+h*0.7, set, f.value)
	case boxed:
		s.Frame(x, y, w, h)
		s.Text(x+4, y+label.Size+2, label, f.label)
		s.Text(x+6, y+h-set.Size*0.38, narrow(w-10), f.value)
	case underlined:
		start := x + paper.Measure(label, f.label) + 6
		s.Text(x, y+h*0.72, label, f.label)
		s.Text(start+4, y+h*0.70, narrow(x+w-14-start), f.value)
		s.Fill(start, y+h*0.72+2.5, x+w-10-start, 0.5, color.Black)
	case shaded:
		split := max(w*0.38*min(1, 2*set.Size*14/w), paper.Measure(label, f.label)+8)
		s.Fill(x, y, split, h, shadeGray)
		s.Frame(x, y, w, h)
		s.Text(x+4, y+h*0.68, label, f.label)
		s.Text(x+split+5, y+h*0.68, narrow(w-split-8), f.value)
	case captioned:
		s.Text(x+4, y+set.Size*1.1, narrow(w-16), f.value)
		s.Fill(x, y+set.Size*1.45, w-12, 0.5, color.Black)
		s.Text(x+4, y+set.Size*1.45+label.Size+1.5, label, f.label)
	case stacked:
		s.Text(x, y+label.Size, label, f.label)
		s.Text(x, y+label.Size+set.Size*1.25, narrow(w-8), f.value)
	}
}

// checks sets a row of check boxes, some of them ticked.
func (d *desk) checks(s *paper.Sheet, x, y, step float64, st paper.Style, labels ...string) {
	for i, l := range labels {
		at := x + float64(i)*step
		s.Frame(at, y-st.Size*0.75, st.Size*0.8, st.Size*0.8)
		if d.maybe(40) {
			d.tick(s, at, y-st.Size*0.75, st.Size*0.8)
		}
		s.Text(at+st.Size*1.15, y, st, l)
	}
}

// tick crosses or hooks a box.
func (d *desk) tick(s *paper.Sheet, x, y, size float64) {
	ink := d.hand.Ink
	if d.maybe(50) {
		s.Stroke(1, ink, point(x+size*0.1, y+size*0.5), point(x+size*0.45, y+size*0.9), point(x+size*1.2, y-size*0.2))
		return
	}
	s.Stroke(0.9, ink, point(x, y), point(x+size, y+size))
	s.Stroke(0.9, ink, point(x+size, y), point(x, y+size))
}

// heading is a section's title in the document's manner.
func (d *desk) heading(s *paper.Sheet, x, y, width float64, text string) {
	switch d.variant(4) {
	case 0:
		s.Text(x, y, d.print.strong(11), text)
		s.Fill(x, y+3, width, 0.7, color.Black)
	case 1:
		s.Fill(x, y-11, width, 15, shadeGray)
		s.Text(x+4, y, d.print.strong(10.5), text)
	case 2:
		s.Fill(x, y-11, width, 15, color.Gray{0x38})
		st := d.print.strong(10.5)
		st.Ink = color.White
		s.Text(x+4, y, st, text)
	default:
		s.Text(x, y, d.print.strong(10.5), text)
	}
}

// grid sets a table with lines and returns its end; columns are widths.
func (d *desk) grid(s *paper.Sheet, x, y, row float64, columns []float64, head, body paper.Style, rows [][]string) float64 {
	lined := d.variant(4)
	total := 0.0
	for _, w := range columns {
		total += w
	}
	for r, cells := range rows {
		st := body
		if r == 0 {
			st = head
			if lined != 1 {
				s.Fill(x, y, total, row, shadeGray)
			}
		}
		at := x
		for i, cell := range cells {
			s.Text(at+4, y+row*0.68, paper.Fit(st, cell, columns[i]-6), cell)
			at += columns[i]
		}
		if lined == 0 || lined == 3 || r == 0 {
			s.Fill(x, y+row, total, 0.5, color.Black)
		}
		y += row
	}
	if lined == 0 || lined == 2 {
		at := x
		for _, w := range append(columns, 0) {
			s.Fill(at, y-row*float64(len(rows)), 0.5, row*float64(len(rows)), color.Black)
			at += w
		}
	}
	return y
}
