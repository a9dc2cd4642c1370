package metafile

import (
	"context"
	"image/color"
	"math"

	"blotter/internal/cell/inside/extract/metafile/typeface"
	"blotter/internal/reason"
)

// drawing is what orders set, save and restore.
type drawing struct {
	mode           int // how logical units are mapped, [MS-WMF] 2.1.1.16
	winOrg, vpOrg  point
	winExt, vpExt  point
	world          matrix
	pen            pen
	brush          brush
	font           font
	at             point // logical
	evenOdd        bool
	rop2           uint32
	clip           clip // device units
	clipUnknown    bool
	opaque         bool
	align          uint32 // of text, [MS-WMF] 2.1.2.3
	extra          float64
	clockwise      bool // arcs
	paper, writing color.NRGBA
	palette        []color.NRGBA
}

const (
	copyPen     = 13 // the usual way of pens, [MS-WMF] 2.1.1.2
	leaveAsIs   = 11
	invert      = 6
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
	ctx      context.Context
	out      surface
	dc       drawing
	saved    []drawing
	objects  map[uint32]any // pen, brush, font, palette, region, or nil for what is none
	perMM    point          // device units for a millimetre
	path     path
	outlines typeface.Outlines

	vector  bool        // an order was met that is not drawn here
	beside  int         // of those the ones that are no bitmaps
	code    reason.Code // why it is withheld, where that is known better than vector
	drawn   int         // orders that were
	bitmaps []bitmap    // met so far, maxInner and one at most
	header  area        // what the header says the picture covers, device units
	effort  int         // points that were handled
	cuts    *cutting    // of the last clip that was drawn within
}

func newPlayer(ctx context.Context, s surface) *player {
	p := &player{code: reason.ExtractVector, ctx: ctx, out: s, objects: map[uint32]any{}, perMM: point{96 / 25.4, 96 / 25.4}, header: nothing()}
	p.dc = drawing{mode: mapText, winExt: point{1, 1}, vpExt: point{1, 1}, world: unmoved,
		pen: pen{c: black, visible: true}, brush: brush{c: white, visible: true}, rop2: copyPen, clip: unclipped(),
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

// over reports that walking on would tell nothing new, or cost too much.
func (p *player) over() bool {
	return p.vector && len(p.bitmaps) > maxInner || p.effort > maxEffort || p.ctx.Err() != nil
}

// maxEffort bounds the points that a walk handles, those made of curves, dashes and clips
// included: some seconds. An order of some bytes may ask for ten thousands.
const maxEffort = 1 << 25

// spend notes that points are to be handled; false where there were too many.
func (p *player) spend(points int) bool {
	if p.effort <= maxEffort {
		if p.effort += points; p.effort > maxEffort {
			p.cannot()
		}
	}
	return p.effort <= maxEffort
}

// toDevice maps logical units to those of the surface.
func (p *player) toDevice() matrix {
	d, s := &p.dc, p.scale()
	return d.world.then(matrix{s.x, 0, 0, s.y, d.vpOrg.x - d.winOrg.x*s.x, d.vpOrg.y - d.winOrg.y*s.y})
}

// scale is how many device units a unit of the page has.
func (p *player) scale() point {
	d := &p.dc
	metric := [...]float64{2: 0.1, 3: 0.01, 4: 0.254, 5: 0.0254, 6: 25.4 / 1440} // millimetres
	switch {
	case d.mode > mapText && d.mode < len(metric):
		mm := metric[d.mode]
		return point{mm * p.perMM.x, -mm * p.perMM.y}
	case d.mode == mapFree, d.mode == mapIsotrope:
		return point{d.vpExt.x / d.winExt.x, d.vpExt.y / d.winExt.y}
	}
	return point{1, 1}
}

// place maps points and judges whether they can be drawn. nil stands for points that
// could not be read.
func (p *player) place(pts []point) ([]point, bool) {
	if pts == nil || !p.spend(len(pts)) {
		return nil, false
	}
	m := p.toDevice()
	out := make([]point, len(pts))
	for i, at := range pts {
		if out[i] = m.apply(at); !out[i].near() {
			return nil, false
		}
	}
	return out, true
}

// figures maps lists of points.
func (p *player) figures(lists [][]point, closed bool) ([]figure, bool) {
	out := make([]figure, len(lists))
	for i, l := range lists {
		pts, ok := p.place(l)
		if !ok {
			return nil, false
		}
		out[i] = figure{pts, closed}
	}
	return out, true
}

// ready judges whether an order can be carried out as things stand, and notes it.
func (p *player) ready(ok bool) bool {
	if k := p.dc.clip.cuts; k != nil && k != p.cuts { // its mask is made anew
		p.cuts = k
		p.spend(k.points)
	}
	if !ok || p.dc.clipUnknown {
		p.cannot()
	}
	if p.vector {
		return false
	}
	p.drawn++
	return true
}

// lengthScale is how many device units a logical unit has, whatever its direction.
func (p *player) lengthScale() float64 {
	v := math.Sqrt(math.Abs(p.toDevice().det()))
	if !(v >= 0 && v < farAway) {
		return 1
	}
	return v
}

// met keeps a bitmap for the case that the picture is not drawn.
func (p *player) met(b bitmap) {
	if len(p.bitmaps) <= maxInner {
		p.bitmaps = append(p.bitmaps, b)
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

// clipTo cuts the clip by a rectangle of logical units.
func (p *player) clipTo(a, b point, how combination) {
	pts, ok := p.place(corners(a, b))
	p.clipBy([]figure{{pts, true}}, true, how, ok)
}

// clipBy cuts the clip by outlines in device units.
func (p *player) clipBy(figs []figure, evenOdd bool, how combination, ok bool) {
	if !ok || !p.spend(4*len(figs)) || !p.dc.clip.cut(figs, evenOdd, how) {
		p.dc.clipUnknown = true
	}
}

// moveClip shifts the clip by device units.
func (p *player) moveClip(by point) {
	if k := p.dc.clip.cuts; !by.near() || k != nil && !p.spend(k.points) {
		p.dc.clipUnknown = true
		return
	}
	p.dc.clip = p.dc.clip.moved(by)
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
	case font:
		p.dc.font = o
	case palette:
		p.dc.palette = o
	}
}

// palette is a list of colours that orders may choose from.
type palette []color.NRGBA

// newPalette reads a list of colours after their number ([MS-WMF] 2.2.1.3).
func newPalette(b []byte) palette {
	r := record{b: b}
	n := min(int(r.u16(2)), max(len(b)-4, 0)/4)
	out := make(palette, n)
	for i := range out {
		out[i] = color.NRGBA{b[4+4*i], b[5+4*i], b[6+4*i], 255}
	}
	return out
}
