// Package armour takes bytes out of the letters that they travel in: base64, quoted-printable
// and uuencode. It reads all that mail programs and office suites forgive, because whoever
// reads the document later may forgive it as well.
package armour

import "bytes"

// Encoding is how bytes were made to travel.
type Encoding uint8

// The encodings. AsIs is none.
const (
	AsIs Encoding = iota
	Base64
	QuotedPrintable
	UUEncode
	YEnc
)

// Most is how many bytes Decode makes of n letters at most.
func (e Encoding) Most(n int64) int64 {
	switch e {
	case Base64:
		return (n + 3) / 4 * 3
	case UUEncode:
		return n + 2 // of a last line whose spaces were lost
	default:
		return n
	}
}

// Decode returns the bytes. It never fails: what is no letter of the encoding counts for
// nothing.
func (e Encoding) Decode(b []byte) []byte {
	switch e {
	case Base64:
		return unBase64(b)
	case QuotedPrintable:
		return unQuote(b)
	case UUEncode:
		return unUU(b)
	case YEnc:
		return unYEnc(b)
	}
	return b
}

// unBase64 skips all that is no letter of the alphabet, as RFC 2045, 6.8 asks, and takes
// the letters of URLs for those that they stand for. Padding begins anew, for encoders
// that encode piece by piece; letters left over there count for the bytes that they fill.
func unBase64(b []byte) []byte {
	out := make([]byte, 0, len(b)/4*3+3)
	var v uint32
	n := 0
	for _, c := range b {
		switch d := sixBits[c]; {
		case d < 64:
			v = v<<6 | uint32(d)
			if n++; n == 4 {
				out = append(out, byte(v>>16), byte(v>>8), byte(v))
				v, n = 0, 0
			}
		case c == '=':
			out = append(out, leftOver(v, n)...)
			v, n = 0, 0
		}
	}
	return append(out, leftOver(v, n)...)
}

// leftOver is what fewer than four letters hold.
func leftOver(v uint32, n int) []byte {
	switch n {
	case 2:
		return []byte{byte(v >> 4)}
	case 3:
		return []byte{byte(v >> 10), byte(v >> 2)}
	}
	return nil
}

// sixBits is what letters of base64 stand for, and 64 for all else.
var sixBits = func() (t [256]byte) {
	for c := range t {
		t[c] = 64
	}
	for i, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" {
		t[c] = byte(i)
	}
	t['-'], t['_'] = t['+'], t['/']
	return t
}()

// unQuote decodes quoted-printable (RFC 2045, 6.7). An equals sign that begins no code
// stays.
func unQuote(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '=' {
			out = append(out, b[i])
			continue
		}
		if hi, lo := HexAt(b, i+1), HexAt(b, i+2); hi >= 0 && lo >= 0 {
			out = append(out, byte(hi<<4|lo))
			i += 2
			continue
		}
		end := i + 1
		for end < len(b) && (b[end] == ' ' || b[end] == '\t') {
			end++
		}
		switch rest := b[end:]; { // at an end of a line, the line goes on
		case bytes.HasPrefix(rest, []byte("\n")):
			i = end
		case bytes.HasPrefix(rest, []byte("\r\n")):
			i = end + 1
		case len(b) == i+1, len(b) == i+2 && b[i+1] == '\r':
			return out
		default:
			out = append(out, '=')
		}
	}
	return out
}

// HexAt is the value of the hexadecimal digit at i; −1 where there is none.
func HexAt(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch c := b[i]; {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}

// unUU decodes the lines between begin and end (POSIX uuencode); without a begin, all.
func unUU(b []byte) []byte {
	out := make([]byte, 0, len(b)/4*3)
	for len(b) > 0 {
		var l []byte
		l, b, _ = bytes.Cut(b, []byte("\n"))
		l = bytes.TrimSuffix(l, []byte("\r"))
		switch {
		case bytes.HasPrefix(l, []byte("begin ")):
			continue
		case bytes.Equal(l, []byte("end")):
			return out
		case len(l) == 0:
			continue
		}
		n := int(l[0]-' ') & 0x3f
		for i := 1; i < len(l) && n > 0; i += 4 {
			var v uint32
			for k := range 4 {
				v <<= 6
				if i+k < len(l) {
					v |= uint32(l[i+k]-' ') & 0x3f
				}
			}
			three := []byte{byte(v >> 16), byte(v >> 8), byte(v)}
			out = append(out, three[:min(n, 3)]...)
			n -= 3
		}
	}
	return out
}

// unYEnc decodes what yEnc wrote (version 1.3): every byte 42 higher, some behind an equals
// sign and higher still. Lines that begin with "=y" tell of the file and are none of it.
func unYEnc(b []byte) []byte {
	const shift, further = 42, 64
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		var l []byte
		l, b, _ = bytes.Cut(b, []byte("\n"))
		l = bytes.TrimSuffix(l, []byte("\r"))
		if bytes.HasPrefix(l, []byte("=y")) {
			continue
		}
		for i := 0; i < len(l); i++ {
			c := l[i]
			if c == '=' && i+1 < len(l) {
				i++
				c = l[i] - further
			}
			out = append(out, c-shift)
		}
	}
	return out
}
