package mark

// runs are the lengths of the last runs of one colour on a line, the newest last.
type runs [9]int

// rowRuns walks along a row and shows each run where it ends, with those before it.
func (c *cells) rowRuns(y int, see func(end int, last *runs)) {
	c.walk(y*c.w, 1, y/cell*c.cols, 1, c.cols, see)
}

// columnRuns walks down a column.
func (c *cells) columnRuns(x int, see func(end int, last *runs)) {
	c.walk(x, c.w, x/cell, c.cols, c.rows, see)
}

// walk goes along n cells of a line: at is its first pixel, cut its first cell, and the
// steps lead to the next ones.
func (c *cells) walk(at, step, cut, cutStep, n int, see func(end int, last *runs)) {
	var last runs
	ink, length := c.pix[at] < c.cut[cut], 0
	for i := range n {
		limit := c.cut[cut+i*cutStep]
		if c.plain(cut+i*cutStep, limit, ink) {
			length, at = length+cell, at+cell*step
			continue
		}
		for k := range cell {
			if (c.pix[at] < limit) != ink {
				copy(last[:], last[1:])
				last[len(last)-1] = length
				see(i*cell+k, &last)
				ink, length = !ink, 0
			}
			length++
			at += step
		}
	}
	copy(last[:], last[1:])
	last[len(last)-1] = length
	see(n*cell, &last)
}

// plain reports whether a cell is all of the colour that a run has: most of a page is
// paper, and passed by eight pixels at a time. Of the other rows, which were not summed
// up, a run along a column may so miss a line of one pixel.
func (c *cells) plain(n int, limit uint8, ink bool) bool {
	return ink && c.lightest[n] < limit || !ink && c.darkest[n] >= limit
}
