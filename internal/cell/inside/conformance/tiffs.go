package main

import (
	"encoding/binary"
	"fmt"
	"image/color"

	"blotter/internal/document"
)

// tiffPage is one page: how its pixels are stored.
type tiffPage struct {
	bits, samples, photometric, compression int
	planar, predicted                       bool
}

func (p tiffPage) name() string {
	return fmt.Sprintf("%d×%d bits, photometric %d, compression %d", p.samples, p.bits, p.photometric, p.compression)
}

// Photometric interpretations of TIFF 6.0: what a sample means.
const (
	blackIsHigh, blackIsNought, inRGB, inPalette, inInks = 0, 1, 2, 3, 5
)

// tiffs are files of many pages in both orders of bytes.
func tiffs() []doc {
	var pages []tiffPage
	for _, bits := range []int{1, 2, 4, 8, 16} {
		pages = append(pages, tiffPage{bits: bits, samples: 1, photometric: blackIsHigh, compression: 1},
			tiffPage{bits: bits, samples: 1, photometric: blackIsNought, compression: 8},
			tiffPage{bits: bits, samples: 1, photometric: blackIsNought, compression: 32773})
		if bits <= 8 {
			pages = append(pages, tiffPage{bits: bits, samples: 1, photometric: inPalette, compression: 1})
		}
		if bits >= 8 {
			pages = append(pages, tiffPage{bits: bits, samples: 3, photometric: inRGB, compression: 1},
				tiffPage{bits: bits, samples: 3, photometric: inRGB, compression: 8, planar: true})
		}
	}
	pages = append(pages, tiffPage{bits: 8, samples: 3, photometric: inRGB, compression: 8, predicted: true},
		tiffPage{bits: 8, samples: 4, photometric: inInks, compression: 1})
	var out []doc
	for name, order := range map[string]binary.AppendByteOrder{"little": binary.LittleEndian, "big": binary.BigEndian} {
		f := tiffFile{order: order, b: []byte{0, 0, 0, 0, 0, 0, 0, 0}}
		copy(f.b, map[string]string{"little": "II*\x00", "big": "MM\x00*"}[name])
		var want []picture
		link := 4
		for i, p := range pages {
			link = f.page(p, i, link)
			want = append(want, shown(p.name(), 13, 7, func(x, y int) color.Color { return p.pixel(i, x, y) }))
		}
		out = append(out, raster("pages-"+name+".tiff", document.TIFF, f.b, want...))
	}
	return out
}

// pixel is what people see of the nth page.
func (p tiffPage) pixel(n, x, y int) color.Color {
	v := func(s int) uint8 { return full(noise(800+20*n+s, x, y, p.bits), p.bits) }
	switch p.photometric {
	case blackIsHigh:
		return color.Gray{Y: 0xff - v(0)}
	case inRGB:
		return color.NRGBA{v(0), v(1), v(2), 0xff}
	case inPalette:
		i := noise(800+20*n, x, y, p.bits)
		return color.NRGBA{palette(i, 0), palette(i, 1), palette(i, 2), 0xff}
	case inInks:
		return color.NRGBA{0xff, 0, 0, 0xff} // magenta and yellow
	}
	return color.Gray{Y: v(0)}
}

// stored is a sample as it lies in the file.
func (p tiffPage) stored(n, x, y, s int) int {
	if p.photometric == inInks {
		return []int{0, 0xff, 0xff, 0}[s]
	}
	return noise(800+20*n+s, x, y, p.bits)
}

// tiffFile is a file being written.
type tiffFile struct {
	order binary.AppendByteOrder
	b     []byte
}

// page writes the nth page in two strips, and its place where the link to it stands.
// It returns where that to the next stands.
func (f *tiffFile) page(p tiffPage, n, link int) int {
	const w, h, perStrip = 13, 7, 4
	var offsets, lengths []int
	planes, samples := 1, p.samples
	if p.planar {
		planes, samples = p.samples, 1
	}
	for plane := range planes {
		for top := 0; top < h; top += perStrip {
			rows := packRows(w, min(perStrip, h-top), samples, p.bits, func(x, y, s int) int { return p.stored(n, x, top+y, s+plane) })
			data := f.pack(p, rows, samples)
			offsets, lengths = append(offsets, len(f.b)), append(lengths, len(data))
			f.b = append(f.b, data...)
			f.b = append(f.b, make([]byte, len(f.b)&1)...)
		}
	}
	depth := make([]int, p.samples)
	for i := range depth {
		depth[i] = p.bits
	}
	tags := []tiffTag{{256, 3, []int{w}}, {257, 3, []int{h}}, {258, 3, depth}, {259, 3, []int{p.compression}}, {262, 3, []int{p.photometric}},
		{273, 4, offsets}, {277, 3, []int{p.samples}}, {278, 3, []int{perStrip}}, {279, 4, lengths}, {284, 3, []int{planes/2 + 1}}}
	if p.planar {
		tags[9].values[0] = 2
	}
	if p.predicted {
		tags = append(tags, tiffTag{317, 3, []int{2}})
	}
	if p.photometric == inPalette {
		var colours []int
		for c := range 3 {
			for i := range 1 << p.bits {
				colours = append(colours, 257*int(palette(i, c)))
			}
		}
		tags = append(tags, tiffTag{320, 3, colours})
	}
	return f.directory(tags, link)
}

// pack compresses rows: 1 as they are, 8 Deflate, 32773 runs of bytes. Samples of 16 bits
// lie in the file's order.
func (f *tiffFile) pack(p tiffPage, rows [][]byte, samples int) []byte {
	if p.bits == 16 && f.order.String() == "LittleEndian" {
		for _, row := range rows {
			for i := 0; i < len(row); i += 2 {
				row[i], row[i+1] = row[i+1], row[i]
			}
		}
	}
	text := flat(rows)
	if p.predicted {
		text = predict(rows, samples, func(int) byte { return 1 }, false)
	}
	switch p.compression {
	case 8:
		text = deflate(text)
	case 32773:
		var out []byte
		for _, row := range rows {
			out = append(append(out, byte(len(row)-1)), row...) //nolint:gosec // under 128
		}
		text = string(out)
	}
	return []byte(text)
}

// tiffTag is one entry of a directory; type 3 has two bytes, type 4 four.
type tiffTag struct {
	tag, kind int
	values    []int
}

func (f *tiffFile) directory(tags []tiffTag, link int) int {
	var entries []byte
	for _, t := range tags {
		var data []byte
		for _, v := range t.values {
			if t.kind == 3 {
				data = f.order.AppendUint16(data, uint16(v)) //nolint:gosec // small
			} else {
				data = f.order.AppendUint32(data, uint32(v)) //nolint:gosec // small
			}
		}
		entries = f.order.AppendUint16(f.order.AppendUint16(entries, uint16(t.tag)), uint16(t.kind)) //nolint:gosec // small
		entries = f.order.AppendUint32(entries, uint32(len(t.values)))                               //nolint:gosec // small
		if len(data) > 4 {
			entries = f.order.AppendUint32(entries, uint32(len(f.b))) //nolint:gosec // small
			f.b = append(f.b, data...)
		} else {
			entries = append(append(entries, data...), make([]byte, 4-len(data))...)
		}
	}
	copy(f.b[link:], f.order.AppendUint32(nil, uint32(len(f.b))))          //nolint:gosec // small
	f.b = append(f.order.AppendUint16(f.b, uint16(len(tags))), entries...) //nolint:gosec // small
	f.b = append(f.b, 0, 0, 0, 0)
	return len(f.b) - 4
}
