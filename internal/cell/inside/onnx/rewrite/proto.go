package rewrite

import (
	"encoding/binary"
	"errors"
	"math"
)

// Wire types of protocol buffers.
const (
	varint  = 0
	fixed64 = 1
	bytes   = 2
	fixed32 = 5
)

var errWire = errors.New("rewrite: malformed protocol buffer")

// field is one field of a message: the number in it or the bytes, and the whole as
// it stood, tag included.
type field struct {
	num, wire int
	value     uint64 // varint
	data      []byte // everything else; aliases the message
	whole     []byte
}

// fields calls f for each field of the message b in order, and stops at its first
// error. Lengths are checked against b, so that nothing is read outside it.
func fields(b []byte, f func(field) error) error {
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		if n <= 0 || key>>3 == 0 || key>>3 > math.MaxInt32 {
			return errWire
		}
		x := field{num: int(key >> 3), wire: int(key & 7)}
		rest := b[n:]
		var size int
		switch x.wire {
		case varint:
			if x.value, size = binary.Uvarint(rest); size <= 0 {
				return errWire
			}
		case fixed64:
			size = 8
		case fixed32:
			size = 4
		case bytes:
			l, n := binary.Uvarint(rest)
			if n <= 0 || l > uint64(len(rest)-n) {
				return errWire
			}
			rest, size = rest[n:], int(l)
		default:
			return errWire
		}
		if size > len(rest) {
			return errWire
		}
		x.data = rest[:size]
		x.whole = b[:len(b)-len(rest)+size]
		b = rest[size:]
		if err := f(x); err != nil {
			return err
		}
	}
	return nil
}

// integers reads a repeated integer field, packed or not.
func (x field) integers() ([]int64, error) {
	if x.wire == varint {
		return []int64{int64(x.value)}, nil
	}
	var out []int64
	for b := x.data; len(b) > 0; {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errWire
		}
		out, b = append(out, int64(v)), b[n:]
	}
	return out, nil
}

func appendInt(b []byte, num int, v uint64) []byte {
	b = binary.AppendUvarint(b, uint64(num)<<3|varint)
	return binary.AppendUvarint(b, v)
}

func appendBytes[T string | []byte](b []byte, num int, v T) []byte {
	b = binary.AppendUvarint(b, uint64(num)<<3|bytes)
	b = binary.AppendUvarint(b, uint64(len(v)))
	return append(b, v...)
}

func appendFloat(b []byte, num int, v float32) []byte {
	b = binary.AppendUvarint(b, uint64(num)<<3|fixed32)
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
}
