package raster

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

func open(t testing.TB, b []byte, f document.Format, lim document.Limits) *File {
	t.Helper()
	file, err := Open(context.Background(), bytes.NewReader(b), int64(len(b)), f, lim, nil)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func load(t testing.TB, f *File, i int) image.Image {
	t.Helper()
	img, err := f.Load(i)
	if err != nil {
		t.Fatal(err)
	}
	if it := f.Assets()[i]; img.Bounds() != image.Rect(0, 0, it.Width, it.Height) {
		t.Fatalf("bounds %v, but the headers said %d×%d", img.Bounds(), it.Width, it.Height)
	}
	return img
}

// near compares with the loss of a good JPEG.
func near(t *testing.T, got, want image.Image) {
	t.Helper()
	if got.Bounds() != want.Bounds() {
		t.Fatalf("bounds %v, want %v", got.Bounds(), want.Bounds())
	}
	b, off := want.Bounds(), 0
	for y := range b.Dy() {
		for x := range b.Dx() {
			g, w := color.GrayModel.Convert(got.At(x, y)).(color.Gray).Y, color.GrayModel.Convert(want.At(x, y)).(color.Gray).Y
			if d := int(g) - int(w); d > 40 || d < -40 {
				off++
			}
		}
	}
	if off*20 > b.Dx()*b.Dy() {
		t.Errorf("%d of %d pixels are off", off, b.Dx()*b.Dy())
	}
}

// stored returns the picture that a camera held by orientation o stores of img.
func stored(img *image.Gray, o orientation) *image.Gray {
	w, h := o.size(img.Rect.Dx(), img.Rect.Dy()) // swapping is its own inverse
	out := image.NewGray(image.Rect(0, 0, w, h))
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			sx, sy := o.stored(x, y, w, h)
			out.SetGray(sx, sy, img.GrayAt(x, y))
		}
	}
	return out
}

// The corner in which row 0, column 0 of the stored picture must end up, from the
// table in the EXIF standard, so that stored is not tested against itself alone.
var corners = map[orientation][2]bool{ // right, bottom
	1: {false, false}, 2: {true, false}, 3: {true, true}, 4: {false, true},
	5: {false, false}, 6: {true, false}, 7: {true, true}, 8: {false, true},
}

// F31.
func TestOrientation(t *testing.T) {
	upright := arrow(32, 16)
	for o := orientation(1); o <= 8; o++ {
		t.Run(fmt.Sprint(o), func(t *testing.T) {
			cam := stored(upright, o)
			jpg := withSegment(jpegOf(t, cam), 0xe1, exif(uint16(o)))
			near(t, load(t, open(t, jpg, document.JPEG, roomy), 0), upright)
			fr := grayFrame(cam.Rect.Dx(), cam.Rect.Dy(), cam.Pix)
			fr.tags[tagOrientation] = uint32(o)
			near(t, load(t, open(t, tiffOf(binary.LittleEndian, fr), document.TIFF, roomy), 0), upright)

			dot := image.NewGray(cam.Rect)
			dot.Pix[0] = 200
			turned := o.upright(dot).(*image.Gray)
			x, y := 0, 0
			if corners[o][0] {
				x = turned.Rect.Dx() - 1
			}
			if corners[o][1] {
				y = turned.Rect.Dy() - 1
			}
			if turned.GrayAt(x, y).Y != 200 {
				t.Errorf("the first pixel is not at %d,%d", x, y)
			}
		})
	}
}

// F8.
func TestTransparencyLiesOnWhite(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 3, 1))
	copy(img.Pix, []byte{0, 0, 0, 0, 255, 0, 0, 128, 1, 2, 3, 255})
	got := load(t, open(t, pngOf(t, img), document.PNG, roomy), 0).(*image.NRGBA)
	want := []byte{255, 255, 255, 255, 255, 127, 127, 255, 1, 2, 3, 255}
	if !bytes.Equal(got.Pix, want) {
		t.Errorf("pixels %v, want %v", got.Pix, want)
	}
}

