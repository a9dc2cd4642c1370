package mail

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/document"
	"blotter/internal/reason"
)

func outlook(t testing.TB, children ...*cfb.Node) []byte {
	t.Helper()
	b, err := cfb.NewStorage("Root Entry", append(children, cfb.NewStream("__properties_version1.0", make([]byte, 32)))...).File(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func attach(n int, children ...*cfb.Node) *cfb.Node {
	return cfb.NewStorage(fmt.Sprintf("%s%08X", attachment, n), children...)
}

// wide is ASCII in UTF-16, little endian.
func wide(s string) []byte { return []byte(strings.Join(strings.Split(s, ""), "\x00") + "\x00") }

// packed is compressed RTF without a single pair.
func packed(text string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
	b = append(b, "LZFu\x00\x00\x00\x00"...)
	for c := range slices.Chunk([]byte(text), 8) {
		b = append(append(b, 0), c...)
	}
	return b
}

func openOutlook(b []byte, lim document.Limits) (*Message, error) {
	return OpenOutlook(context.Background(), bytes.NewReader(b), int64(len(b)), lim)
}

func TestOutlook(t *testing.T) {
	m, err := openOutlook(outlook(t,
		attach(0, cfb.NewStream(attachedData, []byte("%PDF-")), cfb.NewStream(attachedIcon, []byte("icon"))),
		attach(1, cfb.NewStream(attachedData, []byte("\xff\xd8\xff")), cfb.NewStream(attachedType, wide("Image/JPEG"))),
		attach(2, cfb.NewStorage(attachedTree, cfb.NewStream("__properties_version1.0", make([]byte, 24)))),
		attach(3, cfb.NewStream("__substg1.0_370D001F", wide("C:\\x"))),
		cfb.NewStream(bodyHTML, []byte(`<img src="data:image/png;base64,aGVsbG8="><img src="http://192.0.2.1/x.png">`)),
		cfb.NewStream(bodyRTF, packed(`{\rtf1{\pict\pngblip 00}}`)),
	), roomy)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, e := range m.Embedded() {
		b, err := m.Unpack(i)
		if err != nil || int64(len(b)) > e.Size {
			t.Errorf("file %d: %d bytes of %d, %v", i, len(b), e.Size, err)
		}
		what := map[bool]string{true: "picture ", false: "document "}[e.Picture]
		if bytes.HasPrefix(b, []byte(cfb.Magic)) {
			root, err := cfb.Open(bytes.NewReader(b), int64(len(b)), 10)
			if err != nil || root.Find("__properties_version1.0") == nil {
				t.Errorf("the message within: %v", err)
			}
			b = []byte("message")
		}
		got = append(got, what+string(b))
	}
	want := []string{"picture hello", `document {\rtf1{\pict\pngblip 00}}`, "document %PDF-", "picture icon", "picture \xff\xd8\xff", "document message"}
	if !slices.Equal(got, want) {
		t.Errorf("within %q, want %q", got, want)
	}
	if want := document.MessageText | document.Metadata | document.ExternalImages | document.EmbeddedFiles; m.NotCovered() != want {
		t.Errorf("not covered: %v", m.NotCovered().Names())
	}
}

// The text that a message begins with is 207 bytes long; a pair into it comes out as
// those bytes, and one that points at its own end is the end of all.
func TestCompressedRTF(t *testing.T) {
	if len(rtfStart) != 207 {
		t.Fatalf("the window begins with %d bytes", len(rtfStart))
	}
	head := func(kind string) []byte { return append(make([]byte, 8), kind+"\x00\x00\x00\x00"...) }
	for _, c := range []struct {
		name string
		b    []byte
		want string
		code reason.Code
	}{
		{"a pair and the end", append(head("LZFu"), 0b110, 'x', 0, 0x4, 0x0d, 0x60), "x{\\rtf1", ""},
		{"a run into itself", append(head("LZFu"), 0b10, 'x', 0x0c, 0xf2), "xxxxx", ""},
		{"as it is", append(head("MELA"), "abc"...), "abc", ""},
		{"a pair cut", append(head("LZFu"), 0b10, 'x', 0), "x", ""},
		{"nothing", nil, "", ""},
		{"another kind", head("????"), "", reason.ExtractMalformed},
		{"longer than it says", append(head("LZFu"), bytes.Repeat(append([]byte{0xff}, bytes.Repeat([]byte{0, 0xf}, 8)...), 10)...), "", reason.ExtractUnpacked},
	} {
		got, err := unRTF(c.b, 500)
		if reason.Of(err) != c.code || c.code == "" && string(got) != c.want {
			t.Errorf("%s: %q, %v; want %q, %q", c.name, got, err, c.want, c.code)
		}
	}
}

func TestOutlookLimits(t *testing.T) {
	b := outlook(t, attach(0, cfb.NewStream(attachedData, bytes.Repeat([]byte{1}, 5000))))
	for _, c := range []struct {
		lim  document.Limits
		want reason.Code
	}{
		{document.Limits{Entries: 10, UnpackedBytes: 5000}, ""},
		{document.Limits{Entries: 10, UnpackedBytes: 4999}, reason.ExtractUnpacked},
		{document.Limits{Entries: 1, UnpackedBytes: 5000}, reason.ExtractEntries},
	} {
		if _, err := openOutlook(b, c.lim); reason.Of(err) != c.want {
			t.Errorf("%+v: %v", c.lim, err)
		}
	}
	for n := 0; n < len(b); n += 64 {
		if m, err := openOutlook(b[:n], roomy); err == nil {
			for i := range m.Embedded() {
				if _, err := m.Unpack(i); err != nil && reason.Of(err) == reason.Internal {
					t.Errorf("cut at %d: %v", n, err)
				}
			}
		} else if reason.Of(err) == reason.Internal {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
}

func FuzzOutlook(f *testing.F) {
	f.Add(outlook(f, attach(0, cfb.NewStream(attachedData, []byte("%PDF-"))), cfb.NewStream(bodyRTF, packed(`{\rtf1{\pict\pngblip 00}}`))))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := openOutlook(b, roomy)
		if err != nil {
			if reason.Of(err) == reason.Internal {
				t.Fatal(err)
			}
			return
		}
		for i := range m.Embedded() {
			if _, err := m.Unpack(i); reason.Of(err) == reason.Internal {
				t.Fatal(err)
			}
		}
	})
}

func FuzzCompressedRTF(f *testing.F) {
	f.Add(packed("hello"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if out, err := unRTF(b, 1<<16); err == nil && int64(len(out)) > 1<<16 && string(b[8:12]) != "MELA" {
			t.Fatalf("%d bytes", len(out))
		}
	})
}
