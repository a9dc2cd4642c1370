package metafile

import (
	"image"
	"image/color"
	"math"
)

const (
	// maxWork bounds what drawing a picture may touch, in pixels: some seconds.
	maxWork = 1e9
	// edgeWork is what finding an edge in a row costs, in pixels, where very many cross it:
	// 360 ns were measured for 131,072 edges. fewWork is what it costs where few do.
	edgeWork, fewWork = 100, 12
	// fewEdges is up to how many sides of an order are few.
	fewEdges = 1024
	// plainSide is the longest side of a picture without bitmaps and text, in pixels: some
	// count in thousandths of an inch.
	plainSide = 2048
	// blankSide stands for the sides of a blank picture that has none.
	blankSide = 1
	// goodEm is how high the smallest text is drawn, in pixels for its em: capitals of 20
	// pixels are read well. leastEm is what it may be where more pixels than plainPixels would
	// be needed.
	goodEm, leastEm = 28, 14
	plainPixels     = 8e6
)

// plan is how a picture becomes pixels: what lies where, and how large.
type plan struct {
	origin        point   // in device units
	sx, sy        float64 // pixels for a device unit
	width, height int
	blank         bool
}

func (l *plan) pixel(p point) point {
	return point{(p.x - l.origin.x) * l.sx, (p.y - l.origin.y) * l.sy}
}

// measure is the surface of the first walk: it finds what the picture covers, how fine
// its bitmaps and its text are, and what drawing it would cost.
type measure struct {
	cost          func(bitmap) float64 // pixels that decoding makes
	box           area
	pixels, edges float64 // in device units: areas, and rows that sides cross, in pixels of work
	sources       float64 // pixels of bitmaps
	fineX, fineY  float64 // pixels of a bitmap for a device unit, the most
	em            float64 // of the smallest text, device units; 0 without text
	curved        bool
	copies        int  // bitmaps laid down whole and as they are
	partly        bool // a bitmap of which a part is shown only
	cuts          *cutting
	within        area    // where the mask of cuts is made already
	masks         float64 // areas of the clips' steps
	steps         float64 // how many there are
	pattern       *bitmap
}

func (m *measure) cover(a area) {
	if a.empty() {
		return
	}
	m.box = m.box.join(a)
	w, h := a.size()
	m.pixels += w * h
}

// clipped pays for a clip whose mask is not that of the last, or a part of it.
func (m *measure) clipped(k clip) {
	if k.cuts == nil || k.cuts == m.cuts && k.box.meet(m.within) == k.box {
		return
	}
	m.cuts, m.within = k.cuts, k.box
	box := k.box
	for s := k.cuts; s != nil; s = s.before {
		if w, h := box.size(); w > 0 && h > 0 {
			m.masks += 2 * w * h
		}
		m.steps++
		m.sides(s.figs, 1, k.box)
	}
}

// sides pays for finding the sides of outlines in each row within a box.
func (m *measure) sides(figs []figure, rows float64, in area) {
	n, high := 0, 0.0
	for _, f := range figs {
		n += len(f.pts)
		for i, at := range f.pts {
			to := f.pts[(i+1)%len(f.pts)]
			high += math.Max(0, math.Min(math.Max(at.y, to.y), in.max.y)-math.Max(math.Min(at.y, to.y), in.min.y)) + 1
		}
	}
	work := float64(edgeWork)
	if n <= fewEdges {
		work = fewWork
	}
	m.edges += work * rows * high
}

func (m *measure) fill(figs []figure, _ bool, with paint, k clip) {
	m.clipped(k)
	rows := 1.0
	if with.smooth {
		rows, m.curved = smoothRows, true
	}
	for _, f := range figs {
		m.curved = m.curved || len(f.pts) >= fineShape
	}
	m.sides(figs, rows, k.box)
	m.cover(bounds(figs).meet(k.box))
	m.tile(with)
}

// tile pays for a pattern that is another than the last.
func (m *measure) tile(with paint) {
	if with.bits != nil && with.bits != m.pattern {
		m.pattern = with.bits
		m.sources += m.cost(*with.bits)
	}
}

func (m *measure) stroke(figs []figure, s stroke, _ paint, k clip) {
	m.clipped(k)
	half := math.Max(s.width, 1) / 2
	for _, f := range figs {
		for i, at := range f.pts {
			from := f.pts[max(i-1, 0)]
			if i == 0 && f.closed {
				from = f.pts[len(f.pts)-1]
			}
			box := nothing().with(at).with(from).wider(half).meet(k.box)
			if box.empty() {
				continue
			}
			m.box = m.box.join(box)
			_, high := box.size()
			m.edges += 2 * fewWork * smoothRows * (high + 1)
			m.pixels += 4 * (at.minus(from).length() + 2*half) * 2 * half
		}
	}
}

