package main

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"

	"blotter/internal/document"
	"blotter/internal/examples"
)

// The generated rasters hold every depth and every kind of sample of their formats.

// raster makes a document of one format and what it shows.
func raster(name string, f document.Format, data []byte, want ...picture) doc {
	for i := range want {
		want[i].format = f
	}
	return doc{name: "generated/" + name, bytes: data, want: want}
}

// shown is what a picture of a size shows.
func shown(name string, w, h int, pix func(x, y int) color.Color) picture {
	img := image.NewNRGBA64(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, pix(x, y))
		}
	}
	p := picture{name: name}
	p.show(img)
	return p
}

// pngKind is a kind of PNG pixel: type of colour, samples of a pixel, bits of a sample.
type pngKind struct{ colour, samples, bits int }

func pngs() (out []doc) {
	for _, colour := range []struct{ kind, samples, least, most int }{{0, 1, 1, 16}, {2, 3, 8, 16}, {3, 1, 1, 8}, {4, 2, 8, 16}, {6, 4, 8, 16}} {
		for bits := colour.least; bits <= colour.most; bits *= 2 {
			for _, interlaced := range []bool{false, true} {
				k, name := pngKind{colour.kind, colour.samples, bits}, "png-"+string(rune('0'+colour.kind))+"-"+string(rune('a'+bits))
				if interlaced {
					name += "-interlaced"
				}
				out = append(out, raster(name+".png", document.PNG, k.file(13, 9, interlaced), shown(name, 13, 9, k.pixel)))
			}
		}
	}
	return out
}

// sample is one of the file, as stored.
func (k pngKind) sample(x, y, s int) int { return noise(500+10*k.colour+k.bits+s, x, y, k.bits) }

// pixel is what people see. The palette's first colour is half clear, and gray's and RGB's
// sample of the first pixel is wholly so.
func (k pngKind) pixel(x, y int) color.Color {
	if k.colour == 3 {
		i := k.sample(x, y, 0)
		c := color.NRGBA{palette(i, 0), palette(i, 1), palette(i, 2), 0xff}
		if i == 0 {
			c.A = 0x80
		}
		return c
	}
	v := func(s int) uint16 { return uint16(k.sample(x, y, s) * 0xffff / (1<<k.bits - 1)) } //nolint:gosec // at most 65,535
	c := color.NRGBA64{v(0), v(0), v(0), 0xffff}
	if k.colour == 2 || k.colour == 6 {
		c.G, c.B = v(1), v(2)
	}
	switch clear := true; k.colour {
	case 4, 6:
		c.A = v(k.samples - 1)
	case 0, 2:
		for s := range k.samples {
			clear = clear && k.sample(x, y, s) == k.sample(0, 0, s)
		}
		if clear {
			c.A = 0
		}
	}
	return c
}

func palette(i, channel int) uint8 { return uint8(noise(77, i, channel, 8)) } //nolint:gosec // 8 bits

// adam7 are the passes of an interlaced PNG: first pixel and steps.
var adam7 = [7][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}

func (k pngKind) file(w, h int, interlaced bool) []byte {
	passes, mode := [][4]int{{0, 0, 1, 1}}, byte(0)
	if interlaced {
		passes, mode = adam7[:], 1
	}
	var rows []byte
	for _, p := range passes {
		pw, ph := (w-p[0]+p[2]-1)/p[2], (h-p[1]+p[3]-1)/p[3]
		if pw <= 0 || ph <= 0 {
			continue
		}
		part := packRows(pw, ph, k.samples, k.bits, func(x, y, s int) int { return k.sample(p[0]+x*p[2], p[1]+y*p[3], s) })
		rows = append(rows, predict(part, max(1, k.samples*k.bits/8), func(y int) byte { return byte(y % 3) }, true)...) //nolint:gosec // under 3
	}
	b := []byte("\x89PNG\r\n\x1a\n")
	b = chunk(b, "IHDR", []byte(word32(w)+word32(h)+string([]byte{byte(k.bits), byte(k.colour), 0, 0, mode}))) //nolint:gosec // small
	switch k.colour {
	case 3:
		var colours []byte
		for i := range 1 << k.bits {
			colours = append(colours, palette(i, 0), palette(i, 1), palette(i, 2))
		}
		b = chunk(chunk(b, "PLTE", colours), "tRNS", []byte{0x80})
	case 0, 2:
		var clear []byte
		for s := range k.samples {
			clear = binary.BigEndian.AppendUint16(clear, uint16(k.sample(0, 0, s))) //nolint:gosec // 16 bits
		}
		b = chunk(b, "tRNS", clear)
	}
	return chunk(chunk(b, "IDAT", []byte(deflate(string(rows)))), "IEND", nil)
}

func chunk(b []byte, kind string, data []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(data))) //nolint:gosec // small
	body := append([]byte(kind), data...)
	return binary.BigEndian.AppendUint32(append(b, body...), crc32.ChecksumIEEE(body))
}

