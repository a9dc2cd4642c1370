package metafile

import (
	"encoding/binary"
	"image"
	"math"
)

// Orders of an EMF, [MS-EMF] 2.1.1.
const (
	emfHeader, emfPolyBezier, emfEOF                                   = 1, 2, 14
	emfPolygon, emfPolyline, emfPolylineTo, emfPolyPolyline            = 3, 4, 6, 7
	emfPolyPolygon                                                     = 8
	emfWindowExt, emfWindowOrg, emfViewportExt, emfViewportOrg         = 9, 10, 11, 12
	emfMapMode, emfBkMode, emfFillMode, emfROP2                        = 17, 18, 19, 20
	emfTextColour, emfBkColour, emfMoveTo                              = 24, 25, 27
	emfExcludeClip, emfIntersectClip, emfScaleViewport, emfScaleWindow = 29, 30, 31, 32
	emfSave, emfRestore, emfWorld, emfModifyWorld                      = 33, 34, 35, 36
	emfSelect, emfPen, emfBrush, emfDelete                             = 37, 38, 39, 40
	emfEllipse, emfRectangle, emfLineTo                                = 42, 43, 54
	emfBeginPath, emfClipPath, emfComment, emfClipRegion               = 59, 67, 70, 75
	emfBitBlt, emfStretchBlt, emfMaskBlt, emfPlgBlt                    = 76, 77, 78, 79
	emfToDevice, emfStretchDIBits                                      = 80, 81
	emfTextA, emfTextW                                                 = 83, 84
	emfPolygon16, emfPolyline16, emfPolylineTo16                       = 86, 87, 89
	emfPolyPolyline16, emfPolyPolygon16                                = 90, 91
	emfMonoBrush, emfDIBBrush, emfExtPen                               = 93, 94, 95
	emfSmallText, emfAlphaBlend, emfLayout, emfTransparentBlt          = 108, 114, 115, 116
)

// emfQuiet are orders that change nothing visible by themselves and nothing that the
// orders drawn here look at: brush origin, mapper flags, stretch mode, text layout,
// palettes, fonts, colour management.
var emfQuiet = map[uint32]bool{13: true, 16: true, 21: true, 22: true, 23: true, 48: true, 49: true, 50: true, 51: true,
	52: true, 57: true, 58: true, 68: true, 82: true, 98: true, 99: true, 100: true, 101: true, 104: true, 109: true,
	111: true, 112: true, 113: true, 119: true, 120: true, 122: true}

// record is one order and what it says.
type record struct {
	kind uint32
	b    []byte // from the record's first byte
}

func (r record) u32(at int) uint32 {
	if at+4 > len(r.b) {
		return 0
	}
	return binary.LittleEndian.Uint32(r.b[at:])
}

func (r record) num(at int) float64 { return float64(int32(r.u32(at))) }

func (r record) point(at int) point { return point{r.num(at), r.num(at + 4)} }

func (r record) float(at int) float64 { return float64(math.Float32frombits(r.u32(at))) }

// emf walks the orders of an EMF.
func (p *player) emf(data []byte) error {
	head := record{b: data}
	if len(data) < 88 || head.u32(0) != emfHeader || head.u32(40) != 0x464d4520 {
		return malformed("EMF header")
	}
	p.header = nothing().with(head.point(8)).with(head.point(16))
	p.header.max.x, p.header.max.y = p.header.max.x+1, p.header.max.y+1 // inclusive
	if mm := head.point(80); mm.x > 0 && mm.y > 0 {
		p.perMM = point{math.Abs(head.num(72)) / mm.x, math.Abs(head.num(76)) / mm.y}
	}
	var plus plusState
	for at := 0; !p.over(); {
		if at+8 > len(data) { // no end mark: what is cut off may have been anything
			p.cutOff()
			break
		}
		r := record{binary.LittleEndian.Uint32(data[at:]), nil}
		size := binary.LittleEndian.Uint32(data[at+4:])
		if size < 8 || uint64(at)+uint64(size) > uint64(len(data)) {
			p.cutOff()
			break
		}
		r.b = data[at:][:size]
		if r.kind == emfEOF {
			break
		}
		if r.kind == emfComment {
			p.plus(&plus, r)
		} else {
			p.emfOrder(r)
		}
		at += int(size)
	}
	if plus.drew && !plus.dual {
		p.vector = true
	}
	return p.ctx.Err()
}

