package examples

import (
	"blotter/internal/examples/paper"
	"bytes"
	"image/color"
	"image/png"
)

// Canary is a page in print, as a PNG, that holds the given words as the values of
// labels that every reader of forms knows: a test shows first that they were read and
// then searches what is left behind for them. words[0] and words[1] are a name, the
// third a record number, the rest stand in a sentence after "Dear".
func Canary(words ...string) ([]byte, error) {
	const dpi = 150
	s := &paper.Sheet{Width: 480, Height: 260}
	st := paper.Style{Face: paper.Regular, Size: 13}
	at := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	s.Text(40, 50, st, "Patient Name: "+at(0)+" "+at(1))
	s.Text(40, 80, st, "MRN: "+at(2))
	s.Text(40, 110, st, "The patient has a cough and takes one tablet daily.")
	y := 140.0
	for _, w := range words[min(3, len(words)):] {
		s.Text(40, y, st, "Dear Dr. "+w+", thank you for the report.")
		y += 26
	}
	return plainPNG(s, dpi)
}

// Tiny is a PNG of 320×120 pixels that says who a person is and when they were born:
// the least work that a whole job can be.
func Tiny(name, born string) ([]byte, error) {
	const dpi = 144
	s := &paper.Sheet{Width: 160, Height: 60}
	st := paper.Style{Face: paper.Regular, Size: 11}
	s.Text(10, 24, st, "Name: "+name)
	s.Text(10, 44, st, "DOB: "+born)
	return plainPNG(s, dpi)
}

func plainPNG(s *paper.Sheet, dpi float64) ([]byte, error) {
	drawn, err := s.Draw(dpi, color.White)
	if err != nil {
		return nil, err
	}
	img := drawn.Image
	var out bytes.Buffer
	if err := png.Encode(&out, paper.Gray(img)); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
