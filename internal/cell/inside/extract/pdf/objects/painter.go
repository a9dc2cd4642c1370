package objects

import (
	"bufio"
	"io"
	"math"
)

// What PDFium keeps of a page is counted in parts, 64 to an object. Measured: an object of a
// path, a piece of text or a form takes 130 to 400 bytes and 1 to 6 µs, a point 12 to 24
// bytes, a character 12, and what counts as one object never takes more than 850 bytes.
const (
	objectParts = 64
	pointParts  = 2
	charParts   = 1
	inlineBytes = 16 // of an inline image, a part
	readBytes   = 4  // of operators that are read, a part: 256 take as long as an object
)

// What covering a pixel takes, where a pixel of an image takes 1, which is 3 ns: measured
// through PDFium in WebAssembly at 200 dpi, an object that covers all.
const (
	plainCost    = 0.25 // 0.3 to 0.8 ns
	sampledCost  = 1    // images and text
	layerCost    = 2    // what lets through, is drawn by itself first, laid with tiles or clipped by a shape
	shadeCost    = 10   // between points or circles
	functionCost = 45   // shaded by a function of the place, or by meshes
	// A blend redraws what was drawn before it on the page, once for each: 18 ns.
	blendCost = 6
)

// Bounds of what is kept of saved states: deeper ones are counted, and cost an object
// each. PDF's own bound is 28.
const mostStates = 1 << 12

// scope is where a stream of operators finds its resources.
type scope struct{ own, page Dict }

// get looks one resource up as PDFium does: in the page's list where its own has none.
func (s scope) get(f *File, kind, name Name) any {
	list, ok := f.get(s.own, len(f.data), kind).(Dict)
	if !ok {
		list, _ = f.get(s.page, len(f.data), kind).(Dict)
	}
	return list[name]
}

// state is what q saves of the state of graphics.
type state struct {
	ctm          transform
	clip         rect // in the space of the stream
	clips        float64
	cut          bool    // by a clip that is no upright rectangle
	font         *glyphs // nil for one whose glyphs are no streams
	size         float64
	fill, stroke *pattern // nil for a plain colour
	mask         *place
	seen         [2]bool // through: colours that fill and those of lines are not opaque
	blended      bool
}

// opaque is the state of colours that let nothing through.
var opaque [2]bool

// painter counts what one stream of operators draws, what it invokes apart.
type painter struct {
	w     *weighing
	in    scope
	room  float64 // the most that an object covers
	ops   operators
	marks marks
	state
	saved    []state
	deep     int // states saved
	deepest  int
	path     rect
	pieces   int
	straight bool // the path is a rectangle, as far as it goes
	clips    bool // the path is to clip what follows
	tags     float64
	tm       float64                       // scale of areas by the text's matrix
	met      func(object int, m transform) // called for each image and form, where it lies in the stream; nil for none
}

// marks is what a stream of operators draws by itself, and how often it invokes others.
type marks struct {
	amount
	uses    map[spot]*use // by place and the scale's magnitude
	inlines int           // images
}

// use is how often something is invoked, and what its area is multiplied by in all.
type use struct {
	place
	times, scale float64
}

// paint counts operators that begin within this clip, on a page that has room for so much.
func (w *weighing) paint(r io.Reader, in scope, clip rect, room float64) marks {
	return w.painter(in, clip, room).read(r)
}

// follow calls met for each image and form that operators draw, and where it lies.
func (w *weighing) follow(r io.Reader, in scope, met func(object int, m transform)) {
	p := w.painter(in, everywhere, math.Inf(1))
	p.met = met
	p.read(r)
}

func (w *weighing) painter(in scope, clip rect, room float64) *painter {
	return &painter{w: w, in: in, room: room, path: nowhere, tm: 1, state: state{ctm: unit, clip: clip}, marks: marks{uses: map[spot]*use{}}}
}

func (p *painter) read(r io.Reader) marks {
	w := p.w
	p.ops = operators{r: bufio.NewReaderSize(r, w.ahead), do: p.operator, spill: p.show}
	before := w.left
	read := func() float64 { return float64(before-w.left) / readBytes }
	p.ops.run(func() bool { return p.marks.parts+read() > w.most })
	p.marks.parts += objectParts*float64(p.deepest) + read()
	return p.marks
}

