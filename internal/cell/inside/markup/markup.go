// Package markup cuts XML into tags and text without building anything of it: no tree, no
// names, no entities. What it costs is linear in the length, whatever the markup says, and
// the bytes that it hands out are the document's own.
//
// It asks for what keeps readers from disagreeing about where something is: tags that close
// in order, and no entities of the document's own, behind which anything may stand.
package markup

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"
)

// What is wrong with a document. io.ErrUnexpectedEOF stands for one that ends within
// markup or before all elements are closed.
var (
	ErrMalformed = errors.New("markup: malformed")
	ErrEntities  = errors.New("markup: entities of its own")
	ErrDepth     = errors.New("markup: elements too deep")
)

// Bounds on what is read.
const (
	// maxDepth is what libxml2 reads unless it is told otherwise.
	maxDepth = 256
	// maxAttributes of an element. Office suites write some sixty name spaces into a root.
	maxAttributes = 1024
)

// Kind tells what a token is.
type Kind uint8

// The kinds of token. Comments and instructions are passed over.
const (
	End   Kind = iota // of the document
	Open              // a tag that opens an element
	Close             // a tag that closes one, or the end of one without content
	Text              // between tags, references and all
	Data              // the same, of a CDATA section: no references
)

// Token is a piece of a document.
type Token struct {
	Kind     Kind
	From, To int    // the bytes of the document, tags with their brackets
	Name     []byte // of a tag, without its prefix
	tag      []byte // of Open: what stands between the brackets
}

// Scanner goes through a document.
type Scanner struct {
	b     []byte
	at    int
	open  [][]byte // names, with prefixes
	empty bool     // the tag read last closes itself
	root  bool     // it was met
	last  Token
}

// NewScanner begins at the first byte of b, which is UTF-8 or a code like it in its first
// 128 letters.
func NewScanner(b []byte) *Scanner { return &Scanner{b: b} }

// Depth is how many elements are open.
func (s *Scanner) Depth() int { return len(s.open) }

// Last is the token that was returned last.
func (s *Scanner) Last() Token { return s.last }

// Next returns the next token.
func (s *Scanner) Next() (t Token, err error) {
	t, err = s.read()
	s.last = t
	return t, err
}

func (s *Scanner) read() (Token, error) {
	if s.empty {
		s.empty = false
		return s.close(s.open[len(s.open)-1], s.at, s.at)
	}
	for s.at < len(s.b) {
		from, rest := s.at, s.b[s.at:]
		switch {
		case rest[0] != '<':
			s.at += cmpEnd(bytes.IndexByte(rest, '<'), len(rest))
			if len(s.open) > 0 {
				return Token{Kind: Text, From: from, To: s.at}, nil
			}
		case bytes.HasPrefix(rest, []byte("<!--")):
			if err := s.skip("-->", len("<!--")); err != nil {
				return Token{}, err
			}
		case bytes.HasPrefix(rest, []byte("<?")):
			if err := s.skip("?>", len("<?")); err != nil {
				return Token{}, err
			}
		case bytes.HasPrefix(rest, []byte("<![CDATA[")):
			const head, tail = len("<![CDATA["), len("]]>")
			if err := s.skip("]]>", head); err != nil {
				return Token{}, err
			}
			return Token{Kind: Data, From: from + head, To: s.at - tail}, nil
		case bytes.HasPrefix(rest, []byte("<!")):
			if err := s.declaration(); err != nil {
				return Token{}, err
			}
		default:
			return s.tag()
		}
	}
	if len(s.open) > 0 || !s.root {
		return Token{}, io.ErrUnexpectedEOF
	}
	return Token{Kind: End, From: s.at, To: s.at}, nil
}

// cmpEnd is i, or the end where nothing was found.
func cmpEnd(i, end int) int {
	if i < 0 {
		return end
	}
	return i
}

// skip goes behind the mark that ends something, whose own beginning has head bytes.
func (s *Scanner) skip(mark string, head int) error {
	i := bytes.Index(s.b[s.at+head:], []byte(mark))
	if i < 0 {
		return io.ErrUnexpectedEOF
	}
	s.at += head + i + len(mark)
	return nil
}

// declaration passes over a document type, which may declare nothing by itself.
func (s *Scanner) declaration() error {
	rest := s.b[s.at:]
	if s.root || !bytes.HasPrefix(rest, []byte("<!DOCTYPE")) {
		return ErrMalformed // readers that take another view of where the type ended would go on here
	}
	end, open := s.tagEnd(), bytes.IndexByte(rest, '[')
	if open >= 0 && (end < 0 || open < end-s.at) {
		return subset(rest[open+1:])
	}
	if end < 0 {
		return io.ErrUnexpectedEOF
	}
	s.at = end + 1
	return nil
}

// subset refuses what a document type declares by itself: readers differ on where it ends, in
// quotes, comments and references of its own, and no office suite writes one.
func subset(b []byte) error {
	end := bytes.Index(b, []byte("]>"))
	switch {
	case bytes.Contains(b[:cmpEnd(end, len(b))], []byte("<!ENTITY")):
		return ErrEntities
	case end < 0:
		return io.ErrUnexpectedEOF
	}
	return ErrMalformed
}

