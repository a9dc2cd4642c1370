package objects

import "math"

// use counts what is invoked.
func (p *painter) use(at place, times, scale float64) {
	key := at.spot(magnitude(scale))
	u := p.marks.uses[key]
	if u == nil {
		if !p.w.pay(useBytes) {
			return
		}
		u = &use{place: at}
		p.marks.uses[key] = u
	}
	u.times += times
	u.scale += times * scale
}

// tiles counts the cells of a pattern that cover a place. PDFium draws a cell once and
// copies it where it fits into the place; else it draws each cell that touches it. It reads
// the pattern again for each object. The result is what covering the place costs.
func (p *painter) tiles(t *pattern, at rect) float64 {
	if t == nil || t.shade > 0 {
		return t.cost()
	}
	w, h := at.through(t.matrix.inverse()).size()
	cw, ch := t.box.size()
	cells := math.Ceil((w+cw)/t.stepX) * math.Ceil((h+ch)/t.stepY)
	if !(cells < endless) {
		cells = endless
	}
	cell := t.box.through(t.matrix)
	tw, th := cell.size()
	if aw, ah := at.size(); tw > aw || th > ah {
		p.use(t.place, cells, t.matrix.scale())
		return layerCost
	}
	p.marks.parts += cells
	p.use(t.place, 1, t.matrix.scale())
	return layerCost
}

// invoke draws an image or a form.
func (p *painter) invoke() {
	f := p.w.f
	at, ok := p.in.get(f, "XObject", Name(p.ops.name)).(Ref)
	i := f.find(at, len(f.data))
	if !ok || i < 0 || !f.objects[i].stream {
		return
	}
	o := &f.objects[i]
	if p.met != nil {
		p.met(i, p.ctm)
		return
	}
	if f.isImage(o) {
		square := rect{0, 0, 1, 1}.through(p.ctm).intersect(p.clip)
		p.tiles(p.fill, square)
		p.object(square.area(), sampledCost)
		p.marks.pixels += p.w.image(i)
		return
	}
	m := f.matrix(o.dict()["Matrix"], len(f.data)).then(p.ctm)
	area := 0.0
	if p.seen != opaque || p.blended || p.mask != nil { // it is drawn by itself first
		if box, ok := f.rect(o.dict()["BBox"], len(f.data)); ok {
			area = box.through(m).intersect(p.clip).area()
		}
	}
	p.object(area, layerCost)
	p.use(p.w.place(i, p.in), 1, m.scale())
}

func (p *painter) inline() {
	im, n := p.ops.inline()
	p.object(rect{0, 0, 1, 1}.through(p.ctm).intersect(p.clip).area(), sampledCost)
	p.marks.parts += float64(n) / inlineBytes
	p.marks.inlines++
	p.marks.pixels += math.Max(im.pixels(), float64(n))
}

// show counts text, and what glyphs draw that are streams.
func (p *painter) show(text []byte) {
	n := float64(len(text))
	one := p.size * p.size * p.tm * p.ctm.scale()
	p.marks.parts += charParts * n
	p.marks.area += n * math.Min(one/2, math.Min(p.clip.area(), p.room)) * math.Max(sampledCost, p.fill.cost())
	if p.fill != nil && p.fill.shade == 0 {
		p.use(p.fill.place, n, p.fill.matrix.scale())
	}
	if p.font == nil {
		return
	}
	for _, c := range text {
		if g := p.font.of[c]; g != nil {
			p.use(*g, 1, one*p.font.scale)
		}
	}
}

// graphics takes from a dictionary of parameters what makes drawing dear.
func (p *painter) graphics() {
	f := p.w.f
	d, _ := f.resolve(p.in.get(f, "ExtGState", Name(p.ops.name)), len(f.data)).(Dict)
	for i, k := range []Name{"ca", "CA"} {
		if n, ok := f.get(d, len(f.data), k).(Number); ok {
			p.seen[i] = decimal([]byte(n)) < 1
		}
	}
	switch m := f.get(d, len(f.data), "BM").(type) {
	case Name:
		p.blended = m != "Normal" && m != "Compatible"
	case Array:
		p.blended = true
	}
	switch m := f.get(d, len(f.data), "SMask").(type) {
	case Name:
		p.mask = nil
	case Dict:
		p.mask = nil
		if r, ok := m["G"].(Ref); ok {
			if i := f.find(r, len(f.data)); i >= 0 && f.objects[i].stream {
				at := p.w.place(i, p.in)
				p.mask = &at
			}
		}
	}
}
