package mark

import (
	"image"
	"slices"
	"strings"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// Text detectors overlook handwriting, large and thin figures most of all: on a form the
// label is read and the value beside it is not even seen. So the space behind a colon in
// which no word was read is searched for a pen's strokes. What they say nobody knows:
// they are text that was seen and not read.

// emptySpace is how wide, in heights of the label, a space behind a colon is at least for
// something to be missing in it.
const emptySpace = 4

// overlooked returns the boxes of strokes behind colons, in the raster's pixels.
func (p *pens) overlooked() []document.Box {
	if p.tooSmall() {
		return nil
	}
	r, ws := p.raster, slices.DeleteFunc(slices.Clone(p.ws), isLeader)
	var spaces []image.Rectangle
	for _, w := range ws {
		if len(spaces) == maxFields {
			break
		}
		if space, ok := behind(w, ws, r.w); ok {
			spaces = append(spaces, space)
		}
	}
	if len(spaces) == 0 {
		return nil
	}
	s := p.ink(ws)
	for _, w := range ws { // whatever was read, however surely, was not overlooked
		s.print = append(s.print, w.Box.Rect().Inset(-1))
	}
	var out []image.Rectangle
	for _, space := range spaces {
		if box := s.scribble(space); !box.Empty() {
			out = append(out, s.padded(box, r))
		}
	}
	return united(out)
}

// isLeader reports whether a word is a printed line to write on.
func isLeader(w words.Word) bool { return strings.Trim(w.Text, "_.-–—…") == "" }

// behind is the space right of a word that ends with a colon, as far as no other word
// stands there.
func behind(w words.Word, ws []words.Word, limit int) (image.Rectangle, bool) {
	l := w.Box.Rect()
	if w.Vertical || w.Confidence < sureWord || !strings.HasSuffix(w.Text, ":") {
		return image.Rectangle{}, false
	}
	right := min(limit, l.Max.X+25*l.Dy())
	for _, o := range ws {
		b := o.Box.Rect()
		if b.Max.X > l.Max.X && b.Min.X < right && 2*overlapOf(l.Min.Y, l.Max.Y, b.Min.Y, b.Max.Y) >= min(l.Dy(), b.Dy()) {
			right = max(l.Max.X, b.Min.X)
		}
	}
	return image.Rect(l.Max.X+2, l.Min.Y-l.Dy()/2, right, l.Max.Y+l.Dy()/4), right-l.Max.X >= emptySpace*l.Dy()
}

// scribble is the box around the strokes of a pen in a space, if there are enough of them
// for two characters. A pencil's break into pieces, none of which is as large as a letter,
// so that their number counts.
func (s *sheet) scribble(space image.Rectangle) (box image.Rectangle) {
	pens, pixels := 0, 0
	for _, p := range s.within(space) {
		if s.isPen(p) && p.box.In(space.Inset(-2*s.height)) {
			box, pens, pixels = box.Union(p.box), pens+1, pixels+p.pixels
		}
	}
	if pens < 2 || pixels < max(3*s.height, box.Dx()) || box.Dx() < s.height || 4*box.Dy() < 3*s.height {
		return image.Rectangle{}
	}
	return box
}
