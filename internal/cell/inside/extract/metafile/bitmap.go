package metafile

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"blotter/internal/cell/inside/extract/raster"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// bitmap is a picture of pixels within a record: a device independent bitmap in two
// pieces, or a whole file.
type bitmap struct {
	info, bits []byte
	indexed    bool   // colours are places in a palette of the device
	file       []byte // PNG, JPEG, …; info and bits are nil
	kind       document.Format
	rows       *pictRows   // of a PICT, still packed
	code       reason.Code // what is wrong with it already
}

// Compressions of a bitmap that make its bits a file of another kind ([MS-WMF] 2.1.1.7).
const bitsJPEG, bitsPNG = 4, 5

// coreHeader is the short header of OS/2; every other one is 16 bytes or longer.
const coreHeader = 12

// size reads width and height from the header, in pixels; top says that rows begin
// at the top.
func (b bitmap) size() (w, h int, top bool) {
	le := binary.LittleEndian
	switch {
	case b.rows != nil:
		return b.rows.width, b.rows.height, true
	case len(b.info) >= 16 && le.Uint32(b.info) != coreHeader:
		w, h = int(int32(le.Uint32(b.info[4:]))), int(int32(le.Uint32(b.info[8:])))
	case len(b.info) >= coreHeader:
		w, h = int(le.Uint16(b.info[4:])), int(le.Uint16(b.info[6:]))
	}
	if h < 0 {
		return w, -h, true
	}
	return w, h, false
}

// open hands the bitmap to raster as a file of a kind that it knows.
func (b bitmap) open(ctx context.Context, lim document.Limits, foreign raster.Foreign) (*raster.File, document.Format, error) {
	if b.rows != nil {
		var err error
		if b, err = b.rows.unpack(lim.AssetPixels); err != nil {
			return nil, document.RawPixels, err
		}
	}
	r, size, kind := b.reader()
	switch {
	case b.code != "":
		return nil, kind, reason.Because(b.code, errors.New("metafile: bitmap"))
	case b.indexed:
		return nil, kind, reason.Because(reason.ExtractEncoding, errors.New("metafile: colours of a device"))
	case !kind.IsRaster():
		return nil, kind, reason.Because(reason.ExtractEncoding, errors.New("metafile: bitmap of no known kind"))
	}
	f, err := raster.Open(ctx, r, size, kind, lim, foreign)
	if err == nil && len(f.Assets()) == 0 {
		err = reason.Because(reason.ExtractMalformed, errors.New("metafile: bitmap without an image"))
	}
	return f, kind, err
}

// reader is the bitmap as a file.
func (b bitmap) reader() (io.ReaderAt, int64, document.Format) {
	if b.file != nil {
		return bytes.NewReader(b.file), int64(len(b.file)), b.kind
	}
	le := binary.LittleEndian
	if len(b.info) >= 20 && le.Uint32(b.info) >= 40 {
		switch le.Uint32(b.info[16:]) {
		case bitsJPEG:
			return bytes.NewReader(b.bits), int64(len(b.bits)), document.JPEG
		case bitsPNG:
			return bytes.NewReader(b.bits), int64(len(b.bits)), document.PNG
		}
	}
	head := append(raster.BMPHeader(int64(len(b.info)+len(b.bits)), int64(len(b.info))), b.info...)
	return joined{head, b.bits}, int64(len(head) + len(b.bits)), document.BMP
}

// isFile reports whether the bitmap is a file that has measures of its own.
func (b bitmap) isFile() bool {
	_, _, kind := b.reader()
	return b.rows == nil && kind != document.BMP
}

// joined reads two pieces as one file, without a copy of the larger.
type joined struct{ first, second []byte }

// ReadAt implements io.ReaderAt.
func (j joined) ReadAt(b []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, errors.New("metafile: negative offset")
	}
	if off < int64(len(j.first)) {
		n = copy(b, j.first[off:])
	}
	if at := off + int64(n) - int64(len(j.first)); n < len(b) && at < int64(len(j.second)) {
		n += copy(b[n:], j.second[at:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// packed splits a bitmap whose colours and pixels follow its header directly.
func packed(dib []byte, indexed bool) bitmap {
	step := int64(0)
	if indexed {
		step = 2
	}
	n, ok := raster.DIBPixels(dib, step)
	if !ok {
		return bitmap{code: reason.ExtractMalformed, kind: document.BMP}
	}
	return bitmap{info: dib[:n], bits: dib[n:], indexed: indexed && bitsOf(dib) <= 8}
}

// whole is a bitmap that is a file already.
func whole(b []byte) bitmap {
	kind := document.UnknownFormat
	switch {
	case bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")):
		kind = document.PNG
	case bytes.HasPrefix(b, []byte("\xff\xd8\xff")):
		kind = document.JPEG
	case bytes.HasPrefix(b, []byte("GIF8")):
		kind = document.GIF
	case bytes.HasPrefix(b, []byte("BM")):
		kind = document.BMP
	case bytes.HasPrefix(b, []byte("II*\x00")), bytes.HasPrefix(b, []byte("MM\x00*")):
		kind = document.TIFF
	}
	return bitmap{file: b, kind: kind}
}

// cut takes a piece out of a record; nil where it is not inside.
func cut(rec []byte, at, n uint32) []byte {
	if uint64(at)+uint64(n) > uint64(len(rec)) {
		return nil
	}
	return rec[at:][:n]
}

// malformed is the error of a picture whose header cannot be read.
func malformed(what string) error {
	return reason.Because(reason.ExtractMalformed, fmt.Errorf("metafile: %s", what))
}
