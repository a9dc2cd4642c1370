package metafile

import (
	"image/color"
	"math"
)

// pen draws nothing where it is not visible.
type pen struct {
	width   float64 // logical units; 0 is one pixel
	c       color.NRGBA
	dashes  []float64 // lengths of line and gap in turn, in logical units; nil for a whole line
	ends    end
	joins   end
	visible bool
}

// end is how a line ends, and how two pieces of it meet.
type end byte

const (
	round end = iota
	square
	flat
)

// brush fills.
type brush struct {
	c       color.NRGBA
	visible bool
	hatch   int     // 1 and more: lines of the colour
	bits    *bitmap // a pattern; nil for a plain colour
	mono    bool    // the pattern has the colours of text and paper
	unknown bool    // a pattern that cannot be read
}

// colour reads a COLORREF: red, green, blue, and how it is meant.
func (p *player) colour(v uint32) color.NRGBA {
	const place = 1
	if v>>24 == place { // in the palette
		if i := v & 0xffff; int(i) < len(p.dc.palette) {
			return p.dc.palette[i]
		}
		return black
	}
	return color.NRGBA{byte(v), byte(v >> 8), byte(v >> 16), 255}
}

// newPen reads the style of a pen ([MS-WMF] 2.1.1.23). A cosmetic pen is one pixel wide
// whatever its width; custom are the dashes of a style of the user's own.
func newPen(style uint32, width float64, c color.NRGBA, custom []float64) pen {
	const null, userStyle = 5, 7
	x := pen{width: math.Abs(width), c: c, visible: style&0xf != null, ends: end(style >> 8 & 3), joins: end(style >> 12 & 3)}
	unit := math.Max(x.width, 1)
	patterns := map[uint32][]float64{1: {3, 1}, 2: {1, 1}, 3: {3, 1, 1, 1}, 4: {3, 1, 1, 1, 1, 1}, 8: {1, 1}}
	if d := patterns[style&0xf]; d != nil {
		if x.width <= 1 { // some pixels, not one
			unit = 3
		}
		for _, v := range d {
			x.dashes = append(x.dashes, v*unit)
		}
	}
	if style&0xf == userStyle {
		x.dashes = custom
	}
	if x.dashes != nil && x.ends == round && x.width > 1 {
		x.ends = flat // rounded ends would close short gaps
	}
	return x
}

// newBrush reads the style of a brush ([MS-WMF] 2.1.1.4); false where it is a pattern.
func newBrush(style uint32, c color.NRGBA, hatch uint32) (brush, bool) {
	const solid, hollow, hatched = 0, 1, 2
	b := brush{c: c, visible: style != hollow}
	if style == hatched && hatch < 6 {
		b.hatch = int(hatch) + 1
	}
	return b, style <= hatched
}

const (
	// maxDashes bounds the pieces that one order cuts its lines into. Where there would be
	// more the line is drawn whole: at that many they are finer than pixels.
	maxDashes = 1 << 16
)

// dash cuts lines into pieces. lengths are in the units of the points.
func dash(figs []figure, lengths []float64) []figure {
	total, pattern := 0.0, 0.0
	for _, f := range figs {
		for i := 1; i < len(f.pts); i++ {
			total += f.pts[i].minus(f.pts[i-1]).length()
		}
	}
	for _, v := range lengths {
		if !(v >= 0) {
			return figs
		}
		pattern += v
	}
	if !(pattern > 0) || !(total/pattern*float64(len(lengths)) < maxDashes) {
		return figs
	}
	var out []figure
	for _, f := range figs {
		out = append(out, dashOne(f, lengths)...)
	}
	return out
}

func dashOne(f figure, lengths []float64) (out []figure) {
	pts := f.pts
	if f.closed && len(pts) > 0 {
		pts = append(pts[:len(pts):len(pts)], pts[0])
	}
	i, left := 0, lengths[0]
	var piece []point
	for k := 1; k < len(pts); k++ {
		a, b := pts[k-1], pts[k]
		long := b.minus(a).length()
		for at := 0.0; at < long; {
			here := a.plus(b.minus(a).times(at / long))
			if i%2 == 0 && piece == nil {
				piece = []point{here}
			}
			step := math.Min(left, long-at)
			at, left = at+step, left-step
			if i%2 == 0 {
				piece = append(piece, a.plus(b.minus(a).times(math.Min(at/long, 1))))
			}
			for n := 0; left <= 0 && n < len(lengths); n++ {
				if piece != nil {
					out, piece = append(out, figure{pts: piece}), nil
				}
				i++
				left = lengths[i%len(lengths)]
			}
			if step == 0 && left <= 0 {
				return out
			}
		}
	}
	if piece != nil {
		out = append(out, figure{pts: piece})
	}
	return out
}

// outline is the polygons that a line of a width covers, in pixels, all turning one way, so
// that what they cover is their union. Level ones need no smoothing.
func (s stroke) outline(f figure, half float64, emit func(ring []point, level bool)) {
	pts := f.pts
	if f.closed && len(pts) > 1 {
		pts = append(pts[:len(pts):len(pts)], pts[0])
	}
	if len(pts) == 1 {
		emit(capsule(pts[0], pts[0], half), half < 1)
		return
	}
	for i := 1; i < len(pts); i++ {
		a, b := pts[i-1], pts[i]
		first, last := i == 1 && !f.closed, i == len(pts)-1 && !f.closed
		level := a.x == b.x || a.y == b.y
		switch {
		case half <= 0.75:
			emit(bar(a, b, half, half/2), level)
		case first && s.ends == flat || last && s.ends == flat:
			emit(bar(a, b, half, 0), level)
			if !first {
				emit(capsule(a, a, half), false)
			}
		case (first || last) && s.ends == square:
			emit(bar(a, b, half, half), level)
		default:
			emit(capsule(a, b, half), false)
		}
	}
}

// bar is a rectangle along a line, longer than it by some at both ends.
func bar(a, b point, half, more float64) []point {
	d := b.minus(a)
	if n := d.length(); n > 0 {
		d = d.times(1 / n)
	} else {
		d = point{1, 0}
		more = half
	}
	a, b = a.minus(d.times(more)), b.plus(d.times(more))
	n := point{-d.y * half, d.x * half}
	return []point{a.minus(n), b.minus(n), b.plus(n), a.plus(n)}
}

// capsule is the outline of a thick line from a to b with rounded ends.
func capsule(a, b point, half float64) []point {
	n := 4 // points of each end's half circle, and one
	if half > 4 {
		n = min(24, 4+int(half/2))
	}
	dir := math.Atan2(b.y-a.y, b.x-a.x)
	out := make([]point, 0, 2*n+2)
	for i := range n + 1 {
		s, co := math.Sincos(dir - math.Pi/2 + math.Pi*float64(i)/float64(n))
		out = append(out, point{b.x + half*co, b.y + half*s})
	}
	for i := range n + 1 {
		s, co := math.Sincos(dir + math.Pi/2 + math.Pi*float64(i)/float64(n))
		out = append(out, point{a.x + half*co, a.y + half*s})
	}
	return out
}
