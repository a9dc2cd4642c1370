package metafile

import (
	"encoding/binary"
	"image/color"
	"math"
	"strings"

	"blotter/internal/cell/inside/extract/metafile/typeface"
)

// quickDraw is what the orders of a PICT set.
type quickDraw struct {
	pen, oval        point // how thick the pen is, and how round corners are
	at               point // where the pen is
	written          point // where the last text began
	fore, back       color.NRGBA
	line, fill, bare pixels8 // patterns of the pen, of fills and of what is erased
	rect             [2]point
	arc              [2]float64
	poly, area       [][]point
	font             int
	names            map[int]string
	face             byte
	size             float64
}

// pixels8 is a pattern of eight by eight pixels, or a colour.
type pixels8 struct {
	rows [8]byte
	c    *color.NRGBA
}

var allOn = pixels8{rows: [8]byte{255, 255, 255, 255, 255, 255, 255, 255}}

func newQuickDraw() quickDraw {
	return quickDraw{pen: point{1, 1}, fore: black, back: white, line: allOn, fill: allOn,
		names: map[int]string{3: "Geneva", 4: "Monaco", 20: "Times", 21: "Helvetica", 22: "Courier", 23: "Symbol"}}
}

// point reads a point, which a PICT writes with its height first.
func (w *pictWalk) point(at int) point { return point{float64(w.i16(at + 2)), float64(w.i16(at))} }

func (w *pictWalk) rgb(at int) color.NRGBA {
	return color.NRGBA{byte(w.u16(at) >> 8), byte(w.u16(at+2) >> 8), byte(w.u16(at+4) >> 8), 255}
}

// pictState carries out what sets the state. It reports whether it was there in full.
func (p *player) pictState(w *pictWalk, op int) bool {
	from := w.at
	if !w.skip(pictFixed[op]) {
		return false
	}
	q := &w.q
	pattern := func() (x pixels8) {
		copy(x.rows[:], w.b[from:from+8])
		return x
	}
	switch op {
	case 0x02:
		q.bare = pattern()
	case 0x03:
		q.font = w.u16(from)
	case 0x04:
		q.face = w.b[from]
	case 0x07:
		q.pen = w.point(from)
	case 0x09:
		q.line = pattern()
	case 0x0a:
		q.fill = pattern()
	case 0x0b:
		q.oval = w.point(from)
	case 0x0c:
		p.dc.winOrg = p.dc.winOrg.plus(point{float64(w.i16(from)), float64(w.i16(from + 2))})
	case 0x0d:
		q.size = float64(w.u16(from))
	case 0x0e:
		q.fore = plainColour(w.u32(from), black)
	case 0x0f:
		q.back = plainColour(w.u32(from), white)
	case 0x1a:
		q.fore = w.rgb(from)
	case 0x1b:
		q.back = w.rgb(from)
	}
	return true
}

// plainColour is one of the eight that the first QuickDraw knew.
func plainColour(v uint32, other color.NRGBA) color.NRGBA {
	known := map[uint32]color.NRGBA{33: black, 30: white, 205: {221, 8, 6, 255}, 341: {0, 128, 17, 255}, 409: {0, 0, 212, 255},
		273: {2, 171, 234, 255}, 137: {242, 8, 132, 255}, 69: {252, 243, 5, 255}}
	if c, ok := known[v]; ok {
		return c
	}
	return other
}

// pictPattern reads a pattern in colours: of one colour, or of a bitmap, which is passed and
// replaced by the plain pattern before it.
func (p *player) pictPattern(w *pictWalk, op int) bool {
	kind, from := w.u16(w.at), w.at+2
	if !w.skip(10) {
		return false
	}
	var x pixels8
	copy(x.rows[:], w.b[from:from+8])
	const dithered = 2
	if kind == dithered {
		c := w.rgb(w.at)
		if x.c = &c; !w.skip(6) {
			return false
		}
	} else {
		rows := &pictRows{stride: w.u16(w.at) & 0x3fff}
		rows.height, rows.width = w.i16(w.at+6)-w.i16(w.at+2), w.i16(w.at+8)-w.i16(w.at+4)
		rows.pack, rows.bits, rows.planes = w.u16(w.at+12), w.u16(w.at+28), w.u16(w.at+30)
		if !w.skip(46) || !rows.colours(w) || !rows.pass(w, 0x98) {
			return false
		}
	}
	switch op {
	case 0x12:
		w.q.bare = x
	case 0x13:
		w.q.line = x
	case 0x14:
		w.q.fill = x
	}
	return true
}

