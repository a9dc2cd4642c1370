package mail

import (
	"bytes"
	"compress/zlib"
	"context"
	"strings"
	"testing"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// der is a value of ASN.1: a tag and what is in it.
func der(tag byte, parts ...string) string {
	body := strings.Join(parts, "")
	switch n := len(body); {
	case n < 0x80:
		return string([]byte{tag, byte(n)}) + body
	default:
		return string([]byte{tag, 0x83, byte(n >> 16), byte(n >> 8), byte(n)}) + body
	}
}

// open is the same without its length.
func open(tag byte, parts ...string) string {
	return string([]byte{tag, 0x80}) + strings.Join(parts, "") + "\x00\x00"
}

const (
	signedKind = "\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02"
	dataKind   = "\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01"
)

// cms is a message that holds some bytes, as most programs write it.
func cms(kind, held string) string {
	return der(0x30, der(6, kind), der(0xa0, der(0x30, der(2, "\x01"), der(0x31), der(0x30, der(6, dataKind), der(0xa0, der(4, held))), der(0x31))))
}

func squeezed(t testing.TB, s string) string {
	t.Helper()
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	if _, err := z.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSigned(t *testing.T) {
	whole := cms(signedKind, strings.Repeat("hello", 100))
	streamed := open(0x30, der(6, signedKind), open(0xa0, open(0x30, der(2, "\x01"), der(0x31),
		open(0x30, der(6, dataKind), open(0xa0, open(0x24, der(4, "hel"), der(4, "lo")))), der(0x31))))
	apart := der(0x30, der(6, signedKind), der(0xa0, der(0x30, der(2, "\x01"), der(0x31), der(0x30, der(6, dataKind)), der(0x31))))
	dense := cms(packedKind, squeezed(t, strings.Repeat("a", 2*catalogue.DensityFrom)))
	for _, c := range []struct {
		name, b, want string
		lim           document.Limits
		code          reason.Code
	}{
		{"whole", whole, strings.Repeat("hello", 100), roomy, ""},
		{"streamed", streamed, "hello", roomy, ""},
		{"apart from what it signs", apart, "", roomy, ""},
		{"packed", cms(packedKind, squeezed(t, "hello")), "hello", document.Limits{Entries: 1, UnpackedBytes: 5, Ratio: 1}, ""},
		{"packed, at its limit", cms(packedKind, squeezed(t, "hello")), "", document.Limits{Entries: 1, UnpackedBytes: 4, Ratio: 1}, reason.ExtractUnpacked},
		{"packed densely", dense, "", document.Limits{Entries: 1, UnpackedBytes: 1 << 30, Ratio: 10}, reason.ExtractRatio},
		{"packed less densely", dense, strings.Repeat("a", 2*catalogue.DensityFrom), document.Limits{Entries: 1, UnpackedBytes: 1 << 30, Ratio: 2000}, ""},
		{"packed, broken", cms(packedKind, "hello"), "", roomy, reason.ExtractMalformed},
		{"at the limit", whole, strings.Repeat("hello", 100), document.Limits{Entries: 1, UnpackedBytes: 500}, ""},
		{"above the limit", whole, "", document.Limits{Entries: 1, UnpackedBytes: 499}, reason.ExtractUnpacked},
		{"cut off", whole[:len(whole)-10], "", roomy, reason.ExtractTruncated},
		{"of one value", der(0x30, der(6, signedKind)), "", roomy, reason.ExtractMalformed},
		{"no string", strings.Replace(cms(signedKind, "hello"), der(4, "hello"), der(2, "hello"), 1), "", roomy, reason.ExtractMalformed},
	} {
		m, err := OpenSigned(context.Background(), strings.NewReader(c.b), int64(len(c.b)), c.lim)
		if reason.Of(err) != c.code {
			t.Errorf("%s: %v, want %q", c.name, err, c.code)
		}
		if err != nil {
			continue
		}
		got := ""
		for i := range m.Embedded() {
			b, err := m.Unpack(i)
			got += string(b)
			if err != nil {
				t.Error(err)
			}
		}
		if got != c.want {
			t.Errorf("%s: %.40q, want %.40q", c.name, got, c.want)
		}
	}
}

func FuzzSigned(f *testing.F) {
	f.Add([]byte(cms(signedKind, "hello")))
	f.Add([]byte(cms(packedKind, squeezed(f, "hello"))))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := OpenSigned(context.Background(), bytes.NewReader(b), int64(len(b)), roomy)
		if err == nil && m.Spent().Unpacked > roomy.UnpackedBytes {
			t.Fatal("over the limit")
		}
		if reason.Of(err) == reason.Internal {
			t.Fatal(err)
		}
	})
}
