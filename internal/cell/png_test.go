package cell

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"testing"
	"testing/iotest"

	"blotter/internal/cell/wire"
	"blotter/internal/reason"
)

const testW, testH = 13, 7

func encoded(t *testing.T, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func checkPNG(b []byte, piece int) error {
	c := pngCheck{width: testW, height: testH, left: wire.MaxPNG(testW, testH)}
	for len(b) > 0 {
		n := min(piece, len(b))
		if err := c.next(b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	if !c.whole() {
		return wire.Violation("unfinished")
	}
	return nil
}

func TestOwnPNGsPass(t *testing.T) {
	r := image.Rect(0, 0, testW, testH)
	clear := image.NewNRGBA(r)
	solid := image.NewNRGBA(r)
	for i := range solid.Pix {
		solid.Pix[i] = 255
	}
	for name, b := range map[string][]byte{
		"gray": encoded(t, image.NewGray(r)), "clear": encoded(t, clear), "solid": encoded(t, solid),
		"black and white": oneBit(t, color.Palette{color.Black, color.White}, grayType),
	} {
		for _, piece := range []int{1, 3, 1 << 16} {
			if err := checkPNG(b, piece); err != nil {
				t.Errorf("%s in pieces of %d: %v", name, piece, err)
			}
		}
	}
}

const grayType = 0

// oneBit is a PNG of one bit a pixel with that colour type and no palette.
func oneBit(t *testing.T, p color.Palette, colour byte) []byte {
	t.Helper()
	b := encoded(t, image.NewPaletted(image.Rect(0, 0, testW, testH), p))
	const head, sum = 8 + 8, 8 + 8 + 13
	b[head+9] = colour
	binary.BigEndian.PutUint32(b[sum:], crc32.ChecksumIEEE(b[head-4:sum]))
	palette := bytes.Index(b, []byte("PLTE")) - 4
	return append(b[:palette:palette], b[palette+12+3*len(p):]...)
}

func chunk(kind, body string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	b = append(append(b, kind...), body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

func TestOtherPNGsAreRefused(t *testing.T) {
	good := encoded(t, image.NewGray(image.Rect(0, 0, testW, testH)))
	const headEnd = 8 + 25 // signature and IHDR
	insert := func(c []byte) []byte {
		return append(append(bytes.Clone(good[:headEnd]), c...), good[headEnd:]...)
	}
	flipped := bytes.Clone(good)
	flipped[headEnd+10] ^= 1
	for name, b := range map[string][]byte{
		"empty":              nil,
		"cut":                good[:len(good)-1],
		"trailing byte":      append(bytes.Clone(good), 0),
		"trailing PNG":       append(bytes.Clone(good), good...),
		"text":               insert(chunk("tEXt", "Comment\x00Jane Roe")),
		"international":      insert(chunk("iTXt", "x")),
		"profile":            insert(chunk("iCCP", "x")),
		"EXIF":               insert(chunk("eXIf", "x")),
		"private":            insert(chunk("blOt", "x")),
		"second header":      insert(good[8:headEnd]),
		"early end":          append(bytes.Clone(good[:headEnd]), chunk("IEND", "")...),
		"wrong checksum":     flipped,
		"no signature":       good[8:],
		"other size":         encoded(t, image.NewGray(image.Rect(0, 0, testH, testW))),
		"16 bits":            encoded(t, image.NewGray16(image.Rect(0, 0, testW, testH))),
		"palette":            encoded(t, image.NewPaletted(image.Rect(0, 0, testW, testH), color.Palette{color.White})),
		"colour of one bit":  oneBit(t, color.Palette{color.Black, color.White}, 2),
		"larger than pixels": append(bytes.Clone(good[:headEnd]), chunk("IDAT", string(make([]byte, wire.MaxPNG(testW, testH))))...),
	} {
		for _, piece := range []int{1, 1 << 20} {
			if err := checkPNG(b, piece); reason.Of(err) != reason.CellProtocol {
				t.Errorf("%s in pieces of %d: %v", name, piece, err)
			}
		}
	}
}

// What passes the check is what the standard decoder takes for a PNG of that size, or
// an image whose data is damaged: never one with more in it.
func FuzzPNG(f *testing.F) {
	var b bytes.Buffer
	png.Encode(&b, image.NewGray(image.Rect(0, 0, testW, testH)))
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		whole, bytewise := checkPNG(b, 1<<20), checkPNG(b, 1)
		if (whole == nil) != (bytewise == nil) {
			t.Fatalf("whole %v, byte by byte %v", whole, bytewise)
		}
		if whole != nil {
			return
		}
		cfg, err := png.DecodeConfig(iotest.OneByteReader(bytes.NewReader(b)))
		if err != nil || cfg.Width != testW || cfg.Height != testH {
			t.Fatalf("passed, but %v %d×%d", err, cfg.Width, cfg.Height)
		}
	})
}
