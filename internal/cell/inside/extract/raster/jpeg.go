package raster

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"strings"

	"blotter/internal/reason"
)

// JPEG markers, ITU-T T.81 table B.1.
const (
	markSOI  = 0xd8
	markEOI  = 0xd9
	markSOS  = 0xda
	markAPP0 = 0xe0
	markAPPE = 0xee
	markCOM  = 0xfe
)

// exifBytesRead bounds how much of an EXIF block is looked at; a segment cannot be
// longer.
const exifBytesRead = 1 << 16

// jpegHeaders walks all segments and scans up to the end marker. A file without one
// is truncated and withheld: what decoders make of it would look whole.
func jpegHeaders(r io.ReaderAt, size int64, frames int) (headers, error) {
	w := jpegWalk{in: bufio.NewReaderSize(io.NewSectionReader(r, 0, size), 32<<10), size: size}
	w.f.turn = 1
	if frames < 1 {
		return headers{}, reason.Because(reason.ExtractFrames, errors.New("raster: no frame allowed"))
	}
	err := w.run()
	if w.f.width == 0 && w.f.withheld == "" {
		if err == nil {
			err = errors.New("no frame header")
		}
		return headers{}, because("JPEG", err)
	}
	if err != nil {
		w.f.withheld = reason.Of(because("JPEG", err))
	}
	return headers{frames: []frame{w.f}, more: w.more}, nil
}

type jpegWalk struct {
	in   *bufio.Reader
	at   int64
	size int64
	f    frame
	more bool
}

func (w *jpegWalk) run() error {
	for first := true; ; first = false {
		m, err := w.marker()
		switch {
		case err != nil:
			return err
		case first && m != markSOI:
			return errors.New("does not begin with a start marker")
		case m == markEOI:
			w.more = w.more || w.at < w.size
			return nil
		case m == markSOI || m == 0x01 || m >= 0xd0 && m <= 0xd7: // alone, without a length
			continue
		}
		if err := w.segment(m); err != nil {
			return err
		}
	}
}

// marker skips to the next marker: fill bytes, stray bytes and the entropy-coded data
// of a scan, in which 0xff stands before 0 or a restart marker.
func (w *jpegWalk) marker() (byte, error) {
	for last := byte(0); ; {
		b, err := w.in.ReadByte()
		if err != nil {
			return 0, io.ErrUnexpectedEOF
		}
		w.at++
		if last == 0xff && b != 0 && b != 0xff {
			return b, nil
		}
		last = b
	}
}

func (w *jpegWalk) segment(m byte) error {
	var l [2]byte
	if _, err := io.ReadFull(w.in, l[:]); err != nil {
		return io.ErrUnexpectedEOF
	}
	n := int(binary.BigEndian.Uint16(l[:])) - 2
	if n < 0 {
		return errors.New("segment shorter than its length")
	}
	w.at += 2 + int64(n)
	switch {
	case m >= 0xc0 && m <= 0xcf && m != 0xc4 && m != 0xc8 && m != 0xcc:
		return w.frameHeader(m, n)
	case m == markCOM:
		w.more = true
	case m >= markAPP0 && m <= markAPP0+15:
		return w.application(m, n)
	}
	return w.skip(n)
}

func (w *jpegWalk) skip(n int) error {
	if _, err := w.in.Discard(n); err != nil {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// frameHeader reads a start of frame. The decoder refuses a second one, so the first
// is the size that counts.
func (w *jpegWalk) frameHeader(m byte, n int) error {
	if n < 6 {
		return errors.New("frame header too short")
	}
	var b [6]byte
	if _, err := io.ReadFull(w.in, b[:]); err != nil {
		return io.ErrUnexpectedEOF
	}
	if w.f.width == 0 {
		w.f.height = int(binary.BigEndian.Uint16(b[1:]))
		w.f.width = int(binary.BigEndian.Uint16(b[3:]))
		w.f.samples = int(b[5])
		w.f.gray = b[5] == 1
		if w.f.width == 0 {
			return errors.New("no width")
		}
		if m > 0xc2 || b[0] != 8 { // lossless, hierarchical, arithmetic, 12 bits
			w.f.withheld = reason.ExtractEncoding
		}
	}
	return w.skip(n - 6)
}

// application looks into JFIF for the resolution and into EXIF for the orientation.
// Everything but those and Adobe's colour marker is data beside the pixels.
func (w *jpegWalk) application(m byte, n int) error {
	b := make([]byte, min(n, exifBytesRead))
	if _, err := io.ReadFull(w.in, b); err != nil {
		return io.ErrUnexpectedEOF
	}
	head := string(b[:min(len(b), 6)])
	switch {
	case m == markAPP0 && strings.HasPrefix(head, "JFIF\x00") && n >= 12:
		w.density(b)
		w.more = w.more || n > 14 && b[12] != 0 && b[13] != 0 // its thumbnail
	case m == markAPPE && strings.HasPrefix(head, "Adobe"):
	case m == markAPP0+1 && head == "Exif\x00\x00":
		w.more = true
		if o, dpi := readExif(b[6:]); o != 0 {
			w.f.turn = o
			w.f.dpi = dpi
		}
	default:
		w.more = true
	}
	return nil
}

func (w *jpegWalk) density(b []byte) {
	d := float64(binary.BigEndian.Uint16(b[8:]))
	switch b[7] {
	case 1: // dots per inch
		w.f.dpi = perInch(d)
	case 2: // per centimetre
		w.f.dpi = perInch(d * 2.54)
	}
}

func decodeJPEG(r io.Reader) (image.Image, error) {
	img, err := jpeg.Decode(r)
	var unsupported jpeg.UnsupportedError
	switch {
	case err == nil:
		return img, nil
	case errors.As(err, &unsupported):
		return nil, reason.Because(reason.ExtractEncoding, fmt.Errorf("raster: %w", err))
	}
	return nil, because("JPEG", err)
}

// JPEGSize reads the size from the frame header of a JPEG stream, in stored pixels.
func JPEGSize(b []byte) (w, h int, err error) {
	walk := jpegWalk{in: bufio.NewReader(bytes.NewReader(b)), size: int64(len(b))}
	if err := walk.run(); walk.f.width == 0 {
		return 0, 0, because("JPEG size", err)
	}
	return walk.f.width, walk.f.height, nil
}
