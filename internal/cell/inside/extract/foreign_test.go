package extract

import (
	"bytes"
	"context"
	"image"
	"strings"
	"testing"

	"blotter/internal/document"
	"blotter/internal/examples"
)

// inks is a JPEG of 8×8 pixels of four samples, 1 or 255, without a word of what the
// samples mean; such files hold inks as they are.
func inks() []byte {
	b := append([]byte("\xff\xd8\xff\xdb\x00\x43\x00"), bytes.Repeat([]byte{8}, 64)...)
	b = append(b, "\xff\xc0\x00\x14\x08\x00\x08\x00\x08\x04\x01\x11\x00\x02\x11\x00\x03\x11\x00\x04\x11\x00"...)
	b = append(b, "\xff\xc4\x00\x15\x00\x01\x01"+strings.Repeat("\x00", 14)+"\x00\x07"...)
	b = append(b, "\xff\xc4\x00\x14\x10\x01"+strings.Repeat("\x00", 15)+"\x00"...)
	b = append(b, "\xff\xda\x00\x0e\x04\x01\x00\x02\x00\x03\x00\x04\x00\x00\x3f\x00"...)
	// No cyan, magenta and yellow, no black: red.
	return append(b, 0b10000000, 0b00101111, 0b11101011, 0b11111010, 0b00000000, 0xff, 0xd9)
}

func TestForeignJPEG(t *testing.T) {
	img := loadOne(t, inks(), document.JPEG)
	if r, g, b, _ := img.At(3, 3).RGBA(); r>>8 < 200 || g>>8 > 60 || b>>8 > 60 {
		t.Errorf("red ink came out as %v", img.At(3, 3))
	}
}

func loadOne(t *testing.T, b []byte, f document.Format) image.Image {
	t.Helper()
	src, err := Open(context.Background(), bytes.NewReader(b), int64(len(b)), f, corpusLimits, engines, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	img, err := src.Load(0)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// PDFium decodes JPEG 2000 and JBIG2, wrapped into a document of one image.
func TestForeignStreams(t *testing.T) {
	gray := loadOne(t, examples.GrayJPEG2000(30, 20), document.JPEG2000)
	if g, ok := gray.(*image.Gray); !ok || g.Rect != image.Rect(0, 0, 30, 20) || !bytes.Equal(g.Pix, bytes.Repeat([]byte{128}, 600)) {
		t.Errorf("JPEG 2000 came out as %T of %v", gray, gray.Bounds())
	}
	row := []byte{255, 0, 0, 0, 0, 255, 255, 255}
	for _, apart := range []bool{false, true} {
		page := loadOne(t, examples.JBIG2(apart, 2), document.JBIG2)
		if g, ok := page.(*image.Gray); !ok || !bytes.Equal(g.Pix, append(bytes.Clone(row), row...)) {
			t.Errorf("JBIG2, heads first %v: %v", apart, page)
		}
	}
}

// F14: each colour may be sampled as coarsely as it likes: here brightness once for two pixels
// down, blue for each, red once for two across. The picture is 16×16 pixels of one colour.
func TestOddSubsampling(t *testing.T) {
	b := append([]byte("\xff\xd8\xff\xdb\x00\x43\x00"), bytes.Repeat([]byte{8}, 64)...)
	b = append(b, "\xff\xc0\x00\x11\x08\x00\x10\x00\x10\x03\x01\x21\x00\x02\x22\x00\x03\x12\x00"...)
	b = append(b, "\xff\xc4\x00\x15\x00\x01\x01"+strings.Repeat("\x00", 14)+"\x00\x07"...)
	b = append(b, "\xff\xc4\x00\x14\x10\x01"+strings.Repeat("\x00", 15)+"\x00"...)
	b = append(b, "\xff\xda\x00\x0c\x03\x01\x00\x02\x00\x03\x00\x00\x3f\x00"...)
	// Code 10 and seven bits: a difference of −127, then of 127; 0: none. Another 0 ends a
	// block. Two blocks of brightness 1, four of no blue difference, two of red 255.
	b = append(b, 0b10000000, 0b00000000, 0b00001011, 0b11111000, 0xff, 0xd9)
	img := loadOne(t, b, document.JPEG)
	if img.Bounds() != image.Rect(0, 0, 16, 16) {
		t.Fatalf("%v", img.Bounds())
	}
	for _, p := range []image.Point{{1, 1}, {14, 2}, {3, 14}, {15, 15}} {
		if r, g, bl, _ := img.At(p.X, p.Y).RGBA(); r>>8 < 160 || g>>8 > 20 || bl>>8 > 20 {
			t.Errorf("%v is %v, want a dark red", p, img.At(p.X, p.Y))
		}
	}
}
