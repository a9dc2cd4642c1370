package lock

import (
	"archive/zip"
	"bytes"
	"crypto/md5"
	"crypto/rc4" // what old files are encrypted with
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"strings"
	"testing"

	"blotter/internal/cell/inside/cfb"
)

// streams of a file that officecrypto-tool 0.0.19 made (npm), an implementation of its own.
func streams(t testing.TB, name string) (info, data []byte) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	root, err := cfb.Open(bytes.NewReader(b), int64(len(b)), 100)
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		s, err := root.Find(name).Bytes(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	return read("EncryptionInfo"), read("EncryptedPackage")
}

func TestPackages(t *testing.T) {
	for _, name := range []string{"agile.xlsx", "standard.xlsx"} {
		info, data := streams(t, name)
		b, err := Package(info, data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, f := range z.File { // each with its checksum
			r, err := f.Open()
			if err == nil {
				_, err = new(bytes.Buffer).ReadFrom(r)
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for n := 0; n < len(info); n += 7 {
			if _, err := Package(info[:n], data); !errors.Is(err, ErrLocked) {
				t.Errorf("%s, %d bytes of its description: %v", name, n, err)
			}
		}
		for _, n := range []int{0, 7, 8, 9, 100, 4103, 4104, 4105} {
			if b, err := Package(info, data[:n]); err == nil && len(b) > n {
				t.Errorf("%s: %d bytes of %d", name, len(b), n)
			}
		}
	}
	info, data := streams(t, "other.xlsx")
	if _, err := Package(info, data); !errors.Is(err, ErrLocked) {
		t.Errorf("another password: %v", err)
	}
}

// How often a file may have its password hashed.
func TestRounds(t *testing.T) {
	info, data := streams(t, "agile.xlsx")
	for rounds, refused := range map[int]bool{maxRounds - 1: false, maxRounds: false, maxRounds + 1: true, 1<<32 - 1: true} {
		changed := bytes.Replace(info, []byte(`spinCount="100000"`), fmt.Appendf(nil, `spinCount="%d"`, rounds), 1)
		if _, err := Package(changed, data); !errors.Is(err, ErrLocked) || errors.Is(err, errRounds) != refused {
			t.Errorf("%d rounds: %v", rounds, err)
		}
	}
}

// What the password amounts to in XOR obfuscation.
func TestXor(t *testing.T) {
	letters := xorLetters(password)
	if got := fmt.Sprintf("%04x %04x %s", xorKey(password), xorVerifier(password), hex.EncodeToString(letters[:])); got != wantXor {
		t.Errorf("%s, want %s", got, wantXor)
	}
	if xorKey("") != 0 || xorVerifier("") != 0 {
		t.Error("no password has checks")
	}
}

// wantXor was checked against the numbers that other readers have for this password.
const wantXor = "b359 9a0a 3c5bd417f01f2813f04bb403c473a420"

// book is a workbook: its FilePass record, and records of which some are not encrypted.
func book(pass []byte) []byte {
	record := func(kind int, body string) []byte {
		b := binary.LittleEndian.AppendUint16(nil, uint16(kind))
		return append(binary.LittleEndian.AppendUint16(b, uint16(len(body))), body...)
	}
	return bytes.Join([][]byte{record(0x809, "\x00\x06\x05\x00"), record(filePass, string(pass)), record(0xe1, "\xb0\x04"), record(boundSheet, "\x01\x02\x03\x04Sheet"),
		record(0xeb, strings.Repeat("drawing ", 400)), record(0x809, "\x00\x06\x10\x00"), record(0xa, ""), record(0x5d, "object")}, nil)
}

// locked are a book's FilePass record and the whole stream, encrypted.
func locked(t testing.TB, pass []byte) []byte {
	t.Helper()
	if binary.LittleEndian.Uint16(pass) == 1 { // to encrypt is to decrypt
		out, err := Workbook(book(pass), pass)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	letters, out := xorLetters(password), book(pass)
	for at := 0; at < len(out); {
		kind, n := binary.LittleEndian.Uint16(out[at:]), int(binary.LittleEndian.Uint16(out[at+2:]))
		for i := at + 4; i < at+4+n; i++ {
			if !plainRecords[kind] && !(kind == boundSheet && i < at+8) {
				out[i] = bits.RotateLeft8(out[i], 5) ^ letters[(i+n)%16]
			}
		}
		at += 4 + n
	}
	return out
}

// passes are FilePass records that the password opens, of every kind.
func passes() map[string][]byte {
	salt := []byte("salt of 16 bytes")
	le16 := func(v ...int) (b []byte) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint16(b, uint16(x))
		}
		return b
	}
	le32 := func(v ...int) (b []byte) {
		for _, x := range v {
			b = append(b, number(uint32(x))...)
		}
		return b
	}
	mixed := func(k key, b []byte) []byte {
		c, err := rc4.NewCipher(k(0))
		if err != nil {
			panic(err)
		}
		out := bytes.Clone(b)
		c.XORKeyStream(out, out)
		return out
	}
	verifier := []byte("verifier, 16 too")
	sum5, sum1 := md5.Sum(verifier), sha1.Sum(verifier)
	api := func(bits int) []byte {
		v := mixed(apiKeyOf(password, salt, uint32(bits)), append(bytes.Clone(verifier), sum1[:]...))
		return bytes.Join([][]byte{le16(1, 4, 2), le32(4, 34, 4, 0, 0x6801, 0x8004, bits, 1, 0, 0), {'x', 0}, le32(16), salt, v[:16], le32(20), v[16:]}, nil)
	}
	return map[string][]byte{
		"xor": le16(0, int(xorKey(password)), int(xorVerifier(password))), "xor of Excel 5": le16(int(xorKey(password)), int(xorVerifier(password))),
		"rc4":             bytes.Join([][]byte{le16(1, 1, 1), salt, mixed(oldKeyOf(password, salt), append(bytes.Clone(verifier), sum5[:]...))}, nil),
		"library, 128":    api(128),
		"library, 40":     api(40),
		"library, unsaid": api(0),
	}
}

func TestWorkbooks(t *testing.T) {
	for name, pass := range passes() {
		shut := locked(t, pass)
		if bytes.Contains(shut, []byte("drawing ")) {
			t.Errorf("%s: not encrypted: the test shows nothing", name)
		}
		got, err := Workbook(shut, pass)
		if err != nil || !bytes.Equal(got, book(pass)) {
			t.Errorf("%s: %v", name, err)
		}
		for n := range pass {
			if _, err := Workbook(shut, pass[:n]); !errors.Is(err, ErrLocked) {
				t.Errorf("%s, %d bytes of the record: %v", name, n, err)
			}
		}
		other := bytes.Clone(pass)
		other[len(other)-1] ^= 1
		if _, err := Workbook(shut, other); !errors.Is(err, ErrLocked) {
			t.Errorf("%s: another password: %v", name, err)
		}
	}
}

func FuzzWorkbook(f *testing.F) {
	for _, pass := range passes() {
		f.Add(locked(f, pass), pass)
	}
	f.Fuzz(func(t *testing.T, stream, pass []byte) {
		if out, err := Workbook(stream, pass); err == nil && len(out) != len(stream) {
			t.Fatal("another length")
		}
	})
}

func FuzzPackage(f *testing.F) {
	for _, name := range []string{"agile.xlsx", "standard.xlsx"} {
		info, data := streams(f, name)
		f.Add(info, data)
	}
	f.Fuzz(func(t *testing.T, info, data []byte) {
		if out, err := Package(info, data); err == nil && len(out) > len(data) {
			t.Fatal("longer than it was")
		}
	})
}
