package raster

import (
	"bytes"
	"compress/lzw"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"strings"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// gifImageOf is one image of a GIF as gifOf writes it.
type gifImageOf struct {
	x, y, w, h int
	pix        []byte // indexes, in the order in which they are stored
	dispose    byte
	clear      int // transparent index, -1 for none
	interlaced bool
	local      []byte
	codeWidth  byte   // 8 if zero
	data       []byte // instead of packed pix
}

// fourColours are red, green, blue and white.
var fourColours = []byte{255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255}

// gifOf writes a GIF with the four colours.
func gifOf(w, h int, images ...gifImageOf) []byte {
	le := binary.LittleEndian
	b := le.AppendUint16(le.AppendUint16([]byte("GIF89a"), uint16(w)), uint16(h))
	b = append(append(b, 0x81, 0, 0), fourColours...)
	for _, m := range images {
		control := []byte{0x21, 0xf9, 4, m.dispose << 2, 0, 0, 0, 0}
		if m.clear >= 0 {
			control[3], control[6] = control[3]|1, byte(m.clear)
		}
		b = append(append(b, control...), 0x2c)
		for _, v := range []int{m.x, m.y, m.w, m.h} {
			b = le.AppendUint16(b, uint16(v))
		}
		flags := byte(0)
		if m.interlaced {
			flags |= 0x40
		}
		if m.local != nil {
			flags |= 0x81
		}
		b = append(append(b, flags), m.local...)
		b = append(b, m.packed()...)
	}
	return append(b, 0x3b)
}

func (m gifImageOf) packed() []byte {
	width := m.codeWidth
	if width == 0 {
		width = 8
	}
	data := m.data
	if data == nil {
		var p bytes.Buffer
		z := lzw.NewWriter(&p, lzw.LSB, 8)
		if _, err := z.Write(m.pix); err != nil {
			panic(err)
		}
		if err := z.Close(); err != nil {
			panic(err)
		}
		data = p.Bytes()
	}
	out := []byte{width}
	for len(data) > 0 {
		n := min(len(data), 255)
		out = append(append(out, byte(n)), data[:n]...)
		data = data[n:]
	}
	return append(out, 0)
}

// solid is an image of one index.
func solid(x, y, w, h int, index byte) gifImageOf {
	return gifImageOf{x: x, y: y, w: w, h: h, pix: bytes.Repeat([]byte{index}, w*h), clear: -1}
}

// letters shows a frame as text: r, g, b, w, or ? for another colour.
func letters(t *testing.T, img image.Image) string {
	t.Helper()
	var b strings.Builder
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			known := byte('?')
			for i, letter := range []byte("rgbw") {
				if c == (color.NRGBA{fourColours[3*i], fourColours[3*i+1], fourColours[3*i+2], 255}) {
					known = letter
				}
			}
			b.WriteByte(known)
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

// A frame is what a viewer shows: what earlier images left, what they took away with
// them, and this one. Nothing is left out, also what lies beyond the logical screen.
func TestGIFFrames(t *testing.T) {
	undo := solid(0, 0, 1, 1, 2)
	undo.dispose = 3
	clears := solid(0, 0, 1, 2, 1)
	clears.dispose = 2
	holes := gifImageOf{w: 2, h: 1, pix: []byte{0, 1}, clear: 0}
	laced := gifImageOf{w: 1, h: 5, pix: []byte{0, 3, 1, 0, 2}, clear: -1, interlaced: true} // rows 0, 4, 2, 1, 3
	own := solid(0, 0, 1, 1, 0)
	own.local = []byte{0, 0, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0}
	for name, c := range map[string]struct {
		file []byte
		want []string
	}{
		"stays":              {gifOf(2, 1, solid(0, 0, 2, 1, 0), solid(1, 0, 1, 1, 1)), []string{"rr", "rg"}},
		"cleared":            {gifOf(2, 2, clears, solid(1, 1, 1, 1, 2)), []string{"gw gw", "ww wb"}},
		"undone":             {gifOf(2, 1, solid(0, 0, 2, 1, 0), undo, solid(1, 0, 1, 1, 1)), []string{"rr", "br", "rg"}},
		"transparent":        {gifOf(2, 1, holes, holes), []string{"wg", "wg"}},
		"interlaced":         {gifOf(1, 5, laced), []string{"r r g b w"}},
		"own colours":        {gifOf(1, 1, own), []string{"b"}},
		"less than a screen": {gifOf(3, 2, solid(1, 0, 1, 1, 0)), []string{"wrw www"}},
		"beyond the screen":  {gifOf(1, 1, solid(0, 0, 1, 1, 0), solid(2, 1, 1, 1, 1)), []string{"rww www", "rww wwg"}},
		"no screen":          {gifOf(0, 0, solid(0, 0, 1, 1, 2)), []string{"b"}},
		"index past palette": {gifOf(1, 1, gifImageOf{w: 1, h: 1, pix: []byte{200}, clear: 200}), []string{"w"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t, c.file, document.GIF, roomy)
			var got []string
			for i := range f.Assets() {
				got = append(got, letters(t, load(t, f, i)))
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("frames %q, want %q", got, c.want)
			}
			for i := len(got) - 1; i >= 0; i-- { // in any order, and again
				if again := letters(t, load(t, f, i)); again != got[i] {
					t.Errorf("frame %d was %q and is %q", i, got[i], again)
				}
			}
		})
	}
}

// The standard encoder writes something else than gifOf does.
func TestGIFOfAnotherWriter(t *testing.T) {
	m := image.NewPaletted(image.Rect(0, 0, 40, 20), color.Palette{})
	for i := range 256 {
		m.Palette = append(m.Palette, color.Gray{uint8(i)})
	}
	copy(m.Pix, arrow(40, 20).Pix)
	var b bytes.Buffer
	if err := gif.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	got, ok := load(t, open(t, b.Bytes(), document.GIF, roomy), 0).(*image.Gray)
	if !ok || !bytes.Equal(got.Pix, arrow(40, 20).Pix) {
		t.Errorf("gray pixels came out as %T", got)
	}
}

func TestHostileGIF(t *testing.T) {
	whole := gifOf(4, 4, solid(0, 0, 4, 4, 0), solid(0, 0, 4, 4, 1))
	short := gifImageOf{w: 4, h: 4, pix: []byte{1, 2, 3}, clear: -1}
	junk := gifImageOf{w: 4, h: 4, data: bytes.Repeat([]byte{0xff}, 40), clear: -1}
	bare := bytes.Replace(gifOf(1, 1, solid(0, 0, 1, 1, 0)), append([]byte{0x81, 0, 0}, fourColours...), []byte{1, 0, 0}, 1)
	for _, c := range []struct {
		name    string
		file    []byte
		refused reason.Code
		want    string // how the frames end
	}{
		{"cut in the header", whole[:12], reason.ExtractTruncated, ""},
		{"cut in the palette", whole[:20], reason.ExtractTruncated, ""},
		{"cut in the second image", whole[:len(whole)-4], "", "ok, extract.truncated"},
		{"cut before the end mark", whole[:len(whole)-1], "", "ok, ok, extract.truncated"},
		{"junk between images", append(whole[:len(whole)-1:len(whole)-1], 0x99, 0x3b), "", "ok, ok, extract.malformed"},
		{"no image", gifOf(4, 4), reason.ExtractMalformed, ""},
		{"image of no size", gifOf(4, 4, gifImageOf{w: 0, h: 4, clear: -1}), "", "extract.malformed"},
		{"too few pixels, and what lies on them", gifOf(4, 4, short, solid(0, 0, 1, 1, 0)), "", "extract.truncated, extract.truncated"},
		{"broken codes", gifOf(4, 4, junk), "", "extract.malformed"},
		{"codes too wide", gifOf(4, 4, gifImageOf{w: 4, h: 4, pix: make([]byte, 16), codeWidth: 9, clear: -1}), "", "extract.malformed"},
		{"colour past the palette", gifOf(1, 1, solid(0, 0, 1, 1, 4)), "", "extract.malformed"},
		{"no palette", bare, "", "extract.malformed"},
		{"huge screen", gifOf(65535, 65535, solid(0, 0, 1, 1, 0)), "", "extract.pixel_limit"},
		{"far image", gifOf(1, 1, solid(65535, 65534, 1, 1, 0)), "", "extract.pixel_limit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := tryOpen(c.file, document.GIF, roomy)
			if reason.Of(err) != c.refused {
				t.Fatalf("refused with %v, want %q", err, c.refused)
			}
			if err == nil && ends(f) != c.want {
				t.Errorf("frames end %s, want %s", ends(f), c.want)
			}
		})
	}
}

