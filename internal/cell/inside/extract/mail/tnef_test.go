package mail

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

var le = binary.LittleEndian

// winmail is a message that Outlook packed, of the given attributes.
func winmail(attributes ...string) string {
	return "\x78\x9f\x3e\x22\x01\x00" + strings.Join(attributes, "")
}

// attribute is one: of the message where it is no attachment's.
func attribute(id uint32, body string) string {
	level := byte(2)
	if id == tnefMessage {
		level = 1
	}
	b := le.AppendUint32([]byte{level}, id)
	return string(append(le.AppendUint32(b, uint32(len(body))), body...)) + "\x00\x00"
}

// props is a list of properties.
func props(list ...string) string {
	return string(le.AppendUint32(nil, uint32(len(list)))) + strings.Join(list, "")
}

func property(number, kind uint32, values ...string) string {
	b := le.AppendUint32(le.AppendUint32(nil, number<<16|kind), uint32(len(values)))
	for _, v := range values {
		b = append(le.AppendUint32(b, uint32(len(v))), v...)
		b = append(b, make([]byte, -len(v)&3)...)
	}
	return string(b)
}

func fixed(number, kind uint32, bytes int) string {
	return string(le.AppendUint32(nil, number<<16|kind)) + strings.Repeat("\x01", bytes)
}

// named is a property that has a name in letters.
func named(value string) string {
	name := "n\x00a\x00m\x00"
	head := le.AppendUint32(nil, 0x8000<<16|0x1e)
	head = append(append(head, make([]byte, 16)...), 1, 0, 0, 0)
	head = append(le.AppendUint32(head, uint32(len(name))), name+"\x00\x00"...)
	return string(head) + property(0, 0, value)[4:]
}

var begin = attribute(tnefRendering, strings.Repeat("\x00", 14))

func openTNEF(s string, lim document.Limits) (*Message, error) {
	return OpenTNEF(context.Background(), strings.NewReader(s), int64(len(s)), lim)
}

func listed(t *testing.T, m *Message) (out []string) {
	t.Helper()
	for i, e := range m.Embedded() {
		b, err := m.Unpack(i)
		if err != nil || int64(len(b)) > e.Size {
			t.Errorf("%d bytes of %d, %v", len(b), e.Size, err)
		}
		out = append(out, fmt.Sprintf("%v %q", e.Picture, b))
	}
	return out
}

func TestWinmail(t *testing.T) {
	class := strings.Repeat("c", 16)
	m, err := openTNEF(winmail(
		attribute(tnefMessage, props(fixed(0x1, 0x0b, 4), fixed(0x2, 0x40, 8), named("odd"), fixed(0x3, 0x48, 16),
			property(0x4, 0x101e, "a", "bc"), property(propHTML, 0x102, `<img src="data:image/png;base64,aGVsbG8=">`),
			property(propRTF, 0x102, string(packed(`{\rtf1{\pict\pngblip 00}}`))))),
		begin, attribute(tnefData, "%PDF-"), attribute(tnefIcon, "icon"), attribute(tnefAttachment, props(property(0x3707, 0x1e, "name"))),
		begin, attribute(tnefAttachment, props(property(propData, 0x0d, class+winmail()))),
		begin, attribute(tnefData, "GIF"), attribute(tnefAttachment, props(property(propMimeTag, 0x1e, "IMAGE/gif\x00"), property(propRendering, 0x102, "icon2"))),
		begin, attribute(tnefData, ""),
		begin, attribute(tnefAttachment, props(property(propData, 0x102, "bytes"))),
		"\x00\x00\x00"), roomy)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`true "hello"`, `false "{\\rtf1{\\pict\\pngblip 00}}"`, `false "%PDF-"`, `true "icon"`, fmt.Sprintf("false %q", winmail()),
		`true "GIF"`, `true "icon2"`, `false "bytes"`}
	if got := listed(t, m); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if m.NotCovered() != document.MessageText|document.Metadata|document.EmbeddedFiles {
		t.Errorf("not covered: %v", m.NotCovered().Names())
	}
}

func TestWinmailRefusals(t *testing.T) {
	three := winmail(begin, attribute(tnefData, "aaa"), begin, attribute(tnefData, "bbb"), begin, attribute(tnefData, "ccc"))
	for _, c := range []struct {
		name, b string
		lim     document.Limits
		want    reason.Code
	}{
		{"entries below", three, document.Limits{Entries: 4, UnpackedBytes: 9}, ""},
		{"at both limits", three, document.Limits{Entries: 3, UnpackedBytes: 9}, ""},
		{"entries above", three, document.Limits{Entries: 2, UnpackedBytes: 9}, reason.ExtractEntries},
		{"bytes above", three, document.Limits{Entries: 3, UnpackedBytes: 8}, reason.ExtractUnpacked},
		{"values of one property at the limit", winmail(attribute(tnefAttachment, props(property(propData, 0x1102, "a", "b", "c")))), document.Limits{Entries: 3, UnpackedBytes: 9}, ""},
		{"one more, and no end", winmail(attribute(tnefAttachment, props(property(propData, 0x1102, "a", "b", "c")+"?"))), document.Limits{Entries: 2, UnpackedBytes: 9}, reason.ExtractEntries},
		{"no head", "\x78\x9f", roomy, reason.ExtractTruncated},
		{"cut in an attribute", three[:len(three)-4], roomy, reason.ExtractTruncated},
		{"cut in a head", winmail("\x02\x00"), roomy, reason.ExtractTruncated},
		{"nobody's attribute", winmail("\x03" + attribute(tnefData, "x")[1:]), roomy, reason.ExtractMalformed},
		{"properties that run out", winmail(attribute(tnefMessage, props(fixed(1, 3, 2)))), roomy, reason.ExtractTruncated},
		{"a property without end", winmail(attribute(tnefMessage, props("\x02\x01\x01\x00\xff\xff\xff\xff\xff\xff\xff\xff"))), roomy, reason.ExtractTruncated},
		{"packed text of another kind", winmail(attribute(tnefMessage, props(property(propRTF, 0x102, strings.Repeat("?", 20))))), roomy, reason.ExtractMalformed},
	} {
		if _, err := openTNEF(c.b, c.lim); reason.Of(err) != c.want {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func FuzzWinmail(f *testing.F) {
	f.Add([]byte(winmail(begin, attribute(tnefData, "x"), attribute(tnefAttachment, props(named("y"), property(propData, 0xd, strings.Repeat("c", 20)))))))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := OpenTNEF(context.Background(), bytes.NewReader(b), int64(len(b)), roomy)
		if reason.Of(err) == reason.Internal {
			t.Fatal(err)
		}
		if err == nil && (len(m.Embedded()) > roomy.Entries || m.Spent().Unpacked > roomy.UnpackedBytes) {
			t.Fatal("over the limits")
		}
	})
}
