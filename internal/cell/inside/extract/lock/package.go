package lock

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash"
	"strconv"

	"blotter/internal/cell/inside/markup"
)

// Package decrypts a package of OOXML: info and data are the streams EncryptionInfo and
// EncryptedPackage ([MS-OFFCRYPTO] 2.3.4).
func Package(info, data []byte) ([]byte, error) {
	const versions, size = 4, 8
	if len(info) < versions+4 || len(data) < size {
		return nil, ErrLocked
	}
	var plain []byte
	var err error
	if major, minor := binary.LittleEndian.Uint16(info), binary.LittleEndian.Uint16(info[2:]); major == 4 && minor == 4 {
		plain, err = agile(info[versions+4:], data[size:])
	} else if minor == 2 {
		plain, err = standard(info, data[size:])
	} else {
		err = ErrLocked
	}
	if err != nil {
		return nil, err
	}
	return plain[:min(binary.LittleEndian.Uint64(data), uint64(len(plain)))], nil
}

// header is what the system's library needs to know ([MS-OFFCRYPTO] 2.3.2 and 2.3.3).
type header struct {
	algorithm, bits      uint32
	salt, verifier, hash []byte
}

// readHeader reads it behind a version: flags, its length, the header, and what checks a
// password.
func readHeader(b []byte) (h header, err error) {
	const head, fixed, saltSize = 12, 32, 16
	le := binary.LittleEndian
	if len(b) < head {
		return h, ErrLocked
	}
	n := int64(le.Uint32(b[8:]))
	rest := b[head:]
	if n < fixed || n > int64(len(rest)) {
		return h, ErrLocked
	}
	h.algorithm, h.bits = le.Uint32(rest[8:]), le.Uint32(rest[16:])
	if rest = rest[n:]; len(rest) < 4+2*saltSize+4 || le.Uint32(rest) != saltSize {
		return h, ErrLocked
	}
	h.salt, h.verifier, h.hash = rest[4:4+saltSize], rest[4+saltSize:4+2*saltSize], rest[8+2*saltSize:]
	return h, nil
}

// standard is AES without chaining, with a key of 50,000 rounds of SHA-1 (2.3.4.7).
func standard(info, data []byte) ([]byte, error) {
	h, err := readHeader(info)
	const rounds, hashed = 50_000, 2 * aes.BlockSize
	if err != nil || len(h.hash) < hashed || h.bits%64 != 0 || h.bits > 256 {
		return nil, ErrLocked
	}
	sum := spin(sha1.New(), h.salt, rounds)
	last := sha1.Sum(append(sum, number(0)...))
	block, err := aes.NewCipher(widened(last[:])[:h.bits/8])
	if err != nil {
		return nil, ErrLocked
	}
	book := func(b []byte) []byte { // each block by itself
		out := make([]byte, len(b)/aes.BlockSize*aes.BlockSize)
		for i := 0; i < len(out); i += aes.BlockSize {
			block.Decrypt(out[i:], b[i:])
		}
		return out
	}
	if want := sha1.Sum(book(h.verifier)); !bytes.Equal(want[:], book(h.hash[:hashed])[:len(want)]) {
		return nil, ErrLocked
	}
	return book(data), nil
}

// widened makes a key of a hash as the system's library does: two hashes of it, changed with
// one byte each.
func widened(sum []byte) []byte {
	const width = 64
	var out []byte
	for _, fill := range []byte{0x36, 0x5c} {
		b := bytes.Repeat([]byte{fill}, width)
		for i := range sum {
			b[i] ^= sum[i]
		}
		one := sha1.Sum(b)
		out = append(out, one[:]...)
	}
	return out
}

// spin hashes salt and password, and the hash with its round's number again and again.
func spin(h hash.Hash, salt []byte, rounds uint32) []byte {
	h.Write(salt)
	h.Write(wide(password))
	sum := h.Sum(nil)
	var n [4]byte
	for i := range rounds {
		h.Reset()
		binary.LittleEndian.PutUint32(n[:], i)
		h.Write(n[:])
		h.Write(sum)
		sum = h.Sum(sum[:0])
	}
	return sum
}

// maxRounds bounds what a file may make its reader hash. Suites write 100,000, which take some
// 50 ms.
const maxRounds = 1_000_000

var errRounds = fmt.Errorf("%w: hashed more than %d times", ErrLocked, maxRounds)

