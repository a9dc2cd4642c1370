package extract

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"slices"
	"strings"
	"testing"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/reason"
)

// Faults that other extractors were seen with, each on documents made here, with every
// neighbour of the kind that could be thought of. The numbers are those of the list of
// faults in docs/faults.md.

// component is one of a JPEG: how often it is sampled, and its value left and right.
type component struct{ h, v, left, right int }

// flatJPEG is a JPEG of 96×64 pixels whose blocks each have one value: left up to column
// 48, right behind it. adobe is the transform that Adobe's marker tells; below 0 for none.
func flatJPEG(adobe int, parts ...component) []byte {
	const w, h = 96, 64
	b := []byte("\xff\xd8")
	if adobe >= 0 {
		b = append(append(b, "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00"...), byte(adobe))
	}
	b = append(append(b, "\xff\xdb\x00\x43\x00"...), bytes.Repeat([]byte{8}, 64)...)
	b = append(b, 0xff, 0xc0, 0, byte(8+3*len(parts)), 8, 0, h, 0, w, byte(len(parts)))
	scan := []byte{0xff, 0xda, 0, byte(6 + 2*len(parts)), byte(len(parts))}
	across, down := 1, 1
	for i, p := range parts {
		b = append(b, byte(i+1), byte(p.h<<4|p.v), 0)
		scan = append(scan, byte(i+1), 0)
		across, down = max(across, p.h), max(down, p.v)
	}
	// Differences of 0 to 8 bits, each behind a code of four; blocks without other frequencies.
	b = append(b, "\xff\xc4\x00\x1c\x00\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x02\x03\x04\x05\x06\x07\x08"...)
	b = append(b, "\xff\xc4\x00\x14\x10\x01"+strings.Repeat("\x00", 15)+"\x00"...)
	b = append(append(b, scan...), 0, 63, 0)
	wide, high := (w+8*across-1)/(8*across), (h+8*down-1)/(8*down)
	if len(parts) == 1 { // the factors of a lone component mean nothing
		wide, high = w/8, h/8
	}
	last := make([]int, len(parts))
	var bits strings.Builder
	for range high {
		for x := range wide {
			for i, p := range parts {
				n, each, step := p.h*p.v, p.h, 8*across/p.h
				if len(parts) == 1 {
					n, each, step = 1, 1, 8
				}
				for k := range n {
					value := p.left - 128
					if (x*each+k%each)*step+step/2 > 48 {
						value = p.right - 128
					}
					difference(&bits, value-last[i])
					last[i] = value
				}
			}
		}
	}
	return append(append(b, packed(bits.String())...), 0xff, 0xd9)
}

func difference(bits *strings.Builder, d int) {
	n := 0
	for v := max(d, -d); v > 0; v >>= 1 {
		n++
	}
	fmt.Fprintf(bits, "%04b", n)
	if d < 0 {
		d += 1<<n - 1
	}
	if n > 0 {
		fmt.Fprintf(bits, "%0*b", n, d)
	}
	bits.WriteByte('0') // end of block
}

// packed makes bytes of ones and noughts, filled with ones, as a scan holds them.
func packed(bits string) (out []byte) {
	bits += strings.Repeat("1", (8-len(bits)%8)%8)
	for ; bits != ""; bits = bits[8:] {
		var v byte
		for _, c := range bits[:8] {
			v = v<<1 | byte(c-'0')
		}
		if out = append(out, v); v == 0xff {
			out = append(out, 0)
		}
	}
	return out
}

// sides are the colours a quarter and three quarters across an image.
func sides(img image.Image) [2]color.NRGBA {
	b := img.Bounds()
	at := func(x int) color.NRGBA { return color.NRGBAModel.Convert(img.At(x, b.Dy()/2)).(color.NRGBA) } //nolint:forcetypeassert // the model's
	return [2]color.NRGBA{at(b.Dx() / 4), at(b.Dx() * 3 / 4)}
}

// wantSides demands two colours, to 56 of 255: inks are no exact colours.
func wantSides(t *testing.T, img image.Image, left, right color.NRGBA) {
	t.Helper()
	for i, want := range []color.NRGBA{left, right} {
		got := sides(img)[i]
		for k, d := range []int{int(got.R) - int(want.R), int(got.G) - int(want.G), int(got.B) - int(want.B)} {
			if d > 56 || d < -56 {
				t.Errorf("side %d is %v, want about %v (%c)", i, got, want, "RGB"[k])
				break
			}
		}
	}
}

