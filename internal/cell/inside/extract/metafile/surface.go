package metafile

import (
	"errors"
	"image"
	"image/color"
	"math"
	"slices"

	"blotter/internal/reason"
)

// measure is the surface of the first walk: it finds what the picture covers, how fine
// its bitmaps are, and what drawing it would cost.
type measure struct {
	cost          func(bitmap) float64 // pixels that decoding makes
	box           area
	pixels, edges float64 // in device units: areas, and heights of edges
	sources       float64 // pixels of bitmaps
	fineX, fineY  float64 // pixels of a bitmap for a device unit, the most
	copies        int     // bitmaps laid down whole and as they are
	partly        bool    // a bitmap of which a part is shown only
}

func (m *measure) cover(a area) {
	if a.empty() {
		return
	}
	m.box = m.box.join(a)
	w, h := a.size()
	m.pixels += w * h
}

func (m *measure) fill(rings [][]point, _ bool, _ color.NRGBA, clip area) {
	box := nothing()
	for _, r := range rings {
		for i, at := range r {
			box = box.with(at)
			m.edges += math.Abs(at.y-r[(i+1)%len(r)].y) + 1
		}
	}
	m.cover(box.meet(clip))
}

func (m *measure) stroke(lines [][]point, width float64, _ color.NRGBA, clip area) {
	half := math.Max(width, 1) / 2
	for _, l := range lines {
		for i, at := range l {
			from := l[max(i-1, 0)]
			box := nothing().with(point{math.Min(at.x, from.x) - half, math.Min(at.y, from.y) - half}).
				with(point{math.Max(at.x, from.x) + half, math.Max(at.y, from.y) + half}).meet(clip)
			length := math.Hypot(at.x-from.x, at.y-from.y) + 1
			m.edges += 4 * (length + 2*half) // walked even where the clip shows nothing of them
			if box.empty() {
				continue
			}
			m.box = m.box.join(box)
			m.pixels += length * 2 * half
		}
	}
}

func (m *measure) lay(t blit) {
	box := nothing().with(t.a).with(t.b).meet(t.clip)
	m.cover(box)
	if !t.hasSource() || !usesSource(t.rop) {
		return
	}
	w, h, _ := t.bits.size()
	m.sources += m.cost(t.bits)
	full := image.Rect(0, 0, w, h).In(t.src)
	m.partly = m.partly || !full || box != nothing().with(t.a).with(t.b)
	if t.src == image.Rect(0, 0, w, h) && t.rop == ropCopy && t.b.x > t.a.x && t.b.y > t.a.y {
		m.copies++
	}
	if dx, dy := math.Abs(t.b.x-t.a.x), math.Abs(t.b.y-t.a.y); dx > 0 && dy > 0 {
		m.fineX, m.fineY = math.Max(m.fineX, float64(t.src.Dx())/dx), math.Max(m.fineY, float64(t.src.Dy())/dy)
	}
}

// plan makes the finest bitmap keep its pixels. Where its pixels are nearly square they
// stay as they are; else both directions get the finer scale.
func (m *measure) plan() *plan {
	sx, sy := m.fineX, m.fineY
	w, h := m.box.size()
	switch {
	case m.box.empty():
		return &plan{sx: 1, sy: 1, width: blankSide, height: blankSide}
	case sx <= 0 || sy <= 0:
		sx = math.Min(1, plainSide/math.Max(w, h))
		sy = sx
	case sx/sy > 1.25 || sy/sx > 1.25:
		sx = math.Max(sx, sy)
		sy = sx
	}
	return &plan{origin: m.box.min, sx: sx, sy: sy, width: side(w * sx), height: side(h * sy)}
}

// work is what drawing costs at a scale, in pixels.
func (m *measure) work(sx, sy float64) float64 {
	return m.pixels*sx*sy + edgeWork*m.edges*math.Max(sx, sy) + m.sources
}

// canvas is the surface of pixels.
type canvas struct {
	f    *File
	plan *plan
	img  *image.NRGBA
	err  error
}

