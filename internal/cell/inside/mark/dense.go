package mark

import (
	"image"
	"math"
	"slices"

	"blotter/internal/document"
)

// Codes of squares without QR's corners (Data Matrix, Aztec, a QR code whose corners are
// damaged) are compact, half ink and half paper all over, and all their edges lie on one
// grid. Blocks of text have less ink, pictures have no grid.

const (
	leastBusy  = 150  // mean squared gradient in each direction
	leastDense = 16   // pixels, side of the smallest code
	denseFill  = 0.42 // of its box by a region: a square that stands on a corner fills half
	// inkLeast and inkMost bound the ink of a code in each of its parts.
	inkLeast, inkMost = 0.25, 0.75
	// gridLeast is how much of the edges must swing with the grid, 0–1.
	gridLeast = 0.55
	// A code whose grid a camera has bent has edges in two directions at least
	// (fourWays, 0–1; words have 0.0 to 0.5), is about square and not as small as a word.
	fourWays   = 0.4
	leastWays  = 0.2 // of anything that is looked at closely
	leastPhoto = 40
)

// dense finds compact regions that are half ink. sure tells of which it is plain that
// they are codes even if nobody can read them.
func (c *cells) dense() (boxes []document.Box, sure []bool) {
	busy := c.busy()
	seen := make([]bool, len(busy))
	for n := range busy {
		if !busy[n] || seen[n] || len(boxes) >= maxCandidates {
			continue
		}
		b, ok := c.compact(c.flood(n, seen, func(next int) bool { return busy[next] }))
		if !ok {
			continue
		}
		if level, strength := c.levelled(b); strength >= leastWays && level.halfInk() {
			boxes, sure = append(boxes, b), append(sure, level.onGrid() || level.isSquare() && level.isBalanced() && strength >= fourWays)
		}
	}
	return boxes, sure
}

// busy marks the cells with edges both ways.
func (c *cells) busy() []bool {
	xx, yy := c.nine(c.xx), c.nine(c.yy)
	out := make([]bool, len(xx))
	const least = leastBusy * 9 * cell * cell / 2
	for n := range out {
		out[n] = xx[n] >= least && yy[n] >= least
	}
	return out
}

// compact is the box of cells that fill most of it and are no line of text.
func (c *cells) compact(found []int) (document.Box, bool) {
	r := image.Rectangle{}
	for _, n := range found {
		p := image.Pt(n%c.cols, n/c.cols)
		r = r.Union(image.Rectangle{Min: p, Max: p.Add(image.Pt(1, 1))})
	}
	long, short := max(r.Dx(), r.Dy()), min(r.Dx(), r.Dy())
	fill := float64(len(found)) / float64(max(1, r.Dx()*r.Dy()))
	b := document.Box{X: r.Min.X * cell, Y: r.Min.Y * cell, W: r.Dx() * cell, H: r.Dy() * cell}
	return c.tighten(b), short*cell >= leastDense && long <= 5*short && fill >= denseFill
}

// tighten cuts off lines on which ink and paper hardly change, which are a quiet margin
// or what lies beyond it.
func (c *cells) tighten(b document.Box) document.Box {
	r := b.Rect()
	quiet := func(x, y, dx, dy, n int) bool { return c.changes(x, y, dx, dy, n) < 3 }
	for r.Dx() > cell && quiet(r.Min.X, r.Min.Y, 0, 1, r.Dy()) {
		r.Min.X++
	}
	for r.Dx() > cell && quiet(r.Max.X-1, r.Min.Y, 0, 1, r.Dy()) {
		r.Max.X--
	}
	for r.Dy() > cell && quiet(r.Min.X, r.Min.Y, 1, 0, r.Dx()) {
		r.Min.Y++
	}
	for r.Dy() > cell && quiet(r.Min.X, r.Max.Y-1, 1, 0, r.Dx()) {
		r.Max.Y--
	}
	return document.BoxOf(r)
}

// changes counts how often ink and paper change on n pixels of a line.
func (c *cells) changes(x, y, dx, dy, n int) int {
	count, ink := 0, c.dark(x, y)
	for ; n > 0; n-- {
		if c.dark(x, y) != ink {
			count, ink = count+1, !ink
		}
		x, y = x+dx, y+dy
	}
	return count
}

