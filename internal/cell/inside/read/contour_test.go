package read

import (
	"image"
	"image/draw"
	"math/rand/v2"
	"testing"
)

// Contours are told by the piece; no width may make a difference, gray or in colour. A row
// whose last piece was one pixel in colour once ended the cell.
func TestContoursOfEveryWidth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for w := 1; w <= 100; w++ {
		r0 := image.Rect(0, 0, w, 5)
		gray, colour := image.NewGray(r0), image.NewNRGBA(r0)
		for i := range gray.Pix {
			gray.Pix[i] = 255 * byte(min(1, r.IntN(20)))
		}
		draw.Draw(colour, r0, gray, image.Point{}, draw.Src)
		for _, m := range []image.Image{gray, colour} {
			p, err := pictureOf(m)
			if err != nil {
				t.Fatal(err)
			}
			c := p.contours()
			for i, got := range c.at {
				x, y, want := i%w, i/w, uint8(0)
				if gray.GrayAt(x, y) != gray.GrayAt(x, min(y+1, 4)) {
					want = acrossRows
				}
				if gray.GrayAt(x, y) != gray.GrayAt(min(x+1, w-1), y) {
					want |= acrossColumns
				}
				if got != want {
					t.Fatalf("%T of width %d at %d, %d: %d, want %d", m, w, x, y, got, want)
				}
			}
		}
	}
}
