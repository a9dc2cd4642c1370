package metafile

import (
	"image/color"
	"math"
	"strings"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// scribe is the surface that notes what is written where.
type scribe struct {
	plan  *plan
	words []words.Word
	line  int
	now   pencil
}

// pencil is a word that is not finished, and where the line goes on.
type pencil struct {
	text        []rune
	box         document.Box
	vertical    bool
	next        point // where the last letter ended, device units
	along, down point // one em
	on          bool
}

func (s *scribe) fill([]figure, bool, paint, clip)     {}
func (s *scribe) stroke([]figure, stroke, paint, clip) {}
func (s *scribe) shade([3]point, [3]color.NRGBA, clip) {}
func (s *scribe) keep(bitmap)                          {}
func (s *scribe) lay(blit)                             {}

// maxWords bounds the words that are noted. What is written beyond is read in the pixels.
const maxWords = 50_000

// write notes a line of text. Programs write a line, even a word, in several orders: one that
// starts where the last ended goes on with it.
func (s *scribe) write(r run) {
	if len(s.words) >= maxWords {
		return
	}
	switch gap, level := s.gap(r); {
	case !level || gap < -0.3 || gap > wordGap*8:
		s.end()
		s.line++
	case gap > wordGap:
		s.end()
	}
	px := point{r.along.x * s.plan.sx, r.along.y * s.plan.sy}
	s.now.vertical = math.Abs(px.y) > math.Abs(px.x)
	for i, l := range r.letters {
		if l.r == ' ' {
			s.end()
			s.now.vertical = math.Abs(px.y) > math.Abs(px.x)
			continue
		}
		if i > 0 && r.letters[i-1].room > wideLetter { // spread by more than its own width
			s.end()
			s.now.vertical = math.Abs(px.y) > math.Abs(px.x)
		}
		s.now.text = append(s.now.text, l.r)
		s.now.box = s.now.box.Union(s.box(around(r.box(l)).meet(r.clip.box)))
	}
	s.now.next, s.now.along, s.now.down, s.now.on = r.letters[0].start.plus(r.along.times(r.long)), r.along, r.down, true
}

const (
	wordGap    = 0.2 // of an em, that parts words
	wideLetter = 1.4 // ems from letter to letter: none is as wide
)

// gap is how far a line is from the end of the last, in ems along it; level says that it
// stands on the same line.
func (s *scribe) gap(r run) (gap float64, level bool) {
	n := s.now
	if !n.on || r.along.length() == 0 || n.along.length() == 0 {
		return 0, false
	}
	d := r.letters[0].start.minus(n.next)
	em := n.along.length()
	u := n.along.times(1 / em)
	v := r.along.times(1 / r.along.length())
	across := math.Abs(d.x*u.y - d.y*u.x)
	return (d.x*u.x + d.y*u.y) / em, u.x*v.x+u.y*v.y > 0.99 && across < 0.4*math.Max(n.down.length(), r.down.length())
}

// box is an area in pixels of the picture.
func (s *scribe) box(a area) document.Box {
	if a.empty() {
		return document.Box{}
	}
	lo, hi := s.plan.pixel(a.min), s.plan.pixel(a.max)
	cut := func(v float64, most int) int { return int(math.Max(0, math.Min(v, float64(most)))) }
	x, y := cut(math.Floor(lo.x), s.plan.width), cut(math.Floor(lo.y), s.plan.height)
	return document.Box{X: x, Y: y, W: cut(math.Ceil(hi.x), s.plan.width) - x, H: cut(math.Ceil(hi.y), s.plan.height) - y}
}

// end finishes the word. One that is nowhere to be seen is none.
func (s *scribe) end() {
	n := s.now
	s.now = pencil{next: n.next, along: n.along, down: n.down, on: n.on}
	if len(n.text) == 0 || n.box.Empty() || strings.TrimSpace(string(n.text)) == "" {
		return
	}
	s.words = append(s.words, words.Word{Text: string(n.text), Box: n.box, Line: s.line, Confidence: 1, Origin: words.FromLayer, Vertical: n.vertical})
}
