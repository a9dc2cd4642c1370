package raster

import (
	"image"
	"image/color"
	"image/draw"
)

// flatten turns what a decoder made into *image.Gray where the source holds no colour
// and into an opaque *image.NRGBA elsewhere, its origin at (0, 0). Transparent pixels
// lie on white: paper is white, and black ink over a transparent background must not
// vanish in black.
func flatten(img image.Image, gray bool) image.Image {
	switch m := img.(type) {
	case *image.Gray:
		if m.Rect.Min == (image.Point{}) {
			return m
		}
	case *image.CMYK:
		return fromCMYK(m)
	case *image.Paletted:
		return fromPalette(m, gray)
	}
	if gray {
		return toGray(img)
	}
	if m, ok := img.(*image.NRGBA); ok && m.Rect.Min == (image.Point{}) {
		layOnWhite(m)
		return m
	}
	b := img.Bounds()
	dst := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	if o, ok := img.(interface{ Opaque() bool }); !ok || !o.Opaque() {
		draw.Draw(dst, dst.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(dst, dst.Rect, img, b.Min, draw.Over)
		return dst
	}
	draw.Draw(dst, dst.Rect, img, b.Min, draw.Src)
	return dst
}

// toNRGBA returns img with straight alpha and its origin at (0, 0); img itself where it is
// that already.
func toNRGBA(img image.Image) *image.NRGBA {
	b := img.Bounds()
	if m, ok := img.(*image.NRGBA); ok && b.Min == (image.Point{}) {
		return m
	}
	dst := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(dst, dst.Rect, img, b.Min, draw.Src)
	return dst
}

// useRange brightens a picture of 16 bits that uses less than half of their range, as
// samples of a TIFF are (see samples.go).
func useRange(img image.Image) image.Image {
	var pix []byte
	step := 2 // bytes a sample
	switch m := img.(type) {
	case *image.Gray16:
		pix = m.Pix
	case *image.RGBA64:
		if m.Opaque() {
			pix, step = m.Pix, 8
		}
	case *image.NRGBA64:
		pix, step = m.Pix, 8
	}
	colours := max(step-2, 2)
	most := uint16(0)
	for i := 0; i < len(pix); i += step {
		for c := 0; c < colours; c += 2 {
			most = max(most, uint16(pix[i+c])<<8|uint16(pix[i+c+1]))
		}
	}
	shift := 16 - usedBits(16, uint64(most))
	if shift == 0 {
		return img
	}
	for i := 0; i < len(pix); i += step {
		for c := 0; c < colours; c += 2 {
			v := (uint16(pix[i+c])<<8 | uint16(pix[i+c+1])) << shift
			pix[i+c], pix[i+c+1] = byte(v>>8), byte(v)
		}
	}
	return img
}

// toGray reads an image whose colours are all neutral; alpha lies on white.
func toGray(img image.Image) *image.Gray {
	b := img.Bounds()
	dst := image.NewGray(image.Rect(0, 0, b.Dx(), b.Dy()))
	if m, ok := img.(*image.NRGBA); ok && m.Opaque() {
		for i := range dst.Pix {
			dst.Pix[i] = m.Pix[4*i]
		}
		return dst
	}
	for y := range b.Dy() {
		row := dst.Pix[y*dst.Stride:][:b.Dx()]
		for x := range row {
			r, _, _, a := img.At(b.Min.X+x, b.Min.Y+y).RGBA() // premultiplied, 16 bits
			row[x] = uint8((r + 0xffff - a) >> 8)
		}
	}
	return dst
}

// layOnWhite makes m opaque in place.
func layOnWhite(m *image.NRGBA) {
	for i := 3; i < len(m.Pix); i += 4 {
		a := uint32(m.Pix[i])
		if a == 0xff {
			continue
		}
		p := m.Pix[i-3 : i+1 : i+1]
		for c := range 3 {
			p[c] = uint8((uint32(p[c])*a + 0xff*(0xff-a) + 127) / 0xff)
		}
		p[3] = 0xff
	}
}

// fromPalette looks colours up once per palette entry, not once per pixel.
func fromPalette(m *image.Paletted, gray bool) image.Image {
	table := make([]color.NRGBA, 256) // an index past the palette is black, as decoders have it
	for i := range table {
		table[i] = color.NRGBA{A: 0xff}
	}
	for i, c := range m.Palette {
		r, g, b, a := c.RGBA()
		white := 0xffff - a
		table[i] = color.NRGBA{uint8((r + white) >> 8), uint8((g + white) >> 8), uint8((b + white) >> 8), 0xff}
	}
	w, h := m.Rect.Dx(), m.Rect.Dy()
	if gray {
		dst := image.NewGray(image.Rect(0, 0, w, h))
		for y := range h {
			for x, v := range m.Pix[y*m.Stride:][:w] {
				dst.Pix[y*dst.Stride+x] = table[v].R
			}
		}
		return dst
	}
	dst := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		row := dst.Pix[y*dst.Stride:][:4*w]
		for x, v := range m.Pix[y*m.Stride:][:w] {
			c := table[v]
			copy(row[4*x:], []byte{c.R, c.G, c.B, c.A})
		}
	}
	return dst
}

// fromCMYK multiplies the inks out, as every viewer without a colour profile does.
func fromCMYK(m *image.CMYK) *image.NRGBA {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	dst := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		src, row := m.Pix[y*m.Stride:][:4*w], dst.Pix[y*dst.Stride:][:4*w]
		for i := 0; i < len(src); i += 4 {
			r, g, b := color.CMYKToRGB(src[i], src[i+1], src[i+2], src[i+3])
			copy(row[i:], []byte{r, g, b, 0xff})
		}
	}
	return dst
}
