package metafile

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

var roomy = document.Limits{Assets: 100, Frames: 10, AssetPixels: 1e6, TotalPixels: 1e7}

// longs writes numbers as 32 bits, little endian.
func longs(v ...int) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, uint32(int32(x)))
	}
	return b
}

// shorts writes numbers as 16 bits, little endian.
func shorts(v ...int) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint16(b, uint16(int16(x)))
	}
	return b
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// order is one record of an EMF.
func order(kind int, body ...[]byte) []byte {
	b := join(body...)
	b = append(b, make([]byte, -len(b)&3)...)
	return join(longs(kind, 8+len(b)), b)
}

// emfOf is an EMF of w×h device units with the given records.
func emfOf(w, h int, records ...[]byte) []byte {
	head := join(longs(1, 88, 0, 0, w-1, h-1, 0, 0, 100*w, 100*h), []byte(" EMF"), longs(0x10000, 0, 0, 0, 0, 0, 0, 960, 960, 254, 254))
	return join(head, join(records...), order(14, longs(0, 16, 20)))
}

// squares is a bitmap of 24 bits, from the bottom, whose pixel x, y from the top left
// is at(x, y).
func squares(w, h int, at func(x, y int) color.NRGBA) (info, bits []byte) {
	info = join(longs(40, w, h, 1|24<<16), make([]byte, 24))
	for y := h - 1; y >= 0; y-- {
		row := make([]byte, (3*w+3)/4*4)
		for x := range w {
			c := at(x, y)
			row[3*x], row[3*x+1], row[3*x+2] = c.B, c.G, c.R
		}
		bits = append(bits, row...)
	}
	return info, bits
}

// ramp is a pixel that tells where it is.
func ramp(x, y int) color.NRGBA { return color.NRGBA{byte(40 * x), byte(40 * y), 7, 255} }

// stretch lays a part of a bitmap onto a rectangle.
func stretch(info, bits []byte, dst, src [4]int, rop int) []byte {
	return order(81, longs(0, 0, 0, 0, dst[0], dst[1], src[0], src[1], src[2], src[3], 80, len(info), 80+len(info), len(bits), 0, rop, dst[2], dst[3]), info, bits)
}

const srcCopy = 0xcc0020

// say is a text order of an EMF.
func say(s string) []byte {
	var wide []byte
	for _, c := range s {
		wide = append(wide, byte(c), byte(c>>8))
	}
	return order(84, make([]byte, 16), longs(1, 0, 0, 10, 10, len(s), 76, 0, 0, 0, 0, 0, 0), wide)
}

// wmfOf is a placeable WMF of w×h units at 96 an inch.
func wmfOf(w, h int, records ...[]byte) []byte {
	place := join(longs(-1698247209), shorts(0, 0, 0, w, h, 96), longs(0), shorts(0))
	return join(place, shorts(1, 9, 0x300), longs(0), shorts(8), longs(0), shorts(0), join(records...), longs(3), shorts(0))
}

// wo is one record of a WMF.
func wo(kind int, body ...[]byte) []byte {
	b := join(body...)
	b = append(b, make([]byte, len(b)&1)...)
	return join(longs(3+len(b)/2), shorts(kind), b)
}

func pictOf(w, h int, body ...[]byte) []byte {
	b := []byte{0, 0}
	b = append(b, wideEnds(0, 0, h, w, 0x0011, 0x02ff, 0x0c00)...)
	b = append(b, make([]byte, 24)...)
	return append(append(b, join(body...)...), 0, 0xff)
}

// wideEnds writes 16 bits, big endian.
func wideEnds(v ...int) (b []byte) {
	for _, x := range v {
		b = binary.BigEndian.AppendUint16(b, uint16(x))
	}
	return b
}

func pngOf(t testing.TB, w, h int) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		img.SetNRGBA(i%w, i/w, ramp(i%w, i/w))
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(t testing.TB, b []byte, f document.Format) *File {
	t.Helper()
	x, err := Open(context.Background(), b, f, roomy, nil)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func load(t testing.TB, f *File, i int) image.Image {
	t.Helper()
	img, err := f.Load(i)
	if err != nil {
		t.Fatal(err)
	}
	if it := f.Assets()[i]; img.Bounds() != image.Rect(0, 0, it.Width, it.Height) {
		t.Fatalf("%v loaded, %d×%d promised", img.Bounds(), it.Width, it.Height)
	}
	return img
}

// codes lists why the assets of a picture are withheld.
func codes(f *File) (out []reason.Code) {
	for _, it := range f.Assets() {
		out = append(out, it.Withheld)
	}
	return out
}

func at(img image.Image, x, y int) color.NRGBA {
	return color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
}
