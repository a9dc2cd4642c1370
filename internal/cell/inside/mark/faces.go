package mark

import (
	"cmp"
	"image"
	"math"
	"slices"

	"blotter/internal/document"
)

const (
	leastFace = 24  // side of the smallest window, pixels of a raster of facePixels
	faceStep  = 0.1 // of the side, from window to window
	faceScale = 1.12
	// leastToned is the share of a window that must be darker than paper: a face fills
	// its window, lines of text do not.
	leastToned = 0.55
	// sureFace is the sum of overlapping windows' scores from which on there is a face.
	sureFace = 12
	// maxWindows bounds how many windows of one picture are kept.
	maxWindows = 4096
)

// tilts are the angles, in degrees, at which a head is looked for; the cascade itself
// stands ten more on either side.
var tilts = [...]float64{0, -22, 22, 90, 180, 270}

// window is where the cascade saw a face.
type window struct {
	middle point
	side   float64
	score  float64
	tilt   float64
}

// faces finds faces in a small raster, the surest first.
func (c *cascade) faces(r raster) []window {
	toned := countToned(r)
	var seen []window
	for _, degrees := range tilts {
		seen = append(seen, c.windows(r, toned, degrees*math.Pi/180)...)
	}
	return join(seen)
}

func (c *cascade) windows(r raster, toned counts, tilt float64) []window {
	var out []window
	reach := 0.5 * (math.Abs(math.Sin(tilt)) + math.Abs(math.Cos(tilt)))
	for s := float64(leastFace); ; s *= faceScale {
		side := int(s)
		edge := int(s*reach) + 2
		if 2*edge >= min(r.w, r.h) || len(out) >= maxWindows {
			return out
		}
		f := c.fit(side, r.w, tilt)
		step := max(1, int(s*faceStep))
		for y := edge; y < r.h-edge; y += step {
			row := toned.squares(y, side/2)
			for x := edge; x < r.w-edge; x += step {
				if row.share(x) < leastToned {
					continue
				}
				if q := f.score(r.pix, int32(y*r.w+x)); q > 0 && len(out) < maxWindows {
					out = append(out, window{point{float64(x), float64(y)}, s, float64(q), tilt})
				}
			}
		}
	}
}

// join merges windows that overlap into one face each; its score is their sum.
func join(ws []window) []window {
	slices.SortStableFunc(ws, func(a, b window) int { return cmp.Compare(b.score, a.score) })
	taken := make([]bool, len(ws))
	var out []window
	for i, w := range ws {
		if taken[i] {
			continue
		}
		sum := window{tilt: w.tilt}
		n := 0.0
		for j := i; j < len(ws); j++ {
			if !taken[j] && overlap(w, ws[j]) > 0.25 {
				taken[j] = true
				sum.middle = sum.middle.plus(ws[j].middle)
				sum.side += ws[j].side
				sum.score += ws[j].score
				n++
			}
		}
		sum.middle, sum.side = sum.middle.times(1/n), sum.side/n
		if sum.score >= sureFace {
			out = append(out, sum)
		}
	}
	return out
}

// overlap is the shared part of two windows, 0–1.
func overlap(a, b window) float64 {
	side := func(p, q, s, t float64) float64 { return max(0, min(p+s/2, q+t/2)-max(p-s/2, q-t/2)) }
	shared := side(a.middle.x, b.middle.x, a.side, b.side) * side(a.middle.y, b.middle.y, a.side, b.side)
	return shared / (a.side*a.side + b.side*b.side - shared)
}

// head is the box around the whole head, hair, ears and chin: the cascade's window ends
// at the brows' and the chin's height.
func (w window) head(r raster) document.Box {
	const sides, crown, chin = 0.75, 0.95, 0.80
	sin, cos := math.Sincos(w.tilt)
	right, down := point{cos, sin}.times(w.side), point{-sin, cos}.times(w.side)
	up, low := w.middle.minus(down.times(crown)), w.middle.plus(down.times(chin))
	return r.around(up.minus(right.times(sides)), up.plus(right.times(sides)), low.minus(right.times(sides)), low.plus(right.times(sides)))
}

// counts are sums over all pixels above and left, one row and column larger than their
// raster.
type counts struct {
	sum  []uint32
	w, h int
}

// countToned counts what is darker than paper, whose brightness is the picture's 90th
// percentile.
func countToned(r raster) counts {
	var histogram [256]int
	for _, v := range r.pix {
		histogram[v]++
	}
	paper, rest := 255, len(r.pix)/10
	for ; paper > 0 && rest >= histogram[paper]; paper-- {
		rest -= histogram[paper]
	}
	return r.count(func(v uint8) bool { return int(v) < paper-12 })
}

func (r raster) count(is func(v uint8) bool) counts {
	c := counts{make([]uint32, (r.w+1)*(r.h+1)), r.w, r.h}
	for y := range r.h {
		n := uint32(0)
		for x, v := range r.row(y) {
			if is(v) {
				n++
			}
			c.sum[(y+1)*(r.w+1)+x+1] = n + c.sum[y*(r.w+1)+x+1]
		}
	}
	return c
}

// in counts within a rectangle, clipped.
func (c counts) in(b image.Rectangle) int {
	b = b.Intersect(image.Rect(0, 0, c.w, c.h))
	if b.Empty() {
		return 0
	}
	w := c.w + 1
	return int(c.sum[b.Max.Y*w+b.Max.X]) - int(c.sum[b.Min.Y*w+b.Max.X]) - int(c.sum[b.Max.Y*w+b.Min.X]) + int(c.sum[b.Min.Y*w+b.Min.X])
}

// squares are those of one size around the points of a row.
type squares struct {
	above, below []uint32 // the sums at their upper and lower edges
	half         int
	area         float64
}

// squares must lie inside the raster.
func (c counts) squares(y, half int) squares {
	w := c.w + 1
	return squares{c.sum[(y-half)*w:][:w], c.sum[(y+half)*w:][:w], half, float64(4 * half * half)}
}

// share is the counted part of the square around a point, 0–1.
func (s squares) share(x int) float64 {
	a, b := x-s.half, x+s.half
	return float64(s.below[b]-s.below[a]-s.above[b]+s.above[a]) / s.area
}

// certainty is the score, 0–1, of a face.
func (w window) certainty() float64 { return min(1, 0.6+w.score/250) }
