package mark

import (
	"image"
	"math/rand/v2"
	"testing"
)

// BenchmarkTextPage is the case that matters: A4 at 300 dpi with nothing to find.
func BenchmarkTextPage(b *testing.B) {
	img, page := textPage(b, 300)
	m := New()
	for b.Loop() {
		if _, err := m.Find(img, page, false); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHostilePage is 40 megapixels of what looks like codes and cannot be decoded,
// decoded.
func BenchmarkHostilePage(b *testing.B) {
	img := white(5000, 8000)
	rng := rand.New(rand.NewPCG(1, 2))
	for y := 0; y+240 < 8000; y += 280 {
		for x := 0; x+240 < 5000; x += 280 {
			put(img, checkers(rng, 40, 6), x, y)
		}
	}
	benchmark(b, img)
}

// BenchmarkNoise is 40 megapixels of noise.
func BenchmarkNoise(b *testing.B) { benchmark(b, noisy(plain(5000, 8000, 128), 127, 9)) }

func benchmark(b *testing.B, img *image.Gray) {
	for b.Loop() {
		find(b, img, true)
	}
}

// checkers is n×n random modules.
func checkers(rng *rand.Rand, n, module int) *image.Gray {
	img := white(n*module, n*module)
	dark := make([]bool, n*n)
	for i := range dark {
		dark[i] = rng.IntN(2) == 0
	}
	for y := range n * module {
		for x := range n * module {
			if dark[y/module*n+x/module] {
				img.Pix[y*img.Stride+x] = 0
			}
		}
	}
	return img
}
