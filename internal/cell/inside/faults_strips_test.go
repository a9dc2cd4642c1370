package inside_test

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"strings"
	"testing"

	"blotter/internal/document"
	"blotter/internal/truth"
)

// cut takes a picture apart into strips of eight rows. Each has a gray of its own in a corner,
// so that blank ones are no single image.
func cut(img *image.Gray) (out []*image.Gray) {
	for y := 0; y < img.Rect.Dy(); y += 8 {
		strip := image.NewGray(image.Rect(0, 0, img.Rect.Dx(), min(8, img.Rect.Dy()-y)))
		draw.Draw(strip, strip.Rect, img, image.Pt(0, y), draw.Src)
		strip.Pix[0] = uint8(200 + len(out))
		out = append(out, strip)
	}
	return out
}

// pageOfStrips is a PDF that holds strips with an entry more, a mask behind them that lets
// everything through, and a page whose content may name the strips as /S0, /S1, … One point is
// one pixel.
func pageOfStrips(strips []*image.Gray, w, h int, entries, content, more string) []byte {
	names, objects := "", []string{}
	for i, s := range strips {
		objects = append(objects, strings.Replace(grayObject(s), "<<", "<< "+more, 1))
		names += fmt.Sprintf("/S%d %d 0 R ", i, 7+i)
	}
	objects = append(objects, grayObject(&image.Gray{Pix: []byte{0xff}, Stride: 1, Rect: image.Rect(0, 0, 1, 1)}))
	return pdf(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] %s /Contents 4 0 R /Resources << /XObject << %s>> >> >>", w, h, entries, names),
		stream("", []byte(content)), "null", objects...)
}

// drawn are the operators that draw strips below each other, from a top on.
func drawn(strips []*image.Gray, top int) (content string) {
	for i, s := range strips {
		top -= s.Rect.Dy()
		content += fmt.Sprintf("q %d 0 0 %d 0 %d cm /S%d Do Q\n", s.Rect.Dx(), s.Rect.Dy(), top, i)
	}
	return content
}

// joined is the page that the derivatives of the strips amount to, with their boxes.
func (s *sink) joined(t *testing.T, w, h int) truth.Redacted {
	t.Helper()
	whole, y := image.NewGray(image.Rect(0, 0, w, h)), 0
	out := truth.Redacted{Image: whole, Boxes: []document.Box{}}
	for _, a := range s.assets {
		if a.Kind != document.Image || a.Width != w {
			continue
		}
		img, err := png.Decode(bytes.NewReader(s.made[a.Index].Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		draw.Draw(whole, image.Rect(0, y, w, y+a.Height), img, image.Point{}, draw.Src)
		for _, f := range a.Findings {
			f.Box.Y += y
			out.Boxes = append(out.Boxes, f.Box)
		}
		y += a.Height
	}
	if y != h {
		t.Fatalf("the strips are %d high together, want %d", y, h)
	}
	return out
}

// F9: a page cut into strips. Each shows parts of letters that nobody reads; together they show
// the lines, whatever the page makes of them, and what goes there goes from the strips.
func TestPageOfStrips(t *testing.T) {
	img, words := page(t, notice)
	w, h := img.Rect.Dx(), img.Rect.Dy()
	strips := cut(img)
	whole := drawn(strips, h)
	covered := fmt.Sprintf("1 g 0 0 %d %d re f\n", w, h)
	for name, c := range map[string]struct {
		entries, content, strip string
		spares                  bool // no word but those: the page shows all, or nothing
	}{
		"whole":       {"", whole, "", true},
		"turned":      {"/Rotate 90", whole, "", true},
		"upside down": {"", fmt.Sprintf("-1 0 0 -1 %d %d cm\n", w, h) + whole, "", true},
		"covered":     {"", whole + covered, "", true},
		"masked":      {"", whole, fmt.Sprintf("/SMask %d 0 R", 7+len(strips)), true},
		"cropped":     {"/CropBox [0 0 450 330]", whole, "", false},
		"clipped":     {"", fmt.Sprintf("0 0 %d %d re W n\n", w, h/2) + whole, "", false},
		"twice":       {"", whole + "q .5 0 0 .5 0 0 cm " + whole + "Q\n", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := process(t, withEngines(t), pageOfStrips(strips, w, h, c.entries, c.content, c.strip))
			if name == "whole" {
				s.check(t, 0, words)
			}
			got := s.joined(t, w, h)
			v := words.Judge(got)
			if v.Secret != 3 || v.Destroyed < v.Secret || c.spares && v.Lost > 0 {
				t.Errorf("%d of %d values destroyed, still there: %v; lost without need: %v", v.Destroyed, v.Secret, v.Leaks, v.Losses)
			}
			for _, b := range got.Boxes {
				if low := 60 + 44*3; c.spares && b.Y > low {
					t.Errorf("a box at %v, where the lines of secrets end at %d", b, low)
				}
			}
		})
	}
}
