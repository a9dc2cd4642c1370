// Package metafile opens EMF, WMF and PICT pictures: lists of drawing orders.
//
// A picture whose every order is understood is drawn, its text in typefaces of our own and
// large enough to be read; the words are handed out as its layer. One that shows a single
// bitmap and nothing else is that bitmap, pixel by pixel; one that draws nothing is blank
// and comes out so. Any order that is not drawn here withholds the whole picture as
// extract.vector_image, and so does a character that the typefaces lack: half a picture
// would be taken for the whole. The bitmaps within such a picture, and those of which it
// shows a part only, are assets of their own.
package metafile

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/cell/inside/extract/raster"
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// maxInner is how many bitmaps of a picture that is not drawn become assets. Their orders
// may be strips of one image by the hundred; the picture stands as withheld for all of them.
const maxInner = 16

// drawnBytes is what drawing takes for each pixel at most: the canvas, and a bitmap as
// large as it decoded beside it.
const drawnBytes = 16

// File is an opened metafile. It implements catalogue.Source.
type File struct {
	ctx     context.Context
	data    []byte
	format  document.Format
	lim     document.Limits
	foreign raster.Foreign
	tally   *catalogue.Tally
	parts   []part
}

// part is one asset: a bitmap, or the picture as drawn.
type part struct {
	bits bitmap
	plan *plan // nil for a bitmap
}