func TestGrayStaysGray(t *testing.T) {
	sixteen := image.NewGray16(image.Rect(0, 0, 2, 1))
	sixteen.SetGray16(0, 0, color.Gray16{0xab12})
	for name, b := range map[string][]byte{"8": pngOf(t, arrow(8, 8)), "16": pngOf(t, sixteen)} {
		if img, ok := load(t, open(t, b, document.PNG, roomy), 0).(*image.Gray); !ok || name == "16" && img.Pix[0] != 0xab {
			t.Errorf("%s bits: %T %v", name, img, img)
		}
	}
	if _, ok := load(t, open(t, jpegOf(t, arrow(8, 8)), document.JPEG, roomy), 0).(*image.Gray); !ok {
		t.Error("gray JPEG is not gray")
	}
}

// F1: an ink file must not come out inverted: full black ink is black.
func TestInksBecomeLight(t *testing.T) {
	fr := tiffFrame{data: []byte{0, 0, 0, 255, 255, 0, 0, 0, 0, 0, 0, 0}, tags: map[uint16]uint32{
		tagWidth: 3, tagHeight: 1, tagCompression: plain, tagPhotometric: separated, tagSamples: 4, tagRowsPer: 1},
		long: map[uint16][]uint16{tagBits: {8, 8, 8, 8}}}
	got := load(t, open(t, tiffOf(binary.BigEndian, fr), document.TIFF, roomy), 0).(*image.NRGBA)
	if want := []byte{0, 0, 0, 255, 0, 255, 255, 255, 255, 255, 255, 255}; !bytes.Equal(got.Pix, want) {
		t.Errorf("pixels %v, want %v", got.Pix, want)
	}
}

// inkJPEG is a JPEG of 8×8 pixels whose four samples are all 1 or 255, given as 0 and
// 1: one block each, of a single coefficient in units of 8.
func inkJPEG(samples string) []byte {
	b := append([]byte("\xff\xd8\xff\xdb\x00\x43\x00"), bytes.Repeat([]byte{8}, 64)...)
	b = append(b, "\xff\xc0\x00\x14\x08\x00\x08\x00\x08\x04\x01\x11\x00\x02\x11\x00\x03\x11\x00\x04\x11\x00"...)
	b = append(b, "\xff\xc4\x00\x15\x00\x01\x01"+strings.Repeat("\x00", 14)+"\x00\x07"...) // code 0: no difference, 10: seven bits
	b = append(b, "\xff\xc4\x00\x14\x10\x01"+strings.Repeat("\x00", 15)+"\x00"...)         // code 0: end of block
	b = append(b, "\xff\xda\x00\x0e\x04\x01\x00\x02\x00\x03\x00\x04\x00\x00\x3f\x00"...)
	data := ""
	for _, c := range samples {
		data += "10" + strings.Repeat(string(c), 7) + "0"
	}
	return append(append(b, bitsOf(data)...), 0xff, 0xd9)
}

// F1: Adobe stores inks inverted in a JPEG and says so by its marker; a TIFF never does.
func TestInkJPEG(t *testing.T) {
	red := color.NRGBA{253, 1, 1, 255}
	adobe := withSegment(inkJPEG("1001"), 0xee, "Adobe\x00\x64\x00\x00\x00\x00\x00")
	got := load(t, open(t, adobe, document.JPEG, roomy), 0).(*image.NRGBA)
	if c := got.NRGBAAt(3, 3); c.R < red.R-3 || c.G > 3 || c.B > 3 {
		t.Errorf("JPEG: %v, want about %v", c, red)
	}
	fr := tiffFrame{data: inkJPEG("0110"), tags: map[uint16]uint32{tagWidth: 8, tagHeight: 8, tagCompression: jpegPacked,
		tagPhotometric: separated, tagSamples: 4, tagRowsPer: 8}, long: map[uint16][]uint16{tagBits: {8, 8, 8, 8}}}
	got = load(t, open(t, tiffOf(binary.LittleEndian, fr), document.TIFF, roomy), 0).(*image.NRGBA)
	if c := got.NRGBAAt(3, 3); c.R < red.R-3 || c.G > 3 || c.B > 3 {
		t.Errorf("TIFF: %v, want about %v", c, red)
	}
	if _, err := open(t, inkJPEG("1001"), document.JPEG, roomy).Load(0); reason.Of(err) != reason.ExtractEncoding {
		t.Errorf("inks of unknown sense gave %v", err)
	}
}

