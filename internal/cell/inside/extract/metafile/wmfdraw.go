package metafile

import (
	"encoding/binary"
	"image"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// region is an object that clips or is painted, in logical units.
type region struct {
	rects   [][]point
	unknown bool
}

// region16 reads a region: rows of several spans each ([MS-WMF] 2.2.1.5).
func (r record) region16() (g region) {
	at := 28
	for range int(r.u16(16)) {
		n := int(r.u16(at)) / 2
		top, bottom := r.i16(at+2), r.i16(at+4)
		if at+8+4*n > len(r.b) || len(g.rects)+n > maxRegionRects {
			return region{unknown: true}
		}
		for i := range n {
			g.rects = append(g.rects, corners(point{r.i16(at + 6 + 4*i), top}, point{r.i16(at + 8 + 4*i), bottom}))
		}
		at += 8 + 4*n
	}
	return g
}

// wmfRegion paints regions.
func (p *player) wmfRegion(r record) bool {
	switch r.kind {
	case wmfFillRegion, wmfFrameRegion, wmfInvertRegion, wmfPaintRegion:
	default:
		return false
	}
	g, ok := p.objects[uint32(r.u16(6))].(region)
	figs, fits := p.figures(g.rects, true)
	b := p.dc.brush
	if r.kind == wmfFillRegion || r.kind == wmfFrameRegion {
		b, _ = p.objects[uint32(r.u16(8))].(brush)
	}
	switch ok = ok && fits && !g.unknown; {
	case r.kind == wmfInvertRegion:
		if p.ready(ok) {
			p.out.fill(figs, false, paint{c: black, mode: invert}, p.dc.clip)
		}
	case ok && (!b.visible || len(figs) == 0), !p.ready(ok && !b.unknown):
	case r.kind == wmfFrameRegion:
		p.stroke(figs, pen{c: b.c, width: (r.i16(10) + r.i16(12)) / 2, visible: true})
	default:
		p.fill(figs, false, false, b)
	}
	return true
}

// wmfLines carries out what draws lines and shapes.
func (p *player) wmfLines(r record) bool {
	switch r.kind {
	case wmfMoveTo:
		p.dc.at = r.yx(6)
	case wmfLineTo:
		p.lineTo(r.yx(6))
	case wmfRectangle:
		p.shape(corners(r.yx(10), r.yx(6)))
	case wmfEllipse:
		p.curved(ellipse(r.yx(10), r.yx(6)))
	case wmfRoundRect:
		p.curved(roundRect(r.yx(14), r.yx(10), r.yx(6)))
	case wmfArc:
		p.arc(r.yx(18), r.yx(14), r.yx(10), r.yx(6), arcAlone)
	case wmfPie:
		p.arc(r.yx(18), r.yx(14), r.yx(10), r.yx(6), arcPie)
	case wmfChord:
		p.arc(r.yx(18), r.yx(14), r.yx(10), r.yx(6), arcChord)
	case wmfPolygon:
		p.shape(r.points(8, int(r.i16(6)), 4))
	case wmfPolyline:
		p.line(r.points(8, int(r.i16(6)), 4))
	case wmfPolyPolygon:
		p.shape(r.polys16()...)
	case wmfSetPixel:
		pts, ok := p.place([]point{r.yx(10)})
		if p.ready(ok) {
			pts = corners(pts[0], pts[0].plus(point{1, 1}))
			p.out.fill([]figure{{pts, true}}, true, paint{c: p.colour(r.u32(6)), mode: copyPen}, p.dc.clip)
		}
	default:
		return false
	}
	return true
}

// polys16 reads several lists of points; the last is nil where not all are there.
func (r record) polys16() (rings [][]point) {
	n := int(r.i16(6))
	at := 8 + 2*n
	for i := range max(n, 0) {
		pts := r.points(at, int(r.i16(8+2*i)), 4)
		if rings = append(rings, pts); pts == nil {
			break
		}
		at += 4 * len(pts)
	}
	return rings
}

// wmfText carries out what writes.
func (p *player) wmfText(r record) bool {
	const opaque, clipped = 2, 4
	switch r.kind {
	case wmfText:
		n := uint32(r.u16(6))
		t := text{at: r.yx(int(8 + n + n&1))}
		p.wmfString(&t, cut(r.b, 8, n))
	case wmfExtText:
		n, options, at := uint32(r.u16(10)), int(r.u16(12)), uint32(14)
		t := text{at: r.yx(6), opaque: options&opaque != 0, clipped: options&clipped != 0}
		if t.opaque || t.clipped {
			t.behind = &[2]point{{r.i16(14), r.i16(16)}, {r.i16(18), r.i16(20)}}
			at += 8
		}
		if gaps := cut(r.b, at+n+n&1, 2*n); gaps != nil && n > 0 {
			t.gaps = make([]float64, n)
			for i := range t.gaps {
				t.gaps[i] = float64(int16(binary.LittleEndian.Uint16(gaps[2*i:])))
			}
		}
		p.wmfString(&t, cut(r.b, at, n))
	default:
		return false
	}
	return true
}

func (p *player) wmfString(t *text, b []byte) {
	if t.unknown = b == nil; !t.unknown {
		p.decode(t, b)
	}
	p.write(*t)
}

// bitmap16 makes a bitmap of one that has one bit for each pixel ([MS-WMF] 2.2.2.1).
func (r record) bitmap16(at int) bitmap {
	const pixels = 32 // from its beginning, in a record that makes a brush
	w, h, line := int(r.i16(at+2)), int(r.i16(at+4)), int(r.i16(at+6))
	if len(r.b) < at+10 || r.b[at+9] != 1 || r.b[at+8] != 1 || w <= 0 || h <= 0 || line < (w+7)/8 || at+pixels+h*line > len(r.b) {
		return bitmap{code: reason.ExtractEncoding, kind: document.BMP}
	}
	le := binary.LittleEndian
	info := le.AppendUint32(nil, 40)
	info = le.AppendUint32(info, uint32(w))
	info = le.AppendUint32(info, uint32(-h)) // from the top
	info = append(le.AppendUint32(info, 1|1<<16), make([]byte, 24)...)
	info = append(info, 0, 0, 0, 0, 255, 255, 255, 0)
	var bits []byte
	for y := range h {
		row := make([]byte, (w+31)/32*4)
		copy(row, r.b[at+pixels+y*line:][:line])
		bits = append(bits, row...)
	}
	return bitmap{info: info, bits: bits}
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
