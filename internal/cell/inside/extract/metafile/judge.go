package metafile

import (
	"image"
	"image/color"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// note is a word as the orders have it.
type note struct {
	words.Word
	core  document.Box // from the base line to the capitals' height, pixels
	c     color.NRGBA
	false bool // what is seen of it is not what it says
}

// judge returns the words that stand in the picture as they were written. A picture may write
// one thing and show another: something is drawn over a word, below or between its letters, it
// is white on white, or its letters stand in another order than they were written. Such words
// are left out, so that what is seen is read. Where boxes hold more pixels than drawing may touch,
// as those of many long lines aslant do, the picture has no layer.
func (s *scribe) judge() []words.Word {
	if s.judging() > maxWork {
		return nil
	}
	crowd, faint := s.crowd(), s.faint()
	for i := range s.words {
		n := &s.words[i]
		n.false = n.false || crowd.most(inner(n.core)) > 1 || !s.plain(reach(n.Box, s.plan))
	}
	lies := crowd
	clear(lies.img.Pix)
	for _, n := range s.words {
		if n.false {
			lies.add(n.core)
		}
	}
	var out []words.Word
	for i, n := range s.words {
		box := reach(n.Box, s.plan)
		if !n.false && lies.most(box) == 0 && (faint.isFaint[i] || faint.near.most(box) == 0) {
			out = append(out, n.Word)
		}
	}
	return out
}

// judging is how many pixels the words have within reach, one after the other.
func (s *scribe) judging() (area float64) {
	for _, n := range s.words {
		area += float64(reach(n.Box, s.plan).Area())
	}
	return area
}

// reach is as far around a word as a reader takes ink for the word's: a halo, and a tenth of its
// height.
func reach(b document.Box, p *plan) document.Box { return b.Grow(3+b.H/10, p.width, p.height) }

// crowd counts the words of each pixel: two cannot be read in one place.
func (s *scribe) crowd() *tally {
	t := newTally(s.plan)
	for _, n := range s.words {
		t.add(inner(n.core))
	}
	return t
}

// inner is a box without the pixel on each side that it may share with the next.
func inner(b document.Box) document.Box { return b.Grow(-1, b.X+b.W, b.Y+b.H) }

// faintest is by how much a channel differs from the paper, of 255, where a word is seen.
const faintest = 16

// faintWords are words that are hardly seen.
type faintWords struct {
	isFaint []bool
	near    *tally // the pixels around each, as far as its neighbours on the line are
}

func (s *scribe) faint() faintWords {
	f := faintWords{make([]bool, len(s.words)), newTally(s.plan)}
	for i, n := range s.words {
		paper := s.img.NRGBAAt(n.core.X+n.core.W/2, n.core.Y+n.core.H/2)
		d := max(apart(n.c.R, paper.R), apart(n.c.G, paper.G), apart(n.c.B, paper.B))
		if f.isFaint[i] = d < faintest; f.isFaint[i] {
			f.near.add(n.Box.Grow(min(n.Box.H, n.Box.W), s.plan.width, s.plan.height))
		}
	}
	return f
}

func apart(a, b byte) int { return max(int(a), int(b)) - min(int(a), int(b)) }

// plain reports that what was drawn in a box, without the words, is paper, or lines and bands
// that run through all of it: each pixel's row or column is of one colour.
func (s *scribe) plain(b document.Box) bool {
	if b.Empty() {
		return false
	}
	row := func(y int) []byte { return s.img.Pix[s.img.PixOffset(b.X, y):][:4*b.W] }
	same := make([]bool, b.W) // columns of one colour
	for x := range same {
		same[x] = true
	}
	first := row(b.Y)
	for y := b.Y + 1; y < b.Y+b.H; y++ {
		for x, r := 0, row(y); x < b.W; x++ {
			same[x] = same[x] && [4]byte(r[4*x:]) == [4]byte(first[4*x:])
		}
	}
	for y := b.Y; y < b.Y+b.H; y++ {
		r, level, all := row(y), true, true
		for x := range b.W {
			level, all = level && [4]byte(r[4*x:]) == [4]byte(r), all && same[x]
		}
		if !level && !all {
			return false
		}
	}
	return true
}

// tally counts for each pixel how many boxes hold it, up to 255.
type tally struct{ img *image.Gray }

func newTally(p *plan) *tally { return &tally{image.NewGray(image.Rect(0, 0, p.width, p.height))} }

func (t *tally) row(b document.Box, y int) []byte { return t.img.Pix[t.img.PixOffset(b.X, y):][:b.W] }

func (t *tally) add(b document.Box) {
	for y := b.Y; y < b.Y+b.H; y++ {
		for x, r := 0, t.row(b, y); x < len(r); x++ {
			r[x] = max(r[x], r[x]+1)
		}
	}
}

// most is the highest count within a box.
func (t *tally) most(b document.Box) (n byte) {
	for y := b.Y; y < b.Y+b.H; y++ {
		for _, v := range t.row(b, y) {
			n = max(n, v)
		}
	}
	return n
}
