package inside_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"blotter/internal/document"
)

// The finer forms of a policy through a real cell: of a date its year stays, of a ZIP code
// its region, names of staff stay, every age goes, and boxes are of the policy's colour.
func TestFinerFormsInARealCell(t *testing.T) {
	img, words := page(t, []string{
		"Patient name: {Odalys} {Ferrante}", "Date of birth: 03/12/1961", "City: {Eugene} OR 97401", "Age: {63}",
		"She sleeps well and walks to the market every morning again.",
	})
	tk := task()
	tk.KeepYear, tk.KeepZIP3, tk.AllAges, tk.Fill = true, true, true, document.Colour{R: 20, G: 90, B: 200}
	s := &sink{}
	if _, err := start(t, withEngines(t)).Run(t.Context(), file(t, photo(t, img, nil)), tk, s); err != nil {
		t.Fatal(err)
	}
	out, err := png.Decode(bytes.NewReader(s.made[1].Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	fill := color.NRGBA{20, 90, 200, 255}
	for _, w := range words.Words {
		b := w.Box()
		left, right := share(out, fill, b.X, b.X+b.W/2-8, b), share(out, fill, b.X+b.W*13/20, b.X+b.W, b)
		switch {
		case w.Want == "destroy" && (left < 0.95 || right < 0.95):
			t.Errorf("%q: %.2f and %.2f of its halves are gone", w.Text, left, right)
		case w.Text == "03/12/1961" && (left < 0.95 || right > 0.05):
			t.Errorf("of the date %.2f of the day and month and %.2f of the year are gone", left, right)
		case w.Text == "97401" && (left > 0.05 || right < 0.9):
			t.Errorf("of the ZIP code %.2f of the region and %.2f of the rest are gone", left, right)
		}
	}
}

// share is how much of columns [from, to) of a box has a colour.
func share(img image.Image, c color.NRGBA, from, to int, b document.Box) float64 {
	n, all := 0, 0
	for y := b.Y; y < b.Y+b.H; y++ {
		for x := from; x < to; x++ {
			all++
			if color.NRGBAModel.Convert(img.At(x, y)) == color.Color(c) {
				n++
			}
		}
	}
	return float64(n) / float64(all)
}
