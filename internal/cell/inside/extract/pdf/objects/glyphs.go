package objects

import "math"

// pattern is one of tiles, or a shading.
type pattern struct {
	shade float64 // what covering a pixel with a shading costs; 0 for tiles
	place
	matrix       transform
	box          rect
	stepX, stepY float64
}

// cost is what covering a pixel costs; a plain colour's for none.
func (p *pattern) cost() float64 {
	switch {
	case p == nil:
		return plainCost
	case p.shade > 0:
		return p.shade
	}
	return layerCost
}

// shading is what covering a pixel with one costs.
func (w *weighing) shading(v any) float64 {
	d, _ := w.f.resolve(v, len(w.f.data)).(Dict)
	switch w.f.integer(d, len(w.f.data), "ShadingType") {
	case 2, 3:
		return shadeCost
	}
	return functionCost
}

// pattern looks one up; nil for what is none.
func (w *weighing) pattern(in scope, name Name) *pattern {
	f, end := w.f, len(w.f.data)
	v := in.get(f, "Pattern", name)
	if d, ok := f.resolve(v, end).(Dict); ok && f.integer(d, end, "PatternType") == 2 {
		return &pattern{shade: w.shading(d["Shading"])}
	}
	r, ok := v.(Ref)
	i := f.find(r, end)
	if !ok || i < 0 || !f.objects[i].stream {
		return nil
	}
	o := &f.objects[i]
	key := identity(o.dict())
	if p, seen := w.patterns[key]; seen {
		return p
	}
	own, _ := f.get(o.dict(), end, "Resources").(Dict)
	p := &pattern{place: place{i, scope{own, own}}, matrix: f.matrix(o.dict()["Matrix"], end)}
	p.box, _ = f.rect(o.dict()["BBox"], end)
	step := func(k Name, size float64) float64 {
		n, _ := f.get(o.dict(), end, k).(Number)
		if v := math.Abs(decimal([]byte(n))); v > 0 {
			return v
		}
		return math.Max(size, 1) // PDFium draws none
	}
	pw, ph := p.box.size()
	p.stepX, p.stepY = step("XStep", pw), step("YStep", ph)
	w.patterns[key] = p
	return p
}

// glyphs is a font whose glyphs are streams of operators.
type glyphs struct {
	of    [256]*place // by code; nil draws nothing
	scale float64     // of areas, by the font's matrix
}

// font looks one up; nil where its glyphs are no streams.
func (w *weighing) font(in scope, name Name) *glyphs {
	f, end := w.f, len(w.f.data)
	d, _ := f.resolve(in.get(f, "Font", name), end).(Dict)
	procs, ok := f.get(d, end, "CharProcs").(Dict)
	if !ok {
		return nil
	}
	key := identity(d)
	if g, seen := w.fonts[key]; seen {
		return g
	}
	from := in
	if own, ok := f.get(d, end, "Resources").(Dict); ok {
		from = scope{own, own}
	}
	g := &glyphs{scale: f.matrix(d["FontMatrix"], end).scale()}
	named := f.encoding(d)
	for _, n := range sortedNames(procs) {
		r, ok := procs[n].(Ref)
		i := f.find(r, end)
		if !ok || i < 0 || !f.objects[i].stream || !w.pay(useBytes) {
			continue
		}
		at := w.place(i, from)
		for _, c := range named[n] {
			g.of[c] = &at
		}
	}
	w.fonts[key] = g
	return g
}

// encoding lists the codes of each name in a font of glyphs that are streams: those that
// the font itself gives names, and letters, whose names are themselves.
func (f *File) encoding(d Dict) map[Name][]byte {
	end := len(f.data)
	names := [256]Name{}
	for c := range names {
		if c|0x20 >= 'a' && c|0x20 <= 'z' {
			names[c] = Name(rune(c))
		}
	}
	e, _ := f.get(d, end, "Encoding").(Dict)
	given, _ := f.get(e, end, "Differences").(Array)
	code := 0
	for _, v := range given {
		switch v := f.resolve(v, end).(type) {
		case Number:
			code, _ = whole(string(v))
		case Name:
			if code < len(names) {
				names[code] = v
			}
			code++
		}
	}
	out := map[Name][]byte{}
	for c, n := range names {
		if n != "" {
			out[n] = append(out[n], byte(c))
		}
	}
	return out
}
