package sniff

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// validate checks that what carries the signature of a format has its skeleton too.
// It decodes nothing; extraction judges the rest.
func validate(f document.Format, r io.ReaderAt, size int64) error {
	switch f {
	case document.PDF:
		return validPDF(r, size)
	case document.PNG:
		return validPNG(r)
	case document.JPEG:
		return validJPEG(r)
	case document.TIFF:
		return validTIFF(r, size)
	case document.GIF:
		return validGIF(r)
	case document.WebP:
		return validWebP(r)
	case document.BMP:
		return validBMP(r, size)
	case document.ICO, document.JPEG2000, document.JBIG2, document.HEIC, document.AVIF:
		return validLength(size)
	}
	if f == document.EMF {
		return validEMF(r, size)
	}
	return nil // an office package was looked into to be called one
}

// validGIF asks for a whole screen descriptor and one block behind it.
func validGIF(r io.ReaderAt) error {
	var b [14]byte
	if _, err := r.ReadAt(b[:], 0); err != nil {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// validWebP asks that the first chunk be one of those that may be.
func validWebP(r io.ReaderAt) error {
	var b [20]byte
	if _, err := r.ReadAt(b[:], 0); err != nil {
		return io.ErrUnexpectedEOF
	}
	switch string(b[12:16]) {
	case "VP8 ", "VP8L", "VP8X":
		return nil
	}
	return errors.New("no image chunk")
}

// validBMP asks for pixels that begin inside the file, where it says where they do.
func validBMP(r io.ReaderAt, size int64) error {
	var b [14]byte
	if _, err := r.ReadAt(b[:], 0); err != nil {
		return io.ErrUnexpectedEOF
	}
	if string(b[:2]) == "BM" && int64(binary.LittleEndian.Uint32(b[10:])) >= size {
		return errors.New("no pixels")
	}
	return nil
}

// leastHead is more than the signatures of icons, JPEG 2000, JBIG2 and HEIF.
const leastHead = 22

// validLength asks for a whole header where the signature is most of it.
func validLength(size int64) error {
	if size < leastHead {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// formBehindPDF gives sniff.interactive for a PDF that is but the wrapping of a dynamic
// XFA form: its one page says "Please wait", the form is drawn by the reader that runs
// it. The catalogue says so with NeedsRendering (ISO 32000-1, table 28); where it
// hides in a compressed object the page is redacted as it is.
func formBehindPDF(r io.ReaderAt, size int64) (reason.Code, error) {
	const key = "/NeedsRendering"
	if n, err := count(r, size, key, 1); err != nil || n == 0 {
		return "", err // as in nearly every file
	}
	for _, flag := range []string{key + " true", key + "\ntrue", key + "\rtrue"} {
		if n, err := count(r, size, flag, 1); err != nil || n > 0 {
			return reason.SniffInteractive, err
		}
	}
	return "", nil
}

// validEMF asks for the header that every one has.
func validEMF(r io.ReaderAt, size int64) error {
	var b [8]byte
	if _, err := r.ReadAt(b[:], 0); err != nil || size < 88 {
		return io.ErrUnexpectedEOF
	}
	if binary.LittleEndian.Uint32(b[:]) != 1 || binary.LittleEndian.Uint32(b[4:]) < 88 {
		return errors.New("no header")
	}
	return nil
}

// validPDF asks for one object; readers rebuild everything else of a damaged file.
func validPDF(r io.ReaderAt, size int64) error {
	n, err := count(r, size, " obj", 1)
	if err == nil && n == 0 {
		return errors.New("no object")
	}
	return err
}

func validPNG(r io.ReaderAt) error {
	var b [33]byte
	if _, err := r.ReadAt(b[:], 0); err != nil {
		return io.ErrUnexpectedEOF
	}
	w, h := binary.BigEndian.Uint32(b[16:]), binary.BigEndian.Uint32(b[20:])
	if string(b[8:16]) != "\x00\x00\x00\x0dIHDR" || w == 0 || h == 0 || w > 1<<31-1 || h > 1<<31-1 {
		return errors.New("no image header")
	}
	return nil
}

// validJPEG asks for a marker that may follow the start.
func validJPEG(r io.ReaderAt) error {
	var b [4]byte
	if _, err := r.ReadAt(b[:], 0); err != nil {
		return io.ErrUnexpectedEOF
	}
	if b[3] < 0xc0 || b[3] == 0xd8 || b[3] == 0xd9 {
		return errors.New("no segment")
	}
	return nil
}

// validTIFF asks for a first directory inside the file. BigTIFF has its offset
// elsewhere and is left to extraction, which names it.
func validTIFF(r io.ReaderAt, size int64) error {
	var b [8]byte
	if _, err := r.ReadAt(b[:], 0); err != nil {
		return io.ErrUnexpectedEOF
	}
	at := int64(binary.LittleEndian.Uint32(b[4:]))
	if b[0] == 'M' {
		at = int64(binary.BigEndian.Uint32(b[4:]))
	}
	if big := b[2] == '+' || b[3] == '+'; !big && (at < 8 || at+2 > size) {
		return errors.New("no directory")
	}
	return nil
}

// count finds how often a short pattern stands in the whole file, up to limit. It
// reads in blocks and allocates one.
func count(r io.ReaderAt, size int64, pattern string, limit int) (int, error) {
	const block = 1 << 16
	buf := make([]byte, block+len(pattern)-1) // a pattern may lie across two blocks
	n := 0
	for at := int64(0); at < size && n < limit; at += block {
		got, err := r.ReadAt(buf[:min(int64(len(buf)), size-at)], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return n, err
		}
		n += bytes.Count(buf[:got], []byte(pattern))
	}
	return min(n, limit), nil
}
