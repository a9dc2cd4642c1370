package objects

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5" //nolint:gosec // what the format prescribes
	"crypto/rc4" //nolint:gosec // what the format prescribes
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"strconv"
)

// lock undoes the encryption of a document that opens with an empty password, ISO
// 32000-2 7.6. A document with another password never comes so far.
type lock struct {
	key     []byte
	streams method
	strings method
	keep    Ref // the encryption dictionary itself is not encrypted
}

type method uint8

const (
	plain method = iota
	rc4Key
	aesKey
	aesWhole // 256 bits, one key for all objects
)

// padding fills a password up to 32 bytes, ISO 32000-1 7.6.3.3.
var padding = []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")

// unlock finds the key. Where it cannot, streams stay as they are, and what is carved
// from them does not decode.
func (f *File) unlock() {
	trailers := f.trailers
	for i := range f.objects {
		if o := &f.objects[i]; o.stream && o.dict()["Type"] == Name("XRef") {
			trailers = append(trailers, o.dict())
		}
	}
	for _, t := range trailers {
		at := len(f.data)
		d, ok := f.resolve(t["Encrypt"], at).(Dict)
		if !ok {
			continue
		}
		l := &lock{}
		l.keep, _ = t["Encrypt"].(Ref)
		l.streams, l.strings = f.methods(d, at)
		id := String{}
		if a, ok := f.resolve(t["ID"], at).(Array); ok && len(a) > 0 {
			id, _ = f.resolve(a[0], at).(String)
		}
		if l.key = f.fileKey(d, at, id); l.key != nil {
			f.lock = l
			return
		}
	}
}

// methods says how streams and strings are encrypted.
func (f *File) methods(d Dict, at int) (streams, strings method) {
	switch f.integer(d, at, "V") {
	case 1, 2:
		return rc4Key, rc4Key
	}
	filters, _ := f.get(d, at, "CF").(Dict)
	how := func(key Name) method {
		name, _ := f.get(d, at, key).(Name)
		cf, _ := f.get(filters, at, name).(Dict)
		switch m, _ := f.get(cf, at, "CFM").(Name); m {
		case "V2":
			return rc4Key
		case "AESV2":
			return aesKey
		case "AESV3":
			return aesWhole
		}
		return plain
	}
	return how("StmF"), how("StrF")
}

// fileKey derives the key from the empty password.
func (f *File) fileKey(d Dict, at int, id String) []byte {
	owner, _ := f.get(d, at, "O").(String)
	user, _ := f.get(d, at, "U").(String)
	version, revision := f.integer(d, at, "V"), f.integer(d, at, "R")
	if version >= 5 {
		sealed, _ := f.get(d, at, "UE").(String)
		if len(user) < 48 || len(sealed) < 32 {
			return nil
		}
		return unseal(revision, user[40:48], sealed[:32])
	}
	n := 5
	if bits := f.integer(d, at, "Length"); version != 1 && bits >= 40 && bits <= 128 {
		n = bits / 8
	}
	if version == 4 {
		n = 16
	}
	if len(owner) < 32 {
		return nil
	}
	perms, _ := f.get(d, at, "P").(Number)
	p, err := strconv.ParseInt(string(perms), 10, 64)
	if err != nil {
		return nil
	}
	h := md5.New() //nolint:gosec // as above
	h.Write(padding)
	h.Write(owner[:32])
	h.Write(binary.LittleEndian.AppendUint32(nil, uint32(p))) //nolint:gosec // 32 bits, signed or not
	h.Write(id)
	if w, ok := f.get(d, at, "EncryptMetadata").(word); ok && w == "false" && revision >= 4 {
		h.Write([]byte{0xff, 0xff, 0xff, 0xff})
	}
	key := h.Sum(nil)
	if revision >= 3 {
		for range 50 {
			sum := md5.Sum(key[:n]) //nolint:gosec // as above
			key = sum[:]
		}
	}
	return key[:n]
}

// unseal takes the key of 256 bits out of its envelope, ISO 32000-2 7.6.4.3.3.
func unseal(revision int, salt, sealed []byte) []byte {
	sum := sha256.Sum256(salt)
	key := sum[:]
	if revision >= 6 {
		key = hardened(key)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil
	}
	out := make([]byte, len(sealed))
	cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(out, sealed)
	return out
}

// hardened is algorithm 2.B for an empty password.
func hardened(k []byte) []byte {
	for i := 0; ; i++ {
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		e := bytes.Repeat(k, 64)
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(e, e)
		sum := 0
		for _, b := range e[:16] {
			sum += int(b)
		}
		switch sum % 3 {
		case 0:
			s := sha256.Sum256(e)
			k = s[:]
		case 1:
			s := sha512.Sum384(e)
			k = s[:]
		default:
			s := sha512.Sum512(e)
			k = s[:]
		}
		if i >= 63 && int(e[len(e)-1]) <= i-31 {
			return k[:32]
		}
	}
}

// open decrypts the bytes of a string or stream of one object; a fresh slice, or b
// itself where nothing is to do.
func (l *lock) open(m method, r Ref, b []byte) []byte {
	switch m {
	case rc4Key:
		c, err := rc4.NewCipher(l.objectKey(r, nil)) //nolint:gosec // as above
		if err != nil {
			return b
		}
		out := make([]byte, len(b))
		c.XORKeyStream(out, b)
		return out
	case aesKey:
		return openCBC(l.objectKey(r, []byte("sAlT")), b)
	case aesWhole:
		return openCBC(l.key, b)
	case plain:
	}
	return b
}

func (l *lock) objectKey(r Ref, salt []byte) []byte {
	k := append(append([]byte(nil), l.key...), byte(r.Num), byte(r.Num>>8), byte(r.Num>>16), byte(r.Gen), byte(r.Gen>>8))
	sum := md5.Sum(append(k, salt...)) //nolint:gosec // as above
	return sum[:min(len(l.key)+5, 16)]
}

// openCBC decrypts after an initial vector and takes the padding off.
func openCBC(key, b []byte) []byte {
	block, err := aes.NewCipher(key)
	if err != nil || len(b) < 2*aes.BlockSize {
		return nil
	}
	body := b[aes.BlockSize:]
	out := make([]byte, len(body)/aes.BlockSize*aes.BlockSize)
	cipher.NewCBCDecrypter(block, b[:aes.BlockSize]).CryptBlocks(out, body[:len(out)])
	if n := int(out[len(out)-1]); n >= 1 && n <= aes.BlockSize {
		out = out[:len(out)-n]
	}
	return out
}

// Raw returns a stream's bytes, decrypted, with their filters still on.
func (f *File) Raw(o *Object) []byte {
	if o.mended != nil {
		return o.mended
	}
	b := f.data[o.data.from:o.data.to]
	if f.lock == nil || o.packed || o.dict()["Type"] == Name("XRef") {
		return b
	}
	if names, _ := f.filters(o); len(names) > 0 && names[0] == "Crypt" {
		return b // the only filter of that kind that PDFium passes is Identity
	}
	return f.lock.open(f.lock.streams, o.Ref, b)
}

// text returns a string's bytes, decrypted.
func (f *File) text(o *Object, s String) String {
	if f.lock == nil || o.packed || o.Ref == f.lock.keep {
		return s
	}
	return f.lock.open(f.lock.strings, o.Ref, s)
}
