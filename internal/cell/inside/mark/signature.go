package mark

import (
	"cmp"
	"image"
	"slices"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// A signature is ink beside, above or below a label that asks for one, and no printed
// word. Its strokes are followed wherever they lead, over the line and out of the field.

// pens looks for what pens left on a page: its raster, and its words in the raster's pixels.
// Ink is told from paper once, when it is first asked for.
type pens struct {
	raster
	ws    []words.Word
	sheet *sheet
}

func (p *pens) tooSmall() bool { return p.w < 4*cell || p.h < 4*cell }

// ink is the page's ink, in which these of its words are print.
func (p *pens) ink(ws []words.Word) *sheet {
	if p.sheet == nil {
		p.sheet = inkOf(p.raster, medianHeight(p.ws))
	}
	s := *p.sheet
	s.print = printed(ws, s.height)
	return &s
}

// signatures returns the boxes of the signatures on a page, in the raster's pixels.
func (p *pens) signatures() []document.Box {
	if p.tooSmall() {
		return nil
	}
	fs, rooms := fields(p.ws, p.w), signOffs(p.ws, p.raster)
	if len(fs)+len(rooms) == 0 {
		return nil
	}
	r, s := p.raster, p.ink(p.ws)
	var out []image.Rectangle
	for _, room := range rooms {
		if box := s.handwriting(room); !box.Empty() {
			out = append(out, s.padded(box, r))
		}
	}
	for _, f := range fs {
		s.print = append(s.print, f.label)
	}
	for _, f := range fs {
		if box := s.signed(f); !box.Empty() {
			out = append(out, s.padded(box, r))
		}
	}
	return united(out)
}

// padded is a box of strokes with room for their blur, inside the raster.
func (s *sheet) padded(box image.Rectangle, r raster) image.Rectangle {
	return box.Inset(-max(3, s.height/3)).Intersect(image.Rect(0, 0, r.w, r.h))
}

// medianHeight is how high the page's words are, at least 6 pixels.
func medianHeight(ws []words.Word) int {
	var hs []int
	for _, w := range ws {
		hs = append(hs, min(w.Box.W, w.Box.H))
	}
	slices.Sort(hs)
	return max(6, hs[len(hs)/2])
}

// signed is the box around the ink that signs a field: right of the label, or else the
// larger of what stands on a line above and below it.
func (s *sheet) signed(f field) image.Rectangle {
	h := f.height
	beside := image.Rect(f.label.Max.X, f.label.Min.Y-h, min(f.right, f.label.Max.X+40*h), f.label.Max.Y+h/2)
	if box := s.handwriting(beside); !box.Empty() {
		return box
	}
	wide := max(f.label.Max.X, min(f.right, f.label.Min.X+25*h))
	var best image.Rectangle
	for _, w := range []image.Rectangle{
		image.Rect(f.label.Min.X-h, f.label.Min.Y-4*h, wide, f.label.Min.Y),
		image.Rect(f.label.Min.X-h, f.label.Max.Y, wide, f.label.Max.Y+4*h),
	} {
		if !s.hasRule(w) {
			continue
		}
		if box := s.handwriting(w); area(box) > area(best) {
			best = box
		}
	}
	return best
}

// hasRule reports whether there is a line in a window to sign on.
func (s *sheet) hasRule(window image.Rectangle) bool { return s.ruled(window) >= 4*s.height }

// ruled counts the pixels of rules in a window.
func (s *sheet) ruled(window image.Rectangle) int {
	window = window.Intersect(image.Rect(0, 0, s.w, s.h))
	n := 0
	for y := window.Min.Y; y < window.Max.Y; y++ {
		for _, v := range s.pix[y*s.w+window.Min.X : y*s.w+window.Max.X] {
			if v == ruled {
				n++
			}
		}
	}
	return n
}

func area(r image.Rectangle) int { return r.Dx() * r.Dy() }

// handwriting is the box around the strokes in a window that are no print, if they are
// enough for a signature, and around those that stand close to them.
func (s *sheet) handwriting(window image.Rectangle) image.Rectangle {
	var box image.Rectangle
	large := false
	// A signature stays close to its place, however far its loops swing out.
	reach := image.Pt(10*s.height, 4*s.height)
	zone := image.Rectangle{Min: window.Min.Sub(reach), Max: window.Max.Add(reach)}
	for _, p := range s.within(window) {
		if size := max(p.box.Dx(), p.box.Dy()); 3*size >= s.height && s.isPen(p) && p.box.In(zone) { // no speck
			box = box.Union(p.box)
			large = large || p.box.Dx() >= s.height || p.box.Dy() >= s.height
		}
	}
	if !large || box.Dx() < 2*s.height || 4*box.Dy() < 3*s.height {
		return image.Rectangle{}
	}
	return s.withDots(box)
}

// withDots adds the dots and ends of strokes that stand beside a signature, apart.
func (s *sheet) withDots(box image.Rectangle) image.Rectangle {
	near := box.Inset(-s.height / 2)
	for _, p := range s.within(near) {
		middle := p.box.Min.Add(p.box.Max).Div(2)
		if s.isPen(p) && middle.In(near) {
			box = box.Union(p.box)
		}
	}
	return box
}

// isPen reports whether a shape may be part of a signature: no print, no block, no frame
// and nothing far higher than a signature.
func (s *sheet) isPen(p shape) bool {
	return (2*p.words < p.pixels || p.crosses(s.height)) &&
		p.width() <= float64(s.height)/2 && 5*p.box.Dx() < 4*s.w && p.box.Dy() < mostLines*s.height && !p.isFrame() && !s.isBar(p.box)
}

// isBar reports whether a shape is a piece of a table: thin, upright, and between rules.
func (s *sheet) isBar(b image.Rectangle) bool {
	if b.Dx() > max(3, s.height/4) || b.Dy() < s.height {
		return false
	}
	above, below := b.Inset(-2), b.Inset(-2)
	above.Max.Y, below.Min.Y = b.Min.Y+2, b.Max.Y-2
	return s.ruled(above) > 0 && s.ruled(below) > 0
}

// mostLines is how high a signature is at most, in heights of a printed word: five lines
// with the space between them.
const mostLines = 8

// united joins boxes that overlap, from the top.
func united(rs []image.Rectangle) []document.Box {
	slices.SortFunc(rs, func(a, b image.Rectangle) int { return cmp.Or(a.Min.Y-b.Min.Y, a.Min.X-b.Min.X) })
	for again := true; again; {
		again = false
		for i := range rs {
			for j := len(rs) - 1; j > i; j-- {
				if rs[i].Overlaps(rs[j]) {
					rs[i] = rs[i].Union(rs[j])
					rs = slices.Delete(rs, j, j+1)
					again = true
				}
			}
			if again {
				break
			}
		}
	}
	out := make([]document.Box, len(rs))
	for i, r := range rs {
		out[i] = document.BoxOf(r)
	}
	return out
}
