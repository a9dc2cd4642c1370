package mark

import (
	"cmp"
	"image"
	"math"
	"slices"

	"blotter/internal/document"
)

// Bars of a linear code are found by what no text has: over a whole region every edge
// runs the same way, and every line drawn across it shows the same pattern.

// region is a set of cells whose edges run the same way.
type region struct {
	raster
	middle point
	across point   // unit vector from bar to bar
	along  point   // unit vector along the bars
	width  float64 // across the bars
	height float64 // along them
}

// box is the smallest upright box around the region, grown by more on each side.
func (g region) box(more float64) document.Box {
	a, l := g.across.times(g.width/2+more), g.along.times(g.height/2+more)
	m := g.middle
	return g.around(m.plus(a).plus(l), m.plus(a).minus(l), m.minus(a).plus(l), m.minus(a).minus(l))
}

// enlarged is the region in the raster of which its own is the k-th part. Its direction
// is measured anew from the pixels: in a part, the ends of short bars have bent it.
func (g region) enlarged(full raster, k int) region {
	times := float64(k)
	g.raster, g.middle, g.width, g.height = full, g.middle.times(times), g.width*times, g.height*times
	var xx, yy, xy int
	inner := g
	inner.width, inner.height = 0.8*g.width, 0.6*g.height
	r := inner.box(0).Rect().Intersect(image.Rect(0, 0, full.w-1, full.h-1))
	for y := r.Min.Y; y < r.Max.Y; y += k {
		row, below := full.row(y), full.row(y+1)
		for x := r.Min.X; x < r.Max.X; x++ {
			gx, gy := int(row[x+1])-int(row[x]), int(below[x])-int(row[x])
			xx, yy, xy = xx+gx*gx, yy+gy*gy, xy+gx*gy
		}
	}
	g.direct(math.Atan2(2*float64(xy), float64(xx)-float64(yy)) / 2)
	return g
}

// direct sets the angle, in radians, from bar to bar.
func (g *region) direct(angle float64) {
	g.across = point{math.Cos(angle), math.Sin(angle)}
	g.along = point{-g.across.y, g.across.x}
}

const (
	// leastEdge is the mean squared gradient in a striped cell: two bars of 40 levels
	// among 24 pixels, at a pixel's distance.
	leastEdge = 100
	// coherent is how much of the gradient must run one way; letters have 0.1 to 0.5,
	// bars in a blurred photograph 0.8.
	coherent = 0.7
	// sameWay is the cosine of twice the angle, 15°, by which neighbours may differ.
	sameWay = 0.866
)

// striped returns connected regions of cells with one direction, the largest first.
func (c *cells) striped() []region {
	ways := c.ways()
	seen := make([]bool, len(ways))
	var out []region
	for n := range ways {
		if seen[n] || ways[n] == (point{}) {
			continue
		}
		same := func(next int) bool { return ways[next] != (point{}) && ways[next].dot(ways[n]) >= sameWay }
		if g, ok := c.regionOf(c.flood(n, seen, same), ways); ok {
			out = append(out, g)
		}
	}
	slices.SortStableFunc(out, func(a, b region) int { return cmp.Compare(b.width*b.height, a.width*a.height) })
	return out[:min(len(out), maxCandidates)]
}

// ways gives each striped cell the unit vector of twice its gradient's angle (so that
// opposite edges agree), and zero to all others.
func (c *cells) ways() []point {
	out := make([]point, len(c.xx))
	xx, yy, xy := c.nine(c.xx), c.nine(c.yy), c.nine(c.xy)
	const pixels = 9 * cell * cell / 2
	for n := range out {
		energy := float64(xx[n]) + float64(yy[n])
		if energy < leastEdge*pixels {
			continue
		}
		p := point{float64(xx[n]) - float64(yy[n]), 2 * float64(xy[n])}
		if length := math.Hypot(p.x, p.y); length >= coherent*energy {
			out[n] = p.times(1 / length)
		}
	}
	return out
}

// nine sums each cell with its eight neighbours.
func (c *cells) nine(v []int32) []int64 {
	rows := make([]int64, len(v))
	for j := range c.rows {
		line := v[j*c.cols : (j+1)*c.cols]
		for i := range line {
			s := int64(line[i])
			if i > 0 {
				s += int64(line[i-1])
			}
			if i+1 < len(line) {
				s += int64(line[i+1])
			}
			rows[j*c.cols+i] = s
		}
	}
	out := make([]int64, len(v))
	for n := range out {
		out[n] = rows[n]
		if n >= c.cols {
			out[n] += rows[n-c.cols]
		}
		if n+c.cols < len(rows) {
			out[n] += rows[n+c.cols]
		}
	}
	return out
}

