package raster

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// pngFile writes a PNG of chunks, kinds and data in turn.
func pngFile(chunks ...string) []byte {
	var b bytes.Buffer
	b.WriteString(pngSignature)
	for i := 0; i < len(chunks); i += 2 {
		appendChunk(&b, chunks[i], []byte(chunks[i+1]))
	}
	return b.Bytes()
}

// ihdr is a header of w×h pixels; 8 bits where bits is 0.
func ihdr(w, h int, bits, colours, interlaced byte) string {
	b := binary.BigEndian.AppendUint32(nil, uint32(w))
	b = binary.BigEndian.AppendUint32(b, uint32(h))
	return string(append(b, max(bits, 1), colours, 0, 0, interlaced))
}

// rowsOf packs rows, each with the filter that changes nothing.
func rowsOf(rows ...string) string {
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	for _, r := range rows {
		_, _ = z.Write(append([]byte{0}, r...)) // a buffer takes all
	}
	_ = z.Close()
	return out.String()
}

// fctl is the head of an animation's frame.
func fctl(x, y, w, h int, dispose, blend byte) string {
	var b []byte
	for _, v := range []int{0, w, h, x, y} {
		b = binary.BigEndian.AppendUint32(b, uint32(v))
	}
	return string(append(b, 0, 1, 0, 10, dispose, blend))
}

func actl(n uint32) string { return string(binary.BigEndian.AppendUint32(nil, n)) + "\x00\x00\x00\x00" }

// painted is one row of w pixels in one of the letters of letters, or clear for '-'.
func painted(letters string) string {
	var row []byte
	for _, l := range []byte(letters) {
		m := coloured(1, 1, l)
		row = append(row, m.Pix...)
	}
	return rowsOf(string(row))
}

