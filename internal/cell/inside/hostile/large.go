package hostile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"slices"
	"strings"

	"blotter/internal/examples"
)

// Honest is a picture of any size that packs into little, to measure what decoding takes.
type Honest struct {
	Name  string
	Bytes int // that decoding a pixel of it is taken to cost
	Make  func(w, h int) []byte
}

// Large lists pictures of every format and of every way in which it keeps them that may
// cost another memory.
func Large() []Honest {
	out := []Honest{
		{"PNG, gray", 8, func(w, h int) []byte { return pngKind(w, h, 8, 0, 0, w) }},
		{"PNG, colour", 8, func(w, h int) []byte { return pngKind(w, h, 8, 2, 0, 3*w) }},
		{"PNG, palette of 1 bit", 8, func(w, h int) []byte { return pngPalette(w, h) }},
		{"PNG, 4 channels of 16 bits", 14, func(w, h int) []byte { return pngKind(w, h, 16, 6, 0, 8*w) }},
		{"PNG, gray of 16 bits", 14, func(w, h int) []byte { return pngKind(w, h, 16, 0, 0, 2*w) }},
		{"PNG, interlaced", 8, func(w, h int) []byte { return pngLaced(w, h) }},
		{"APNG of 3 frames", 24, func(w, h int) []byte { return animation(3, w, h) }},
		{"GIF of 3 frames", 16, func(w, h int) []byte { return frames(3, w, h) }},
		{"GIF that restores", 16, func(w, h int) []byte { return restoring(w, h) }},
		{"BMP packed in runs", 8, func(w, h int) []byte { return runs(w, h) }},
		{"BMP of 1 bit", 8, func(w, h int) []byte { return plainBMP(w, h) }},
		{"WebP, lossless", 8, func(w, h int) []byte {
			return examples.WebPFile(examples.WebPChunk("VP8L", examples.LosslessWebP(image.NewGray(image.Rect(0, 0, w, h)))))
		}},
		{"JPEG 2000, gray", 16, func(w, h int) []byte { return examples.GrayJPEG2000(uint32(w), uint32(h)) }},
		{"JPEG 2000, colour", 32, func(w, h int) []byte { return examples.JPEG2000(uint32(w), uint32(h), 3) }},
		{"JBIG2", 8, func(w, h int) []byte { return blankJBIG2(w, h) }},
		{"HEIC grid", 8, func(w, h int) []byte { return grid("heic", "hvc1", heic, 64, 64, w, h) }},
		{"AVIF grid", 8, func(w, h int) []byte { return grid("avif", "av01", avif, 200, 120, w, h) }},
		{"EMF", 16, func(w, h int) []byte { return emf(w, h, emfRecord(43, le32(0, 0, w-1, h-1)), stretchTo(w-1, h-1)) }},
		{"WMF", 16, func(w, h int) []byte { return wmf(w, h, wmfRecord(0x41b, le16(h, w, 0, 0))) }},
	}
	for _, p := range [][2]int{{1, 13}, {3, 23}, {4, 40}} {
		n, progressive := p[0], p[1]
		for _, c := range []struct {
			name  string
			sof   byte
			bytes int
		}{{"JPEG", 0xc0, 8}, {"JPEG, progressive", 0xc2, progressive}} {
			out = append(out, Honest{fmt.Sprintf("%s, %d components", c.name, n), c.bytes, func(w, h int) []byte { return blankJPEG(c.sof, n, w, h) }})
		}
	}
	for _, t := range []struct {
		name                    string
		bits, samples, ink      int
		fraction, planes, strip int
	}{
		{"TIFF, 1 bit", 1, 1, 1, 1, 1, 64}, {"TIFF, gray", 8, 1, 1, 1, 1, 64}, {"TIFF, gray in one strip", 8, 1, 1, 1, 1, 0},
		{"TIFF, colour", 8, 3, 2, 1, 1, 64}, {"TIFF, colour in one strip", 8, 3, 2, 1, 1, 0}, {"TIFF, inks", 8, 4, 5, 1, 1, 64},
		{"TIFF, colour of 16 bits", 16, 3, 2, 1, 1, 64}, {"TIFF, inks of 16 bits in one strip", 16, 4, 5, 1, 1, 0},
		{"TIFF, fractions", 32, 3, 2, 3, 1, 64}, {"TIFF, fractions in one strip", 32, 3, 2, 3, 1, 0},
		{"TIFF, planes", 8, 3, 2, 1, 3, 64}, {"TIFF, planes of 16 bits in one strip", 16, 3, 2, 1, 3, 0},
	} {
		bytes := 8
		if t.bits > 8 {
			bytes = 14
		}
		out = append(out, Honest{t.name, bytes, func(w, h int) []byte {
			return deflatedTIFF(w, h, t.bits, t.samples, t.ink, t.fraction, t.planes, t.strip)
		}})
	}
	for _, p := range []struct{ name, dict string }{
		{"PDF image, gray", "/BitsPerComponent 8/ColorSpace/DeviceGray"}, {"PDF image, colour", "/BitsPerComponent 8/ColorSpace/DeviceRGB"},
		{"PDF image, inks", "/BitsPerComponent 8/ColorSpace/DeviceCMYK"}, {"PDF image, colour of 16 bits", "/BitsPerComponent 16/ColorSpace/DeviceRGB"},
		{"PDF image, 1 bit", "/BitsPerComponent 1/ColorSpace/DeviceGray"},
	} {
		out = append(out, Honest{p.name, 8, func(w, h int) []byte { return pictured(w, h, p.dict, "") }},
			Honest{p.name + ", with a mask", 16, func(w, h int) []byte { return pictured(w, h, p.dict, "/SMask 6 0 R") }})
	}
	return append(out,
		Honest{"PDF image in JPEG, progressive", 23, func(w, h int) []byte { return coded(w, h, "/DCTDecode", "RGB", blankJPEG(0xc2, 3, w, h)) }},
		Honest{"PDF image in JPEG, inks", 8, func(w, h int) []byte { return coded(w, h, "/DCTDecode", "CMYK", blankJPEG(0xc0, 4, w, h)) }},
		Honest{"PDF image in JPEG 2000", 32, func(w, h int) []byte {
			return coded(w, h, "/JPXDecode", "RGB", examples.JPEG2000(uint32(w), uint32(h), 3))
		}},
	)
}

