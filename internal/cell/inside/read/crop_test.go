package read

import (
	"image"
	"math/rand/v2"
	"testing"
)

// A row in whole numbers is what sampling point by point gives.
func TestSampleRow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, img := range []image.Image{image.NewGray(image.Rect(0, 0, 40, 30)), image.NewNRGBA(image.Rect(0, 0, 40, 30))} {
		p, err := pictureOf(img)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.pix {
			p.pix[i] = uint8(rnd.UintN(256))
		}
		v, along, down := p.turned(0), point{0.83, 0.11}, point{-0.11, 0.83}
		row, one := make([]uint8, 30*p.channels), make([]uint8, 3)
		first := point{5.3, 7.9}
		if !p.sampleRow(row, first.add(along.add(down).scale(0.5)), along) {
			t.Fatal("a row inside the picture was not sampled")
		}
		for x := range 30 {
			v.sample(one, first.add(along.scale(float64(x))), along, down, 1)
			for c := range p.channels {
				if d := int(row[x*p.channels+c]) - int(one[c]); d < -1 || d > 1 {
					t.Fatalf("%d channels, sample %d: %d, want %d", p.channels, x, row[x*p.channels+c], one[c])
				}
			}
		}
		if p.sampleRow(row, point{20, 7.9}, along) || p.sampleRow(row, point{0.2, 7.9}, along) || p.sampleRow(row, point{5, 28}, along) {
			t.Error("a row that leaves the picture was sampled")
		}
	}
}
