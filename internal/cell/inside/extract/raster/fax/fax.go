// Package fax decodes bilevel pictures in the codes of ITU-T T.4 and T.6, as TIFF and
// OS/2 bitmaps hold them. It is strict: a row whose runs do not fill it, a code that does
// not exist, and an end before the last row are errors, because what decoders make up
// for such rows looks whole.
package fax

import (
	"errors"
	"io"
	"math/bits"
)

// Coding says how the rows are written.
type Coding uint8

// The codings.
const (
	Group4    Coding = iota // T.6: each row refers to the one above
	Group3                  // T.4, one-dimensional, with or without end-of-line marks
	Group3Two               // T.4, two-dimensional: a bit behind each mark says which kind follows
	Rows                    // modified Huffman rows, each from a byte border, TIFF compression 2
	Words                   // likewise, each from a border of 16 bits, TIFF compression 32771
)

// ErrUncompressed marks the extension that holds pixels as they are, which nobody writes.
var ErrUncompressed = errors.New("fax: uncompressed mode")

// ErrDamaged marks codes that make no row.
var ErrDamaged = errors.New("fax: damaged row")

// Reader decodes row after row. Memory is bounded by the width.
type Reader struct {
	in     source
	coding Coding
	width  int
	above  []int // where the colour changes in the row above, ending with the width
	row    []int // likewise in the row in work
	empty  bool  // see KeepEmpty
	t      *tables
}

// NewReader decodes data as rows of width pixels. lowFirst says that the first pixel is in
// the least significant bit.
func NewReader(data []byte, coding Coding, width int, lowFirst bool) *Reader {
	return &Reader{in: source{data: data, low: lowFirst}, coding: coding, width: width, t: loaded()}
}

// KeepEmpty has rows remember runs of no length as changes that the next row refers to, as
// some writers of T.6 do that begin a row with two of them. It shows the same where there
// are none, and is to be tried from the first row on after ErrDamaged.
func (r *Reader) KeepEmpty() { r.empty = true }

// Row decodes the next row into out, (width+7)/8 bytes, most significant bit first, ink 1.
// The error is io.ErrUnexpectedEOF where the data ends before the row does, or before it
// begins.
func (r *Reader) Row(out []byte) error {
	r.row = r.row[:0]
	if err := r.decode(); err != nil {
		return err
	}
	clear(out)
	for i := 0; i < len(r.row); i += 2 {
		end := r.width
		if i+1 < len(r.row) {
			end = r.row[i+1]
		}
		ink(out, r.row[i], end)
	}
	r.above, r.row = r.row, r.above
	return nil
}

// ink sets the pixels from a to b.
func ink(out []byte, a, b int) {
	for ; a < b && a%8 != 0; a++ {
		out[a/8] |= 0x80 >> (a % 8)
	}
	for ; a+8 <= b; a += 8 {
		out[a/8] = 0xff
	}
	for ; a < b; a++ {
		out[a/8] |= 0x80 >> (a % 8)
	}
}

func (r *Reader) decode() error {
	switch r.coding {
	case Rows:
		r.in.align(8)
	case Words:
		r.in.align(16)
	case Group3:
		if _, err := r.mark(); err != nil {
			return err
		}
	case Group3Two:
		marked, err := r.mark()
		switch {
		case err != nil:
			return err
		case !marked:
			return ErrDamaged
		case !r.in.take(1):
			return r.two()
		}
	case Group4:
		return r.two()
	}
	return r.one()
}

// mark passes over an end-of-line mark and the zeros before it. Two in a row end the page.
func (r *Reader) mark() (bool, error) {
	if r.in.peek(11) != 0 {
		return false, nil
	}
	for r.in.left() > 0 {
		if !r.in.take(1) {
			continue
		}
		next := r.in.peek(13)
		if r.coding == Group3Two {
			next = next & 0xfff << 1 // behind the bit that says what follows
		}
		if next>>1 == 1 {
			return true, io.ErrUnexpectedEOF
		}
		return true, nil
	}
	return false, io.ErrUnexpectedEOF
}

// one decodes a row of runs, white first.
func (r *Reader) one() error {
	for at, black := 0, false; at < r.width; black = !black {
		n, err := r.run(black)
		if err != nil {
			return err
		}
		if at += n; at > r.width {
			return ErrDamaged
		}
		r.put(at)
	}
	return nil
}

