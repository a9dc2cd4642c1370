package metafile

import (
	"image"
	"image/color"
)

// surface is what orders are carried out on, in device units. Outlines are closed whatever
// their figures say.
type surface interface {
	fill(figs []figure, evenOdd bool, with paint, k clip)
	stroke(figs []figure, s stroke, with paint, k clip)
	shade(corners [3]point, colours [3]color.NRGBA, k clip)
	lay(b blit)
	write(r run)
	keep(b bitmap) // as an asset of its own: it is not seen as a whole
}

// paint is what an area is filled with.
type paint struct {
	c      color.NRGBA // a colour that is not opaque blends
	mode   uint32      // how it meets what is there, [MS-WMF] 2.1.1.2
	hatch  int         // lines of the colour
	back   color.NRGBA // between the lines of a hatch, and of a pattern of two colours
	bits   *bitmap     // a pattern
	mono   bool        // the pattern has two colours: c and back
	smooth bool        // at its edges
}

// stroke is how a line is drawn.
type stroke struct {
	width float64 // device units; never thinner than a pixel
	ends  end
}

// blit is a bitmap laid onto a parallelogram.
type blit struct {
	bits bitmap // without info, bits and file: only the brush counts
	src  image.Rectangle
	// at is where the source's corner comes to lie, along and down where its first row and
	// column go, in device units.
	at, along, down point
	rop             byte // the boolean function of pattern, source and target
	brush           paint
	clip            clip
	alpha           byte         // of the whole; 0 stands for opaque
	perPixel        bool         // pixels of 32 bits have an alpha of their own
	key             *color.NRGBA // pixels of this colour are left out
	mask            *bitmap      // where it is black the target is left, from maskAt on
	maskAt          image.Point
}

func (t blit) hasSource() bool {
	return t.bits.info != nil || t.bits.file != nil || t.bits.rows != nil || t.bits.code != ""
}

// mixes reports that pixels let through what lies below: alone they are another picture.
func (t blit) mixes() bool { return t.alpha != 0 || t.perPixel && bitsOf(t.bits.info) == 32 }

// upright reports that the source's rows stay level.
func (t blit) upright() bool { return t.along.y == 0 && t.down.x == 0 }

// quad is the parallelogram.
func (t blit) quad() figure {
	return figure{[]point{t.at, t.at.plus(t.along), t.at.plus(t.along).plus(t.down), t.at.plus(t.down)}, true}
}

// Boolean functions of pattern, source and target ([MS-WMF] 2.1.1.31), their index.
const (
	ropCopy, ropPattern, ropLeave = 0xcc, 0xf0, 0xaa
)

// usesSource and usesPattern look whether a function's outcome depends on them: bit i of
// it is the outcome for pattern, source and target being bits 2, 1 and 0 of i.
func usesSource(rop byte) bool { return rop>>2&0x33 != rop&0x33 }

func usesPattern(rop byte) bool { return rop>>4 != rop&0xf }

// ropOf is the function of three that a way of pens is: the source counts for nothing.
func ropOf(mode uint32) (rop byte) {
	f := mode - 1
	for i := range uint32(8) {
		if f>>(i>>2<<1|i&1)&1 != 0 {
			rop |= 1 << i
		}
	}
	return rop
}

// boolean applies a function of pattern, source and target to all bits of a byte.
func boolean(rop, p, s, d byte) (out byte) {
	switch rop {
	case ropCopy:
		return s
	case ropPattern:
		return p
	}
	for i := range byte(8) {
		if rop>>i&1 == 0 {
			continue
		}
		bits := byte(0xff)
		for j, v := range [3]byte{d, s, p} {
			if i>>j&1 == 0 {
				v = ^v
			}
			bits &= v
		}
		out |= bits
	}
	return out
}
