package metafile

import (
	"errors"
	"image"
	"image/color"
	"math"

	"blotter/internal/cell/inside/extract/metafile/typeface"
	"blotter/internal/reason"
)

// canvas is the surface of pixels.
type canvas struct {
	f    *File
	plan *plan
	img  *image.NRGBA
	err  error

	mask     *mask   // the last
	pattern  *bitmap // the last, and its pixels
	tile     image.Image
	outlines typeface.Outlines
}

func newCanvas(f *File, pl *plan) *canvas {
	c := &canvas{f: f, plan: pl, img: image.NewNRGBA(image.Rect(0, 0, pl.width, pl.height))}
	for i := range c.img.Pix {
		c.img.Pix[i] = 0xff
	}
	return c
}

// pixel maps a device unit to the canvas.
func (c *canvas) pixel(p point) point { return c.plan.pixel(p) }

// bounds are the pixels within an area of device units.
func (c *canvas) bounds(a area) image.Rectangle {
	if a.empty() {
		return image.Rectangle{}
	}
	lo, hi := c.pixel(a.min), c.pixel(a.max)
	cut := func(v float64, most int) int { return int(math.Round(math.Min(math.Max(v, 0), float64(most)))) }
	return image.Rect(cut(lo.x, c.plan.width), cut(lo.y, c.plan.height), cut(hi.x, c.plan.width), cut(hi.y, c.plan.height))
}

// ink is a paint on the canvas.
type ink struct {
	c    *canvas
	with paint
	rop  byte
	mask *mask
	tile image.Image // of a pattern
	grow int         // pixels of the canvas for one of a pattern
}

func (c *canvas) ink(with paint, k clip) *ink {
	i := &ink{c: c, with: with, rop: ropPattern, mask: c.masked(k), grow: max(1, int(math.Round(c.plan.sx)))}
	if with.mode != copyPen {
		i.rop = ropOf(with.mode)
	}
	if with.bits != nil {
		i.tile = c.tileOf(with.bits)
	}
	return i
}

// tileOf decodes a pattern; the last is kept.
func (c *canvas) tileOf(b *bitmap) image.Image {
	if c.pattern != b {
		img, err := c.decode(*b)
		if err != nil {
			c.err = errors.Join(c.err, err)
			return nil
		}
		c.pattern, c.tile = b, img
	}
	return c.tile
}

func (c *canvas) decode(b bitmap) (image.Image, error) {
	f, _, err := b.open(c.f.ctx, c.f.lim, c.f.foreign)
	if err == nil && f.Assets()[0].Withheld != "" {
		err = reason.Because(f.Assets()[0].Withheld, errors.New("metafile: bitmap"))
	}
	if err != nil {
		return nil, err
	}
	return f.Load(0)
}

// at is the colour for a pixel.
func (i *ink) at(x, y int) color.NRGBA {
	switch {
	case i.tile != nil:
		b := i.tile.Bounds()
		s := sample(i.tile, x/i.grow%b.Dx(), y/i.grow%b.Dy())
		if i.with.mono {
			if s[0] < 128 {
				return i.with.c
			}
			return i.with.back
		}
		return color.NRGBA{s[0], s[1], s[2], 255}
	case i.with.hatch > 0 && !hatched(i.with.hatch, x/i.grow&7, y/i.grow&7):
		return i.with.back
	}
	return i.with.c
}

// hatched reports whether a line runs through a place of eight by eight ([MS-WMF] 2.1.1.12).
func hatched(hatch, x, y int) bool {
	level, upright, falling, rising := y == 4, x == 4, x == y, x == 7-y
	return []bool{true, level, upright, falling, rising, level || upright, falling || rising}[hatch]
}

