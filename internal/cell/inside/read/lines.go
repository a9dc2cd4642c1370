package read

import (
	"math"
	"slices"

	"blotter/internal/cell/inside/words"
)

// segment is a run of words that surely belong together: what the recogniser read in
// one region, or one word of the text layer.
type segment struct {
	words       []words.Word
	left, right float64
	top, bottom float64 // as if the page were not skewed
	vertical    bool
}

// skew is the slope of the page's lines: the median over long lines, each counted by
// its length.
func skew(regions []region) float64 {
	var long []quad
	for _, g := range regions {
		if g.upright() && g.length() > 4*g.height() {
			long = append(long, g.quad)
		}
	}
	if len(long) < fewLines {
		return 0
	}
	return medianSlope(long)
}

// arrange puts all words of a page in order: numbered by line from the top, within a
// line from left to right. What stands on the same height is one line however far
// apart, so that a label and its value meet; vertical lines come last, each its own.
// A recognised word that stands on a word of the layer is left out.
func arrange(readings []reading, layer []words.Word, slope float64, w, h int) []words.Word {
	var segments []segment
	for _, g := range readings {
		ws := slices.DeleteFunc(pageWords([]reading{g}, w, h), func(x words.Word) bool { return standsOn(x, layer) })
		if len(ws) > 0 {
			segments = append(segments, newSegment(ws, slope))
		}
	}
	for _, x := range layer {
		segments = append(segments, newSegment([]words.Word{x}, slope))
	}
	var out []words.Word
	for i, line := range rows(segments) {
		for _, s := range line {
			for _, x := range s.words {
				x.Line = i
				out = append(out, x)
			}
		}
	}
	return out
}

// standsOn tells whether a word of the layer says what was recognised. One whose box is far
// larger, both ways, does not: it runs aslant, or lies.
func standsOn(x words.Word, layer []words.Word) bool {
	for _, l := range layer {
		if min(l.Box.W, l.Box.H) > 3*max(x.Box.W, x.Box.H) {
			continue
		}
		if 2*x.Box.Intersect(l.Box).Area() > x.Box.Area() {
			return true
		}
	}
	return false
}

func newSegment(ws []words.Word, slope float64) segment {
	s := segment{words: ws, left: math.Inf(1), right: math.Inf(-1), vertical: ws[0].Vertical}
	for _, x := range ws {
		s.left, s.right = min(s.left, float64(x.Box.X)), max(s.right, float64(x.Box.X+x.Box.W))
		drop := slope * middle(x.Box).x
		s.top += (float64(x.Box.Y) - drop) / float64(len(ws))
		s.bottom += (float64(x.Box.Y+x.Box.H) - drop) / float64(len(ws))
	}
	return s
}

// rows joins segments that stand on the same height, each with the row whose last
// segment it shares most of its height with, the nearest of several, and orders the rows from the top.
func rows(segments []segment) [][]segment {
	slices.SortStableFunc(segments, func(a, b segment) int { return compare(a.left, b.left) })
	var out, vertical [][]segment
	for _, s := range segments {
		if s.vertical {
			vertical = append(vertical, []segment{s})
			continue
		}
		best, most := -1, sameRow
		for i, row := range out {
			last := row[len(row)-1]
			share := s.beside(last)
			nearer := share > most || best < 0 || last.right > out[best][len(out[best])-1].right
			if share >= most && nearer && !s.covers(last) {
				best, most = i, share
			}
		}
		if best < 0 {
			out = append(out, []segment{s})
		} else {
			out[best] = append(out[best], s)
		}
	}
	slices.SortStableFunc(out, func(a, b []segment) int { return compare(level(a), level(b)) })
	return append(out, vertical...)
}

// beside is the share of the lower segment's height that both have in common.
func (s segment) beside(o segment) float64 {
	return (min(s.bottom, o.bottom) - max(s.top, o.top)) / max(1, min(s.bottom-s.top, o.bottom-o.top))
}

// covers reports whether two segments stand in the same columns by half.
func (s segment) covers(o segment) bool {
	return min(s.right, o.right)-max(s.left, o.left) > 0.5*min(s.right-s.left, o.right-o.left)
}

// level is the height of a row's middle.
func level(row []segment) float64 {
	sum := 0.0
	for _, s := range row {
		sum += (s.top + s.bottom) / 2
	}
	return sum / float64(len(row))
}
