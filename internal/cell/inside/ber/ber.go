// Package ber reads the structure of ASN.1 as BER writes it (X.690), DER included: what S/MIME
// is packed in. It knows no types but those that a walk asks for, copies nothing, and costs no
// more than the length times the depth, which is bounded.
package ber

import "errors"

// ErrMalformed is all that can be wrong.
var ErrMalformed = errors.New("ber: malformed")

// Tags as they stand in the first byte, the bit for "made of others" left out.
const (
	OctetString = 0x04
	Object      = 0x06 // an identifier of an object
	Sequence    = 0x10
	Explicit0   = 0x80 // of the context, number 0
)

const (
	constructed = 0x20
	maxDepth    = 16 // of values without a length, and of strings in pieces: writers use two
)

// Value is one value: its tag, whether it is made of others, and what is in it.
type Value struct {
	Tag     byte
	Made    bool
	Content []byte
}

// Next cuts the first value off. A value without a length goes on to its mark of the end,
// which is not in Content. One that is longer than b is cut where b ends, and Short says so:
// whoever sniffs has the beginning only.
func Next(b []byte) (v Value, rest []byte, short bool, err error) { return next(b, 0) }

func next(b []byte, depth int) (v Value, rest []byte, short bool, err error) {
	if len(b) < 2 || b[0]&0x1f == 0x1f || depth > maxDepth { // tags of several bytes are in nothing that is read here
		return v, nil, false, ErrMalformed
	}
	v = Value{Tag: b[0] &^ constructed, Made: b[0]&constructed != 0}
	n, head := int(b[1]), 2
	const long = 0x80
	switch {
	case n == long:
		return v.open(b[head:], depth)
	case n > long:
		count := n - long
		if count > 4 {
			return v, nil, false, ErrMalformed
		}
		if len(b) < head+count {
			return v, nil, true, nil
		}
		n = 0
		for _, c := range b[head : head+count] {
			n = n<<8 | int(c)
		}
		head += count
	}
	if n > len(b)-head {
		v.Content = b[head:]
		return v, nil, true, nil
	}
	v.Content = b[head : head+n]
	return v, b[head+n:], false, nil
}

// open finds the end of a value without a length.
func (v Value) open(b []byte, depth int) (Value, []byte, bool, error) {
	if !v.Made {
		return v, nil, false, ErrMalformed
	}
	for at := b; ; {
		if len(at) >= 2 && at[0] == 0 && at[1] == 0 {
			v.Content = b[:len(b)-len(at)]
			return v, at[2:], false, nil
		}
		if len(at) < 2 {
			v.Content = b
			return v, nil, true, nil
		}
		_, rest, short, err := next(at, depth+1)
		if err != nil {
			return v, nil, false, err
		}
		if short {
			v.Content = b
			return v, nil, true, nil
		}
		at = rest
	}
}

// String puts the pieces of a string together.
func (v Value) String() ([]byte, error) { return v.join(nil, 0) }

func (v Value) join(out []byte, depth int) ([]byte, error) {
	switch {
	case v.Tag != OctetString || depth > maxDepth:
		return nil, ErrMalformed
	case !v.Made && depth == 0:
		return v.Content, nil
	case !v.Made:
		return append(out, v.Content...), nil
	}
	for rest := v.Content; len(rest) > 0; {
		piece, after, _, err := Next(rest)
		if err != nil {
			return nil, err
		}
		if out, err = piece.join(out, depth+1); err != nil {
			return nil, err
		}
		rest = after
	}
	return out, nil
}
