package mark

// cell is the side of the squares in which a raster is summed up, in pixels: small
// enough for a code of three of them, large enough to be cheap.
const cell = 8

// cells sums up a raster by squares: its brightness and which way its edges run.
type cells struct {
	raster
	cols, rows int
	darkest    []uint8
	lightest   []uint8
	xx, yy, xy []int32 // the gradient's products, summed over every other row
	cut        []uint8 // the brightness that tells ink from paper around here
}

// sumUp needs one pass over the raster: it takes steps to the right on every other row and
// steps down in every other column, so that no edge can hide between them. The last row
// and column of pixels, and what is beyond the last whole cell, are left out.
func sumUp(r raster) *cells {
	c := &cells{raster: r, cols: r.w / cell, rows: r.h / cell}
	n := c.cols * c.rows
	c.darkest, c.lightest, c.cut = make([]uint8, n), make([]uint8, n), make([]uint8, n)
	c.xx, c.yy, c.xy = make([]int32, n), make([]int32, n), make([]int32, n)
	for j := range c.rows {
		for i := range c.cols {
			c.sum(i, j)
		}
	}
	c.cutAll()
	return c
}

func (c *cells) sum(i, j int) {
	dark, light := uint8(255), uint8(0)
	var xx, yy, xy int32
	width := min(cell, c.w-i*cell-1)
	for y := j * cell; y < (j+1)*cell; y++ {
		at := y*c.w + i*cell
		here, below := c.pix[at:at+width+1], c.pix[at:]
		if y+1 < c.h {
			below = c.pix[at+c.w:]
		}
		below = below[:width]
		if y%2 == 0 {
			for x := range below {
				v := here[x]
				dark, light = min(dark, v), max(light, v)
				gx := int32(here[x+1]) - int32(v)
				xx += gx * gx
			}
		}
		for x := 0; x < len(below); x += 2 {
			gy := int32(below[x]) - int32(here[x])
			yy += gy * gy
			if y%2 == 0 {
				xy += 2 * gy * (int32(here[x+1]) - int32(here[x]))
			}
		}
	}
	n := j*c.cols + i
	c.darkest[n], c.lightest[n] = dark, light
	c.xx[n], c.yy[n], c.xy[n] = xx, yy, xy
}

// leastContrast is how far ink and paper must be apart, of 255.
const leastContrast = 32

// cutAll sets each cell's threshold: the middle of the extremes around it, or of the
// whole picture where all around is flat.
func (c *cells) cutAll() {
	const reach = 4
	dark := c.spread(c.darkest, reach, func(a, b uint8) uint8 { return min(a, b) })
	light := c.spread(c.lightest, reach, func(a, b uint8) uint8 { return max(a, b) })
	for n := range c.cut {
		c.cut[n] = 128
		if int(light[n])-int(dark[n]) >= leastContrast {
			c.cut[n] = uint8((int(light[n]) + int(dark[n])) / 2)
		}
	}
}

// spread gives each cell the best value within reach, first along rows, then columns.
func (c *cells) spread(v []uint8, reach int, better func(a, b uint8) uint8) []uint8 {
	return spreadLines(spreadLines(v, 1, c.cols, c.cols, c.rows, reach, better), c.cols, 1, c.rows, c.cols, reach, better)
}

// spreadLines does so along lines of n values: step leads along a line, across from line to
// line, of which there are lines.
func spreadLines(v []uint8, step, across, n, lines, reach int, better func(a, b uint8) uint8) []uint8 {
	out := make([]uint8, len(v))
	for l := range lines {
		for i := range n {
			best := v[l*across+i*step]
			for k := max(0, i-reach); k <= min(n-1, i+reach); k++ {
				best = better(best, v[l*across+k*step])
			}
			out[l*across+i*step] = best
		}
	}
	return out
}

// dark reports whether a pixel is ink.
func (c *cells) dark(x, y int) bool {
	i, j := min(x/cell, c.cols-1), min(y/cell, c.rows-1)
	return c.pix[y*c.w+x] < c.cut[j*c.cols+i]
}

// flood collects cell n and all that hang together with it and belong, as far as nobody has
// seen them.
func (c *cells) flood(n int, seen []bool, belongs func(n int) bool) []int {
	found := []int{n}
	seen[n] = true
	for k := 0; k < len(found); k++ {
		at := found[k]
		i := at % c.cols
		for _, next := range [4]int{at - 1, at + 1, at - c.cols, at + c.cols} {
			if next < 0 || next >= len(seen) || seen[next] || (next == at-1 && i == 0) || (next == at+1 && i == c.cols-1) {
				continue
			}
			if belongs(next) {
				seen[next] = true
				found = append(found, next)
			}
		}
	}
	return found
}
