package objects

import (
	"bytes"
	"io"
	"math"
	"reflect"
)

// mostLevels is how deep forms may lie in each other; PDFium draws 40 levels and no more.
const mostLevels = 24

// Bounds of what counting itself costs: bytes of operators read for all pages, as many
// times unpacked_bytes, and the memory that one kind of use takes.
const (
	readAll  = 4
	useBytes = 256

	readAhead  = 64 << 10 // of streams that are read once each
	readLittle = 1 << 10  // of those that are read each time they are drawn
)

// endless is the count of objects of what draws itself.
const (
	endless      = 1 << 40
	endlessParts = endless * objectParts
)

// weighing is one count of what all pages draw. What is drawn in several places is read
// once.
type weighing struct {
	f        *File
	measure  Measure
	current  int            // page that is counted, from 1; 0 for none that is known
	left     int64          // bytes that may still be read
	ahead    int            // bytes read at a time
	most     float64        // parts from which on nothing more needs to be counted
	costs    map[spot]*cost // nil while one is being counted
	images   map[int]float64
	fonts    map[uintptr]*glyphs
	patterns map[uintptr]*pattern
	pages    map[string]cost // by contents and resources
}

func newWeighing(f *File, m Measure) *weighing {
	return &weighing{f: f, measure: m, most: endlessParts, ahead: readAhead, left: readAll * min(f.lim.UnpackedBytes, math.MaxInt64/readAll), costs: map[spot]*cost{},
		images: map[int]float64{}, fonts: map[uintptr]*glyphs{}, patterns: map[uintptr]*pattern{}, pages: map[string]cost{}}
}

// pay takes from what may be read; false where there is no more.
func (w *weighing) pay(n int64) bool {
	w.left -= n
	return w.left >= 0
}

// place is a stream of operators and where it finds its resources.
type place struct {
	stream int // index of its object
	in     scope
}

// spot names a place, and how much of what it draws can be seen: nothing covers more than
// the page, whatever its own box. room is the page's area in the space of the stream, as a
// binary order of magnitude, so that a form which is drawn in a thousand sizes is read a
// dozen times.
type spot struct {
	stream    int
	own, page uintptr
	room      int
}

func (p place) spot(room int) spot {
	return spot{p.stream, identity(p.in.own), identity(p.in.page), room}
}

// magnitude is the binary order of an area or of the scale of one: no more than it, and more
// than half.
func magnitude(v float64) int {
	if !(v > 0) || math.IsInf(v, 1) {
		return 0
	}
	_, e := math.Frexp(v)
	return e - 1
}

// identity tells dictionaries apart; they live as long as the file.
func identity(d Dict) uintptr { return reflect.ValueOf(d).Pointer() }

// place is that of a form which is invoked from a scope.
func (w *weighing) place(i int, from scope) place {
	if own, ok := w.f.get(w.f.objects[i].dict(), len(w.f.data), "Resources").(Dict); ok {
		return place{i, scope{own, from.page}}
	}
	if from.own == nil {
		from.own = from.page
	}
	return place{i, from}
}

// amount is what is drawn.
type amount struct {
	parts, pixels float64
	area          float64 // times what covering it costs
	blends        float64 // objects that mix with what was there before
	blended       float64 // their area
}

// cost is what drawing something takes, all that it invokes included.
type cost struct {
	amount
	levels int
}

func (c *cost) add(d cost, times, scale float64) {
	c.parts += times * d.parts
	c.pixels += times * d.pixels
	c.blends += times * d.blends
	c.area += scale * d.area
	c.blended += scale * d.blended
	c.levels = max(c.levels, d.levels+1)
}

// atLeast takes the larger of each.
func (c *cost) atLeast(d cost) {
	c.parts, c.pixels, c.area = math.Max(c.parts, d.parts), math.Max(c.pixels, d.pixels), math.Max(c.area, d.area)
	c.blends, c.blended = math.Max(c.blends, d.blends), math.Max(c.blended, d.blended)
	c.levels = max(c.levels, d.levels)
}

// cost counts a stream of operators once for each scope. Of several versions the dearest
// counts.
func (w *weighing) cost(at place, room, depth int) cost {
	key := at.spot(room)
	known, seen := w.costs[key]
	switch {
	case seen && known != nil:
		return *known
	case seen, depth > mostLevels:
		return cost{amount{parts: endlessParts}, mostLevels + 1} // it draws itself
	}
	w.costs[key] = nil
	var c cost
	for _, i := range w.f.versions[w.f.objects[at.stream].Num] {
		o := &w.f.objects[i]
		if !o.stream {
			continue
		}
		in := at.in
		if i != at.stream {
			in = w.place(i, at.in).in
		}
		clip, ok := w.f.rect(o.dict()["BBox"], len(w.f.data))
		if !ok {
			clip = everywhere
		}
		c.atLeast(w.total(w.contents([]int{i}), in, clip, room, depth))
	}
	w.costs[key] = &c
	return c
}

// total counts what operators draw and what they invoke.
func (w *weighing) total(r io.Reader, in scope, clip rect, room, depth int) cost {
	m := w.paint(r, in, clip, math.Ldexp(1, room))
	c := cost{amount: m.amount}
	for at, u := range m.uses {
		c.add(w.cost(u.place, room-at.room, depth+1), u.times, u.scale)
	}
	if w.left < 0 {
		c.parts = endlessParts
	}
	return c
}

// meet notes that the page draws a stream.
func (w *weighing) meet(i int) {
	if w.current > 0 && w.f.first[i] == 0 {
		w.f.first[i] = w.current
	}
}

// contents reads streams one after the other.
func (w *weighing) contents(streams []int) io.Reader {
	var all []io.Reader
	for _, i := range streams {
		o := &w.f.objects[i]
		names, _ := w.f.filters(o)
		w.meet(i)
		if r, ok := w.f.reader(o, len(names)); ok && o.stream {
			all = append(all, &paid{r: r, w: w}, bytes.NewReader([]byte{' '}))
		}
	}
	return io.MultiReader(all...)
}

// paid reads what the weighing can pay for.
type paid struct {
	r io.Reader
	w *weighing
}

func (p *paid) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if !p.w.pay(int64(n)) {
		return 0, io.EOF
	}
	return n, err
}

// image is how many pixels drawing an image decodes, its masks' included; no fewer than
// the bytes that are read for it.
func (w *weighing) image(i int) float64 {
	n, seen := w.images[i]
	if seen {
		return n
	}
	f := w.f
	for _, at := range append([]int{i}, f.masks(i)...) {
		w.meet(at)
		o := &f.objects[at]
		names, _ := f.filters(o)
		filters := make([]string, len(names))
		for k, name := range names {
			filters[k] = string(name)
		}
		raw, end := f.Raw(o), len(f.data)
		bits := f.integer(o.dict(), end, "BitsPerComponent", "BPC")
		if f.get(o.dict(), end, "ImageMask", "IM") == word("true") {
			bits = 1
		}
		pixels := w.measure(raw, filters, f.integer(o.dict(), end, "Width", "W"), f.integer(o.dict(), end, "Height", "H"), bits)
		n += math.Max(float64(pixels), float64(len(raw)))
	}
	w.images[i] = n
	return n
}

// masks are the streams that mask an image.
func (f *File) masks(i int) (out []int) {
	for _, name := range []Name{"SMask", "Mask"} {
		if r, ok := f.objects[i].dict()[name].(Ref); ok {
			if at := f.find(r, len(f.data)); at >= 0 && f.objects[at].stream && at != i {
				out = append(out, at)
			}
		}
	}
	return out
}
