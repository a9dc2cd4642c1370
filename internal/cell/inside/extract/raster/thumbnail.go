package raster

import (
	"encoding/binary"
	"image"
	"io"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// Small copies of a picture stand in several places of a file. Whoever burned a name out
// of the picture with another program may have left it in them: each is an asset.

// thumbnails of one EXIF block; cameras write one, some a larger preview too.
const exifThumbnails = 4

// exif is what an EXIF block tells.
type exifBlock struct {
	turn  orientation // 0: the block cannot be read
	dpi   int
	small []frame
}

// readExif reads an EXIF block, which is a TIFF whose first directory speaks of the
// picture and whose next ones hold small copies of it.
func readExif(r io.ReaderAt, s span) (e exifBlock) {
	block := io.NewSectionReader(r, s.at, s.end-s.at)
	f, at, err := openTIFF(block, block.Size())
	if err != nil {
		return e
	}
	d, err := f.directory(at)
	if err != nil {
		return e
	}
	e.turn, e.dpi = d.orientation(), d.dpi()
	seen := map[int64]bool{at: true}
	for range exifThumbnails {
		if at = d.next; at == 0 || seen[at] {
			return e
		}
		seen[at] = true
		if d, err = f.directory(at); err != nil {
			return e
		}
		e.small = append(e.small, d.thumbnails(r, s)...)
	}
	return e
}

// thumbnails are those of a directory of an EXIF block that lies at s: a JPEG stream, or
// pixels as they are.
func (d *directory) thumbnails(r io.ReaderAt, s span) []frame {
	var out []frame
	if at, n := int64(d.number(tagJPEGStream, 0)), int64(d.number(tagJPEGLength, 0)); at > 0 && n > 0 {
		out = jpegThumbnail(r, span{s.at + min(at, d.size), s.at + min(at+n, d.size)})
	} else if d.has(tagStrips) && d.has(tagWidth) {
		out = []frame{d.frame()}
		out[0].kind = document.Thumbnail
	}
	for i := range out {
		out[i].turn = 0 // as the picture
		if d.has(tagOrientation) {
			out[i].turn = d.orientation()
		}
	}
	return out
}

// thumbnailBytes bounds a small copy: a file may say of all its copies that they go on to
// its end, and each is walked.
const thumbnailBytes = 4 << 20

// jpegThumbnail lists a JPEG stream as a small copy. Where there is none that could be
// shown, there is nothing to leave with: what is cut off is withheld.
func jpegThumbnail(r io.ReaderAt, s span) []frame {
	if s.end <= s.at {
		return nil
	}
	w, err := walkJPEG(r, span{s.at, min(s.end, s.at+thumbnailBytes)})
	if err != nil {
		return []frame{{kind: document.Thumbnail, withheld: reason.Of(because("thumbnail", err))}}
	}
	w.f.kind = document.Thumbnail
	w.f.turn = 0
	return []frame{w.f}
}

// rawThumbnail is one of w×h pixels of red, green and blue, as JFIF has it.
func rawThumbnail(r io.ReaderAt, s span, w, h int) frame {
	f := frame{kind: document.Thumbnail, width: w, height: h}
	if int64(3*w*h) > s.end-s.at {
		f.withheld = reason.ExtractTruncated
	}
	f.load = func() (image.Image, error) {
		raw := make([]byte, 3*w*h)
		if _, err := r.ReadAt(raw, s.at); err != nil {
			return nil, because("thumbnail", io.ErrUnexpectedEOF)
		}
		img := image.NewNRGBA(image.Rect(0, 0, w, h))
		for i := range w * h {
			copy(img.Pix[4*i:], []byte{raw[3*i], raw[3*i+1], raw[3*i+2], 0xff})
		}
		return img, nil
	}
	return f
}

// photoshopMark begins Photoshop's block in a JPEG.
const photoshopMark = "Photoshop 3.0\x00"

// photoshopThumbnails walks the resources of Photoshop's block, of which 1033 and 1036 are
// small copies: 28 bytes that describe it, and a JPEG stream.
func photoshopThumbnails(r io.ReaderAt, s span) (out []frame) {
	for at := s.at; at+12 <= s.end && len(out) < exifThumbnails; {
		var head [6 + 256]byte
		n := min(int64(len(head)), s.end-at)
		if _, err := r.ReadAt(head[:n], at); err != nil || string(head[:4]) != "8BIM" {
			return out
		}
		id := binary.BigEndian.Uint16(head[4:])
		at += 6 + (int64(head[6])+2)/2*2 // past the name, padded with its length to even bytes
		var size [4]byte
		if _, err := r.ReadAt(size[:], at); err != nil {
			return out
		}
		data := span{at + 4, at + 4 + int64(binary.BigEndian.Uint32(size[:]))}
		if (id == 1033 || id == 1036) && data.end-data.at > 28 {
			out = append(out, jpegThumbnail(r, span{data.at + 28, min(data.end, s.end)})...)
		}
		at = data.end + (data.end-data.at)%2
	}
	return out
}
