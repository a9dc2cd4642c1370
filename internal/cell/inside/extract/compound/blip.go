package compound

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"blotter/internal/cell/inside/extract/raster"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// blipKind is what the header of a picture's record says, [MS-ODRAW] 2.2.23 to 2.2.31:
// its first four bytes tell the format and how many digests stand before the picture.
type blipKind struct {
	f       document.Format
	digests int64
	drawn   bool // a metafile, with a header of its own and mostly packed
}

const (
	recordHeader = 8
	blipDigest   = 16
	blipTag      = 1  // the byte before a raster
	metaHeader   = 34 // before a metafile
	metaPlain    = 0xfe
)

var blipKinds = map[uint32]blipKind{
	0xf01a3d40: {document.EMF, 1, true}, 0xf01a3d50: {document.EMF, 2, true},
	0xf01b2160: {document.WMF, 1, true}, 0xf01b2170: {document.WMF, 2, true},
	0xf01c5420: {document.PICT, 1, true}, 0xf01c5430: {document.PICT, 2, true},
	0xf01d46a0: {document.JPEG, 1, false}, 0xf01d46b0: {document.JPEG, 2, false},
	0xf01d6e20: {document.JPEG, 1, false}, 0xf01d6e30: {document.JPEG, 2, false},
	0xf02a46a0: {document.JPEG, 1, false}, 0xf02a46b0: {document.JPEG, 2, false},
	0xf02a6e20: {document.JPEG, 1, false}, 0xf02a6e30: {document.JPEG, 2, false},
	0xf01e6e00: {document.PNG, 1, false}, 0xf01e6e10: {document.PNG, 2, false},
	0xf01f7a80: {document.BMP, 1, false}, 0xf01f7a90: {document.BMP, 2, false},
	0xf0296e40: {document.TIFF, 1, false}, 0xf0296e50: {document.TIFF, 2, false},
}

// blips finds every picture record of a stream, whoever points at it. b is the whole
// stream, src the same for later. It returns where they lie.
func (d *Document) blips(src io.ReaderAt, b []byte) (found []int) {
	for at := 0; at+recordHeader <= len(b) && !d.full(); at++ {
		if high := b[at+3]; high != 0xf0 { // of every record of drawings
			continue
		}
		head := binary.LittleEndian.Uint32(b[at:])
		if k, ok := blipKinds[head]; ok {
			found = append(found, at)
			at += d.blip(src, b, at, k)
			continue
		}
		if isShape(head) && binary.LittleEndian.Uint32(b[at+4:]) == 8 {
			d.extra |= document.OfficeVector
		}
	}
	return found
}

// frames are kinds of shape that show no drawing of their own: none, rectangle, picture,
// control, text box.
var frames = map[uint32]bool{0: true, 1: true, 75: true, 201: true, 202: true}

// isShape tells the record of a drawn shape that is no mere frame: [MS-ODRAW] 2.2.40,
// whose instance is the kind of shape.
func isShape(head uint32) bool {
	const shape = 0xf00a
	return head>>16 == shape && head&0xf == 2 && !frames[head>>4&0xfff]
}

// blip adds the picture of a record at an offset and says how many bytes to pass.
func (d *Document) blip(src io.ReaderAt, b []byte, at int, k blipKind) int {
	n := int64(binary.LittleEndian.Uint32(b[at+4:]))
	from := int64(at) + recordHeader + k.digests*blipDigest
	end := int64(at) + recordHeader + n
	before := int64(blipTag)
	if k.drawn {
		before = metaHeader
	}
	switch {
	case from+before >= end:
		return 0 // no picture fits: four bytes that look so by chance
	case end > int64(len(b)):
		if !looksLike(k, b[min(from, int64(len(b))):]) {
			return 0
		}
		p := d.picture(src, 0, 0, plain)
		p.Format, p.Withheld = k.f, reason.ExtractTruncated
		return recordHeader
	}
	if k.drawn {
		d.metafile(src, b[from:end], from, k.f)
	} else {
		d.picture(src, from+blipTag, end-from-blipTag, wrapOf(k.f, b[from+blipTag:end])).Format = k.f
	}
	return int(end) - at - 1
}

