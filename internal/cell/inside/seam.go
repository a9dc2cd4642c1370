package inside

import (
	"slices"

	"blotter/internal/cell/inside/extract"
	"blotter/internal/document"
)

// A page may be put together of strips that cut its lines in two, and a picture may be a
// single pixel under a mask that holds all words. What is seen in such a part alone is no
// word of the page: the page itself was read, whole.

// leastRead is the side, in pixels, under which nobody reads a picture by itself: a line of
// small print with its surroundings.
const leastRead = 16

// told is what a page hears of an image that is placed on it. Where the page was read, it
// leaves out what touches a seam, and text that was seen in a picture too small to be read.
// Faces and codes are no lines: half of one is found nowhere, and the image may show them finer
// than the page.
func (p *pipeline) told(page *asset, pl extract.Placement, edges seams, fs []document.Finding) []document.Finding {
	if page.page == nil {
		return fs
	}
	a, drawn := p.assets[pl.Image], p.drawn(page, pl)
	small := min(a.Width, a.Height) < leastRead
	return slices.DeleteFunc(slices.Clone(fs), func(f document.Finding) bool {
		if f.Source == document.ByCarry || f.Source == document.ByFace || f.Source == document.ByBarcode {
			return false
		}
		return small && f.Type == document.Unread || edges.cut(drawn, matrix(pl.ToPage).box(f.Box, page.Width, page.Height))
	})
}

// seams tells where the images of a page begin and end, so that edges which meet are found
// without comparing all with all: for each row of pixels, how far the edges on it reach, and
// likewise for columns.
type seams struct{ tops, bottoms, lefts, rights rims }

// rims are edges by the row or column that they lie on.
type rims map[int]reach

type reach struct{ from, to int }

func (r rims) note(at, from, to int) {
	if old, ok := r[at]; ok {
		from, to = min(from, old.from), max(to, old.to)
	}
	r[at] = reach{from, to}
}

// meets reports whether an edge lies at a place, give or take the slack, beside from–to.
func (r rims) meets(at, from, to int) bool {
	for i := at - slack; i <= at+slack; i++ {
		if e, ok := r[i]; ok && e.from < to && from < e.to {
			return true
		}
	}
	return false
}

func (p *pipeline) seams(page *asset, places []extract.Placement) seams {
	s := seams{rims{}, rims{}, rims{}, rims{}}
	if len(places) < 2 {
		return s
	}
	for _, pl := range places {
		b := p.drawn(page, pl)
		s.tops.note(b.Y, b.X, b.X+b.W)
		s.bottoms.note(b.Y+b.H, b.X, b.X+b.W)
		s.lefts.note(b.X, b.Y, b.Y+b.H)
		s.rights.note(b.X+b.W, b.Y, b.Y+b.H)
	}
	return s
}

// cut reports whether a box within an image touches an edge of it at which another goes on.
func (s seams) cut(image, b document.Box) bool {
	touches := func(a, b int) bool { return a-b <= slack && b-a <= slack }
	return touches(b.Y, image.Y) && s.bottoms.meets(image.Y, b.X, b.X+b.W) ||
		touches(b.Y+b.H, image.Y+image.H) && s.tops.meets(image.Y+image.H, b.X, b.X+b.W) ||
		touches(b.X, image.X) && s.rights.meets(image.X, b.Y, b.Y+b.H) ||
		touches(b.X+b.W, image.X+image.W) && s.lefts.meets(image.X+image.W, b.Y, b.Y+b.H)
}