var (
	red   = color.NRGBA{0xee, 0x1d, 0x23, 0xff}
	blue  = color.NRGBA{0x17, 0x18, 0xc8, 0xff}
	cyan  = color.NRGBA{0, 0xd6, 0xf7, 0xff}
	lemon = color.NRGBA{0xff, 0xf8, 0x02, 0xff}
)

// inkJPEG is red on the left and blue on the right in four inks, whose factors are given.
// Adobe's programs store inks the other way round; with the transform 2 also as brightness
// and differences, of cyan and yellow.
func inkJPEG(adobe int, factors ...[2]int) []byte {
	values := map[int][4][2]int{
		-1: {{0, 255}, {255, 255}, {255, 0}, {0, 0}}, 0: {{255, 0}, {0, 0}, {0, 255}, {255, 255}}, 2: {{76, 29}, {85, 255}, {255, 107}, {255, 255}},
	}[adobe]
	var parts []component
	for i, v := range values {
		parts = append(parts, component{factors[i][0], factors[i][1], v[0], v[1]})
	}
	return flatJPEG(adobe, parts...)
}

// F1: four inks came out inverted, with and without a Decode array that changes nothing;
// F14: with components sampled as no other program does. By itself a JPEG with Adobe's
// marker holds inks inverted, in a PDF only a Decode array says so.
func TestInksAreNotInverted(t *testing.T) {
	one, half := [2]int{1, 1}, [2]int{2, 2}
	for _, factors := range [][][2]int{
		{one, one, one, one}, {half, one, one, half}, {one, half, one, one}, {{2, 1}, one, one, {2, 1}}, {one, {1, 2}, one, {2, 1}},
	} {
		for adobe, want := range map[int][2]color.NRGBA{-1: {red, blue}, 0: {red, blue}, 2: {cyan, lemon}} {
			file := inkJPEG(adobe, factors...)
			for name, doc := range map[string][]byte{"alone": file, "DOCX": letter(t, "word/media/a.jpg", file), "Word": wordOf(t, blip(0xf01d, 0x6e20, 17, file))} {
				t.Run(fmt.Sprintf("%s, %v, Adobe %d", name, factors, adobe), func(t *testing.T) {
					wantSides(t, loadFirst(t, doc), want[0], want[1])
				})
			}
			for decode, inverted := range map[string]bool{"": false, "/Decode[0 1 0 1 0 1 0 1]": false, "/Decode[1 0 1 0 1 0 1 0]": true} {
				for _, space := range []string{"/DeviceCMYK", "[/ICCBased 8 0 R]", "[/DeviceN[/Cyan/Magenta/Yellow/Black]/DeviceCMYK 9 0 R]"} {
					if inverted != (adobe >= 0) {
						continue // a picture that its maker stored negative
					}
					t.Run(fmt.Sprintf("PDF, %v, Adobe %d%s%s", factors, adobe, decode, space), func(t *testing.T) {
						doc := onePicture(96, 64, "/BitsPerComponent 8/Filter/DCTDecode/ColorSpace"+space+decode, string(file),
							pdfStream("/N 4/Alternate/DeviceCMYK", "none"), pdfStream("/FunctionType 4/Domain[0 1 0 1 0 1 0 1]/Range[0 1 0 1 0 1 0 1]", "{}"))
						for _, img := range loadAll(t, doc) {
							wantSides(t, img, want[0], want[1])
						}
					})
				}
			}
		}
	}
}

// F14: valid JPEGs were refused because of how their components are sampled.
func TestEverySubsampling(t *testing.T) {
	seen := 0
	for code := range 4096 { // four bits for each component's factors
		var parts []component
		for i, v := range [][2]int{{76, 29}, {85, 255}, {255, 107}} {
			f := code >> (4 * i)
			parts = append(parts, component{1 + f&3, 1 + f>>2&3, v[0], v[1]})
		}
		blocks, across, down := 0, 1, 1
		for _, p := range parts {
			blocks, across, down = blocks+p.h*p.v, max(across, p.h), max(down, p.v)
		}
		whole := !slices.ContainsFunc(parts, func(p component) bool { return across%p.h != 0 || down%p.v != 0 })
		if blocks > 10 || code%7 > 1 && testing.Short() {
			continue // more blocks than the standard allows
		}
		seen++
		src := openAny(t, flatJPEG(-1, parts...))
		img, err := src.Load(0)
		switch {
		case err == nil:
			wantSides(t, img, color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 0, 255, 255})
		case whole || reason.Of(err) != reason.ExtractEncoding:
			t.Errorf("%v: %v", parts, err)
		}
		if t.Failed() {
			t.Fatalf("sampled %v", parts)
		}
	}
	if seen < 100 {
		t.Errorf("only %d were tried", seen)
	}
	for _, f := range [][2]int{{1, 1}, {2, 1}, {1, 2}, {2, 2}, {3, 1}, {4, 4}} {
		img := loadFirst(t, flatJPEG(-1, component{f[0], f[1], 40, 200}))
		wantSides(t, img, color.NRGBA{40, 40, 40, 255}, color.NRGBA{200, 200, 200, 255})
	}
}