// F22: a file of a hundred thousand frames is refused by their number alone, a long
// animation by the sum of its pixels, each before anything is unpacked.
func TestLongGIF(t *testing.T) {
	lim := document.Limits{Assets: 2000, Frames: 500, AssetPixels: 40e6, TotalPixels: 400e6}
	tiny := solid(0, 0, 148, 148, 0)
	head := gifOf(148, 148)
	one := gifOf(148, 148, tiny)
	one = one[len(head)-1 : len(one)-1]
	many := append(append(head[:len(head)-1:len(head)-1], bytes.Repeat(one, 107_000)...), 0x3b)
	if _, err := tryOpen(many, document.GIF, lim); reason.Of(err) != reason.ExtractFrames {
		t.Errorf("107,000 frames: %v", err)
	}
	large := gifImageOf{w: 1024, h: 768, data: []byte{0}, clear: -1}
	for n, want := range map[int]reason.Code{500: "", 508: reason.ExtractFrames} {
		if _, err := tryOpen(gifOf(1024, 768, repeated(large, n)...), document.GIF, lim); reason.Of(err) != want {
			t.Errorf("%d frames of 1024×768: %v", n, err)
		}
	}
	lim.Frames, lim.TotalPixels = 2000, 1024*768*508-1
	if _, err := tryOpen(gifOf(1024, 768, repeated(large, 508)...), document.GIF, lim); reason.Of(err) != reason.ExtractTotal {
		t.Errorf("508 frames of 1024×768: %v", err)
	}
}

