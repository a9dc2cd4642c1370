package rtf

// kinds of token.
type kind uint8

const (
	end         kind = iota
	groupOpens       // {
	groupCloses      // }
	word             // \name, with its number
	digits           // hexadecimal digits and white space, as far as they go
	raw              // the bytes behind \binN
	text             // anything else
)

// token is a piece of the format.
type token struct {
	kind     kind
	at       int // where it begins
	from, to int // of digits, raw and text: the bytes
	name     string
	number   int
	numbered bool
}

func (t token) bytes(b []byte) []byte { return b[t.from:t.to] }

// scanner cuts a document into tokens. It goes forward by at least a byte at each step.
type scanner struct {
	b  []byte
	at int
}

const (
	maxWord   = 32      // letters of a control word; the format has no longer ones
	maxNumber = 1 << 30 // of a control word; no count of bytes is higher
)

func (s *scanner) next() token {
	if s.at >= len(s.b) {
		return token{kind: end, at: s.at}
	}
	at := s.at
	switch s.b[at] {
	case '{':
		s.at++
		return token{kind: groupOpens, at: at}
	case '}':
		s.at++
		return token{kind: groupCloses, at: at}
	case '\\':
		return s.control()
	}
	k := kinds[s.b[at]]
	for s.at < len(s.b) && kinds[s.b[s.at]] == k {
		s.at++
	}
	return token{kind: k, at: at, from: at, to: s.at}
}

// kinds tells digits and text from what has a meaning of its own, by the byte; values
// are what hexadecimal digits are worth, and -1. They are tables because pictures are
// tens of megabytes of digits.
var kinds, values = func() (kinds [256]kind, values [256]int8) {
	for c := range 256 {
		kinds[c], values[c] = text, -1
	}
	for i, c := range "0123456789abcdef" {
		kinds[c], values[c] = digits, int8(i)
	}
	for i, c := range "ABCDEF" {
		kinds[c], values[c] = digits, int8(10+i)
	}
	for _, c := range " \r\n\t" {
		kinds[c] = digits
	}
	for _, c := range `{}\` {
		kinds[c] = word
	}
	return kinds, values
}()

// control reads what a backslash begins.
func (s *scanner) control() token {
	at := s.at
	s.at++
	start := s.at
	for s.at < len(s.b) && s.at-start < maxWord && isLetter(s.b[s.at]) {
		s.at++
	}
	if s.at == start { // a symbol, such as \* or \'
		s.at = min(s.at+1, len(s.b))
		return token{kind: word, at: at, name: string(s.b[start:s.at])}
	}
	t := token{kind: word, at: at, name: string(s.b[start:s.at])}
	negative := s.at < len(s.b) && s.b[s.at] == '-'
	i := s.at
	if negative {
		i++
	}
	for ; i < len(s.b) && s.b[i] >= '0' && s.b[i] <= '9'; i++ {
		t.number = min(t.number*10+int(s.b[i]-'0'), maxNumber)
		t.numbered, s.at = true, i+1
	}
	if negative {
		t.number = -t.number
	}
	if s.at < len(s.b) && s.b[s.at] == ' ' {
		s.at++
	}
	if t.name == "bin" && t.number > 0 {
		t.kind, t.from = raw, s.at
		s.at += min(t.number, len(s.b)-s.at)
		t.to = s.at
	}
	return t
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