// F8, F1: JPEG 2000 of four samples, of light with opacity and of inks, and with a
// palette. The three were encoded by OpenJPEG: quarters of 24×8 pixels, clear from column
// 18 on.
func TestWhatSamplesOfJPEG2000Mean(t *testing.T) {
	light, inks, index := readCoded(t, "light.j2k"), readCoded(t, "inks.j2k"), readCoded(t, "index.j2k")
	white, black := color.NRGBA{255, 255, 255, 255}, color.NRGBA{35, 31, 32, 255}
	lights := [4]color.NRGBA{{200, 20, 20, 255}, {20, 180, 20, 255}, {20, 20, 220, 255}, {240, 240, 40, 255}}
	palette := make([]byte, 3*256)
	copy(palette[3*60:], "\x00\xff\x00")
	copy(palette[3*120:], "\xff\x00\xff")
	box := func(kind string, data ...[]byte) []byte {
		b := bytes.Join(data, nil)
		return slices.Concat(binary.BigEndian.AppendUint32(nil, uint32(8+len(b))), []byte(kind), b)
	}
	file := func(stream []byte, samples, space byte, more ...[]byte) []byte {
		head := box("ihdr", []byte{0, 0, 0, 8, 0, 0, 0, 24, 0, samples, 7, 7, 0, 0})
		return slices.Concat(box("jP  ", []byte("\r\n\x87\n")), box("ftyp", []byte("jp2 \x00\x00\x00\x00jp2 ")),
			box("jp2h", append([][]byte{head, box("colr", []byte{1, 0, 0, 0, 0, 0, space})}, more...)...), box("jp2c", stream))
	}
	defined := box("cdef", []byte{0, 4, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 2, 0, 2, 0, 0, 0, 3, 0, 3, 0, 1, 0, 0})
	for name, c := range map[string]struct {
		doc   []byte
		clear bool
		want  [4]color.NRGBA
	}{
		"light and opacity, bare":     {light, true, lights},
		"light and opacity":           {file(light, 4, 16), true, lights},
		"light and opacity, told":     {file(light, 4, 16, defined), true, lights},
		"inks, bare":                  {inks, false, [4]color.NRGBA{cyan, {236, 0, 140, 255}, lemon, black}},
		"inks":                        {file(inks, 4, 12), false, [4]color.NRGBA{cyan, {236, 0, 140, 255}, lemon, black}},
		"gray, bare":                  {index, false, [4]color.NRGBA{{0, 0, 0, 255}, {60, 60, 60, 255}, {120, 120, 120, 255}, {180, 180, 180, 255}}},
		"palette":                     {file(index, 1, 16, box("pclr", []byte{1, 0, 3, 7, 7, 7}, palette), box("cmap", []byte{0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 2})), false, [4]color.NRGBA{{0, 0, 0, 255}, {0, 255, 0, 255}, {255, 0, 255, 255}, {0, 0, 0, 255}}},
		"light and opacity in a DOCX": {letter(t, "word/media/a.jp2", file(light, 4, 16)), true, lights},
	} {
		t.Run(name, func(t *testing.T) {
			img := loadFirst(t, c.doc)
			for i, want := range c.want {
				x, y := 2+12*(i%2), 2+4*(i/2)
				got := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA) //nolint:forcetypeassert // the model's
				for k, d := range []int{int(got.R) - int(want.R), int(got.G) - int(want.G), int(got.B) - int(want.B)} {
					if d > 45 || d < -45 {
						t.Errorf("quarter %d is %v, want about %v (%c)", i, got, want, "RGB"[k])
						break
					}
				}
			}
			if got := color.NRGBAModel.Convert(img.At(21, 2)); c.clear && got != white {
				t.Errorf("what lets everything through is %v", got)
			}
		})
	}
}

// F8: gray with opacity as a telephone's program writes it.
func TestGrayHEIC(t *testing.T) {
	wantSides(t, loadFirst(t, readCoded(t, "gray.heic")), color.NRGBA{100, 100, 100, 255}, color.NRGBA{255, 255, 255, 255})
}

