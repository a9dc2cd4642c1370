package pdf

import (
	"encoding/binary"
	"fmt"
	"image"
	"math/bits"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"blotter/internal/reason"
)

// bitmap is one of PDFium's, in its memory.
type bitmap struct {
	d      *Document
	ref    references.FPDF_BITMAP
	w, h   int
	stride int
	format enums.FPDF_BITMAP_FORMAT
}

func (b *bitmap) free() {
	if b.d.e.broken {
		return
	}
	if _, err := b.d.e.pdf.FPDFBitmap_Destroy(&requests.FPDFBitmap_Destroy{Bitmap: b.ref}); err != nil {
		b.d.e.failed(err)
	}
}

// size asks PDFium for the measures.
func (b *bitmap) size() error {
	w, err := b.d.e.pdf.FPDFBitmap_GetWidth(&requests.FPDFBitmap_GetWidth{Bitmap: b.ref})
	if err != nil {
		return b.d.wrong("bitmap width", err)
	}
	h, err := b.d.e.pdf.FPDFBitmap_GetHeight(&requests.FPDFBitmap_GetHeight{Bitmap: b.ref})
	if err != nil {
		return b.d.wrong("bitmap height", err)
	}
	s, err := b.d.e.pdf.FPDFBitmap_GetStride(&requests.FPDFBitmap_GetStride{Bitmap: b.ref})
	if err != nil {
		return b.d.wrong("bitmap stride", err)
	}
	f, err := b.d.e.pdf.FPDFBitmap_GetFormat(&requests.FPDFBitmap_GetFormat{Bitmap: b.ref})
	if err != nil {
		return b.d.wrong("bitmap format", err)
	}
	b.w, b.h, b.stride, b.format = w.Width, h.Height, s.Stride, f.Format
	return nil
}

// image copies the pixels out: *image.Gray where they hold no colour, else an opaque
// *image.NRGBA on white. size must have been called.
func (b *bitmap) image() (image.Image, error) {
	buf, err := b.d.e.pdf.FPDFBitmap_GetBuffer(&requests.FPDFBitmap_GetBuffer{Bitmap: b.ref})
	if err != nil {
		return nil, b.d.wrong("bitmap buffer", err)
	}
	step := map[enums.FPDF_BITMAP_FORMAT]int{
		enums.FPDF_BITMAP_FORMAT_GRAY: 1, enums.FPDF_BITMAP_FORMAT_BGR: 3,
		enums.FPDF_BITMAP_FORMAT_BGRX: 4, enums.FPDF_BITMAP_FORMAT_BGRA: 4,
	}[b.format]
	if step == 0 || b.w <= 0 || b.h <= 0 || b.stride < b.w*step || len(buf.Buffer) < b.stride*b.h {
		return nil, reason.Because(reason.ExtractEncoding, fmt.Errorf("pdf: bitmap format %d", b.format))
	}
	px := pixelsOf{pix: buf.Buffer, w: b.w, h: b.h, stride: b.stride, step: step, alpha: b.format == enums.FPDF_BITMAP_FORMAT_BGRA}
	if px.neutral() {
		return px.gray(), nil
	}
	return px.colour(), nil
}

// pixelsOf reads rows of gray, BGR, BGRx or BGRA.
type pixelsOf struct {
	pix          []byte
	w, h, stride int
	step         int
	alpha        bool
}

func (p pixelsOf) row(y int) []byte { return p.pix[y*p.stride:][:p.w*p.step] }

func (p pixelsOf) neutral() bool {
	if p.step == 1 {
		return true
	}
	for y := range p.h {
		row := p.row(y)
		for ; len(row) >= 4; row = row[p.step:] {
			if v := binary.LittleEndian.Uint32(row); (v^v>>8)&0xffff != 0 {
				return false
			}
		}
		if len(row) > 0 && (row[0] != row[1] || row[0] != row[2]) {
			return false
		}
	}
	return true
}

func (p pixelsOf) gray() *image.Gray {
	out := image.NewGray(image.Rect(0, 0, p.w, p.h))
	for y := range p.h {
		row, dst := p.row(y), out.Pix[y*out.Stride:][:p.w]
		switch {
		case p.step == 1:
			copy(dst, row)
		case p.alpha:
			for x := range dst {
				dst[x] = onWhite(row[4*x], row[4*x+3])
			}
		default:
			for x := range dst {
				dst[x] = row[x*p.step]
			}
		}
	}
	return out
}

func (p pixelsOf) colour() *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, p.w, p.h))
	for y := range p.h {
		row, dst := p.row(y), out.Pix[y*out.Stride:][:4*p.w]
		for ; len(row) >= 4; row, dst = row[p.step:], dst[4:] {
			v := bits.ReverseBytes32(binary.LittleEndian.Uint32(row)) // blue, green and red lie on top, the rest below
			if p.alpha && v&0xff != 0xff {
				a := uint8(v)
				dst[0], dst[1], dst[2], dst[3] = onWhite(row[2], a), onWhite(row[1], a), onWhite(row[0], a), 0xff
				continue
			}
			binary.LittleEndian.PutUint32(dst, v>>8|0xff<<24)
		}
		if len(row) > 0 { // the last pixel of three bytes
			dst[0], dst[1], dst[2], dst[3] = row[2], row[1], row[0], 0xff
		}
	}
	return out
}

// onWhite lays a straight sample of opacity a on white.
func onWhite(v, a uint8) uint8 {
	if a == 0xff {
		return v
	}
	return uint8((int(v)*int(a) + 0xff*(0xff-int(a)) + 127) / 0xff)
}

// opacity reports whether any pixel is transparent, and whether all are.
func (p pixelsOf) opacity() (some, all bool) {
	all = true
	for y := range p.h {
		row := p.row(y)
		for i := 3; i < len(row); i += 4 {
			some = some || row[i] != 0xff
			all = all && row[i] == 0
		}
		if some && !all {
			return true, false
		}
	}
	return some, all
}

// masked returns the pixels laid on white, or nil where none is transparent or the
// bitmap is not w×h. Nothing but transparent pixels is what PDFium makes of an image
// that it could not draw: nil too.
func (b *bitmap) masked(w, h int) (image.Image, error) {
	if b.w != w || b.h != h || b.format != enums.FPDF_BITMAP_FORMAT_BGRA {
		return nil, nil
	}
	buf, err := b.d.e.pdf.FPDFBitmap_GetBuffer(&requests.FPDFBitmap_GetBuffer{Bitmap: b.ref})
	if err != nil {
		return nil, b.d.wrong("bitmap buffer", err)
	}
	px := pixelsOf{pix: buf.Buffer, w: b.w, h: b.h, stride: b.stride, step: 4, alpha: true}
	if len(px.pix) < px.stride*px.h {
		return nil, nil
	}
	if some, all := px.opacity(); !some || all {
		return nil, nil
	}
	return b.image()
}