// bmps are bitmaps of every depth, from the bottom up and from the top down.
func bmps() (out []doc) {
	for _, bits := range []int{1, 4, 8, 24, 32} {
		for _, down := range []bool{false, true} {
			const w, h = 13, 6
			at := func(x, y int) int { return noise(700+bits, x, y, min(bits, 8)) }
			pix := func(x, y int) color.Color {
				if bits <= 8 {
					return color.NRGBA{palette(at(x, y), 0), palette(at(x, y), 1), palette(at(x, y), 2), 0xff}
				}
				return color.NRGBA{uint8(at(x, y)), uint8(at(x, y+50)), uint8(at(x, y+99)), 0xff} //nolint:gosec // 8 bits
			}
			le := binary.LittleEndian
			head := le.AppendUint32(nil, 40)
			head, name := le.AppendUint32(head, w), "bmp-"+string(rune('a'+bits))
			if down {
				head, name = le.AppendUint32(head, 1<<32-h), name+"-down"
			} else {
				head = le.AppendUint32(head, h)
			}
			head = append(head, 1, 0, byte(bits), 0)
			head = append(head, make([]byte, 24)...)
			for i := range 1 << bits & 0x1ff {
				head = append(head, palette(i, 2), palette(i, 1), palette(i, 0), 0)
			}
			for row := range h {
				y := row
				if !down {
					y = h - 1 - row
				}
				head = append(head, bmpRow(w, bits, func(x int) int { return at(x, y) }, func(x int) color.Color { return pix(x, y) })...)
			}
			out = append(out, raster(name+".bmp", document.BMP, bitmapFile(head), shown(name, w, h, pix)))
		}
	}
	return out
}

func bmpRow(w, bits int, at func(x int) int, pix func(x int) color.Color) []byte {
	var row []byte
	if bits <= 8 {
		row = packRows(w, 1, 1, bits, func(x, _, _ int) int { return at(x) })[0]
	} else {
		for x := range w {
			c, _ := pix(x).(color.NRGBA)
			row = append(row, []byte{c.B, c.G, c.R, 0}[:bits/8]...)
		}
	}
	return append(row, make([]byte, -len(row)&3)...)
}

// animation is a GIF whose frames cover parts, clear what they drew, or bring back what
// was there.
func animation() doc {
	colours := color.Palette{color.White, color.Black, color.NRGBA{0xff, 0, 0, 0xff}, color.NRGBA{0, 0, 0xff, 0xff}}
	g := &gif.GIF{Config: image.Config{ColorModel: colours, Width: 12, Height: 8}}
	frame := func(r image.Rectangle, c uint8, disposal byte) {
		img := image.NewPaletted(r, colours)
		for i := range img.Pix {
			img.Pix[i] = c
		}
		g.Image, g.Delay, g.Disposal = append(g.Image, img), append(g.Delay, 5), append(g.Disposal, disposal)
	}
	frame(image.Rect(0, 0, 12, 8), 1, gif.DisposalNone)
	frame(image.Rect(2, 1, 7, 5), 2, gif.DisposalPrevious)
	frame(image.Rect(6, 3, 11, 7), 3, gif.DisposalNone)
	frame(image.Rect(0, 0, 3, 3), 2, gif.DisposalNone)
	in := func(x, y int, r image.Rectangle) bool { return image.Pt(x, y).In(r) }
	at := func(n int) func(x, y int) color.Color {
		return func(x, y int) color.Color {
			c := 1
			switch {
			case n == 1 && in(x, y, g.Image[1].Rect):
				c = 2
			case n == 3 && in(x, y, g.Image[3].Rect):
				c = 2
			case n >= 2 && in(x, y, g.Image[2].Rect):
				c = 3
			}
			return colours[c]
		}
	}
	var b bytes.Buffer
	_ = gif.EncodeAll(&b, g)
	return raster("animation.gif", document.GIF, b.Bytes(), shown("frame 1", 12, 8, at(0)), shown("frame 2", 12, 8, at(1)),
		shown("frame 3", 12, 8, at(2)), shown("frame 4", 12, 8, at(3)))
}

// photographs are a JPEG in colours and one in gray, and a WebP without loss.
func photographs() []doc {
	img := image.NewNRGBA(image.Rect(0, 0, 32, 24))
	soft := func(x, y int) color.Color {
		return color.NRGBA{uint8(60 + 4*x), uint8(200 - 5*y), uint8(90 + 2*x + 2*y), 0xff}
	} //nolint:gosec // under 256
	for y := range 24 {
		for x := range 32 {
			img.Set(x, y, soft(x, y))
		}
	}
	var b bytes.Buffer
	_ = jpeg.Encode(&b, img, &jpeg.Options{Quality: 95})
	colour, gray := shown("JPEG", 32, 24, soft), shown("gray JPEG", 16, 8, slope)
	colour.lossy, gray.lossy = true, true
	return []doc{
		raster("colour.jpeg", document.JPEG, b.Bytes(), colour),
		raster("gray.jpeg", document.JPEG, []byte(smooth(16, 8)), gray),
		raster("colour.webp", document.WebP, examples.EncodeWebP(img), shown("WebP", 32, 24, soft)),
	}
}
