package raster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"math"

	"blotter/internal/reason"
)

// JBIG2 files, ITU-T T.88 annex D: segments, some of which belong to a page. A page is
// handed to the foreign decoder as a PDF would hold it: its segments behind those of no
// page, without the marks that only files have.

const (
	jbig2Signature = "\x97JB2\r\n\x1a\n"

	// jbig2SegmentsRead bounds the segments of a file: a page has a few, more where its
	// letters are stored once each.
	jbig2SegmentsRead = 1 << 16
)

// Segment types that matter here, T.88 7.3.
const (
	jbig2PageInfo    = 48
	jbig2PageEnd     = 49
	jbig2StripeEnd   = 50
	jbig2FileEnd     = 51
	jbig2Extension   = 62
	jbig2UnknownSize = math.MaxUint32
)

// segment is one as it stands in the file.
type segment struct {
	head   []byte // up to the length of the data, that included
	pageAt int    // where the page's number stands in head
	wide   bool   // it has four bytes
	kind   byte
	page   uint32
	length int64
	data   int64 // offset
}

func jbig2Headers(r io.ReaderAt, size int64, limit int, foreign Foreign) (headers, error) {
	w := jbig2Walk{r: r, size: size}
	segments, err := w.segments()
	if err != nil && len(segments) == 0 {
		return headers{}, because("JBIG2", err)
	}
	var h headers
	pages := map[uint32]int{} // place among the frames
	ended := map[uint32]bool{}
	for _, s := range segments {
		switch s.kind {
		case jbig2PageInfo:
			if _, twice := pages[s.page]; twice {
				continue
			}
			if len(h.frames) >= limit {
				return headers{}, reason.Because(reason.ExtractFrames, fmt.Errorf("raster: more than %d frames", limit))
			}
			pages[s.page] = len(h.frames)
			h.frames = append(h.frames, w.page(s, segments, foreign))
		case jbig2PageEnd:
			ended[s.page] = true
		case jbig2Extension:
			h.more = true // comments
		}
	}
	for page, i := range pages {
		if !ended[page] && h.frames[i].withheld == "" {
			h.frames[i].withheld = reason.ExtractTruncated
		}
	}
	switch {
	case err != nil: // what is lost must show
		h.frames = append(h.frames, frame{withheld: reason.Of(because("JBIG2", err))})
	case len(h.frames) == 0:
		return headers{}, because("JBIG2", errors.New("no page"))
	}
	h.more = h.more || w.end < size
	return h, nil
}

type jbig2Walk struct {
	r    io.ReaderAt
	size int64
	end  int64 // of the last segment
}

// segments reads all heads. Data follows each of them, or all of them.
func (w *jbig2Walk) segments() ([]segment, error) {
	var head [13]byte
	if _, err := w.r.ReadAt(head[:9], 0); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	if string(head[:8]) != jbig2Signature {
		return nil, errors.New("no mark")
	}
	at := int64(9)
	if head[8]&2 == 0 { // the number of pages is known
		at += 4
	}
	apart := head[8]&1 == 0
	var out []segment
	for range jbig2SegmentsRead {
		s, err := w.head(at)
		if err != nil {
			return out, err
		}
		at = s.data
		if !apart {
			if at = s.data + s.length; at > w.size {
				return out, io.ErrUnexpectedEOF
			}
		}
		out = append(out, s)
		if s.kind == jbig2FileEnd || !apart && at == w.size { // the mark may be missing
			w.end = at
			if apart {
				return out, w.place(out, at)
			}
			return out, nil
		}
	}
	return out, fmt.Errorf("more than %d segments", jbig2SegmentsRead)
}

// place says where the data of segments lies whose heads came first.
func (w *jbig2Walk) place(segments []segment, at int64) error {
	for i := range segments {
		segments[i].data = at
		if at += segments[i].length; at > w.size {
			return io.ErrUnexpectedEOF
		}
	}
	w.end = at
	return nil
}

