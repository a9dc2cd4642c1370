package metafile

import "image"

// clip is where orders show: within the box, and within what its cuts leave.
type clip struct {
	box  area
	cuts *cutting
}

// cutting is one step of a clip that is no upright rectangle. The first step starts from
// everything.
type cutting struct {
	before  *cutting
	how     combination
	figs    []figure // in device units
	evenOdd bool
	steps   int
	points  int // of all steps
}

// combination is how a region and another become one ([MS-EMF] 2.1.29).
type combination int

const (
	both combination = 1 + iota
	either
	oneOf
	without
	instead
)

const (
	// maxCuts bounds the steps of one clip: each is drawn anew when the clip is used.
	maxCuts = 64
	// maxRegionRects bounds the rectangles of a region.
	maxRegionRects = 1 << 14
)

func unclipped() clip { return clip{box: everything()} }

// cut changes the clip by a region of outlines. It returns false where there are too many
// steps.
func (c *clip) cut(figs []figure, evenOdd bool, how combination) bool {
	box, level := area{}, false
	if len(figs) == 1 {
		box, level = figs[0].box()
	} else if len(figs) == 0 {
		box, level = nothing(), true
	}
	switch {
	case how == instead && level:
		*c = clip{box: box}
		return true
	case how == both && level:
		c.box = c.box.meet(box)
		return true
	case how == instead:
		*c = clip{box: bounds(figs)}
		return c.step(both, figs, evenOdd)
	case how == without && len(figs) == 0, how == without && bounds(figs).meet(c.box).empty():
		return true
	case how == either || how == oneOf:
		if c.box != everything() {
			if !c.step(both, []figure{{pts: corners(c.box.min, c.box.max), closed: true}}, true) {
				return false
			}
		}
		c.box = c.box.join(bounds(figs))
	case how == both:
		c.box = c.box.meet(bounds(figs))
	}
	return c.step(how, figs, evenOdd)
}

func (c *clip) step(how combination, figs []figure, evenOdd bool) bool {
	n := &cutting{before: c.cuts, how: how, figs: figs, evenOdd: evenOdd, steps: 1}
	for _, f := range figs {
		n.points += len(f.pts)
	}
	if c.cuts != nil {
		n.steps += c.cuts.steps
		n.points += c.cuts.points
	}
	c.cuts = n
	return n.steps <= maxCuts
}

// moved is the clip shifted by device units.
func (c clip) moved(by point) clip {
	out := clip{box: area{c.box.min.plus(by), c.box.max.plus(by)}}
	var steps []*cutting
	for s := c.cuts; s != nil; s = s.before {
		steps = append(steps, s)
	}
	for i := len(steps) - 1; i >= 0; i-- {
		s := *steps[i]
		figs := make([]figure, len(s.figs))
		for j, f := range s.figs {
			figs[j] = figure{make([]point, len(f.pts)), f.closed}
			for k, at := range f.pts {
				figs[j].pts[k] = at.plus(by)
			}
		}
		out.step(s.how, figs, s.evenOdd)
	}
	return out
}

// mask is a clip in pixels.
type mask struct {
	of   *cutting
	rect image.Rectangle
	on   []bool // of the rectangle, row by row
}

func (m *mask) row(y int) []bool {
	w := m.rect.Dx()
	return m.on[(y-m.rect.Min.Y)*w:][:w]
}

// masked makes the mask of a clip for the pixels of a rectangle; nil where all are shown. The
// last one is kept: one clip is used many times in a row.
func (c *canvas) masked(k clip) *mask {
	if k.cuts == nil {
		return nil
	}
	rect := c.bounds(k.box)
	if c.mask != nil && c.mask.of == k.cuts && rect.In(c.mask.rect) {
		return c.mask
	}
	var steps []*cutting
	for s := k.cuts; s != nil; s = s.before {
		steps = append(steps, s)
	}
	all, one := &mask{k.cuts, rect, make([]bool, rect.Dx()*rect.Dy())}, &mask{rect: rect, on: make([]bool, rect.Dx()*rect.Dy())}
	for i := range all.on {
		all.on[i] = true
	}
	for i := len(steps) - 1; i >= 0; i-- {
		clear(one.on)
		s := steps[i]
		scan(c.edges(s.figs, 1), s.evenOdd, 1, rect, func(y, a, b int, _ byte) {
			row := one.row(y)
			for x := a; x < b; x++ {
				row[x-rect.Min.X] = true
			}
		})
		combine(all.on, one.on, s.how)
	}
	c.mask = all
	return all
}

func combine(all, one []bool, how combination) {
	for i, in := range one {
		switch how {
		case both:
			all[i] = all[i] && in
		case either:
			all[i] = all[i] || in
		case oneOf:
			all[i] = all[i] != in
		case without:
			all[i] = all[i] && !in
		}
	}
}
