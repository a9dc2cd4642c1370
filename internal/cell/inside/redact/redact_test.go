package redact

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"testing"

	"blotter/internal/document"
)

// noise makes a picture in which every pixel differs from black.
func noise(img draw.Image) draw.Image {
	rng := rand.New(rand.NewPCG(1, 2))
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			img.Set(x, y, color.NRGBA{uint8(1 + rng.IntN(255)), uint8(1 + rng.IntN(255)), uint8(1 + rng.IntN(255)), 255})
		}
	}
	return img
}

func TestBurnTouchesBoxesAlone(t *testing.T) {
	at := image.Rect(0, 0, 40, 30)
	boxes := []document.Box{
		{X: 3, Y: 4, W: 5, H: 6},
		{X: 30, Y: 20, W: 100, H: 100}, // over the edge
		{X: 10, Y: 10, W: 0, H: 5},     // empty
		{X: 6, Y: 8, W: 5, H: 5},       // overlapping the first
	}
	for _, img := range []draw.Image{image.NewGray(at), image.NewNRGBA(at), image.NewNRGBA(at.Add(image.Pt(7, -3)))} {
		t.Run(fmt.Sprintf("%T%v", img, img.Bounds()), func(t *testing.T) {
			noise(img)
			before := image.NewNRGBA(img.Bounds())
			draw.Draw(before, before.Rect, img, before.Rect.Min, draw.Src)
			Burn(img, boxes, document.Colour{})
			min := img.Bounds().Min
			for y := range 30 {
				for x := range 40 {
					inside := false
					for _, b := range boxes {
						inside = inside || image.Pt(x, y).In(b.Rect())
					}
					want := before.NRGBAAt(min.X+x, min.Y+y)
					if inside {
						want = color.NRGBA{A: 255}
					}
					if got := color.NRGBAModel.Convert(img.At(min.X+x, min.Y+y)); got != want {
						t.Fatalf("pixel %d,%d is %v, want %v", x, y, got, want)
					}
				}
			}
		})
	}
}

// chunks lists the types of a PNG's chunks in order and what follows its end.
func chunks(t *testing.T, b []byte) (kinds []string, rest int) {
	t.Helper()
	for at := 8; at+12 <= len(b); {
		n, kind := int(binary.BigEndian.Uint32(b[at:])), string(b[at+4:at+8])
		if len(kinds) == 0 || kinds[len(kinds)-1] != kind {
			kinds = append(kinds, kind)
		}
		at += 12 + n
		if kind == "IEND" {
			return kinds, len(b) - at
		}
	}
	t.Fatal("no IEND")
	return nil, 0
}

func TestEncodeWritesPixelsAlone(t *testing.T) {
	at := image.Rect(0, 0, 33, 17)
	for _, c := range []struct {
		img       image.Image
		colorType byte
	}{
		{noise(image.NewGray(at)), 0},
		{noise(image.NewNRGBA(at)), 2}, // opaque: no alpha channel either
	} {
		var out bytes.Buffer
		if err := Encode(&out, c.img); err != nil {
			t.Fatal(err)
		}
		kinds, rest := chunks(t, out.Bytes())
		if fmt.Sprint(kinds) != "[IHDR IDAT IEND]" || rest != 0 {
			t.Errorf("%T: chunks %v, %d bytes behind them", c.img, kinds, rest)
		}
		if got := out.Bytes()[25]; got != c.colorType {
			t.Errorf("%T: colour type %d, want %d", c.img, got, c.colorType)
		}
		back, err := png.Decode(&out)
		if err != nil {
			t.Fatal(err)
		}
		for y := range 17 {
			for x := range 33 {
				if color.NRGBAModel.Convert(back.At(x, y)) != color.NRGBAModel.Convert(c.img.At(x, y)) {
					t.Fatalf("%T: pixel %d,%d changed", c.img, x, y)
				}
			}
		}
	}
}

func TestPixelDigest(t *testing.T) {
	gray := image.NewGray(image.Rect(0, 0, 2, 2))
	copy(gray.Pix, []byte{1, 2, 3, 4})
	if got, want := PixelDigest(gray), document.Sum([]byte("blotpix1\x01\x00\x00\x00\x02\x00\x00\x00\x02\x01\x02\x03\x04")); got != want {
		t.Errorf("gray digest %v, want %v", got, want)
	}
	col := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	copy(col.Pix, []byte{9, 8, 7, 255})
	want := document.Sum([]byte("blotpix1\x04\x00\x00\x00\x01\x00\x00\x00\x01\x09\x08\x07\xff"))
	if got := PixelDigest(col); got != want {
		t.Errorf("colour digest %v, want %v", got, want)
	}
	rgba := image.NewRGBA(col.Rect)
	copy(rgba.Pix, col.Pix)
	if PixelDigest(rgba) != want {
		t.Error("the digest depends on how pixels are held in memory")
	}
	wide := image.NewGray(image.Rect(0, 0, 4, 1))
	copy(wide.Pix, gray.Pix)
	if PixelDigest(wide) == PixelDigest(gray) {
		t.Error("the digest does not depend on the shape")
	}
	if sub := gray.SubImage(image.Rect(1, 0, 2, 2)); PixelDigest(sub) != document.Sum([]byte("blotpix1\x01\x00\x00\x00\x01\x00\x00\x00\x02\x02\x04")) {
		t.Error("a part of an image has another digest than its copy")
	}
}

// paper is a page of A4 at 200 dots per inch with strokes like text.
func paper(img draw.Image) draw.Image {
	rng := rand.New(rand.NewPCG(3, 4))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	for range 6000 {
		x, y := rng.IntN(1600), 34*rng.IntN(68)
		draw.Draw(img, image.Rect(x, y, x+2+rng.IntN(10), y+3+rng.IntN(20)), image.NewUniform(color.Gray{uint8(rng.IntN(90))}), image.Point{}, draw.Src)
	}
	return img
}

func BenchmarkEncode(b *testing.B) {
	at := image.Rect(0, 0, 1654, 2339)
	photo := noise(image.NewNRGBA(at))
	for name, img := range map[string]image.Image{"gray-page": paper(image.NewGray(at)), "colour-page": paper(image.NewNRGBA(at)), "noise": photo} {
		for level, l := range map[string]png.CompressionLevel{"speed": png.BestSpeed, "default": png.DefaultCompression} {
			b.Run(name+"/"+level, func(b *testing.B) {
				var n int
				for b.Loop() {
					var out bytes.Buffer
					if err := (&png.Encoder{CompressionLevel: l}).Encode(&out, img); err != nil {
						b.Fatal(err)
					}
					n = out.Len()
				}
				b.ReportMetric(float64(n), "bytes")
			})
		}
	}
}
