package redact

import (
	"bytes"
	"encoding/binary"
)

// filter applies PNG's row filters, of which it uses those that work on eight bytes at a
// time: all but Paeth's.
type filter struct {
	step       int // bytes of a pixel; 0 for pixels of less than a byte, whose rows stay as they are
	cur, above []byte
	out        []byte // the filter's number and a row
}

// Row filters of ISO/IEC 15948, 9.2.
const (
	asItIs byte = iota
	lessLeft
	lessAbove
	lessMean
	filters
)

func newFilter(width, step int) *filter {
	return &filter{step: step, cur: make([]byte, width), above: make([]byte, width), out: make([]byte, 1+width)}
}

// next returns where the next row belongs.
func (f *filter) next() []byte {
	f.cur, f.above = f.above, f.cur
	return f.cur
}

// filtered returns the row with its filter's number before it; it holds until the next.
func (f *filter) filtered() []byte {
	kind := asItIs
	if f.step > 0 {
		kind = f.choose()
	}
	f.apply(kind)
	return f.out
}

// Rows are judged by runs of so many bytes, one run in so many bytes.
const (
	runBytes = 16
	runEvery = 160
)

// choose takes the filter that leaves the smallest differences in a sample of the row, as
// PNG's authors advise for all of it.
func (f *filter) choose() byte {
	if bytes.Equal(f.cur, f.above) {
		return lessAbove
	}
	var sums [filters]int
	for from := f.step; from < len(f.cur); from += runEvery {
		to := min(from+runBytes, len(f.cur))
		cur, above, left := f.cur[from:to], f.above[from:to], f.cur[from-f.step:to-f.step]
		for i, v := range cur {
			sums[asItIs] += size(v)
			sums[lessLeft] += size(v - left[i])
			sums[lessAbove] += size(v - above[i])
			sums[lessMean] += size(v - byte((int(left[i])+int(above[i]))/2))
		}
	}
	best := asItIs
	for k := lessLeft; k < filters; k++ {
		if sums[k] < sums[best] {
			best = k
		}
	}
	return best
}

// size is a difference's, taken as signed.
func size(v byte) int {
	d := int(int8(v))
	return max(d, -d)
}

func (f *filter) apply(kind byte) {
	f.out[0] = kind
	out, cur, above := f.out[1:], f.cur, f.above
	switch kind {
	case asItIs:
		copy(out, cur)
	case lessLeft:
		n := copy(out, cur[:min(f.step, len(cur))])
		subtract(out[n:], cur[n:], cur)
	case lessAbove:
		subtract(out, cur, above)
	case lessMean:
		n := min(f.step, len(cur))
		for i, v := range cur[:n] {
			out[i] = v - above[i]/2
		}
		subtractMean(out[n:], cur[n:], cur, above[n:])
	}
}

// tops has the highest bit of each of eight bytes.
const tops = 0x8080808080808080

// less is x − y, byte by byte.
func less(x, y uint64) uint64 { return ((x | tops) - (y &^ tops)) ^ (x^^y)&tops }

// subtract takes b from a, byte by byte.
func subtract(dst, a, b []byte) {
	for ; len(a) >= 8; dst, a, b = dst[8:], a[8:], b[8:] {
		binary.LittleEndian.PutUint64(dst, less(binary.LittleEndian.Uint64(a), binary.LittleEndian.Uint64(b)))
	}
	for i, v := range a {
		dst[i] = v - b[i]
	}
}

// subtractMean takes the mean of b and c, rounded down, from a.
func subtractMean(dst, a, b, c []byte) {
	for ; len(a) >= 8; dst, a, b, c = dst[8:], a[8:], b[8:], c[8:] {
		l, u := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(c)
		mean := l&u + (l^u)>>1&^tops
		binary.LittleEndian.PutUint64(dst, less(binary.LittleEndian.Uint64(a), mean))
	}
	for i, v := range a {
		dst[i] = v - byte((int(b[i])+int(c[i]))/2)
	}
}
