package metafile

import (
	"image/color"
	"math"

	"blotter/internal/cell/inside/extract/metafile/typeface"
)

// font is what an order writes with.
type font struct {
	height, width float64 // logical units; a negative height is that of the em
	slope         float64 // of the line, in tenths of a degree against the clock
	style         typeface.Style
	family        typeface.Family
	kind          typeface.Kind
	set           byte
	under, strike bool
}

// newFont reads the numbers of a LOGFONT; a WMF writes the first five as 16 bits.
func newFont(height, width, slope, weight float64, flags []byte, name string) font {
	f := font{height: height, width: math.Abs(width), slope: slope, style: typeface.Style{Bold: weight >= 600}}
	if len(flags) >= 8 {
		f.style.Italic, f.under, f.strike, f.set = flags[0] != 0, flags[1] != 0, flags[2] != 0, flags[3]
		f.family = typeface.FamilyOf(name, flags[7])
	}
	f.style.Mono = f.family == typeface.Fixed
	f.kind = typeface.KindOf(name, f.set)
	return f
}

// How high the line of a font is, in ems: those of Arial.
const (
	ascent, descent = 0.905, 0.212
	plainEm         = 12.0 // of the font that is there before one is chosen, device units
)

// em is the height of the em in logical units.
func (p *player) em() float64 {
	f := &p.dc.font
	switch {
	case f.height < 0:
		return -f.height
	case f.height > 0:
		return f.height / (ascent + descent)
	}
	return plainEm / math.Max(p.lengthScale(), 1e-9)
}

// run is a line of characters in one font.
type run struct {
	letters     []letter
	along, down point // one em, in device units
	long        float64
	style       typeface.Style
	c           color.NRGBA
	under       bool
	strike      bool
	clip        clip
}

// letter is a character with its place.
type letter struct {
	r     rune
	at    float64 // where it starts on the line, in ems
	room  float64 // up to the next, in ems
	width float64 // that of its outline, in widths of the typeface's own
	start point   // on the line, device units

	natural float64 // its width, in ems
}

// box is where a letter may have ink, as corners in device units.
func (r run) box(l letter) []point {
	a := l.start.minus(r.down.times(ascent))
	b := l.start.plus(r.down.times(descent))
	w := r.along.times(math.Max(l.room, 0.1))
	return []point{a, a.plus(w), b.plus(w), b}
}

// text is what an order writes.
type text struct {
	runes   []rune
	at      point     // logical
	gaps    []float64 // from each character to the next, logical; nil for those of the font
	behind  *[2]point // a rectangle of logical units
	opaque  bool      // it is filled
	clipped bool      // and clips
	unknown bool      // characters that only the font knows
}

// maxLetters bounds the characters of one order.
const maxLetters = 1 << 15

// Bits of how text is aligned.
const (
	alignMoves             = 1
	alignRight, alignMid   = 2, 6
	alignBottom, alignBase = 8, 24
)

// write draws text.
func (p *player) write(t text) {
	k, ok := p.dc.clip, len(t.runes) <= maxLetters && p.spend(4*len(t.runes))
	if t.behind != nil && (t.opaque || t.clipped) {
		pts, placed := p.place(corners(t.behind[0], t.behind[1]))
		if ok = ok && placed; ok && t.clipped {
			ok = k.cut([]figure{{pts, true}}, true, both)
		}
		if ok && t.opaque && p.ready(ok) {
			p.out.fill([]figure{{pts, true}}, true, paint{c: p.dc.paper, mode: copyPen}, p.dc.clip)
		}
	}
	if len(t.runes) == 0 && !t.unknown {
		return
	}
	if !ok {
		p.cannot()
		return
	}
	r, seen, ok := p.run(t)
	if ok = ok && !t.unknown; ok && p.path.open {
		p.gather(r.figures(&p.outlines), false)
		return
	}
	if !seen && !p.dc.opaque && ok {
		return
	}
	if !p.ready(ok) {
		return
	}
	r.clip = k
	if p.dc.opaque && r.long > 0 {
		p.out.fill([]figure{r.ground()}, true, paint{c: p.dc.paper, mode: copyPen}, k)
	}
	if seen {
		p.out.write(r)
	}
}

// run lays text out. seen says that it has characters with ink.
func (p *player) run(t text) (r run, seen, ok bool) {
	f, em := &p.dc.font, p.em()
	r = run{style: f.style, c: p.dc.writing, under: f.under, strike: f.strike}
	along, down := p.textAxes()
	s, c := math.Sincos(f.slope / 10 * math.Pi / 180)
	unit := along.times(c).minus(down.times(s))
	r.along, r.down = unit.times(em), along.times(s).plus(down.times(c)).times(em)
	r.letters = make([]letter, len(t.runes))
	for i, char := range t.runes {
		l := &r.letters[i]
		l.at = r.long
		if l.r, ok = p.shown(char, len(t.runes)); !ok {
			return r, false, false
		}
		g, _ := p.outlines.Glyph(f.style, l.r)
		seen = seen || l.r != ' '
		natural := typeface.Width(f.family, l.r, g.Advance)
		if f.width > 0 {
			natural *= f.width / em / meanWidth
		}
		l.natural, l.room = natural, natural+p.dc.extra/em
		if i < len(t.gaps) {
			l.room = t.gaps[i] / em
		}
		l.width = 1
		if g.Advance > 0 {
			l.width = natural / g.Advance
			if i < len(t.gaps) && i+1 < len(t.runes) {
				l.width = fit(l.width, l.room/g.Advance)
			}
		}
		r.long += l.room
	}
	start, ok := p.start(t, &r, em)
	for i := range r.letters {
		r.letters[i].start = start.plus(r.along.times(r.letters[i].at))
	}
	return r, seen, ok && r.along.near() && r.down.near() && math.Abs(r.long) < farAway
}