func (p *painter) operator(op []byte) {
	switch string(op) {
	case "q":
		p.save()
	case "Q":
		p.restore()
	case "cm":
		p.ctm = transform{p.ops.number(6), p.ops.number(5), p.ops.number(4), p.ops.number(3), p.ops.number(2), p.ops.number(1)}.then(p.ctm)
	case "m", "l":
		p.points(1)
	case "c":
		p.points(3)
	case "v", "y":
		p.points(2)
	case "re":
		p.rectangle()
	case "W", "W*":
		p.clips = true
	case "f", "F", "f*":
		p.fillPath(p.fill)
	case "S", "s":
		p.fillPath(p.stroke)
	case "B", "B*", "b", "b*":
		p.fillPath(p.fill, p.stroke)
	case "n":
		p.endPath()
	case "Do":
		p.invoke()
	case "sh":
		p.object(p.clip.area(), p.w.shading(p.in.get(p.w.f, "Shading", Name(p.ops.name))))
	case "BI":
		p.inline()
	case "BMC", "BDC":
		p.tags++
		p.marks.parts += p.tags
	case "EMC":
		p.tags = math.Max(0, p.tags-1)
	default:
		p.setting(op)
	}
}

// setting runs the operators that only change the state, and those of text.
func (p *painter) setting(op []byte) {
	switch string(op) {
	case "gs":
		p.graphics()
	case "g", "rg", "k", "cs", "sc":
		p.fill = nil
	case "G", "RG", "K", "CS", "SC":
		p.stroke = nil
	case "scn":
		p.fill = p.w.pattern(p.in, Name(p.ops.name))
	case "SCN":
		p.stroke = p.w.pattern(p.in, Name(p.ops.name))
	case "Tf":
		p.font, p.size = p.w.font(p.in, Name(p.ops.name)), p.ops.number(1)
	case "BT":
		p.tm = 1
	case "Tm":
		p.tm = math.Abs(p.ops.number(6)*p.ops.number(3) - p.ops.number(5)*p.ops.number(4))
	case "Tj", "TJ", "'", `"`:
		p.marks.parts += float64(p.ops.count)
		p.object(0, 0)
		p.show(p.ops.text)
	}
}

func (p *painter) save() {
	if p.deep++; p.deep <= mostStates {
		p.saved = append(p.saved, p.state)
	}
	p.deepest = max(p.deepest, p.deep)
}

func (p *painter) restore() {
	if p.deep == 0 {
		return
	}
	if p.deep--; p.deep < len(p.saved) {
		p.state = p.saved[p.deep]
		p.saved = p.saved[:p.deep]
	}
}

// points adds the last n points to the path.
func (p *painter) points(n int) {
	for i := range n {
		p.path = p.path.with(p.ops.number(2*i+2), p.ops.number(2*i+1))
	}
	p.pieces += n
	p.marks.parts += pointParts * float64(n)
}

func (p *painter) rectangle() {
	x, y := p.ops.number(4), p.ops.number(3)
	p.path = p.path.with(x, y).with(x+p.ops.number(2), y+p.ops.number(1))
	p.straight = p.pieces == 0 && (p.ctm[1] == 0 && p.ctm[2] == 0 || p.ctm[0] == 0 && p.ctm[3] == 0)
	p.pieces++
	p.marks.parts += 5 * pointParts
}

// fillPath draws the path with patterns, or plain colours where they are nil.
func (p *painter) fillPath(with ...*pattern) {
	at, cost := p.path.through(p.ctm).intersect(p.clip), plainCost
	for _, t := range with {
		cost = math.Max(cost, p.tiles(t, at))
	}
	p.object(at.area(), cost)
	p.endPath()
}

func (p *painter) endPath() {
	if p.clips {
		p.clip = p.clip.intersect(p.path.through(p.ctm))
		p.state.clips++
		p.cut = p.cut || !p.straight || p.pieces > 1
	}
	p.clips, p.path, p.pieces, p.straight = false, nowhere, 0, false
}

// object counts one that covers so much, at a cost for each part of it.
func (p *painter) object(area, cost float64) {
	area = math.Min(area, p.room)
	p.marks.parts += objectParts + p.state.clips
	if p.seen != opaque || p.mask != nil || p.cut {
		cost = math.Max(cost, layerCost)
	}
	p.marks.area += area * cost
	if p.blended {
		p.marks.blends++
		p.marks.blended += area
	}
	if p.mask != nil {
		p.use(*p.mask, 1, p.ctm.scale())
	}
}
