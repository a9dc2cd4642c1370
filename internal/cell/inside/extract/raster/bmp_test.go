package raster

import (
	"bytes"
	"encoding/binary"
	"image"
	"testing"

	xbmp "golang.org/x/image/bmp"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// bmpOf is a BMP as its writers make it; zero fields are the usual.
type bmpOf struct {
	header      int // 40 if zero
	w, h        int32
	bits        uint16
	compression uint32
	used        uint32 // colours
	palette     []byte // as stored
	masks       []uint32
	data        []byte
	behind      string
}

func (b bmpOf) bytes() []byte {
	le := binary.LittleEndian
	if b.header == 0 {
		b.header = infoHeader
	}
	info := make([]byte, max(b.header, v5Header))
	le.PutUint32(info, uint32(b.header))
	if b.header == os2Header {
		le.PutUint16(info[4:], uint16(b.w))
		le.PutUint16(info[6:], uint16(b.h))
		le.PutUint16(info[8:], 1)
		le.PutUint16(info[10:], b.bits)
	} else {
		le.PutUint32(info[4:], uint32(b.w))
		le.PutUint32(info[8:], uint32(b.h))
		le.PutUint16(info[12:], 1)
		le.PutUint16(info[14:], b.bits)
		le.PutUint32(info[16:], b.compression)
		le.PutUint32(info[20:], uint32(len(b.data)))
		le.PutUint32(info[24:], 11811) // 300 dots per inch
		le.PutUint32(info[32:], b.used)
	}
	var masks []byte
	for _, m := range b.masks {
		masks = le.AppendUint32(masks, m)
	}
	if b.header >= 52 {
		copy(info[40:], masks)
		masks = nil
	}
	out := append([]byte("BM\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), info[:b.header]...)
	out = append(append(out, masks...), b.palette...)
	le.PutUint32(out[10:], uint32(len(out)))
	return append(append(out, b.data...), b.behind...)
}

// bgr is the palette of the four colours, in entries of n bytes.
func bgr(n int) []byte {
	var out []byte
	for i := 0; i < len(fourColours); i += 3 {
		out = append(append(out, fourColours[i+2], fourColours[i+1], fourColours[i]), make([]byte, n-3)...)
	}
	return out
}

// Each picture shows red, green, blue above white, white, red, or as much of it as its
// kind can.
func TestBMPKinds(t *testing.T) {
	const want = "rgb wwr"
	rgb565 := []uint32{0xf800, 0x07e0, 0x001f}
	px16 := func(v ...uint16) (out []byte) {
		for _, p := range v {
			out = binary.LittleEndian.AppendUint16(out, p)
		}
		return append(out, 0, 0)
	}
	px32 := func(v ...uint32) (out []byte) {
		for _, p := range v {
			out = binary.LittleEndian.AppendUint32(out, p)
		}
		return out
	}
	lower24, upper24 := "\xff\xff\xff\xff\xff\xff\x00\x00\xff\x00\x00\x00", "\x00\x00\xff\x00\xff\x00\xff\x00\x00\x00\x00\x00"
	upper32, lower32 := px32(0xff0000, 0xff00, 0xff), px32(0xffffff, 0xffffff, 0xff0000)
	for name, c := range map[string]struct {
		b    bmpOf
		want string
	}{
		"8 bits":              {bmpOf{w: 3, h: 2, bits: 8, used: 4, palette: bgr(4), data: []byte{3, 3, 0, 0, 0, 1, 2, 0}}, want},
		"4 bits":              {bmpOf{w: 3, h: 2, bits: 4, used: 4, palette: bgr(4), data: []byte{0x33, 0, 0, 0, 0x01, 0x20, 0, 0}}, want},
		"2 bits":              {bmpOf{w: 3, h: 2, bits: 2, used: 4, palette: bgr(4), data: []byte{0xf0, 0, 0, 0, 0x18, 0, 0, 0}}, want},
		"1 bit":               {bmpOf{w: 3, h: 2, bits: 1, palette: bgr(4)[:8], data: []byte{0x40, 0, 0, 0, 0xa0, 0, 0, 0}}, "grg rgr"},
		"from the top":        {bmpOf{w: 3, h: -2, bits: 8, used: 4, palette: bgr(4), data: []byte{0, 1, 2, 0, 3, 3, 0, 0}}, want},
		"24 bits":             {bmpOf{w: 3, h: 2, bits: 24, data: []byte(lower24 + upper24)}, want},
		"24 bits, OS/2":       {bmpOf{header: os2Header, w: 3, h: 2, bits: 24, data: []byte(lower24 + upper24)}, want},
		"8 bits, OS/2":        {bmpOf{header: os2Header, w: 3, h: 2, bits: 8, palette: bgr(3), data: []byte{3, 3, 0, 0, 0, 1, 2, 0}}, want},
		"OS/2 2, short":       {bmpOf{header: os2Short, w: 3, h: 2, bits: 8, palette: bgr(4), data: []byte{3, 3, 0, 0, 0, 1, 2, 0}}, want},
		"OS/2 2, long":        {bmpOf{header: os2Long, w: 3, h: 2, bits: 24, data: []byte(lower24 + upper24)}, want},
		"16 bits":             {bmpOf{w: 3, h: 2, bits: 16, data: append(px16(0x7fff, 0x7fff, 0x7c00), px16(0x7c00, 0x03e0, 0x001f)...)}, want},
		"16 bits of 5-6-5":    {bmpOf{w: 3, h: 2, bits: 16, compression: bmpMasks, masks: rgb565, data: append(px16(0xffff, 0xffff, 0xf800), px16(0xf800, 0x07e0, 0x001f)...)}, want},
		"5-6-5 within":        {bmpOf{header: 52, w: 3, h: 2, bits: 16, compression: bmpMasks, masks: rgb565, data: append(px16(0xffff, 0xffff, 0xf800), px16(0xf800, 0x07e0, 0x001f)...)}, want},
		"32 bits":             {bmpOf{w: 3, h: 2, bits: 32, data: append(lower32, upper32...)}, want},
		"32 bits of 10-10-10": {bmpOf{w: 1, h: 1, bits: 32, compression: bmpMasks, masks: []uint32{0x3ff, 0xffc00, 0x3ff00000}, data: px32(0xffc00)}, "g"},
		"alpha":               {bmpOf{header: v4Header, w: 2, h: 1, bits: 32, compression: bmpMasks, masks: []uint32{0xff0000, 0xff00, 0xff, 0xff000000}, data: px32(0x00ff0000, 0xffff0000)}, "wr"},
		"alpha behind":        {bmpOf{w: 2, h: 1, bits: 32, compression: bmpAlphaMasks, masks: []uint32{0xff0000, 0xff00, 0xff, 0xff000000}, data: px32(0x00ff0000, 0xffff0000)}, "wr"},
		"alpha not meant":     {bmpOf{header: v4Header, w: 2, h: 1, bits: 32, compression: bmpMasks, masks: []uint32{0xff0000, 0xff00, 0xff, 0xff000000}, data: px32(0x00ff0000, 0x0000ff00)}, "rg"},
		"run lengths of 8":    {bmpOf{w: 3, h: 2, bits: 8, compression: bmpRLE8, used: 4, palette: bgr(4), data: []byte{2, 3, 1, 0, 0, 0, 0, 3, 0, 1, 2, 0, 0, 1}}, want},
		"run lengths of 4":    {bmpOf{w: 3, h: 2, bits: 4, compression: bmpRLE4, used: 4, palette: bgr(4), data: []byte{2, 0x33, 1, 0x00, 0, 0, 0, 3, 0x01, 0x20, 0, 1}}, want},
		"run lengths of 24":   {bmpOf{header: os2Long, w: 3, h: 2, bits: 24, compression: bmpRLE24, data: []byte("\x02\xff\xff\xff\x01\x00\x00\xff\x00\x00\x00\x03\x00\x00\xff\x00\xff\x00\xff\x00\x00\x00\x00\x01")}, want},
		"alternating runs":    {bmpOf{w: 3, h: 1, bits: 4, compression: bmpRLE4, used: 4, palette: bgr(4), data: []byte{3, 0x12, 0, 1}}, "gbg"},
		"skipped pixels":      {bmpOf{w: 3, h: 2, bits: 8, compression: bmpRLE8, used: 4, palette: bgr(4), data: []byte{1, 1, 0, 2, 1, 1, 1, 2, 0, 1}}, "rrb grr"},
		"no end mark":         {bmpOf{w: 1, h: 1, bits: 8, compression: bmpRLE8, used: 4, palette: bgr(4), data: []byte{1, 1, 0, 0}}, "g"},
		"last padding gone":   {bmpOf{w: 3, h: 2, bits: 8, used: 4, palette: bgr(4), data: []byte{3, 3, 0, 0, 0, 1, 2}}, want},
		"run beyond its row":  {bmpOf{w: 3, h: 2, bits: 8, compression: bmpRLE8, used: 4, palette: bgr(4), data: []byte{9, 3, 0, 0, 0, 5, 0, 1, 2, 3, 3, 0, 0, 1}}, "rgb www"},
		"colour not counted":  {bmpOf{w: 3, h: 1, bits: 8, used: 4, palette: bgr(4), data: []byte{1, 4, 255, 0}}, "g??"},
		"palette too large":   {bmpOf{w: 3, h: 2, bits: 8, used: 4096, palette: bgr(4), data: []byte{3, 3, 0, 0, 0, 1, 2, 0}}, want},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, c.b.bytes(), document.BMP, roomy)
			if got := letters(t, load(t, f, 0)); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if dpi := f.Assets()[0].DPI; c.b.header == 0 && dpi != 300 || f.NotCovered() != 0 {
				t.Errorf("%d dots per inch, %v", dpi, f.NotCovered().Names())
			}
		})
	}
}

