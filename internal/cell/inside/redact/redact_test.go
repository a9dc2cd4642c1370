package redact

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
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

// grain makes rows that each want another filter: noise, steps, slopes and copies.
func grain(img draw.Image) draw.Image {
	noise(img)
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			switch y % 5 {
			case 1:
				img.Set(x, y, img.At(x, y-1))
			case 2:
				img.Set(x, y, color.Gray{uint8(3*x + 5*y)})
			case 3:
				img.Set(x, y, color.Gray{uint8(3*x + 5*y + x%2)})
			case 4:
				img.Set(x, y, color.Gray{uint8(x % 2)})
			}
		}
	}
	return img
}

// scan makes a picture of black and white pixels.
func scan(img *image.Gray) *image.Gray {
	noise(img)
	for i, v := range img.Pix {
		img.Pix[i] = v & 1 * 0xff
	}
	return img
}

func TestEncodeWritesPixelsAlone(t *testing.T) {
	at := image.Rect(0, 0, 333, 17)
	nearly := scan(image.NewGray(at))
	nearly.Pix[len(nearly.Pix)-1] = 254
	clear := noise(image.NewNRGBA(at)).(*image.NRGBA)
	clear.Pix[3] = 1
	for name, c := range map[string]struct {
		img           image.Image
		depth, colour byte
	}{
		"gray":                    {grain(image.NewGray(at)), 8, 0},
		"part of a gray":          {grain(image.NewGray(at)).(*image.Gray).SubImage(image.Rect(5, 3, 300, 11)), 8, 0},
		"black and white":         {scan(image.NewGray(at)), 1, 0},
		"part of black and white": {scan(image.NewGray(at)).SubImage(image.Rect(3, 1, 20, 4)), 1, 0},
		"nearly black and white":  {nearly, 8, 0},
		"colour":                  {grain(image.NewNRGBA(at)), 8, 2}, // opaque: no alpha channel either
		"part of colour":          {grain(image.NewNRGBA(at)).(*image.NRGBA).SubImage(image.Rect(5, 3, 300, 11)), 8, 2},
		"transparent":             {clear, 8, 6},
		"another kind":            {grain(image.NewRGBA(at)), 8, 2},
	} {
		t.Run(name, func(t *testing.T) {
			b := encoded(t, c.img)
			kinds, rest := chunks(t, b)
			if fmt.Sprint(kinds) != "[IHDR IDAT IEND]" || rest != 0 {
				t.Errorf("chunks %v, %d bytes behind them", kinds, rest)
			}
			if b[24] != c.depth || b[25] != c.colour {
				t.Errorf("depth %d, colour type %d", b[24], b[25])
			}
			wantSame(t, b, c.img)
		})
	}
}

// Eight bytes at a time leave a rest of every length.
func TestEncodeEveryWidth(t *testing.T) {
	for w := 1; w <= 40; w++ {
		at := image.Rect(0, 0, w, 11)
		for _, img := range []image.Image{grain(image.NewGray(at)), grain(image.NewNRGBA(at)), scan(image.NewGray(at))} {
			wantSame(t, encoded(t, img), img)
		}
	}
}

func TestEncodeNothing(t *testing.T) {
	for _, img := range []image.Image{image.NewGray(image.Rectangle{}), image.NewNRGBA(image.Rect(0, 0, 0, 4))} {
		if err := Encode(io.Discard, img); err == nil {
			t.Errorf("%T without pixels was written", img)
		}
	}
}

// short takes n writes.
type short int

func (s *short) Write(p []byte) (int, error) {
	if *s--; *s < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

func TestEncodeTellsOfFailedWrites(t *testing.T) {
	img := noise(image.NewGray(image.Rect(0, 0, 400, 400)))
	const writes = 1 + 1 + 3 + 1 // signature, IHDR, 160 KiB of IDATs, IEND
	for n := range short(writes) {
		if s := n; Encode(&s, img) == nil {
			t.Errorf("write %d failed, and nobody was told", n+1)
		}
	}
	if s := short(writes); Encode(&s, img) != nil {
		t.Error("more writes than expected")
	}
}

func encoded(t *testing.T, img image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func wantSame(t *testing.T, b []byte, img image.Image) {
	t.Helper()
	back, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if PixelDigest(back) != PixelDigest(img) {
		t.Errorf("the pixels of %T %v changed", img, img.Bounds())
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

// encodeStandard is what the standard encoder does.
func encodeStandard(w io.Writer, img image.Image) error {
	return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, img)
}

func BenchmarkEncode(b *testing.B) {
	at := image.Rect(0, 0, 1654, 2339)
	fax := paper(image.NewGray(at)).(*image.Gray)
	for i, v := range fax.Pix {
		fax.Pix[i] = v >> 7 * 0xff
	}
	for name, img := range map[string]image.Image{"fax": fax, "gray-page": paper(image.NewGray(at)), "colour-page": paper(image.NewNRGBA(at)), "noise": noise(image.NewNRGBA(at))} {
		for how, encode := range map[string]func(io.Writer, image.Image) error{"own": Encode, "standard": encodeStandard} {
			b.Run(name+"/"+how, func(b *testing.B) {
				var n int
				for b.Loop() {
					var out bytes.Buffer
					if err := encode(&out, img); err != nil {
						b.Fatal(err)
					}
					n = out.Len()
				}
				b.ReportMetric(float64(n), "bytes")
			})
		}
	}
}
