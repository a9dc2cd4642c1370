package metafile

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// scribe is the surface that notes what is written where. All else it draws, because a word is
// handed out only where nothing but paper lies around it; see judge.
type scribe struct {
	*canvas
	words []note
	line  int
	now   pencil

	pictures []document.Box // where bitmaps lie
	checks   int            // of a word against what lies on it
}

// pencil is a word that is not finished, and where the line goes on.
type pencil struct {
	text        []rune
	box         document.Box
	vertical    bool
	core        document.Box // from the base line to the capitals' height
	c           color.NRGBA
	false       bool  // what is seen of it is not what it says
	next        point // where the last letter ended, device units
	along, down point // one em
	on          bool
	gone        bool // it is not noted
}

const (
	// maxWords bounds the words that are noted. With more the picture has no layer.
	maxWords = 50_000
	// maxChecks bounds how often a word is held against what lies on it: half a second. With
	// more the picture has no layer.
	maxChecks = 1 << 27
	// levelWord is how much of the other axis the direction of a line may have: 6 degrees.
	levelWord = 0.1
)

func (s *scribe) keep(bitmap) {}

func (s *scribe) fill(figs []figure, evenOdd bool, with paint, k clip) {
	s.canvas.fill(figs, evenOdd, with, k)
	s.hide(s.box(bounds(figs).meet(k.box)))
}

func (s *scribe) shade(corners [3]point, colours [3]color.NRGBA, k clip) {
	s.canvas.shade(corners, colours, k)
	s.hide(s.box(around(corners[:]).meet(k.box)))
}

func (s *scribe) lay(t blit) {
	s.canvas.lay(t)
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
	s.words = slices.DeleteFunc(s.words, func(w note) bool { return covers(w.Box) })
}

func (s *scribe) spend(checks int) bool {
	if s.checks += 1 + checks; s.checks > maxChecks {
		s.words = nil
	}
	return s.checks <= maxChecks
}

// layer is what was noted, without what stands on bitmaps and what is not seen as it was written.
func (s *scribe) layer() []words.Word {
	s.end()
	if len(s.words) >= maxWords || len(s.pictures) >= maxWords || !s.spend(len(s.words)*len(s.pictures)) {
		return nil
	}
	s.words = slices.DeleteFunc(s.words, func(w note) bool {
		return slices.ContainsFunc(s.pictures, func(p document.Box) bool { return !p.Intersect(w.Box).Empty() })
	})
	return s.judge()
}

// write notes a line of text. Programs write a line, even a word, in several orders: one that
// starts where the last ended goes on with it.
func (s *scribe) write(r run) {
	if len(s.words) >= maxWords || s.checks > maxChecks {
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
	s.begin(px, r.c)
	for i, l := range r.letters {
		if l.r == ' ' {
			s.end()
			s.begin(px, r.c)
			continue
		}
		if i > 0 && r.letters[i-1].room > wideLetter { // spread by more than its own width
			s.end()
			s.begin(px, r.c)
		}
		whole := around(r.box(l))
		seen := whole.meet(r.clip.box)
		s.now.text = append(s.now.text, l.r)
		s.now.box = s.now.box.Union(s.box(seen))
		s.now.core = s.now.core.Union(s.box(around(r.core(l)).meet(r.clip.box)))
		s.now.false = s.now.false || !r.level(s.plan) || r.clip.cuts != nil || whole.share(seen) < mostSeen || i+1 < len(r.letters) && l.room < leastRoom*l.natural
	}
	s.now.next, s.now.along, s.now.down, s.now.on = r.letters[0].start.plus(r.along.times(r.long)), r.along, r.down, true
}

// begin says how the next letters are written. Letters of another colour are another word.
func (s *scribe) begin(px point, c color.NRGBA) {
	if s.now.c != c && len(s.now.text) > 0 {
		s.end()
	}
	s.now.vertical, s.now.c = math.Abs(px.y) > math.Abs(px.x), c
}

const (
	// mostSeen is the share of a letter's room from which a clip leaves it what it was.
	mostSeen = 0.8
	// leastRoom is the share of a letter's width that its neighbour leaves it. Where letters
	// lie upon each other or run backwards, their order is not that in which they are read.
	leastRoom = 0.5
)

// core is where a letter has ink for certain, as corners in device units.
func (r run) core(l letter) []point {
	a, w := l.start.minus(r.down.times(capitals)), r.along.times(math.Max(l.room, 0.1))
	return []point{a, a.plus(w), l.start.plus(w), l.start}
}

// capitals is how high those are, in ems.
const capitals = 0.7

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
	w := words.Word{Text: string(n.text), Box: n.box, Line: s.line, Confidence: 1, Origin: words.FromLayer, Vertical: n.vertical}
	s.words = append(s.words, note{Word: w, core: n.core, c: n.c, false: n.false})
}
