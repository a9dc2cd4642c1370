package read

import "math"

// crop is a line of text straightened and scaled to cropHeight, with cropMargin rows
// above and below that the recogniser does not see.
type crop struct {
	picture
	quad quad // what the whole crop shows, margins included
}

const cropRows = cropHeight + 2*cropMargin

// cut samples the line q of a view into a crop. Each target pixel averages a grid of
// samples fine enough that no source pixel is skipped.
func (v view) cut(q quad) crop {
	width := max(1, int(math.Round(cropHeight*q.length()/max(1, q.height()))))
	m := float64(cropMargin) / cropHeight
	c := crop{newPicture(width, cropRows, v.channels), q.part(0, -m, 1, 1+m)}
	origin := v.asset(c.quad.origin)
	along := v.asset(c.quad.at(1, 0)).sub(origin).scale(1 / float64(width))
	down := v.asset(c.quad.at(0, 1)).sub(origin).scale(1 / float64(cropRows))
	n := max(1, int(math.Round(math.Hypot(down.x, down.y)/1.5)))
	for y := range cropRows {
		start := origin.add(down.scale(float64(y)))
		if n == 1 && v.sampleRow(c.pix[y*c.stride:(y+1)*c.stride], start.add(along.add(down).scale(0.5)), along) {
			continue
		}
		for x := range width {
			v.sample(c.pix[y*c.stride+x*c.step:], start.add(along.scale(float64(x))), along, down, n)
		}
	}
	return c
}

// reach lengthens a line at both ends by the ink that touches its ends: the detector's
// boxes often start late and cut the first stroke.
func (v view) reach(q quad) quad {
	ratio := q.height() / max(1, q.length())
	return q.part(-v.overhang(q)*ratio, 0, 1+v.overhang(q.reversed())*ratio, 1)
}

// overhang is how far ink goes on before the start of a line, in heights of the line.
func (v view) overhang(q quad) float64 {
	s := overhangMost * q.height() / max(1, q.length())
	k := v.cut(q.part(-s, 0, s, 1)).ink()
	edge := k.w / 2
	last := edge
	for x, blank := edge, 0; x > 0 && blank <= 2; x-- {
		if k.column(x-1) > 0 {
			last, blank = x-1, 0
		} else {
			blank++
		}
	}
	if last == edge {
		return 0
	}
	return overhangMost * float64(edge-last+2) / float64(edge)
}

// sampleRow writes a row of single samples, the first of which lies at a point, each a step from
// the last, as sample does, but in whole numbers. It reports false where one lies so near
// the edge that it has not four pixels around it.
func (p picture) sampleRow(out []uint8, at, step point) bool {
	n := len(out) / p.channels
	last := at.add(step.scale(float64(n - 1)))
	if min(at.x, last.x) < 0.5 || min(at.y, last.y) < 0.5 ||
		max(at.x, last.x) > float64(p.w)-0.51 || max(at.y, last.y) > float64(p.h)-0.51 {
		return false
	}
	const whole, part = 32, 12 // bits of a place behind the point, and of a weight
	fixed := func(v float64) int { return int(v * (1 << whole)) }
	x, y, dx, dy := fixed(at.x-0.5), fixed(at.y-0.5), fixed(step.x), fixed(step.y)
	for i := range n {
		top := p.pix[(y>>whole)*p.stride+(x>>whole)*p.step:]
		bottom := top[p.stride:]
		fx, fy := x>>(whole-part)&(1<<part-1), y>>(whole-part)&(1<<part-1)
		for c := range p.channels {
			a, b := int(top[c]), int(top[c+p.step])
			d, e := int(bottom[c]), int(bottom[c+p.step])
			upper, lower := a<<part+(b-a)*fx, d<<part+(e-d)*fx
			out[i*p.channels+c] = uint8((upper<<part + (lower-upper)*fy + 1<<(2*part-1)) >> (2 * part))
		}
		x, y = x+dx, y+dy
	}
	return true
}

// sample writes the mean colour of the parallelogram from p along two sides, from
// n×n samples.
func (v view) sample(out []uint8, p, along, down point, n int) {
	var sum [3]float32
	step := 1 / float64(n)
	for j := range n {
		for i := range n {
			a, d := (float64(i)+0.5)*step, (float64(j)+0.5)*step
			v.add(&sum, p.x+along.x*a+down.x*d, p.y+along.y*a+down.y*d)
		}
	}
	for c := range v.channels {
		out[c] = uint8(sum[c]/float32(n*n) + 0.5)
	}
}

// add adds the colour at a point of the asset, interpolated between the four pixels
// around it; outside, the edge goes on.
func (p picture) add(sum *[3]float32, x, y float64) {
	x = min(max(x-0.5, 0), float64(p.w-1))
	y = min(max(y-0.5, 0), float64(p.h-1))
	x0, y0 := int(x), int(y)
	x1, y1 := min(x0+1, p.w-1), min(y0+1, p.h-1)
	fx, fy := float32(x-float64(x0)), float32(y-float64(y0))
	top, bottom := p.pix[y0*p.stride:], p.pix[y1*p.stride:]
	for c := range p.channels {
		a, b := float32(top[x0*p.step+c]), float32(top[x1*p.step+c])
		d, e := float32(bottom[x0*p.step+c]), float32(bottom[x1*p.step+c])
		a += (b - a) * fx
		d += (e - d) * fx
		sum[c] += a + (d-a)*fy
	}
}

// normalise writes the rows that the nets see, 48 high, at the left of an input of
// the given width: planes blue, green, red, in [-1, 1]; what is to the right stays
// the padding value.
func (c crop) normalise(in []float32, width int, padding float32) {
	for plane := range 3 {
		ch := min(2-plane, c.channels-1)
		for y := range cropHeight {
			dst := in[(plane*cropHeight+y)*width : (plane*cropHeight+y+1)*width]
			src := c.pix[(y+cropMargin)*c.stride+ch:]
			n := min(c.w, width)
			for x := range n {
				dst[x] = float32(src[x*c.step])*(1/127.5) - 1
			}
			for x := n; x < width; x++ {
				dst[x] = padding
			}
		}
	}
}

// pieces cuts a crop that is wider than cropWidest at blank columns, so that the
// recogniser's memory does not grow with a line.
func (c crop) pieces() []crop {
	if c.w <= cropWidest {
		return []crop{c}
	}
	ink := c.ink()
	var out []crop
	for from := 0; from < c.w; {
		to := c.w
		if to-from > cropWidest {
			to = ink.widestGap(from+cropWidest-cropCutRange, from+cropWidest)
		}
		out = append(out, c.columns(from, to))
		from = to
	}
	return out
}

// columns is the part of a crop between two columns, sharing its pixels.
func (c crop) columns(from, to int) crop {
	w := float64(c.w)
	part := c
	part.pix, part.w = c.pix[from*c.step:], to-from
	part.quad = c.quad.part(float64(from)/w, 0, float64(to)/w, 1)
	return part
}
