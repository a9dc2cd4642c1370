package lock

import "math/bits"

// XOR obfuscation ([MS-OFFCRYPTO] 2.3.7), of Excel 5 and of files that should open anywhere.

const xorKeyLength = 16

// xorFill fills a password up.
var xorFill = [xorKeyLength - 1]byte{0xbb, 0xff, 0xff, 0xba, 0xff, 0xff, 0xb9, 0x80, 0x00, 0xbe, 0x0f, 0x00, 0xbf, 0x0f, 0x00}

// xorOpener takes the key and the verifier that the file has for its password.
func xorOpener(key, verifier uint16) (func(b []byte, at, record int) error, error) {
	if key != xorKey(password) || verifier != xorVerifier(password) {
		return nil, ErrLocked
	}
	letters := xorLetters(password)
	return func(b []byte, at, record int) error {
		for i := range b {
			b[i] = bits.RotateLeft8(b[i]^letters[(at+i+record)%xorKeyLength], 3)
		}
		return nil
	}, nil
}

// xorKey and xorVerifier are two checks of a password: a sum that is shifted through a
// polynomial (0x1021), and one of its letters, each turned further than the one before.
func xorKey(password string) uint16 {
	const polynomial = 0x1020
	turn := func(v uint16) uint16 {
		if v = bits.RotateLeft16(v, 1); v&1 != 0 {
			v ^= polynomial
		}
		return v
	}
	if password == "" {
		return 0
	}
	key, base, end := uint16(0), uint16(0x8000), uint16(0xffff)
	for i := len(password) - 1; i >= 0; i-- {
		for bit := range 8 {
			if base = turn(base); password[i]>>bit&1 != 0 {
				key ^= base
			}
			end = turn(end)
		}
	}
	return key ^ end
}

func xorVerifier(password string) uint16 {
	const seed, width = 0xce4b, 15
	if password == "" {
		return 0
	}
	sum := uint16(len(password)) ^ seed
	for i := range len(password) {
		c, n := uint32(password[i]), uint(i+1)%width
		sum ^= uint16((c<<n | c>>(width-n)) & 0x7fff)
	}
	return sum
}

// xorLetters are what the bytes of a file are changed with.
func xorLetters(password string) (out [xorKeyLength]byte) {
	n := copy(out[:], password)
	copy(out[n:], xorFill[:])
	key := xorKey(password)
	for i := range out {
		half := byte(key)
		if i%2 == 1 {
			half = byte(key >> 8)
		}
		out[i] = bits.RotateLeft8(out[i]^half, 2)
	}
	return out
}