const (
	leastCells = 12 // of a region: 24 by 32 pixels
	leastFill  = 0.5
)

// regionOf measures cells as a rectangle in their common direction. It reports false
// for what is too small or fills too little of it.
func (c *cells) regionOf(found []int, ways []point) (region, bool) {
	if len(found) < leastCells {
		return region{}, false
	}
	var sum point
	for _, n := range found {
		sum = sum.plus(ways[n])
	}
	g := region{raster: c.raster}
	g.direct(math.Atan2(sum.y, sum.x) / 2)
	u0, u1, v0, v1 := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, n := range found {
		p := point{(float64(n%c.cols) + 0.5) * cell, (float64(n/c.cols) + 0.5) * cell}
		u, v := p.dot(g.across), p.dot(g.along)
		u0, u1, v0, v1 = min(u0, u), max(u1, u), min(v0, v), max(v1, v)
	}
	g.width, g.height = u1-u0+cell, v1-v0+cell
	g.middle = g.across.times((u0 + u1) / 2).plus(g.along.times((v0 + v1) / 2))
	return g, float64(len(found)*cell*cell) >= leastFill*g.width*g.height
}

const (
	leastWidth  = 40 // pixels across the bars
	leastHeight = 12
	leastBars   = 10 // bars on a line across: the shortest codes have 22, a damaged one fewer
	// tallBars are enough where the region is tallHeight pixels high, more than a line of
	// text.
	tallBars, tallHeight = 7, 90
	sameLine             = 0.8
	sameBars             = 0.7 // of a profile with itself, one bar further
	// A code is a quarter to three quarters ink, its quiet margin left aside, and none of
	// its bars or gaps is wider than an eighth of it; the rules of a form are thin and far
	// apart.
	leastBarInk, mostBarInk = 0.25, 0.75
	widestBar               = 0.125
)

// isBars reports whether lines across the region show bars, and the same ones. Lines of
// text look like bars from afar; near by, no two lines across them agree.
func (g region) isBars() bool {
	if g.width < leastWidth || g.height < leastHeight {
		return false
	}
	// Lines lie close together in a tall code, whose bars run apart where it was
	// photographed from the side.
	lines := min(max(int(g.height/12), 5), 16)
	least := leastBars
	if g.height >= tallHeight {
		least = tallBars
	}
	agree, enough := 0, 0
	var before []float64
	for i := range lines {
		p := g.profile((float64(i)+0.5)/float64(lines)*0.7-0.35, 0)
		if n := countBars(p); n >= least && mixed(p) && !hatched(p, n) {
			enough++
		}
		if before != nil && correlation(before, p) >= sameLine {
			agree++
		}
		before = p
	}
	return 5*enough >= 3*lines && 5*agree >= 3*lines
}

// trimmed sets the region's ends where its bars end: what summing over neighbours added
// goes, wide bars that it missed come in, and codes that stand side by side part.
func (g region) trimmed() []region { return g.endedAlong().parted() }

// endedAlong goes from the middle both ways as long as each line looks like the one
// before.
func (g region) endedAlong() region {
	const step = 4.0
	ends := [2]float64{}
	for i, way := range [2]float64{-1, 1} {
		before := g.profile(0, 0)
		at := 0.0
		for ; at+step <= g.height/2+2*cell; at += step {
			p := g.profile(way*(at+step)/g.height, 0)
			if correlation(before, p) < 0.5 || 2*countBars(p) < leastBars {
				break
			}
			before = p
		}
		ends[i] = way * at
	}
	g.middle = g.middle.plus(g.along.times((ends[0] + ends[1]) / 2))
	g.height = ends[1] - ends[0] + 2*step
	return g
}

// parted cuts a region where bars are further apart than twice the widest, and drops
// what has too few.
func (g region) parted() []region {
	more := g.width/4 + 4*cell
	p := g.profile(0, more)
	steps, widest := g.steps(p, int(more))
	var out []region
	for from := 0; from < len(steps); {
		to := from + 1
		for to < len(steps) && steps[to]-steps[to-1] <= 2*widest {
			to++
		}
		if to-from >= 2*tallBars {
			left, right := float64(steps[from]), float64(steps[to-1])
			part := g
			part.middle = g.middle.plus(g.across.times((left+right)/2 - g.width/2 - more))
			part.width = right - left
			out = append(out, part)
		}
		from = to
	}
	return out
}