func repeated(m gifImageOf, n int) []gifImageOf {
	out := make([]gifImageOf, n)
	for i := range out {
		out[i] = m
	}
	return out
}

func TestGIFSaysWhatElseItHolds(t *testing.T) {
	whole := gifOf(1, 1, solid(0, 0, 1, 1, 0))
	at := 13 + len(fourColours)
	with := func(ext string) []byte { return append(append(whole[:at:at], ext...), whole[at:]...) }
	for name, c := range map[string]struct {
		file []byte
		want document.NotCovered
	}{
		"nothing":        {whole, 0},
		"repetitions":    {with("\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"), 0},
		"a comment":      {with("\x21\xfe\x04Jane\x00"), document.Metadata},
		"XMP":            {with("\x21\xff\x0bXMP DataXMP\x02hi\x00"), document.Metadata},
		"drawn text":     {with("\x21\x01\x0c000000000000\x04Jane\x00"), document.Metadata},
		"behind the end": {append(bytes.Clone(whole), "%PDF-"...), document.Metadata},
	} {
		if got := open(t, c.file, document.GIF, roomy).NotCovered(); got != c.want {
			t.Errorf("%s: %v", name, got.Names())
		}
	}
}

func tryOpen(b []byte, f document.Format, lim document.Limits) (*File, error) {
	return Open(context.Background(), bytes.NewReader(b), int64(len(b)), f, lim, nil)
}

// ends tells how each frame loads.
func ends(f *File) string {
	var out []string
	for i := range f.Assets() {
		_, err := f.Load(i)
		if err == nil {
			out = append(out, "ok")
			continue
		}
		out = append(out, string(reason.Of(err)))
	}
	return strings.Join(out, ", ")
}