// Open walks the orders of a picture of the format EMF, WMF or PICT, once, and draws
// nothing yet. foreign is passed on to raster and may be nil. The error is
// extract.malformed where the header cannot be read, extract.asset_limit or
// extract.total_pixel_limit.
func Open(ctx context.Context, data []byte, format document.Format, lim document.Limits, foreign raster.Foreign) (*File, error) {
	f := &File{ctx: ctx, data: data, format: format, lim: lim, foreign: foreign, tally: catalogue.NewTally(lim)}
	m := &measure{box: nothing(), cost: f.cost}
	p, err := f.play(m)
	if err != nil {
		return nil, err
	}
	whole, only := f.whole(p, m)
	if err := f.add(whole); err != nil {
		return nil, err
	}
	if only || !p.vector && !m.partly {
		return f, nil
	}
	for _, b := range p.bitmaps[:min(len(p.bitmaps), maxInner)] {
		if err := f.add(f.bitmap(b)); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// found is an asset before the limits have judged it.
type found struct {
	item catalogue.Item
	part part
}

func (f *File) add(x found) error {
	x.item.Kind = document.Image
	if err := f.tally.Add(x.item); err != nil {
		return err
	}
	f.parts = append(f.parts, x.part)
	return nil
}

// whole is the picture as an asset. only says that it is the one bitmap within.
func (f *File) whole(p *player, m *measure) (x found, only bool) {
	switch {
	case !p.vector && p.drawn == 1 && len(p.bitmaps) == 1 && m.copies == 1:
		return f.bitmap(p.bitmaps[0]), true
	case p.vector && p.beside == 0 && p.drawn == 0 && len(p.bitmaps) == 1: // drawn by a newer dialect
		return f.bitmap(p.bitmaps[0]), true
	case p.vector:
		return f.withheld(p, p.code), false
	case p.drawn == 0:
		w, h := p.declared()
		return f.drawing(&plan{width: w, height: h, blank: true}), false
	}
	for _, b := range p.bitmaps {
		if x := f.bitmap(b); x.item.Withheld != "" {
			return f.withheld(p, x.item.Withheld), false
		}
	}
	pl := m.plan(p.header)
	if m.work(pl.sx, pl.sy) > maxWork {
		return f.withheld(p, reason.ExtractVector), false
	}
	return f.drawing(pl), false
}

func (f *File) drawing(pl *plan) found {
	return found{catalogue.Item{PixelBytes: drawnBytes, Asset: document.Asset{Format: f.format, Width: pl.width, Height: pl.height}}, part{plan: pl}}
}

func (f *File) withheld(p *player, code reason.Code) found {
	w, h := p.declared()
	return found{item: catalogue.Item{Withheld: code, Asset: document.Asset{Format: f.format, Width: w, Height: h}}}
}

// bitmap is one bitmap as an asset.
func (f *File) bitmap(b bitmap) found {
	x := found{part: part{bits: b}}
	if b.rows != nil { // they are not unpacked to be measured
		x.item.Asset = document.Asset{Format: document.RawPixels, Width: b.rows.width, Height: b.rows.height}
		return x
	}
	src, kind, err := b.open(f.ctx, f.lim, f.foreign)
	x.item.Format = kind
	if err != nil {
		x.item.Withheld = reason.Of(err)
		return x
	}
	x.item = src.Assets()[0]
	x.item.Frame = 0
	return x
}

// cost is how many pixels decoding a bitmap makes. A file within says so itself, whatever
// the header before it says.
func (f *File) cost(b bitmap) float64 {
	if !b.isFile() {
		w, h, _ := b.size()
		return math.Abs(float64(w) * float64(h)) // what a header says may be negative
	}
	src, _, err := b.open(f.ctx, f.lim, f.foreign)
	if err != nil {
		return 0 // nothing is decoded
	}
	a := src.Assets()[0]
	return float64(a.Width) * float64(a.Height)
}

// play runs the orders on a surface.
func (f *File) play(s surface) (*player, error) {
	p := newPlayer(f.ctx, s)
	var err error
	switch f.format {
	case document.EMF:
		err = p.emf(f.data)
	case document.WMF:
		err = p.wmf(f.data)
	case document.PICT:
		err = p.pict(f.data)
	default:
		err = reason.Because(reason.ExtractEncoding, fmt.Errorf("metafile: %v", f.format))
	}
	return p, err
}

// Assets lists the picture, and where it is not drawn in full the bitmaps within.
func (f *File) Assets() []catalogue.Item { return f.tally.Items() }

// Load draws the picture or decodes a bitmap; see catalogue.Source.
func (f *File) Load(i int) (image.Image, error) {
	if i < 0 || i >= len(f.parts) {
		return nil, reason.Because(reason.Internal, fmt.Errorf("metafile: no asset %d", i))
	}
	if code := f.tally.Items()[i].Withheld; code != "" {
		return nil, reason.Because(code, errors.New("metafile: the picture is withheld"))
	}
	x := f.parts[i]
	if x.plan == nil {
		src, _, err := x.bits.open(f.ctx, f.lim, f.foreign)
		if err != nil {
			return nil, err
		}
		return src.Load(0)
	}
	if x.plan.blank {
		img := image.NewGray(image.Rect(0, 0, x.plan.width, x.plan.height))
		for i := range img.Pix {
			img.Pix[i] = 0xff
		}
		return img, nil
	}
	c := newCanvas(f, x.plan)
	if _, err := f.play(c); err != nil {
		return nil, err
	}
	return c.img, c.err
}

// Layer returns the words of the drawn picture of which the orders tell for certain how they are
// seen: nil for a bitmap.
func (f *File) Layer(i int) ([]words.Word, error) {
	if i < 0 || i >= len(f.parts) || f.parts[i].plan == nil || f.parts[i].plan.blank || f.tally.Items()[i].Withheld != "" {
		return nil, nil
	}
	s := &scribe{canvas: newCanvas(f, f.parts[i].plan)}
	if _, err := f.play(s); err != nil {
		return nil, err
	}
	return s.layer(), s.err
}

// Placements returns nil: a picture is no page.
func (f *File) Placements(int) []catalogue.Placement { return nil }

// NotCovered is empty: what is not drawn is withheld.
func (f *File) NotCovered() document.NotCovered { return 0 }

// Close does nothing: the file holds no resource of its own.
func (f *File) Close() error { return nil }

// side makes a number of pixels of a length that a file gives.
func side(v float64) int {
	if !(v >= 1) {
		return blankSide
	}
	return int(math.Min(math.Ceil(v-1e-6), 1<<30))
}
