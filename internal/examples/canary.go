package examples

import (
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
	s := &sheet{width: 480, height: 260}
	st := style{face: regular, size: 13}
	at := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	s.text(40, 50, st, "Patient Name: "+at(0)+" "+at(1))
	s.text(40, 80, st, "MRN: "+at(2))
	s.text(40, 110, st, "The patient has a cough and takes one tablet daily.")
	y := 140.0
	for _, w := range words[min(3, len(words)):] {
		s.text(40, y, st, "Dear Dr. "+w+", thank you for the report.")
		y += 26
	}
	return plainPNG(s, dpi)
}

// Tiny is a PNG of 320×120 pixels that says who a person is and when they were born:
// the least work that a whole job can be.
func Tiny(name, born string) ([]byte, error) {
	const dpi = 144
	s := &sheet{width: 160, height: 60}
	st := style{face: regular, size: 11}
	s.text(10, 24, st, "Name: "+name)
	s.text(10, 44, st, "DOB: "+born)
	return plainPNG(s, dpi)
}

func plainPNG(s *sheet, dpi float64) ([]byte, error) {
	img, _, err := s.draw(dpi, color.White)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := png.Encode(&out, gray(img)); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
