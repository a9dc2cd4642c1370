package metafile

import (
	"context"
	"image"
	"image/color"
	"math"

	"blotter/internal/reason"
)

// point is a place in the picture.
type point struct{ x, y float64 }

// area is a rectangle; empty where it has no inside.
type area struct{ min, max point }

func nothing() area {
	return area{point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}}
}

func everything() area {
	return area{point{math.Inf(-1), math.Inf(-1)}, point{math.Inf(1), math.Inf(1)}}
}

func (a area) with(p point) area {
	return area{point{math.Min(a.min.x, p.x), math.Min(a.min.y, p.y)}, point{math.Max(a.max.x, p.x), math.Max(a.max.y, p.y)}}
}

func (a area) meet(b area) area {
	return area{point{math.Max(a.min.x, b.min.x), math.Max(a.min.y, b.min.y)}, point{math.Min(a.max.x, b.max.x), math.Min(a.max.y, b.max.y)}}
}

func (a area) join(b area) area { return a.with(b.min).with(b.max) }

func (a area) empty() bool { return !(a.min.x < a.max.x && a.min.y < a.max.y) }

func (a area) size() (w, h float64) { return a.max.x - a.min.x, a.max.y - a.min.y }

// blit is a bitmap laid onto a rectangle. A rectangle may be turned over.
type blit struct {
	bits  bitmap // without info, bits and file: only the brush counts
	src   image.Rectangle
	a, b  point // where the source's corners come to lie, in device units
	rop   byte  // the boolean function of pattern, source and target
	brush color.NRGBA
	clip  area
}

func (t blit) hasSource() bool {
	return t.bits.info != nil || t.bits.file != nil || t.bits.rows != nil || t.bits.code != ""
}

// surface is what orders are carried out on, in device units.
type surface interface {
	fill(rings [][]point, evenOdd bool, c color.NRGBA, clip area)
	stroke(lines [][]point, width float64, c color.NRGBA, clip area)
	lay(b blit)
}

// pen and brush draw nothing where they are not visible; unknown ones are no part of
// what is drawn here.
type pen struct {
	width   float64 // logical units
	c       color.NRGBA
	visible bool
	unknown bool
}

type brush struct {
	c       color.NRGBA
	visible bool
	unknown bool
}

// context of drawing, which orders save and restore.
type drawing struct {
	mode           int // how logical units are mapped, [MS-WMF] 2.1.1.16
	winOrg, vpOrg  point
	winExt, vpExt  point
	world          [6]float64
	pen            pen
	brush          brush
	at             point // logical
	evenOdd        bool
	rop2           uint32
	clip           area // device units
	clipUnknown    bool
	opaque         bool
	paper, writing color.NRGBA
}

const (
	copyPen     = 13 // the usual way of pens, [MS-WMF] 2.1.1.2
	leaveAsIs   = 11
	mapText     = 1
	mapIsotrope = 7
	mapFree     = 8
	maxSaved    = 256
	maxObjects  = 1 << 16
	farAway     = 1e8 // device units; nothing honest lies there
)

var black, white = color.NRGBA{0, 0, 0, 255}, color.NRGBA{255, 255, 255, 255}

// player holds the state between orders.
type player struct {
	ctx     context.Context
	out     surface
	dc      drawing
	saved   []drawing
	objects map[uint32]any // pen, brush, or nil for what is neither
	perMM   point          // device units for a millimetre

	vector  bool        // an order was met that is not drawn here
	beside  int         // of those the ones that are no bitmaps
	code    reason.Code // why it is withheld, where that is known better than vector
	drawn   int         // orders that were
	bitmaps []bitmap    // met so far, maxInner and one at most
	header  area        // what the header says the picture covers, device units
}

func newPlayer(ctx context.Context, s surface) *player {
	p := &player{code: reason.ExtractVector, ctx: ctx, out: s, objects: map[uint32]any{}, perMM: point{96 / 25.4, 96 / 25.4}, header: nothing()}
	p.dc = drawing{mode: mapText, winExt: point{1, 1}, vpExt: point{1, 1}, world: [6]float64{1, 0, 0, 1, 0, 0},
		pen: pen{c: black, visible: true}, brush: brush{c: white, visible: true}, rop2: copyPen, clip: everything(),
		evenOdd: true, opaque: true, paper: white, writing: black}
	return p
}

// declared is the size that the header gives, in pixels.
func (p *player) declared() (w, h int) {
	if p.header.empty() {
		return blankSide, blankSide
	}
	x, y := p.header.size()
	if m := math.Max(x, y); m > plainSide {
		x, y = x*plainSide/m, y*plainSide/m
	}
	return side(x), side(y)
}