func (p *player) emfOrder(r record) {
	switch {
	case emfQuiet[r.kind] || r.kind == emfHeader:
	case p.emfState(r), p.emfObject(r), p.emfLines(r), p.emfBitmap(r):
	case r.kind == emfTextA || r.kind == emfTextW:
		p.emfText(r)
	default:
		p.cannot()
	}
}

// emfState carries out what sets the state. It reports whether the order is one of
// these, as the other functions do.
func (p *player) emfState(r record) bool {
	d := &p.dc
	switch r.kind {
	case emfWindowExt:
		d.winExt = r.point(8)
	case emfWindowOrg:
		d.winOrg = r.point(8)
	case emfViewportExt:
		d.vpExt = r.point(8)
	case emfViewportOrg:
		d.vpOrg = r.point(8)
	case emfScaleViewport:
		d.vpExt = point{d.vpExt.x * r.num(8) / r.num(12), d.vpExt.y * r.num(16) / r.num(20)}
	case emfScaleWindow:
		d.winExt = point{d.winExt.x * r.num(8) / r.num(12), d.winExt.y * r.num(16) / r.num(20)}
	case emfMapMode:
		d.mode = int(r.u32(8))
	case emfBkMode:
		d.opaque = r.u32(8) == 2
	case emfFillMode:
		d.evenOdd = r.u32(8) != 2
	case emfROP2:
		d.rop2 = r.u32(8)
	case emfTextColour:
		d.writing = colour(r.u32(8))
	case emfBkColour:
		d.paper = colour(r.u32(8))
	case emfMoveTo:
		d.at = r.point(8)
	case emfSave:
		p.save()
	case emfRestore:
		p.restore(int(int32(r.u32(8))))
	case emfLayout:
		if r.u32(8)&1 != 0 { // drawn from the right
			p.cannot()
		}
	case emfWorld:
		d.world = r.world(8)
	case emfModifyWorld:
		p.modifyWorld(r)
	case emfIntersectClip:
		p.clipTo(r.point(8), r.point(16))
	case emfExcludeClip, emfClipPath:
		d.clipUnknown = true
	case emfClipRegion:
		p.emfClip(r)
	default:
		return false
	}
	return true
}

func (r record) world(at int) (w [6]float64) {
	for i := range w {
		w[i] = r.float(at + 4*i)
	}
	return w
}

func (p *player) modifyWorld(r record) {
	const identity, left, right, set = 1, 2, 3, 4
	a, b := p.dc.world, r.world(8)
	switch r.u32(32) {
	case identity:
		p.dc.world = [6]float64{1, 0, 0, 1, 0, 0}
		return
	case left:
		a, b = b, a
	case right:
	case set:
		p.dc.world = b
		return
	}
	p.dc.world = [6]float64{a[0]*b[0] + a[1]*b[2], a[0]*b[1] + a[1]*b[3], a[2]*b[0] + a[3]*b[2], a[2]*b[1] + a[3]*b[3],
		a[4]*b[0] + a[5]*b[2] + b[4], a[4]*b[1] + a[5]*b[3] + b[5]}
}

// emfClip takes a region of one rectangle, or none, in device units.
func (p *player) emfClip(r record) {
	const replace = 5
	switch n := r.u32(8); {
	case r.u32(12) == replace && n == 0:
		p.dc.clip, p.dc.clipUnknown = everything(), false
	case r.u32(12) == replace && n >= 48 && r.u32(16+8) == 1:
		p.dc.clip, p.dc.clipUnknown = nothing().with(r.point(16+32)).with(r.point(16+40)), false
	default:
		p.dc.clipUnknown = true
	}
}

