package metafile

import (
	"encoding/binary"
	"math"
)

// Orders of an EMF, [MS-EMF] 2.1.1.
const (
	emfHeader, emfPolyBezier, emfPolygon, emfPolyline          = 1, 2, 3, 4
	emfPolyBezierTo, emfPolylineTo, emfPolyPolyline            = 5, 6, 7
	emfPolyPolygon                                             = 8
	emfWindowExt, emfWindowOrg, emfViewportExt, emfViewportOrg = 9, 10, 11, 12
	emfEOF, emfSetPixel                                        = 14, 15
	emfMapMode, emfBkMode, emfFillMode, emfROP2                = 17, 18, 19, 20
	emfTextAlign, emfTextColour, emfBkColour, emfOffsetClip    = 22, 24, 25, 26
	emfMoveTo, emfExcludeClip, emfIntersectClip                = 27, 29, 30
	emfScaleViewport, emfScaleWindow                           = 31, 32
	emfSave, emfRestore, emfWorld, emfModifyWorld              = 33, 34, 35, 36
	emfSelect, emfPen, emfBrush, emfDelete                     = 37, 38, 39, 40
	emfAngleArc, emfEllipse, emfRectangle, emfRoundRect        = 41, 42, 43, 44
	emfArc, emfChord, emfPie, emfSelectPalette, emfNewPalette  = 45, 46, 47, 48, 49
	emfLineTo, emfArcTo, emfPolyDraw, emfArcDirection          = 54, 55, 56, 57
	emfBeginPath, emfEndPath, emfCloseFigure, emfFillPath      = 59, 60, 61, 62
	emfStrokeFillPath, emfStrokePath, emfFlattenPath           = 63, 64, 65
	emfWidenPath, emfClipPath, emfAbortPath                    = 66, 67, 68
	emfComment, emfFillRegion, emfFrameRegion, emfInvertRegion = 70, 71, 72, 73
	emfPaintRegion, emfClipRegion                              = 74, 75
	emfBitBlt, emfStretchBlt, emfMaskBlt, emfPlgBlt            = 76, 77, 78, 79
	emfToDevice, emfStretchDIBits, emfFont, emfTextA, emfTextW = 80, 81, 82, 83, 84
	emfPolyBezier16, emfPolygon16, emfPolyline16               = 85, 86, 87
	emfPolyBezierTo16, emfPolylineTo16                         = 88, 89
	emfPolyPolyline16, emfPolyPolygon16, emfPolyDraw16         = 90, 91, 92
	emfMonoBrush, emfDIBBrush, emfExtPen, emfManyA, emfManyW   = 93, 94, 95, 96, 97
	emfSmallText, emfAlphaBlend, emfLayout, emfTransparentBlt  = 108, 114, 115, 116
	emfGradient                                                = 118
)

// emfQuiet are orders that change nothing visible by themselves and nothing that the
// orders drawn here look at: brush origin, mapper flags, colour adjustment, stretch mode,
// entries of palettes, limits of mitres, text for printers alone, colour management. Escapes
// speak to printers.
var emfQuiet = map[uint32]bool{13: true, 16: true, 21: true, 23: true, 28: true, 50: true, 51: true,
	52: true, 58: true, 98: true, 99: true, 100: true, 101: true, 104: true, 105: true, 106: true, 109: true, 110: true,
	111: true, 112: true, 113: true, 119: true, 120: true, 121: true, 122: true}

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
	case p.emfState(r), p.emfClip(r), p.emfObject(r), p.emfLines(r), p.emfCurves(r), p.emfPath(r), p.emfRegion(r), p.emfBitmap(r), p.emfText(r):
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
		d.writing = p.colour(r.u32(8))
	case emfBkColour:
		d.paper = p.colour(r.u32(8))
	case emfTextAlign:
		d.align = r.u32(8)
	case emfArcDirection:
		d.clockwise = r.u32(8) == 2
	case emfMoveTo:
		d.at = r.point(8)
	case emfSelectPalette:
		if x, ok := p.objects[r.u32(8)].(palette); ok {
			d.palette = x
		}
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
	default:
		return false
	}
	return true
}

func (r record) world(at int) (w matrix) {
	for i := range w {
		w[i] = r.float(at + 4*i)
	}
	return w
}

func (p *player) modifyWorld(r record) {
	const identity, left, right, set = 1, 2, 3, 4
	w := r.world(8)
	switch r.u32(32) {
	case identity:
		p.dc.world = unmoved
	case left:
		p.dc.world = w.then(p.dc.world)
	case right:
		p.dc.world = p.dc.world.then(w)
	case set:
		p.dc.world = w
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
