package paper

import (
	"blotter/internal/truth"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
)

// Mapping is a projective map of the plane, row by row: what a camera or a crooked
// sheet in a scanner does to a page.
type Mapping [9]float64

// At maps a point.
// At is where the map takes a point.
func (m Mapping) At(p truth.Point) truth.Point {
	w := m[6]*p.X + m[7]*p.Y + m[8]
	return truth.Point{X: (m[0]*p.X + m[1]*p.Y + m[2]) / w, Y: (m[3]*p.X + m[4]*p.Y + m[5]) / w}
}

// inverse is the adjugate; the scale of a projective map does not matter.
func (m Mapping) inverse() Mapping {
	return Mapping{
		m[4]*m[8] - m[5]*m[7], m[2]*m[7] - m[1]*m[8], m[1]*m[5] - m[2]*m[4],
		m[5]*m[6] - m[3]*m[8], m[0]*m[8] - m[2]*m[6], m[2]*m[3] - m[0]*m[5],
		m[3]*m[7] - m[4]*m[6], m[1]*m[6] - m[0]*m[7], m[0]*m[4] - m[1]*m[3],
	}
}

// Skew scales by fx and fy and then turns by degrees, clockwise, around the centre of
// a picture of that size.
func Skew(degrees, fx, fy float64, width, height int) Mapping {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	cx, cy := float64(width)/2, float64(height)/2
	return Mapping{
		cos * fx, -sin * fy, cx - cos*cx + sin*cy,
		sin * fx, cos * fy, cy - sin*cx - cos*cy,
		0, 0, 1,
	}
}

// OntoQuad takes a w×h rectangle to four corners, clockwise from the top left
// (Heckbert, Fundamentals of Texture Mapping, 1989, section 2.2.3).
func OntoQuad(w, h float64, q [4]truth.Point) Mapping {
	dx1, dy1 := q[1].X-q[2].X, q[1].Y-q[2].Y
	dx2, dy2 := q[3].X-q[2].X, q[3].Y-q[2].Y
	sx, sy := q[0].X-q[1].X+q[2].X-q[3].X, q[0].Y-q[1].Y+q[2].Y-q[3].Y
	det := dx1*dy2 - dx2*dy1
	g, k := (sx*dy2-dx2*sy)/det, (dx1*sy-sx*dy1)/det
	return Mapping{
		(q[1].X - q[0].X + g*q[1].X) / w, (q[3].X - q[0].X + k*q[3].X) / h, q[0].X,
		(q[1].Y - q[0].Y + g*q[1].Y) / w, (q[3].Y - q[0].Y + k*q[3].Y) / h, q[0].Y,
		g / w, k / h, 1,
	}
}

// Warp lays src onto dst through m, with bilinear sampling; where src does not reach,
// dst stays.
func Warp(dst, src *image.RGBA, m Mapping) {
	back := m.inverse()
	for y := range dst.Rect.Dy() {
		for x := range dst.Rect.Dx() {
			p := back.At(truth.Point{X: float64(x) + 0.5, Y: float64(y) + 0.5})
			sample(dst.Pix[dst.PixOffset(x, y):], src, p.X-0.5, p.Y-0.5)
		}
	}
}

func sample(to []byte, src *image.RGBA, x, y float64) {
	x0, y0 := int(math.Floor(x)), int(math.Floor(y))
	if x0 < 0 || y0 < 0 || x0+1 >= src.Rect.Dx() || y0+1 >= src.Rect.Dy() {
		return
	}
	u, v := x-float64(x0), y-float64(y0)
	a, b := src.Pix[y0*src.Stride+4*x0:], src.Pix[(y0+1)*src.Stride+4*x0:]
	for c := range 3 {
		top := float64(a[c])*(1-u) + float64(a[c+4])*u
		bottom := float64(b[c])*(1-u) + float64(b[c+4])*u
		to[c] = uint8(top*(1-v) + bottom*v + 0.5)
	}
	to[3] = 0xff
}

// Move carries the truth along.
func Move(words []truth.Word, m Mapping) []truth.Word {
	for i := range words {
		for k, p := range words[i].Quad {
			words[i].Quad[k] = m.At(p)
		}
	}
	return words
}

// Blur averages three pixels along each axis, rounds times.
func Blur(img *image.RGBA, rounds int) {
	for range rounds {
		blurAlong(img, img.Rect.Dy(), img.Rect.Dx(), img.Stride, 4)
		blurAlong(img, img.Rect.Dx(), img.Rect.Dy(), 4, img.Stride)
	}
}

func blurAlong(img *image.RGBA, lines, length, lineStep, step int) {
	was := make([]int, length)
	for l := range lines {
		for c := range 3 {
			at := l*lineStep + c
			for i := range length {
				was[i] = int(img.Pix[at+i*step])
			}
			for i := 1; i < length-1; i++ {
				img.Pix[at+i*step] = uint8((was[i-1] + was[i] + was[i+1] + 1) / 3)
			}
		}
	}
}

// Shade multiplies each pixel by a light that depends on its place (0–1 each way) and
// adds noise of that standard deviation, in levels of 256.
func Shade(img *image.RGBA, light func(u, v float64) float64, noise float64, rng *rand.Rand) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	for y := range h {
		for x := range w {
			f := light(float64(x)/float64(w), float64(y)/float64(h))
			n := grain(rng) * noise
			p := img.Pix[img.PixOffset(x, y):]
			for c := range 3 {
				p[c] = uint8(min(max(float64(p[c])*f+n+0.5, 0), 255))
			}
		}
	}
}

// grain is noise of mean 0 and standard deviation 1: the sum of four even numbers.
// (Their variance is 4/12 in units of 65536².)
func grain(rng *rand.Rand) float64 {
	bits := rng.Uint64()
	sum := float64(bits&0xffff) + float64(bits>>16&0xffff) + float64(bits>>32&0xffff) + float64(bits>>48)
	return (sum/65536 - 2) * 1.7320508075688772
}

// Gray takes the colour away.
func Gray(img *image.RGBA) *image.Gray {
	out := image.NewGray(img.Rect)
	for i := range out.Pix {
		p := img.Pix[4*i:]
		out.Pix[i] = uint8((299*int(p[0]) + 587*int(p[1]) + 114*int(p[2]) + 500) / 1000)
	}
	return out
}

// Seeded is the source of all chance in an example, so that it is the same each time.
func Seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x626c6f74)) }

// turnAround takes the point (fx, fy) of a layer to (x, y) and turns the layer by
// degrees, clockwise, around it.
func turnAround(degrees, fx, fy, x, y float64) Mapping {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return Mapping{cos, -sin, x - cos*fx + sin*fy, sin, cos, y - sin*fx - cos*fy, 0, 0, 1}
}

// Dust strews n single dark and light pixels.
func Dust(img *image.RGBA, n int, rng *rand.Rand) {
	for range n {
		v := uint8(rng.IntN(256))
		img.SetRGBA(rng.IntN(img.Rect.Dx()), rng.IntN(img.Rect.Dy()), color.RGBA{v, v, v, 0xff})
	}
}
