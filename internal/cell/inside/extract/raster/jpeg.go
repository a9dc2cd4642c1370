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
	markDRI  = 0xdd
	markAPP0 = 0xe0
	markAPPE = 0xee
	markCOM  = 0xfe
)

// jpegsTried bounds how many start marks behind the end of an image are followed: each
// may be chance, and following one can cost the rest of the file.
const jpegsTried = 64

// jpegHeaders walks all segments and scans up to the end marker. A file without one is
// truncated and withheld: what decoders make of it would look whole. What stands behind
// the end is searched for further images, as telephones and stereo cameras append them and
// as pictures are left behind by programs that overwrite: each is a frame of its own.
func jpegHeaders(r io.ReaderAt, size int64, frames int) (headers, error) {
	if frames < 1 {
		return headers{}, reason.Because(reason.ExtractFrames, errors.New("raster: no frame allowed"))
	}
	first, err := walkJPEG(r, span{0, size})
	if err != nil {
		return headers{}, because("JPEG", err)
	}
	h := headers{frames: append([]frame{first.f}, first.small...), more: first.more}
	n, tried := 1, 0
	for at := first.end(); ; {
		from := at
		if at = startMark(r, span{at, size}); at < 0 {
			h.more = h.more || from < size
			return h, nil
		}
		h.more = h.more || at > from
		if tried++; tried > jpegsTried {
			h.more = true
			return h, nil
		}
		next, err := walkJPEG(r, span{at, size})
		if err != nil {
			at += 2
			continue
		}
		if n++; n > frames {
			return headers{}, reason.Because(reason.ExtractFrames, fmt.Errorf("raster: more than %d frames", frames))
		}
		h.frames = append(append(h.frames, next.f), next.small...)
		at = next.end()
	}
}

// startMark is the next place where a JPEG may begin, -1 for none.
func startMark(r io.ReaderAt, s span) int64 {
	in := bufio.NewReaderSize(io.NewSectionReader(r, s.at, s.end-s.at), 32<<10)
	last := uint32(0)
	for at := s.at; ; at++ {
		b, err := in.ReadByte()
		if err != nil {
			return -1
		}
		if last = last<<8 | uint32(b); last>>8 == 0xffd8ff && b >= 0xc0 && b != markSOI && b != markEOI && b != 0xff {
			return at - 3
		}
	}
}

// walkJPEG walks one image. The error tells that there is no size; what else is wrong
// withholds the frame.
func walkJPEG(r io.ReaderAt, s span) (*jpegWalk, error) {
	w := &jpegWalk{r: r, in: bufio.NewReaderSize(io.NewSectionReader(r, s.at, s.end-s.at), 32<<10), start: s.at, size: s.end - s.at}
	w.f.turn = 1
	err := w.run()
	if w.f.width == 0 && w.f.withheld == "" {
		if err == nil {
			err = errors.New("no frame header")
		}
		return nil, err
	}
	if err != nil {
		w.f.withheld = reason.Of(because("JPEG", err))
	}
	w.f.jpeg = span{s.at, w.end()}
	for i := range w.small {
		if w.small[i].turn == 0 { // it says nothing of its own
			w.small[i].turn = w.f.turn
		}
	}
	return w, nil
}

// jpegFrame is the one frame of a stream that is no file of its own.
func jpegFrame(b []byte) (frame, error) {
	w, err := walkJPEG(bytes.NewReader(b), span{0, int64(len(b))})
	if err != nil {
		return frame{}, because("JPEG", err)
	}
	return w.f, nil
}

type jpegWalk struct {
	r     io.ReaderAt
	in    *bufio.Reader
	start int64 // of the image in the file
	at    int64 // within the image
	size  int64 // of what there may be of it
	f     frame
	small []frame // thumbnails
	more  bool
}

// end is where the image ends in the file.
func (w *jpegWalk) end() int64 { return w.start + min(w.at, w.size) }