// meanWidth is that of a usual typeface's characters, in ems: what a font's width is.
const meanWidth = 0.45

// fit narrows or widens an outline to the room that the picture gives it, within reason:
// letters may be spread out, or overlap on purpose.
func fit(natural, room float64) float64 {
	return math.Max(0.6*natural, math.Min(room, 1.25*natural))
}

// textAxes are a logical unit along a line and down, in device units. Text is never shown as in
// a mirror.
func (p *player) textAxes() (along, down point) {
	s, w := p.scale(), p.dc.world
	sx, sy := math.Abs(s.x), math.Abs(s.y)
	along, down = point{w[0] * sx, w[1] * sy}, point{w[2] * sx, w[3] * sy}
	if w.det() < 0 {
		if w.upright() && w[0] < 0 {
			return along.times(-1), down
		}
		return along, down.times(-1)
	}
	return along, down
}

// start finds where the line begins, and moves on where the text says so.
func (p *player) start(t text, r *run, em float64) (point, bool) {
	at := t.at
	if p.dc.align&alignMoves != 0 {
		at = p.dc.at
	}
	placed, ok := p.place([]point{at})
	if !ok {
		return point{}, false
	}
	start := placed[0]
	switch p.dc.align & alignMid {
	case alignMid:
		start = start.minus(r.along.times(r.long / 2))
	case alignRight:
		start = start.minus(r.along.times(r.long))
	}
	switch p.dc.align & alignBase {
	case alignBase:
	case alignBottom:
		start = start.minus(r.down.times(descent))
	default:
		start = start.plus(r.down.times(ascent))
	}
	if p.dc.align&alignMoves != 0 {
		s, c := math.Sincos(p.dc.font.slope / 10 * math.Pi / 180)
		way := r.long * em
		if p.dc.align&alignMid == alignRight {
			way = -way
		}
		p.dc.at = at.plus(point{way * c, -way * s})
	}
	return start, true
}

// maxSigns is how many signs one order may show as marks: bullets, arrows and boxes to tick.
const maxSigns = 2

// shown is the character that is drawn for one of a text of n; false where none can be.
func (p *player) shown(r rune, n int) (rune, bool) {
	private := r >= 0xf000 && r <= 0xf0ff // a byte of a font that is no text
	switch kind := p.dc.font.kind; {
	case kind == typeface.Symbols && (private || r < 0x100):
		r = typeface.Symbol(byte(r))
	case kind == typeface.Signs && r > ' ' && r != 0xf020:
		return typeface.Mark, n <= maxSigns
	case private && r > 0xf020 && r < 0xf07f:
		r -= 0xf000
	}
	return p.outlines.Shown(p.dc.font.style, r)
}

// ground is the box behind a line of text.
func (r run) ground() figure {
	first := r.letters[0].start
	a, b, w := first.minus(r.down.times(ascent)), first.plus(r.down.times(descent)), r.along.times(r.long)
	return figure{[]point{a, a.plus(w), b.plus(w), b}, true}
}

// figures are the outlines of all letters, in device units.
func (r run) figures(o *typeface.Outlines) (out []figure) {
	for _, l := range r.letters {
		if l.r != ' ' {
			out = append(out, r.outline(o, l)...)
		}
	}
	return append(out, r.rules()...)
}

func (r run) outline(o *typeface.Outlines, l letter) []figure {
	g, _ := o.Glyph(r.style, l.r)
	out := make([]figure, len(g.Rings))
	for i, ring := range g.Rings {
		pts := make([]point, len(ring))
		for j, at := range ring {
			pts[j] = l.start.plus(r.along.times(at.X * l.width)).plus(r.down.times(at.Y))
		}
		out[i] = figure{pts, true}
	}
	return out
}

// rules are the lines under a text and through it.
func (r run) rules() (out []figure) {
	rule := func(y float64) {
		a := r.letters[0].start.plus(r.down.times(y))
		w, h := r.along.times(r.long), r.down.times(ruleHeight)
		out = append(out, figure{[]point{a, a.plus(w), a.plus(w).plus(h), a.plus(h)}, true})
	}
	if r.under {
		rule(0.1)
	}
	if r.strike {
		rule(-0.3)
	}
	return out
}

// ruleHeight is how thick such a line is, in ems.
const ruleHeight = 0.06

// write draws the letters of a line.
func (c *canvas) write(r run) {
	i, in := c.ink(paint{c: r.c, mode: copyPen}, r.clip), c.bounds(r.clip.box)
	for _, l := range r.letters {
		if l.r != ' ' {
			scan(c.edges(r.outline(&c.outlines, l), smoothRows), false, smoothRows, in, i.run)
		}
	}
	scan(c.edges(r.rules(), smoothRows), false, smoothRows, in, i.run)
}
