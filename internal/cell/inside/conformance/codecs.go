package main

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"strings"
)

// ramp24 is a gray ramp of 24×12 pixels, x·9 + y·5, losslessly encoded by OpenJPEG.
//
//go:embed gray.j2k
var ramp24 string

// codecsDoc has one image of each codec that carries its own headers.
func codecsDoc() doc {
	s := sheet{name: "codecs.pdf"}
	ramp := func(x, y int) color.Color { return color.Gray{Y: uint8(x*9 + y*5)} } //nolint:gosec // wraps as the ramp does
	s.add("JPEG 2000", "/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/JPXDecode", ramp24, 24, 12, false, ramp)
	s.add("JPEG 2000 without a space", "/Filter[/FlateDecode/JPXDecode]", deflate(ramp24), 24, 12, false, ramp)
	s.add("JPEG", "/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode", smooth(16, 8), 16, 8, true, slope)
	s.add("JPEG, negative", "/ColorSpace/DeviceGray/BitsPerComponent 8/Decode[1 0]/Filter[/ASCIIHexDecode/DCTDecode]", fmt.Sprintf("%x>", smooth(16, 9)), 16, 9, true,
		func(x, y int) color.Color { return color.Gray{Y: 0xff - slope(x, y).(color.Gray).Y} }) //nolint:forcetypeassert // slope is gray
	red := func(int, int) color.Color { return color.NRGBA{0xed, 0x1c, 0x24, 0xff} } // as inks print; a tolerance apart
	s.add("four inks", "/ColorSpace/DeviceCMYK/BitsPerComponent 8/Filter/DCTDecode", inks(false, 8), 8, 8, true, red)
	s.add("four inks under an identity", "/ColorSpace/DeviceCMYK/BitsPerComponent 8/Decode[0 1 0 1 0 1 0 1]/Filter/DCTDecode", inks(false, 7), 8, 7, true, red)
	s.add("Adobe's inks, turned round", "/ColorSpace/DeviceCMYK/BitsPerComponent 8/Decode[1 0 1 0 1 0 1 0]/Filter/DCTDecode", inks(true, 6), 8, 6, true, red)
	jbig := func(h int) func(x, y int) color.Color {
		return func(x, _ int) color.Color {
			if x == 3 || x == 4 {
				return color.Black
			}
			return color.White
		}
	}
	s.add("JBIG2", "/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/JBIG2Decode", jbig2Page(4)+jbig2Region(4), 8, 4, false, jbig(4))
	globals := jbig2Patterns()
	s.add("JBIG2 with globals", "/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/JBIG2Decode/DecodeParms<</JBIG2Globals "+
		s.refer(fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(globals), globals))+">>", jbig2Page(5)+jbig2Halftone(5), 8, 5, false, jbig(5))
	return s.doc()
}

func slope(x, y int) color.Color { return color.Gray{Y: uint8(40 + 8*x + 6*y)} } //nolint:gosec // under 256

// smooth is a JPEG of a slope.
func smooth(w, h int) string {
	img := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, slope(x, y))
		}
	}
	var out bytes.Buffer
	_ = jpeg.Encode(&out, img, &jpeg.Options{Quality: 100})
	return out.String()
}

// inks is a JPEG of 8×h pixels of four samples: no cyan, no black, all magenta and
// yellow. Adobe's programs write them the other way round and say so in a marker.
func inks(adobe bool, h int) string {
	b := "\xff\xd8"
	if adobe {
		b += "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"
	}
	b += "\xff\xdb\x00\x43\x00" + strings.Repeat("\x08", 64)
	b += "\xff\xc0\x00\x14\x08\x00" + string(rune(h)) + "\x00\x08\x04\x01\x11\x00\x02\x11\x00\x03\x11\x00\x04\x11\x00"
	b += "\xff\xc4\x00\x15\x00\x01\x01" + strings.Repeat("\x00", 14) + "\x00\x07"
	b += "\xff\xc4\x00\x14\x10\x01" + strings.Repeat("\x00", 15) + "\x00"
	b += "\xff\xda\x00\x0e\x04\x01\x00\x02\x00\x03\x00\x04\x00\x00\x3f\x00"
	// One coefficient a sample: code 10, seven bits of it, and an end of block.
	const all, none = "10 1111111 0 ", "10 0000000 0 "
	code := none + all + all + none
	if adobe {
		code = all + none + none + all
	}
	scan := []byte(bits(code + "1111111"))
	return b + strings.ReplaceAll(string(scan), "\xff", "\xff\x00") + "\xff\xd9"
}

// jbig2Page is the segment that says how large a page of JBIG2 is, ISO 14492 7.4.8.
func jbig2Page(h int) string {
	return segment("\x00\x00\x00\x01", 48, "", 1, word32(8)+word32(h)+strings.Repeat("\x00", 8)+"\x00\x00\x00")
}

// jbig2Region is a generic region of fax code, 7.4.6.
func jbig2Region(h int) string {
	return segment("\x00\x00\x00\x02", 38, "", 1, word32(8)+word32(h)+strings.Repeat("\x00", 8)+"\x00"+"\x01"+jbig2Fax(h))
}

func jbig2Fax(h int) string {
	return bits("001 1000 11 1 " + strings.Repeat("111 ", h-1) + "000000000001 000000000001")
}

// jbig2Patterns is a dictionary of two patterns of one pixel, white and black, 7.4.4.
func jbig2Patterns() string {
	return segment("\x00\x00\x00\x00", 16, "", 0, "\x01\x01\x01"+word32(1)+bits("001 000111 010 000000000001 000000000001"))
}

// jbig2Halftone draws a pattern for each pixel, 7.4.5.
func jbig2Halftone(h int) string {
	grid := word32(8) + word32(h) + word32(0) + word32(0) + "\x01\x00\x00\x00"
	return segment("\x00\x00\x00\x02", 22, "\x00", 1, word32(8)+word32(h)+strings.Repeat("\x00", 8)+"\x00"+"\x01"+grid+jbig2Fax(h))
}

func word32(v int) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(v))) //nolint:gosec // small
}

// segment writes one; refers lists the numbers of segments that it needs.
func segment(number string, kind byte, refers string, page byte, body string) string {
	return number + string([]byte{kind, byte(len(refers)) << 5}) + refers + string([]byte{page}) + word32(len(body)) + body //nolint:gosec // small
}
