package extract

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"math/bits"
	"strings"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// fax makes a TIFF of one strip, 8×2 pixels of one bit, with further tags and values
// in turn, ascending and between those written here.
func fax(strip []byte, compression, photometric, fillOrder, options uint32) []byte {
	b := append([]byte("II*\x00"), 0, 0, 0, 0)
	b = append(b, strip...)
	b = append(b, make([]byte, len(b)%2)...)
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)))
	tags := [][2]uint32{{256, 8}, {257, 2}, {258, 1}, {259, compression}, {262, photometric}, {266, fillOrder},
		{273, 8}, {277, 1}, {278, 2}, {279, uint32(len(strip))}, {292, options}}
	b = binary.LittleEndian.AppendUint16(b, uint16(len(tags)))
	for _, t := range tags {
		b = binary.LittleEndian.AppendUint16(b, uint16(t[0]))
		b = binary.LittleEndian.AppendUint16(b, 4)
		b = binary.LittleEndian.AppendUint32(b, 1)
		b = binary.LittleEndian.AppendUint32(b, t[1])
	}
	return append(b, 0, 0, 0, 0)
}

// Fax codes that Go's decoders do not know go through PDFium: modified Huffman rows,
// each from a byte border, and group 3 with rows that refer to the row above.
func TestForeignFax(t *testing.T) {
	// White 1 = 000111, black 4 = 011, white 3 = 1000; the second row is white 8 = 10011.
	huffman := []byte{0b00011101, 0b11000_000, 0b10011_000}
	reversed := make([]byte, len(huffman))
	for i, v := range huffman {
		reversed[i] = bits.Reverse8(v)
	}
	// A mark 000000000001 and 1 before a row of its own, 0 before one that refers: 1
	// leaves every change where the row above has it. Four changes: 1 1 1.
	twoDim := []byte{0b00000000, 0b0001_1_000, 0b111_011_10, 0b00_000000, 0b000001_0_1, 0b11_000000, 0}
	row := []byte{255, 0, 0, 0, 0, 255, 255, 255}
	ink := append(append([]byte(nil), row...), bytes.Repeat([]byte{255}, 8)...)
	negative := make([]byte, len(ink))
	for i, v := range ink {
		negative[i] = ^v
	}
	for name, c := range map[string]struct{ file, want []byte }{
		"modified Huffman":               {fax(huffman, 2, 0, 1, 0), ink},
		"modified Huffman, fill order 2": {fax(reversed, 2, 0, 2, 0), ink},
		"modified Huffman, black is 0":   {fax(huffman, 2, 1, 1, 0), negative},
		"two-dimensional group 3":        {fax(twoDim, 3, 0, 1, 1), append(append([]byte(nil), row...), row...)},
	} {
		img := loadOne(t, c.file, document.TIFF)
		if g, ok := img.(*image.Gray); !ok || !bytes.Equal(g.Pix, c.want) {
			t.Errorf("%s: %v, want %v", name, img, c.want)
		}
	}
	src, err := Open(context.Background(), bytes.NewReader(fax(huffman, 2, 0, 1, 0)), int64(len(fax(huffman, 2, 0, 1, 0))), document.TIFF, corpusLimits, Engines{}, nil)
	if err != nil || src.Assets()[0].Withheld != reason.ExtractEncoding {
		t.Errorf("without engines: %v", err)
	}
}

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
