package metafile

import (
	"encoding/binary"
	"image"
	"math"

	"blotter/internal/reason"
)

// Orders of a WMF, [MS-WMF] 2.1.1.1.
const (
	wmfEOF, wmfSave, wmfRestore                             = 0x0000, 0x001e, 0x0127
	wmfBkMode, wmfMapMode, wmfROP2, wmfFillMode             = 0x0102, 0x0103, 0x0104, 0x0106
	wmfBkColour, wmfTextColour                              = 0x0201, 0x0209
	wmfWindowOrg, wmfWindowExt, wmfOffsetWindow             = 0x020b, 0x020c, 0x020f
	wmfSelect, wmfDelete                                    = 0x012d, 0x01f0
	wmfNewPen, wmfNewFont, wmfNewBrush, wmfNewPalette       = 0x02fa, 0x02fb, 0x02fc, 0x00f7
	wmfPatternBrush, wmfDIBBrush, wmfNewRegion              = 0x01f9, 0x0142, 0x06ff
	wmfClipRegion, wmfExcludeClip, wmfIntersectClip         = 0x012c, 0x0415, 0x0416
	wmfMoveTo, wmfLineTo, wmfPolygon, wmfPolyline           = 0x0214, 0x0213, 0x0324, 0x0325
	wmfPolyPolygon, wmfRectangle, wmfEllipse                = 0x0538, 0x041b, 0x0418
	wmfPatBlt, wmfToDevice, wmfStretchDIB                   = 0x061d, 0x0d33, 0x0f43
	wmfDIBBitBlt, wmfDIBStretchBlt, wmfBitBlt, wmfStretch16 = 0x0940, 0x0b41, 0x0922, 0x0b23
	wmfText, wmfExtText                                     = 0x0521, 0x0a32
)

// wmfQuiet changes nothing that the orders drawn here look at: palettes in use, text
// spacing, mapper flags, stretch mode, escapes to printers.
var wmfQuiet = map[uint32]bool{0x0035: true, 0x0037: true, 0x0107: true, 0x0108: true, 0x012e: true, 0x0139: true, 0x020a: true,
	0x0231: true, 0x0234: true, 0x0436: true, 0x0626: true}

// wmfHeader is the length of the header; a placeable file has 22 bytes before it.
const wmfHeader, placeable = 18, 22

func (r record) u16(at int) uint16 {
	if at+2 > len(r.b) {
		return 0
	}
	return binary.LittleEndian.Uint16(r.b[at:])
}

func (r record) i16(at int) float64 { return float64(int16(r.u16(at))) }

// yx is a point as WMF writes it: y first.
func (r record) yx(at int) point { return point{r.i16(at + 2), r.i16(at)} }

// wmf walks the orders of a WMF. Its units have no size of their own: the picture comes
// out at 96 dots per inch where the file says how many are an inch, else one to one.
func (p *player) wmf(data []byte) error {
	unit := 1.0
	if head := (record{b: data}); head.u32(0) == 0x9ac6cdd7 && len(data) >= placeable {
		if inch := binary.LittleEndian.Uint16(data[14:]); inch > 0 {
			unit = 96 / float64(inch)
		}
		p.header = nothing().with(point{head.i16(6) * unit, head.i16(8) * unit}).with(point{head.i16(10) * unit, head.i16(12) * unit})
		data = data[placeable:]
	}
	if len(data) < wmfHeader || (data[0] != 1 && data[0] != 2) || data[2] != 9 {
		return malformed("WMF header")
	}
	p.dc.mode, p.dc.vpExt = mapFree, point{unit, unit}
	w := wmfState{unit: unit}
	data = data[wmfHeader:]
	for !p.over() {
		if len(data) < 6 { // no end mark: what is cut off may have been anything
			p.cutOff()
			break
		}
		size := 2 * uint64(binary.LittleEndian.Uint32(data))
		r := record{kind: uint32(binary.LittleEndian.Uint16(data[4:]))}
		if r.kind == wmfEOF {
			break
		}
		if size < 6 || size > uint64(len(data)) {
			p.cutOff()
			break
		}
		r.b, data = data[:size], data[size:]
		p.wmfOrder(&w, r)
	}
	return p.ctx.Err()
}

// wmfState numbers objects: a new one takes the lowest number that is free.
type wmfState struct {
	unit  float64
	used  []bool
	lower int // no number below is free
}

