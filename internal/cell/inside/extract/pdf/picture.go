package pdf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"io"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"

	"blotter/internal/cell/inside/extract/raster"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// inspect finds out the encoding from the last filter, and for those that carry a
// size of their own takes that: a dictionary may say anything, and the decoder follows
// the stream. A codestream inside other filters whose size cannot be found withholds
// the image, because nothing bounds what decoding it would cost.
func (p *picture) inspect(raw []byte, filters []string) {
	if len(filters) == 0 {
		return
	}
	last := len(filters) - 1
	var size func([]byte) (w, h int, ok bool)
	switch filters[last] {
	case "DCTDecode", "DCT":
		p.format, size = document.JPEG, jpegSize
	case "JPXDecode":
		p.format, size = document.JPEG2000, jpxSize
	case "JBIG2Decode":
		p.format = document.JBIG2
	case "CCITTFaxDecode", "CCF":
		p.format = document.CCITT
	}
	if size == nil {
		return
	}
	if last > 0 {
		head, ok := unfilter(raw, filters[:last])
		if _, _, found := size(head); !ok || !found {
			p.withheld = reason.ExtractEncoding
			return
		}
		raw = head
	}
	if w, h, ok := size(raw); ok {
		p.w, p.h = w, h // what the decoder will make of it
	}
	if p.format == document.JPEG {
		if at := bytes.Index(raw, []byte("\xff\xd8")); at >= 0 {
			p.cost = raster.JPEGBytes(raw[at:])
		}
	}
	if p.format != document.JPEG2000 {
		return
	}
	n, depth := jpxSamples(raw)
	p.cost = raster.WaveletBytes(max(1, min(n, 5)))
	if p.channels, p.depth = n, depth; p.withheld == "" && !jpxFits(p.w, p.h, max(1, min(n, 5))) {
		p.withheld = reason.ExtractMemory // more than five samples are not decoded
	}
}

// jpxFits reports whether PDFium's memory holds what decoding JPEG 2000 takes: each
// sample as four bytes, twice over, and the bitmap. A decoder that runs out of memory is
// lost for the rest of the document.
func jpxFits(w, h, samples int) bool {
	const room = int64(memoryPages) << 16 / 8 * 7 // an eighth for the file and the rest
	return int64(w)*int64(h) <= room/int64(8*samples+4)
}

// jpxSamples reads how many samples a pixel has, and the bits of the first; zeros where
// there is no codestream.
func jpxSamples(raw []byte) (n, bits int) {
	at := bytes.Index(raw, jpxMark)
	if at < 0 || len(raw) < at+43 {
		return 0, 0
	}
	return int(binary.BigEndian.Uint16(raw[at+40:])), int(raw[at+42]&0x7f) + 1
}

// jpxMark begins a codestream: its first two markers.
var jpxMark = []byte("\xff\x4f\xff\x51")

// jpegSize reads a JPEG's frame header. What stands before the start marker is passed
// over, as PDFium does.
func jpegSize(raw []byte) (w, h int, ok bool) {
	at := bytes.Index(raw, []byte("\xff\xd8"))
	if at < 0 {
		return 0, 0, false
	}
	w, h, err := raster.JPEGSize(raw[at:])
	return w, h, err == nil
}

// jpxSize reads the SIZ marker of a JPEG 2000 codestream, ISO 15444-1 A.5.1.
func jpxSize(raw []byte) (w, h int, ok bool) {
	at := bytes.Index(raw, jpxMark)
	if at < 0 || len(raw) < at+24 {
		return 0, 0, false
	}
	b := raw[at+8:] // past SOC, SIZ, its length and capabilities
	right, bottom := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	left, top := binary.BigEndian.Uint32(b[8:]), binary.BigEndian.Uint32(b[12:])
	if right <= left || bottom <= top || right > 1<<31-1 || bottom > 1<<31-1 {
		return 0, 0, false
	}
	return int(right - left), int(bottom - top), true
}

// addPixels writes a small image's decoded pixels to h; it reports false where it does
// not decode.
func (d *Document) addPixels(h io.Writer, obj references.FPDF_PAGEOBJECT) bool {
	res, err := d.e.pdf.FPDFImageObj_GetBitmap(&requests.FPDFImageObj_GetBitmap{ImageObject: obj})
	if err != nil {
		d.e.failed(err)
		return false
	}
	b := bitmap{d: d, ref: res.Bitmap}
	defer b.free()
	if b.size() != nil || b.w > 4*smallPixels || b.h > 4*smallPixels {
		return true
	}
	if buf, err := d.e.pdf.FPDFBitmap_GetBuffer(&requests.FPDFBitmap_GetBuffer{Bitmap: b.ref}); err == nil {
		fmt.Fprint(h, b.format, b.w, b.h)
		_, _ = h.Write(buf.Buffer) // a hash never fails
	}
	return true
}

// decode returns an image's own pixels, with its mask laid on white where it has one.
func (d *Document) decode(a asset) (image.Image, error) {
	ref, obj, err := d.find(a)
	if err != nil {
		return nil, err
	}
	if d.streams[a.image.raw].stencil {
		if img, err := d.stencil(obj); img != nil || err != nil {
			return img, err
		}
	}
	masked, err := d.masked(a.in, ref, obj, a.image.raw, a.image.w, a.image.h)
	if err != nil {
		return nil, err
	}
	if masked != nil {
		return masked, nil
	}
	return d.own(obj)
}

