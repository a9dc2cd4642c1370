package metafile

import (
	"image/color"
	"math"
)

// path is what orders between BeginPath and EndPath gather, in device units.
type path struct {
	open   bool
	figs   []figure
	points int
}

// maxPathPoints bounds a path; each point of a curve counts.
const maxPathPoints = 1 << 20

// gather adds figures to the path. A line that goes on where the last one ended joins it.
func (p *player) gather(figs []figure, goesOn bool) {
	for _, f := range figs {
		if p.path.points += len(f.pts); p.path.points > maxPathPoints {
			p.cannot()
			p.path.figs = nil
			return
		}
		if n := len(p.path.figs); goesOn && n > 0 && !p.path.figs[n-1].closed && len(f.pts) > 0 {
			last := &p.path.figs[n-1]
			if at := last.pts; len(at) > 0 && at[len(at)-1] == f.pts[0] {
				last.pts = append(last.pts, f.pts[1:]...)
				continue
			}
		}
		p.path.figs = append(p.path.figs, f)
	}
}

// usePath ends the path and returns its figures.
func (p *player) usePath() []figure {
	figs := p.path.figs
	p.path = path{}
	return figs
}

func (p *player) closeFigure() {
	if n := len(p.path.figs); n > 0 && p.path.open {
		p.path.figs[n-1].closed = true
	}
}

// shape draws closed outlines: the brush inside, the pen around. nil among them stands for
// points that could not be read.
func (p *player) shape(rings ...[]point) { p.outline(false, rings...) }

// curved is shape for outlines whose edges are smoothed.
func (p *player) curved(rings ...[]point) { p.outline(true, rings...) }

func (p *player) outline(smooth bool, rings ...[]point) {
	figs, ok := p.figures(rings, true)
	if p.path.open && ok {
		p.gather(figs, false)
		return
	}
	p.render(figs, ok, true, true, smooth)
}

// line draws open lines.
func (p *player) line(lines ...[]point) {
	figs, ok := p.figures(lines, false)
	if p.path.open && ok {
		p.gather(figs, true)
		return
	}
	p.render(figs, ok, false, true, false)
}

// render draws figures in device units with brush and pen.
func (p *player) render(figs []figure, ok, inside, around, smooth bool) {
	d := &p.dc
	inside, around = inside && d.brush.visible, around && d.pen.visible
	switch {
	case d.rop2 == leaveAsIs, ok && !inside && !around, ok && len(figs) == 0:
		return
	case !p.ready(ok && d.rop2 >= 1 && d.rop2 <= 16 && !(inside && d.brush.unknown)):
		return
	}
	if inside {
		p.fill(figs, d.evenOdd, smooth, d.brush)
	}
	if around {
		p.stroke(figs, d.pen)
	}
}

func (p *player) fill(figs []figure, evenOdd, smooth bool, b brush) {
	with := p.paint(b)
	with.smooth = smooth
	p.out.fill(figs, evenOdd, with, p.dc.clip)
}

// paint is a brush as things stand.
func (p *player) paint(b brush) paint {
	x := paint{c: b.c, mode: p.dc.rop2, hatch: b.hatch, bits: b.bits, mono: b.mono}
	if b.mono {
		x.c = p.dc.writing
	}
	if x.back = p.dc.paper; b.hatch > 0 && !p.dc.opaque {
		x.back = color.NRGBA{}
	}
	return x
}

func (p *player) stroke(figs []figure, x pen) {
	scale := p.lengthScale()
	s := stroke{width: math.Min(x.width*scale, farAway), ends: x.ends}
	if x.dashes != nil {
		lengths := make([]float64, len(x.dashes))
		for i, v := range x.dashes {
			if lengths[i] = v * scale; x.width == 0 {
				lengths[i] = v
			}
		}
		figs = dash(figs, lengths)
		p.spend(2 * len(figs))
	}
	p.out.stroke(figs, s, paint{c: x.c, mode: p.dc.rop2}, p.dc.clip)
}

// lineTo and those below draw on from where the last line ended; nil stands for points that
// could not be read.
func (p *player) lineTo(to point) { p.linesTo([]point{to}) }

func (p *player) linesTo(pts []point) {
	if pts == nil {
		p.cannot()
		return
	}
	all := append([]point{p.dc.at}, pts...)
	p.dc.at = all[len(all)-1]
	p.line(all)
}

