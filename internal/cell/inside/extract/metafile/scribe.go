package metafile

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// scribe is the surface that notes what is written where. It notes no word that only the pixels
// can tell of: one that something else comes to lie on, that stands on a bitmap, or whose line
// runs aslant, so that the box around it holds more than the word. A reader takes a word of the
// layer for what is seen in its box.
type scribe struct {
	plan     *plan
	words    []words.Word
	line     int
	now      pencil
	pictures []document.Box // where bitmaps lie
	checks   int            // of a word against what lies on it
}

// pencil is a word that is not finished, and where the line goes on.
type pencil struct {
	text        []rune
	box         document.Box
	vertical    bool
	next        point // where the last letter ended, device units
	along, down point // one em
	on          bool
	gone        bool // it is not noted
}

const (
	// maxWords bounds the words that are noted. What is written beyond is read in the pixels.
	maxWords = 50_000
	// maxChecks bounds how often a word is held against what lies on it: half a second. With
	// more the picture has no layer.
	maxChecks = 1 << 27
	// levelWord is how much of the other axis the direction of a line may have: 6 degrees.
	levelWord = 0.1
)

func (s *scribe) stroke([]figure, stroke, paint, clip) {}
func (s *scribe) keep(bitmap)                          {}

func (s *scribe) fill(figs []figure, _ bool, _ paint, k clip) {
	s.hide(s.box(bounds(figs).meet(k.box)))
}

func (s *scribe) shade(corners [3]point, _ [3]color.NRGBA, k clip) {
	s.hide(s.box(around(corners[:]).meet(k.box)))
}

func (s *scribe) lay(t blit) {
	on := s.box(around(t.quad().pts).meet(t.clip.box))
	if t.hasSource() && usesSource(t.rop) && !on.Empty() && len(s.pictures) < maxWords {
		s.pictures = append(s.pictures, on)
		return
	}
	s.hide(on)
}

// hide drops the words of which an area covers more than the ground behind the next line does.
func (s *scribe) hide(by document.Box) {
	const few = 8 // parts of a word, one of which may be hidden
	covers := func(w document.Box) bool { return few*w.Intersect(by).Area() > w.Area() }
	if by.Empty() || !s.spend(len(s.words)) {
		return
	}
	s.now.gone = s.now.gone || covers(s.now.box)
	s.words = slices.DeleteFunc(s.words, func(w words.Word) bool { return covers(w.Box) })
}

func (s *scribe) spend(checks int) bool {
	if s.checks += 1 + checks; s.checks > maxChecks {
		s.words = nil
	}
	return s.checks <= maxChecks
}

// layer is what was noted, without what stands on bitmaps.
func (s *scribe) layer() []words.Word {
	s.end()
	if len(s.pictures) >= maxWords || !s.spend(len(s.words)*len(s.pictures)) {
		return nil
	}
	return slices.DeleteFunc(s.words, func(w words.Word) bool {
		return slices.ContainsFunc(s.pictures, func(p document.Box) bool { return !p.Intersect(w.Box).Empty() })
	})
}

// write notes a line of text. Programs write a line, even a word, in several orders: one that
// starts where the last ended goes on with it.
func (s *scribe) write(r run) {
	if len(s.words) >= maxWords || s.checks > maxChecks || !r.level(s.plan) {
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

// level reports whether the line runs along an axis of the picture.
func (r run) level(l *plan) bool {
	x, y := math.Abs(r.along.x*l.sx), math.Abs(r.along.y*l.sy)
	return math.Min(x, y) <= levelWord*math.Max(x, y)
}

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
	if n.gone || len(n.text) == 0 || n.box.Empty() || strings.TrimSpace(string(n.text)) == "" {
		return
	}
	s.words = append(s.words, words.Word{Text: string(n.text), Box: n.box, Line: s.line, Confidence: 1, Origin: words.FromLayer, Vertical: n.vertical})
}