// looksLike tells a picture that is cut off from bytes that are none.
func looksLike(k blipKind, b []byte) bool {
	if k.drawn {
		return len(b) >= metaHeader && (b[32] == 0 || b[32] == metaPlain) && b[33] == metaPlain
	}
	magic := map[document.Format]string{document.JPEG: "\xff\xd8\xff", document.PNG: "\x89PNG", document.BMP: "\x28\x00\x00\x00", document.TIFF: "II"}
	return len(b) > blipTag && bytes.HasPrefix(b[blipTag:], []byte(magic[k.f]))
}

// wrapOf tells a bitmap without its file's header.
func wrapOf(f document.Format, b []byte) wrapping {
	if _, ok := raster.DIBPixels(b, 0); f == document.BMP && ok && !bytes.HasPrefix(b, []byte("BM")) {
		return headless
	}
	return plain
}

func bmpHeader(dib []byte) []byte {
	at, _ := raster.DIBPixels(dib, 0)
	return raster.BMPHeader(int64(len(dib)), at)
}

// metafile adds a metafile of a record: b begins with its header, at an offset.
func (d *Document) metafile(src io.ReaderAt, b []byte, at int64, f document.Format) {
	le := binary.LittleEndian
	size, packed := int64(le.Uint32(b)), int64(le.Uint32(b[28:]))
	left := int64(len(b)) - metaHeader
	if packed <= 0 || packed > left {
		packed = left
	}
	w := deflated
	if b[32] == metaPlain {
		w, size = plain, packed
	}
	p := d.picture(src, at+metaHeader, packed, w)
	p.Format, p.Size = f, size
}

// inflate unpacks what says that it has size bytes. Some writers say too much, and
// checksums are often wrong; a picture that ends early is judged by its own format.
func inflate(b []byte, size int64) ([]byte, error) {
	in, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, reason.Because(reason.ExtractMalformed, errors.New("compound: packed picture"))
	}
	defer in.Close()
	var out bytes.Buffer
	n, err := io.Copy(&out, io.LimitReader(in, size))
	if n == 0 && size > 0 {
		return nil, reason.Because(reason.ExtractMalformed, errors.Join(errors.New("compound: packed picture"), err))
	}
	return out.Bytes(), nil
}

// oldPictures finds the pictures of Word that are no records of drawings: a header that
// says how long it is, then a metafile or bitmap ([MS-DOC] 2.9.190, and as Word 6 had it).
// blips are where the records of drawings lie. A header without one that should have one
// is a picture that the document only points at.
func (d *Document) oldPictures(src io.ReaderAt, b []byte, blips []int) {
	const inFile, linked, bitmap, old = 0x08, 0x66, 0x63, 0x3a
	le := binary.LittleEndian
	for at := 0; at+recordHeader <= len(b) && !d.full(); at++ {
		head := int64(le.Uint16(b[at+4:]))
		if head != 0x44 && head != old {
			continue
		}
		n, mode := int64(le.Uint32(b[at:])), le.Uint16(b[at+6:])
		if n <= head || n > int64(len(b)-at) {
			continue
		}
		body := b[int64(at)+head : int64(at)+n]
		from, size := int64(at)+head, int64(len(body))
		switch {
		case mode == linked:
			if i, _ := slices.BinarySearch(blips, int(from)); i == len(blips) || int64(blips[i]) >= from+size {
				d.extra |= document.ExternalImages
			}
		case mode == inFile && bytes.HasPrefix(body, []byte("\x01\x00\x09\x00")):
			d.picture(src, from, size, plain).Format = document.WMF
			at += int(n) - 1
		case mode == bitmap && (bytes.HasPrefix(body, []byte("BM")) || wrapOf(document.BMP, body) == headless):
			d.picture(src, from, size, wrapOf(document.BMP, body)).Format = document.BMP
			at += int(n) - 1
		}
	}
}
