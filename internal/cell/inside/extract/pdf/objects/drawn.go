package objects

import (
	"fmt"
	"math"
)

// Drawn is what a page and its comments draw: what PDFium builds in memory, and works
// through. Each is counted as often as it is drawn.
type Drawn struct {
	// Objects are paths, pieces of text, images and forms; 32 points, 64 characters, a
	// kilobyte of an inline image and 256 bytes of operators count as one more. Each takes
	// PDFium up to 850 bytes.
	Objects int64
	// Pixels are those of images as they are stored, masks included, and bytes where they
	// are more.
	Pixels int64
	// Area is what is covered, in square points, layer by layer: as much as takes as long
	// as so many pixels of an image.
	Area float64
	// Page is the size of the page in square points.
	Page float64
}

// Measure tells how many pixels decoding a stream makes under these filters, whose
// dictionary says w×h, and so many bits a sample; 0 for none.
type Measure func(raw []byte, filters []string, w, h, bits int) int64

// Drawn counts what each of count pages draws, from the streams of operators alone. Where
// the tree of pages does not tell which are meant, or where an object has several
// versions, the dearest counts: which one PDFium takes is its own affair. A form that draws
// itself, one nested deeper than 24 and what was not read for its size count as endless;
// of more objects than most some may stay uncounted.
func (f *File) Drawn(count int, most int64, measure Measure) []Drawn {
	w := newWeighing(f, measure)
	w.most = float64(most) * objectParts
	out := make([]Drawn, count)
	if pages := f.pages(count); pages != nil {
		for i, p := range pages {
			w.current = i + 1
			out[i] = w.page(p)
		}
		return out
	}
	var worst Drawn
	for i := range f.objects {
		if d := f.objects[i].dict(); d["Type"] == Name("Page") {
			p := w.page(d)
			worst.Objects, worst.Pixels, worst.Area = max(worst.Objects, p.Objects), max(worst.Pixels, p.Pixels), max(worst.Area, p.Area)
			worst.Page = max(worst.Page, p.Page)
		}
	}
	for i := range out {
		out[i] = worst
	}
	return out
}

// page counts a page and its comments.
func (w *weighing) page(d Dict) Drawn {
	f, end := w.f, len(w.f.data)
	res, _ := f.inherited(d, "Resources").(Dict)
	box, ok := f.rect(f.inherited(d, "CropBox"), end)
	if !ok {
		if box, ok = f.rect(f.inherited(d, "MediaBox"), end); !ok {
			box = rect{0, 0, 612, 792} // letter, as PDFium has it
		}
	}
	streams := f.several(d["Contents"], end)
	key := fmt.Sprint(streams, identity(res), box)
	c, seen := w.pages[key]
	if !seen {
		c = w.total(w.contents(streams), scope{res, res}, box, room(box), 0)
		w.pages[key] = c
	}
	w.comments(d, res, room(box), &c)
	if c.levels > mostLevels {
		c.parts = endlessParts
	}
	area := c.area + c.blended*c.blends/2*blendCost
	most := c.parts / objectParts * box.area() * math.Max(functionCost, c.blends*blendCost) // nothing covers more than the page
	if !(area < most) {                                                                     // numbers may have run over
		area = most
	}
	return Drawn{Objects: whole64(c.parts / objectParts), Pixels: whole64(c.pixels), Area: area, Page: box.area()}
}

// comments adds the appearances of a page's comments and form fields. Of several states
// the dearest is the one shown.
func (w *weighing) comments(d, res Dict, room int, c *cost) {
	f, end := w.f, len(w.f.data)
	notes, _ := f.get(d, end, "Annots").(Array)
	for _, v := range notes {
		note, _ := f.resolve(v, end).(Dict)
		looks, _ := f.get(note, end, "AP").(Dict)
		states := Array{looks["N"]}
		if d, ok := f.get(looks, end, "N").(Dict); ok && !f.isStream(looks["N"], end) {
			states = states[:0]
			for _, n := range sortedNames(d) {
				states = append(states, d[n])
			}
		}
		at, _ := f.rect(note["Rect"], end)
		var most cost
		for _, s := range states {
			if f.work--; f.work <= 0 {
				c.parts = endlessParts
				return
			}
			r, ok := s.(Ref)
			i := f.find(r, end)
			if !ok || i < 0 || !f.objects[i].stream {
				continue
			}
			scale := 1.0
			if box, ok := f.rect(f.objects[i].dict()["BBox"], end); ok && box.area() > 0 {
				scale = at.area() / box.area()
			}
			one := w.cost(w.place(i, scope{nil, res}), room-magnitude(scale), 1)
			one.area, one.blended = one.area*scale, one.blended*scale
			most.atLeast(one)
		}
		most.parts += objectParts
		c.add(most, 1, 1)
	}
}

// room is the order of magnitude that holds all of a page.
func room(box rect) int { return magnitude(box.area()) + 1 }

func whole64(v float64) int64 {
	if !(v < endless) {
		return endless
	}
	return int64(math.Ceil(v))
}