// tag reads a tag.
func (s *Scanner) tag() (Token, error) {
	from, end := s.at, s.tagEnd()
	if end < 0 {
		return Token{}, io.ErrUnexpectedEOF
	}
	s.at = end + 1
	body := s.b[from+1 : end]
	if name, ok := bytes.CutPrefix(body, []byte("/")); ok {
		return s.close(bytes.TrimRight(name, " \t\r\n"), from, s.at)
	}
	body, s.empty = bytes.CutSuffix(body, []byte("/"))
	name := body[:cmpEnd(bytes.IndexAny(body, " \t\r\n"), len(body))]
	switch {
	case len(name) == 0 || len(s.open) == 0 && s.root:
		return Token{}, ErrMalformed
	case len(s.open) >= maxDepth:
		return Token{}, ErrDepth
	}
	s.root = true
	s.open = append(s.open, name)
	t := Token{Kind: Open, From: from, To: s.at, Name: local(name), tag: body[len(name):]}
	return t, t.check()
}

// close ends the innermost element, which must have the name.
func (s *Scanner) close(name []byte, from, to int) (Token, error) {
	last := len(s.open) - 1
	if last < 0 || !bytes.Equal(s.open[last], name) {
		return Token{}, ErrMalformed
	}
	s.open = s.open[:last]
	return Token{Kind: Close, From: from, To: to, Name: local(name)}, nil
}

// tagEnd finds the bracket that ends a tag, which may stand in an attribute as well.
func (s *Scanner) tagEnd() int {
	for i := s.at + 1; i < len(s.b); i++ {
		switch c := s.b[i]; c {
		case '>':
			return i
		case '"', '\'':
			n := bytes.IndexByte(s.b[i+1:], c)
			if n < 0 {
				return -1
			}
			i += n + 1
		}
	}
	return -1
}

// local is a name without its prefix.
func local(name []byte) []byte { return name[bytes.IndexByte(name, ':')+1:] }

// attribute cuts the first attribute off: its name with its prefix, and its value as it
// stands. Without one, ok is false; what cannot be read as one is an error.
func attribute(tag []byte) (name, value, rest []byte, ok bool, err error) {
	const space = " \t\r\n"
	if tag = bytes.TrimLeft(tag, space); len(tag) == 0 {
		return nil, nil, nil, false, nil
	}
	name, rest, found := bytes.Cut(tag, []byte("="))
	rest = bytes.TrimLeft(rest, space)
	if !found || len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
		return nil, nil, nil, false, ErrMalformed
	}
	end := bytes.IndexByte(rest[1:], rest[0])
	if end < 0 {
		return nil, nil, nil, false, ErrMalformed
	}
	return bytes.TrimRight(name, space), rest[1 : end+1], rest[end+2:], true, nil
}

// check counts the attributes of a tag.
func (t Token) check() error {
	rest := t.tag
	for n := 0; ; n++ {
		var ok bool
		var err error
		if _, _, rest, ok, err = attribute(rest); err != nil || !ok {
			return err
		}
		if n >= maxAttributes {
			return ErrMalformed
		}
	}
}

// Attribute returns the value of the first attribute of that name, whatever its prefix.
func (t Token) Attribute(name string) (string, bool) {
	for rest := t.tag; ; {
		n, value, after, ok, err := attribute(rest)
		if err != nil || !ok {
			return "", false
		}
		if string(local(n)) == name {
			return string(Plain(value)), true
		}
		rest = after
	}
}

// Declares reports whether the tag declares a name space.
func (t Token) Declares(space string) bool {
	for rest := t.tag; ; {
		n, value, after, ok, err := attribute(rest)
		if err != nil || !ok {
			return false
		}
		if (bytes.HasPrefix(n, []byte("xmlns:")) || string(n) == "xmlns") && string(Plain(value)) == space {
			return true
		}
		rest = after
	}
}

// named are the references that every reader knows.
var named = map[string]string{"lt": "<", "gt": ">", "amp": "&", "quot": `"`, "apos": "'"}

// Plain puts letters for the references in text. What is no reference stays.
func Plain(b []byte) []byte {
	if bytes.IndexByte(b, '&') < 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	const longest = 10 // letters of &#x10FFFF;
	for len(b) > 0 {
		i := cmpEnd(bytes.IndexByte(b, '&'), len(b))
		out, b = append(out, b[:i]...), b[i:]
		if len(b) == 0 {
			break
		}
		end := bytes.IndexByte(b[:min(len(b), longest)], ';')
		if letters, ok := reference(b, end); ok {
			out, b = append(out, letters...), b[end+1:]
			continue
		}
		out, b = append(out, '&'), b[1:]
	}
	return out
}

// reference reads what b begins with, up to a semicolon.
func reference(b []byte, end int) (string, bool) {
	if end < 2 {
		return "", false
	}
	name := string(b[1:end])
	if s, ok := named[name]; ok {
		return s, true
	}
	if name[0] != '#' {
		return "", false
	}
	digits, base := name[1:], 10
	if len(digits) > 0 && digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || !utf8.ValidRune(rune(n)) {
		return "", false
	}
	return string(rune(n)), true
}
