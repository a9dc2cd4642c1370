package eval

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"slices"
	"strings"

	"blotter/internal/document"
	"blotter/internal/truth"
)

// sheet is one derivative for the report: a small picture and what is marked on it.
type sheet struct {
	Title    string // "page 1", "frame 2, withheld"
	Withheld string // reason
	Width    int    // of the derivative; marks are in its pixels
	Height   int
	Picture  []byte // JPEG; none where the asset is withheld
	Marks    []mark
}

// mark is an outline on a sheet.
type mark struct {
	Class  string // leaked, lost or found
	Points string // of an SVG polygon
	About  string // shown where the pointer rests
}

// sheetSide is how many pixels the longer side of a sheet's picture has at most: enough to
// see what is printed, little enough for hundreds of pages in one file.
const sheetSide = 1100

// sheet draws the derivative and marks what redaction did wrong with the picture.
func (v view) sheet(p truth.Picture) (sheet, error) {
	s := sheet{Title: v.title(), Width: v.asset.Width, Height: v.asset.Height}
	if v.img == nil {
		s.Withheld = string(v.asset.Reason)
		return s, nil
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, shrink(v.img, sheetSide), &jpeg.Options{Quality: 70}); err != nil {
		return sheet{}, fmt.Errorf("eval: a picture for the report: %w", err)
	}
	s.Picture = b.Bytes()
	for _, f := range v.asset.Findings {
		r := f.Box.Rect()
		s.Marks = append(s.Marks, mark{"found", points(truth.Rect(float64(r.Min.X), float64(r.Min.Y), float64(r.Max.X), float64(r.Max.Y))),
			fmt.Sprintf("%v by %v, %.2f", f.Type, f.Source, f.Score)})
	}
	for i, w := range p.In(s.Width, s.Height) {
		s.mark(w.Want, w.Quad, v.shown.words[i], w.Type, w.Text)
	}
	for i, a := range p.AreasIn(s.Width, s.Height) {
		s.mark(a.Want, a.Quad, v.shown.areas[i], a.Type, "")
	}
	return s, nil
}

// mark outlines what redaction did wrong.
func (s *sheet) mark(want truth.Want, q [4]truth.Point, covered float64, kind, text string) {
	about := func(what string) string {
		said := slices.DeleteFunc([]string{what, kind, text}, func(s string) bool { return s == "" })
		return fmt.Sprintf("%s (covered %.0f %%)", strings.Join(said, ": "), 100*covered)
	}
	switch {
	case want == truth.Destroy && covered < truth.Gone:
		s.Marks = append(s.Marks, mark{"leaked", points(q), about("left")})
	case want == truth.Keep && covered >= truth.Lost:
		s.Marks = append(s.Marks, mark{"lost", points(q), about("lost")})
	}
}

func (v view) title() string {
	a := v.asset
	switch {
	case a.Kind == document.Page:
		return fmt.Sprintf("page %d", a.Page)
	case a.Kind == document.Frame:
		return fmt.Sprintf("frame %d", a.Frame)
	case a.Page > 0:
		return fmt.Sprintf("image on page %d", a.Page)
	}
	return "image"
}

func points(q [4]truth.Point) string {
	return fmt.Sprintf("%.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f", q[0].X, q[0].Y, q[1].X, q[1].Y, q[2].X, q[2].Y, q[3].X, q[3].Y)
}

// URL is the picture as an address that holds it, so that the report needs no other file.
func (s sheet) URL() template.URL {
	return template.URL("data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(s.Picture))
}

// shrink makes the longer side of a picture side pixels long, each pixel the mean of those
// it stands for. A smaller one stays as it is.
func shrink(img image.Image, side int) image.Image {
	b := img.Bounds()
	scale := float64(side) / float64(max(b.Dx(), b.Dy()))
	if scale >= 1 {
		return img
	}
	w, h := max(1, int(float64(b.Dx())*scale)), max(1, int(float64(b.Dy())*scale))
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			out.SetRGBA(x, y, mean(img, image.Rect(
				b.Min.X+x*b.Dx()/w, b.Min.Y+y*b.Dy()/h, b.Min.X+(x+1)*b.Dx()/w, b.Min.Y+(y+1)*b.Dy()/h)))
		}
	}
	return out
}

func mean(img image.Image, r image.Rectangle) color.RGBA {
	var red, green, blue, n float64
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			cr, cg, cb, _ := img.At(x, y).RGBA()
			red, green, blue, n = red+float64(cr), green+float64(cg), blue+float64(cb), n+257
		}
	}
	return color.RGBA{uint8(math.Round(red / n)), uint8(math.Round(green / n)), uint8(math.Round(blue / n)), 255}
}
