package markup

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// told is a line of tokens: the text of each, behind what it is.
func told(b string) (string, error) {
	var out []string
	s := NewScanner([]byte(b))
	for {
		t, err := s.Next()
		if err != nil || t.Kind == End {
			return strings.Join(out, " "), err
		}
		what := map[Kind]string{Open: "<" + string(t.Name), Close: ">" + string(t.Name), Text: "'", Data: "["}[t.Kind]
		if t.Kind == Text || t.Kind == Data {
			what += b[t.From:t.To]
		}
		out = append(out, what)
	}
}

func TestTokens(t *testing.T) {
	for b, want := range map[string]string{
		`<a/>`:                        "<a >a",
		`<p:a x="1>2" y='"'>t</p:a >`: "<a 't >a",
		"\xef\xbb\xbf<?xml version='1.0'?><!DOCTYPE a SYSTEM \"<a>\"><!-- <b> --><a><!--x-->b<![CDATA[<c>]]></a>\n": "<a 'b [<c> >a",
		`<!DOCTYPE a><a><b/><b></b></a>`: "<a <b >b <b >b >a",
	} {
		if got, err := told(b); got != want || err != nil {
			t.Errorf("%s: %s, %v; want %s", b, got, err, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("<a>", n) + strings.Repeat("</a>", n) }
	attributes := func(n int) string { return "<a" + strings.Repeat(" b='c'", n) + "/>" }
	for _, c := range []struct {
		b    string
		want error
	}{
		{nested(maxDepth - 1), nil}, {nested(maxDepth), nil}, {nested(maxDepth + 1), ErrDepth},
		{attributes(maxAttributes - 1), nil}, {attributes(maxAttributes), nil}, {attributes(maxAttributes + 1), ErrMalformed},
		{`<!DOCTYPE a [<!ENTITY b "c">]><a/>`, ErrEntities}, {`<!DOCTYPE a [<!ENTITY b "]>">]><a/>`, ErrEntities},
		{`<!DOCTYPE a [<!-- ]> --><!ENTITY b "c">]><a/>`, ErrMalformed}, {`<!DOCTYPE a [<!-- ]> --><!ELEMENT b>]><!ENTITY b "c"><a/>`, ErrMalformed},
		{`<!DOCTYPE a [ ] ><a>hidden<!-- ]><a> --></a>`, ErrMalformed}, {`<!DOCTYPE a [<!ELEMENT a ANY>]><a/>`, ErrMalformed}, {`<!DOCTYPE a SYSTEM "b><a/>`, io.ErrUnexpectedEOF},
		{`<a><!DOCTYPE a></a>`, ErrMalformed}, {`<a></b>`, ErrMalformed}, {`</a>`, ErrMalformed}, {`<a/><b/>`, ErrMalformed}, {`< a/>`, ErrMalformed}, {`<a b/>`, ErrMalformed},
		{`<a b=c/>`, ErrMalformed}, {`<a b='c>`, io.ErrUnexpectedEOF},
		{``, io.ErrUnexpectedEOF}, {`<a>`, io.ErrUnexpectedEOF}, {`<a`, io.ErrUnexpectedEOF}, {`<a><!--`, io.ErrUnexpectedEOF},
		{`<a><![CDATA[`, io.ErrUnexpectedEOF}, {`<?a`, io.ErrUnexpectedEOF}, {`<!DOCTYPE a`, io.ErrUnexpectedEOF}, {`<!DOCTYPE a [ >`, io.ErrUnexpectedEOF},
	} {
		if _, err := told(c.b); !errors.Is(err, c.want) || err != nil && c.want == nil {
			t.Errorf("%.40s: %v, want %v", c.b, err, c.want)
		}
	}
}

func TestAttributes(t *testing.T) {
	s := NewScanner([]byte(`<a xmlns:p = "urn:x&amp;y" p:b='1' b="2" c='&#x41;&#66;&lt;&none;&'/>`))
	tag, err := s.Next()
	if err != nil {
		t.Fatal(err)
	}
	b, _ := tag.Attribute("b")
	c, _ := tag.Attribute("c")
	_, none := tag.Attribute("d")
	if got := fmt.Sprint(b, c, none, tag.Declares("urn:x&y"), tag.Declares("urn:x")); got != "1AB<&none;&false true false" {
		t.Error(got)
	}
}

// No input makes the scanner stand still or leave the bytes.
func FuzzScanner(f *testing.F) {
	f.Add([]byte(`<a b="c"><!-- --><![CDATA[x]]>&#65;</a>`))
	f.Add([]byte(`<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := NewScanner(b)
		for steps := 0; ; steps++ {
			tok, err := s.Next()
			if err != nil || tok.Kind == End {
				return
			}
			if tok.From > tok.To || tok.To > len(b) || steps > 2*len(b) {
				t.Fatalf("token %+v, step %d", tok, steps)
			}
			tok.Attribute("b")
			Plain(b[tok.From:tok.To])
		}
	})
}
