package paper

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/vector"

	"blotter/internal/truth"
)

// stroke is a line of a pen, in points of the sheet.
type stroke struct {
	points    []truth.Point
	thickness float64
	ink       color.Color
}

// Stroke draws a line through the points, over the text.
func (s *Sheet) Stroke(thickness float64, ink color.Color, points ...truth.Point) {
	s.strokes = append(s.strokes, stroke{points, thickness, ink})
}

// Circle draws an ellipse around the middle of a rectangle, over the text.
func (s *Sheet) Circle(x, y, w, h, thickness float64, ink color.Color) {
	const steps = 48
	var points []truth.Point
	for i := range steps + 1 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / steps)
		points = append(points, truth.Point{X: x + w/2 + cos*w/2, Y: y + h/2 + sin*h/2})
	}
	s.Stroke(thickness, ink, points...)
}

// draw fills a small rectangle for each piece and rounds the joints with squares.
func (k stroke) draw(img *image.RGBA, dpi float64) {
	scale := dpi / 72
	half := max(k.thickness*scale/2, 0.5)
	r := vector.NewRasterizer(img.Rect.Dx(), img.Rect.Dy())
	for i := 1; i < len(k.points); i++ {
		a, b := k.points[i-1], k.points[i]
		ax, ay, bx, by := a.X*scale, a.Y*scale, b.X*scale, b.Y*scale
		length := math.Hypot(bx-ax, by-ay)
		if length == 0 {
			continue
		}
		ux, uy := (bx-ax)/length*half, (by-ay)/length*half
		quad(r, ax-ux*0.5+uy, ay-uy*0.5-ux, bx+ux*0.5+uy, by+uy*0.5-ux, bx+ux*0.5-uy, by+uy*0.5+ux, ax-ux*0.5-uy, ay-uy*0.5+ux)
	}
	r.Draw(img, img.Rect, image.NewUniform(k.ink), image.Point{})
}

func quad(r *vector.Rasterizer, xy ...float64) {
	r.MoveTo(float32(xy[0]), float32(xy[1]))
	for i := 2; i < len(xy); i += 2 {
		r.LineTo(float32(xy[i]), float32(xy[i+1]))
	}
	r.ClosePath()
}

// overlay lays a clear layer over img through m, with bilinear sampling.
func overlay(img, layer *image.RGBA, m Mapping) {
	back := m.inverse()
	bounds := reach(layer.Rect, m).Intersect(img.Rect)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			p := back.At(truth.Point{X: float64(x) + 0.5, Y: float64(y) + 0.5})
			if c, ok := mixed(layer, p.X-0.5, p.Y-0.5); ok {
				draw.Draw(img, image.Rect(x, y, x+1, y+1), image.NewUniform(c), image.Point{}, draw.Over)
			}
		}
	}
}

// reach is the upright rectangle that holds a picture after m.
func reach(r image.Rectangle, m Mapping) image.Rectangle {
	var out image.Rectangle
	for _, p := range truth.Rect(0, 0, float64(r.Dx()), float64(r.Dy())) {
		q := m.At(p)
		at := image.Rect(int(q.X)-1, int(q.Y)-1, int(q.X)+2, int(q.Y)+2)
		out = out.Union(at)
	}
	return out
}

func mixed(layer *image.RGBA, x, y float64) (color.RGBA, bool) {
	x0, y0 := int(math.Floor(x)), int(math.Floor(y))
	if x0 < 0 || y0 < 0 || x0+1 >= layer.Rect.Dx() || y0+1 >= layer.Rect.Dy() {
		return color.RGBA{}, false
	}
	u, v := x-float64(x0), y-float64(y0)
	a, b := layer.Pix[y0*layer.Stride+4*x0:], layer.Pix[(y0+1)*layer.Stride+4*x0:]
	var out [4]uint8
	for c := range 4 {
		top := float64(a[c])*(1-u) + float64(a[c+4])*u
		bottom := float64(b[c])*(1-u) + float64(b[c+4])*u
		out[c] = uint8(top*(1-v) + bottom*v + 0.5)
	}
	return color.RGBA{out[0], out[1], out[2], out[3]}, out[3] > 0
}