func newCanvas(f *File, pl *plan) *canvas {
	c := &canvas{f: f, plan: pl, img: image.NewNRGBA(image.Rect(0, 0, pl.width, pl.height))}
	for i := range c.img.Pix {
		c.img.Pix[i] = 0xff
	}
	return c
}

// pixel maps a device unit to the canvas.
func (c *canvas) pixel(p point) point {
	return point{(p.x - c.plan.origin.x) * c.plan.sx, (p.y - c.plan.origin.y) * c.plan.sy}
}

// bounds are the pixels within an area of device units.
func (c *canvas) bounds(a area) image.Rectangle {
	if a.empty() {
		return image.Rectangle{}
	}
	lo, hi := c.pixel(a.min), c.pixel(a.max)
	cut := func(v float64, most int) int { return int(math.Round(math.Min(math.Max(v, 0), float64(most)))) }
	return image.Rect(cut(lo.x, c.plan.width), cut(lo.y, c.plan.height), cut(hi.x, c.plan.width), cut(hi.y, c.plan.height))
}

// edge is a side of an outline in pixels, from top to bottom.
type edge struct {
	top, bottom int // rows whose centre it crosses: top ≤ row < bottom
	x, step     float64
	turn        int // direction, for outlines that wind
}

func (c *canvas) fill(rings [][]point, evenOdd bool, col color.NRGBA, clip area) {
	var edges []edge
	for _, r := range rings {
		for i := range r {
			edges = c.edge(edges, c.pixel(r[i]), c.pixel(r[(i+1)%len(r)]))
		}
	}
	c.spans(edges, evenOdd, col, c.bounds(clip))
}

func (c *canvas) edge(edges []edge, a, b point) []edge {
	turn := 1
	if a.y > b.y {
		a, b, turn = b, a, -1
	}
	top, bottom := math.Max(math.Ceil(a.y-0.5), 0), math.Min(math.Ceil(b.y-0.5), float64(c.plan.height))
	if !(top < bottom) {
		return edges
	}
	step := (b.x - a.x) / (b.y - a.y)
	return append(edges, edge{int(top), int(bottom), a.x + (top+0.5-a.y)*step, step, turn})
}

// spans fills row by row between the edges that cross it.
func (c *canvas) spans(edges []edge, evenOdd bool, col color.NRGBA, clip image.Rectangle) {
	slices.SortFunc(edges, func(a, b edge) int { return a.top - b.top })
	var active []edge
	for y, next := 0, 0; y < clip.Max.Y && (next < len(edges) || len(active) > 0); y++ {
		if len(active) == 0 {
			y = max(y, edges[next].top)
		}
		for ; next < len(edges) && edges[next].top <= y; next++ {
			active = append(active, edges[next])
		}
		active = slices.DeleteFunc(active, func(e edge) bool { return e.bottom <= y })
		slices.SortFunc(active, func(a, b edge) int {
			switch {
			case a.x < b.x:
				return -1
			case a.x > b.x:
				return 1
			}
			return 0
		})
		wound := 0
		for i := range active {
			if i > 0 && wound != 0 && y >= clip.Min.Y {
				c.row(y, active[i-1].x, active[i].x, col, clip)
			}
			if evenOdd {
				wound ^= 1
			} else {
				wound += active[i].turn
			}
		}
		for i := range active {
			active[i].x += active[i].step
		}
	}
}

func (c *canvas) row(y int, from, to float64, col color.NRGBA, clip image.Rectangle) {
	a := int(math.Max(math.Ceil(from-0.5), float64(clip.Min.X)))
	b := int(math.Min(math.Ceil(to-0.5), float64(clip.Max.X)))
	for x := a; x < b; x++ {
		c.img.SetNRGBA(x, y, col)
	}
}