// cannot notes an order that is not drawn here.
func (p *player) cannot() { p.vector, p.beside = true, p.beside+1 }

// cutOff notes that the list of orders ends in the middle.
func (p *player) cutOff() {
	if !p.vector {
		p.code = reason.ExtractTruncated
	}
	p.cannot()
}

// over reports that walking on would tell nothing new.
func (p *player) over() bool { return p.vector && len(p.bitmaps) > maxInner || p.ctx.Err() != nil }

// device maps logical units to those of the surface.
func (p *player) device(at point) point {
	d := &p.dc
	x := d.world[0]*at.x + d.world[2]*at.y + d.world[4]
	y := d.world[1]*at.x + d.world[3]*at.y + d.world[5]
	s := p.scale()
	return point{(x-d.winOrg.x)*s.x + d.vpOrg.x, (y-d.winOrg.y)*s.y + d.vpOrg.y}
}

// scale is how many device units a unit of the page has.
func (p *player) scale() point {
	d := &p.dc
	metric := map[int]float64{2: 0.1, 3: 0.01, 4: 0.254, 5: 0.0254, 6: 25.4 / 1440} // millimetres
	switch mm, ok := metric[d.mode]; {
	case ok:
		return point{mm * p.perMM.x, -mm * p.perMM.y}
	case d.mode == mapFree, d.mode == mapIsotrope:
		return point{d.vpExt.x / d.winExt.x, d.vpExt.y / d.winExt.y}
	}
	return point{1, 1}
}

// place maps points and judges whether they can be drawn. nil stands for points that
// could not be read.
func (p *player) place(pts []point) ([]point, bool) {
	if pts == nil {
		return nil, false
	}
	out := make([]point, len(pts))
	for i, at := range pts {
		out[i] = p.device(at)
		if !(math.Abs(out[i].x) < farAway && math.Abs(out[i].y) < farAway) {
			return nil, false
		}
	}
	return out, true
}

// ready judges whether an order can be carried out as things stand, and notes it.
func (p *player) ready(ok bool) bool {
	if !ok || p.dc.clipUnknown {
		p.cannot()
	}
	if p.vector {
		return false
	}
	p.drawn++
	return true
}

// shape draws closed outlines: the brush inside, the pen around.
func (p *player) shape(rings ...[]point) {
	d := &p.dc
	if d.rop2 == leaveAsIs {
		return
	}
	placed := make([][]point, len(rings))
	ok := d.rop2 == copyPen && !d.brush.unknown && !d.pen.unknown
	for i, r := range rings {
		var fits bool
		if placed[i], fits = p.place(r); !fits {
			ok = false
		}
	}
	if !d.brush.visible && !d.pen.visible && ok {
		return
	}
	if !p.ready(ok) {
		return
	}
	if d.brush.visible {
		p.out.fill(placed, d.evenOdd, d.brush.c, d.clip)
	}
	if d.pen.visible {
		for i, r := range placed {
			if len(r) > 0 {
				placed[i] = append(r, r[0])
			}
		}
		p.out.stroke(placed, p.penWidth(), d.pen.c, d.clip)
	}
}

// line draws open lines.
func (p *player) line(lines ...[]point) {
	d := &p.dc
	if d.rop2 == leaveAsIs || !d.pen.visible && !d.pen.unknown {
		return
	}
	placed := make([][]point, len(lines))
	ok := d.rop2 == copyPen && !d.pen.unknown
	for i, l := range lines {
		var fits bool
		if placed[i], fits = p.place(l); !fits {
			ok = false
		}
	}
	if p.ready(ok) {
		p.out.stroke(placed, p.penWidth(), d.pen.c, d.clip)
	}
}

func (p *player) penWidth() float64 {
	s := p.scale()
	w := p.dc.pen.width * math.Sqrt(math.Abs(s.x*s.y)*math.Abs(p.dc.world[0]*p.dc.world[3]-p.dc.world[1]*p.dc.world[2]))
	if !(w >= 0 && w < farAway) {
		return 0
	}
	return w
}

func corners(a, b point) []point { return []point{a, {b.x, a.y}, b, {a.x, b.y}} }

// ellipse is a ring of points within a rectangle.
func ellipse(a, b point) []point {
	const n = 128
	out := make([]point, n)
	for i := range out {
		s, c := math.Sincos(2 * math.Pi * float64(i) / n)
		out[i] = point{(a.x+b.x)/2 + (b.x-a.x)/2*c, (a.y+b.y)/2 + (b.y-a.y)/2*s}
	}
	return out
}

