package metafile

import (
	"encoding/binary"
	"image/color"
	"math"
	"unicode/utf16"
)

// emfObject makes, chooses and drops pens, brushes, fonts and palettes.
func (p *player) emfObject(r record) bool {
	i := r.u32(8)
	switch r.kind {
	case emfPen:
		p.make(i, newPen(r.u32(12), r.num(16), p.colour(r.u32(24)), nil))
	case emfExtPen:
		p.make(i, p.emfExtPen(r))
	case emfBrush:
		b, ok := newBrush(r.u32(12), p.colour(r.u32(16)), r.u32(20))
		b.unknown = !ok
		p.make(i, b)
	case emfMonoBrush, emfDIBBrush:
		x := r.dib(16, r.u32(12))
		p.make(i, p.patternBrush(x, r.kind == emfMonoBrush))
	case emfFont:
		p.make(i, r.font())
	case emfNewPalette:
		p.make(i, newPalette(r.b[min(12, len(r.b)):]))
	case emfDelete:
		delete(p.objects, i)
	case emfSelect:
		if i&0x80000000 == 0 {
			p.take(p.objects[i])
			break
		}
		p.stock(i & 0x7fffffff)
	default:
		return false
	}
	return true
}

// largePattern is from which side on, in pixels, a pattern may hold something to read: it
// becomes an asset of its own.
const largePattern = 65

// patternBrush is a brush of a bitmap.
func (p *player) patternBrush(b bitmap, mono bool) brush {
	if w, h, _ := b.size(); w >= largePattern || h >= largePattern {
		p.met(b)
		p.out.keep(b)
	}
	return brush{visible: true, bits: &b, mono: mono, unknown: b.code != "" || !b.hasPixels()}
}

func (b bitmap) hasPixels() bool {
	w, h, _ := b.size()
	return w > 0 && h > 0
}

// emfExtPen reads a pen with a style of its own.
func (p *player) emfExtPen(r record) pen {
	const geometric, hollow = 16, 1
	style, width := r.u32(28), r.num(32)
	if style>>geometric&1 == 0 { // cosmetic: one pixel
		width = 0
	}
	n := int(min(r.u32(48), maxStyle))
	var custom []float64
	for i := range n {
		custom = append(custom, float64(r.u32(52+4*i)))
	}
	x := newPen(style, width, p.colour(r.u32(40)), custom)
	x.visible = x.visible && r.u32(36) != hollow
	return x
}

// maxStyle bounds the lengths of a pen's own dashes; GDI takes 16.
const maxStyle = 16

// font reads a LOGFONT of wide characters.
func (r record) font() font {
	var name []uint16
	for i := 40; i+2 <= min(len(r.b), 104); i += 2 {
		v := binary.LittleEndian.Uint16(r.b[i:])
		if v == 0 {
			break
		}
		name = append(name, v)
	}
	return newFont(r.num(12), r.num(16), r.num(20), r.num(28), cut(r.b, 32, 8), string(utf16.Decode(name)))
}

// stock selects one of the objects that are always there, [MS-WMF] 2.1.1.27.
func (p *player) stock(i uint32) {
	grays := map[uint32]byte{0: 0xff, 1: 0xc0, 2: 0x80, 3: 0x40, 4: 0}
	switch i {
	case 0, 1, 2, 3, 4:
		v := grays[i]
		p.dc.brush = brush{c: color.NRGBA{v, v, v, 255}, visible: true}
	case 5:
		p.dc.brush = brush{}
	case 6, 7:
		v := byte(7-i) * 255
		p.dc.pen = pen{c: color.NRGBA{v, v, v, 255}, visible: true}
	case 8:
		p.dc.pen = pen{}
	case 10, 11, 12, 13, 14, 16, 17:
		p.dc.font = font{}
	case 18: // white until an order that nothing here knows
		p.dc.brush = brush{c: white, visible: true}
	case 19:
		p.dc.pen = pen{c: black, visible: true}
	}
}

// colourOf16 is a colour of an order that gives 16 bits for each part.
func (r record) colourOf16(at int) color.NRGBA {
	return color.NRGBA{byte(r.u16(at) >> 8), byte(r.u16(at+2) >> 8), byte(r.u16(at+4) >> 8), 255}
}

// emfGradientFill shades rectangles or triangles.
func (p *player) emfGradientFill(r record) {
	const upright, triangles = 1, 2
	n, m, mode := int(r.u32(24)), int(r.u32(28)), r.u32(32)
	mesh := 36 + 16*n
	if n > maxPoints || m > maxPoints || mode > triangles || mesh+12*m > len(r.b)+4*m {
		p.cannot()
		return
	}
	corner := func(at int) (point, color.NRGBA, bool) {
		i := int(r.u32(at))
		if i >= n || i < 0 {
			return point{}, white, false
		}
		pts, ok := p.place([]point{r.point(36 + 16*i)})
		if !ok {
			return point{}, white, false
		}
		return pts[0], r.colourOf16(36 + 16*i + 8), true
	}
	for i := range m {
		if mode == triangles {
			a, ca, oka := corner(mesh + 12*i)
			b, cb, okb := corner(mesh + 12*i + 4)
			c, cc, okc := corner(mesh + 12*i + 8)
			if p.ready(oka && okb && okc) {
				p.out.shade([3]point{a, b, c}, [3]color.NRGBA{ca, cb, cc}, p.dc.clip)
			}
			continue
		}
		a, ca, oka := corner(mesh + 8*i)
		b, cb, okb := corner(mesh + 8*i + 4)
		if !p.ready(oka && okb) {
			return
		}
		other, near := ca, cb // of the upper right corner, and of the lower left
		if mode != upright {
			other, near = cb, ca
		}
		p.out.shade([3]point{a, {b.x, a.y}, {a.x, b.y}}, [3]color.NRGBA{ca, other, near}, p.dc.clip)
		p.out.shade([3]point{b, {b.x, a.y}, {a.x, b.y}}, [3]color.NRGBA{cb, other, near}, p.dc.clip)
	}
}

// angleArc draws a line to an arc, and the arc.
func (p *player) angleArc(r record) {
	mid, radius := r.point(8), float64(r.u32(16))
	from, sweep := r.float(20)*math.Pi/180, r.float(24)*math.Pi/180
	if !(math.Abs(from) < farAway && math.Abs(sweep) < farAway) {
		p.cannot()
		return
	}
	if sweep = math.Max(-2*math.Pi, math.Min(sweep, 2*math.Pi)); !p.mirrored() {
		from, sweep = -from, -sweep
	}
	by := point{radius, radius}
	p.linesTo(arcPoints(mid.minus(by), mid.plus(by), from, sweep))
}

// mirrored reports that the picture's vertical axis points up.
func (p *player) mirrored() bool { return p.toDevice().det() < 0 }