func (p *player) emfObject(r record) bool {
	i := r.u32(8)
	switch r.kind {
	case emfPen:
		p.make(i, newPen(r.u32(12), r.num(16), r.u32(24)))
	case emfExtPen:
		x := newPen(r.u32(28), r.num(32), r.u32(40))
		if r.u32(28)>>16&1 == 0 { // cosmetic: one pixel
			x.width = 0
		}
		x.unknown = x.unknown || r.u32(36) != 0
		p.make(i, x)
	case emfBrush:
		p.make(i, newBrush(r.u32(12), r.u32(16)))
	case emfMonoBrush, emfDIBBrush:
		p.make(i, brush{unknown: true, visible: true})
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

// stock selects one of the objects that are always there, [MS-WMF] 2.1.1.27.
func (p *player) stock(i uint32) {
	grays := map[uint32]byte{0: 0xff, 1: 0xc0, 2: 0x80, 3: 0x40, 4: 0}
	switch i {
	case 0, 1, 2, 3, 4:
		p.dc.brush = brush{c: colour(uint32(grays[i]) * 0x010101), visible: true}
	case 5:
		p.dc.brush = brush{}
	case 6, 7:
		p.dc.pen = pen{c: colour((7 - i) * 0xffffff), visible: true}
	case 8:
		p.dc.pen = pen{}
	case 18, 19: // of a colour that other orders set
		p.dc.brush.unknown, p.dc.pen.unknown = p.dc.brush.unknown || i == 18, p.dc.pen.unknown || i == 19
	}
}

// maxPoints bounds the points of one order, and the lists of one that has several: what
// is made of them takes some twenty times as much memory as they do in the file.
const maxPoints = 1 << 18

// points reads n points of 4 or 8 bytes; nil where they are not there.
func (r record) points(at, n, size int) []point {
	if n < 0 || n > maxPoints || at+n*size > len(r.b) {
		return nil
	}
	out := make([]point, n)
	for i := range out {
		if size == 8 {
			out[i] = r.point(at + 8*i)
		} else {
			v := r.u32(at + 4*i)
			out[i] = point{float64(int16(v)), float64(int16(v >> 16))}
		}
	}
	return out
}

func (p *player) emfLines(r record) bool {
	size := 8
	if r.kind >= emfPolygon16 {
		size = 4
	}
	switch r.kind {
	case emfLineTo:
		p.lineTo(r.point(8))
	case emfRectangle:
		p.shape(corners(r.point(8), r.point(16)))
	case emfEllipse:
		p.shape(ellipse(r.point(8), r.point(16)))
	case emfPolygon, emfPolygon16:
		p.shape(r.points(28, int(r.u32(24)), size))
	case emfPolyline, emfPolyline16:
		p.line(r.points(28, int(r.u32(24)), size))
	case emfPolylineTo, emfPolylineTo16:
		p.linesTo(r.points(28, int(r.u32(24)), size))
	case emfPolyPolygon, emfPolyPolygon16:
		p.shape(r.polys(size)...)
	case emfPolyPolyline, emfPolyPolyline16:
		p.line(r.polys(size)...)
	default:
		return false
	}
	return true
}

func (p *player) lineTo(to point) {
	from := p.dc.at
	p.dc.at = to
	p.line([]point{from, to})
}

// linesTo draws on from where the last line ended; nil stands for points that could not be
// read.
func (p *player) linesTo(pts []point) {
	if pts == nil {
		p.cannot()
		return
	}
	all := append([]point{p.dc.at}, pts...)
	p.dc.at = all[len(all)-1]
	p.line(all)
}

// polys reads several lists of points; the last is nil where not all are there.
func (r record) polys(size int) (out [][]point) {
	n := int(r.u32(24))
	if n > maxPoints {
		return [][]point{nil}
	}
	at, left := 32+4*n, maxPoints
	for i := range n {
		count := int(r.u32(32 + 4*i))
		pts := r.points(at, count, size)
		if left -= count; pts == nil || left < 0 {
			return append(out, nil)
		}
		out, at = append(out, pts), at+count*size
	}
	return out
}

// emfBitmap carries out what lays down bitmaps.
func (p *player) emfBitmap(r record) bool {
	dib := func(at int, usage uint32) bitmap {
		if r.u32(at+4) == 0 {
			return bitmap{}
		}
		b := bitmap{info: cut(r.b, r.u32(at), r.u32(at+4)), bits: cut(r.b, r.u32(at+8), r.u32(at+12))}
		if b.info == nil || b.bits == nil {
			return packed(nil, false)
		}
		b.indexed = usage == 1 && bitsOf(b.info) <= 8
		return b
	}
	switch r.kind {
	case emfStretchDIBits:
		b := dib(48, r.u32(64))
		src := fromBottom(b, int(r.num(32)), int(r.num(36)), int(r.num(40)), int(r.num(44)))
		p.blit(blit{bits: b, rop: byte(r.u32(68) >> 16), src: src}, r.point(24), r.point(72))
	case emfToDevice:
		b := dib(48, r.u32(64))
		if _, h, _ := b.size(); r.u32(68) != 0 || int64(r.u32(72)) != int64(h) {
			p.vector = true
			p.met(b)
			break
		}
		src := fromBottom(b, int(r.num(32)), int(r.num(36)), int(r.num(40)), int(r.num(44)))
		s := p.scale()
		p.blit(blit{bits: b, rop: ropCopy, src: src}, r.point(24), point{r.num(40) / s.x, r.num(44) / s.y})
	case emfBitBlt, emfStretchBlt:
		w, h := r.num(32), r.num(36)
		if r.kind == emfStretchBlt {
			w, h = r.num(100), r.num(104)
		}
		b := dib(84, r.u32(80))
		if r.world(52) != [6]float64{1, 0, 0, 1, 0, 0} && b.info != nil {
			p.vector = true
			p.met(b)
			break
		}
		x, y := int(r.num(44)), int(r.num(48))
		src := image.Rectangle{image.Pt(x, y), image.Pt(x+int(w), y+int(h))}
		p.blit(blit{bits: b, rop: byte(r.u32(40) >> 16), src: src}, r.point(24), r.point(32))
	case emfAlphaBlend, emfTransparentBlt, emfMaskBlt: // alike as far as the bitmap goes
		p.vector = true
		p.met(dib(84, r.u32(80)))
	case emfPlgBlt:
		p.vector = true
		p.met(dib(96, r.u32(92)))
	default:
		return false
	}
	return true
}

// bitsOf is how many bits a pixel has; 0 where the header is too short.
func bitsOf(info []byte) int {
	switch {
	case len(info) < coreHeader:
		return 0
	case binary.LittleEndian.Uint32(info) == coreHeader:
		return int(binary.LittleEndian.Uint16(info[10:]))
	case len(info) < 16:
		return 0
	}
	return int(binary.LittleEndian.Uint16(info[14:]))
}

// fromBottom is a part of a bitmap whose rows are counted from the bottom where they
// are stored so.
func fromBottom(b bitmap, x, y, w, h int) image.Rectangle {
	r := image.Rectangle{image.Pt(x, y), image.Pt(x+w, y+h)}
	if _, height, top := b.size(); !top {
		r.Min.Y, r.Max.Y = height-y-h, height-y
	}
	return r
}

// emfText looks whether there is anything to see.
func (p *player) emfText(r record) {
	const opaque, byGlyph = 2, 0x10
	n, at, unit := r.u32(44), r.u32(48), uint32(1)
	if r.kind == emfTextW {
		unit = 2
	}
	var behind *[2]point
	if r.u32(52)&opaque != 0 {
		behind = &[2]point{r.point(56), r.point(64)}
	}
	if n > uint32(len(r.b)) {
		p.cannot()
		return
	}
	s := cut(r.b, at, n*unit)
	blank := n == 0 || s != nil && r.u32(52)&byGlyph == 0
	for i := 0; i < len(s) && blank; i += int(unit) {
		blank = s[i] == ' ' && (unit == 1 || s[i+1] == 0)
	}
	p.text(blank && (n == 0 || !p.dc.opaque), behind)
}
