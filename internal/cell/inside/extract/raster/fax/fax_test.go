package fax

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/image/ccitt"
)

// writer writes codes as text, which is slow and plain.
type writer struct {
	strings.Builder
}

func (w *writer) run(n int, black bool) {
	list := strings.Fields(whiteCodes)
	if black {
		list = strings.Fields(blackCodes)
	}
	list = append(list, strings.Fields(longCodes)...)
	for n > 2560 {
		w.WriteString(list[len(list)-1])
		n -= 2560
	}
	if n >= 64 {
		w.WriteString(list[63+n/64])
	}
	w.WriteString(list[n%64])
}

// changes lists where a row of pixels (1 is ink) changes, the end included.
func changes(row []byte) []int {
	var out []int
	last := byte(0)
	for x, v := range row {
		if v != last {
			out, last = append(out, x), v
		}
	}
	return append(out, len(row))
}

func (w *writer) one(row []byte) {
	at, black := 0, false
	for _, c := range changes(row) {
		w.run(c-at, black)
		at, black = c, !black
	}
}

// two writes a row by the rules of T.6, figure 7.
func (w *writer) two(row, above []byte) {
	modes := strings.Fields(modeCodes)
	colour := func(r []byte, x int) byte {
		if x < 0 {
			return 0
		}
		return r[x]
	}
	next := func(r []byte, x int, from byte) int { // the first change right of x−1 away from a colour
		for ; x < len(r); x++ {
			if r[x] != from {
				return x
			}
		}
		return len(r)
	}
	a0, ink := -1, byte(0)
	for a0 < len(row) {
		b1 := a0 + 1
		for b1 < len(row) && !(above[b1] != ink && colour(above, b1-1) == ink) {
			b1++
		}
		b2 := next(above, b1, 1-ink)
		a1 := next(row, max(a0, 0), ink)
		switch d := a1 - b1; {
		case b2 < a1:
			w.WriteString(modes[pass])
			a0 = b2
			continue
		case d >= 0 && d <= 3:
			w.WriteString(modes[level+d])
		case d < 0 && d >= -3:
			w.WriteString(modes[right3-d])
		default:
			a2 := next(row, a1, 1-ink)
			w.WriteString(modes[horizontal])
			w.run(a1-max(a0, 0), ink == 1)
			w.run(a2-a1, ink == 0)
			a0 = a2
			continue
		}
		a0, ink = a1, 1-ink
	}
}

func (w *writer) align(n int) {
	for w.Len()%n != 0 {
		w.WriteByte('0')
	}
}

const endOfLine = "000000000001"

// encode writes a picture.
func encode(c Coding, rows [][]byte, aligned bool) []byte {
	var w writer
	above := make([]byte, len(rows[0]))
	for i, row := range rows {
		switch c {
		case Rows:
			w.align(8)
		case Words:
			w.align(16)
		case Group3, Group3Two:
			for aligned && (w.Len()+12)%8 != 0 {
				w.WriteByte('0')
			}
			w.WriteString(endOfLine)
		}
		switch {
		case c == Group4:
			w.two(row, above)
		case c == Group3Two && i%3 != 0:
			w.WriteByte('0')
			w.two(row, above)
		case c == Group3Two:
			w.WriteByte('1')
			w.one(row)
		default:
			w.one(row)
		}
		above = row
	}
	switch c {
	case Group4:
		w.WriteString(endOfLine + endOfLine)
	case Group3:
		w.WriteString(strings.Repeat(endOfLine, 6))
	case Group3Two:
		w.WriteString(strings.Repeat(endOfLine+"1", 6))
	}
	w.align(8)
	return pack(w.String())
}

func pack(text string) []byte {
	out := make([]byte, (len(text)+7)/8)
	for i, c := range text {
		if c == '1' {
			out[i/8] |= 0x80 >> (i % 8)
		}
	}
	return out
}

func reversed(b []byte) []byte {
	out := make([]byte, len(b))
	for i, v := range b {
		out[i] = bits.Reverse8(v)
	}
	return out
}

// pages are pictures that meet every code: each run length, and noise beside edges that
// move by every step.
func pages() map[string][][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	out := map[string][][]byte{}
	var runs [][]byte
	for n := range 2700 {
		row := make([]byte, 2*2700+3)
		from := 2 * r.IntN(2)
		for x := from; x < from+n; x++ {
			row[x] = 1
		}
		if n%2 == 1 {
			for x := range row {
				row[x] ^= 1
			}
		}
		runs = append(runs, row)
	}
	out["every run"] = runs
	for _, width := range []int{1, 7, 8, 9, 33, 64, 200} {
		var rows [][]byte
		above := make([]byte, width)
		for range 120 {
			row := make([]byte, width)
			copy(row, above)
			if k := r.IntN(3); k > 0 { // the last row shifted by up to four pixels
				d := r.IntN(9) - 4
				for x := range row {
					row[x] = 0
					if y := x + d; y >= 0 && y < width {
						row[x] = above[y]
					}
				}
			}
			for range r.IntN(4) {
				from := r.IntN(width)
				v := byte(r.IntN(2))
				for x := from; x < min(width, from+r.IntN(20)); x++ {
					row[x] = v
				}
			}
			rows, above = append(rows, row), row
		}
		out[fmt.Sprint("noise of ", width)] = rows
	}
	return out
}