// put notes a change of colour. Two at the same place are none, a run of no length, unless
// these are kept.
func (r *Reader) put(at int) {
	switch n := len(r.row); {
	case at >= r.width:
	case n > 0 && r.row[n-1] == at && !r.empty:
		r.row = r.row[:n-1]
	default:
		r.row = append(r.row, at)
	}
}

// run decodes the length of a run: any number of long codes and a short one.
func (r *Reader) run(black bool) (int, error) {
	t := &r.t.white
	if black {
		t = &r.t.black
	}
	for n := 0; n <= r.width; {
		v, err := r.in.code(t)
		if err != nil {
			return 0, err
		}
		n += v
		if v < 64 {
			return n, nil
		}
	}
	return 0, ErrDamaged
}

// two decodes a row that refers to the row above, T.6 2.2: a0 is where the row stands,
// b1 the next change above it to the other colour, b2 the one after.
func (r *Reader) two() error {
	a0, black, i := -1, false, 0
	for a0 < r.width {
		mode, err := r.in.code(&r.t.mode)
		if err != nil {
			return err
		}
		i = r.find(i, a0, black)
		b1, b2 := r.change(i), r.change(i+1)
		to := b1
		switch mode {
		case pass:
			a0 = b2
			continue
		case horizontal:
			if a0, err = r.pair(max(a0, 0), black); err != nil {
				return err
			}
			continue
		case right1, right2, right3:
			to += mode - right1 + 1
		case left1, left2, left3:
			to -= mode - left1 + 1
		case extension:
			return ErrUncompressed
		}
		if to < max(a0, 0) || to > r.width || to == a0 && !r.empty {
			return ErrDamaged
		}
		r.put(to)
		a0, black = to, !black
	}
	return nil
}

// pair decodes two runs from a0 on.
func (r *Reader) pair(a0 int, black bool) (int, error) {
	for range 2 {
		n, err := r.run(black)
		if err != nil {
			return 0, err
		}
		if a0 += n; a0 > r.width {
			return 0, ErrDamaged
		}
		r.put(a0)
		black = !black
	}
	return a0, nil
}

// find is the index of b1: the first change above that is right of a0 and leads to the
// other colour. Changes at even places lead to black. A search starts where the last one
// ended, less two, because a0 never goes back.
func (r *Reader) find(i, a0 int, black bool) int {
	i = max(0, i-2)
	if i%2 == 1 != black {
		i++
	}
	for i < len(r.above) && r.above[i] <= a0 {
		i += 2
	}
	return i
}

// change is where the row above changes its colour, its end past the last change.
func (r *Reader) change(i int) int {
	if i < len(r.above) {
		return r.above[i]
	}
	return r.width
}

// source hands out bits.
type source struct {
	data []byte
	at   int // bits
	low  bool
}

func (s *source) left() int { return 8*len(s.data) - s.at }

// peek returns the next n bits, up to 16; zeros past the end.
func (s *source) peek(n int) uint32 {
	var v uint32
	for i := range 3 {
		v <<= 8
		if at := s.at/8 + i; at < len(s.data) {
			v |= uint32(s.byte(at))
		}
	}
	return v << (8 + s.at%8) >> (32 - n)
}

func (s *source) byte(i int) byte {
	if s.low {
		return bits.Reverse8(s.data[i])
	}
	return s.data[i]
}

// take removes up to 16 bits and reports whether they are more than zero.
func (s *source) take(n int) bool {
	v := s.peek(n)
	s.at = min(s.at+n, 8*len(s.data))
	return v != 0
}

// align goes on to a border of n bits.
func (s *source) align(n int) { s.at = min((s.at+n-1)/n*n, 8*len(s.data)) }

func (s *source) code(t *table) (int, error) {
	c := t[s.peek(widest)]
	switch {
	case int(c.width) > s.left() || c.width == 0 && s.left() < widest:
		return 0, io.ErrUnexpectedEOF
	case c.width == 0 && s.peek(11) == 0: // a mark: the end of the page
		return 0, io.ErrUnexpectedEOF
	case c.width == 0:
		return 0, ErrDamaged
	}
	s.at += int(c.width)
	return int(c.value), nil
}
