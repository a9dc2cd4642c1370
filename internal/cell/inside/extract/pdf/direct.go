package pdf

import (
	"encoding/binary"
	"image"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"

	"blotter/internal/cell/inside/extract/pdf/objects"
)

// Images whose samples are stored simply are unpacked here, by exact readers; PDFium makes
// bytes of bits and hands them out in several copies. It stays the judge of what an image
// is: its word on size, colours and filters has to be that of the dictionary, and what is
// damaged is its to decode.

// agrees reports that PDFium understands an image as its dictionary was read.
func (p *picture) agrees(o *objects.Pixels, space enums.FPDF_COLORSPACE, filters []string) bool {
	if o == nil || o.Width != p.w || o.Height != p.h || len(o.Filters) != len(filters) {
		return false
	}
	for i, f := range o.Filters {
		if f != filters[i] {
			return false
		}
	}
	bits := 8
	want := enums.FPDF_COLORSPACE_DEVICEGRAY
	switch {
	case o.Stencil:
		want = enums.FPDF_COLORSPACE_UNKNOWN
	case space == enums.FPDF_COLORSPACE_CALGRAY && o.Bits == 1:
		want = space
	case o.Palette != nil:
		want = enums.FPDF_COLORSPACE_INDEXED
	case o.Channels == 3:
		bits, want = 24, enums.FPDF_COLORSPACE_DEVICERGB
	}
	if o.Bits == 1 {
		bits = 1
	}
	return space == want && p.bits == bits
}

// direct unpacks an image from the bytes that PDFium holds; nil where they are damaged or
// not simple.
func (d *Document) direct(a asset) (image.Image, error) {
	o := a.image.own
	if o == nil {
		return nil, nil
	}
	_, obj, err := d.find(a)
	if err != nil {
		return nil, err
	}
	raw, err := d.e.pdf.FPDFImageObj_GetImageDataRaw(&requests.FPDFImageObj_GetImageDataRaw{ImageObject: obj})
	if err != nil {
		if d.e.failed(err); d.e.broken {
			return nil, d.wrong("image data", err)
		}
		return nil, nil
	}
	next, err := o.Rows(raw.Data)
	if err != nil {
		return nil, nil //nolint:nilerr // PDFium may make something of it
	}
	if o.Channels == 3 {
		return rgbRows(next, o), nil
	}
	if values := grays(o); values != nil {
		img := grayRows(next, o, values)
		if img == nil || o.Stencil && uniform(img) {
			return nil, nil
		}
		return img, nil
	}
	return paletteRows(next, o), nil
}

// grays are the gray values of all samples there can be; nil where some have a colour, or
// the palette has not all.
func grays(o *objects.Pixels) []byte {
	values := make([]byte, 1<<o.Bits)
	if o.Palette == nil {
		for i := range values {
			values[i] = uint8(i * 0xff / (len(values) - 1))
			if o.Negative {
				values[i] = ^values[i]
			}
		}
		return values
	}
	if len(o.Palette) < 3*len(values) {
		return nil
	}
	for i := range values {
		c := o.Palette[3*i:]
		if values[i] = c[0]; c[0] != c[1] || c[0] != c[2] {
			return nil
		}
	}
	return values
}

// grayRows makes a picture of samples that stand for gray values; nil where there are too
// few rows.
func grayRows(next func([]byte) error, o *objects.Pixels, values []byte) *image.Gray {
	out := image.NewGray(image.Rect(0, 0, o.Width, o.Height))
	row := make([]byte, o.RowBytes())
	spread := spreadOf(values, o.Bits)
	for y := range o.Height {
		if next(row) != nil {
			return nil
		}
		spread.row(out.Pix[y*out.Stride:][:o.Width], row)
	}
	return out
}

// spreader turns a byte of samples into bytes of values, the first in the lowest.
type spreader struct {
	each int // samples of a byte
	of   [256]uint64
}

func spreadOf(values []byte, bits int) *spreader {
	s := &spreader{each: 8 / bits}
	for b := range s.of {
		for i := range s.each {
			v := values[b>>(8-bits*(i+1))&(len(values)-1)]
			s.of[b] |= uint64(v) << (8 * i)
		}
	}
	return s
}

func (s *spreader) row(dst, row []byte) {
	var eight [8]byte
	for i, b := range row {
		switch {
		case s.each == 1:
			dst[i] = byte(s.of[b])
		case s.each == 8 && len(dst) >= 8:
			binary.LittleEndian.PutUint64(dst, s.of[b])
			dst = dst[8:]
		default:
			binary.LittleEndian.PutUint64(eight[:], s.of[b])
			dst = dst[copy(dst, eight[:s.each]):]
		}
	}
}

// paletteRows makes a picture of indexes, gray where no pixel has a colour; nil where there
// are too few rows, or an index that the palette does not have.
func paletteRows(next func([]byte) error, o *objects.Pixels) image.Image {
	out := image.NewNRGBA(image.Rect(0, 0, o.Width, o.Height))
	var colours []uint32
	for p := o.Palette; len(p) >= 3; p = p[3:] {
		colours = append(colours, opaque(p))
	}
	same := make([]byte, 1<<o.Bits)
	for i := range same {
		same[i] = uint8(i)
	}
	spread := spreadOf(same, o.Bits)
	row, indexes := make([]byte, o.RowBytes()), make([]byte, o.Width)
	var tint uint32
	for y := range o.Height {
		if next(row) != nil {
			return nil
		}
		spread.row(indexes, row)
		dst := out.Pix[y*out.Stride:][:4*o.Width]
		for x, i := range indexes {
			if int(i) >= len(colours) {
				return nil
			}
			c := colours[i]
			tint |= c ^ c>>8
			binary.LittleEndian.PutUint32(dst[4*x:], c)
		}
	}
	return settled(out, tint)
}

// rgbRows makes a picture of red, green and blue, gray where no pixel has a colour; nil
// where there are too few rows.
func rgbRows(next func([]byte) error, o *objects.Pixels) image.Image {
	out := image.NewNRGBA(image.Rect(0, 0, o.Width, o.Height))
	row := make([]byte, o.RowBytes())
	var tint uint32
	for y := range o.Height {
		if next(row) != nil {
			return nil
		}
		dst := out.Pix[y*out.Stride:][:4*o.Width]
		for src := row; len(dst) >= 4; dst, src = dst[4:], src[3:] {
			c := opaque(src)
			tint |= c ^ c>>8
			binary.LittleEndian.PutUint32(dst, c)
		}
	}
	return settled(out, tint)
}

// opaque is a pixel of image.NRGBA.
func opaque(rgb []byte) uint32 {
	return uint32(rgb[0]) | uint32(rgb[1])<<8 | uint32(rgb[2])<<16 | 0xff<<24
}

// settled makes a picture gray whose samples differ nowhere from the next of their pixel.
func settled(img *image.NRGBA, tint uint32) image.Image {
	if tint&0xffff != 0 {
		return img
	}
	out := image.NewGray(img.Rect)
	for i := range out.Pix {
		out.Pix[i] = img.Pix[4*i]
	}
	return out
}
