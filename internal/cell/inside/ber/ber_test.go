package ber

import (
	"strings"
	"testing"
)

func TestNext(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, c := range []struct {
		b, content, rest string
		short, bad       bool
	}{
		{b: "\x04\x02abc", content: "ab", rest: "c"},
		{b: "\x04\x82\x01\x2c" + long + "y", content: long, rest: "y"},
		{b: "\x30\x80\x04\x01a\x00\x00rest", content: "\x04\x01a", rest: "rest"},
		{b: "\x30\x80\x30\x80\x04\x01a\x00\x00\x00\x00", content: "\x30\x80\x04\x01a\x00\x00"},
		{b: "\x04\x05ab", content: "ab", short: true},
		{b: "\x30\x80\x04\x05ab", content: "\x04\x05ab", short: true},
		{b: "\x30\x80", content: "", short: true},
		{b: "\x30\x80\x04\x82\x01", content: "\x04\x82\x01", short: true},
		{b: "\x04\x80ab", bad: true},
		{b: "\x1f\x01\x01a", bad: true},
		{b: "\x04\x85\x01\x01\x01\x01\x01", bad: true},
		{b: "\x04", bad: true},
		{b: strings.Repeat("\x30\x80", maxDepth+3), bad: true},
	} {
		v, rest, short, err := Next([]byte(c.b))
		if (err != nil) != c.bad || !c.bad && (string(v.Content) != c.content || string(rest) != c.rest || short != c.short) {
			t.Errorf("%.20q: %.20q, %q, %v, %v", c.b, v.Content, rest, short, err)
		}
	}
}

func TestString(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("\x24\x80", n) + "\x04\x01a" + strings.Repeat("\x00\x00", n) }
	for b, want := range map[string]string{
		"\x04\x01a": "a", "\x24\x06\x04\x01a\x04\x01b": "ab", "\x24\x80\x04\x01a\x24\x03\x04\x01b\x00\x00": "ab", nested(maxDepth): "a",
		"\x30\x03\x04\x01a": "!", "\x24\x03\x30\x01a": "!", nested(maxDepth + 1): "!",
	} {
		v, _, _, err := Next([]byte(b))
		s := []byte("!")
		if err == nil {
			if s, err = v.String(); err != nil {
				s = []byte("!")
			}
		}
		if string(s) != want {
			t.Errorf("%q: %q, %v; want %q", b, s, err, want)
		}
	}
}

// Whatever comes in, what comes out lies in it.
func FuzzNext(f *testing.F) {
	f.Add([]byte("\x30\x80\x04\x01a\x00\x00"))
	f.Add([]byte("\x24\x80\x04\x01a\x24\x03\x04\x01b\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, rest, _, err := Next(b)
		if err != nil {
			return
		}
		if len(v.Content)+len(rest) > len(b) {
			t.Fatal("more than there is")
		}
		if s, err := v.String(); err == nil && len(s) > len(b) {
			t.Fatal("a string of more than there is")
		}
	})
}