func (w *wmfState) number() uint32 {
	for w.lower < len(w.used) && w.used[w.lower] {
		w.lower++
	}
	if w.lower == len(w.used) {
		w.used = append(w.used, false)
	}
	w.used[w.lower] = true
	return uint32(w.lower)
}

func (w *wmfState) free(i int) {
	if i < len(w.used) {
		w.used[i] = false
		w.lower = min(w.lower, i)
	}
}

// maxWMFObjects bounds the search for a free number; programs use a few dozen.
const maxWMFObjects = 4096

func (p *player) wmfOrder(w *wmfState, r record) {
	switch {
	case wmfQuiet[r.kind]:
	case p.wmfSet(w, r), p.wmfObject(w, r), p.wmfLines(r), p.wmfBitmap(r):
	case r.kind == wmfText:
		n := uint32(r.u16(6))
		p.wmfText(cut(r.b, 8, n), n == 0, nil)
	case r.kind == wmfExtText:
		p.wmfExtText(r)
	default:
		p.cannot()
	}
}

func (p *player) wmfSet(w *wmfState, r record) bool {
	d := &p.dc
	switch r.kind {
	case wmfSave:
		p.save()
	case wmfRestore:
		p.restore(int(r.i16(6)))
	case wmfBkMode:
		d.opaque = r.i16(6) == 2
	case wmfMapMode:
		// The window decides what is seen, but for modes whose units have a size.
		if m := int(r.i16(6)); m != mapText && m != mapIsotrope && m != mapFree {
			p.cannot()
		}
	case wmfROP2:
		d.rop2 = uint32(r.i16(6))
	case wmfFillMode:
		d.evenOdd = r.i16(6) != 2
	case wmfBkColour:
		d.paper = colour(r.u32(6))
	case wmfTextColour:
		d.writing = colour(r.u32(6))
	case wmfWindowOrg:
		d.winOrg = r.yx(6)
	case wmfOffsetWindow:
		by := r.yx(6)
		d.winOrg = point{d.winOrg.x + by.x, d.winOrg.y + by.y}
	case wmfWindowExt:
		p.wmfWindow(r.yx(6), w.unit)
	case wmfClipRegion, wmfExcludeClip:
		d.clipUnknown = true
	case wmfIntersectClip:
		p.clipTo(r.yx(10), r.yx(6))
	default:
		return false
	}
	return true
}

// wmfWindow takes the extent of the window. The first one stands for the picture; a
// later one of another size scales what follows. A negative one turns the picture over.
func (p *player) wmfWindow(ext point, unit float64) {
	d := &p.dc
	if p.header.empty() && ext.x != 0 && ext.y != 0 {
		p.header = nothing().with(point{}).with(point{math.Abs(ext.x) * unit, math.Abs(ext.y) * unit})
	}
	if d.winExt != (point{1, 1}) && (math.Abs(d.winExt.x) != math.Abs(ext.x) || math.Abs(d.winExt.y) != math.Abs(ext.y)) {
		p.cannot()
	}
	d.vpExt = point{unit * math.Abs(ext.x), unit * math.Abs(ext.y)}
	d.winExt = ext
}

func (p *player) wmfObject(w *wmfState, r record) bool {
	switch r.kind {
	case wmfNewPen, wmfNewFont, wmfNewBrush, wmfNewPalette, wmfPatternBrush, wmfDIBBrush, wmfNewRegion:
		if len(w.used) >= maxWMFObjects {
			p.cannot()
			return true
		}
		i := w.number()
		delete(p.objects, i)
		switch r.kind {
		case wmfNewPen:
			p.make(i, newPen(uint32(r.u16(6)), r.i16(8), r.u32(12)))
		case wmfNewBrush:
			p.make(i, newBrush(uint32(r.u16(6)), r.u32(8)))
		case wmfPatternBrush, wmfDIBBrush:
			p.make(i, brush{unknown: true, visible: true})
		case wmfNewRegion:
			p.make(i, region{})
		}
	case wmfSelect:
		i := uint32(r.u16(6))
		if _, ok := p.objects[i].(region); ok { // it becomes the clip
			p.dc.clipUnknown = true
		}
		p.take(p.objects[i])
	case wmfDelete:
		i := uint32(r.u16(6))
		delete(p.objects, i)
		w.free(int(i))
	default:
		return false
	}
	return true
}