func (m *measure) shade(corners [3]point, _ [3]color.NRGBA, k clip) {
	m.clipped(k)
	m.cover(around(corners[:]).meet(k.box))
	m.cover(around(corners[:]).meet(k.box)) // colours are found pixel by pixel
}

func (m *measure) write(r run) {
	m.clipped(r.clip)
	em := r.down.length()
	seen := false
	for _, l := range r.letters {
		if l.r == ' ' {
			continue
		}
		box := around(r.box(l)).meet(r.clip.box)
		if box.empty() {
			continue
		}
		seen = true
		m.cover(box)
		m.box = m.box.join(box.wider(em / 4).meet(r.clip.box)) // letters at an edge are read badly
		m.edges += letterSides * fewWork * smoothRows * (em + 1)
	}
	if wide := r.along.length(); seen && em > 0 && wide > 0 && (m.em == 0 || em < m.em) {
		m.em = em
	}
	for _, f := range r.rules() {
		m.cover(around(f.pts).meet(r.clip.box))
	}
}

// letterSides is how many sides of a letter cross a row, about.
const letterSides = 6

func (m *measure) keep(bitmap) { m.partly = true }

func (m *measure) lay(t blit) {
	m.clipped(t.clip)
	box := around(t.quad().pts).meet(t.clip.box)
	m.cover(box)
	m.tile(t.brush)
	if t.mask != nil {
		m.sources += m.cost(*t.mask)
	}
	if !t.hasSource() || !usesSource(t.rop) {
		return
	}
	w, h, _ := t.bits.size()
	m.sources += m.cost(t.bits)
	full := image.Rect(0, 0, w, h).In(t.src)
	m.partly = m.partly || !full || t.clip.cuts != nil || box != around(t.quad().pts)
	if t.src == image.Rect(0, 0, w, h) && t.rop == ropCopy && t.upright() && t.along.x > 0 && t.down.y > 0 && t.mask == nil && t.key == nil && !t.mixes() {
		m.copies++
	}
	if dx, dy := t.along.length(), t.down.length(); dx > 0 && dy > 0 {
		m.fineX, m.fineY = math.Max(m.fineX, float64(t.src.Dx())/dx), math.Max(m.fineY, float64(t.src.Dy())/dy)
	}
}

// plan makes the finest bitmap keep its pixels, and the smallest text readable.
// Where a bitmap's pixels are nearly square they stay as they are; else both
// directions get the finer scale.
func (m *measure) plan(header area) *plan {
	sx, sy := m.fineX, m.fineY
	box := m.box
	w, h := box.size()
	if hw, hh := header.size(); !header.empty() && (w > 4*hw || h > 4*hh) && !box.meet(header).empty() {
		box = box.meet(header.wider(math.Max(hw, hh) / 4)) // something lies far off: what the header tells is shown
		w, h = box.size()
		m.partly = true
	}
	switch {
	case box.empty():
		return &plan{sx: 1, sy: 1, width: blankSide, height: blankSide}
	case sx <= 0 || sy <= 0:
		sx = math.Min(1, plainSide/math.Max(w, h))
		if m.curved {
			sx = math.Max(sx, math.Min(curvedScale, plainSide/2/math.Max(w, h)))
		}
		sy = sx
	case sx/sy > 1.25 || sy/sx > 1.25:
		sx = math.Max(sx, sy)
		sy = sx
	}
	if least := m.em * math.Min(sx, sy); m.em > 0 && least < goodEm {
		more := goodEm / least
		if most := math.Sqrt(plainPixels / (w * h * sx * sy)); more > most {
			more = math.Max(1, math.Max(most, math.Min(more, leastEm/least)))
		}
		sx, sy = sx*more, sy*more
	}
	return &plan{origin: box.min, sx: sx, sy: sy, width: side(w * sx), height: side(h * sy)}
}

// fineShape is from how many points on an outline may be a letter.
const fineShape = 12

// curvedScale is by how much a small picture of curves is drawn larger: letters may be among them.
const curvedScale = 2

// work is what drawing costs at a scale, in pixels. A mask is never larger than the picture.
func (m *measure) work(sx, sy float64) float64 {
	masks := 0.0
	if w, h := m.box.size(); !m.box.empty() {
		masks = math.Min(m.masks, 2*m.steps*w*h)
	}
	return (m.pixels+masks)*sx*sy + m.edges*math.Max(sx, sy) + m.sources
}
