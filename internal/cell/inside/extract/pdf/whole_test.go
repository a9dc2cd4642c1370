package pdf

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"image"
	"image/jpeg"
	"strings"
	"testing"

	"blotter/internal/examples"
	"blotter/internal/reason"
)

// grain is 60×40 gray pixels that do not pack well, so that each byte counts.
func grain() *image.Gray {
	img := image.NewGray(image.Rect(0, 0, 60, 40))
	v := uint32(1)
	for i := range img.Pix {
		v = v*1664525 + 1013904223
		img.Pix[i] = uint8(v >> 24)
	}
	return img
}

// lzwOf packs without looking for runs: a clear code before every other byte.
func lzwOf(b string) string {
	var out []byte
	bits, n := uint64(0), 0
	put := func(v int) {
		bits, n = bits<<9|uint64(v), n+9
		for ; n >= 8; n -= 8 {
			out = append(out, byte(bits>>(n-8)))
		}
	}
	for i := range len(b) {
		if i%2 == 0 {
			put(256)
		}
		put(int(b[i]))
	}
	put(257)
	put(0)
	return string(out)
}

// jbig2Stream is a page of 8×2 pixels as a PDF holds it: a file without its head and ends.
func jbig2Stream() string {
	b := examples.JBIG2(false, 1)[13:]
	return string(b[:len(b)-2*11])
}

// F16: a stream that is cut off decoded without an error, black or white where it was
// missing; F5: JBIG2 gave a white page and no error. Each is cut at many places.
func TestStreamsThatAreCutOff(t *testing.T) {
	img := grain()
	var jpg bytes.Buffer
	if err := jpeg.Encode(&jpg, img, nil); err != nil {
		t.Fatal(err)
	}
	pix := string(img.Pix)
	gray := "/Width 60/Height 40/ColorSpace/DeviceGray/BitsPerComponent 8"
	fax := "/Width 8/Height 40/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/CCITTFaxDecode/DecodeParms<</Columns 8/Rows 40"
	row := "\x8e\x00" // three white, two black, three white, in one dimension, from a byte border
	for name, c := range map[string]struct {
		dict, data string
		spare      int         // bytes at the end that may be missing
		also       reason.Code // what a cut may look like
	}{
		"samples":        {gray, pix, 59, ""},
		"Flate":          {gray + "/Filter/FlateDecode", deflated(t, pix), 75, ""},
		"LZW":            {gray + "/Filter/LZWDecode", lzwOf(pix), 110, ""},
		"hexadecimal":    {gray + "/Filter/ASCIIHexDecode", hex.EncodeToString([]byte(pix)) + ">", 121, ""},
		"runs":           {gray + "/Filter/RunLengthDecode", runsOf(pix) + "\x80", 62, ""},
		"a palette":      {"/Width 60/Height 40/ColorSpace[/Indexed/DeviceRGB 255<" + strings.Repeat("102030", 256) + ">]/BitsPerComponent 8", pix, 59, ""},
		"inks":           {"/Width 15/Height 40/ColorSpace/DeviceCMYK/BitsPerComponent 8", pix, 59, ""},
		"a profile":      {"/Width 20/Height 40/ColorSpace[/ICCBased 12 0 R]/BitsPerComponent 8", pix, 59, ""},
		"a stencil":      {"/Width 60/Height 40/ImageMask true/BitsPerComponent 1", pix[:40*8], 7, ""},
		"JPEG":           {gray + "/Filter/DCTDecode", jpg.String(), 2, ""},
		"JPEG in Flate":  {gray + "/Filter[/FlateDecode/DCTDecode]", deflated(t, jpg.String()), 10, reason.ExtractEncoding},
		"JPEG 2000":      {"/Width 30/Height 20/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/JPXDecode", string(examples.GrayJPEG2000(30, 20)), 0, ""},
		"JBIG2":          {"/Width 8/Height 2/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/JBIG2Decode", jbig2Stream(), 0, reason.ExtractMalformed},
		"fax, group 4":   {fax + "/K -1/EndOfBlock false>>", "\x31" + strings.Repeat("\xff", 15), 0, ""},
		"fax, byte rows": {fax + "/EncodedByteAlign true/EndOfBlock false>>", strings.Repeat(row, 40), 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := func(data string) []byte {
				return onePage(box, "q 60 0 0 40 0 0 cm /I Do Q", "/XObject<</I 10 0 R>>", parts{10: stream("/Subtype/Image"+c.dict, data), 12: stream("/N 3/Alternate/DeviceRGB", "none")})
			}
			if _, err := loadPicture(t, b(c.data)); err != nil {
				t.Fatalf("whole: %v", err)
			}
			for n := 0; n < len(c.data)-c.spare; n += max(1, len(c.data)/40) {
				if _, err := loadPicture(t, b(c.data[:n])); reason.Of(err) != reason.ExtractTruncated && reason.Of(err) != c.also {
					t.Errorf("cut to %d of %d: %v", n, len(c.data), err)
				}
			}
		})
	}
}

