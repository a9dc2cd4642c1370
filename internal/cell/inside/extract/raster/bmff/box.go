package bmff

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// box is one as it stands in a file: its kind and where its contents lie. Contents may
// reach beyond the file's end.
type box struct {
	kind    string
	at, end int64
}

// boxAt reads the head of the box at an offset, ISO 14496-12 4.2. limit is where what it
// stands in ends.
func boxAt(r io.ReaderAt, at, limit int64) (box, error) {
	var b [16]byte
	if at > limit-8 {
		return box{}, io.ErrUnexpectedEOF
	}
	if _, err := r.ReadAt(b[:8], at); err != nil {
		return box{}, io.ErrUnexpectedEOF
	}
	length, head := int64(binary.BigEndian.Uint32(b[:])), int64(8)
	switch length {
	case 0: // the last one
		length = limit - at
	case 1:
		if _, err := r.ReadAt(b[8:], at+8); err != nil {
			return box{}, io.ErrUnexpectedEOF
		}
		v := binary.BigEndian.Uint64(b[8:])
		if v > math.MaxInt64/2 {
			return box{}, errors.New("bmff: box of an endless length")
		}
		length, head = int64(v), 16
	}
	if length < head {
		return box{}, fmt.Errorf("bmff: box of %d bytes", length)
	}
	return box{string(b[4:8]), at + head, at + length}, nil
}

// fields reads values one after the other. Past the end it gives zeros and remembers it.
type fields struct {
	b     []byte
	short bool
}

func (f *fields) take(n int) []byte {
	if n < 0 || n > len(f.b) {
		f.short, f.b = true, nil
		return make([]byte, min(max(n, 0), 8))
	}
	out := f.b[:n]
	f.b = f.b[n:]
	return out
}

// number reads an unsigned number of n bytes, 0–8.
func (f *fields) number(n int) uint64 {
	var v uint64
	for _, b := range f.take(n) {
		v = v<<8 | uint64(b)
	}
	return v
}

// full reads the version and flags that many boxes begin with.
func (f *fields) full() (version byte, flags uint32) {
	v := uint32(f.number(4))
	return byte(v >> 24), v & 0xffffff
}

// text reads up to a zero.
func (f *fields) text() string {
	for i, b := range f.b {
		if b == 0 {
			out := string(f.b[:i])
			f.b = f.b[i+1:]
			return out
		}
	}
	out := string(f.b)
	f.b = nil
	return out
}

// boxes calls do for each box within b.
func boxes(b []byte, do func(kind string, body []byte) error) error {
	f := fields{b: b}
	for len(f.b) >= 8 {
		rest := len(f.b)
		length := f.number(4)
		kind := string(f.take(4))
		switch length {
		case 0:
			length = uint64(rest)
		case 1:
			length = f.number(8)
		}
		head := uint64(rest - len(f.b))
		if f.short || length < head || length > uint64(rest) {
			return fmt.Errorf("bmff: box of %d bytes within %d: %w", length, rest, io.ErrUnexpectedEOF)
		}
		if err := do(kind, f.take(int(length-head))); err != nil {
			return err
		}
	}
	return nil
}