// steps lists where ink begins or ends on a profile, and how wide a bar is at most:
// bars and gaps are alike in that, but between codes is more paper.
func (g region) steps(p []float64, more int) (at []int, widest int) {
	inner := p[more : len(p)-more]
	cut := (slices.Min(inner) + slices.Max(inner)) / 2
	dark, light := 0, 0
	for i := 1; i < len(p); i++ {
		if (p[i] < cut) == (p[i-1] < cut) {
			continue
		}
		if n := len(at); n > 0 && at[n-1] >= more && i < len(p)-more {
			if p[i-1] < cut {
				dark = max(dark, i-at[n-1])
			} else {
				light = max(light, i-at[n-1])
			}
		}
		at = append(at, i)
	}
	return at, min(dark, light)
}

// profile samples a line across the region, at a share −0.5–0.5 of its height and more
// pixels beyond both ends, smoothed along the bars.
func (g region) profile(share, more float64) []float64 {
	out := make([]float64, int(g.width+2*more))
	start := g.middle.plus(g.along.times(share * g.height)).minus(g.across.times(g.width/2 + more))
	for i := range out {
		p := start.plus(g.across.times(float64(i)))
		for _, d := range [3]float64{-1, 0, 1} {
			q := p.plus(g.along.times(d))
			out[i] += g.at(q.x, q.y) / 3
		}
	}
	return out
}

// mixed reports whether a profile is ink and paper in even parts, finely.
func mixed(p []float64) bool {
	cut := (slices.Min(p) + slices.Max(p)) / 2
	first, last := -1, -1
	for i := 1; i < len(p); i++ {
		if (p[i] < cut) != (p[i-1] < cut) {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 {
		return false
	}
	p = p[first:last]
	ink, run, widest := 0, 0, 0
	for i, v := range p {
		if v < cut {
			ink++
		}
		if run++; i > 0 && (v < cut) != (p[i-1] < cut) {
			run = 1
		}
		widest = max(widest, run)
	}
	share := float64(ink) / float64(max(1, len(p)))
	return share >= leastBarInk && share <= mostBarInk && float64(widest) <= max(6, widestBar*float64(len(p)))
}

// hatched reports whether n bars repeat evenly, as in a hatching, a grid or the ground of
// an identity card. The bars of a code are of several widths.
func hatched(p []float64, n int) bool {
	mean := len(p) / n
	for lag := max(2, mean*3/4); lag <= mean*5/4+1 && lag < len(p)/2; lag++ {
		if pearson(p[:len(p)-lag], p[lag:]) >= sameBars {
			return true
		}
	}
	return false
}

// countBars counts the swings of a profile that pass a third of its range.
func countBars(p []float64) int {
	low, high := slices.Min(p), slices.Max(p)
	if high-low < leastContrast {
		return 0
	}
	step := (high - low) / 4
	bars, down, extreme := 0, false, p[0]
	for _, v := range p {
		switch {
		case !down && v > extreme, down && v < extreme:
			extreme = v
		case !down && extreme-v > step:
			down, extreme = true, v
			bars++
		case down && v-extreme > step:
			down, extreme = false, v
		}
	}
	return bars
}

// correlation is the best of two profiles within three pixels' shift, which a small
// error of the direction brings.
func correlation(a, b []float64) float64 {
	best := -1.0
	for shift := -3; shift <= 3; shift++ {
		var x, y []float64
		if shift > 0 {
			x, y = a[shift:], b[:len(b)-shift]
		} else {
			x, y = a[:len(a)+shift], b[-shift:]
		}
		best = max(best, pearson(x, y))
	}
	return best
}

func pearson(a, b []float64) float64 {
	var sa, sb, saa, sbb, sab float64
	for i := range a {
		sa, sb = sa+a[i], sb+b[i]
		saa, sbb, sab = saa+a[i]*a[i], sbb+b[i]*b[i], sab+a[i]*b[i]
	}
	n := float64(len(a))
	va, vb := saa-sa*sa/n, sbb-sb*sb/n
	if va <= 0 || vb <= 0 {
		return 0
	}
	return (sab - sa*sb/n) / math.Sqrt(va*vb)
}