// region is an object that can clip; none is drawn within here.
type region struct{}

func (p *player) wmfLines(r record) bool {
	switch r.kind {
	case wmfMoveTo:
		p.dc.at = r.yx(6)
	case wmfLineTo:
		p.lineTo(r.yx(6))
	case wmfRectangle:
		p.shape(corners(r.yx(10), r.yx(6)))
	case wmfEllipse:
		p.shape(ellipse(r.yx(10), r.yx(6)))
	case wmfPolygon:
		p.shape(r.points(8, int(r.i16(6)), 4))
	case wmfPolyline:
		p.line(r.points(8, int(r.i16(6)), 4))
	case wmfPolyPolygon:
		n := int(r.i16(6))
		at := 8 + 2*n
		var rings [][]point
		for i := range max(n, 0) {
			pts := r.points(at, int(r.i16(8+2*i)), 4)
			if pts == nil {
				rings = append(rings, nil)
				break
			}
			rings, at = append(rings, pts), at+4*len(pts)
		}
		p.shape(rings...)
	default:
		return false
	}
	return true
}

// wmfBitmap carries out what lays down bitmaps. Those orders that may come without one
// are told by their length.
func (p *player) wmfBitmap(r record) bool {
	rest := func(at int, indexed bool) bitmap { return packed(r.b[min(at, len(r.b)):], indexed) }
	rop := byte(r.u32(6) >> 16)
	bare := r.kind == wmfDIBBitBlt && len(r.b) <= 24 || r.kind == wmfDIBStretchBlt && len(r.b) <= 28
	if bare {
		p.blit(blit{rop: rop}, r.yx(len(r.b)-4), r.yx(len(r.b)-8))
		return true
	}
	switch r.kind {
	case wmfPatBlt:
		p.blit(blit{rop: rop}, r.yx(14), r.yx(10))
	case wmfStretchDIB:
		b := rest(28, r.i16(10) == 1)
		src := fromBottom(b, int(r.i16(18)), int(r.i16(16)), int(r.i16(14)), int(r.i16(12)))
		p.blit(blit{bits: b, rop: rop, src: src}, r.yx(24), r.yx(20))
	case wmfToDevice:
		b := rest(24, r.i16(6) == 1)
		if _, h, _ := b.size(); r.i16(10) != 0 || int(r.i16(8)) != h {
			p.vector = true
			p.met(b)
			break
		}
		src := fromBottom(b, int(r.i16(14)), int(r.i16(12)), int(r.i16(18)), int(r.i16(16)))
		p.blit(blit{bits: b, rop: ropCopy, src: src}, r.yx(20), r.yx(16))
	case wmfDIBStretchBlt:
		x, y := int(r.i16(16)), int(r.i16(14))
		src := image.Rectangle{image.Pt(x, y), image.Pt(x+int(r.i16(12)), y+int(r.i16(10)))}
		p.blit(blit{bits: rest(26, false), rop: rop, src: src}, r.yx(22), r.yx(18))
	case wmfDIBBitBlt:
		x, y := int(r.i16(12)), int(r.i16(10))
		src := image.Rectangle{image.Pt(x, y), image.Pt(x+int(r.i16(16)), y+int(r.i16(14)))}
		p.blit(blit{bits: rest(22, false), rop: rop, src: src}, r.yx(18), r.yx(14))
	case wmfBitBlt, wmfStretch16: // bitmaps of one device
		if len(r.b) <= 28 {
			p.cannot()
			break
		}
		p.vector = true
		p.met(bitmap{code: reason.ExtractEncoding})
	default:
		return false
	}
	return true
}

func (p *player) wmfExtText(r record) {
	const opaque, clipped = 2, 4
	n, options, at := uint32(r.u16(10)), int(r.i16(12)), uint32(14)
	var behind *[2]point
	if options&(opaque|clipped) != 0 {
		if options&opaque != 0 {
			behind = &[2]point{{r.i16(14), r.i16(16)}, {r.i16(18), r.i16(20)}}
		}
		at += 8
	}
	p.wmfText(cut(r.b, at, n), n == 0, behind)
}

func (p *player) wmfText(s []byte, none bool, behind *[2]point) {
	blank := none || s != nil && !p.dc.opaque
	for _, c := range s {
		blank = blank && c == ' '
	}
	p.text(blank, behind)
}
