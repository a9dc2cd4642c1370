package raster

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"

	"golang.org/x/image/vp8"
	"golang.org/x/image/vp8l"

	"blotter/internal/reason"
)

// webpCel is one image of a WebP: a lossy bit stream, perhaps with its alpha apart, or a
// lossless one.
type webpCel struct {
	r        io.ReaderAt
	data     []span // the bit stream; none yet, or one
	alpha    []span // likewise
	size     image.Point
	lossless bool
}

// add takes a chunk of an image. Of what comes twice the first counts, as in viewers.
func (c *webpCel) add(kind string, s span) error {
	switch {
	case kind == "ALPH" && len(c.alpha) == 0 && len(c.data) == 0:
		c.alpha = []span{s}
	case (kind == "VP8 " || kind == "VP8L") && len(c.data) == 0:
		c.data, c.lossless = []span{s}, kind == "VP8L"
	}
	return nil
}

// measure reads the size out of the bit stream, RFC 6386 9.1 and RFC 9649 3.4.
func (c *webpCel) measure(w *webpWalk) error {
	c.r = w.r
	if len(c.data) == 0 {
		return errors.New("no bit stream")
	}
	if c.lossless {
		b, err := w.bytes(c.data[0], 5)
		if err != nil {
			return err
		}
		v := binary.LittleEndian.Uint32(b[1:])
		if b[0] != 0x2f || v>>29 != 0 {
			return errors.New("no lossless header")
		}
		c.size = image.Pt(int(v&0x3fff)+1, int(v>>14&0x3fff)+1)
		return nil
	}
	b, err := w.bytes(c.data[0], 10)
	if err != nil {
		return err
	}
	if b[0]&1 != 0 || string(b[3:6]) != "\x9d\x01\x2a" {
		return errors.New("no key frame")
	}
	c.size = image.Pt(int(binary.LittleEndian.Uint16(b[6:])&0x3fff), int(binary.LittleEndian.Uint16(b[8:])&0x3fff))
	return nil
}

func (c *webpCel) section(s span) *bufio.Reader {
	return bufio.NewReaderSize(io.NewSectionReader(c.r, s.at, s.end-s.at), 64<<10)
}

func (c *webpCel) decode() (*image.NRGBA, error) {
	img, err := c.pixels()
	if err != nil {
		return nil, because("WebP", err)
	}
	if img.Rect != (image.Rectangle{Max: c.size}) {
		return nil, reason.Because(reason.ExtractSizeLies, errors.New("raster: WebP bit stream of another size"))
	}
	return img, nil
}

func (c *webpCel) pixels() (*image.NRGBA, error) {
	in := c.section(c.data[0])
	if c.lossless {
		return losslessPixels(in)
	}
	d := vp8.NewDecoder()
	d.Init(in, int(c.data[0].end-c.data[0].at))
	if _, err := d.DecodeFrameHeader(); err != nil {
		return nil, err
	}
	m, err := d.DecodeFrame()
	if err != nil {
		return nil, err
	}
	img := studioToRGB(m)
	if len(c.alpha) == 0 {
		return img, nil
	}
	return img, c.layAlpha(img)
}

func losslessPixels(in io.Reader) (*image.NRGBA, error) {
	m, err := vp8l.Decode(in)
	if err != nil {
		return nil, err
	}
	img, ok := m.(*image.NRGBA)
	if !ok {
		return nil, fmt.Errorf("lossless pixels as %T", m)
	}
	return img, nil
}

// layAlpha reads the alpha plane, RFC 9649 2.7.1.2: raw, or the green of a lossless bit
// stream without a header.
func (c *webpCel) layAlpha(img *image.NRGBA) error {
	in := c.section(c.alpha[0])
	flags, err := in.ReadByte()
	if err != nil {
		return err
	}
	plane := make([]byte, c.size.X*c.size.Y)
	switch flags & 3 {
	case 0:
		_, err = io.ReadFull(in, plane)
	case 1:
		err = c.packedAlpha(in, plane)
	default:
		err = errors.New("alpha of an unknown packing")
	}
	if err != nil {
		return err
	}
	unfilter(plane, c.size.X, flags>>2&3)
	for i, a := range plane {
		img.Pix[4*i+3] = a
	}
	return nil
}

func (c *webpCel) packedAlpha(in io.Reader, plane []byte) error {
	head := binary.LittleEndian.AppendUint32([]byte{0x2f}, uint32(c.size.X-1)|uint32(c.size.Y-1)<<14)
	m, err := losslessPixels(io.MultiReader(bytes.NewReader(head), in))
	if err != nil {
		return err
	}
	for i := range plane {
		plane[i] = m.Pix[4*i+1]
	}
	return nil
}

// unfilter undoes the prediction of an alpha plane: from the left, from above, or by the
// gradient of both. The first row knows only its left, the first column only what is
// above.
func unfilter(plane []byte, width int, filter byte) {
	if filter == 0 {
		return
	}
	for i := 1; i < len(plane); i++ {
		switch {
		case i < width:
			plane[i] += plane[i-1]
		case i%width == 0 || filter == 2:
			plane[i] += plane[i-width]
		case filter == 1:
			plane[i] += plane[i-1]
		default:
			g := int(plane[i-1]) + int(plane[i-width]) - int(plane[i-width-1])
			plane[i] += uint8(min(max(g, 0), 0xff))
		}
	}
}

// studioToRGB turns the pixels of a lossy stream into light. VP8 keeps brightness
// between 16 and 235 (ITU-R BT.601), which image.YCbCr does not know of; the factors are
// those of libwebp, in 1/16384.
func studioToRGB(m *image.YCbCr) *image.NRGBA {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	dst := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		row := dst.Pix[y*dst.Stride:][:4*w]
		luma, chroma := m.Y[y*m.YStride:], y/2*m.CStride
		for x := range w {
			l := 19077 * (int32(luma[x]) - 16)
			u, v := int32(m.Cb[chroma+x/2])-128, int32(m.Cr[chroma+x/2])-128
			row[4*x] = unit(l + 26149*v)
			row[4*x+1] = unit(l - 6419*u - 13320*v)
			row[4*x+2] = unit(l + 33050*u)
			row[4*x+3] = 0xff
		}
	}
	return dst
}

func unit(v int32) uint8 { return uint8(min(max((v+8192)>>14, 0), 0xff)) }
