package metafile

import (
	"encoding/binary"
	"math"
	"strings"
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
	wmfViewportOrg, wmfViewportExt, wmfOffsetViewport       = 0x020d, 0x020e, 0x0211
	wmfScaleWindow, wmfScaleViewport, wmfOffsetClip         = 0x0410, 0x0412, 0x0220
	wmfTextAlign, wmfTextExtra, wmfSelectPalette            = 0x012e, 0x0108, 0x0234
	wmfArc, wmfPie, wmfChord, wmfRoundRect, wmfSetPixel     = 0x0817, 0x081a, 0x0830, 0x061c, 0x041f
	wmfFillRegion, wmfFrameRegion                           = 0x0228, 0x0429
	wmfInvertRegion, wmfPaintRegion                         = 0x012a, 0x012b
)

// wmfQuiet changes nothing that the orders drawn here look at: palettes in use, how lines of
// text are filled, layout, mapper flags, an order without a meaning, stretch mode, escapes to printers.
var wmfQuiet = map[uint32]bool{0x0035: true, 0x0037: true, 0x0105: true, 0x0107: true, 0x0139: true, 0x0149: true, 0x020a: true,
	0x0231: true, 0x0436: true, 0x0626: true}

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
	unit, size := 1.0, point{}
	if head := (record{b: data}); head.u32(0) == 0x9ac6cdd7 && len(data) >= placeable {
		if inch := head.u16(14); inch > 0 {
			unit = 96 / float64(inch)
		}
		size = point{math.Abs(head.i16(10)-head.i16(6)) * unit, math.Abs(head.i16(12)-head.i16(8)) * unit}
		p.header = nothing().with(point{}).with(size)
		data = data[placeable:]
	}
	if len(data) < wmfHeader || (data[0] != 1 && data[0] != 2) || data[2] != 9 {
		return malformed("WMF header")
	}
	p.dc.mode, p.dc.vpExt = mapFree, point{unit, unit}
	w := wmfState{unit: unit}
	if !p.header.empty() {
		w.first = size
	}
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
	first point // how large the picture is, in device units
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
	case p.wmfSet(w, r), p.wmfClip(r), p.wmfObject(w, r), p.wmfLines(r), p.wmfRegion(r), p.wmfBitmap(r), p.wmfText(r):
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
		if d.mode = int(r.i16(6)); d.mode <= mapText || d.mode > mapFree {
			d.mode = mapFree
		}
	case wmfROP2:
		d.rop2 = uint32(r.i16(6))
	case wmfFillMode:
		d.evenOdd = r.i16(6) != 2
	case wmfBkColour:
		d.paper = p.colour(r.u32(6))
	case wmfTextColour:
		d.writing = p.colour(r.u32(6))
	case wmfTextAlign:
		d.align = uint32(r.u16(6))
	case wmfTextExtra:
		d.extra = r.i16(6)
	case wmfSelectPalette:
		if x, ok := p.objects[uint32(r.u16(6))].(palette); ok {
			d.palette = x
		}
	case wmfViewportOrg:
		d.vpOrg = r.yx(6)
	case wmfOffsetViewport:
		d.vpOrg = d.vpOrg.plus(r.yx(6))
	case wmfViewportExt:
		d.vpExt, w.first = r.yx(6), r.yx(6)
	case wmfScaleWindow:
		d.winExt = point{d.winExt.x * r.i16(12) / r.i16(10), d.winExt.y * r.i16(8) / r.i16(6)}
	case wmfScaleViewport:
		d.vpExt = point{d.vpExt.x * r.i16(12) / r.i16(10), d.vpExt.y * r.i16(8) / r.i16(6)}
	case wmfWindowOrg:
		d.winOrg = r.yx(6)
	case wmfOffsetWindow:
		by := r.yx(6)
		d.winOrg = point{d.winOrg.x + by.x, d.winOrg.y + by.y}
	case wmfWindowExt:
		p.wmfWindow(w, r.yx(6))
	default:
		return false
	}
	return true
}

// wmfWindow takes the extent of the window: what of the file's units the picture shows. It is
// as large as the header says or, without one, as the first extent; a later one of another size
// scales what follows. A negative one turns the picture over.
func (p *player) wmfWindow(w *wmfState, ext point) {
	if ext.x == 0 || ext.y == 0 {
		return
	}
	if size := (point{w.unit * math.Abs(ext.x), w.unit * math.Abs(ext.y)}); w.first == (point{}) && size != (point{w.unit, w.unit}) {
		w.first = size
		p.header = nothing().with(point{}).with(size)
	}
	if w.first != (point{}) {
		p.dc.vpExt = w.first
	}
	p.dc.winExt = ext
}

// wmfClip changes where orders show.
func (p *player) wmfClip(r record) bool {
	switch r.kind {
	case wmfIntersectClip:
		p.clipTo(r.yx(10), r.yx(6), both)
	case wmfExcludeClip:
		p.clipTo(r.yx(10), r.yx(6), without)
	case wmfOffsetClip:
		p.moveClip(p.toDevice().vector(r.yx(6)))
	case wmfClipRegion:
		p.dc.clip, p.dc.clipUnknown = unclipped(), false
		if g, ok := p.objects[uint32(r.u16(6))].(region); ok {
			p.clipToRegion(g)
		}
	default:
		return false
	}
	return true
}

func (p *player) clipToRegion(g region) {
	figs, ok := p.figures(g.rects, true)
	p.dc.clipUnknown = false
	p.clipBy(figs, false, instead, ok && !g.unknown)
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
			p.make(i, newPen(uint32(r.u16(6)), r.i16(8), p.colour(r.u32(12)), nil))
		case wmfNewBrush:
			b, ok := newBrush(uint32(r.u16(6)), p.colour(r.u32(8)), uint32(r.u16(12)))
			b.unknown = !ok
			p.make(i, b)
		case wmfNewFont:
			name, _, _ := strings.Cut(string(r.b[min(24, len(r.b)):min(56, len(r.b))]), "\x00")
			p.make(i, newFont(r.i16(6), r.i16(8), r.i16(10), r.i16(14), cut(r.b, 16, 8), name))
		case wmfNewPalette:
			p.make(i, newPalette(r.b[min(6, len(r.b)):]))
		case wmfPatternBrush:
			p.make(i, p.patternBrush(r.bitmap16(6), true))
		case wmfDIBBrush:
			p.make(i, p.patternBrush(packed(r.b[min(10, len(r.b)):], r.u16(8) == 1), false))
		case wmfNewRegion:
			p.make(i, r.region16())
		}
	case wmfSelect:
		i := uint32(r.u16(6))
		if g, ok := p.objects[i].(region); ok { // it becomes the clip
			p.clipToRegion(g)
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
