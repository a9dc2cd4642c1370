package mark

import (
	"bytes"
	"image"
	"slices"
	"testing"
)

// Halving is a faster way to the same picture, whatever is left over at its edges.
func TestHalvedIsTheMean(t *testing.T) {
	for _, size := range []image.Point{{40, 30}, {41, 31}, {1, 1}, {2, 9}} {
		img := noisy(plain(size.X, size.Y, 128), 120, 4)
		r := raster{img.Pix, size.X, size.Y}
		got, want := r.halved(), r.smaller(2)
		if got.w != want.w || got.h != want.h || !bytes.Equal(got.pix, want.pix) {
			t.Errorf("%v: halves differ", size)
		}
	}
}

func TestGrayOfTakesAPartOfAPicture(t *testing.T) {
	img := noisy(plain(50, 40, 128), 120, 5)
	part := img.SubImage(image.Rect(0, 0, 20, 30)).(*image.Gray)
	r, k, err := grayOf(part, 1000)
	if err != nil || k != 1 || r.w != 20 || r.h != 30 {
		t.Fatalf("%d×%d, a %d-th part, error %v", r.w, r.h, k, err)
	}
	for y := range 30 {
		if !bytes.Equal(r.row(y), img.Pix[y*img.Stride:][:20]) {
			t.Fatalf("row %d differs", y)
		}
	}
}

// What is passed by eight pixels at a time gives the same runs as pixel by pixel.
func TestRowsHaveTheirRuns(t *testing.T) {
	img, _ := textPage(t, 100)
	c := sumUp(raster{img.Pix, img.Rect.Dx(), img.Rect.Dy()})
	for y := 0; y < c.rows*cell; y += 2 {
		var got, want []int
		c.rowRuns(y, func(end int, last *runs) { got = append(got, end, last[len(last)-1]) })
		from := 0
		for x := 1; x <= c.cols*cell; x++ {
			if x == c.cols*cell || c.dark(x, y) != c.dark(x-1, y) {
				want = append(want, x, x-from)
				from = x
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("row %d: runs %v, want %v", y, got, want)
		}
	}
}