// F8: whatever a PDF lets through lies on white, in the image and on the page.
func TestWhatPDFsLetThroughLiesOnWhite(t *testing.T) {
	pix := strings.Repeat(strings.Repeat("\xc8\x1e\x1e", 8)+strings.Repeat("\x00", 24), 4) // red, then black
	eight := "/ColorSpace/DeviceRGB/BitsPerComponent 8"
	mask := func(bits int, dict, row string) string {
		return pdfStream(fmt.Sprintf("/Type/XObject/Subtype/Image/Width 16/Height 4/BitsPerComponent %d%s", bits, dict), strings.Repeat(row, 4))
	}
	half := strings.Repeat("\xff", 8) + strings.Repeat("\x00", 8)
	for name, c := range map[string]struct{ dict, data, mask string }{
		"colour key":                 {eight + "/Mask[0 0 0 0 0 0]", pix, "null"},
		"colour key of a palette":    {"/ColorSpace[/Indexed/DeviceRGB 1<c81e1e000000>]/BitsPerComponent 1/Mask[1 1]", strings.Repeat("\x00\xff", 4), "null"},
		"soft mask":                  {eight + "/SMask 8 0 R", pix, mask(8, "/ColorSpace/DeviceGray", half)},
		"soft mask, negative":        {eight + "/SMask 8 0 R", pix, mask(8, "/ColorSpace/DeviceGray/Decode[1 0]", half[8:]+half[:8])},
		"soft mask of one bit":       {eight + "/SMask 8 0 R", pix, mask(1, "/ColorSpace/DeviceGray", "\xff\x00")},
		"soft mask of 16 bits":       {eight + "/SMask 8 0 R", pix, mask(16, "/ColorSpace/DeviceGray", half[:8]+half[:8]+half[8:]+half[8:])},
		"soft mask, matted on black": {eight + "/SMask 8 0 R", pix, mask(8, "/ColorSpace/DeviceGray/Matte[0 0 0]", half)},
		"stencil mask":               {eight + "/Mask 8 0 R", pix, mask(1, "/ImageMask true", "\x00\xff")},
		"stencil mask, negative":     {eight + "/Mask 8 0 R", pix, mask(1, "/ImageMask true/Decode[1 0]", "\xff\x00")},
	} {
		t.Run(name, func(t *testing.T) {
			images := loadAll(t, onePicture(16, 4, c.dict, c.data, c.mask))
			for _, img := range images[:2] {
				wantSides(t, img, color.NRGBA{200, 30, 30, 255}, color.NRGBA{255, 255, 255, 255})
			}
		})
	}
}

// onePicture is a PDF of one page that shows one picture, object 5, with more objects from
// 8 on.
func onePicture(w, h int, dict, data string, more ...string) []byte {
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>", w, h),
		pdfStream("", fmt.Sprintf("q %d 0 0 %d 0 0 cm /I Do Q", w, h)),
		pdfStream(fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d%s", w, h, dict), data), "null", "null"}
	b := []byte("%PDF-1.7\n")
	var at []int
	for i, o := range append(objects, more...) {
		at = append(at, len(b))
		b = fmt.Appendf(b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := len(b)
	b = fmt.Appendf(b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, a := range at {
		b = fmt.Appendf(b, "%010d 00000 n \n", a)
	}
	return fmt.Appendf(b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
}

func pdfStream(dict, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(data), data)
}

func openAny(t *testing.T, b []byte) Source {
	t.Helper()
	src, err := openNest(b, nestLimits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	})
	return src
}

func loadFirst(t *testing.T, b []byte) image.Image {
	t.Helper()
	img, err := openAny(t, b).Load(0)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// loadAll loads every asset of a document, none of which may be withheld.
func loadAll(t *testing.T, b []byte) (out []image.Image) {
	t.Helper()
	src := openAny(t, b)
	for i, it := range src.Assets() {
		img, err := src.Load(i)
		if it.Withheld != "" || err != nil {
			t.Fatalf("asset %d: %s, %v", i+1, it.Withheld, err)
		}
		out = append(out, img)
	}
	return out
}

// wordOf is a document of Word with pictures as its drawings hold them.
func wordOf(t *testing.T, blips ...[]byte) []byte {
	t.Helper()
	fib := make([]byte, 64)
	copy(fib, "\xec\xa5\xc1\x00")
	b, err := cfb.NewStorage("Root Entry", cfb.NewStream("WordDocument", fib), cfb.NewStream("Data", slices.Concat(blips...))).File(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