func decodeAll(data []byte, c Coding, width, height int, low bool) ([][]byte, error) {
	r := NewReader(data, c, width, low)
	var out [][]byte
	packed := make([]byte, (width+7)/8)
	for range height {
		if err := r.Row(packed); err != nil {
			return out, err
		}
		row := make([]byte, width)
		for x := range row {
			row[x] = packed[x/8] >> (7 - x%8) & 1
		}
		out = append(out, row)
	}
	return out, nil
}

var names = map[Coding]string{Group4: "group 4", Group3: "group 3", Group3Two: "group 3, two-dimensional", Rows: "rows", Words: "words"}

func TestEveryCode(t *testing.T) {
	for name, rows := range pages() {
		for c := Group4; c <= Words; c++ {
			for _, aligned := range []bool{false, true} {
				if aligned && c != Group3 && c != Group3Two {
					continue
				}
				data := encode(c, rows, aligned)
				for _, low := range []bool{false, true} {
					in := data
					if low {
						in = reversed(data)
					}
					got, err := decodeAll(in, c, len(rows[0]), len(rows), low)
					if err != nil {
						t.Fatalf("%s, %s: row %d: %v", name, names[c], len(got), err)
					}
					for y := range rows {
						if !bytes.Equal(got[y], rows[y]) {
							t.Fatalf("%s, %s: row %d is\n%v, want\n%v", name, names[c], y, got[y], rows[y])
						}
					}
				}
			}
		}
	}
}

// The tables of codes are the same on both sides of the test above; another's reader
// tells whether they are right.
func TestAgainstAnotherReader(t *testing.T) {
	for name, rows := range pages() {
		for c, sub := range map[Coding]ccitt.SubFormat{Group4: ccitt.Group4, Group3: ccitt.Group3} {
			in := ccitt.NewReader(bytes.NewReader(encode(c, rows, false)), ccitt.MSB, sub, len(rows[0]), len(rows), &ccitt.Options{Invert: true})
			for y, row := range rows {
				got := make([]byte, (len(row)+7)/8)
				if _, err := io.ReadFull(in, got); err != nil {
					t.Fatalf("%s, %s: row %d: %v", name, names[c], y, err)
				}
				if want := packRow(row); !bytes.Equal(got, want) {
					t.Fatalf("%s, %s: row %d differs", name, names[c], y)
				}
			}
		}
	}
}

func packRow(row []byte) []byte {
	var text strings.Builder
	for _, v := range row {
		text.WriteByte('0' + v)
	}
	return pack(text.String())
}

func TestGroup3WithoutMarks(t *testing.T) {
	rows := pages()["noise of 33"]
	var w writer
	for _, row := range rows {
		w.one(row)
	}
	w.align(8)
	if got, err := decodeAll(pack(w.String()), Group3, 33, len(rows), false); err != nil || !bytes.Equal(got[119], rows[119]) {
		t.Errorf("%d rows, %v", len(got), err)
	}
}

// What is cut off, or asked for beyond the end, is no row.
func TestTruncation(t *testing.T) {
	rows := pages()["noise of 33"]
	for c := Group4; c <= Words; c++ {
		data := encode(c, rows, false)
		if _, err := decodeAll(data, c, 33, len(rows)+1, false); err == nil {
			t.Errorf("%s: a row beyond the end", names[c])
		}
		for n := 0; n < len(data)*9/10; n += 7 {
			if _, err := decodeAll(data[:n], c, 33, len(rows), false); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s cut to %d of %d: %v", names[c], n, len(data), err)
			}
		}
	}
}

func TestDamage(t *testing.T) {
	for name, c := range map[string]struct {
		coding Coding
		codes  string
		want   error
	}{
		"run over the end":    {Group3, "10011 10011", ErrDamaged}, // white 8 and again 8 would need black between
		"no such code":        {Group3, "000000001 11111111", ErrDamaged},
		"left of the row":     {Group4, "001 0111 11 0000010 0000010 0000010", ErrDamaged},
		"uncompressed":        {Group4, "0000001111 0101", ErrUncompressed},
		"no mark":             {Group3Two, "111 0111 0111 0111", ErrDamaged},
		"runs without an end": {Rows, strings.Repeat("000000011111", 8), ErrDamaged},
	} {
		if _, err := decodeAll(pack(strings.ReplaceAll(c.codes, " ", "")), c.coding, 12, 3, false); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzFax(f *testing.F) {
	rows := pages()["noise of 9"]
	for c := Group4; c <= Words; c++ {
		f.Add(encode(c, rows, false), byte(c), uint16(9), false)
	}
	f.Fuzz(func(t *testing.T, b []byte, c byte, width uint16, low bool) {
		if width == 0 {
			return
		}
		w := int(width)
		rows, err := decodeAll(b, Coding(c%5), w, 50, low)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrUncompressed) {
			t.Fatal(err)
		}
		if err != nil || w > 200 {
			return
		}
		again, err := decodeAll(encode(Coding(c%5), rows, false), Coding(c%5), w, 50, false)
		if err != nil {
			t.Fatal(err)
		}
		for y := range rows {
			if !bytes.Equal(rows[y], again[y]) {
				t.Fatalf("row %d came back as %v, was %v", y, again[y], rows[y])
			}
		}
	})
}