// curves are the points of Bézier curves: a start and three for each.
func curves(pts []point) []point {
	if len(pts) < 4 || len(pts)%3 != 1 {
		return nil
	}
	out := pts[:1:1]
	for i := 0; i+3 < len(pts); i += 3 {
		out = bezier(out, pts[i], pts[i+1], pts[i+2], pts[i+3])
	}
	return out
}

// curve draws Bézier curves. They are flattened in device units, which say how long they are.
func (p *player) curve(pts []point, goesOn bool) {
	if goesOn && pts != nil {
		pts = append([]point{p.dc.at}, pts...)
		p.dc.at = pts[len(pts)-1]
	}
	if len(pts)*11 > maxPathPoints {
		p.cannot()
		return
	}
	placed, ok := p.place(pts)
	line := curves(placed)
	p.spend(len(line))
	if ok = ok && line != nil; p.path.open && ok {
		p.gather([]figure{{pts: line}}, true)
		return
	}
	p.render([]figure{{pts: line}}, ok, false, true, false)
}

// polyDraw draws lines and curves of points whose kinds stand beside them ([MS-EMF] 2.1.26).
func (p *player) polyDraw(pts []point, kinds []byte) {
	const closes, to, curve, move = 1, 2, 4, 6
	placed, ok := p.place(pts)
	if !ok || len(kinds) < len(pts) || len(pts)*11 > maxPathPoints {
		p.cannot()
		return
	}
	from, _ := p.place([]point{p.dc.at})
	now := figure{pts: from}
	var figs []figure
	end := func() {
		if len(now.pts) > 1 {
			figs = append(figs, now)
		}
		now = figure{}
	}
	for i := 0; i < len(placed); i++ {
		switch kinds[i] &^ closes {
		case move:
			end()
			now.pts = []point{placed[i]}
		case curve:
			if i+2 >= len(placed) || len(now.pts) == 0 {
				p.cannot()
				return
			}
			now.pts = bezier(now.pts, now.pts[len(now.pts)-1], placed[i], placed[i+1], placed[i+2])
			i += 2
		case to:
			now.pts = append(now.pts, placed[i])
		default:
			p.cannot()
			return
		}
		if kinds[i]&closes != 0 && len(now.pts) > 0 {
			first := now.pts[0]
			now.closed = true
			end()
			now.pts = []point{first}
		}
	}
	end()
	if len(pts) > 0 {
		p.dc.at = pts[len(pts)-1]
	}
	if p.path.open {
		p.gather(figs, true)
		return
	}
	p.render(figs, true, false, true, false)
}

// arc draws a part of an ellipse: the arc alone, the piece of a pie, or what a chord cuts off.
type arcKind byte

const (
	arcAlone arcKind = iota
	arcTo
	arcPie
	arcChord
)

func (p *player) arc(a, b, start, end point, kind arcKind) {
	pts := between(a, b, start, end, p.dc.clockwise)
	switch kind {
	case arcAlone:
		p.line(pts)
	case arcTo:
		p.linesTo(pts)
	case arcPie:
		p.curved(append(pts, a.plus(b).times(0.5)))
	case arcChord:
		p.curved(pts)
	}
}

// blit lays a bitmap, or the brush alone, onto a rectangle of logical units.
func (p *player) blit(t blit, at, size point) {
	p.blitOnto(t, at, at.plus(point{size.x, 0}), at.plus(point{0, size.y}))
}

// blitOnto lays it onto the parallelogram of three corners in logical units.
func (p *player) blitOnto(t blit, at, right, below point) {
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
	case t.bits.code != "":
		p.vector = true
		return
	case usesPattern(t.rop) && (d.brush.unknown || !d.brush.visible):
		p.cannot()
		return
	}
	placed, ok := p.place([]point{at, right, below})
	if !p.ready(ok) {
		return
	}
	t.at, t.along, t.down, t.brush, t.clip = placed[0], placed[1].minus(placed[0]), placed[2].minus(placed[0]), p.paint(d.brush), d.clip
	t.brush.mode = copyPen
	if t.src.Dx() < 0 {
		t.at, t.along = t.at.plus(t.along), t.along.times(-1)
		t.src.Min.X, t.src.Max.X = t.src.Max.X, t.src.Min.X
	}
	if t.src.Dy() < 0 {
		t.at, t.down = t.at.plus(t.down), t.down.times(-1)
		t.src.Min.Y, t.src.Max.Y = t.src.Max.Y, t.src.Min.Y
	}
	p.out.lay(t)
}
