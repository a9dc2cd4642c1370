package main

import (
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"encoding/ascii85"
	"fmt"
	"image"
	"image/color"
	"strings"
)

// The generated documents hold images whose pixels are known from the format's own
// rules, so that they need no reference.

// sheet is a document being made: one page that draws its images.
type sheet struct {
	name   string
	images []string // objects
	more   []string // what they refer to, numbered from 1000
	want   []picture
}

// add places an image. pix gives its pixels.
func (s *sheet) add(what, dict, data string, w, h int, lossy bool, pix func(x, y int) color.Color) {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, pix(x, y))
		}
	}
	s.images = append(s.images, fmt.Sprintf("<</Type/XObject/Subtype/Image/Width %d/Height %d%s/Length %d>>\nstream\n%s\nendstream", w, h, dict, len(data), data))
	s.want = append(s.want, picture{name: what, width: w, height: h, pixels: img, lossy: lossy})
}

// refer numbers an object that an image refers to.
func (s *sheet) refer(object string) string {
	s.more = append(s.more, object)
	return fmt.Sprintf("%d 0 R", 999+len(s.more))
}

func (s *sheet) doc() doc {
	var b, content, names bytes.Buffer
	at := map[int]int{}
	object := func(n int, body string) {
		at[n] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", n, body)
	}
	b.WriteString("%PDF-1.7\n")
	for i, o := range s.images {
		object(10+i, o)
		fmt.Fprintf(&names, "/I%d %d 0 R", i, 10+i)
		fmt.Fprintf(&content, "q 40 0 0 40 %d %d cm /I%d Do Q\n", i%10*50, i/10*50, i)
	}
	for i, o := range s.more {
		object(1000+i, o)
	}
	object(1, "<</Type/Catalog/Pages 2 0 R>>")
	object(2, "<</Type/Pages/Kids[3 0 R]/Count 1>>")
	object(3, fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 500]/Contents 4 0 R/Resources<</XObject<<%s>>>>>>", names.Bytes()))
	object(4, fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", content.Len(), content.Bytes()))
	start := b.Len()
	b.WriteString("xref\n")
	for n := range 1000 + len(s.more) {
		if off, ok := at[n]; ok {
			fmt.Fprintf(&b, "%d 1\n%010d 00000 n \n", n, off)
		}
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", 1000+len(s.more), start)
	return doc{name: "generated/" + s.name, bytes: b.Bytes(), want: s.want}
}

func generated() []doc {
	rasters := append(append(pngs(), bmps()...), tiffs()...)
	rasters = append(append(rasters, animation()), photographs()...)
	out := []doc{samplesDoc(), predictorsDoc(), filtersDoc(), coloursDoc(), faxDoc(), codecsDoc()}
	out = append(append(out, rasters...), holders(rasters)...)
	return append(out, smallest()...)
}

// noise is a sample of depth bits, other for each picture.
func noise(seed, x, y, bits int) int {
	v := uint32(seed*2654435761 + x*40503 + y*30011) //nolint:gosec // any bits will do
	v ^= v >> 13
	v *= 0x9e3779b1
	return int(v>>16) & (1<<bits - 1)
}

// packRows packs samples of bits each into rows that begin at a byte.
func packRows(w, h, samples, bits int, at func(x, y, s int) int) [][]byte {
	var rows [][]byte
	for y := range h {
		row := make([]byte, (w*samples*bits+7)/8)
		bit := 0
		for x := range w {
			for s := range samples {
				v := at(x, y, s)
				for i := bits - 1; i >= 0; i-- {
					row[bit/8] |= byte(v >> i & 1 << (7 - bit%8)) //nolint:gosec // one bit
					bit++
				}
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func flat(rows [][]byte) string { return string(bytes.Join(rows, nil)) }

func deflate(s string) string {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return out.String()
}

// full widens a sample to 8 bits.
func full(v, bits int) uint8 {
	if bits == 16 {
		return uint8(v >> 8) //nolint:gosec // 16 bits
	}
	return uint8(v * 255 / (1<<bits - 1)) //nolint:gosec // at most 255
}

func gray(seed, bits int, flip bool) func(x, y int) color.Color {
	return func(x, y int) color.Color {
		v := full(noise(seed, x, y, bits), bits)
		if flip {
			v = 0xff - v
		}
		return color.Gray{Y: v}
	}
}

// samplesDoc has gray samples of every depth, as they are and negative, and palettes.
func samplesDoc() doc {
	s := sheet{name: "samples.pdf"}
	for i, bits := range []int{1, 2, 4, 8, 16} {
		for flip, decode := range []string{"", "/Decode[1 0]"} {
			seed := 2*i + flip + 1
			rows := packRows(13, 7, 1, bits, func(x, y, _ int) int { return noise(seed, x, y, bits) })
			s.add(fmt.Sprintf("%d bits%s", bits, decode), fmt.Sprintf("/ColorSpace/DeviceGray/BitsPerComponent %d%s", bits, decode), flat(rows), 13, 7, false, gray(seed, bits, flip == 1))
		}
		if bits == 16 {
			continue
		}
		palette := make([]byte, 3<<bits)
		for j := range palette {
			palette[j] = byte(noise(77+i, j, 0, 8)) //nolint:gosec // 8 bits
		}
		rows := packRows(13, 7, 1, bits, func(x, y, _ int) int { return noise(100+i, x, y, bits) })
		s.add(fmt.Sprintf("palette of %d bits", bits), fmt.Sprintf("/ColorSpace[/Indexed/DeviceRGB %d<%x>]/BitsPerComponent %d", 1<<bits-1, palette, bits), flat(rows), 13, 7, false,
			func(x, y int) color.Color {
				p := palette[3*noise(100+i, x, y, bits):]
				return color.NRGBA{p[0], p[1], p[2], 0xff}
			})
	}
	return s.doc()
}

// predict applies a PNG row filter, 0 none, 1 left, 2 above, or TIFF's differences of
// whole bytes.
func predict(rows [][]byte, step int, kind func(y int) byte, png bool) string {
	var out []byte
	for y, row := range rows {
		k := kind(y)
		if png {
			out = append(out, k)
		}
		for i, v := range row {
			switch {
			case k == 1 && i >= step:
				v -= row[i-step]
			case k == 2 && y > 0:
				v -= rows[y-1][i]
			}
			out = append(out, v)
		}
	}
	return string(out)
}

// predictorsDoc has every depth under PNG's predictors, and 8 bits under TIFF's.
func predictorsDoc() doc {
	s := sheet{name: "predictors.pdf"}
	for i, bits := range []int{1, 2, 4, 8, 16} {
		for _, samples := range []int{1, 3} {
			seed := 200 + 10*i + samples
			space := map[int]string{1: "/DeviceGray", 3: "/DeviceRGB"}[samples]
			rows := packRows(13, 6, samples, bits, func(x, y, n int) int { return noise(seed+n, x, y, bits) })
			data := deflate(predict(rows, (samples*bits+7)/8, func(y int) byte { return byte(y % 3) }, true)) //nolint:gosec // under 3
			s.add(fmt.Sprintf("PNG predictor, %d×%d bits", samples, bits),
				fmt.Sprintf("/ColorSpace%s/BitsPerComponent %d/Filter/FlateDecode/DecodeParms<</Predictor 15/Colors %d/BitsPerComponent %d/Columns 13>>", space, bits, samples, bits),
				data, 13, 6, false, func(x, y int) color.Color {
					v := func(n int) uint8 { return full(noise(seed+n%samples, x, y, bits), bits) }
					return color.NRGBA{v(0), v(1), v(2), 0xff}
				})
		}
	}
	rows := packRows(13, 6, 1, 8, func(x, y, _ int) int { return noise(290, x, y, 8) })
	s.add("TIFF predictor", "/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode/DecodeParms<</Predictor 2/Columns 13>>",
		deflate(predict(rows, 1, func(int) byte { return 1 }, false)), 13, 6, false, gray(290, 8, false))
	return s.doc()
}

// filtersDoc has every filter without loss, and chains.
func filtersDoc() doc {
	s := sheet{name: "filters.pdf"}
	hex := func(d string) string { return fmt.Sprintf("%x>", d) }
	a85 := func(d string) string {
		b := make([]byte, ascii85.MaxEncodedLen(len(d)))
		return string(b[:ascii85.Encode(b, []byte(d))]) + "~>"
	}
	late := func(d string) string {
		var out bytes.Buffer
		w := lzw.NewWriter(&out, lzw.MSB, 8)
		_, _ = w.Write([]byte(d))
		_ = w.Close()
		return out.String()
	}
	runs := func(d string) string {
		var out strings.Builder
		for i := 0; i < len(d); i += 100 {
			part := d[i:min(i+100, len(d))]
			out.WriteByte(byte(len(part) - 1)) //nolint:gosec // under 100
			out.WriteString(part)
		}
		return out.String() + "\x80"
	}
	for i, c := range []struct {
		dict   string
		encode func(string) string
	}{
		{"", func(d string) string { return d }},
		{"/Filter/FlateDecode", deflate},
		{"/Filter/LZWDecode/DecodeParms<</EarlyChange 0>>", late},
		{"/Filter/RunLengthDecode", runs},
		{"/Filter/ASCIIHexDecode", hex},
		{"/Filter/ASCII85Decode", a85},
		{"/Filter[/ASCII85Decode/FlateDecode]", func(d string) string { return a85(deflate(d)) }},
		{"/Filter[/ASCIIHexDecode/RunLengthDecode]", func(d string) string { return hex(runs(d)) }},
		{"/Filter[/FlateDecode/FlateDecode]", func(d string) string { return deflate(deflate(d)) }},
		{"/Filter[/A85/LZW/RL]/DecodeParms[null<</EarlyChange 0>>null]", func(d string) string { return a85(late(runs(d))) }},
	} {
		rows := packRows(17, 9, 1, 8, func(x, y, _ int) int { return noise(300+i, x, y, 8) })
		s.add("filter "+c.dict, "/ColorSpace/DeviceGray/BitsPerComponent 8"+c.dict, c.encode(flat(rows)), 17, 9, false, gray(300+i, 8, false))
	}
	return s.doc()
}

// coloursDoc has the colour spaces whose values follow without a conversion of
// colours, and stencils and masks.
func coloursDoc() doc {
	s := sheet{name: "colours.pdf"}
	negative := s.refer("<</FunctionType 2/Domain[0 1]/C0[1]/C1[0]/N 1>>")
	one := packRows(11, 5, 1, 8, func(x, y, _ int) int { return noise(400, x, y, 8) })
	s.add("separation", "/BitsPerComponent 8/ColorSpace[/Separation/Ink/DeviceGray "+negative+"]", flat(one), 11, 5, false, gray(400, 8, true))
	one = packRows(11, 5, 1, 8, func(x, y, _ int) int { return noise(401, x, y, 8) })
	s.add("device of n inks", "/BitsPerComponent 8/ColorSpace[/DeviceN[/Ink]/DeviceGray "+negative+"]", flat(one), 11, 5, false, gray(401, 8, true))
	rgb := packRows(11, 5, 3, 8, func(x, y, n int) int { return noise(402+n, x, y, 8) })
	s.add("negative RGB", "/BitsPerComponent 8/ColorSpace/DeviceRGB/Decode[1 0 1 0 1 0]", flat(rgb), 11, 5, false, func(x, y int) color.Color {
		v := func(n int) uint8 { return 0xff - full(noise(402+n, x, y, 8), 8) }
		return color.NRGBA{v(0), v(1), v(2), 0xff}
	})
	stencil := packRows(11, 5, 1, 1, func(x, y, _ int) int { return noise(410, x, y, 1) })
	s.add("stencil", "/ImageMask true", flat(stencil), 11, 5, false, gray(410, 1, false))
	stencil = packRows(11, 5, 1, 1, func(x, y, _ int) int { return noise(411, x, y, 1) })
	s.add("negative stencil", "/ImageMask true/Decode[1 0]", flat(stencil), 11, 5, false, gray(411, 1, true))
	mask := packRows(20, 8, 1, 8, func(x, y, _ int) int { return noise(412, x, y, 8) })
	soft := s.refer(fmt.Sprintf("<</Type/XObject/Subtype/Image/Width 20/Height 8/ColorSpace/DeviceGray/BitsPerComponent 8/Length %d>>\nstream\n%s\nendstream", len(flat(mask)), flat(mask)))
	s.add("pixel under a large mask", "/ColorSpace/DeviceGray/BitsPerComponent 8/SMask "+soft, "\x00", 1, 1, true, func(int, int) color.Color {
		sum := 0
		for y := range 8 {
			for x := range 20 {
				sum += 0xff - noise(412, x, y, 8)
			}
		}
		return color.Gray{Y: uint8(sum / 160)} //nolint:gosec // a mean of bytes
	})
	img := image.NewGray(image.Rect(0, 0, 20, 8))
	for y := range 8 {
		for x := range 20 {
			img.Set(x, y, gray(412, 8, true)(x, y))
		}
	}
	s.want = append(s.want, picture{name: "the mask", width: 20, height: 8, pixels: img})
	return s.doc()
}

// bits packs a text of ones and noughts.
func bits(text string) string {
	var out []byte
	n := 0
	for _, c := range text {
		switch c {
		case '|': // to the next byte
			n = (n + 7) / 8 * 8
			continue
		case '0', '1':
		default:
			continue
		}
		if n/8 >= len(out) {
			out = append(out, 0)
		}
		out[n/8] |= byte(c-'0') << (7 - n%8) //nolint:gosec // one bit
		n++
	}
	return string(out)
}

// faxDoc has the fax codes with their parameters. Each picture is eight wide, with
// rows of three white, two black, three white; their heights differ.
func faxDoc() doc {
	s := sheet{name: "fax.pdf"}
	const row, mark = "1000 11 1000 ", "000000000001 "
	plain := func(x, _ int) color.Color {
		if x == 3 || x == 4 {
			return color.Black
		}
		return color.White
	}
	inverse := func(x, y int) color.Color {
		if plain(x, y) == color.Black {
			return color.White
		}
		return color.Black
	}
	first := "001 1000 11 1 " // horizontal, then nothing changes
	for _, c := range []struct {
		what, parms string
		code        func(h int) string
		negative    bool
	}{
		{"group 4", "/K -1", func(h int) string { return first + strings.Repeat("111 ", h-1) + mark + mark }, false},
		{"group 4, black is 1", "/K -1/BlackIs1 true", func(h int) string { return first + strings.Repeat("111 ", h-1) + mark + mark }, true},
		{"group 4 without an end", "/K -1/EndOfBlock false", func(h int) string { return first + strings.Repeat("111 ", h-1) }, false},
		{"rows from byte borders", "/K 0/EncodedByteAlign true/EndOfBlock false", func(h int) string { return strings.Repeat(row+"|", h) }, false},
		{"group 3", "/K 0/EndOfBlock false", func(h int) string { return strings.Repeat(row, h) }, false},
		{"group 3 with marks", "/K 0/EndOfLine true", func(h int) string { return strings.Repeat(mark+row, h) + strings.Repeat(mark, 6) }, false},
		{"group 3 in two dimensions", "/K 4/EndOfLine true", func(h int) string {
			return mark + "1" + row + strings.Repeat(mark+"0 111 ", h-1) + strings.Repeat(mark+"1", 6)
		}, false},
	} {
		h := 4 + len(s.images)
		pix := plain
		if c.negative {
			pix = inverse
		}
		s.add(c.what, fmt.Sprintf("/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/CCITTFaxDecode/DecodeParms<<%s/Columns 8/Rows %d>>", c.parms, h), bits(c.code(h)), 8, h, false, pix)
	}
	return s.doc()
}
