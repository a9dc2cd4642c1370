package pdf

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"

	"blotter/internal/cell/inside/extract/pdf/objects"
	"blotter/internal/cell/inside/extract/raster"
	"blotter/internal/reason"
)

// PDFium makes a picture of whatever there is of a stream: what is missing is black, or
// white, and nobody is told. Such a picture is withheld, as a file that is cut off would be,
// and so is a page that draws it: a line that is cut in two is read by people alone.

// alwaysAsked is the number of pixels up to which a stream of samples is unpacked a second
// time to count them. Of larger ones only those are whose last row is all alike, as it is
// where rows are missing.
const alwaysAsked = 1 << 20

// whole decodes an image whose stream is all there; else the error is extract.truncated, or
// extract.malformed where it draws nothing.
func (d *Document) whole(a asset) (image.Image, error) {
	if img, err := d.direct(a); img != nil || err != nil {
		return img, err // which makes nothing of less than a whole stream
	}
	img, err := d.decode(a)
	if err != nil && reason.Of(err) != reason.ExtractEncoding {
		return nil, err
	}
	if err != nil && a.image.raw == [32]byte{} {
		return nil, errCut // there is nothing in it
	}
	s, ok := d.file.Stream(a.image.raw)
	if !ok {
		return img, err
	}
	if cut := judge(s, img); cut != nil {
		return nil, cut
	}
	return img, err
}

// drawsWhole judges the streams of the images that a page draws, each once for all pages. The
// error is extract.truncated.
func (d *Document) drawsWhole(p *page) error {
	for _, pl := range p.placements {
		a := d.assets[pl.Image]
		if a.image == nil || d.tally.Items()[pl.Image].Withheld != "" {
			continue
		}
		cut, known := d.cut[a.image.raw]
		if !known {
			if s, ok := d.file.Stream(a.image.raw); ok {
				cut = judge(s, nil)
			}
			if d.cut == nil {
				d.cut = map[[32]byte]error{}
			}
			d.cut[a.image.raw] = cut
		}
		if reason.Of(cut) == reason.ExtractTruncated { // what draws nothing leaves nothing to read
			return cut
		}
	}
	return nil
}

var errCut = reason.Because(reason.ExtractTruncated, errors.New("pdf: the image's stream is cut off"))

// judge says what is wrong with a stream that gave a picture, or none: extract.truncated,
// extract.malformed or extract.unsupported_encoding.
func judge(s objects.Stream, img image.Image) error {
	if s.Empty() {
		return errCut
	}
	switch s.Codec {
	case "DCTDecode":
		if data, ok := s.Data(); ok {
			return judgeJPEG(data, img)
		}
	case "JPXDecode":
		if data, ok := s.Data(); ok && img == nil && !bytes.Contains(data[max(0, len(data)-tail):], []byte("\xff\xd9")) {
			return errCut
		}
	case "JBIG2Decode":
		if data, ok := s.Data(); ok {
			return raster.JBIG2Stream(data)
		}
	default:
		if asks(img) && s.Missing() > 0 {
			return errCut
		}
	}
	return nil
}

// tail is how far before the end of a stream an end mark may stand, bytes: writers fill up
// to a border.
const tail = 512

// judgeJPEG asks for whole scans. Some writers leave the end mark out.
func judgeJPEG(data []byte, img image.Image) error {
	if !bytes.Contains(data[max(0, len(data)-tail):], []byte("\xff\xd9")) {
		if _, err := jpeg.Decode(bytes.NewReader(append(bytes.Clone(data), 0xff, 0xd9))); err != nil {
			return errCut
		}
		return nil
	}
	if !asks(img) {
		return nil
	}
	return raster.JPEGStream(data)
}

// asks reports that a picture may lack rows.
func asks(img image.Image) bool {
	var pix []byte
	step := 1
	switch m := img.(type) {
	case *image.Gray:
		pix = m.Pix[len(m.Pix)-min(len(m.Pix), m.Stride):]
	case *image.NRGBA:
		pix, step = m.Pix[len(m.Pix)-min(len(m.Pix), m.Stride):], 4
	default:
		return true // there is none
	}
	if b := img.Bounds(); b.Dx()*b.Dy() <= alwaysAsked {
		return true
	}
	return len(pix) >= step && bytes.Equal(pix[step:], pix[:len(pix)-step])
}
