// Package lock opens office files that are encrypted with the password that Excel uses where a
// person gave none: a workbook of which only parts are protected. Whoever has the file can
// open it, and every office suite does so without asking. No other password is tried; all
// else is ErrLocked.
//
// [MS-OFFCRYPTO] describes the ways to encrypt. What they authenticate is not checked: who
// can write a file can encrypt it as well.
package lock

import (
	"crypto/rc4" // what old files are encrypted with
	"encoding/binary"
	"errors"
	"unicode/utf16"
)

// ErrLocked says that another password, or a way to encrypt that is not known, keeps the file
// shut.
var ErrLocked = errors.New("lock: behind a password")

// password is Excel's own ([MS-OFFCRYPTO] does not name it; every reader has it).
const password = "VelvetSweatshop"

// wide is a password as it is hashed, in UTF-16.
func wide(password string) (b []byte) {
	for _, u := range utf16.Encode([]rune(password)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

func number(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n) }

// key makes the key of a block of a stream.
type key func(block uint32) []byte

// blockSize is how many bytes of a workbook are encrypted with one key.
const blockSize = 1024

// flow decrypts pieces of a stream, each at its place.
type flow struct {
	key    key
	block  uint32
	cipher *rc4.Cipher
	at     int // in the block
	noise  [blockSize]byte
}

// decrypt undoes the encryption of b, which lies at an offset of its stream.
func (f *flow) decrypt(b []byte, offset int) error {
	for len(b) > 0 {
		block, at := uint32(offset/blockSize), offset%blockSize
		if f.cipher == nil || block != f.block || at < f.at {
			c, err := rc4.NewCipher(f.key(block))
			if err != nil {
				return ErrLocked
			}
			f.cipher, f.block, f.at = c, block, 0
		}
		f.cipher.XORKeyStream(f.noise[:at-f.at], f.noise[:at-f.at]) // what lies between is not encrypted
		n := min(len(b), blockSize-at)
		f.cipher.XORKeyStream(b[:n], b[:n])
		f.at = at + n
		b, offset = b[n:], offset+n
	}
	return nil
}
