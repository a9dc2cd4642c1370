package metafile

import (
	"encoding/binary"
	"image"
	"image/color"
	"math"
)

func (c *canvas) keep(bitmap) {}

// lay carries a boolean function out, pixel by pixel.
func (c *canvas) lay(t blit) {
	if c.err != nil {
		return
	}
	var src, mask image.Image
	var err error
	if t.hasSource() && usesSource(t.rop) {
		src, err = c.decode(t.bits)
	}
	if t.mask != nil && err == nil {
		mask, err = c.decode(*t.mask)
	}
	if err != nil {
		c.err = err
		return
	}
	if t.upright() {
		c.layUpright(t, src, mask)
		return
	}
	c.layTurned(t, src, mask)
}

// layUpright visits the pixels of a rectangle; which source pixel one shows is found for
// columns and rows apart.
func (c *canvas) layUpright(t blit, src, mask image.Image) {
	a, b := c.pixel(t.at), c.pixel(t.at.plus(t.along).plus(t.down))
	box := c.bounds(around(t.quad().pts).meet(t.clip.box))
	l := c.layer(t, src, mask)
	columns := make([]int, box.Dx())
	for i := range columns {
		columns[i] = pick(float64(box.Min.X+i)+0.5, a.x, b.x, t.src.Dx())
	}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		v := pick(float64(y)+0.5, a.y, b.y, t.src.Dy())
		for x := box.Min.X; x < box.Max.X; x++ {
			l.pixel(x, y, columns[x-box.Min.X], v)
		}
	}
}

// layTurned visits the pixels of a parallelogram.
func (c *canvas) layTurned(t blit, src, mask image.Image) {
	o, u, v := c.pixel(t.at), c.pixel(t.at.plus(t.along)), c.pixel(t.at.plus(t.down))
	inv, ok := matrix{u.x - o.x, u.y - o.y, v.x - o.x, v.y - o.y, o.x, o.y}.back()
	if !ok {
		return
	}
	l := c.layer(t, src, mask)
	scan(c.edges([]figure{t.quad()}, 1), true, 1, c.bounds(t.clip.box), func(y, from, to int, _ byte) {
		for x := from; x < to; x++ {
			p := inv.apply(point{float64(x) + 0.5, float64(y) + 0.5})
			l.pixel(x, y, pick(p.x, 0, 1, t.src.Dx()), pick(p.y, 0, 1, t.src.Dy()))
		}
	})
}

// laying is a blit under way.
type laying struct {
	t         blit
	src, mask image.Image
	ink       *ink
	alpha     []byte // pixels of 32 bits as they are stored; nil where they have no alpha
	stride    int
	top       bool
}

func (c *canvas) layer(t blit, src, mask image.Image) *laying {
	l := &laying{t: t, src: src, mask: mask, ink: c.ink(t.brush, t.clip)}
	if t.perPixel && bitsOf(t.bits.info) == 32 && len(t.bits.info) >= 20 && binary.LittleEndian.Uint32(t.bits.info[16:])|3 == 3 {
		w, h, top := t.bits.size()
		if w > 0 && h > 0 && w <= len(t.bits.bits)/4/h {
			l.alpha, l.stride, l.top = t.bits.bits, 4*w, top
		}
	}
	return l
}

// pixel lays pixel u, v of the source's part, counted from its corner, onto one of the canvas.
func (l *laying) pixel(x, y, u, v int) {
	if m := l.ink.mask; m != nil && !m.row(y)[x-m.rect.Min.X] {
		return
	}
	if l.mask != nil && sample(l.mask, l.t.maskAt.X+u, l.t.maskAt.Y+v)[0] < 128 {
		return
	}
	var s [3]byte
	at := image.Pt(l.t.src.Min.X+u, l.t.src.Min.Y+v)
	if l.src != nil {
		s = sample(l.src, at.X, at.Y)
	}
	if k := l.t.key; k != nil && s == [3]byte{k.R, k.G, k.B} {
		return
	}
	var p color.NRGBA
	if usesPattern(l.t.rop) {
		p = l.ink.at(x, y)
	}
	i := l.ink.c.img.PixOffset(x, y)
	d := l.ink.c.img.Pix[i : i+3 : i+3]
	if l.t.alpha != 0 || l.alpha != nil {
		l.blend(d, s, at)
		return
	}
	d[0], d[1], d[2] = boolean(l.t.rop, p.R, s[0], d[0]), boolean(l.t.rop, p.G, s[1], d[1]), boolean(l.t.rop, p.B, s[2], d[2])
}

// blend lays a pixel over another. One with an alpha of its own is stored multiplied by it.
func (l *laying) blend(d []byte, s [3]byte, at image.Point) {
	whole := uint32(l.t.alpha)
	if whole == 0 {
		whole = 255
	}
	own := uint32(255)
	if l.alpha != nil {
		y := at.Y
		if h := len(l.alpha) / l.stride; !l.top {
			_, height, _ := l.t.bits.size()
			y = min(h, height) - 1 - y
		}
		i := y*l.stride + 4*at.X
		if at.X < 0 || 4*at.X >= l.stride || i < 0 || i+4 > len(l.alpha) {
			return
		}
		own = uint32(l.alpha[i+3])
		s = [3]byte{l.alpha[i+2], l.alpha[i+1], l.alpha[i]}
	}
	for c := range 3 {
		v := (uint32(s[c])*whole*255 + uint32(d[c])*(255*255-own*whole) + 255*255/2) / (255 * 255)
		d[c] = byte(min(v, 255))
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
