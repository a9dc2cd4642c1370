package metafile

import (
	"image"
	"math"
	"slices"
)

// edge is a side of an outline, from top to bottom, in rows: pixels, or parts of them.
type edge struct {
	top, bottom int // rows whose middle it crosses: top ≤ row < bottom
	x, step     float64
	turn        int // direction, for outlines that wind
}

// smoothRows is how many rows a pixel is cut into where edges are smoothed.
const smoothRows = 4

// edges are the sides of outlines on the canvas; rows is 1 or smoothRows.
func (c *canvas) edges(figs []figure, rows int) []edge {
	var out []edge
	for _, f := range figs {
		for i := range f.pts {
			out = side2(out, c.pixel(f.pts[i]), c.pixel(f.pts[(i+1)%len(f.pts)]), rows, c.plan.height)
		}
	}
	return out
}

// side2 adds one side in pixels; what lies above and below the canvas is left out.
func side2(edges []edge, a, b point, rows, height int) []edge {
	turn := 1
	if a.y > b.y {
		a, b, turn = b, a, -1
	}
	a.y, b.y = a.y*float64(rows), b.y*float64(rows)
	top, bottom := math.Max(math.Ceil(a.y-0.5), 0), math.Min(math.Ceil(b.y-0.5), float64(rows*height))
	if !(top < bottom) {
		return edges
	}
	step := (b.x - a.x) / (b.y - a.y)
	return append(edges, edge{int(top), int(bottom), a.x + (top+0.5-a.y)*step, step, turn})
}

// scan finds the pixels between edges, row by row within a rectangle, and emits them as runs
// of equal cover, 255 being all of a pixel. Without smoothing a pixel belongs to the outline
// that holds its middle.
func scan(edges []edge, evenOdd bool, rows int, in image.Rectangle, emit func(y, from, to int, cover byte)) {
	in = in.Intersect(extent(edges, rows))
	if in.Empty() {
		return
	}
	first := in.Min.Y * rows
	for i := range edges {
		if e := &edges[i]; e.top < first {
			e.x += e.step * float64(first-e.top)
			e.top = first
		}
	}
	edges = slices.DeleteFunc(edges, func(e edge) bool { return e.top >= e.bottom || e.top >= in.Max.Y*rows })
	slices.SortFunc(edges, func(a, b edge) int { return a.top - b.top })
	l := line{in: in, rows: rows, emit: emit}
	if rows > 1 {
		l.steps = make([]int32, in.Dx()+2)
		l.empty()
	}
	var active []edge
	for row, next := first, 0; row < in.Max.Y*rows && (next < len(edges) || len(active) > 0); row++ {
		if len(active) == 0 && edges[next].top > row {
			l.end(row, edges[next].top)
			row = edges[next].top
		}
		for ; next < len(edges) && edges[next].top <= row; next++ {
			active = append(active, edges[next])
		}
		active = slices.DeleteFunc(active, func(e edge) bool { return e.bottom <= row })
		inOrder(active)
		wound := 0
		for i := range active {
			if i > 0 && wound != 0 {
				l.add(row, active[i-1].x, active[i].x)
			}
			if evenOdd {
				wound ^= 1
			} else {
				wound += active[i].turn
			}
		}
		for i := range active {
			active[i].x += active[i].step
		}
		l.end(row, row+1)
	}
	l.end(-1, in.Max.Y*rows)
}

// extent is a rectangle of pixels around edges.
func extent(edges []edge, rows int) image.Rectangle {
	box := nothing()
	for _, e := range edges {
		box = box.with(point{e.x, float64(e.top / rows)})
		box = box.with(point{e.x + e.step*float64(e.bottom-1-e.top), float64(e.bottom/rows + 1)})
	}
	if box.min.x > box.max.x {
		return image.Rectangle{}
	}
	whole := func(v float64) int { return int(math.Max(-1, math.Min(v, 1<<30))) }
	return image.Rect(whole(box.min.x-1), whole(box.min.y), whole(box.max.x+2), whole(box.max.y))
}

// inOrder sorts edges that are nearly in order already; many that are not, by the general way.
func inOrder(active []edge) {
	moves := 0
	for i := 1; i < len(active); i++ {
		for j := i; j > 0 && active[j].x < active[j-1].x; j-- {
			active[j], active[j-1] = active[j-1], active[j]
			if moves++; moves > 8*len(active) {
				slices.SortFunc(active, func(a, b edge) int {
					switch {
					case a.x < b.x:
						return -1
					case a.x > b.x:
						return 1
					}
					return 0
				})
				return
			}
		}
	}
}

// line gathers the cover of one row of pixels.
type line struct {
	in       image.Rectangle
	rows     int
	emit     func(y, from, to int, cover byte)
	steps    []int32 // by how much the cover changes from pixel to pixel, in 1/256
	from, to int     // those that are not empty
	y        int
}

func (l *line) empty() { l.from, l.to = l.in.Dx(), 0 }

func (l *line) add(row int, a, b float64) {
	if l.rows == 1 {
		from := int(math.Max(math.Ceil(a-0.5), float64(l.in.Min.X)))
		to := int(math.Min(math.Ceil(b-0.5), float64(l.in.Max.X)))
		if from < to {
			l.emit(row, from, to, 255)
		}
		return
	}
	a, b = math.Max(a-float64(l.in.Min.X), 0), math.Min(b-float64(l.in.Min.X), float64(l.in.Dx()))
	if !(a < b) {
		return
	}
	l.y = row / l.rows
	first, last := int(a), int(b)
	l.from, l.to = min(l.from, first), max(l.to, min(last+1, l.in.Dx()))
	whole := int32(256 / l.rows)
	in, out := int32(float64(whole)*(float64(first+1)-a)), int32(float64(whole)*(float64(last+1)-b))
	l.steps[first] += in
	l.steps[first+1] += whole - in
	l.steps[last] -= out
	l.steps[last+1] -= whole - out
}

// end emits the row of pixels where the rows from one to another lie in different ones.
func (l *line) end(row, next int) {
	if l.rows == 1 || l.from >= l.to || row >= 0 && row/l.rows == next/l.rows {
		return
	}
	v := int32(0)
	for x := l.from; x < l.to; {
		v += l.steps[x]
		start := x
		for x++; x < l.to && l.steps[x] == 0; x++ {
		}
		if v > 0 {
			l.emit(l.y, l.in.Min.X+start, l.in.Min.X+x, byte(min(v, 255)))
		}
	}
	clear(l.steps[l.from:min(l.to+2, len(l.steps))])
	l.empty()
}