// Where a file says that its pixels begin within what stands before them, its length tells
// whether they stand behind that. A palette may end early otherwise.
func TestBMPPixelsInFront(t *testing.T) {
	of := bmpOf{w: 3, h: 2, bits: 8, used: 4, palette: bgr(4), data: []byte{3, 3, 0, 0, 0, 1, 2, 0}}
	masked := bmpOf{w: 2, h: 1, bits: 16, compression: bmpMasks, masks: []uint32{0xf800, 0x07e0, 0x001f}, data: []byte{0, 0xf8, 0xe0, 7}}
	for name, c := range map[string]struct {
		b      bmpOf
		at     byte
		behind string
		want   string
	}{
		"none":                      {of, 0, "", "rgb wwr"},
		"within the header":         {of, 2, "", "rgb wwr"},
		"within the header, more":   {of, 53, "Jane", "rgb wwr"},
		"at the palette":            {of, 54, "", "rgb wwr"},
		"within the palette":        {of, 69, "", "rgb wwr"},
		"within the palette, short": {bmpOf{w: 1, h: 1, bits: 8, palette: bgr(4), data: []byte{1, 0, 0, 0}}, 70, "", "g"},
		"at the masks":              {masked, 54, "", "rg"},
		"at the header, of 24 bits": {bmpOf{w: 1, h: 1, bits: 24, data: []byte{0, 255, 0, 0}}, 14, "", "g"},
	} {
		file := append(c.b.bytes(), c.behind...)
		file[10] = c.at
		if got := letters(t, load(t, open(t, file, document.BMP, roomy), 0)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// What stands in front of the pixels' own header in a file may be missing.
func TestBMPWithoutFileHeader(t *testing.T) {
	for name, b := range map[string]bmpOf{
		"palette": {w: 3, h: 2, bits: 8, used: 4, palette: bgr(4), data: []byte{3, 3, 0, 0, 0, 1, 2, 0}},
		"masks":   {w: 3, h: 2, bits: 16, compression: bmpMasks, masks: []uint32{0xf800, 0x07e0, 0x001f}, data: []byte("\xff\xff\xff\xff\x00\xf8\x00\x00\x00\xf8\xe0\x07\x1f\x00\x00\x00")},
	} {
		bare := b.bytes()[bmpFileHeader:]
		if got := letters(t, load(t, open(t, bare, document.BMP, roomy), 0)); got != "rgb wwr" {
			t.Errorf("%s: %q", name, got)
		}
		if got := ends(open(t, bare[:len(bare)-4], document.BMP, roomy)); got != "extract.truncated" {
			t.Errorf("%s, cut: %s", name, got)
		}
	}
}

// A bitmap may be the wrapping of a JPEG or PNG file.
func TestFilesWithinBMP(t *testing.T) {
	for compression, inner := range map[uint32][]byte{bmpJPEG: jpegOf(t, arrow(32, 16)), bmpPNG: pngOf(t, arrow(32, 16))} {
		b := bmpOf{w: 32, h: 16, compression: compression, data: inner}
		f := open(t, b.bytes(), document.BMP, roomy)
		near(t, load(t, f, 0), arrow(32, 16))
		if f.Assets()[0].DPI != 300 {
			t.Errorf("%+v", f.Assets()[0])
		}
		b.data = inner[:len(inner)/2]
		if got := ends(open(t, b.bytes(), document.BMP, roomy)); got != "extract.truncated" {
			t.Errorf("compression %d, half of it: %s", compression, got)
		}
	}
}

func TestBMPOfAnotherWriter(t *testing.T) {
	var b bytes.Buffer
	if err := xbmp.Encode(&b, arrow(33, 17)); err != nil {
		t.Fatal(err)
	}
	got, ok := load(t, open(t, b.Bytes(), document.BMP, roomy), 0).(*image.Gray)
	if !ok || !bytes.Equal(got.Pix, arrow(33, 17).Pix) {
		t.Errorf("gray pixels came out as %T", got)
	}
}

func TestHostileBMP(t *testing.T) {
	good := bmpOf{w: 3, h: 2, bits: 8, used: 4, palette: bgr(4), data: []byte{3, 3, 0, 0, 0, 1, 2, 0}}
	packed := func(data ...byte) bmpOf {
		return bmpOf{w: 3, h: 2, bits: 8, compression: bmpRLE8, used: 4, palette: bgr(4), data: data}
	}
	with := func(change func(*bmpOf)) []byte {
		b := good
		change(&b)
		return b.bytes()
	}
	early := with(func(*bmpOf) {})
	early[10] = 20 // pixels within the header
	short := early[:len(early)-4]
	for _, c := range []struct {
		name    string
		file    []byte
		refused reason.Code
		want    string
	}{
		{"cut in the header", good.bytes()[:50], reason.ExtractTruncated, ""},
		{"header of a strange length", with(func(b *bmpOf) { b.header = 15 }), reason.ExtractMalformed, ""},
		{"cut in the pixels", good.bytes()[:len(good.bytes())-2], "", "extract.truncated"},
		{"no width", with(func(b *bmpOf) { b.w = 0 }), "", "extract.malformed"},
		{"no height", with(func(b *bmpOf) { b.h = 0 }), "", "extract.malformed"},
		{"width below zero", with(func(b *bmpOf) { b.w = -3 }), "", "extract.malformed"},
		{"least height", with(func(b *bmpOf) { b.h = -1 << 31 }), "", "extract.malformed"},
		{"giant, of few bytes", with(func(b *bmpOf) { b.w, b.h, b.bits = 1<<31-1, 1<<31-1, 32 }), "", "extract.truncated"},
		{"giant, packed", with(func(b *bmpOf) { b.w, b.h, b.compression = 100_000, 100_000, bmpRLE8 }), "", "extract.pixel_limit"},
		{"pixels within the header", early, "", "ok"},
		{"pixels within the header, and too few", short, "", "extract.malformed"},
		{"colour past a palette that is cut", with(func(b *bmpOf) { b.used, b.data = 5, []byte{3, 3, 4, 0, 0, 1, 2, 0} }), "", "extract.malformed"},
		{"no palette", with(func(b *bmpOf) { b.palette = nil }), "", "extract.malformed"},
		{"bits nobody has", with(func(b *bmpOf) { b.bits = 40 }), "", "extract.unsupported_encoding"},
		{"called a JPEG", with(func(b *bmpOf) { b.compression = bmpJPEG }), "", "extract.truncated"},
		{"called a PNG", with(func(b *bmpOf) { b.compression = bmpPNG }), "", "extract.truncated"},
		{"a PNG of another size", bmpOf{w: 9, h: 8, bits: 0, compression: bmpPNG, data: pngOf(t, arrow(8, 8))}.bytes(), "", "extract.declared_size_differs"},
		{"fax code of OS/2", with(func(b *bmpOf) { b.header, b.bits, b.compression = os2Long, 1, 3 }), "", "extract.unsupported_encoding"},
		{"mask with holes", with(func(b *bmpOf) { b.bits, b.compression, b.masks = 16, bmpMasks, []uint32{0x5000, 0x3e0, 0x1f} }), "", "extract.malformed"},
		{"packed from the top", with(func(b *bmpOf) { b.h, b.compression = -2, bmpRLE8 }), "", "extract.malformed"},
		{"jump beyond the picture", packed(0, 2, 200, 200, 0, 1).bytes(), "", "extract.malformed"},
		{"jump above the picture", packed(0, 2, 0, 3, 1, 1, 0, 1).bytes(), "", "extract.malformed"},
		{"runs without an end", packed(3, 1, 0, 0, 1, 1).bytes(), "", "extract.truncated"},
		{"cut in literals", packed(0, 3, 1).bytes(), "", "extract.truncated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := tryOpen(c.file, document.BMP, roomy)
			if reason.Of(err) != c.refused {
				t.Fatalf("refused with %v, want %q", err, c.refused)
			}
			if err == nil && ends(f) != c.want {
				t.Errorf("ends %s, want %s", ends(f), c.want)
			}
		})
	}
}

func TestBMPSaysWhatElseItHolds(t *testing.T) {
	b := bmpOf{w: 1, h: 1, bits: 24, data: []byte{0, 0, 255, 0}, behind: "Jane"}
	if got := open(t, b.bytes(), document.BMP, roomy).NotCovered(); got != document.Metadata {
		t.Errorf("%v", got.Names())
	}
}
