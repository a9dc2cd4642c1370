package inside

import (
	"cmp"
	"context"
	"errors"
	"image"
	"image/draw"
	"maps"
	"math"
	"slices"

	"blotter/internal/cell/inside/extract"
	"blotter/internal/cell/inside/redact"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// Scanners cut a page into hundreds of strips that are lower than a line of text. Each alone
// shows parts of letters, which cost a reader more than words and say less. Strips that stand
// edge to edge on a page are put together in their own pixels, whatever crops or covers them
// there. The stack is read, judged and looked at again as one picture; a strip takes the words
// of its part, as an image does that fills its page.

const (
	// lowStrip is how many times an image is wider than high to be a strip: as wide as A4, it is
	// 15 points high, less than a line of print with what surrounds it.
	lowStrip = 40
	// edgeToEdge is how far apart strips may be drawn, or one over the next, in their own
	// pixels: writers round to whole points or pixels.
	edgeToEdge = 1.5
	// mostColumns is how many columns of strips are told apart on a page.
	mostColumns = 32
)

// column are strips of one width that a page draws at one scale, above one another.
type column struct {
	first  matrix // of one of them, to the page
	back   matrix
	width  int
	strips []laid
}

// laid is a strip in the pixels of its column.
type laid struct {
	image int
	top   float64
	high  int
}

// stackUp puts together the strips of all pages, as assets behind those of the document.
func (p *pipeline) stackUp() {
	room := p.task.Limits.TotalPixels
	for i := range len(p.assets) {
		for _, c := range p.columns(i) {
			for _, run := range p.runs(c) {
				if a := p.stack(c, run); a != nil && int64(a.Width)*int64(a.Height) <= room {
					room -= int64(a.Width) * int64(a.Height)
					p.put(i, c, a, run)
				}
			}
		}
	}
	p.stackRest(room)
}

// stackRest puts together strips of one width that no page shows, in the order in which the
// document holds them: a page that is withheld leaves its strips, and each of them alone would
// be handed out with the parts of letters that nobody can read until they are put together.
func (p *pipeline) stackRest(room int64) {
	shown := map[int]bool{}
	for i := range p.assets {
		for _, pl := range p.placements(i) {
			shown[pl.Image] = true
		}
	}
	type kind struct {
		within document.Path
		width  int
	}
	rest, high := map[kind]*column{}, map[kind]int{}
	var kinds []kind
	for i, a := range p.assets {
		k := kind{a.Within, a.Width}
		if a.Kind != document.Image || a.Withheld != "" || a.sharesOf != nil || a.strips != nil || shown[i] || !a.low() {
			continue
		}
		if rest[k] == nil {
			rest[k], kinds = &column{first: matrix{1, 0, 0, 1}, back: matrix{1, 0, 0, 1}, width: a.Width}, append(kinds, k)
		}
		rest[k].strips = append(rest[k].strips, laid{i, float64(high[k]), a.Height})
		high[k] += a.Height
	}
	for _, k := range kinds {
		for _, run := range p.runs(*rest[k]) {
			if a := p.stack(*rest[k], run); a != nil && int64(a.Width)*int64(a.Height) <= room {
				room -= int64(a.Width) * int64(a.Height)
				p.lend(a)
			}
		}
	}
}

// low reports whether an image is of the form of a strip.
func (a *asset) low() bool { return a.Height > 0 && a.Width/lowStrip >= a.Height }

// columns are those of a page, each from the top down.
func (p *pipeline) columns(page int) []column {
	var out []column
	for _, pl := range p.placements(page) {
		a, m := p.assets[pl.Image], matrix(pl.ToPage)
		if a.Withheld != "" || a.sharesOf != nil && !a.isStrip() || !a.low() {
			continue
		}
		at := slices.IndexFunc(out, func(c column) bool { return c.holds(a, m) })
		if back, ok := m.inverse(); at < 0 && ok && len(out) < mostColumns {
			at, out = len(out), append(out, column{first: m, back: back, width: a.Width})
		}
		if at >= 0 {
			out[at].strips = append(out[at].strips, laid{pl.Image, m.then(out[at].back)[5], a.Height})
		}
	}
	for _, c := range out {
		slices.SortStableFunc(c.strips, func(a, b laid) int { return cmp.Compare(a.top, b.top) })
	}
	return out
}

// holds reports whether an image that lies so on the page stands in the column.
func (c column) holds(a *asset, m matrix) bool {
	r := m.then(c.back)
	w, h := float64(a.Width), float64(a.Height)
	near := func(off float64) bool { return math.Abs(off) <= edgeToEdge } // not so for NaN
	return a.Width == c.width && near((r[0]-1)*w) && near(r[1]*w) && near(r[2]*h) && near((r[3]-1)*h) && near(r[4]) && !math.IsInf(r[5], 0)
}

// runs are the strips of a column that stand edge to edge, none longer than an image may be.
// One that is drawn over another is in none of them.
func (p *pipeline) runs(c column) [][]laid {
	var out [][]laid
	var run []laid
	high := 0
	for _, s := range c.strips {
		if n := len(run); n > 0 {
			gap := s.top - run[n-1].top - float64(run[n-1].high)
			if gap < -edgeToEdge {
				continue
			}
			if gap > edgeToEdge || !p.admitsStack(c.width, high+s.high) {
				out, run, high = append(out, run), nil, 0
			}
		}
		run, high = append(run, s), high+s.high
	}
	return append(out, run)
}

// admitsStack reports whether a picture of that size can be read.
func (p *pipeline) admitsStack(w, h int) bool {
	it := extract.Item{Asset: document.Asset{Kind: document.Image, Width: w, Height: h}}
	return int64(w)*int64(h) <= p.task.Limits.AssetPixels && p.engines.fits(it)
}

// stack makes an asset of strips that stand edge to edge; nil where there are no two of them,
// where all stand in other stacks already, or where they stand unevenly, so that boxes would
// not lie where the page shows them.
func (p *pipeline) stack(c column, run []laid) *asset {
	a, distinct, fresh := &asset{}, map[int]bool{}, false
	a.Kind, a.Width = document.Image, c.width
	for _, s := range run {
		a.strips = append(a.strips, extract.Placement{Image: s.image, ToPage: matrix{1, 0, 0, 1, 0, float64(a.Height)}})
		a.Height += s.high
		distinct[s.image] = true
		fresh = fresh || p.assets[s.image].sharesOf == nil
	}
	if len(distinct) < 2 || !fresh {
		return nil
	}
	to := stretched(run, a.Height)
	for i, s := range run {
		if math.Abs(to[3]*a.strips[i].ToPage[5]+to[5]-s.top) > slack {
			return nil
		}
	}
	a.Index, a.Page, a.Within = p.assets[run[0].image].Index, p.assets[run[0].image].Page, p.assets[run[0].image].Within
	return a
}

// stretched maps a stack of so many pixels to its column.
func stretched(run []laid, high int) matrix {
	first, last := run[0], run[len(run)-1]
	return matrix{1, 0, 0, (last.top + float64(last.high) - first.top) / float64(high), 0, first.top}
}

// put places a stack on its page, and its strips in it.
func (p *pipeline) put(page int, c column, a *asset, run []laid) {
	to := stretched(run, a.Height).then(c.first)
	p.assets[page].stacks = append(p.assets[page].stacks, extract.Placement{Image: len(p.assets), ToPage: to})
	p.lend(a)
}

// lend adds a stack, which reads for its strips.
func (p *pipeline) lend(a *asset) {
	p.assets = append(p.assets, a)
	for _, pl := range a.strips {
		if s := p.assets[pl.Image]; s.sharesOf == nil {
			s.sharesOf, s.back = a, matrix{1, 0, 0, 1, 0, -pl.ToPage[5]}
		}
	}
}

// isStrip reports whether an image is read as a part of a stack.
func (a *asset) isStrip() bool { return a.sharesOf != nil && a.sharesOf.strips != nil }

// join decodes the strips of a stack, each once, and puts them together.
func (p *pipeline) join(a *asset) (image.Image, error) {
	var out draw.Image = image.NewGray(image.Rect(0, 0, a.Width, a.Height))
	tops := map[int][]int{}
	for _, pl := range a.strips {
		tops[pl.Image] = append(tops[pl.Image], int(pl.ToPage[5]))
	}
	for _, at := range slices.Sorted(maps.Keys(tops)) {
		img, err := p.source.Load(at)
		if err != nil {
			return nil, err
		}
		if want := p.assets[at]; img.Bounds().Size() != image.Pt(want.Width, want.Height) {
			return nil, reason.Because(reason.ExtractSizeLies, errors.New("inside: size of a strip"))
		}
		out = coloured(out, img)
		for _, top := range tops[at] {
			draw.Draw(out, image.Rect(0, top, a.Width, top+img.Bounds().Dy()), img, img.Bounds().Min, draw.Src)
		}
	}
	return out, nil
}

// coloured is a picture on which another can be laid: in colour as soon as one is.
func coloured(out draw.Image, img image.Image) draw.Image {
	gray, isGray := out.(*image.Gray)
	if _, ok := img.(*image.Gray); ok || !isGray {
		return out
	}
	colour := image.NewNRGBA(gray.Rect)
	draw.Draw(colour, colour.Rect, gray, gray.Rect.Min, draw.Src)
	return colour
}

// burnStacks looks at the stacks once they are burned, as at any image, and gives the strips
// what that finds. Where it does not help, no strip of the stack is handed out.
func (p *pipeline) burnStacks(ctx context.Context) error {
	for i, a := range p.assets {
		if a.strips == nil || !a.lends() {
			continue
		}
		if err := p.out.next(document.StageRedact, a.Index); err != nil {
			return err
		}
		before := len(a.findings)
		err := p.timed(ctx, func(ctx context.Context) error {
			img, err := p.load(i)
			if err != nil {
				return err
			}
			return p.burn(ctx, a, redact.Canvas(img, p.task.Fill))
		})
		if err != nil && endsDocument(err) {
			return err
		}
		for _, pl := range a.strips {
			s := p.assets[pl.Image]
			if err != nil && s.Withheld == "" {
				s.Withheld = reason.Of(err)
			}
			s.receive(matrix{1, 0, 0, 1, 0, -pl.ToPage[5]}, a.findings[before:], 0)
		}
	}
	return nil
}
