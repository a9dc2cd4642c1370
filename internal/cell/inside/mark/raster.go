package mark

import (
	"fmt"
	"image"
	"math"

	"blotter/internal/document"
)

// raster is a gray picture without gaps between its rows.
type raster struct {
	pix  []uint8
	w, h int
}

func newRaster(w, h int) raster { return raster{make([]uint8, w*h), w, h} }

func (r raster) row(y int) []uint8 { return r.pix[y*r.w : (y+1)*r.w] }

// grayOf is the picture's brightness, shrunk by a whole factor, by mean, so that it has
// at most limit pixels. The factor comes with it.
func grayOf(img image.Image, limit int) (raster, int, error) {
	size := img.Bounds().Size()
	k := 1
	for (size.X/k)*(size.Y/k) > limit {
		k++
	}
	switch m := img.(type) {
	case *image.Gray:
		if k == 1 {
			return copied(m), 1, nil
		}
		return shrink(size.X, size.Y, k, func(y int, into []uint16) { addGray(into, m.Pix[y*m.Stride:][:size.X], k) }), k, nil
	case *image.NRGBA:
		return shrink(size.X, size.Y, k, func(y int, into []uint16) { addColour(into, m.Pix[y*m.Stride:][:4*size.X], k) }), k, nil
	}
	return raster{}, 0, fmt.Errorf("mark: a picture of type %T", img)
}

// copied is a gray picture at its own size.
func copied(m *image.Gray) raster {
	out := newRaster(m.Rect.Dx(), m.Rect.Dy())
	for y := range out.h {
		copy(out.row(y), m.Pix[y*m.Stride:])
	}
	return out
}

// shrink takes the mean of k×k pixels. add adds one row's brightness to the sums of its
// columns; pixels right of the last whole column are left out.
func shrink(w, h, k int, add func(y int, into []uint16)) raster {
	out := newRaster(w/k, h/k)
	sums := make([]uint16, out.w)
	for y := range out.h {
		clear(sums)
		for i := range k {
			add(y*k+i, sums)
		}
		row, n := out.row(y), uint16(k*k)
		for x, s := range sums {
			row[x] = uint8(s / n)
		}
	}
	return out
}

func addGray(into []uint16, row []uint8, k int) {
	if k == 1 {
		for x, v := range row {
			into[x] = uint16(v)
		}
		return
	}
	for x := range into {
		for _, v := range row[x*k : x*k+k] {
			into[x] += uint16(v)
		}
	}
}

// addColour weighs red, green and blue as 5:9:2, near what the eye does.
func addColour(into []uint16, row []uint8, k int) {
	for x := range into {
		for i := range k {
			p := row[4*(x*k+i):][:3]
			into[x] += (5*uint16(p[0]) + 9*uint16(p[1]) + 2*uint16(p[2])) >> 4
		}
	}
}

// smaller is the raster shrunk by a whole factor.
func (r raster) smaller(k int) raster {
	if k <= 1 {
		return r
	}
	return shrink(r.w, r.h, k, func(y int, into []uint16) { addGray(into, r.row(y), k) })
}

// halved is the raster shrunk by two: as smaller, and three times as fast.
func (r raster) halved() raster {
	out := newRaster(r.w/2, r.h/2)
	for y := range out.h {
		row := out.row(y)
		above, below := r.row(2 * y)[:2*len(row)], r.row(2*y + 1)[:2*len(row)]
		for x := range row {
			a, b := above[2*x:2*x+2], below[2*x:2*x+2]
			row[x] = uint8((uint16(a[0]) + uint16(a[1]) + uint16(b[0]) + uint16(b[1])) / 4)
		}
	}
	return out
}

// pyramid is a raster at its own, half and a quarter of its size.
type pyramid [3]raster

func newPyramid(r raster) pyramid {
	half := r.halved()
	return pyramid{r, half, half.halved()}
}

// within is the raster shrunk to at most limit pixels, and by which factor.
func (p pyramid) within(limit int) (raster, int) {
	for i, r := range p {
		if r.w*r.h <= limit {
			return r, 1 << i
		}
	}
	last, k := p[len(p)-1], 2
	for (last.w/k)*(last.h/k) > limit {
		k++
	}
	return last.smaller(k), k << (len(p) - 1)
}

// upright is the raster turned clockwise by quarters.
func (r raster) upright(t document.Turn) raster {
	if t%4 == 0 {
		return r
	}
	out := newRaster(r.w, r.h)
	if t%2 == 1 {
		out = newRaster(r.h, r.w)
	}
	// dx and dy are how far a step along the new row moves in the old picture.
	at, dx, dy := r.origin(t)
	for y := range out.h {
		from, row := at(y), out.row(y)
		for x := range row {
			row[x] = r.pix[from+x*(dx+dy*r.w)]
		}
	}
	return out
}

// origin says where the upright picture's rows begin in r, and which way they run.
func (r raster) origin(t document.Turn) (at func(y int) int, dx, dy int) {
	switch t % 4 {
	case 1: // rows were columns, read upwards
		return func(y int) int { return (r.h-1)*r.w + y }, 0, -1
	case 2:
		return func(y int) int { return (r.h-1-y)*r.w + r.w - 1 }, -1, 0
	default: // columns from the right, read downwards
		return func(y int) int { return r.w - 1 - y }, 0, 1
	}
}

// crop is a copy of a part; the box must lie in the raster.
func (r raster) crop(b document.Box) raster {
	out := newRaster(b.W, b.H)
	for y := range b.H {
		copy(out.row(y), r.row(b.Y + y)[b.X:])
	}
	return out
}

// at samples between pixels; outside is the nearest edge.
func (r raster) at(x, y float64) float64 {
	x, y = min(max(x, 0), float64(r.w-1)), min(max(y, 0), float64(r.h-1))
	x0, y0 := int(x), int(y)
	x1, y1 := min(x0+1, r.w-1), min(y0+1, r.h-1)
	fx, fy := x-float64(x0), y-float64(y0)
	top := float64(r.pix[y0*r.w+x0])*(1-fx) + float64(r.pix[y0*r.w+x1])*fx
	low := float64(r.pix[y1*r.w+x0])*(1-fx) + float64(r.pix[y1*r.w+x1])*fx
	return top*(1-fy) + low*fy
}

// point is a place in a raster.
type point struct{ x, y float64 }

func (p point) plus(q point) point       { return point{p.x + q.x, p.y + q.y} }
func (p point) minus(q point) point      { return point{p.x - q.x, p.y - q.y} }
func (p point) times(f float64) point    { return point{p.x * f, p.y * f} }
func (p point) dot(q point) float64      { return p.x*q.x + p.y*q.y }
func (p point) distance(q point) float64 { return math.Hypot(p.x-q.x, p.y-q.y) }

// around is the smallest box around points, clipped to the raster.
func (r raster) around(ps ...point) document.Box {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, p := range ps {
		x0, y0, x1, y1 = min(x0, p.x), min(y0, p.y), max(x1, p.x), max(y1, p.y)
	}
	b := image.Rect(int(math.Floor(x0)), int(math.Floor(y0)), int(math.Ceil(x1)), int(math.Ceil(y1)))
	return document.BoxOf(b.Intersect(image.Rect(0, 0, r.w, r.h)))
}