// own returns an image's pixels as PDFium decodes them, without any mask.
func (d *Document) own(obj references.FPDF_PAGEOBJECT) (image.Image, error) {
	res, err := d.e.pdf.FPDFImageObj_GetBitmap(&requests.FPDFImageObj_GetBitmap{ImageObject: obj})
	if err != nil {
		if d.e.failed(err); d.e.broken {
			return nil, d.wrong("decode image", err)
		}
		return nil, reason.Because(reason.ExtractEncoding, fmt.Errorf("pdf: decode image: %w", err))
	}
	b := bitmap{d: d, ref: res.Bitmap}
	defer b.free()
	if err := b.size(); err != nil {
		return nil, err
	}
	return b.image()
}

// stencil returns the pixels of a stencil: black where it is painted. PDFium hands these
// out light on dark, and drawing it takes four times the memory. One that is nothing or
// everything stays as it is handed out: what could not be decoded looks like that, too.
func (d *Document) stencil(obj references.FPDF_PAGEOBJECT) (image.Image, error) {
	img, err := d.own(obj)
	gray, ok := img.(*image.Gray)
	if err != nil || !ok {
		if d.e.broken {
			return nil, err
		}
		return nil, nil
	}
	if !uniform(gray) {
		for i, v := range gray.Pix {
			gray.Pix[i] = ^v
		}
	}
	return gray, nil
}

// uniform reports that all pixels are alike.
func uniform(img *image.Gray) bool {
	return len(img.Pix) == 0 || bytes.Equal(img.Pix[1:], img.Pix[:len(img.Pix)-1])
}

// find opens the page and follows the path to an image object.
func (d *Document) find(a asset) (requests.Page, references.FPDF_PAGEOBJECT, error) {
	ref, err := a.in.openPage(a.page)
	if err != nil {
		return ref, "", err
	}
	res, err := d.e.pdf.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: ref, Index: a.image.path[0]})
	if err != nil {
		return ref, "", d.wrong("page object", err)
	}
	obj := res.PageObject
	for _, i := range a.image.path[1:] {
		res, err := d.e.pdf.FPDFFormObj_GetObject(&requests.FPDFFormObj_GetObject{PageObject: obj, Index: uint64(i)})
		if err != nil {
			return ref, "", d.wrong("form object", err)
		}
		obj = res.PageObject
	}
	return ref, obj, nil
}

// probe is the size at which an image is drawn to learn whether it has a mask, where no
// dictionary tells. The mask is averaged down with it, so that a small hole still shows.
const probe = 16

// masked returns the image drawn through its mask in its own pixel size, or nil where
// it is opaque. PDFium draws an image object at the scale of its matrix; the matrix
// is set back afterwards.
func (d *Document) masked(in *volume, ref requests.Page, obj references.FPDF_PAGEOBJECT, raw [32]byte, w, h int) (image.Image, error) {
	known := d.streams[raw]
	if known.plain {
		return nil, nil
	}
	old, err := d.e.pdf.FPDFPageObj_GetMatrix(&requests.FPDFPageObj_GetMatrix{PageObject: obj})
	if err != nil {
		return nil, d.wrong("image matrix", err)
	}
	defer d.scale(obj, old.Matrix)
	if !known.through {
		small, err := d.drawn(in, ref, obj, min(w, probe), min(h, probe))
		if small == nil || err != nil {
			return nil, err
		}
	}
	d.blacken(in, obj)
	return d.drawn(in, ref, obj, w, h)
}

// blacken gives a stencil black ink. It is drawn in the colour that the page had at
// hand, which on white paper may be white.
func (d *Document) blacken(in *volume, obj references.FPDF_PAGEOBJECT) {
	in.changed = true
	if _, err := d.e.pdf.FPDFPageObj_SetFillColor(&requests.FPDFPageObj_SetFillColor{PageObject: obj, FillColor: structs.FPDF_COLOR{A: 0xff}}); err != nil {
		d.e.failed(err)
	}
}

// drawn draws an image object w×h pixels large; nil where the result is opaque or
// PDFium refuses.
func (d *Document) drawn(in *volume, ref requests.Page, obj references.FPDF_PAGEOBJECT, w, h int) (image.Image, error) {
	d.scale(obj, structs.FPDF_FS_MATRIX{A: float32(w), D: float32(h)})
	res, err := d.e.pdf.FPDFImageObj_GetRenderedBitmap(&requests.FPDFImageObj_GetRenderedBitmap{Document: in.ref, Page: ref, ImageObject: obj})
	if err != nil {
		if d.e.failed(err); d.e.broken {
			return nil, d.wrong("draw image", err)
		}
		return nil, nil
	}
	b := bitmap{d: d, ref: res.Bitmap}
	defer b.free()
	if err := b.size(); err != nil {
		return nil, err
	}
	return b.masked(w, h)
}

func (d *Document) scale(obj references.FPDF_PAGEOBJECT, m structs.FPDF_FS_MATRIX) {
	if _, err := d.e.pdf.FPDFImageObj_SetMatrix(&requests.FPDFImageObj_SetMatrix{ImageObject: obj, Transform: m}); err != nil {
		d.e.failed(err)
	}
}

// settleAlone finishes what listing could not tell without decoding: whether the one
// image on a page has a mask.
func (d *Document) settleAlone(p *page) {
	if p.settled || p.single == nil || d.e.broken {
		return
	}
	p.settled = true
	at := p.placements[0].Image
	if d.tally.Items()[at].Withheld != "" {
		return
	}
	ref, obj, err := d.find(d.assets[at])
	if err != nil {
		return
	}
	img, err := d.masked(d.volume, ref, obj, d.assets[at].image.raw, probe, probe)
	p.placements[0].Alone = img == nil && err == nil
}