// run paints pixels of a row, cover of 255 of them.
func (i *ink) run(y, from, to int, cover byte) {
	var open []bool
	if i.mask != nil {
		open = i.mask.row(y)
	}
	plain := i.tile == nil && i.with.hatch == 0
	col := i.with.c
	at := i.c.img.PixOffset(from, y)
	for x := from; x < to; x, at = x+1, at+4 {
		if open != nil && !open[x-i.mask.rect.Min.X] {
			continue
		}
		if !plain {
			col = i.at(x, y)
		}
		d := i.c.img.Pix[at : at+3 : at+3]
		switch {
		case i.rop != ropPattern:
			d[0], d[1], d[2] = boolean(i.rop, col.R, 0, d[0]), boolean(i.rop, col.G, 0, d[1]), boolean(i.rop, col.B, 0, d[2])
		case cover == 255 && col.A == 255:
			d[0], d[1], d[2] = col.R, col.G, col.B
		default:
			a := uint32(cover) * uint32(col.A)
			d[0], d[1], d[2] = mix(col.R, d[0], a), mix(col.G, d[1], a), mix(col.B, d[2], a)
		}
	}
}

// mix lays one value over another with an opacity of 255·255.
func mix(over, under byte, a uint32) byte {
	const all = 255 * 255
	return byte((uint32(over)*a + uint32(under)*(all-a) + all/2) / all)
}

func (c *canvas) rows(with paint) int {
	if with.smooth && (with.mode == copyPen || with.mode == 0) {
		return smoothRows
	}
	return 1
}

func (c *canvas) fill(figs []figure, evenOdd bool, with paint, k clip) {
	rows := c.rows(with)
	scan(c.edges(figs, rows), evenOdd, rows, c.bounds(k.box), c.ink(with, k).run)
}

// strokeBatch is how many polygons of a line are drawn as one: where they overlap they
// would be mixed twice at their edges else.
const strokeBatch = 64

// stroke draws each piece of a line as a polygon, never thinner than a pixel.
func (c *canvas) stroke(figs []figure, s stroke, with paint, k clip) {
	half := math.Max(s.width*math.Sqrt(c.plan.sx*c.plan.sy), 1) / 2
	in, i := c.bounds(k.box), c.ink(with, k)
	smooth := c.rows(paint{mode: with.mode, smooth: true})
	var edges [2][]edge // of level pieces and of others
	var held [2]int
	draw := func(n int) {
		scan(edges[n], false, []int{1, smooth}[n], in, i.run)
		edges[n], held[n] = edges[n][:0], 0
	}
	for _, f := range figs {
		px := figure{make([]point, len(f.pts)), f.closed}
		for j, at := range f.pts {
			px.pts[j] = c.pixel(at)
		}
		s.outline(px, half, func(ring []point, level bool) {
			n, rows := 1, smooth
			if level {
				n, rows = 0, 1
			}
			for j := range ring {
				edges[n] = side2(edges[n], ring[j], ring[(j+1)%len(ring)], rows, c.plan.height)
			}
			if held[n]++; held[n] == strokeBatch {
				draw(n)
			}
		})
	}
	draw(0)
	draw(1)
}

// shade fills a triangle with colours that run from corner to corner.
func (c *canvas) shade(corners [3]point, colours [3]color.NRGBA, k clip) {
	var px [3]point
	for i, at := range corners {
		px[i] = c.pixel(at)
	}
	m := matrix{px[1].x - px[0].x, px[1].y - px[0].y, px[2].x - px[0].x, px[2].y - px[0].y, px[0].x, px[0].y}
	inv, ok := m.back()
	if !ok {
		return
	}
	i := c.ink(paint{mode: copyPen}, k)
	scan(c.edges([]figure{{corners[:], true}}, 1), true, 1, c.bounds(k.box), func(y, from, to int, _ byte) {
		for x := from; x < to; x++ {
			w := inv.apply(point{float64(x) + 0.5, float64(y) + 0.5})
			part := func(a, b, c byte) byte {
				v := float64(a)*(1-w.x-w.y) + float64(b)*w.x + float64(c)*w.y
				return byte(math.Max(0, math.Min(v, 255)))
			}
			i.with.c = color.NRGBA{part(colours[0].R, colours[1].R, colours[2].R), part(colours[0].G, colours[1].G, colours[2].G),
				part(colours[0].B, colours[1].B, colours[2].B), 255}
			i.run(y, x, x+1, 255)
		}
	})
}
