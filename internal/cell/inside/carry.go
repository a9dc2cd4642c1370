package inside

import (
	"errors"
	"math"
	"slices"

	"blotter/internal/cell/inside/extract"
	"blotter/internal/cell/inside/words"
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

// then maps by m first, and by n what comes out.
func (m matrix) then(n matrix) matrix {
	return matrix{
		n[0]*m[0] + n[2]*m[1], n[1]*m[0] + n[3]*m[1],
		n[0]*m[2] + n[2]*m[3], n[1]*m[2] + n[3]*m[3],
		n[0]*m[4] + n[2]*m[5] + n[4], n[1]*m[4] + n[3]*m[5] + n[5],
	}
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

// turn reports by how many quarters, clockwise, the matrix turns a w×h image, if it does
// nothing else but scale and shift it, to within a pixel over the longer side. A
// mirrored image has no such turn: no reader could take its words.
func (m matrix) turn(w, h int) (document.Turn, bool) {
	pixel := 1 / float64(max(w, h, 1))
	a, b, c, d := m[0], m[1], m[2], m[3]
	switch straight, across := math.Abs(b) <= pixel && math.Abs(c) <= pixel, math.Abs(a) <= pixel && math.Abs(d) <= pixel; {
	case straight && a > pixel && d > pixel:
		return 0, true
	case across && b > pixel && c < -pixel:
		return 1, true
	case straight && a < -pixel && d < -pixel:
		return 2, true
	case across && b < -pixel && c > pixel:
		return 3, true
	}
	return 0, false
}

// share finds the images that fill their page and need not be read a second time.
func (p *pipeline) share() {
	for i, page := range p.assets {
		for _, pl := range p.placements(i) {
			a := p.assets[pl.Image]
			if !pl.Alone || a.sharesOf != nil || page.Withheld != "" {
				continue
			}
			turned, straight := matrix(pl.ToPage).turn(a.Width, a.Height)
			back, ok := matrix(pl.ToPage).inverse()
			if straight && ok {
				a.sharesOf, a.back, a.turned = page, back, turned
			}
		}
	}
}

// placements lists those that name an image of the document, or a stack of its strips.
func (p *pipeline) placements(i int) []extract.Placement {
	if a := p.assets[i]; a.strips != nil {
		return a.strips
	}
	var out []extract.Placement
	for _, pl := range p.source.Placements(i) {
		if pl.Image >= 0 && pl.Image < len(p.assets) && pl.Image != i {
			out = append(out, pl)
		}
	}
	return append(out, p.assets[i].stacks...)
}

// lends reports whether a page or a stack was read, and marks were looked for.
func (a *asset) lends() bool {
	return a.page != nil && (a.Withheld == "" || a.Withheld == reason.ReadUnread)
}

// takeWords gives an image the words of the page or stack that shows the same. It reports
// false where that was not read.
func (p *pipeline) takeWords(a *asset) bool {
	if a.sharesOf == nil || !a.sharesOf.lends() {
		a.sharesOf = nil
		return false
	}
	from := a.sharesOf.page
	a.page = a.sameWords(from)
	if p.refusesUnread(a.page) {
		a.Withheld = reason.ReadUnread
	}
	return true
}

// refusesUnread reports whether the policy withholds a page for what was not
// understood on it.
func (p *pipeline) refusesUnread(page *words.Page) bool {
	return len(page.Unread) > 0 && p.task.Unread == document.WithholdUnread
}

var errUnread = reason.Because(reason.ReadUnread, errors.New("inside: text was not understood"))

// fromPage maps boxes of a page's upright picture into that of an image that shows the
// same, and is turned first onto the page and then upright.
func (a *asset) fromPage(page *words.Page) func(document.Box) document.Box {
	turn := (a.turned + page.Turn) % 4
	return func(b document.Box) document.Box {
		onImage := a.back.box(page.ToAsset(b), a.Width, a.Height)
		return (4 - turn).ToAsset(onImage, a.Width, a.Height)
	}
}

// sameWords is a copy of a page's words in the upright pixels of an image that shows
// the same, or a part of it.
func (a *asset) sameWords(page *words.Page) *words.Page {
	turn, to := (a.turned+page.Turn)%4, a.fromPage(page)
	out := &words.Page{Width: a.Width, Height: a.Height, Turn: turn, Letters: map[int][]document.Box{}}
	if turn%2 == 1 {
		out.Width, out.Height = a.Height, a.Width
	}
	for i, word := range page.Words {
		if word.Box = to(word.Box); word.Box.Empty() {
			continue
		}
		for _, b := range page.Letters[i] {
			out.Letters[len(out.Words)] = append(out.Letters[len(out.Words)], to(b))
		}
		out.Words = append(out.Words, word)
	}
	for _, b := range page.Unread {
		out.Unread = append(out.Unread, to(b))
	}
	for _, b := range page.Standing {
		out.Standing = append(out.Standing, to(b))
	}
	out.Unread = slices.DeleteFunc(out.Unread, document.Box.Empty)
	out.Standing = slices.DeleteFunc(out.Standing, document.Box.Empty)
	return out
}

// besideImages keeps the words of a page's layer that stand on no image. Words on an
// image are another reader's claim about a scan, which may be wrong in a single name, or
// lie under a sticker: there only the pixels tell what the page shows.
func (p *pipeline) besideImages(i int, layer []words.Word) []words.Word {
	page := p.assets[i]
	for _, pl := range p.placements(i) {
		a := p.assets[pl.Image]
		drawn := matrix(pl.ToPage).box(document.Box{W: a.Width, H: a.Height}, page.Width, page.Height)
		layer = slices.DeleteFunc(layer, func(w words.Word) bool { return !w.Box.Intersect(drawn).Empty() })
	}
	return layer
}

// carry burns on images what was found on their pages, and then on pages what was
// found on their images, so that an image on two pages brings the findings of one to
// the other; and on small copies what was found on their pictures.
func (p *pipeline) carry() {
	onward := p.carryToImages()
	for _, a := range p.assets {
		if a.sharesOf != nil && a.page != nil {
			a.page.Standing = a.sameWords(a.sharesOf.page).Standing
		}
	}
	for i, page := range p.assets {
		places := p.placements(i)
		edges := p.seams(page, places)
		for _, pl := range places {
			page.receive(matrix(pl.ToPage), p.told(page, pl, edges, onward[pl.Image]), slack)
		}
	}
	p.carryToCopies()
}

// carryToImages burns on images what was found on their pages. It returns what each image
// is to tell of on: its own findings, and those that lie in it whole. What hangs over its
// edge was found on a page that is put together of several; a blank strip of such a page
// may stand in a hundred other places. What its pixels are too coarse for would come back
// as a box of a pixel, which may be half the page.
func (p *pipeline) carryToImages() [][]document.Finding {
	onward := make([][]document.Finding, len(p.assets))
	for i, a := range p.assets {
		onward[i] = slices.Clone(a.findings)
	}
	for i, page := range p.assets {
		for _, pl := range p.placements(i) {
			back, ok := matrix(pl.ToPage).inverse()
			if !ok {
				continue
			}
			a := p.assets[pl.Image]
			give := slack
			if page.strips != nil {
				give = 0 // the strip is judged by its stack alone, to the pixel
			}
			a.receive(back, page.findings, give)
			drawn := p.drawn(page, pl).Grow(slack, page.Width, page.Height)
			for _, f := range page.findings {
				on := back.box(f.Box, a.Width, a.Height)
				if f.Box.Rect().In(drawn.Rect()) && min(on.W, on.H) > leastCarried {
					f.Box, f.Source = on, document.ByCarry
					onward[pl.Image] = append(onward[pl.Image], f)
				}
			}
		}
	}
	return onward
}

// drawn is where an image lies on a page, in the page's pixels.
func (p *pipeline) drawn(page *asset, pl extract.Placement) document.Box {
	a := p.assets[pl.Image]
	return matrix(pl.ToPage).box(document.Box{W: a.Width, H: a.Height}, page.Width, page.Height)
}

// leastCarried is the side, in pixels of an image, of the smallest box that it passes on: its
// edges are pixels, and each may lie one too far out.
const leastCarried = 4

// slack is what mapping a box there and back may add on a side, pixels.
const slack = 2

// receive adds findings of another asset, mapped by m, that are not covered already, give
// or take so many pixels on a side.
func (a *asset) receive(m matrix, fs []document.Finding, give int) {
	for _, f := range fs {
		f.Box = m.box(f.Box, a.Width, a.Height)
		f.Source = document.ByCarry
		if !f.Box.Empty() && !a.covers(f.Box, give) {
			a.findings = append(a.findings, f)
		}
	}
}

func (a *asset) covers(b document.Box, give int) bool {
	for _, f := range a.findings {
		if b.Rect().In(f.Box.Rect().Inset(-give)) {
			return true
		}
	}
	return false
}