// halfInk looks at nine parts of the picture.
func (r raster) halfInk() bool {
	if r.w < leastDense || r.h < leastDense {
		return false
	}
	cut := (int(slices.Min(r.pix)) + int(slices.Max(r.pix))) / 2
	ink := r.count(func(v uint8) bool { return int(v) < cut })
	outside := 0
	for j := range 3 {
		for i := range 3 {
			part := image.Rect(i*r.w/3, j*r.h/3, (i+1)*r.w/3, (j+1)*r.h/3)
			share := float64(ink.in(part)) / float64(part.Dx()*part.Dy())
			if share < inkLeast || share > inkMost {
				outside++
			}
		}
	}
	return outside <= 1
}

func (r raster) isSquare() bool {
	return min(r.w, r.h) >= leastPhoto && 2*max(r.w, r.h) <= 3*min(r.w, r.h)
}

// isBalanced reports whether about as many edges run one way as the other.
func (r raster) isBalanced() bool {
	across, down := r.edges()
	var a, d float64
	for _, e := range across {
		a += e
	}
	for _, e := range down {
		d += e
	}
	return 2*min(a, d) >= max(a, d)
}

// onGrid reports whether the picture's edges lie on a grid.
func (r raster) onGrid() bool {
	across, down := r.edges()
	m, on := period(across)
	n, too := period(down)
	return on && too && m < 1.3*n && n < 1.3*m
}

// levelled is the region turned so that most of its edges run along rows and columns,
// and which part of them does, 0–1.
func (c *cells) levelled(b document.Box) (raster, float64) {
	const clear = 16 // levels from pixel to pixel; less is noise
	var sum point
	n := 0.0
	for y := b.Y; y+1 < min(b.Y+b.H, c.h); y++ {
		for x := b.X; x+1 < min(b.X+b.W, c.w); x++ {
			gx := float64(c.pix[y*c.w+x+1]) - float64(c.pix[y*c.w+x])
			gy := float64(c.pix[(y+1)*c.w+x]) - float64(c.pix[y*c.w+x])
			// The square of the square of gx+i·gy has four times its angle.
			re, im := gx*gx-gy*gy, 2*gx*gy
			if l := re*re + im*im; l >= clear*clear*clear*clear {
				sum = sum.plus(point{(re*re - im*im) / l, 2 * re * im / l})
				n++
			}
		}
	}
	return c.turnedBy(b, math.Atan2(sum.y, sum.x)/4), math.Hypot(sum.x, sum.y) / max(1, n)
}

// turnedBy samples the box along axes at an angle (radians, clockwise).
func (c *cells) turnedBy(b document.Box, angle float64) raster {
	sin, cos := math.Sincos(angle)
	middle := point{float64(b.X) + float64(b.W)/2, float64(b.Y) + float64(b.H)/2}
	scale := math.Abs(sin) + math.Abs(cos) // the code's side is that much shorter than its box
	out := newRaster(max(2, int(float64(b.W)/scale)), max(2, int(float64(b.H)/scale)))
	for y := range out.h {
		for x := range out.w {
			dx, dy := float64(x)-float64(out.w)/2, float64(y)-float64(out.h)/2
			out.pix[y*out.w+x] = uint8(c.at(middle.x+cos*dx-sin*dy, middle.y+sin*dx+cos*dy))
		}
	}
	return out
}

// edges sums the brightness' steps over each column, and over each row.
func (r raster) edges() (across, down []float64) {
	across, down = make([]float64, r.w), make([]float64, r.h)
	for y := range r.h - 1 {
		for x := range r.w - 1 {
			v := int(r.pix[y*r.w+x])
			across[x] += float64(abs(int(r.pix[y*r.w+x+1]) - v))
			down[y] += float64(abs(int(r.pix[(y+1)*r.w+x]) - v))
		}
	}
	return across, down
}

// period finds the distance at which edges repeat, in pixels, and reports whether they
// do. It compares how strong the sums swing with that period to how strong they are.
func period(edges []float64) (float64, bool) {
	best, at := 0.0, 0.0
	var total float64
	for _, e := range edges {
		total += e
	}
	if total == 0 {
		return 0, false
	}
	for m := 2.5; m <= float64(len(edges))/8; m *= 1.01 {
		var s point
		for i, e := range edges {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / m)
			s = s.plus(point{e * cos, e * sin})
		}
		if v := math.Hypot(s.x, s.y) / total; v > best {
			best, at = v, m
		}
	}
	return at, best >= gridLeast
}