func (w *jpegWalk) run() error {
	for first := true; ; first = false {
		m, err := w.marker()
		switch {
		case err != nil:
			return err
		case first && m != markSOI:
			return errors.New("does not begin with a start marker")
		case m == markEOI:
			return nil
		case m == markSOI && !first && w.start > 0 && w.f.width == 0: // chance led here, and past an image
			return errors.New("a second start marker")
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
		w.f.bits, w.f.samples = int(b[0]), int(b[5])
		w.f.gray = b[5] == 1
		if w.f.width == 0 {
			return errors.New("no width")
		}
		if m == 0xc2 && b[0] == 8 {
			components := make([]byte, min(n-6, 3*4))
			if _, err := io.ReadFull(w.in, components); err != nil {
				return io.ErrUnexpectedEOF
			}
			w.f.cost = progressiveBytes(components)
			return w.skip(n - 6 - len(components))
		}
		if m > 0xc2 || b[0] != 8 { // lossless, hierarchical, arithmetic, 12 bits
			w.f.withheld = reason.ExtractEncoding
		}
		factors := make([]byte, min(n-6, 3*w.f.samples))
		if _, err := io.ReadFull(w.in, factors); err != nil {
			return io.ErrUnexpectedEOF
		}
		w.f.fractional = fractional(factors)
		n -= len(factors)
	}
	return w.skip(n - 6)
}

// fractional reports whether a component is sampled at no whole fraction of the finest, or
// all together at more blocks than T.81 B.2.3 allows. libjpeg refuses such streams, and
// its callers get a black picture. components are those of a frame header: a name, both
// factors and a table each.
func fractional(components []byte) bool {
	across, down, blocks := byte(1), byte(1), 0
	for i := 0; i+2 < len(components); i += 3 {
		h, v := components[i+1]>>4, components[i+1]&15
		across, down, blocks = max(across, h), max(down, v), blocks+int(h)*int(v)
	}
	for i := 0; i+2 < len(components); i += 3 {
		if h, v := components[i+1]>>4, components[i+1]&15; h == 0 || v == 0 || across%h != 0 || down%v != 0 {
			return true
		}
	}
	return blocks > 10 && len(components) > 3
}

// application looks into JFIF for the resolution, into EXIF for the orientation, and into
// both and Photoshop's block for small copies of the picture. Everything but those and
// Adobe's colour marker is data beside the pixels.
func (w *jpegWalk) application(m byte, n int) error {
	s := span{w.start + w.at - int64(n), w.start + w.at}
	b := make([]byte, min(n, segmentHead))
	if _, err := io.ReadFull(w.in, b); err != nil {
		return io.ErrUnexpectedEOF
	}
	if err := w.skip(n - len(b)); err != nil {
		return err
	}
	has := func(mark byte, head string) bool { return m == mark && strings.HasPrefix(string(b), head) }
	switch {
	case has(markAPP0, "JFIF\x00") && n >= 12:
		w.density(b)
		if n > 14 && b[12] != 0 && b[13] != 0 {
			w.more = true
			w.small = append(w.small, rawThumbnail(w.r, span{s.at + 14, s.end}, int(b[12]), int(b[13])))
		}
	case has(markAPP0, "JFXX\x00\x10"):
		w.more = true
		w.small = append(w.small, jpegThumbnail(w.r, span{s.at + 6, s.end})...)
	case has(markAPP0, "JFXX\x00\x13") && n >= 8:
		w.more = true
		w.small = append(w.small, rawThumbnail(w.r, span{s.at + 8, s.end}, int(b[6]), int(b[7])))
	case has(markAPPE, "Adobe"):
		w.f.adobe = true
	case has(markAPP0+1, "Exif\x00\x00"):
		w.more = true
		e := readExif(w.r, span{s.at + 6, s.end})
		if e.turn != 0 {
			w.f.turn, w.f.dpi = e.turn, e.dpi
		}
		w.small = append(w.small, e.small...)
	case has(markAPP0+13, photoshopMark):
		w.more = true
		w.small = append(w.small, photoshopThumbnails(w.r, span{s.at + int64(len(photoshopMark)), s.end})...)
	default:
		w.more = true
	}
	return nil
}

// segmentHead is as much of an application segment as tells what it is.
const segmentHead = 32

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
	f, err := jpegFrame(b)
	return f.width, f.height, err
}