// What each key of agile encryption is made with (2.3.4.13).
var (
	forVerifier = []byte("\xfe\xa7\xd2\x76\x3b\x4b\x9e\x79")
	forHash     = []byte("\xd7\xaa\x0f\x6d\x30\x61\x34\x4e")
	forKey      = []byte("\x14\x6e\x0b\xe7\xab\xac\xd0\xd6")
)

// agile is AES in chains of 4,096 bytes, with a key that the file holds, encrypted with the
// password (2.3.4.10 to 2.3.4.15).
func agile(described, data []byte) ([]byte, error) {
	body, locked, err := parameters(described)
	if err != nil {
		return nil, err
	}
	if locked.rounds > maxRounds {
		return nil, errRounds
	}
	sum := spin(locked.hash(), locked.salt, locked.rounds)
	open := func(b, purpose []byte) []byte {
		h := locked.hash()
		h.Write(sum)
		h.Write(purpose)
		return locked.chain(fit(h.Sum(nil), locked.bits/8), locked.salt, b)
	}
	h := locked.hash()
	h.Write(open(locked.verifier, forVerifier))
	if want, got := h.Sum(nil), open(locked.verified, forHash); len(got) < len(want) || !bytes.Equal(want, got[:len(want)]) {
		return nil, ErrLocked
	}
	secret := fit(open(locked.key, forKey), body.bits/8)
	const segment = 4096
	out := make([]byte, 0, len(data))
	for i := uint32(0); len(data) > 0; i++ {
		piece := data[:min(segment, len(data))]
		h := body.hash()
		h.Write(body.salt)
		h.Write(number(i))
		out = append(out, body.chain(secret, h.Sum(nil), piece)...)
		data = data[len(piece):]
	}
	return out, nil
}

// algorithm is how a part of the file is encrypted.
type algorithm struct {
	bits     int
	hash     func() hash.Hash
	salt     []byte
	rounds   uint32
	verifier []byte // of a password: encrypted bytes, their hash, and the key of the rest
	verified []byte
	key      []byte
}

// fit cuts to a length, or fills up to it.
func fit(b []byte, n int) []byte {
	const fill = 0x36
	for len(b) < n {
		b = append(b, fill)
	}
	return b[:n]
}

// chain decrypts blocks that are chained; nil where the key has no length that can be.
func (a algorithm) chain(key, start, b []byte) []byte {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil
	}
	out := bytes.Clone(b[:len(b)/aes.BlockSize*aes.BlockSize])
	cipher.NewCBCDecrypter(block, fit(bytes.Clone(start), aes.BlockSize)).CryptBlocks(out, out)
	return out
}

// parameters reads how a package and the key of it are encrypted; of the latter the first
// that a password opens.
func parameters(b []byte) (body, locked algorithm, err error) {
	s := markup.NewScanner(b)
	for {
		t, err := s.Next()
		switch {
		case err != nil:
			return body, locked, ErrLocked
		case t.Kind == markup.End:
			if body.hash == nil || locked.hash == nil {
				return body, locked, ErrLocked
			}
			return body, locked, nil
		case t.Kind == markup.Open && string(t.Name) == "keyData":
			if body, err = described(t); err != nil {
				return body, locked, err
			}
		case t.Kind == markup.Open && string(t.Name) == "encryptedKey" && locked.hash == nil:
			if locked, err = described(t); err != nil {
				return body, locked, err
			}
		}
	}
}

var hashes = map[string]func() hash.Hash{"SHA1": sha1.New, "SHA-1": sha1.New, "SHA256": sha256.New, "SHA384": sha512.New384, "SHA512": sha512.New}

func described(t markup.Token) (a algorithm, err error) {
	text := func(name string) string { s, _ := t.Attribute(name); return s }
	data := func(name string) []byte {
		b, wrong := base64.StdEncoding.DecodeString(text(name))
		if wrong != nil {
			err = ErrLocked
		}
		return b
	}
	bits, _ := strconv.Atoi(text("keyBits"))
	rounds, _ := strconv.ParseUint(text("spinCount"), 10, 32)
	a = algorithm{bits: bits, hash: hashes[text("hashAlgorithm")], salt: data("saltValue"), rounds: uint32(rounds),
		verifier: data("encryptedVerifierHashInput"), verified: data("encryptedVerifierHashValue"), key: data("encryptedKeyValue")}
	if text("cipherAlgorithm") != "AES" || text("cipherChaining") != "ChainingModeCBC" || a.hash == nil || bits != 128 && bits != 192 && bits != 256 {
		return a, ErrLocked
	}
	return a, err
}
