package raster

import (
	"encoding/binary"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// icoOf writes an icon or cursor of pictures.
func icoOf(kind uint16, pictures ...[]byte) []byte {
	le := binary.LittleEndian
	b := le.AppendUint16(le.AppendUint16([]byte{0, 0}, kind), uint16(len(pictures)))
	at := 6 + 16*len(pictures)
	for _, p := range pictures {
		b = append(b, 16, 16, 0, 0, 1, 0, 32, 0)
		b = le.AppendUint32(le.AppendUint32(b, uint32(len(p))), uint32(at))
		at += len(p)
	}
	for _, p := range pictures {
		b = append(b, p...)
	}
	return b
}

// dib is a bitmap as icons hold it: without a file header, twice as high, its mask behind.
func dib(b bmpOf, mask ...byte) []byte {
	b.h *= 2
	b.behind = string(mask)
	return b.bytes()[bmpFileHeader:]
}

func TestIcons(t *testing.T) {
	pixels := []byte{3, 3, 0, 0, 0, 1, 2, 0}
	indexed := bmpOf{w: 3, h: 2, bits: 8, used: 4, palette: bgr(4), data: pixels}
	alpha := bmpOf{w: 2, h: 1, bits: 32, data: []byte{0, 0, 255, 255, 0, 0, 255, 0}}
	none := bmpOf{w: 2, h: 1, bits: 32, data: []byte{0, 0, 255, 0, 0, 255, 0, 0}}
	file := icoOf(1,
		dib(indexed, 0, 0, 0, 0, 0b010_00000, 0, 0, 0), // the lower row first
		pngOf(t, coloured(2, 2, 'g')),
		dib(alpha, 0, 0, 0, 0), dib(none, 0b10_000000, 0, 0, 0), dib(alpha),
		dib(bmpOf{w: 4, h: 1, bits: 1, palette: bgr(4)[:8], data: []byte{0b0101_0000, 0, 0, 0}}, 0, 0, 0, 0),
	)
	for _, kind := range []uint16{1, 2} {
		binary.LittleEndian.PutUint16(file[2:], kind)
		f := open(t, file, document.ICO, roomy)
		for i, want := range []string{"rwb wwr", "gg gg", "rw", "wg", "rw", "rgrg"} {
			if got := letters(t, load(t, f, i)); got != want {
				t.Errorf("kind %d, picture %d: %q, want %q", kind, i, got, want)
			}
		}
	}
	lim := roomy
	lim.Frames = 5
	if _, err := tryOpen(file, document.ICO, lim); reason.Of(err) != reason.ExtractFrames {
		t.Errorf("six pictures of five: %v", err)
	}
}

func TestHostileIcons(t *testing.T) {
	good := dib(bmpOf{w: 3, h: 2, bits: 8, used: 4, palette: bgr(4), data: []byte{3, 3, 0, 0, 0, 1, 2, 0}}, make([]byte, 8)...)
	whole := icoOf(1, good, good)
	huge := dib(bmpOf{w: 1 << 30, h: 1 << 29, bits: 8, data: []byte{1}})
	for name, c := range map[string]struct {
		file    []byte
		refused reason.Code
		want    string
	}{
		"no pictures":       {icoOf(1), reason.ExtractMalformed, ""},
		"another kind":      {icoOf(3, good), reason.ExtractMalformed, ""},
		"cut in the list":   {whole[:30], "", "extract.truncated, extract.truncated"},
		"cut in the last":   {whole[:len(whole)-9], "", "ok, extract.truncated"},
		"without a mask":    {icoOf(1, good[:len(good)-8]), "", "extract.truncated"},
		"larger than it is": {icoOf(1, huge), "", "extract.truncated"},
		"no picture at all": {icoOf(1, []byte("0123456789012345678901234567890123456789")), "", "extract.malformed"},
	} {
		f, err := tryOpen(c.file, document.ICO, roomy)
		if reason.Of(err) != c.refused {
			t.Fatalf("%s: refused with %v, want %q", name, err, c.refused)
		}
		if err == nil && ends(f) != c.want {
			t.Errorf("%s: pictures end %s, want %s", name, ends(f), c.want)
		}
	}
}

func FuzzICO(f *testing.F) {
	f.Add(icoOf(1, dib(bmpOf{w: 3, h: 2, bits: 8, used: 4, palette: bgr(4), data: []byte{3, 3, 0, 0, 0, 1, 2, 0}}, make([]byte, 8)...)))
	f.Add(icoOf(2, pngOf(f, coloured(2, 2, 'g')), dib(bmpOf{w: 2, h: 1, bits: 32, data: make([]byte, 8)}, 0, 0, 0, 0)))
	f.Fuzz(func(t *testing.T, b []byte) { again(t, b, document.ICO) })
}