// head reads one segment's, T.88 7.2.
func (w *jbig2Walk) head(at int64) (segment, error) {
	var b [11]byte // number, flags, and the longest count of segments referred to, less its marks
	n, _ := w.r.ReadAt(b[:max(0, min(int64(len(b)), w.size-at))], at)
	if n < 6 {
		return segment{}, io.ErrUnexpectedEOF
	}
	number, flags := binary.BigEndian.Uint32(b[:]), b[4]
	s := segment{kind: flags & 63, wide: flags&64 != 0}
	refs, length := int64(b[5]>>5), int64(6)
	if refs == 7 {
		if n < 9 {
			return segment{}, io.ErrUnexpectedEOF
		}
		refs = int64(binary.BigEndian.Uint32(b[5:]) & (1<<29 - 1))
		length = 9 + (refs+8)/8
	} else if refs > 4 {
		return segment{}, errors.New("segment that refers to more than it can")
	}
	if refs > jbig2SegmentsRead {
		return segment{}, errors.New("segment that refers to too many")
	}
	width := int64(4)
	if number <= 256 {
		width = 1
	} else if number <= 65536 {
		width = 2
	}
	length += refs * width
	s.pageAt = int(length)
	length += 1 + 4
	if s.wide {
		length += 3
	}
	if at+length > w.size {
		return segment{}, io.ErrUnexpectedEOF
	}
	s.head = make([]byte, length)
	if _, err := w.r.ReadAt(s.head, at); err != nil && !errors.Is(err, io.EOF) {
		return segment{}, err
	}
	s.page = uint32(s.head[s.pageAt])
	if s.wide {
		s.page = binary.BigEndian.Uint32(s.head[s.pageAt:])
	}
	size := binary.BigEndian.Uint32(s.head[length-4:])
	if size == jbig2UnknownSize {
		return segment{}, reason.Because(reason.ExtractEncoding, errors.New("raster: JBIG2 segment of an unknown length"))
	}
	s.length, s.data = int64(size), at+length
	return s, nil
}

// page reads the size of a page. One whose height is not known at its start has it in its
// last stripe.
func (w *jbig2Walk) page(info segment, all []segment, foreign Foreign) frame {
	f := frame{turn: 1, gray: true}
	var b [12]byte
	if info.length < 19 {
		f.withheld = reason.ExtractMalformed
		return f
	}
	if _, err := w.r.ReadAt(b[:], info.data); err != nil {
		f.withheld = reason.ExtractTruncated
		return f
	}
	height := binary.BigEndian.Uint32(b[4:])
	if height == jbig2UnknownSize {
		height = w.stripes(info.page, all)
	}
	f.width, f.height = int(binary.BigEndian.Uint32(b[:])), int(height)
	f.dpi = perInch(float64(binary.BigEndian.Uint32(b[8:])) * 0.0254)
	if foreign == nil {
		f.withheld = reason.ExtractEncoding
	}
	f.load = func() (image.Image, error) {
		data, err := w.embedded(info.page, all)
		if err != nil {
			return nil, because("JBIG2", err)
		}
		return foreign.DecodeStream("/Filter/JBIG2Decode/BitsPerComponent 1/ColorSpace/DeviceGray", data, f.width, f.height)
	}
	return f
}

// stripes is the height that the last stripe of a page ends at.
func (w *jbig2Walk) stripes(page uint32, all []segment) uint32 {
	height := uint32(0)
	for _, s := range all {
		var b [4]byte
		if s.kind != jbig2StripeEnd || s.page != page || s.length < 4 {
			continue
		}
		if _, err := w.r.ReadAt(b[:], s.data); err == nil {
			height = max(height, binary.BigEndian.Uint32(b[:])+1)
		}
	}
	return height
}

// embedded writes the segments of a page as a PDF holds them: the page is called 1.
func (w *jbig2Walk) embedded(page uint32, all []segment) ([]byte, error) {
	var out []byte
	for _, s := range all {
		if s.page != page && s.page != 0 || s.kind == jbig2PageEnd || s.kind == jbig2FileEnd || s.kind == jbig2Extension {
			continue
		}
		if s.length > w.size-s.data { // cut off, which an earlier page need not notice
			return nil, io.ErrUnexpectedEOF
		}
		at := len(out)
		out = append(out, s.head...)
		if s.page != 0 {
			number := out[at+s.pageAt:]
			if s.wide {
				binary.BigEndian.PutUint32(number, 1)
			} else {
				number[0] = 1
			}
		}
		data := make([]byte, s.length)
		if _, err := w.r.ReadAt(data, s.data); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		out = append(out, data...)
	}
	return out, nil
}

// jbig2Regions are the segments that draw, T.88 7.3.
var jbig2Regions = map[byte]bool{6: true, 7: true, 22: true, 23: true, 38: true, 39: true, 42: true, 43: true}

// JBIG2Stream judges segments as a PDF holds them, without the head of a file: the decoder
// makes a white page of a stream that is cut off, and of one that draws nothing. The error is
// extract.truncated or extract.malformed. A segment that does not tell its length ends the
// judgement.
func JBIG2Stream(b []byte) error {
	b = bytes.TrimRight(b, "\r\n")
	w := jbig2Walk{r: bytes.NewReader(b), size: int64(len(b))}
	draws := false
	for at := int64(0); at < w.size; {
		s, err := w.head(at)
		if reason.Of(err) == reason.ExtractEncoding {
			return nil
		}
		if at = s.data + s.length; err == nil && at > w.size {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return because("JBIG2", err)
		}
		draws = draws || jbig2Regions[s.kind]
	}
	if !draws {
		return because("JBIG2", errors.New("nothing is drawn"))
	}
	return nil
}
