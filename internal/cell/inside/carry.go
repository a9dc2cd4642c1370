package inside

import (
	"errors"
	"math"

	"blotter/internal/cell/inside/extract"
	"blotter/internal/cell/inside/words"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// A page and an image placed on it show the same text in different pixels: the image
// may be cropped, covered or scaled there. What is found on one is burned on both.

// matrix maps pixels to pixels as extract.Placement does:
// x' = a·x + c·y + e, y' = b·x + d·y + f for [a b c d e f].
type matrix [6]float64

// box maps a box to the smallest box around its image, clipped to w×h. A rounding
// error costs a pixel more, never less.
func (m matrix) box(b document.Box, w, h int) document.Box {
	x0, y0 := math.Inf(1), math.Inf(1)
	x1, y1 := math.Inf(-1), math.Inf(-1)
	for _, corner := range [][2]int{{b.X, b.Y}, {b.X + b.W, b.Y}, {b.X, b.Y + b.H}, {b.X + b.W, b.Y + b.H}} {
		x, y := float64(corner[0]), float64(corner[1])
		px, py := m[0]*x+m[2]*y+m[4], m[1]*x+m[3]*y+m[5]
		x0, y0, x1, y1 = min(x0, px), min(y0, py), max(x1, px), max(y1, py)
	}
	left, right := within(math.Floor(x0), w), within(math.Ceil(x1), w)
	top, bottom := within(math.Floor(y0), h), within(math.Ceil(y1), h)
	if right <= left || bottom <= top {
		return document.Box{}
	}
	return document.Box{X: left, Y: top, W: right - left, H: bottom - top}
}

// within clips v to 0–n; NaN, which a hostile matrix can bring, to 0.
func within(v float64, n int) int {
	if !(v > 0) {
		return 0
	}
	return int(min(v, float64(n)))
}

// inverse reports false for a matrix that flattens what it maps.
func (m matrix) inverse() (matrix, bool) {
	det := m[0]*m[3] - m[1]*m[2]
	if !(math.Abs(det) > 1e-12) || math.IsInf(det, 0) {
		return matrix{}, false
	}
	a, b, c, d := m[3]/det, -m[1]/det, -m[2]/det, m[0]/det
	return matrix{a, b, c, d, -(a*m[4] + c*m[5]), -(b*m[4] + d*m[5])}, true
}

// upright reports whether the matrix only scales and shifts, to within a pixel over
// the longer side of an image.
func (m matrix) upright(w, h int) bool {
	side := float64(max(w, h))
	return m[0] > 0 && m[3] > 0 && math.Abs(m[1])*side <= 1 && math.Abs(m[2])*side <= 1
}

// share finds the images that fill their page and need not be read a second time.
func (p *pipeline) share() {
	for i, page := range p.assets {
		for _, pl := range p.placements(i) {
			a := p.assets[pl.Image]
			if pl.Alone && a.sharesOf == nil && page.Withheld == "" && matrix(pl.ToPage).upright(a.Width, a.Height) {
				if back, ok := matrix(pl.ToPage).inverse(); ok {
					a.sharesOf, a.back = page, back
				}
			}
		}
	}
}

// placements lists those that name an image of the document.
func (p *pipeline) placements(i int) []extract.Placement {
	var out []extract.Placement
	for _, pl := range p.source.Placements(i) {
		if pl.Image >= 0 && pl.Image < len(p.assets) && pl.Image != i {
			out = append(out, pl)
		}
	}
	return out
}

// takeWords gives an image the words of the page that shows the same. It reports false
// where that page was not read.
func (p *pipeline) takeWords(a *asset) bool {
	if a.sharesOf == nil || a.sharesOf.page == nil {
		a.sharesOf = nil
		return false
	}
	from := a.sharesOf.page
	a.page = sameWords(from, a.Width, a.Height, func(b document.Box) document.Box {
		onImage := a.back.box(from.ToAsset(b), a.Width, a.Height)
		return (4 - from.Turn).ToAsset(onImage, a.Width, a.Height)
	})
	if p.refusesUnread(a.page) {
		a.Withheld = reason.ReadUnread
	}
	return true
}

// refusesUnread reports whether the policy withholds a page for what was not
// understood on it.
func (p *pipeline) refusesUnread(page *words.Page) bool {
	return len(page.Unread) > 0 && p.task.Unread == wire.WithholdUnread
}

var errUnread = reason.Because(reason.ReadUnread, errors.New("inside: text was not understood"))

// sameWords is a copy of a page in the pixels of a w×h image that shows the same and is
// turned alike.
func sameWords(page *words.Page, w, h int, to func(document.Box) document.Box) *words.Page {
	out := &words.Page{Width: w, Height: h, Turn: page.Turn}
	if page.Turn%2 == 1 {
		out.Width, out.Height = h, w
	}
	for _, word := range page.Words {
		word.Box = to(word.Box)
		out.Words = append(out.Words, word)
	}
	for _, b := range page.Unread {
		out.Unread = append(out.Unread, to(b))
	}
	return out
}

// carry burns on images what was found on their pages, and then on pages what was
// found on their images, so that an image on two pages brings the findings of one to
// the other.
func (p *pipeline) carry() {
	for i, page := range p.assets {
		for _, pl := range p.placements(i) {
			if back, ok := matrix(pl.ToPage).inverse(); ok {
				p.assets[pl.Image].receive(back, page.findings)
			}
		}
	}
	for i, page := range p.assets {
		for _, pl := range p.placements(i) {
			page.receive(matrix(pl.ToPage), p.assets[pl.Image].findings)
		}
	}
}

// receive adds findings of another asset, mapped by m, that are not covered already.
func (a *asset) receive(m matrix, fs []document.Finding) {
	for _, f := range fs {
		f.Box = m.box(f.Box, a.Width, a.Height)
		f.Source = document.ByCarry
		if !f.Box.Empty() && !a.covers(f.Box) {
			a.findings = append(a.findings, f)
		}
	}
}

// covers reports whether a finding has the box already, give or take the two pixels
// that mapping there and back may add.
func (a *asset) covers(b document.Box) bool {
	const slack = 2
	for _, f := range a.findings {
		if b.Rect().In(f.Box.Rect().Inset(-slack)) {
			return true
		}
	}
	return false
}
