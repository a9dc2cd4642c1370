// Package redact destroys what boxes cover and writes images from their pixels
// alone. It decides nothing: where the boxes lie is settled before.
package redact

import (
	"crypto/sha256"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"

	"blotter/internal/document"
)

// Canvas returns an image of the same pixels on which boxes of that colour can be painted:
// the image itself, but for a gray one and a fill that is no gray.
func Canvas(img draw.Image, fill document.Colour) draw.Image {
	gray, ok := img.(*image.Gray)
	if !ok || fill.R == fill.G && fill.G == fill.B {
		return img
	}
	out := image.NewNRGBA(gray.Rect)
	draw.Draw(out, out.Rect, gray, gray.Rect.Min, draw.Src)
	return out
}

// Burn paints every box in one solid colour, in place. Boxes are clipped to the image;
// the pixels outside them are not touched, not even read.
func Burn(img draw.Image, boxes []document.Box, fill document.Colour) {
	at := img.Bounds().Min
	for _, b := range boxes {
		if b.Empty() {
			continue
		}
		draw.Draw(img, b.Rect().Add(at).Intersect(img.Bounds()), image.NewUniform(opaque(fill)), image.Point{}, draw.Src)
	}
}

// Burned reports whether every pixel of a box that lies in the image has the colour.
func Burned(img image.Image, b document.Box, fill document.Colour) bool {
	r := b.Rect().Add(img.Bounds().Min).Intersect(img.Bounds())
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if color.NRGBAModel.Convert(img.At(x, y)) != color.Color(opaque(fill)) {
				return false
			}
		}
	}
	return true
}

func opaque(c document.Colour) color.NRGBA { return color.NRGBA{R: c.R, G: c.G, B: c.B, A: 255} }

// PixelDigest is the digest of an image's pixels, independent of how a file would
// encode them: the SHA-256 of a header and the rows from top to bottom.
//
// The header is 17 bytes: the ASCII letters "blotpix1", one byte for the number of
// channels (1 for *image.Gray, 4 for everything else), then width and height as
// 32-bit big-endian numbers. A gray row is one byte a pixel; any other is R, G, B, A
// a pixel, 8 bits each and not premultiplied. Rows follow each other without padding.
func PixelDigest(img image.Image) document.Digest {
	h := sha256.New()
	r := img.Bounds()
	_, gray := img.(*image.Gray)
	head := []byte("blotpix1\x04")
	if gray {
		head[8] = 1
	}
	head = binary.BigEndian.AppendUint32(head, uint32(r.Dx()))
	head = binary.BigEndian.AppendUint32(head, uint32(r.Dy()))
	h.Write(head)
	row := make([]byte, 0, 4*r.Dx())
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row = appendRow(row[:0], img, y)
		h.Write(row)
	}
	var d document.Digest
	h.Sum(d[:0])
	return d
}

// appendRow adds the pixels of one row in the form that PixelDigest defines. The two
// kinds of image that extraction makes are copied; the rest goes the slow way.
func appendRow(dst []byte, img image.Image, y int) []byte {
	r := img.Bounds()
	switch m := img.(type) {
	case *image.Gray:
		at := m.PixOffset(r.Min.X, y)
		return append(dst, m.Pix[at:at+r.Dx()]...)
	case *image.NRGBA:
		at := m.PixOffset(r.Min.X, y)
		return append(dst, m.Pix[at:at+4*r.Dx()]...)
	}
	for x := r.Min.X; x < r.Max.X; x++ {
		c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
		dst = append(dst, c.R, c.G, c.B, c.A)
	}
	return dst
}
