package lock

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4" // what old files are encrypted with
	"crypto/sha1"
	"encoding/binary"
)

// Records of a workbook that are never encrypted ([MS-XLS] 2.2.10), and the one whose first
// bytes are not.
var plainRecords = map[uint16]bool{0x0809: true, filePass: true, 0x0194: true, 0x0195: true, 0x00e1: true, 0x0196: true, 0x0138: true}

const (
	filePass    = 0x002f
	boundSheet  = 0x0085
	sheetOffset = 4 // bytes of it that say where the sheet lies
	recordHead  = 4
)

// Workbook returns a copy of a workbook's stream with what is encrypted decrypted. The body of
// its FilePass record says how.
func Workbook(stream, pass []byte) ([]byte, error) {
	open, err := opener(pass)
	if err != nil {
		return nil, err
	}
	out := bytes.Clone(stream)
	encrypted := false
	for at := 0; at+recordHead <= len(out); {
		kind, n := binary.LittleEndian.Uint16(out[at:]), int(binary.LittleEndian.Uint16(out[at+2:]))
		from, to := at+recordHead, min(at+recordHead+n, len(out))
		if kind == boundSheet {
			from = min(from+sheetOffset, to)
		}
		if encrypted && !plainRecords[kind] {
			if err := open(out[from:to], from, n); err != nil {
				return nil, err
			}
		}
		encrypted = encrypted || kind == filePass
		at = to
	}
	return out, nil
}

// opener reads a FilePass record: what decrypts a piece of the stream that lies at an offset,
// in a record of some length.
func opener(pass []byte) (func(b []byte, at, record int) error, error) {
	const old = 4 // bytes of the record in Excel 5
	le := binary.LittleEndian
	switch {
	case len(pass) == old:
		return xorOpener(le.Uint16(pass), le.Uint16(pass[2:]))
	case len(pass) >= 6 && le.Uint16(pass) == 0:
		return xorOpener(le.Uint16(pass[2:]), le.Uint16(pass[4:]))
	case len(pass) < 6 || le.Uint16(pass) != 1:
		return nil, ErrLocked
	}
	var k key
	var err error
	if body := pass[2:]; le.Uint16(body) == 1 {
		k, err = oldKey(body)
	} else {
		k, err = apiKey(body)
	}
	if err != nil {
		return nil, err
	}
	f := &flow{key: k}
	return func(b []byte, at, _ int) error { return f.decrypt(b, at) }, nil
}

// oldKey is that of RC4 with 40 bits ([MS-OFFCRYPTO] 2.3.6): salt, verifier, its hash.
func oldKey(body []byte) (key, error) {
	const head, part = 4, 16
	if len(body) < head+3*part {
		return nil, ErrLocked
	}
	salt, verifier := body[head:head+part], body[head+part:head+3*part]
	k := oldKeyOf(password, salt)
	plain, err := start(k, verifier)
	if err != nil {
		return nil, err
	}
	if sum := md5.Sum(plain[:part]); !bytes.Equal(sum[:], plain[part:]) {
		return nil, ErrLocked
	}
	return k, nil
}

func oldKeyOf(password string, salt []byte) key {
	const short, times = 5, 16
	first := md5.Sum(wide(password))
	base := md5.Sum(bytes.Repeat(append(first[:short:short], salt...), times))
	return func(block uint32) []byte {
		sum := md5.Sum(append(base[:short:short], number(block)...))
		return sum[:]
	}
}

// start decrypts what stands before the stream, which has the key of its first block.
func start(k key, verifier []byte) ([]byte, error) {
	c, err := rc4.NewCipher(k(0))
	if err != nil {
		return nil, ErrLocked
	}
	plain := make([]byte, len(verifier))
	c.XORKeyStream(plain, verifier)
	return plain, nil
}

// apiKey is that of RC4 by the system's library (2.3.5): version, flags, a header with its
// length, then salt, verifier and its hash with theirs.
func apiKey(body []byte) (key, error) {
	h, err := readHeader(body)
	const algorithmRC4, hash = 0x6801, 20
	if err != nil || h.algorithm != algorithmRC4 && h.algorithm != 0 || len(h.hash) < hash {
		return nil, ErrLocked
	}
	k := apiKeyOf(password, h.salt, h.bits)
	plain, err := start(k, append(bytes.Clone(h.verifier), h.hash[:hash]...))
	if err != nil {
		return nil, err
	}
	if sum := sha1.Sum(plain[:len(h.verifier)]); !bytes.Equal(sum[:], plain[len(h.verifier):]) {
		return nil, ErrLocked
	}
	return k, nil
}

func apiKeyOf(password string, salt []byte, bits uint32) key {
	const least, most, weak = 40, 128, 5
	if bits == 0 {
		bits = least
	}
	base := sha1.Sum(append(bytes.Clone(salt), wide(password)...))
	return func(block uint32) []byte {
		sum := sha1.Sum(append(base[:], number(block)...))
		if bits == least {
			return append(sum[:weak:weak], make([]byte, most/8-weak)...)
		}
		return sum[:min(bits, most)/8]
	}
}