// A frame of an animation is the canvas as a viewer shows it.
func TestAPNG(t *testing.T) {
	head, end := ihdr(3, 1, 8, 6, 0), "IEND"
	fd := func(letters string) string { return "\x00\x00\x00\x00" + painted(letters) }
	for name, c := range map[string]struct {
		chunks []string
		want   []string
	}{
		"stays":             {[]string{"acTL", actl(2), "fcTL", fctl(0, 0, 3, 1, 0, 0), "IDAT", painted("rrr"), "fcTL", fctl(1, 0, 1, 1, 0, 0), "fdAT", fd("g")}, []string{"rrr", "rgr"}},
		"cleared":           {[]string{"acTL", actl(2), "fcTL", fctl(0, 0, 3, 1, 1, 0), "IDAT", painted("rrr"), "fcTL", fctl(1, 0, 1, 1, 0, 0), "fdAT", fd("g")}, []string{"rrr", "wgw"}},
		"undone":            {[]string{"acTL", actl(3), "fcTL", fctl(0, 0, 3, 1, 0, 0), "IDAT", painted("rrr"), "fcTL", fctl(0, 0, 2, 1, 2, 0), "fdAT", fd("bb"), "fcTL", fctl(2, 0, 1, 1, 0, 0), "fdAT", fd("g")}, []string{"rrr", "bbr", "rrg"}},
		"undone at once":    {[]string{"acTL", actl(2), "fcTL", fctl(0, 0, 3, 1, 2, 0), "IDAT", painted("rrr"), "fcTL", fctl(0, 0, 1, 1, 0, 0), "fdAT", fd("g")}, []string{"rrr", "gww"}},
		"blended":           {[]string{"acTL", actl(2), "fcTL", fctl(0, 0, 3, 1, 0, 0), "IDAT", painted("rrr"), "fcTL", fctl(0, 0, 2, 1, 0, 1), "fdAT", fd("-g")}, []string{"rrr", "rgr"}},
		"not blended":       {[]string{"acTL", actl(2), "fcTL", fctl(0, 0, 3, 1, 0, 0), "IDAT", painted("rrr"), "fcTL", fctl(0, 0, 2, 1, 0, 0), "fdAT", fd("-g")}, []string{"rrr", "wgr"}},
		"a still apart":     {[]string{"acTL", actl(1), "IDAT", painted("bbb"), "fcTL", fctl(0, 0, 3, 1, 0, 0), "fdAT", fd("rrr")}, []string{"bbb", "rrr"}},
		"pixels in pieces":  {[]string{"acTL", actl(1), "IDAT", painted("bbb"), "fcTL", fctl(0, 0, 3, 1, 0, 0), "fdAT", fd("rrr")[:8], "fdAT", "\x00\x00\x00\x01" + fd("rrr")[8:]}, []string{"bbb", "rrr"}},
		"outside":           {[]string{"acTL", actl(2), "fcTL", fctl(0, 0, 3, 1, 0, 0), "IDAT", painted("rrr"), "fcTL", fctl(3, 0, 1, 1, 0, 0), "fdAT", fd("g")}, []string{"rrr", "extract.malformed"}},
		"of another size":   {[]string{"acTL", actl(2), "fcTL", fctl(0, 0, 3, 1, 0, 0), "IDAT", painted("rrr"), "fcTL", fctl(0, 0, 2, 1, 0, 0), "fdAT", fd("g")}, []string{"rrr", "extract.malformed"}},
		"no pixels":         {[]string{"acTL", actl(2), "fcTL", fctl(0, 0, 3, 1, 0, 0), "IDAT", painted("rrr"), "fcTL", fctl(0, 0, 2, 1, 0, 0)}, []string{"rrr", "extract.malformed"}},
		"fewer than it has": {[]string{"acTL", actl(9), "fcTL", fctl(0, 0, 3, 1, 0, 0), "IDAT", painted("rrr"), "fcTL", fctl(0, 0, 1, 1, 0, 0), "fdAT", fd("g")}, []string{"rrr", "grr", "extract.truncated"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, pngFile(append(append([]string{"IHDR", head}, c.chunks...), end, "")...), document.PNG, roomy)
			var got []string
			for i := range f.Assets() {
				img, err := f.Load(i)
				if err != nil {
					got = append(got, string(reason.Of(err)))
					continue
				}
				got = append(got, letters(t, img))
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	lim := roomy
	lim.Frames = 1
	many := pngFile("IHDR", head, "fcTL", fctl(0, 0, 3, 1, 0, 0), "IDAT", painted("rrr"), "fcTL", fctl(0, 0, 1, 1, 0, 0), "IEND", "")
	if _, err := tryOpen(many, document.PNG, lim); reason.Of(err) != reason.ExtractFrames {
		t.Errorf("two frames of one: %v", err)
	}
}

// F16: an animation that is cut shows that something is missing, whatever is left.
func TestTruncatedAPNG(t *testing.T) {
	fd := "\x00\x00\x00\x00" + painted("g")
	whole := pngFile("IHDR", ihdr(3, 1, 8, 6, 0), "acTL", actl(2), "fcTL", fctl(0, 0, 3, 1, 0, 0), "IDAT", painted("rrr"),
		"fcTL", fctl(1, 0, 1, 1, 0, 0), "fdAT", fd, "IEND", "")
	for n := range whole[:len(whole)-12] {
		f, err := tryOpen(whole[:n], document.PNG, roomy)
		if err == nil && (ends(f) == "ok" || ends(f) == "ok, ok") {
			t.Fatalf("cut to %d of %d it ends %s", n, len(whole), ends(f))
		}
	}
}

func TestInterlacedPNG(t *testing.T) {
	img := arrow(21, 13)
	var rows []string
	for _, p := range [][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}} {
		for y := p[1]; y < 13; y += p[3] {
			row := ""
			for x := p[0]; x < 21; x += p[2] {
				row += string([]byte{img.GrayAt(x, y).Y})
			}
			if row != "" {
				rows = append(rows, row)
			}
		}
	}
	file := pngFile("IHDR", ihdr(21, 13, 8, 0, 1), "IDAT", rowsOf(rows...), "IEND", "")
	if got := pixels(load(t, open(t, file, document.PNG, roomy), 0)); !bytes.Equal(got, img.Pix) {
		t.Error("other pixels")
	}
}

// Every way to say that a pixel is clear, and widths of samples, with what they show.
func TestPNGKinds(t *testing.T) {
	table := string(fourColours)
	for name, c := range map[string]struct {
		file []byte
		want []byte
	}{
		"palette, clear":     {pngFile("IHDR", ihdr(2, 1, 8, 3, 0), "PLTE", table, "tRNS", "\x00\x80", "IDAT", rowsOf("\x00\x01"), "IEND", ""), []byte{255, 255, 255, 255, 127, 255, 127, 255}},
		"palette, 2 bits":    {pngFile("IHDR", ihdr(4, 1, 2, 3, 0), "PLTE", table, "IDAT", rowsOf("\x1b"), "IEND", ""), []byte{255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255}},
		"gray, clear":        {pngFile("IHDR", ihdr(2, 1, 8, 0, 0), "tRNS", "\x00\x05", "IDAT", rowsOf("\x05\x06"), "IEND", ""), []byte{255, 6}},
		"colour, clear":      {pngFile("IHDR", ihdr(2, 1, 8, 2, 0), "tRNS", "\x00\x01\x00\x02\x00\x03", "IDAT", rowsOf("\x01\x02\x03\x01\x02\x04"), "IEND", ""), []byte{255, 255, 255, 255, 1, 2, 4, 255}},
		"gray and alpha, 16": {pngFile("IHDR", ihdr(2, 1, 16, 4, 0), "IDAT", rowsOf("\x00\x00\x00\x00\xff\xff\xff\xff"), "IEND", ""), []byte{255, 255}},
		"12 bits in 16":      {pngFile("IHDR", ihdr(2, 1, 16, 0, 0), "IDAT", rowsOf("\x0f\xff\x08\x00"), "IEND", ""), []byte{255, 128}},
		"12 in 16, colour":   {pngFile("IHDR", ihdr(1, 1, 16, 2, 0), "IDAT", rowsOf("\x0f\xff\x08\x00\x00\x00"), "IEND", ""), []byte{255, 128, 0, 255}},
	} {
		if got := pixels(load(t, open(t, c.file, document.PNG, roomy), 0)); !bytes.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestPNGOrientation(t *testing.T) {
	upright := arrow(32, 16)
	for o := orientation(1); o <= 8; o++ {
		file := withChunk(pngOf(t, stored(upright, o)), "eXIf", exif(uint16(o))[6:])
		var fixed bytes.Buffer // with its sum, which the decoder checks
		fixed.Write(file[:33])
		appendChunk(&fixed, "eXIf", []byte(exif(uint16(o))[6:]))
		fixed.Write(file[33+12+len(exif(1))-6:])
		near(t, load(t, open(t, fixed.Bytes(), document.PNG, roomy), 0), upright)
	}
}

func TestWideGrayKeepsItsRange(t *testing.T) {
	img := image.NewGray16(image.Rect(0, 0, 2, 1))
	img.SetGray16(0, 0, color.Gray16{0x7fff})
	if got := pixels(load(t, open(t, pngOf(t, img), document.PNG, roomy), 0)); got[0] != 0x7f {
		t.Errorf("%v", got)
	}
}

// What describes a picture need not be whole; the pixels and what they mean must be.
func TestPNGChecksums(t *testing.T) {
	want := arrow(16, 16)
	good := pngOf(t, want)
	spoilt := bytes.Clone(good)
	spoilt[bytes.Index(spoilt, []byte("IEND"))-5] ^= 1 // of the pixels
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"a text":         {withChunk(good, "tEXt", "name\x00Jane"), "ok"},
		"a profile":      {withChunk(good, "iCCP", "sRGB\x00\x00"), "ok"},
		"transparency":   {withChunk(good, "tRNS", "\x00\x01"), "extract.malformed"},
		"a chunk needed": {withChunk(good, "NEED", "this"), "extract.malformed"},
		"pixels":         {spoilt, "extract.malformed"},
		"a text, cut":    {withChunk(good, "tEXt", "name\x00Jane")[:len(good)-8], "extract.truncated"},
	} {
		f := open(t, c.file, document.PNG, roomy)
		if got := ends(f); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if c.want == "ok" {
			if got, ok := load(t, f, 0).(*image.Gray); !ok || !bytes.Equal(got.Pix, want.Pix) {
				t.Errorf("%s: other pixels", name)
			}
		}
	}
}