func runsOf(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i += 60 {
		out.WriteString("\x3b" + s[i:min(i+60, len(s))])
	}
	return out.String()
}

// loadPicture loads the one image of a document, and its page, which is withheld where the
// image is cut off, unless there is nothing of it.
func loadPicture(t *testing.T, b []byte) (image.Image, error) {
	t.Helper()
	d := open(t, b, roomy)
	items := d.Assets()
	if len(items) != 2 {
		t.Fatalf("%d assets", len(items))
	}
	if items[1].Withheld != "" {
		return nil, reason.Because(items[1].Withheld, fmt.Errorf("withheld"))
	}
	_, drawn := d.Load(0)
	img, err := d.Load(1)
	if cut := reason.Of(err) == reason.ExtractTruncated && !bytes.Contains(b, []byte("/Length 0>>")); cut != (reason.Of(drawn) == reason.ExtractTruncated) {
		t.Errorf("the page ends with %v, its image with %v", drawn, err)
	}
	return img, err
}

// F5: segments that draw nothing make no picture, and what honest writers leave out is no cut.
func TestStreamsThatAreWhole(t *testing.T) {
	none := jbig2Stream()[:11+19] // what a page measures, and nothing on it
	jb := "/Width 8/Height 2/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/JBIG2Decode"
	endless := []byte(jbig2Stream())
	binary.BigEndian.PutUint32(endless[11+19+7:], 1<<32-1)
	var jpg bytes.Buffer
	if err := jpeg.Encode(&jpg, grain(), nil); err != nil {
		t.Fatal(err)
	}
	ct := "/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode"
	for name, c := range map[string]struct {
		dict, data string
		want       reason.Code
	}{
		"JBIG2 without a region": {jb, none, reason.ExtractMalformed},
		"JBIG2, line break":      {jb, jbig2Stream() + "\r\n", ""},
		"JPEG without its end":   {"/Width 60/Height 40" + ct, jpg.String()[:jpg.Len()-2], ""},
		"JPEG, filled up":        {"/Width 60/Height 40" + ct, jpg.String() + strings.Repeat("\x00", 300), ""},
		"fax that ends itself":   {"/Width 8/Height 40/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns 8/Rows 40>>", "\x31\xff\xff\x00\x10\x01", ""},
		"part of the last row":   {"/Width 60/Height 40/ColorSpace/DeviceGray/BitsPerComponent 8", string(grain().Pix[:60*40-5]), ""},
		"more than enough":       {"/Width 60/Height 4/ColorSpace/DeviceGray/BitsPerComponent 8", string(grain().Pix), ""},
		"a space of its own":     {"/Width 60/Height 40/ColorSpace/Unknown/BitsPerComponent 8", string(grain().Pix), reason.ExtractEncoding},
	} {
		b := onePage(box, "q 60 0 0 40 0 0 cm /I Do Q", "/XObject<</I 10 0 R>>", parts{10: stream("/Subtype/Image"+c.dict, c.data)})
		if _, err := loadPicture(t, b); reason.Of(err) != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// F14, F16: libjpeg fills up a scan that breaks off before an end mark with gray, and makes
// black of sampling that it does not take.
func TestJPEGStreams(t *testing.T) {
	img := image.NewYCbCr(image.Rect(0, 0, 64, 64), image.YCbCrSubsampleRatio420)
	for i := range img.Y {
		img.Y[i] = byte(i * 37)
	}
	var whole bytes.Buffer
	if err := jpeg.Encode(&whole, img, nil); err != nil {
		t.Fatal(err)
	}
	b := whole.Bytes()
	frame := bytes.Index(b, []byte{0xff, 0xc0})
	fractional := bytes.Clone(b)
	fractional[frame+11], fractional[frame+14] = 0x31, 0x21
	scan := bytes.Index(b, []byte{0xff, 0xda}) + 14
	for name, c := range map[string]struct {
		data []byte
		want reason.Code
	}{
		"whole":      {b, ""},
		"broken off": {append(bytes.Clone(b[:scan+(len(b)-scan)/2]), 0xff, 0xd9), reason.ExtractTruncated},
		"fractional": {fractional, reason.ExtractEncoding},
	} {
		doc := onePage(box, "q 64 0 0 64 0 0 cm /I Do Q", "/XObject<</I 10 0 R>>",
			parts{10: stream("/Subtype/Image/Width 64/Height 64/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode", string(c.data))})
		if _, err := loadPicture(t, doc); reason.Of(err) != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
