package raster

import (
	"errors"
	"io"
)

// bitReader reads a header of bits. Past the end it gives zeros and remembers it.
type bitReader struct {
	b     []byte
	at    int // bits
	short bool
}

// take reads n bits, up to 32.
func (r *bitReader) take(n int) uint32 {
	var v uint32
	for range n {
		v <<= 1
		if r.at/8 >= len(r.b) {
			r.short = true
		} else {
			v |= uint32(r.b[r.at/8] >> (7 - r.at%8) & 1)
		}
		r.at++
	}
	return v
}

func (r *bitReader) flag() bool { return r.take(1) == 1 }

// golomb reads a number in the exponential code of HEVC's ue(v) and AV1's uvlc.
func (r *bitReader) golomb() uint32 {
	n := 0
	for !r.short && n < 32 && !r.flag() {
		n++
	}
	if n >= 32 {
		return 1<<32 - 1
	}
	return 1<<n - 1 + r.take(n)
}

// av1Size is the size that an AV1 stream says of itself: that of its first sequence header
// (AV1 specification 5.5), in what stands before the stream or in it.
func av1Size(config, data []byte) (w, h int, err error) {
	if len(config) > 4 {
		if w, h, err = av1Header(config[4:]); err == nil {
			return w, h, nil
		}
	}
	return av1Header(data)
}

// av1Header walks units of the stream, 5.3, to the sequence header.
func av1Header(b []byte) (w, h int, err error) {
	const sequenceHeader = 1
	for len(b) > 0 {
		head := b[0]
		b = b[1:]
		if head&4 != 0 && len(b) > 0 { // an extension
			b = b[1:]
		}
		size := len(b)
		if head&2 != 0 {
			var n int
			if size, n = leb128(b); n == 0 || size > len(b)-n {
				return 0, 0, io.ErrUnexpectedEOF
			}
			b = b[n:]
		}
		if head>>3&15 == sequenceHeader {
			return av1Sequence(&bitReader{b: b[:size]})
		}
		b = b[size:]
	}
	return 0, 0, errors.New("AV1 without a sequence header")
}

// leb128 reads a number of seven bits a byte, of up to four bytes: more fits no picture.
func leb128(b []byte) (v, n int) {
	for i := range min(len(b), 4) {
		v |= int(b[i]&0x7f) << (7 * i)
		if b[i]&0x80 == 0 {
			return v, i + 1
		}
	}
	return 0, 0
}

func av1Sequence(r *bitReader) (w, h int, err error) {
	r.take(4) // profile, still picture
	if reduced := r.flag(); reduced {
		r.take(5)
	} else {
		av1Points(r)
	}
	across, down := int(r.take(4))+1, int(r.take(4))+1
	w, h = int(r.take(across))+1, int(r.take(down))+1
	if r.short {
		return 0, 0, io.ErrUnexpectedEOF
	}
	return w, h, nil
}

// av1Points passes over times and operating points.
func av1Points(r *bitReader) {
	delay, model := 0, false
	if r.flag() { // times
		r.take(32)
		r.take(32)
		if r.flag() {
			r.golomb()
		}
		if model = r.flag(); model {
			delay = int(r.take(5)) + 1
			r.take(32)
			r.take(10)
		}
	}
	display := r.flag()
	for range r.take(5) + 1 {
		r.take(12)
		if r.take(5) > 7 {
			r.take(1)
		}
		if model && r.flag() {
			r.take(delay)
			r.take(delay)
			r.take(1)
		}
		if display && r.flag() {
			r.take(4)
		}
	}
}
