package read

// ink says where in a crop something is written: every pixel whose colour is far
// from the paper's.
type ink struct {
	dark []bool
	w    int
}

// ink separates writing from paper. Paper is the median colour of the rows of the
// line; ink differs from it by more than a third of what the strongest writing does.
func (c crop) ink() ink {
	out := ink{make([]bool, c.w*cropRows), c.w}
	contrast := make([]uint8, c.w*cropRows)
	far := c.paper().distances()
	var count [256]int
	for y := range cropRows {
		row := contrast[y*c.w : (y+1)*c.w]
		for ch := range c.channels {
			src := c.pix[y*c.stride+ch:]
			for x, most := range row {
				row[x] = max(most, far[ch][src[x*c.step]])
			}
		}
		if y >= cropMargin && y < cropMargin+cropHeight {
			for _, v := range row {
				count[v]++
			}
		}
	}
	threshold := max(16, strongest(count, c.w*cropHeight)/3)
	for i, v := range contrast {
		out.dark[i] = int(v) > threshold
	}
	return out
}

// strongest is the contrast that 2 % of n pixels reach.
func strongest(count [256]int, n int) int {
	for v, above := 255, 0; v > 0; v-- {
		if above += count[v]; above*50 >= n {
			return v
		}
	}
	return 0
}

// colour is of one or three channels, as its picture's.
type colour [3]uint8

// distances tell how far each value of a channel is from the colour's.
func (c colour) distances() (out [3][256]uint8) {
	for ch, at := range c {
		for v := range 256 {
			out[ch][v] = uint8(max(v-int(at), int(at)-v))
		}
	}
	return out
}

func (c crop) paper() (out colour) {
	for ch := range c.channels {
		var count [256]int
		for y := cropMargin; y < cropMargin+cropHeight; y++ {
			for x := range c.w {
				count[c.pix[y*c.stride+x*c.step+ch]]++
			}
		}
		out[ch] = median(count, c.w*cropHeight)
	}
	return out
}

// column counts the ink of a column in the rows of the line's body, without margins
// and without the outer eighth, where neighbours and rules reach in.
func (k ink) column(x int) (n int) {
	for y := cropMargin + cropHeight/8; y < cropMargin+cropHeight*7/8; y++ {
		if k.dark[y*k.w+x] {
			n++
		}
	}
	return n
}

// columnOf counts, as column does, the ink that lies within a mask of the crop.
func (k ink) columnOf(x int, mask []bool) (n float64) {
	for y := cropMargin + cropHeight/8; y < cropMargin+cropHeight*7/8; y++ {
		if i := y*k.w + x; k.dark[i] && mask[i] {
			n++
		}
	}
	return n
}

// blank finds the widest run of columns without ink in [from, to), allowing for a
// rule that runs through; the run is empty where there is none.
func (k ink) blank(from, to int) (start, end int) {
	from, to = max(0, from), min(k.w, to)
	start, end = from, from
	for x := from; x < to; x++ {
		run := x
		for x < to && k.column(x) == 0 {
			x++
		}
		if x-run > end-start {
			start, end = run, x
		}
	}
	return start, end
}

// widestGap is the column in the middle of the widest blank run of [from, to).
func (k ink) widestGap(from, to int) int {
	start, end := k.blank(from, to)
	if start == end {
		return to
	}
	return (start + end) / 2
}

// rows finds from where to where the columns [from, to) are inked: in all rows of the
// line, and beyond them as far as the ink goes on with gaps of at most four rows
// (accents, dots and descenders may reach out of the region). Ink that goes on to the
// edge of the margin is a neighbour or a rule, so that the line's own edge counts then;
// but a single stroke there is the loop of a long letter, and belongs to it.
func (k ink) rows(from, to int) (top, bottom int) {
	const first, last, gap = cropMargin, cropMargin + cropHeight - 1, 4
	top, bottom = last+1, first-1
	for y := first; y <= last; y++ {
		if k.row(y, from, to) {
			top, bottom = min(top, y), y
		}
	}
	if top > bottom {
		return first, last + 1
	}
	return k.follow(top, -1, gap, from, to, min(top, first)), k.follow(bottom, 1, gap, from, to, max(bottom, last)) + 1
}

// follow goes from row y in steps until the ink ends; edge is the answer where it
// reaches the crop's.
func (k ink) follow(y, step, gap, from, to, edge int) int {
	last := y
	for blank := 0; blank <= gap; y += step {
		if y < 0 || y >= cropRows {
			if last == y-step && k.stroke(last, from, to) {
				return last
			}
			return edge
		}
		if k.row(y, from, to) {
			last, blank = y, 0
		} else {
			blank++
		}
	}
	return last
}

// stroke reports whether the ink of row y in columns [from, to) is one stroke of a letter:
// narrow, and no rule that runs through all rows.
func (k ink) stroke(y, from, to int) bool {
	n := 0
	for x := max(0, from); x < min(k.w, to); x++ {
		if !k.dark[y*k.w+x] {
			continue
		}
		n++
		rows := 0
		for yy := range cropRows {
			if k.dark[yy*k.w+x] {
				rows++
			}
		}
		if 4*rows > 3*cropRows {
			return false
		}
	}
	return 6*n <= to-from
}

// row reports whether row y has ink in columns [from, to).
func (k ink) row(y, from, to int) bool {
	for x := max(0, from); x < min(k.w, to); x++ {
		if k.dark[y*k.w+x] {
			return true
		}
	}
	return false
}

// first is the first column of [from, to) with ink; from where there is none.
func (k ink) first(from, to int) int {
	for x := from; x < to; x++ {
		if k.column(x) > 0 {
			return x
		}
	}
	return from
}

// last is the column behind the last one of [from, to) with ink; to where there is none.
func (k ink) last(from, to int) int {
	for x := to; x > from; x-- {
		if k.column(x-1) > 0 {
			return x
		}
	}
	return to
}

// empty reports whether nothing is written.
func (k ink) empty() bool {
	for x := range k.w {
		if k.column(x) > 0 {
			return false
		}
	}
	return true
}
