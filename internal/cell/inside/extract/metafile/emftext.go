package metafile

import (
	"encoding/binary"
	"unicode/utf16"

	"blotter/internal/cell/inside/extract/metafile/typeface"
)

// Options of an order that writes ([MS-EMF] 2.1.11).
const (
	textOpaque, textClipped, textByGlyph = 2, 4, 0x10
	textNoRect, textNarrow, textPairs    = 0x100, 0x200, 0x2000
)

// maxStrings bounds the lines of one order that writes several.
const maxStrings = 1 << 12

// emfText carries out what writes.
func (p *player) emfText(r record) bool {
	switch r.kind {
	case emfTextA, emfTextW:
		p.emfString(r, 36, r.kind == emfTextW)
	case emfManyA, emfManyW:
		n := int(r.u32(36))
		if n > maxStrings || 40+40*n > len(r.b) {
			p.cannot()
			break
		}
		for i := range n {
			p.emfString(r, 40+40*i, r.kind == emfManyW)
		}
	case emfSmallText:
		t, at := text{at: r.point(8)}, 36
		if r.u32(20)&textNoRect == 0 {
			t.behind = &[2]point{r.point(36), r.point(44)}
			at = 52
		}
		p.emfRunes(&t, r, uint32(at), r.u32(16), r.u32(20), r.u32(20)&textNarrow == 0)
		p.write(t)
	default:
		return false
	}
	return true
}

// emfString writes one line, described from an offset on.
func (p *player) emfString(r record, at int, wide bool) {
	n, options := r.u32(at+8), r.u32(at+16)
	t := text{at: r.point(at), behind: &[2]point{r.point(at + 20), r.point(at + 28)}}
	p.emfRunes(&t, r, r.u32(at+12), n, options, wide)
	step := 1
	if options&textPairs != 0 {
		step = 2
	}
	if from := r.u32(at + 36); n > 0 && n <= maxLetters && from >= 8 {
		if gaps := cut(r.b, from, uint32(4*step)*n); gaps != nil {
			t.gaps = make([]float64, n)
			for i := range t.gaps {
				t.gaps[i] = float64(int32(binary.LittleEndian.Uint32(gaps[4*step*i:])))
			}
		}
	}
	p.write(t)
}

// emfRunes reads the characters. One that takes two units keeps the gaps of both in step:
// gaps are counted in units, and such characters are none that can be drawn.
func (p *player) emfRunes(t *text, r record, at, n, options uint32, wide bool) {
	t.opaque, t.clipped = options&textOpaque != 0, options&textClipped != 0
	unit := uint32(1)
	if wide {
		unit = 2
	}
	if n > maxLetters {
		t.unknown = true
		return
	}
	b := cut(r.b, at, n*unit)
	if b == nil || options&textByGlyph != 0 && n > 0 {
		t.unknown = true
		return
	}
	if !wide {
		p.decode(t, b)
		return
	}
	units := make([]uint16, n)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	t.runes = utf16.Decode(units)
}

// decode reads bytes in the character set of the font.
func (p *player) decode(t *text, b []byte) {
	if p.dc.font.kind != typeface.Text {
		t.runes = make([]rune, len(b))
		for i, c := range b {
			t.runes[i] = rune(c)
		}
		return
	}
	runes, ok := typeface.Decode(p.dc.font.set, b)
	t.runes, t.unknown = runes, !ok
}