// pictBrush is a pattern as things stand.
func (p *player) pictBrush(q *quickDraw, x pixels8) brush {
	switch {
	case x.c != nil:
		return brush{visible: true, c: *x.c}
	case x.rows == allOn.rows:
		return brush{visible: true, c: q.fore}
	case x.rows == [8]byte{}:
		return brush{visible: true, c: q.back}
	}
	le := binary.LittleEndian
	info := le.AppendUint32(nil, 40)
	info = le.AppendUint32(info, 8)
	info = append(le.AppendUint32(le.AppendUint32(info, 8), 1|1<<16), make([]byte, 24)...)
	info = append(info, 255, 255, 255, 0, 0, 0, 0, 0) // a bit that is set has the colour
	var bits []byte
	for i := range 8 {
		bits = append(bits, x.rows[7-i], 0, 0, 0)
	}
	p.dc.writing, p.dc.paper = q.fore, q.back
	return brush{visible: true, mono: true, bits: &bitmap{info: info, bits: bits}}
}

// pictDraw carries out a verb on outlines: frame, paint, erase, invert, fill.
func (p *player) pictDraw(q *quickDraw, verb int, smooth bool, rings ...[]point) {
	p.dc.rop2 = copyPen
	var b brush
	switch verb {
	case 0:
		if q.pen.x <= 0 && q.pen.y <= 0 {
			return
		}
		p.dc.brush, p.dc.pen = brush{}, pen{visible: true, c: p.pictBrush(q, q.line).c, width: math.Max(q.pen.x, q.pen.y), joins: flat}
		p.outline(smooth, rings...)
		return
	case 1:
		b = p.pictBrush(q, q.line)
	case 2:
		b = p.pictBrush(q, q.bare)
	case 3:
		b, p.dc.rop2 = brush{visible: true, c: black}, invert
	case 4:
		b = p.pictBrush(q, q.fill)
	default:
		p.cannot()
		return
	}
	p.dc.brush, p.dc.pen = b, pen{}
	p.outline(smooth, rings...)
}

// pictLine draws from the pen's place to another.
func (p *player) pictLine(q *quickDraw, to point) {
	from := q.at
	q.at = to
	if q.pen.x <= 0 && q.pen.y <= 0 {
		return
	}
	half := q.pen.times(0.5)
	b := p.pictBrush(q, q.line)
	if b.mono {
		b.c = q.fore
	}
	p.dc.rop2, p.dc.pen = copyPen, pen{visible: true, c: b.c, width: math.Max(q.pen.x, q.pen.y)}
	p.line([]point{from.plus(half), to.plus(half)})
}

// pictShape carries out lines, text and shapes. It reports whether the order was there in full.
func (p *player) pictShape(w *pictWalk, op int) bool {
	switch {
	case op < 0x24:
		return p.pictLines(w, op)
	case op >= 0x28 && op <= 0x2b:
		return p.pictText(w, op)
	case op < 0x30: // font names and the like
		return p.pictName(w, op)
	}
	q, verb, again := &w.q, op&7, op&8 != 0
	switch op & 0xf0 {
	case 0x70, 0x80:
		return p.pictOutline(w, op)
	case 0x60:
		from := w.at
		if !again {
			q.rect = [2]point{w.point(from), w.point(from + 4)}
			from += 8
		}
		q.arc = [2]float64{float64(w.i16(from)), float64(w.i16(from + 2))}
		if !w.skip(from + 4 - w.at) {
			return false
		}
		p.pictArc(q, verb)
		return true
	}
	if !again {
		q.rect = [2]point{w.point(w.at), w.point(w.at + 4)}
		if !w.skip(8) {
			return false
		}
	}
	switch a, b := q.rect[0], q.rect[1]; op & 0xf0 {
	case 0x30:
		p.pictDraw(q, verb, false, corners(a, b))
	case 0x40:
		p.pictDraw(q, verb, true, roundRect(a, b, q.oval))
	case 0x50:
		p.pictDraw(q, verb, true, ellipse(a, b))
	}
	return true
}

// pictArc draws a piece of a pie, or the arc alone; degrees count from the top, clockwise.
func (p *player) pictArc(q *quickDraw, verb int) {
	from, sweep := (q.arc[0]-90)*math.Pi/180, math.Max(-360, math.Min(q.arc[1], 360))*math.Pi/180
	a, b := q.rect[0], q.rect[1]
	pts := arcPoints(a, b, from, sweep)
	if verb == 0 {
		p.dc.rop2, p.dc.pen = copyPen, pen{visible: true, c: p.pictBrush(q, q.line).c, width: math.Max(q.pen.x, q.pen.y)}
		p.line(pts)
		return
	}
	p.pictDraw(q, verb, true, append(pts, a.plus(b).times(0.5)))
}

func (p *player) pictLines(w *pictWalk, op int) bool {
	from, q := w.at, &w.q
	if !w.skip([]int{8, 4, 6, 2}[op-0x20]) {
		return false
	}
	if op == 0x20 || op == 0x22 {
		q.at = w.point(from)
		from += 4
	}
	to := w.point(from)
	if op >= 0x22 {
		to = q.at.plus(point{float64(int8(w.b[from])), float64(int8(w.b[from+1]))})
	}
	p.pictLine(q, to)
	return true
}

