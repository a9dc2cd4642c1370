package metafile

// emfLines carries out what draws straight lines, and outlines of them.
func (p *player) emfLines(r record) bool {
	switch size := r.pointSize(); r.kind {
	case emfLineTo:
		p.lineTo(r.point(8))
	case emfRectangle:
		p.shape(corners(r.point(8), r.point(16)))
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
	case emfSetPixel:
		at := r.point(8)
		pts, ok := p.place([]point{at})
		if p.ready(ok) {
			pts = corners(pts[0], pts[0].plus(point{1, 1}))
			p.out.fill([]figure{{pts, true}}, true, paint{c: p.colour(r.u32(16)), mode: copyPen}, p.dc.clip)
		}
	default:
		return false
	}
	return true
}

// pointSize is how many bytes the points of an order take.
func (r record) pointSize() int {
	if r.kind >= emfPolyBezier16 {
		return 4
	}
	return 8
}

// emfCurves carries out what draws curves.
func (p *player) emfCurves(r record) bool {
	a, b := r.point(8), r.point(16)
	switch size := r.pointSize(); r.kind {
	case emfPolyBezier, emfPolyBezier16:
		p.curve(r.points(28, int(r.u32(24)), size), false)
	case emfPolyBezierTo, emfPolyBezierTo16:
		p.curve(r.points(28, int(r.u32(24)), size), true)
	case emfPolyDraw, emfPolyDraw16:
		n := int(r.u32(24))
		pts := r.points(28, n, size)
		p.polyDraw(pts, r.b[min(28+len(pts)*size, len(r.b)):])
	case emfEllipse:
		p.curved(ellipse(a, b))
	case emfRoundRect:
		p.curved(roundRect(a, b, r.point(24)))
	case emfAngleArc:
		p.angleArc(r)
	case emfArc:
		p.arc(a, b, r.point(24), r.point(32), arcAlone)
	case emfArcTo:
		p.arc(a, b, r.point(24), r.point(32), arcTo)
	case emfPie:
		p.arc(a, b, r.point(24), r.point(32), arcPie)
	case emfChord:
		p.arc(a, b, r.point(24), r.point(32), arcChord)
	case emfGradient:
		p.emfGradientFill(r)
	default:
		return false
	}
	return true
}

// emfPath carries out what gathers a path and uses it.
func (p *player) emfPath(r record) bool {
	switch r.kind {
	case emfBeginPath:
		p.path = path{open: true}
	case emfEndPath:
		p.path.open = false
	case emfAbortPath:
		p.path = path{}
	case emfCloseFigure:
		p.closeFigure()
	case emfFlattenPath: // it is flat
	case emfWidenPath:
		p.cannot()
	case emfFillPath:
		p.render(p.usePath(), true, true, false, true)
	case emfStrokePath:
		p.render(p.usePath(), true, false, true, true)
	case emfStrokeFillPath:
		p.render(closedAll(p.usePath()), true, true, true, true)
	case emfClipPath:
		p.clipBy(p.usePath(), p.dc.evenOdd, combination(r.u32(8)), r.u32(8) >= 1 && r.u32(8) <= 5)
	default:
		return false
	}
	return true
}

// closedAll closes figures: filling a path closes them before it is stroked.
func closedAll(figs []figure) []figure {
	for i := range figs {
		figs[i].closed = true
	}
	return figs
}

// emfClip changes where orders show.
func (p *player) emfClip(r record) bool {
	switch r.kind {
	case emfIntersectClip:
		p.clipTo(r.point(8), r.point(16), both)
	case emfExcludeClip:
		p.clipTo(r.point(8), r.point(16), without)
	case emfOffsetClip:
		by := p.toDevice().vector(r.point(8))
		p.moveClip(by)
	case emfClipRegion:
		how := combination(r.u32(12))
		if r.u32(8) == 0 && how == instead {
			p.dc.clip, p.dc.clipUnknown = unclipped(), false
			break
		}
		figs, ok := r.region(16, int(r.u32(8)))
		if how == instead {
			p.dc.clipUnknown = false
		}
		p.clipBy(figs, false, how, ok && how >= both && how <= instead)
	default:
		return false
	}
	return true
}

// region reads a region of size bytes: a header and rectangles.
func (r record) region(at, size int) ([]figure, bool) {
	const header = 32
	n := int(r.u32(at + 8))
	if size < header || n < 0 || n > maxRegionRects || header+16*n > size || at+header+16*n > len(r.b) {
		return nil, false
	}
	out := make([]figure, n)
	for i := range out {
		rect := at + header + 16*i
		out[i] = figure{corners(r.point(rect), r.point(rect+8)), true}
		for _, pt := range out[i].pts {
			if !pt.near() {
				return nil, false
			}
		}
	}
	return out, true
}

// emfRegion paints regions, which are in logical units.
func (p *player) emfRegion(r record) bool {
	at := map[uint32]int{emfFillRegion: 32, emfFrameRegion: 40, emfInvertRegion: 28, emfPaintRegion: 28}[r.kind]
	if at == 0 {
		return false
	}
	figs, ok := r.region(at, int(r.u32(24)))
	lists := make([][]point, len(figs))
	for i := range figs {
		lists[i] = figs[i].pts
	}
	figs, fits := p.figures(lists, true)
	b := p.dc.brush
	if r.kind == emfFillRegion || r.kind == emfFrameRegion {
		b, _ = p.objects[r.u32(28)].(brush)
		if i := r.u32(28); i&0x80000000 != 0 {
			was := p.dc.brush
			p.stock(i & 0x7fffffff)
			b, p.dc.brush = p.dc.brush, was
		}
	}
	if r.kind == emfInvertRegion {
		if p.ready(ok && fits) {
			p.out.fill(figs, false, paint{c: black, mode: invert}, p.dc.clip)
		}
		return true
	}
	if ok && fits && (!b.visible || len(figs) == 0) || !p.ready(ok && fits && !b.unknown) {
		return true
	}
	if r.kind == emfFrameRegion {
		width := (float64(r.u32(32)) + float64(r.u32(36))) / 2
		p.stroke(figs, pen{c: b.c, width: width, visible: true})
		return true
	}
	p.fill(figs, false, false, b)
	return true
}
