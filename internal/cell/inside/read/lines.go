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
	level       float64 // height of the middle on the page, as if the page were not skewed
	height      float64
	vertical    bool
}

// skew is the slope of the page's lines: the median over long lines, each counted by
// its length.
func skew(regions []region) float64 {
	type line struct{ slope, length float64 }
	var lines []line
	total := 0.0
	for _, g := range regions {
		if g.upright() && g.length() > 4*g.height() {
			lines = append(lines, line{g.along.y / g.along.x, g.length()})
			total += g.length()
		}
	}
	slices.SortFunc(lines, func(a, b line) int { return compare(a.slope, b.slope) })
	sum := 0.0
	for _, l := range lines {
		if sum += l.length; 2*sum >= total {
			return l.slope
		}
	}
	return 0
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
			segments = append(segments, newSegment(ws, slope, g.quad.height()/growth))
		}
	}
	for _, x := range layer {
		segments = append(segments, newSegment([]words.Word{x}, slope, float64(x.Box.H)))
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

// growth is about how much higher a region is than the letters in it.
const growth = 1.4

func standsOn(x words.Word, layer []words.Word) bool {
	for _, l := range layer {
		if 2*x.Box.Intersect(l.Box).Area() > x.Box.Area() {
			return true
		}
	}
	return false
}

func newSegment(ws []words.Word, slope, height float64) segment {
	s := segment{words: ws, left: math.Inf(1), right: math.Inf(-1), height: height, vertical: ws[0].Vertical}
	for _, x := range ws {
		c := middle(x.Box)
		s.left, s.right = min(s.left, float64(x.Box.X)), max(s.right, float64(x.Box.X+x.Box.W))
		s.level += (c.y - slope*c.x) / float64(len(ws))
	}
	return s
}

// rows joins segments that stand on the same height, nearest first, and orders the
// rows from the top.
func rows(segments []segment) [][]segment {
	slices.SortStableFunc(segments, func(a, b segment) int { return compare(a.left, b.left) })
	var out, vertical [][]segment
	for _, s := range segments {
		if s.vertical {
			vertical = append(vertical, []segment{s})
			continue
		}
		best, distance := -1, math.Inf(1)
		for i, row := range out {
			last := row[len(row)-1]
			d := math.Abs(last.level - s.level)
			if d < 0.5*min(last.height, s.height) && d < distance && last.right-s.left < 0.5*min(s.right-s.left, last.right-last.left) {
				best, distance = i, d
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

func level(row []segment) float64 {
	sum := 0.0
	for _, s := range row {
		sum += s.level
	}
	return sum / float64(len(row))
}