// pictOutline draws a polygon or a region.
func (p *player) pictOutline(w *pictWalk, op int) bool {
	q, rings := &w.q, &w.q.poly
	if op >= 0x80 {
		rings = &q.area
	}
	if op&8 == 0 {
		from, n := w.at, w.u16(w.at)
		if n < 10 || !w.skip(n) {
			return false
		}
		var ok bool
		if op >= 0x80 {
			*rings, ok = w.region(from, n)
		} else {
			*rings, ok = [][]point{w.polygon(from+10, from+n)}, true
		}
		if !ok {
			p.cannot()
			return true
		}
	}
	switch verb := op & 7; {
	case len(*rings) == 0 || len((*rings)[0]) == 0:
	case verb == 0 && op >= 0x80: // its frame is that of the outline, which rectangles do not tell
		p.cannot()
	case verb == 0:
		p.dc.rop2, p.dc.pen = copyPen, pen{visible: true, c: p.pictBrush(q, q.line).c, width: math.Max(q.pen.x, q.pen.y)}
		p.line((*rings)[0])
	default:
		p.pictDraw(q, verb, false, *rings...)
	}
	return true
}

func (w *pictWalk) polygon(from, to int) (out []point) {
	for ; from+4 <= to; from += 4 {
		out = append(out, w.point(from))
	}
	return out
}

// region reads a region: its box and, row by row, where it begins and ends; a row lists what
// changes from the one above.
func (w *pictWalk) region(from, n int) (rects [][]point, ok bool) {
	const last = 0x7fff
	if n < 10 {
		return nil, false
	}
	if n == 10 {
		return [][]point{corners(w.point(from+2), w.point(from+6))}, true
	}
	var edges []int
	top := 0
	for at := from + 10; at+2 <= from+n; {
		y := w.i16(at)
		for i := 0; i+1 < len(edges); i += 2 {
			if rects = append(rects, corners(point{float64(edges[i]), float64(top)}, point{float64(edges[i+1]), float64(y)})); len(rects) > maxRegionRects {
				return nil, false
			}
		}
		if y == last {
			return rects, true
		}
		for at += 2; at+2 <= from+n && w.i16(at) != last; at += 2 {
			if edges = toggle(edges, w.i16(at)); len(edges) > maxRowEdges {
				return nil, false
			}
		}
		top, at = y, at+2
	}
	return rects, false
}

// maxRowEdges bounds where a row of a region begins and ends.
const maxRowEdges = 1 << 10

// toggle puts a number into a sorted list, or takes it out.
func toggle(edges []int, x int) []int {
	for i, v := range edges {
		switch {
		case v == x:
			return append(edges[:i], edges[i+1:]...)
		case v > x:
			return append(edges[:i], append([]int{x}, edges[i:]...)...)
		}
	}
	return append(edges, x)
}

// pictName reads the name of a font, and passes what else has its length before it.
func (p *player) pictName(w *pictWalk, op int) bool {
	from := w.at
	if !w.counted(2) {
		return false
	}
	if op == 0x2c && w.at-from > 5 {
		n := int(w.b[from+4])
		if from+5+n <= w.at && len(w.q.names) < maxNames {
			w.q.names[w.u16(from+2)] = string(w.b[from+5 : from+5+n])
		}
	}
	return true
}

// maxNames bounds the names of fonts.
const maxNames = 256

// pictText writes. Its place is counted from where the last text began.
func (p *player) pictText(w *pictWalk, op int) bool {
	before := map[int]int{0x28: 4, 0x29: 1, 0x2a: 1, 0x2b: 2}[op]
	from := w.at
	if !w.skip(before) || w.at >= len(w.b) {
		return false
	}
	q := &w.q
	switch op {
	case 0x28:
		q.written = w.point(from)
	case 0x29:
		q.written.x += float64(w.b[from])
	case 0x2a:
		q.written.y += float64(w.b[from])
	case 0x2b:
		q.written = q.written.plus(point{float64(w.b[from]), float64(w.b[from+1])})
	}
	n := int(w.b[w.at])
	if !w.skip(1 + n) {
		return false
	}
	p.dc.font = q.typeface()
	p.dc.opaque, p.dc.align, p.dc.writing = false, alignBase, q.fore
	t := text{at: q.written}
	p.decode(&t, w.b[w.at-n:w.at])
	p.write(t)
	return true
}

// typeface is the font of QuickDraw's number, face and size.
func (q *quickDraw) typeface() font {
	const macSet, bold, italic, under = 77, 1, 2, 4
	size := q.size
	if size <= 0 {
		size = plainEm
	}
	name := q.names[q.font]
	f := font{height: -size, set: macSet, family: typeface.FamilyOf(name, 0), kind: typeface.KindOf(name, macSet), under: q.face&under != 0}
	if strings.EqualFold(name, "Monaco") {
		f.family = typeface.Fixed
	}
	f.style = typeface.Style{Bold: q.face&bold != 0, Italic: q.face&italic != 0, Mono: f.family == typeface.Fixed}
	return f
}
