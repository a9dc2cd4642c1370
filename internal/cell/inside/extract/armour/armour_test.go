package armour

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
	"time"
)

func TestEncodings(t *testing.T) {
	for _, c := range []struct {
		e        Encoding
		in, want string
	}{
		{Base64, "aGVsbG8=", "hello"},
		{Base64, "aG Vs\r\n*bG8", "hello"},         // rubbish, no padding
		{Base64, "aGVsbG8=aGVsbG8=", "hellohello"}, // two pieces
		{Base64, "-_-_", "\xfb\xff\xbf"},
		{Base64, "a", ""},
		{QuotedPrintable, "a=20b=\r\nc= \t\nd", "a bcd"},
		{QuotedPrintable, "a=", "a"},
		{QuotedPrintable, "a=4", "a=4"},
		{UUEncode, "#86)C\n`\nend\nmore", "abc"},
		{AsIs, "x", "x"},
		{YEnc, "=ybegin line=128 size=4 name=a\r\n\x8b\x8c=}\r\n=yend size=4\r\n*", "ab\x13\x00"},
		{YEnc, "=", "\x13"},
	} {
		if got := string(c.e.Decode([]byte(c.in))); got != c.want {
			t.Errorf("%d: %q gives %q, want %q", c.e, c.in, got, c.want)
		}
	}
	long := bytes.Repeat([]byte{0, 1, 2, 250}, 1000)
	if got := unBase64([]byte(base64.StdEncoding.EncodeToString(long))); !bytes.Equal(got, long) {
		t.Error("base64 of 4,000 bytes came out wrong")
	}
}

// Ends of lines that are no ends are undone, and each equals sign is looked at once: a
// line of very many would take minutes.
func TestQuotedPrintable(t *testing.T) {
	many := strings.Repeat("=", 1<<20) + "x"
	began := time.Now()
	for in, want := range map[string]string{
		"a=\nb": "ab", "a=\r\nb": "ab", "a= \t\r\nb": "ab", "a=": "a", "a=\r": "a", "a= b": "a= b", "a= ": "a= ", "=\n=\n=41": "A", "=4": "=4", many: many,
	} {
		if got := string(unQuote([]byte(in))); got != want {
			t.Errorf("%.20q: %.20q, want %.20q", in, got, want)
		}
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}
