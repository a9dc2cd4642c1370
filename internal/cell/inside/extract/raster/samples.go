package raster

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Samples of more than 8 bits are shown in 8. Where they do not use the range that their
// bits have, as 12-bit pictures in 16 bits and all fractions, the range is measured:
// shown as they are they would be black, to people and to what looks for text, and
// still be legible to whoever brightens the derivative.

// extent is the range of the samples that were met.
type extent struct {
	any         bool
	least, most float64
}

func (e *extent) meet(v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	if !e.any {
		*e = extent{true, v, v}
	}
	e.least, e.most = min(e.least, v), max(e.most, v)
}

// scale maps samples to 0–255: v − low in units of step.
type scale struct{ low, step float64 }

func (s scale) of(v float64) uint8 {
	v = (v - s.low) / s.step
	if !(v > 0) { // what is no number, too
		return 0
	}
	return uint8(min(v, 255))
}

// ranged reports that the range of the samples has to be measured.
func (l *layout) ranged() bool {
	return l.photometric != palette && !l.lab() && (l.bits > 8 || l.format != unsigned)
}

// scaleFor chooses the scale for what was met: whole powers of two for unsigned numbers,
// 0–1 for fractions that lie there, else what is there.
func (l *layout) scaleFor(e extent) scale {
	switch {
	case l.format == floating && e.least >= 0 && e.most <= 1:
		return scale{0, 1.0 / 255}
	case l.format == floating || e.least < 0:
		return scale{e.least, max((e.most-e.least)/255, math.SmallestNonzeroFloat32)}
	}
	return scale{0, math.Ldexp(1, usedBits(l.bits, uint64(min(e.most, 1<<63)))-8)} // as much as a conversion takes for sure
}

// usedBits is how many bits of a sample count: all where the greatest value reaches the
// upper quarter of their range, else as many as it has, and 8 at least.
func usedBits(all int, greatest uint64) int {
	if n := max(bits.Len64(greatest), 8); n < all-1 {
		return n
	}
	return all
}

// whole is sample i of a row as an unsigned number.
func (l *layout) whole(row []byte, i int, order binary.ByteOrder) uint64 {
	switch l.bits {
	case 8:
		return uint64(row[i])
	case 16:
		return uint64(order.Uint16(row[2*i:]))
	case 24:
		return uint64(three(row[3*i:], order))
	case 32:
		return uint64(order.Uint32(row[4*i:]))
	case 64:
		return order.Uint64(row[8*i:])
	}
	var v uint32
	at := i * l.bits
	for n := range 3 { // enough for 16 bits that begin anywhere in a byte
		v <<= 8
		if k := at/8 + n; k < len(row) {
			v |= uint32(row[k])
		}
	}
	return uint64(v << (8 + at%8) >> (32 - l.bits))
}

// three reads a number of 24 bits.
func three(b []byte, order binary.ByteOrder) uint32 {
	if order == binary.LittleEndian {
		return uint32(b[2])<<16 | uint32(b[1])<<8 | uint32(b[0])
	}
	return uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2])
}

// real is sample i of a row in its own format.
func (l *layout) real(row []byte, i int, order binary.ByteOrder) float64 {
	if l.format == floating {
		return l.fraction(row, i, order)
	}
	v := l.whole(row, i, order)
	if l.format == signed {
		return float64(int64(v<<(64-l.bits)) >> (64 - l.bits))
	}
	return float64(v)
}

func (l *layout) fraction(row []byte, i int, order binary.ByteOrder) float64 {
	switch l.bits {
	case 16:
		return half(order.Uint16(row[2*i:]))
	case 24:
		return fraction24(three(row[3*i:], order))
	case 32:
		return float64(math.Float32frombits(order.Uint32(row[4*i:])))
	}
	return math.Float64frombits(order.Uint64(row[8*i:]))
}

// half reads a fraction of 16 bits, IEEE 754: 5 of exponent, 10 of fraction.
func half(v uint16) float64 { return small(uint32(v), 5, 10) }

// fraction24 reads one of 24 bits, TIFF Technical Note 3: 7 of exponent, 16 of fraction.
func fraction24(v uint32) float64 { return small(v, 7, 16) }

func small(v uint32, exponent, mantissa int) float64 {
	sign := 1.0
	if v>>(exponent+mantissa)&1 == 1 {
		sign = -1
	}
	m, e := float64(v&(1<<mantissa-1)), int(v>>mantissa&(1<<exponent-1))
	bias := 1<<(exponent-1) - 1
	switch {
	case e == 0:
		return sign * math.Ldexp(m, 1-bias-mantissa)
	case e == 1<<exponent-1:
		return math.NaN() // or endless, which is shown the same
	}
	return sign * math.Ldexp(m+float64(int(1)<<mantissa), e-bias-mantissa)
}

// sumUp undoes the horizontal predictor on one row.
func (l *layout) sumUp(row []byte, order binary.ByteOrder) {
	step, width := l.samples/l.planes, l.bits/8
	for i := step * width; i+width <= len(row); i += width {
		switch last := i - step*width; width {
		case 1:
			row[i] += row[last]
		case 2:
			order.PutUint16(row[i:], order.Uint16(row[i:])+order.Uint16(row[last:]))
		case 4:
			order.PutUint32(row[i:], order.Uint32(row[i:])+order.Uint32(row[last:]))
		case 8:
			order.PutUint64(row[i:], order.Uint64(row[i:])+order.Uint64(row[last:]))
		}
	}
}

// joinBytes undoes the predictor of fractions, TIFF Technical Note 3: the bytes of a row
// lie apart by their weight, the weightiest first whatever the byte order, and are
// differences to the byte one pixel before.
func (p *painter) joinBytes(row []byte) {
	step, width := p.l.samples/p.l.planes, p.l.bits/8
	for i := step; i < len(row); i++ {
		row[i] += row[i-step]
	}
	p.apart = append(p.apart[:0], row...)
	n := len(row) / width
	for i := range n {
		for b := range width {
			to := b
			if p.order == binary.LittleEndian {
				to = width - 1 - b
			}
			row[width*i+to] = p.apart[n*b+i]
		}
	}
}