func TestLimits(t *testing.T) {
	pic := pngOf(t, arrow(10, 10))
	two := tiffOf(binary.LittleEndian, grayFrame(10, 10, make([]byte, 100)), grayFrame(10, 10, make([]byte, 100)))
	for _, c := range []struct {
		name              string
		b                 []byte
		f                 document.Format
		change            func(*document.Limits)
		refused, withheld reason.Code
	}{
		{"pixels+1", pic, document.PNG, func(l *document.Limits) { l.AssetPixels = 101 }, "", ""},
		{"pixels", pic, document.PNG, func(l *document.Limits) { l.AssetPixels = 100 }, "", ""},
		{"pixels-1", pic, document.PNG, func(l *document.Limits) { l.AssetPixels = 99 }, "", reason.ExtractPixels},
		{"frames+1", two, document.TIFF, func(l *document.Limits) { l.Frames = 3 }, "", ""},
		{"frames", two, document.TIFF, func(l *document.Limits) { l.Frames = 2 }, "", ""},
		{"frames-1", two, document.TIFF, func(l *document.Limits) { l.Frames = 1 }, reason.ExtractFrames, ""},
		{"assets", two, document.TIFF, func(l *document.Limits) { l.Assets = 2 }, "", ""},
		{"assets-1", two, document.TIFF, func(l *document.Limits) { l.Assets = 1 }, reason.ExtractAssets, ""},
		{"total", two, document.TIFF, func(l *document.Limits) { l.TotalPixels = 200 }, "", ""},
		{"total-1", two, document.TIFF, func(l *document.Limits) { l.TotalPixels = 199 }, reason.ExtractTotal, ""},
		{"no frame", jpegOf(t, arrow(8, 8)), document.JPEG, func(l *document.Limits) { l.Frames = 0 }, reason.ExtractFrames, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			lim := roomy
			c.change(&lim)
			f, err := Open(context.Background(), bytes.NewReader(c.b), int64(len(c.b)), c.f, lim, nil)
			if reason.Of(err) != c.refused {
				t.Fatalf("refused with %v, want %q", err, c.refused)
			}
			if err == nil && f.Assets()[0].Withheld != c.withheld {
				t.Errorf("withheld with %q, want %q", f.Assets()[0].Withheld, c.withheld)
			}
			if err == nil && c.withheld != "" {
				if _, err := f.Load(0); reason.Of(err) != c.withheld {
					t.Errorf("a withheld frame loaded: %v", err)
				}
			}
		})
	}
}

// A header may ask for gigabytes; it gets a reason and no bitmap.
func TestHugeSizesAreRefusedFromHeaders(t *testing.T) {
	p := pngOf(t, arrow(8, 8))
	copy(p[16:], "\x7f\xff\xff\xff\x7f\xff\xff\xff")
	j := jpegOf(t, arrow(8, 8))
	i := bytes.Index(j, []byte{0xff, 0xc0})
	copy(j[i+5:], "\xff\xff\xff\xff")
	tf := tiffOf(binary.LittleEndian, grayFrame(1<<31-1, 1<<31-1, []byte{1}))
	for f, b := range map[document.Format][]byte{document.PNG: p, document.JPEG: j, document.TIFF: tf} {
		file := open(t, b, f, document.Limits{Assets: 1, Frames: 1, AssetPixels: 40e6, TotalPixels: 40e6})
		if got := file.Assets()[0].Withheld; got != reason.ExtractPixels {
			t.Errorf("%v: withheld with %q", f, got)
		}
	}
}

