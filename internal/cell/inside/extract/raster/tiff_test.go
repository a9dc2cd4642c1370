package raster

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"testing"

	"golang.org/x/image/tiff"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// g4Rows are two rows of eight pixels in CCITT group 4: the first is white, black,
// black, black, black, white, white, white; the second repeats it. Then the end mark.
//
// Horizontal mode 001, white run 1 = 000111, black run 4 = 011; then vertical mode 0,
// code 1, to the end of the row. Second row: three times vertical mode 0.
const g4Rows = "001 000111 011 1 111 000000000001 000000000001"

func faxFrame(photometric uint32, data []byte) tiffFrame {
	return tiffFrame{data: data, tags: map[uint16]uint32{tagWidth: 8, tagHeight: 2, tagBits: 1, tagSamples: 1,
		tagCompression: fax4, tagPhotometric: photometric, tagRowsPer: 2}}
}

// F15: every fax code, both meanings of a bit and both fill orders. A code's white is white's
// value, whichever the tag says that is.
func TestFax(t *testing.T) {
	row := []byte{255, 0, 0, 0, 0, 255, 255, 255}
	blank := bytes.Repeat([]byte{255}, 8)
	// White 1 = 000111, black 4 = 011, white 3 = 1000; white 8 = 10011.
	const one = "000111 011 1000"
	for name, c := range map[string]struct {
		compression, options uint32
		codes                string
		want                 []byte
	}{
		"group 4":                   {fax4, 0, g4Rows, append(bytes.Clone(row), row...)},
		"group 4, empty runs":       {fax4, 0, "001 00110101 0000110111 001 000111 011 1 0001 001 000111 011 1", append(bytes.Clone(row), row...)},
		"modified Huffman":          {fax2, 0, one + "000 10011 000", append(bytes.Clone(row), blank...)},
		"Huffman in words":          {faxWords, 0, one + "000 10011 00000000000", append(bytes.Clone(row), blank...)},
		"group 3":                   {fax3, 0, "000000000001" + one + "000000000001 10011", append(bytes.Clone(row), blank...)},
		"group 3, aligned":          {fax3, 4, "0000 000000000001" + one + "0000000 000000000001 10011", append(bytes.Clone(row), blank...)},
		"group 3, no marks":         {fax3, 0, one + "10011", append(bytes.Clone(row), blank...)},
		"group 3, two-dimensional":  {fax3, 1, "000000000001 1" + one + "000000000001 0 1 1 1", append(bytes.Clone(row), row...)},
		"group 3, and then nothing": {fax3, 0, "000000000001" + one + "000000000001 000000000001 000000000001", nil},
	} {
		for _, photometric := range []uint32{whiteIsZero, blackIsZero} {
			for _, order := range []uint32{1, 2} {
				data := bitsOf(c.codes)
				if order == 2 {
					data = reversedBits(data)
				}
				fr := faxFrame(photometric, data)
				fr.tags[tagCompression], fr.tags[tagT4Options], fr.tags[tagFillOrder] = c.compression, c.options, order
				img, err := open(t, tiffOf(binary.BigEndian, fr), document.TIFF, roomy).Load(0)
				if c.want == nil {
					if reason.Of(err) != reason.ExtractTruncated {
						t.Errorf("%s: %v", name, err)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				want := bytes.Clone(c.want)
				if photometric == blackIsZero {
					for i := range want {
						want[i] ^= 0xff
					}
				}
				if got := pixels(img); !bytes.Equal(got, want) {
					t.Errorf("%s, photometric %d, fill order %d: %v, want %v", name, photometric, order, got, want)
				}
			}
		}
	}
}

// Codes that make no row withhold the page: what a decoder puts in their place looks whole.
func TestDamagedFax(t *testing.T) {
	for codes, want := range map[string]reason.Code{
		"001 000111 011 0000001111 0000": reason.ExtractEncoding, // pixels as they are
		"001 000111 011 0000010 0000010": reason.ExtractMalformed,
	} {
		if _, err := open(t, tiffOf(binary.BigEndian, faxFrame(whiteIsZero, bitsOf(codes))), document.TIFF, roomy).Load(0); reason.Of(err) != want {
			t.Errorf("%s: %v", codes, err)
		}
	}
}

// F13.
func TestMultiPage(t *testing.T) {
	b := tiffOf(binary.LittleEndian, grayFrame(2, 1, []byte{1, 2}), faxFrame(whiteIsZero, bitsOf(g4Rows)), grayFrame(1, 3, []byte{7, 8, 9}))
	file := open(t, b, document.TIFF, roomy)
	if len(file.Assets()) != 3 {
		t.Fatalf("%d frames", len(file.Assets()))
	}
	if last := load(t, file, 2).(*image.Gray); !bytes.Equal(last.Pix, []byte{7, 8, 9}) || file.Assets()[2].Frame != 3 {
		t.Errorf("third frame %+v %v", file.Assets()[2], last.Pix)
	}
}

// Layouts that decoders get wrong in silence.
func TestLayouts(t *testing.T) {
	base := func(w, h, bits, photometric int, data []byte) tiffFrame {
		f := grayFrame(w, h, data)
		f.tags[tagBits], f.tags[tagPhotometric] = uint32(bits), uint32(photometric)
		return f
	}
	set := func(f tiffFrame, kv ...uint32) tiffFrame {
		for i := 0; i < len(kv); i += 2 {
			f.tags[uint16(kv[i])] = kv[i+1]
		}
		return f
	}
	colours := base(2, 1, 2, palette, []byte{0b01_11_0000})
	colours.long = map[uint16][]uint16{tagColorMap: {0, 0xff00, 0, 0x1200, 0, 0, 0, 0x3400, 0, 0, 0, 0x5600}}
	planar := set(base(1, 1, 8, rgb, []byte{1, 2, 3}), tagSamples, 3, tagPlanar, 2)
	for name, c := range map[string]struct {
		fr   tiffFrame
		want []byte // gray pixels or R, G, B, A
		code reason.Code
	}{
		"white is zero":       {base(2, 1, 8, whiteIsZero, []byte{0, 200}), []byte{255, 55}, ""},
		"1 bit":               {base(3, 1, 1, blackIsZero, []byte{0b101_00000}), []byte{255, 0, 255}, ""},
		"1 bit, fill order 2": {set(base(3, 1, 1, blackIsZero, []byte{0b00000_011}), tagFillOrder, 2), []byte{255, 255, 0}, ""},
		"4 bits":              {base(2, 1, 4, blackIsZero, []byte{0xf3}), []byte{255, 51}, ""},
		"16 bits":             {base(2, 1, 16, blackIsZero, []byte{0x34, 0x12, 0xff, 0xff}), []byte{0x12, 255}, ""},
		"palette":             {colours, []byte{0xff, 0, 0, 255, 0x12, 0x34, 0x56, 255}, ""},
		"packbits":            {set(base(4, 1, 8, blackIsZero, []byte{0xfe, 9, 0, 7}), tagCompression, packBits), []byte{9, 9, 9, 7}, ""},
		"packbits, too short": {set(base(4, 1, 8, blackIsZero, []byte{0xff, 9, 0}), tagCompression, packBits), nil, reason.ExtractTruncated},
		"deflate, predictor":  {set(base(3, 1, 8, blackIsZero, deflated([]byte{5, 1, 1})), tagCompression, deflate, tagPredictor, 2), []byte{5, 6, 7}, ""},
		"deflate, too short":  {set(base(3, 1, 8, blackIsZero, deflated([]byte{5, 1})), tagCompression, deflate), nil, reason.ExtractTruncated},
		"strip too short":     {base(3, 1, 8, blackIsZero, []byte{5, 1}), nil, reason.ExtractTruncated},
		"LZMA":                {set(base(1, 1, 8, blackIsZero, []byte{1}), tagCompression, 34925), nil, reason.ExtractEncoding},
		"raw sensor":          {base(1, 1, 8, 32803, []byte{1}), nil, reason.ExtractEncoding},
		"other inks":          {set(base(1, 1, 8, separated, []byte{1, 2, 3, 4}), tagSamples, 4, tagInkSet, 2), nil, reason.ExtractEncoding},
		"two planes missing":  {planar, nil, reason.ExtractTruncated},
	} {
		t.Run(name, func(t *testing.T) {
			file := open(t, tiffOf(binary.LittleEndian, c.fr), document.TIFF, roomy)
			img, err := file.Load(0)
			if reason.Of(err) != c.code {
				t.Fatalf("error %v, want %q", err, c.code)
			}
			if err != nil {
				return
			}
			var got []byte
			switch m := img.(type) {
			case *image.Gray:
				got = m.Pix
			case *image.NRGBA:
				got = m.Pix
			}
			if !bytes.Equal(got, c.want) {
				t.Errorf("pixels %v, want %v", got, c.want)
			}
		})
	}
}

// What an independent writer makes, in its compressions, must come back the same.
func TestAgainstTheOtherWriter(t *testing.T) {
	col := image.NewNRGBA(image.Rect(0, 0, 19, 23))
	for i := range col.Pix {
		col.Pix[i] = byte(i * 31)
		if i%4 == 3 {
			col.Pix[i] = 255
		}
	}
	for _, o := range []*tiff.Options{nil, {Compression: tiff.Deflate}, {Compression: tiff.Deflate, Predictor: true}} {
		var b bytes.Buffer
		if err := tiff.Encode(&b, col, o); err != nil {
			t.Fatal(err)
		}
		if got := load(t, open(t, b.Bytes(), document.TIFF, roomy), 0).(*image.NRGBA); !bytes.Equal(got.Pix, col.Pix) {
			t.Errorf("%+v: pixels differ", o)
		}
	}
}

// A JPEG inside a TIFF has a size of its own that may differ from the directory's.
func TestJPEGInTIFF(t *testing.T) {
	fr := grayFrame(32, 16, jpegOf(t, arrow(32, 16)))
	fr.tags[tagCompression] = jpegPacked
	near(t, load(t, open(t, tiffOf(binary.LittleEndian, fr), document.TIFF, roomy), 0), arrow(32, 16))
	fr.tags[tagWidth] = 16
	if _, err := open(t, tiffOf(binary.LittleEndian, fr), document.TIFF, roomy).Load(0); reason.Of(err) != reason.ExtractSizeLies {
		t.Errorf("a block of another size gave %v", err)
	}
}

func TestDirectoriesThatLoopEnd(t *testing.T) {
	b := tiffOf(binary.LittleEndian, grayFrame(1, 1, []byte{1}), grayFrame(1, 1, []byte{2}))
	copy(b[len(b)-4:], b[4:8]) // the last leads back to the first
	if n := len(open(t, b, document.TIFF, roomy).Assets()); n != 2 {
		t.Errorf("%d frames", n)
	}
	copy(b[len(b)-4:], "\xf0\xff\xff\x7f") // or out of the file
	items := open(t, b, document.TIFF, roomy).Assets()
	if len(items) != 3 || items[2].Withheld != reason.ExtractTruncated {
		t.Errorf("frames %+v", items)
	}
}

func FuzzTIFF(f *testing.F) {
	f.Add(tiffOf(binary.LittleEndian, grayFrame(2, 1, []byte{1, 2}), faxFrame(whiteIsZero, bitsOf(g4Rows))))
	f.Add(tiffOf(binary.BigEndian, faxFrame(blackIsZero, bitsOf(g4Rows))))
	jpg := grayFrame(8, 8, jpegOf(f, arrow(8, 8)))
	jpg.tags[tagCompression] = jpegPacked
	f.Add(tiffOf(binary.LittleEndian, jpg))
	f.Add(bigTIFF(binary.LittleEndian, []byte{1, 2, 3}))
	f.Add(tiffOf(binary.LittleEndian, kind(3, 2, 8, yCbCr, []byte{0, 255, 76, 76, 85, 255, 255, 0, 255, 0, 128, 128}, tagSamples, 3)))
	f.Add(tiffOf(binary.BigEndian, kind(3, 1, 32, blackIsZero, deflated(apart(0, 0.5, 1)), tagFormat, 3, tagCompression, deflate, tagPredictor, 3)))
	old := part(f, jpegOf(f, rainbow(8, 8)))
	f.Add(tiffOf(binary.LittleEndian, kind(8, 8, 8, yCbCr, append(bytes.Clone(old.head), old.scan...), tagSamples, 3, tagCompression, jpegOld, tagJPEGStream, 8)))
	f.Fuzz(func(t *testing.T, b []byte) { exercise(t, b, document.TIFF) })
}

func FuzzJPEG(f *testing.F) {
	f.Add(jpegOf(f, arrow(8, 8)))
	f.Add(withSegment(jpegOf(f, arrow(8, 8)), 0xe1, exif(6)))
	f.Add(withSegment(append(jpegOf(f, arrow(8, 8)), jpegOf(f, arrow(8, 8))...), 0xe1, exifWith(1, jpegOf(f, arrow(8, 8)))))
	f.Fuzz(func(t *testing.T, b []byte) { exercise(t, b, document.JPEG) })
}

func FuzzPNG(f *testing.F) {
	f.Add(pngOf(f, arrow(8, 8)))
	f.Add(pngFile("IHDR", ihdr(3, 1, 8, 6, 0), "acTL", actl(2), "fcTL", fctl(0, 0, 3, 1, 0, 0), "IDAT", painted("rrr"),
		"fcTL", fctl(1, 0, 1, 1, 2, 1), "fdAT", "\x00\x00\x00\x00"+painted("g"), "eXIf", exif(6)[6:], "IEND", ""))
	f.Fuzz(func(t *testing.T, b []byte) { again(t, b, document.PNG) })
}

// exercise opens and loads whatever it is given: it may fail with a reason, and what
// loads has the size that was promised.
func exercise(t *testing.T, b []byte, f document.Format) { exerciseWith(t, b, f, nil) }

func exerciseWith(t *testing.T, b []byte, f document.Format, foreign Foreign) {
	lim := document.Limits{Assets: 20, Frames: 20, AssetPixels: 1 << 16, TotalPixels: 1 << 18}
	file, err := Open(context.Background(), bytes.NewReader(b), int64(len(b)), f, lim, foreign)
	if err != nil {
		if reason.Of(err) == reason.Internal {
			t.Fatal(err)
		}
		return
	}
	for i, it := range file.Assets() {
		img, err := file.Load(i)
		if err != nil {
			if reason.Of(err) == reason.Internal {
				t.Fatal(err)
			}
			continue
		}
		if img.Bounds() != image.Rect(0, 0, it.Width, it.Height) {
			t.Fatalf("promised %d×%d, loaded %v", it.Width, it.Height, img.Bounds())
		}
	}
}