// stroke draws each piece of a line as a rectangle with an octagon at its ends: round,
// as pens are by default, and never thinner than a pixel.
func (c *canvas) stroke(lines [][]point, width float64, col color.NRGBA, clip area) {
	half := math.Max(width*math.Sqrt(c.plan.sx*c.plan.sy), 1) / 2
	box := c.bounds(clip)
	for _, l := range lines {
		for i, at := range l {
			b := c.pixel(at)
			a := c.pixel(l[max(i-1, 0)])
			if i == 0 && len(l) > 1 {
				continue
			}
			var edges []edge
			ring := capsule(a, b, half)
			for j := range ring {
				edges = c.edge(edges, ring[j], ring[(j+1)%len(ring)])
			}
			c.spans(edges, false, col, box)
		}
	}
}

// capsule is the outline of a thick line from a to b with rounded ends.
func capsule(a, b point, half float64) []point {
	const n = 4 // points of each end's half circle, and one
	dir := math.Atan2(b.y-a.y, b.x-a.x)
	var out []point
	for i := range n + 1 {
		s, co := math.Sincos(dir - math.Pi/2 + math.Pi*float64(i)/n)
		out = append(out, point{b.x + half*co, b.y + half*s})
	}
	for i := range n + 1 {
		s, co := math.Sincos(dir + math.Pi/2 + math.Pi*float64(i)/n)
		out = append(out, point{a.x + half*co, a.y + half*s})
	}
	return out
}

// lay carries a boolean function out, pixel by pixel.
func (c *canvas) lay(t blit) {
	if c.err != nil {
		return
	}
	var src image.Image
	if t.hasSource() && usesSource(t.rop) {
		f, _, err := t.bits.open(c.f.ctx, c.f.lim, c.f.foreign)
		if err == nil && f.Assets()[0].Withheld != "" {
			err = reason.Because(f.Assets()[0].Withheld, errors.New("metafile: bitmap"))
		}
		if err == nil {
			src, err = f.Load(0)
		}
		if err != nil {
			c.err = err
			return
		}
	}
	a, b := c.pixel(t.a), c.pixel(t.b)
	box := c.bounds(nothing().with(t.a).with(t.b).meet(t.clip))
	for y := box.Min.Y; y < box.Max.Y; y++ {
		v := t.src.Min.Y + pick(float64(y)+0.5, a.y, b.y, t.src.Dy())
		for x := box.Min.X; x < box.Max.X; x++ {
			i := c.img.PixOffset(x, y)
			var s [3]byte
			if src != nil {
				s = sample(src, t.src.Min.X+pick(float64(x)+0.5, a.x, b.x, t.src.Dx()), v)
			}
			d := c.img.Pix[i : i+3]
			d[0], d[1], d[2] = boolean(t.rop, t.brush.R, s[0], d[0]), boolean(t.rop, t.brush.G, s[1], d[1]), boolean(t.rop, t.brush.B, s[2], d[2])
		}
	}
}

// pick finds which of n source pixels comes to lie at v between a and b.
func pick(v, a, b float64, n int) int {
	return max(0, min(n-1, int(math.Floor((v-a)/(b-a)*float64(n)))))
}

// sample reads a pixel; what lies outside is white.
func sample(img image.Image, x, y int) [3]byte {
	switch m := img.(type) {
	case *image.Gray:
		if image.Pt(x, y).In(m.Rect) {
			v := m.Pix[m.PixOffset(x, y)]
			return [3]byte{v, v, v}
		}
	case *image.NRGBA:
		if image.Pt(x, y).In(m.Rect) {
			i := m.PixOffset(x, y)
			return [3]byte(m.Pix[i : i+3])
		}
	}
	return [3]byte{255, 255, 255}
}

// boolean applies a function of pattern, source and target to all bits of a byte.
func boolean(rop, p, s, d byte) (out byte) {
	if rop == ropCopy {
		return s
	}
	for i := range byte(8) {
		if rop>>i&1 == 0 {
			continue
		}
		bits := byte(0xff)
		for j, v := range [3]byte{d, s, p} {
			if i>>j&1 == 0 {
				v = ^v
			}
			bits &= v
		}
		out |= bits
	}
	return out
}
