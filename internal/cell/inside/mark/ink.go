package mark

import (
	"bytes"
	"image"
	"slices"

	"blotter/internal/cell/inside/words"
)

// What a pixel of a sheet is.
const (
	blank   = 0
	stroke  = 1 // ink that may be handwriting
	ruled   = 2 // ink of a rule or a box's edge
	visited = 3 // ink that was followed
)

// sheet is the ink of a page, told apart.
type sheet struct {
	pix    []uint8
	w, h   int
	height int // of the page's words, pixels
	print  []image.Rectangle
}

// sureWord is the confidence from which on a word is taken for printed; readers make
// words of signatures, too, and doubt them.
const sureWord = 0.9

// inkOf separates ink from paper and finds the rules. height is that of the words.
func inkOf(r raster, height int) *sheet {
	c := sumUp(r)
	s := &sheet{pix: make([]uint8, c.cols*cell*c.rows*cell), w: c.cols * cell, h: c.rows * cell, height: height}
	for y := range s.h {
		row, cut, out := r.row(y), c.cut[y/cell*c.cols:], s.pix[y*s.w:(y+1)*s.w]
		for x := range out {
			if row[x] < cut[x/cell] {
				out[x] = stroke
			}
		}
	}
	s.findRules()
	s.findUprights()
	return s
}

// printed are the boxes of the words that are surely print.
func printed(ws []words.Word, height int) []image.Rectangle {
	var out []image.Rectangle
	for _, w := range ws {
		if w.Confidence >= sureWord && min(w.Box.W, w.Box.H) <= 2*height {
			out = append(out, w.Box.Rect().Inset(-1))
		}
	}
	return out
}

// ruleOf is how long a run of ink is for a rule at least, and how thick at most.
func (s *sheet) ruleOf() (least, thick int) { return max(32, 4*s.height), max(3, s.height/3) }

// findRules marks long thin runs along rows. What crosses a rule stays a stroke.
func (s *sheet) findRules() {
	least, thick := s.ruleOf()
	for y := range s.h {
		row := s.pix[y*s.w : (y+1)*s.w]
		for x := 0; x < s.w; {
			n := bytes.IndexByte(row[x:], blank)
			if n < 0 {
				n = s.w - x
			}
			if n >= least {
				s.rule(y, x, x+n, 1, s.w, s.h, thick)
			}
			x += n + 1
		}
	}
}

// findUprights marks those along columns. It goes through the pixels row by row, as they lie
// in memory, and keeps where the run of each column began.
func (s *sheet) findUprights() {
	least, thick := s.ruleOf()
	began := make([]int, s.w) // one below its pixel, so that 0 is none
	for y := range s.h + 1 {
		for x, from := range began {
			ink := y < s.h && s.pix[y*s.w+x] != blank
			switch {
			case ink && from == 0:
				began[x] = y + 1
			case !ink && from > 0:
				if y-from+1 >= least {
					s.rule(x, from-1, y, s.w, 1, s.w, thick)
				}
				began[x] = 0
			}
		}
	}
}

// rule marks the run [from, to) of line l where it is thin: step leads along the line, across
// from line to line, of which there are lines.
func (s *sheet) rule(l, from, to, step, across, lines, thick int) {
	for k := from; k < to; k++ {
		a, b := l, l
		for a > 0 && l-a <= thick && s.pix[(a-1)*across+k*step] != blank {
			a--
		}
		for b+1 < lines && b-l <= thick && s.pix[(b+1)*across+k*step] != blank {
			b++
		}
		if b-a+1 <= thick {
			s.pix[l*across+k*step] = ruled
		}
	}
}

// shape is connected ink.
type shape struct {
	box    image.Rectangle
	pixels int
	edge   int             // pixels beside paper
	words  int             // pixels in printed words
	beyond image.Rectangle // around those that are in none
	inner  int             // pixels in the middle quarter of the box
	corner [4]int          // pixels in each corner's eighth of the box
}

// width is about how wide its strokes are.
func (s shape) width() float64 { return 2 * float64(s.pixels) / float64(max(1, s.edge)) }

// within follows all strokes that begin in a window, wherever they lead.
func (s *sheet) within(window image.Rectangle) []shape {
	window = window.Intersect(image.Rect(0, 0, s.w, s.h))
	var out []shape
	var followed []int
	for y := window.Min.Y; y < window.Max.Y; y++ {
		for x := window.Min.X; x < window.Max.X; x++ {
			if s.pix[y*s.w+x] == stroke {
				n := len(followed)
				followed = s.follow(followed, y*s.w+x)
				out = append(out, s.measure(followed[n:]))
			}
		}
	}
	for _, at := range followed {
		s.pix[at] = stroke
	}
	return out
}

// follow appends the pixels that are connected with one, over gaps of a pixel and over
// rules that a stroke crosses.
func (s *sheet) follow(found []int, at int) []int {
	first := len(found)
	found = append(found, at)
	s.pix[at] = visited
	for k := first; k < len(found); k++ {
		x, y := found[k]%s.w, found[k]/s.w
		for ny := max(0, y-2); ny <= min(s.h-1, y+2); ny++ {
			for nx := max(0, x-2); nx <= min(s.w-1, x+2); nx++ {
				if n := ny*s.w + nx; s.pix[n] == stroke {
					s.pix[n] = visited
					found = append(found, n)
				}
			}
		}
	}
	return found
}

func (s *sheet) measure(pixels []int) shape {
	out := shape{pixels: len(pixels)}
	for _, at := range pixels {
		p := image.Pt(at%s.w, at/s.w)
		out.box = out.box.Union(image.Rectangle{Min: p, Max: p.Add(image.Pt(1, 1))})
		if (p.X > 0 && s.pix[at-1] == blank) || (p.X+1 < s.w && s.pix[at+1] == blank) ||
			(p.Y > 0 && s.pix[at-s.w] == blank) || (p.Y+1 < s.h && s.pix[at+s.w] == blank) {
			out.edge++
		}
	}
	s.compare(&out, pixels)
	return out
}

// compare says how a shape's pixels lie in its box and to the printed words.
func (s *sheet) compare(out *shape, pixels []int) {
	near := slices.DeleteFunc(slices.Clone(s.print), func(r image.Rectangle) bool { return !r.Overlaps(out.box) })
	w, h := out.box.Dx(), out.box.Dy()
	inner := image.Rect(out.box.Min.X+w/4, out.box.Min.Y+h/4, out.box.Max.X-w/4, out.box.Max.Y-h/4)
	for _, at := range pixels {
		p := image.Pt(at%s.w, at/s.w)
		if slices.ContainsFunc(near, func(r image.Rectangle) bool { return p.In(r) }) {
			out.words++
		} else {
			out.beyond = out.beyond.Union(image.Rectangle{Min: p, Max: p.Add(image.Pt(1, 1))})
		}
		if p.In(inner) {
			out.inner++
		}
		x, y := 8*(p.X-out.box.Min.X)/w, 8*(p.Y-out.box.Min.Y)/h
		if (x == 0 || x == 7) && (y == 0 || y == 7) {
			out.corner[x/7+y/7*2]++
		}
	}
}

// isFrame reports whether a shape is the edge of a box, even one that stands askew: ink
// in all corners and none in the middle. Loops of a pen have no corners.
func (s shape) isFrame() bool { return s.inner == 0 && slices.Min(s.corner[:]) > 0 }

// crosses reports whether a shape reaches out of the printed words it runs through by
// more than any letter does: a pen went across a printed line.
func (s shape) crosses(height int) bool {
	return s.beyond.Dx() >= height/2 && 2*s.beyond.Dy() >= 3*height
}