func pngKind(w, h, bits, kind, laced, row int) []byte {
	return join([]byte(pngMark), chunk("IHDR", append(be32(w, h), byte(bits), byte(kind), 0, 0, byte(laced))), chunk("IDAT", squeeze(int64(h)*int64(row+1))), chunk("IEND", nil))
}

func pngPalette(w, h int) []byte {
	return join([]byte(pngMark), chunk("IHDR", append(be32(w, h), 1, 3, 0, 0, 0)), chunk("PLTE", []byte{255, 255, 255, 255, 0, 0}),
		chunk("IDAT", squeeze(int64(h)*int64((w+7)/8+1))), chunk("IEND", nil))
}

// pngLaced is an interlaced picture; its seven passes hold a filter byte for each row.
func pngLaced(w, h int) []byte {
	n := int64(0)
	for _, p := range [][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}} {
		if pw, ph := (w-p[0]+p[2]-1)/p[2], (h-p[1]+p[3]-1)/p[3]; pw > 0 && ph > 0 {
			n += int64(ph) * int64(4*pw+1)
		}
	}
	return join([]byte(pngMark), chunk("IHDR", append(be32(w, h), 8, 6, 0, 0, 1)), chunk("IDAT", squeeze(n)), chunk("IEND", nil))
}

// restoring is a GIF whose second frame is taken away again before the third.
func restoring(w, h int) []byte {
	p := color.Palette{color.Black, color.White, color.RGBA{255, 0, 0, 255}}
	var b bytes.Buffer
	one := image.NewPaletted(image.Rect(0, 0, w, h), p)
	small := image.NewPaletted(image.Rect(0, 0, 8, 8), p)
	must(0, gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{one, small, small}, Delay: []int{1, 1, 1}, Disposal: []byte{1, 3, 1}}))
	return b.Bytes()
}

// runs is a BMP of runs of 254 pixels.
func runs(w, h int) []byte {
	var row []byte
	for left := w; left > 0; left -= 254 {
		row = append(row, byte(min(left, 254)), 1)
	}
	data := append(bytes.Repeat(append(row, 0, 0), h), 0, 1)
	head := join(le32(40, w, h, 1|8<<16, 1, len(data)), make([]byte, 8), le32(2, 0), le32(0, 0xff0000))
	return join([]byte("BM"), le32(14+len(head)+len(data), 0, 14+len(head)), head, data)
}

func plainBMP(w, h int) []byte {
	head := join(le32(40, w, h, 1|1<<16), make([]byte, 24), le32(0, 0xffffff))
	return join([]byte("BM"), le32(0, 0, 14+len(head)), head, make([]byte, (w+31)/32*4*h))
}

// blankJPEG is a JPEG whose every block is the same gray: of one scan, or of one that
// holds the first coefficients of all blocks.
func blankJPEG(sof byte, n, w, h int) []byte {
	part := func(m byte, body []byte) []byte { return join([]byte{0xff, m}, be16(len(body)+2), body) }
	frame := join([]byte{8}, be16(h, w), []byte{byte(n)})
	scan, last, bits := []byte{byte(n)}, byte(63), 2 // a bit for each first coefficient, and one for the end of the block
	if sof == 0xc2 {
		last, bits = 0, 1
	}
	for c := range n {
		frame, scan = append(frame, byte(c+1), 0x11, 0), append(scan, byte(c+1), 0)
	}
	table := join([]byte{1}, make([]byte, 15), []byte{0}) // the code 0 means 0
	blocks := n * ((w + 7) / 8) * ((h + 7) / 8)
	return join([]byte{0xff, 0xd8}, part(0xdb, join([]byte{0}, bytes.Repeat([]byte{1}, 64))), part(sof, frame),
		part(0xc4, join([]byte{0}, table, []byte{0x10}, table)), part(0xda, append(scan, 0, last, 0)), make([]byte, (blocks*bits+7)/8), []byte{0xff, 0xd9})
}