// met keeps a bitmap for the case that the picture is not drawn.
func (p *player) met(b bitmap) {
	if len(p.bitmaps) <= maxInner {
		p.bitmaps = append(p.bitmaps, b)
	}
}

// Boolean functions of pattern, source and target ([MS-WMF] 2.1.1.31), their index.
const (
	ropCopy, ropPattern, ropLeave = 0xcc, 0xf0, 0xaa
)

// usesSource and usesPattern look whether a function's outcome depends on them: bit i of
// it is the outcome for pattern, source and target being bits 2, 1 and 0 of i.
func usesSource(rop byte) bool { return rop>>2&0x33 != rop&0x33 }

func usesPattern(rop byte) bool { return rop>>4 != rop&0xf }

// blit lays a bitmap, or the brush alone, onto a rectangle of logical units.
func (p *player) blit(t blit, at, size point) {
	if t.hasSource() {
		p.met(t.bits)
	}
	d := &p.dc
	switch {
	case t.rop == ropLeave:
		return
	case usesSource(t.rop) && !t.hasSource(): // copies from the surface itself
		p.cannot()
		return
	case d.world[1] != 0 || d.world[2] != 0, t.bits.code != "":
		p.vector = true
		return
	case usesPattern(t.rop) && (d.brush.unknown || !d.brush.visible):
		p.cannot()
		return
	}
	placed, ok := p.place([]point{at, {at.x + size.x, at.y + size.y}})
	if !p.ready(ok) {
		return
	}
	t.a, t.b, t.brush, t.clip = placed[0], placed[1], d.brush.c, d.clip
	if t.src.Dx() < 0 {
		t.a.x, t.b.x, t.src.Min.X, t.src.Max.X = t.b.x, t.a.x, t.src.Max.X, t.src.Min.X
	}
	if t.src.Dy() < 0 {
		t.a.y, t.b.y, t.src.Min.Y, t.src.Max.Y = t.b.y, t.a.y, t.src.Max.Y, t.src.Min.Y
	}
	p.out.lay(t)
}

// text is harmless where it has no glyph to see; the rectangle behind it may be filled.
func (p *player) text(blank bool, behind *[2]point) {
	if !blank {
		p.cannot()
		return
	}
	if behind == nil {
		return
	}
	pts, ok := p.place(corners(behind[0], behind[1]))
	if p.ready(ok) {
		p.out.fill([][]point{pts}, true, p.dc.paper, p.dc.clip)
	}
}

func (p *player) save() {
	if len(p.saved) >= maxSaved {
		p.cannot()
		return
	}
	p.saved = append(p.saved, p.dc)
}

// restore goes back n saves, or to save number n counted from 1 where n is positive.
func (p *player) restore(n int) {
	if n < 0 {
		n += len(p.saved) + 1
	}
	if n < 1 || n > len(p.saved) {
		return
	}
	p.dc, p.saved = p.saved[n-1], p.saved[:n-1]
}

func (p *player) clipTo(a, b point) {
	pts, ok := p.place(corners(a, b))
	if !ok || p.dc.world[1] != 0 || p.dc.world[2] != 0 {
		p.dc.clipUnknown = true
		return
	}
	box := nothing()
	for _, at := range pts {
		box = box.with(at)
	}
	p.dc.clip = p.dc.clip.meet(box)
}

// make keeps an object under its number.
func (p *player) make(i uint32, o any) {
	if i >= maxObjects {
		p.cannot()
		return
	}
	p.objects[i] = o
}

func (p *player) take(o any) {
	switch o := o.(type) {
	case pen:
		p.dc.pen = o
	case brush:
		p.dc.brush = o
	}
}

// colour reads a COLORREF: red, green, blue, and how it is meant.
func colour(v uint32) color.NRGBA {
	return color.NRGBA{byte(v), byte(v >> 8), byte(v >> 16), 255}
}

// newPen and newBrush take the plain kinds; what has dashes or patterns is not drawn.
func newPen(style uint32, width float64, c uint32) pen {
	const solid, null, inside = 0, 5, 6
	kind := style & 0xf
	return pen{width: width, c: colour(c), visible: kind != null, unknown: kind != solid && kind != null && kind != inside}
}

func newBrush(style, c uint32) brush {
	const solid, hollow = 0, 1
	return brush{c: colour(c), visible: style != hollow, unknown: style > hollow}
}
