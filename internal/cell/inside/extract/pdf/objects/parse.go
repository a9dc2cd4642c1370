package objects

import (
	"bytes"
	"errors"
	"strconv"
)

// The values of a PDF file, ISO 32000-1 7.3. A number keeps its spelling, so that what
// is written again is what was read.
type (
	// Name is a name without its slash, escapes undone.
	Name string
	// Number is a number as it was spelled.
	Number string
	// String holds the bytes of a string, decrypted.
	String []byte
	// Ref points at an object.
	Ref struct{ Num, Gen int }
	// Array holds values.
	Array []any
	// Dict maps names to values.
	Dict map[Name]any
	// word is a keyword: true, false, null, or what stands where it should not.
	word string
)

// maxNesting bounds arrays and dictionaries within each other.
const maxNesting = 64

var (
	errValue = errors.New("objects: no value")
	errWork  = errors.New("objects: too much to read")
)

// parser reads values. work counts the bytes that may still be looked at, because a
// file may ask for the same bytes again and again.
type parser struct {
	b    []byte
	at   int
	work *int
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

func isRegular(c byte) bool { return !isSpace(c) && !isDelimiter(c) }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// step moves on and pays for it.
func (p *parser) step(n int) bool {
	p.at += n
	*p.work -= n
	return *p.work > 0
}

func (p *parser) peek(i int) byte {
	if p.at+i < len(p.b) {
		return p.b[p.at+i]
	}
	return 0
}

// blanks passes over white space and comments.
func (p *parser) blanks() {
	for p.at < len(p.b) {
		switch c := p.b[p.at]; {
		case isSpace(c):
			p.step(1)
		case c == '%':
			n := bytes.IndexAny(p.b[p.at:], "\r\n")
			if n < 0 {
				n = len(p.b) - p.at
			}
			p.step(n)
		default:
			return
		}
	}
}

// value reads one value.
func (p *parser) value(depth int) (any, error) {
	if depth > maxNesting {
		return nil, errValue
	}
	p.blanks()
	if *p.work <= 0 {
		return nil, errWork
	}
	if p.at >= len(p.b) {
		return nil, errValue
	}
	switch c := p.b[p.at]; {
	case c == '/':
		return p.name(), nil
	case c == '(':
		return p.literal()
	case c == '<' && p.peek(1) == '<':
		return p.dict(depth)
	case c == '<':
		return p.hex()
	case c == '[':
		return p.array(depth)
	case isDelimiter(c):
		return nil, errValue
	}
	return p.bare(), nil
}

// bare reads a number, a reference or a keyword.
func (p *parser) bare() any {
	first := p.token()
	if !number(first) {
		return word(first)
	}
	num, ok := whole(first)
	if !ok {
		return Number(first)
	}
	back := p.at
	p.blanks()
	if gen, ok := whole(p.token()); ok {
		p.blanks()
		if p.peek(0) == 'R' && (p.at+1 >= len(p.b) || !isRegular(p.b[p.at+1])) {
			p.step(1)
			return Ref{num, gen}
		}
	}
	p.at = back
	return Number(first)
}

func (p *parser) token() string {
	start := p.at
	for p.at < len(p.b) && isRegular(p.b[p.at]) {
		p.at++
	}
	*p.work -= p.at - start
	return string(p.b[start:p.at])
}

func number(s string) bool {
	for i, c := range []byte(s) {
		if !isDigit(c) && c != '.' && (i > 0 || c != '-' && c != '+') {
			return false
		}
	}
	return s != ""
}

// whole reads an object number, a generation or a length.
func whole(s string) (int, bool) {
	if len(s) == 0 || len(s) > 10 || !isDigit(s[0]) {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

func (p *parser) name() Name {
	p.step(1)
	s := p.token()
	if !bytes.ContainsRune([]byte(s), '#') {
		return Name(s)
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '#' && i+2 < len(s) {
			if v, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				out = append(out, byte(v))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return Name(out)
}

var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f'}

// literal reads a string in brackets.
func (p *parser) literal() (any, error) {
	p.step(1)
	out := String{}
	for deep := 1; p.at < len(p.b); {
		c := p.b[p.at]
		if !p.step(1) {
			return nil, errWork
		}
		switch c {
		case '(':
			deep++
		case ')':
			if deep--; deep == 0 {
				return out, nil
			}
		case '\\':
			out = p.escape(out)
			continue
		}
		out = append(out, c)
	}
	return nil, errValue
}

func (p *parser) escape(out String) String {
	c := p.peek(0)
	p.step(1)
	switch {
	case c >= '0' && c <= '7':
		v := int(c - '0')
		for range 2 {
			if d := p.peek(0); d >= '0' && d <= '7' {
				v = v<<3 | int(d-'0')
				p.step(1)
			}
		}
		return append(out, byte(v))
	case c == '\r' && p.peek(0) == '\n':
		p.step(1)
		return out
	case c == '\r' || c == '\n':
		return out
	case escapes[c] != 0:
		return append(out, escapes[c])
	}
	return append(out, c)
}

func (p *parser) hex() (any, error) {
	p.step(1)
	out, half, odd := String{}, byte(0), false
	for p.at < len(p.b) {
		c := p.b[p.at]
		if !p.step(1) {
			return nil, errWork
		}
		var v byte
		switch {
		case c == '>':
			if odd {
				out = append(out, half<<4)
			}
			return out, nil
		case isDigit(c):
			v = c - '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			v = c | 0x20 - 'a' + 10
		default:
			continue
		}
		if odd {
			out = append(out, half<<4|v)
		}
		half, odd = v, !odd
	}
	return nil, errValue
}

func (p *parser) array(depth int) (any, error) {
	p.step(1)
	out := Array{}
	for {
		p.blanks()
		if p.peek(0) == ']' {
			p.step(1)
			return out, nil
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if w, ok := v.(word); ok && (w == "endobj" || w == "") {
			return nil, errValue
		}
		out = append(out, v)
	}
}

func (p *parser) dict(depth int) (any, error) {
	p.step(2)
	out := Dict{}
	for {
		p.blanks()
		switch {
		case p.peek(0) == '>' && p.peek(1) == '>':
			p.step(2)
			return out, nil
		case p.peek(0) != '/':
			return nil, errValue
		}
		key := p.name()
		p.blanks()
		if p.peek(0) == '>' && p.peek(1) == '>' { // a key without a value
			continue
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out[key] = v
	}
}
