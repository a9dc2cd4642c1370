package mark

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
	"blotter/internal/examples/paper"
	"blotter/internal/truth"
)

// white is an empty gray page.
func white(w, h int) *image.Gray { return plain(w, h, 255) }

func plain(w, h int, level uint8) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = level
	}
	return img
}

// put lays a picture on a page and returns where it lies.
func put(on *image.Gray, img *image.Gray, x, y int) document.Box {
	r := img.Rect.Add(image.Pt(x, y))
	draw.Draw(on, r, img, image.Point{}, draw.Src)
	return document.BoxOf(r)
}

// turned is a picture turned clockwise by degrees around its middle, on paper of a level.
func turned(img *image.Gray, degrees float64, level uint8) *image.Gray {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	w, h := float64(img.Rect.Dx()), float64(img.Rect.Dy())
	out := plain(int(math.Abs(w*cos)+math.Abs(h*sin)+1), int(math.Abs(w*sin)+math.Abs(h*cos)+1), level)
	source := raster{img.Pix, img.Rect.Dx(), img.Rect.Dy()}
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			dx, dy := float64(x)-float64(out.Rect.Dx())/2, float64(y)-float64(out.Rect.Dy())/2
			sx, sy := w/2+cos*dx+sin*dy, h/2-sin*dx+cos*dy
			if sx >= 0 && sy >= 0 && sx < w && sy < h {
				out.Pix[y*out.Stride+x] = uint8(source.at(sx, sy))
			}
		}
	}
	return out
}

// blurred is the mean of squares of 2n+1 pixels.
func blurred(img *image.Gray, n int) *image.Gray {
	out := white(img.Rect.Dx(), img.Rect.Dy())
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			sum := 0
			for dy := -n; dy <= n; dy++ {
				for dx := -n; dx <= n; dx++ {
					sum += int(img.GrayAt(min(max(x+dx, 0), img.Rect.Dx()-1), min(max(y+dy, 0), img.Rect.Dy()-1)).Y)
				}
			}
			out.Pix[y*out.Stride+x] = uint8(sum / ((2*n + 1) * (2*n + 1)))
		}
	}
	return out
}

func noisy(img *image.Gray, by int, seed uint64) *image.Gray {
	rng := rand.New(rand.NewPCG(seed, 1))
	for i, v := range img.Pix {
		img.Pix[i] = uint8(min(max(int(v)+rng.IntN(2*by+1)-by, 0), 255))
	}
	return img
}

func negative(img *image.Gray) *image.Gray {
	for i, v := range img.Pix {
		img.Pix[i] = 255 - v
	}
	return img
}

var prose = []string{
	"The patient was seen in clinic for a routine visit and reports no pain at rest.",
	"Blood pressure 128/76, pulse 64, regular. Lungs are clear; the abdomen is soft.",
	"ILLUMINATION WILL FILL THE HALL: lllllll IIIIIII |||| mmmmm HHHHH EEEEE 0000",
	"Ultrasound of the liver shows a normal outline without any focal change at all.",
}

// textPage is A4 full of text in several sizes, with its words, at a resolution.
func textPage(t testing.TB, dpi float64) (*image.Gray, *words.Page) {
	t.Helper()
	s := paper.Sheet{Width: 595, Height: 842}
	page := &words.Page{Width: int(595 * dpi / 72), Height: int(842 * dpi / 72)}
	y := 60.0
	for i := 0; y < 800; i++ {
		st := paper.Style{Face: []*paper.Typeface{paper.Regular, paper.Bold, paper.Mono}[i%3], Size: []float64{10, 12, 7, 22}[i%4]}
		s.Text(50, y, st, prose[i%len(prose)])
		page.Words = append(page.Words, setWords(50, y, st, prose[i%len(prose)], i, dpi)...)
		y += 1.5 * st.Size
	}
	return drawn(t, &s, dpi), page
}

func drawn(t testing.TB, s *paper.Sheet, dpi float64) *image.Gray {
	t.Helper()
	d, err := s.Draw(dpi, color.White)
	if err != nil {
		t.Fatal(err)
	}
	return paper.Gray(d.Image)
}

// setWords are the words of a line as a reader would give them.
func setWords(x, y float64, st paper.Style, text string, line int, dpi float64) []words.Word {
	var out []words.Word
	k := dpi / 72
	for _, w := range strings.Fields(text) {
		width := paper.Measure(st, w)
		out = append(out, words.Word{
			Text: w, Line: line, Confidence: 0.99,
			Box: document.Box{X: int(x * k), Y: int((y - 0.8*st.Size) * k), W: int(width*k) + 1, H: int(st.Size*k) + 1},
		})
		x += width + paper.Measure(st, " ")
	}
	return out
}

// autograph draws the loops of a pen from a point on, in points of the sheet, and
// returns the box around them in pixels.
func autograph(s *paper.Sheet, x, y, width, height, dpi float64) document.Box {
	var points []truth.Point
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for i := range 120 {
		a := float64(i) / 119
		p := truth.Point{X: x + width*(a+0.05*math.Sin(a*40)), Y: y - height*(0.5+0.5*math.Sin(a*29)*(1-0.6*a))}
		points = append(points, p)
		x0, y0, x1, y1 = min(x0, p.X), min(y0, p.Y), max(x1, p.X), max(y1, p.Y)
	}
	s.Stroke(1.1, color.Black, points...)
	k := dpi / 72
	return document.Box{X: int(x0 * k), Y: int(y0 * k), W: int((x1 - x0) * k), H: int((y1 - y0) * k)}
}

func fitsIn(inner, outer document.Box) error {
	if !inner.Rect().In(outer.Rect()) {
		return fmt.Errorf("%v does not cover %v", outer, inner)
	}
	return nil
}