// blankJBIG2 is a page on which nothing stands.
func blankJBIG2(w, h int) []byte {
	return join([]byte("\x97JB2\r\n\x1a\n\x01"), be32(1), be32(0), []byte{48, 0, 1}, be32(19, w, h, 0, 0), make([]byte, 3),
		be32(1), []byte{49, 0, 1}, be32(0), be32(2), []byte{51, 0, 0}, be32(0))
}

// grid is a HEIF picture of tiles that are all the one picture of a file; it ends with its
// data, and its tiles have the properties of the given kinds.
func grid(brand, codec string, file []byte, tw, th, w, h int) []byte {
	props := []examples.HEIFProp{examples.HEIFSize(uint32(tw), uint32(th))}
	for _, kind := range []string{"hvcC", "av1C"} {
		if at := bytes.Index(file, []byte(kind)); at >= 0 {
			n := int(binary.BigEndian.Uint32(file[at-4:]))
			props = append(props, examples.HEIFProp{Kind: kind, Data: file[at+4 : at-4+n]})
		}
	}
	columns, rows := (w+tw-1)/tw, (h+th-1)/th
	return examples.EncodeHEIF(brand, 1, []examples.HEIFItem{
		{Type: "grid", Props: []examples.HEIFProp{examples.HEIFSize(uint32(w), uint32(h))},
			Data: join([]byte{0, 1, byte(rows - 1), byte(columns - 1)}, be32(w, h)), Tiles: slices.Repeat([]uint16{2}, rows*columns)},
		{Type: codec, Hidden: true, Props: props, Data: file[bytes.LastIndex(file, []byte("mdat"))+4:]},
	})
}

// stretchTo lays a small bitmap over the whole drawing.
func stretchTo(w, h int) []byte { return stretchDIB(w, h, bitmap()) }

// deflatedTIFF is a picture of zeros in strips of so many rows, 0 for one of all rows.
func deflatedTIFF(w, h, bits, samples, ink, fraction, planes, rows int) []byte {
	if rows == 0 {
		rows = h
	}
	strip := squeeze(int64(rows) * int64((w*samples/planes*bits+7)/8))
	n := (h + rows - 1) / rows * planes
	const fields = 12
	lists := 8 + 2 + fields*12 + 4
	format := 1
	if planes > 1 {
		format = 2
	}
	repeated := func(v int) []byte { return bytes.Repeat(le16(v), samples) }
	at := lists + 8*n + 4*samples
	offsets, counts := lists, lists+4*n
	if n == 1 { // a list of one stands in its place
		offsets, counts = at, len(strip)
	}
	depth, kinds := lists+8*n, lists+8*n+2*samples
	if samples == 1 {
		depth, kinds = bits, fraction
	}
	return join([]byte("II*\x00"), le32(8), directory(0,
		field{256, 4, 1, w}, field{257, 4, 1, h}, field{258, 3, samples, depth}, field{259, 3, 1, 8}, field{262, 3, 1, ink},
		field{273, 4, n, offsets}, field{277, 3, 1, samples}, field{278, 4, 1, rows}, field{279, 4, n, counts},
		field{284, 3, 1, format}, field{332, 3, 1, 1}, field{339, 3, samples, kinds},
	), bytes.Repeat(le32(at), n), bytes.Repeat(le32(len(strip)), n), repeated(bits), repeated(fraction), strip)
}

// pictured is a PDF of one page with an image of zeros, and a mask that lets all through.
func pictured(w, h int, dict, mask string) []byte {
	bits := int64(w) * int64(h)
	for _, c := range []struct {
		has string
		by  int64
	}{{"RGB", 3}, {"CMYK", 4}, {"Component 8", 8}, {"Component 16", 16}} {
		if strings.Contains(dict, c.has) {
			bits *= c.by
		}
	}
	return paper(draw, stream(fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d%s%s/Filter/FlateDecode", w, h, dict, mask), squeeze(bits/8+int64(h))),
		stream(fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/FlateDecode", w, h), squeeze(int64(w)*int64(h))))
}

func coded(w, h int, filter, space string, data []byte) []byte {
	return paper(draw, stream(fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8/ColorSpace/Device%s/Filter%s", w, h, space, filter), data))
}
