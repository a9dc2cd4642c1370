package objects

import (
	"bufio"
	"math"
	"strconv"
)

// operators reads a stream of operators, ISO 32000-1 7.8.2, and hands each to whoever
// looks at what they draw. It follows PDFium where readers differ.
type operators struct {
	r     *bufio.Reader
	do    func(op []byte) // called for each operator, its operands at hand
	token []byte
	name  []byte // the last operand that is a name
	text  []byte // the strings among the operands, as far as textBytes
	spill func([]byte)
	nums  []float64 // the last operands that are numbers
	count int       // of numbers
}

// Operands that are kept: PDFium keeps 32 of them, and 255 bytes of a word.
const (
	mostNumbers = 6
	wordBytes   = 255
	textBytes   = 1 << 12
)

// run reads to the end, or until enough was read.
func (o *operators) run(enough func() bool) {
	for !enough() {
		c, err := o.r.ReadByte()
		if err != nil {
			return
		}
		switch {
		case isSpace(c):
		case c == '%':
			o.skipLine()
		case c == '/':
			o.name = append(o.name[:0], o.word()...)
		case c == '(':
			o.literal()
		case c == '<':
			if next, _ := o.r.Peek(1); len(next) == 1 && next[0] == '<' {
				_, _ = o.r.ReadByte() // it was looked at
				continue
			}
			o.hex()
		case isDelimiter(c):
		default:
			_ = o.r.UnreadByte() // it was read
			o.bare(o.word())
		}
	}
}

// bare takes a number as an operand and runs anything else.
func (o *operators) bare(w []byte) {
	if c := w[0]; isDigit(c) || c == '-' || c == '+' || c == '.' {
		if o.count++; len(o.nums) == mostNumbers {
			copy(o.nums, o.nums[1:])
			o.nums = o.nums[:mostNumbers-1]
		}
		o.nums = append(o.nums, decimal(w))
		return
	}
	o.do(w)
	o.name, o.text, o.nums, o.count = o.name[:0], o.text[:0], o.nums[:0], 0
}

// decimal reads a number; 0 for what is none.
func decimal(w []byte) float64 {
	if len(w) <= 9 { // nearly all
		if v, ok := short(w); ok {
			return v
		}
	}
	v, err := strconv.ParseFloat(string(w), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// short reads a number of up to nine digits.
func short(w []byte) (float64, bool) {
	digits, divisor, sign, point := 0, 1, 1.0, false
	for i, c := range w {
		switch {
		case isDigit(c):
			digits = digits*10 + int(c-'0')
			if point {
				divisor *= 10
			}
		case c == '.' && !point:
			point = true
		case c == '-' && i == 0:
			sign = -1
		case c != '+' || i > 0:
			return 0, false
		}
	}
	return sign * float64(digits) / float64(divisor), true
}

// number is one of the last operands, counted from the end; 0 for none.
func (o *operators) number(fromEnd int) float64 {
	if i := len(o.nums) - fromEnd; i >= 0 {
		return o.nums[i]
	}
	return 0
}

// word reads regular characters, and keeps as many as a word has.
func (o *operators) word() []byte {
	o.token = o.token[:0]
	for {
		c, err := o.r.ReadByte()
		if err != nil {
			break
		}
		if !isRegular(c) {
			_ = o.r.UnreadByte() // it was read
			break
		}
		if len(o.token) < wordBytes {
			o.token = append(o.token, c)
		}
	}
	return o.token
}

func (o *operators) skipLine() {
	for {
		c, err := o.r.ReadByte()
		if err != nil || c == '\r' || c == '\n' {
			return
		}
	}
}

// shows keeps a byte of a string.
func (o *operators) shows(c byte) {
	if len(o.text) == textBytes {
		o.spill(o.text)
		o.text = o.text[:0]
	}
	o.text = append(o.text, c)
}

// literal reads a string in brackets, of which it has the first.
func (o *operators) literal() {
	for deep := 1; ; {
		c, err := o.r.ReadByte()
		if err != nil {
			return
		}
		switch c {
		case '(':
			deep++
		case ')':
			if deep--; deep == 0 {
				return
			}
		case '\\':
			o.escape()
			continue
		}
		o.shows(c)
	}
}

func (o *operators) escape() {
	c, err := o.r.ReadByte()
	switch {
	case err != nil, c == '\n':
	case c == '\r':
		if next, _ := o.r.Peek(1); len(next) == 1 && next[0] == '\n' {
			_, _ = o.r.ReadByte() // it was looked at
		}
	case c >= '0' && c <= '7':
		v := c - '0'
		for range 2 {
			next, _ := o.r.Peek(1)
			if len(next) == 0 || next[0] < '0' || next[0] > '7' {
				break
			}
			v = v<<3 | (next[0] - '0')
			_, _ = o.r.ReadByte() // it was looked at
		}
		o.shows(v)
	case escapes[c] != 0:
		o.shows(escapes[c])
	default:
		o.shows(c)
	}
}

func (o *operators) hex() {
	half, odd := byte(0), false
	for {
		c, err := o.r.ReadByte()
		if err != nil || c == '>' {
			if odd {
				o.shows(half << 4)
			}
			return
		}
		v, ok := digit(c)
		if !ok {
			continue
		}
		if odd {
			o.shows(half<<4 | v)
		}
		half, odd = v, !odd
	}
}

// digit is the value of a hexadecimal one.
func digit(c byte) (byte, bool) {
	switch {
	case isDigit(c):
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}
