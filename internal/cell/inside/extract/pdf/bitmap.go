package pdf

import (
	"fmt"
	"image"

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
		for i := 0; i < len(row); i += p.step {
			if row[i] != row[i+1] || row[i] != row[i+2] {
				return false
			}
		}
	}
	return true
}

func (p pixelsOf) gray() *image.Gray {
	out := image.NewGray(image.Rect(0, 0, p.w, p.h))
	for y := range p.h {
		row, dst := p.row(y), out.Pix[y*out.Stride:][:p.w]
		if p.step == 1 {
			copy(dst, row)
			continue
		}
		for x := range dst {
			dst[x] = p.onWhite(row[x*p.step], row[x*p.step:])
		}
	}
	return out
}

func (p pixelsOf) colour() *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, p.w, p.h))
	for y := range p.h {
		row, dst := p.row(y), out.Pix[y*out.Stride:][:4*p.w]
		for x := range p.w {
			src, px := row[x*p.step:], dst[4*x:4*x+4:4*x+4]
			px[0], px[1], px[2], px[3] = p.onWhite(src[2], src), p.onWhite(src[1], src), p.onWhite(src[0], src), 0xff
		}
	}
	return out
}

// onWhite lays a straight sample of pixel px on white.
func (p pixelsOf) onWhite(v uint8, px []byte) uint8 {
	if !p.alpha || px[3] == 0xff {
		return v
	}
	a := int(px[3])
	return uint8((int(v)*a + 0xff*(0xff-a) + 127) / 0xff)
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
