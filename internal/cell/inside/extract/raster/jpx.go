package raster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"

	"blotter/internal/reason"
)

// jpxBoxesRead bounds how many boxes of a JP2 file are looked at; writers put a dozen.
const jpxBoxesRead = 1 << 12

// maxSamples is how many samples of a pixel are decoded; those of more are refused.
const maxSamples = 5

// codestreamMark begins a JPEG 2000 codestream, ISO 15444-1 A.4: SOC and SIZ.
const codestreamMark = "\xff\x4f\xff\x51"

// jpxHeaders reads a JPEG 2000 file: a bare codestream, or boxes of which one or more
// hold codestreams. Sizes come from the codestreams. Each is walked to its end mark: the
// decoder makes a picture of whatever there is.
func jpxHeaders(r io.ReaderAt, size int64, limit int, foreign Foreign) (headers, error) {
	var mark [4]byte
	if _, err := r.ReadAt(mark[:], 0); err != nil {
		return headers{}, because("JPEG 2000", io.ErrUnexpectedEOF)
	}
	w := jpxWalk{r: r, size: size, limit: limit, foreign: foreign}
	var err error
	if string(mark[:]) == codestreamMark {
		err = w.add(span{0, size}, true)
	} else {
		err = w.boxes()
	}
	if err == nil && len(w.h.frames) == 0 {
		err = because("JPEG 2000", errors.New("no codestream"))
	}
	if err != nil {
		return headers{}, err
	}
	return w.h, nil
}

type jpxWalk struct {
	r       io.ReaderAt
	size    int64
	limit   int // frames
	foreign Foreign
	header  []byte // the box that says what the samples mean; nil in a bare codestream
	h       headers
}

// boxes walks the boxes of the file, ISO 15444-1 I.4. Those that hold neither the picture
// nor what it needs are data beside it.
func (w *jpxWalk) boxes() error {
	at := int64(0)
	for range jpxBoxesRead {
		if at+8 > w.size {
			break
		}
		kind, s, err := boxAt(w.r, at, w.size)
		if err != nil {
			if len(w.h.frames) == 0 {
				return because("JPEG 2000", err)
			}
			w.h.frames = append(w.h.frames, frame{withheld: reason.Of(because("JPEG 2000", err))})
			return nil
		}
		switch kind {
		case "jp2c":
			if err := w.add(span{s.at, min(s.end, w.size)}, s.end <= w.size); err != nil {
				return err
			}
		case "jp2h":
			if err := w.meaning(at, s); err != nil {
				return err
			}
		case "jP  ", "ftyp", "free":
		default:
			w.h.more = true
		}
		at = s.end
	}
	w.h.more = w.h.more || at < w.size
	return nil
}

// boxAt reads the head of a box: its kind and what it holds. The box may reach beyond the
// end of the file.
func boxAt(r io.ReaderAt, at, size int64) (string, span, error) {
	var b [16]byte
	if _, err := r.ReadAt(b[:8], at); err != nil {
		return "", span{}, io.ErrUnexpectedEOF
	}
	length, head := int64(binary.BigEndian.Uint32(b[:])), int64(8)
	switch length {
	case 0: // the last one
		length = size - at
	case 1:
		if _, err := r.ReadAt(b[8:], at+8); err != nil {
			return "", span{}, io.ErrUnexpectedEOF
		}
		v := binary.BigEndian.Uint64(b[8:])
		if v > 1<<62 {
			return "", span{}, errors.New("box of an endless length")
		}
		length, head = int64(v), 16
	}
	if length < head {
		return "", span{}, fmt.Errorf("box of %d bytes", length)
	}
	return string(b[4:8]), span{at + head, at + length}, nil
}

// add lists one codestream. whole is false where its box reaches beyond the file.
func (w *jpxWalk) add(s span, whole bool) error {
	if len(w.h.frames) >= w.limit {
		return reason.Because(reason.ExtractFrames, fmt.Errorf("raster: more than %d frames", w.limit))
	}
	f, err := w.codestream(s)
	switch {
	case err != nil:
		f.withheld = reason.Of(because("JPEG 2000", err))
	case !whole:
		f.withheld = reason.ExtractTruncated
	case w.foreign == nil:
		f.withheld = reason.ExtractEncoding
	}
	w.h.frames = append(w.h.frames, f)
	return nil
}

// codestream reads the SIZ segment and walks the others and the tile parts.
func (w *jpxWalk) codestream(s span) (frame, error) {
	f := frame{turn: 1}
	var b [43]byte // up to the depth of the first sample
	if s.end-s.at < int64(len(b)) {
		return f, io.ErrUnexpectedEOF
	}
	if _, err := w.r.ReadAt(b[:], s.at); err != nil {
		return f, io.ErrUnexpectedEOF
	}
	if string(b[:4]) != codestreamMark {
		return f, errors.New("no codestream")
	}
	u := func(i int) int64 { return int64(binary.BigEndian.Uint32(b[i:])) }
	f.width, f.height = int(u(8)-u(16)), int(u(12)-u(20))
	samples := int(binary.BigEndian.Uint16(b[40:]))
	f.gray = samples < 3 && w.header == nil // a palette makes colours of one sample
	f.cost = WaveletBytes(max(1, min(samples, maxSamples)))
	if f.width <= 0 || f.height <= 0 {
		return f, errors.New("codestream without a size")
	}
	f.load = func() (image.Image, error) {
		data := make([]byte, s.end-s.at)
		if _, err := w.r.ReadAt(data, s.at); err != nil && !errors.Is(err, io.EOF) {
			return nil, because("JPEG 2000", err)
		}
		dict, file := jpxFile(w.header, data, samples)
		return w.foreign.DecodeStream(dict, file, f.width, f.height)
	}
	return f, w.parts(s)
}

// parts walks segments and tile parts to the end mark. A last tile part may leave its
// length out; then the file must end in the mark.
func (w *jpxWalk) parts(s span) error {
	var b [12]byte
	for at := s.at + 2; ; {
		n := min(int64(len(b)), s.end-at)
		if n < 2 {
			return io.ErrUnexpectedEOF
		}
		if _, err := w.r.ReadAt(b[:n], at); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if b[0] != 0xff || b[1] < 0x4f {
			return errors.New("no marker where one must be")
		}
		if b[1] == 0xd9 { // EOC
			w.h.more = w.h.more || at+2 < s.end
			return nil
		}
		if n < 4 {
			return io.ErrUnexpectedEOF
		}
		if b[1] != 0x90 { // anything but SOT
			at += 2 + int64(binary.BigEndian.Uint16(b[2:]))
			continue
		}
		if n < int64(len(b)) {
			return io.ErrUnexpectedEOF
		}
		length := int64(binary.BigEndian.Uint32(b[6:]))
		if length == 0 {
			return w.endsWithMark(s)
		}
		if length < 14 {
			return errors.New("tile part shorter than its head")
		}
		at += length
	}
}

func (w *jpxWalk) endsWithMark(s span) error {
	tail := make([]byte, min(2, s.end-s.at))
	if _, err := w.r.ReadAt(tail, s.end-2); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !bytes.Equal(tail, []byte{0xff, 0xd9}) {
		return io.ErrUnexpectedEOF
	}
	return nil
}