// F16: whatever is cut off, no frame may load as if it were whole.
func TestTruncatedFilesDoNotLoad(t *testing.T) {
	col := image.NewNRGBA(image.Rect(0, 0, 40, 40))
	for i := range col.Pix {
		col.Pix[i] = byte(i*7) | byte(i%4/3*255)
	}
	strip := grayFrame(20, 20, arrow(20, 20).Pix)
	files := map[document.Format][]byte{
		document.PNG: pngOf(t, col), document.JPEG: jpegOf(t, col),
		document.TIFF: tiffOf(binary.LittleEndian, strip, strip),
	}
	for f, b := range files {
		step := max(1, len(b)/400)
		for n := 0; n < len(b); n += step {
			file, err := Open(context.Background(), bytes.NewReader(b[:n]), int64(n), f, roomy, nil)
			if err != nil {
				if code := reason.Of(err); code != reason.ExtractTruncated && code != reason.ExtractMalformed {
					t.Fatalf("%v cut to %d: %v", f, n, err)
				}
				continue
			}
			whole := 0
			for i := range file.Assets() {
				if _, err := file.Load(i); err == nil {
					whole++
				} else if code := reason.Of(err); code != reason.ExtractTruncated && (f == document.PNG || code != reason.ExtractMalformed) {
					t.Fatalf("%v cut to %d: %v", f, n, err)
				}
			}
			if frames := map[document.Format]int{document.TIFF: 2}[f]; whole > 0 && (frames == 0 || whole == frames) && n < len(b)-12 {
				t.Fatalf("%v cut to %d of %d loads", f, n, len(b))
			}
		}
	}
}

// F16: a scan that ends early and is closed with an end marker is no picture either.
func TestJPEGWithHalfAScan(t *testing.T) {
	b := jpegOf(t, arrow(64, 64))
	b = append(b[:len(b)-40:len(b)-40], 0xff, 0xd9)
	file := open(t, b, document.JPEG, roomy)
	if _, err := file.Load(0); err == nil {
		t.Error("it loaded")
	}
}

func TestNotCovered(t *testing.T) {
	pic, jpg := pngOf(t, arrow(8, 8)), jpegOf(t, arrow(8, 8))
	described := grayFrame(1, 1, []byte{1})
	described.tags[270] = 0
	for name, c := range map[string]struct {
		b    []byte
		f    document.Format
		want document.NotCovered
	}{
		"bare png":           {pic, document.PNG, 0},
		"png with text":      {withChunk(pic, "tEXt", "Author\x00x"), document.PNG, document.Metadata},
		"png with a tail":    {append(bytes.Clone(pic), "more"...), document.PNG, document.Metadata},
		"bare jpeg":          {jpg, document.JPEG, 0},
		"jpeg with exif":     {withSegment(jpg, 0xe1, exif(1)), document.JPEG, document.Metadata},
		"jpeg with comment":  {withSegment(jpg, 0xfe, "x"), document.JPEG, document.Metadata},
		"jpeg, second image": {append(bytes.Clone(jpg), jpg...), document.JPEG, 0}, // which is a frame
		"jpeg with a tail":   {append(bytes.Clone(jpg), "more"...), document.JPEG, document.Metadata},
		"bare tiff":          {tiffOf(binary.LittleEndian, grayFrame(1, 1, []byte{1})), document.TIFF, 0},
		"described tiff":     {tiffOf(binary.LittleEndian, described), document.TIFF, document.Metadata},
	} {
		if got := open(t, c.b, c.f, roomy).NotCovered(); got != c.want {
			t.Errorf("%s: %v, want %v", name, got.Names(), c.want.Names())
		}
	}
}
