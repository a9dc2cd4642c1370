package metafile

import (
	"encoding/binary"
	"math"
)

// pictApart is what files of their own have before the picture, and pictures within
// documents have not.
const pictApart = 512

// pict walks the orders of a PICT (Inside Macintosh: Imaging With QuickDraw, appendix
// A).
func (p *player) pict(data []byte) error {
	w := pictWalk{b: data, q: newQuickDraw()}
	if !w.begin(0) && !w.begin(pictApart) {
		return malformed("PICT header")
	}
	top, left, bottom, right := w.i16(w.at-w.version*2-8), w.i16(w.at-w.version*2-6), w.i16(w.at-w.version*2-4), w.i16(w.at-w.version*2-2)
	p.header = nothing().with(point{float64(left), float64(top)}).with(point{float64(right), float64(bottom)})
	for !p.over() {
		op, ok := w.order()
		if !ok {
			p.cutOff()
			break
		}
		if op == 0xff || op == 0xffff {
			break
		}
		if !p.pictOrder(&w, op) {
			p.cutOff()
			break
		}
	}
	return p.ctx.Err()
}

// pictWalk reads a PICT from front to back.
type pictWalk struct {
	b       []byte
	at      int
	version int // bytes of an order's number
	q       quickDraw
}

// begin looks for size, frame and version from an offset on.
func (w *pictWalk) begin(from int) bool {
	if len(w.b) < from+16 {
		return false
	}
	switch at := from + 10; {
	case w.b[at] == 0x11 && w.b[at+1] == 1:
		w.at, w.version = at+2, 1
	case string(w.b[at:at+4]) == "\x00\x11\x02\xff":
		w.at, w.version = at+4, 2
	default:
		return false
	}
	return true
}

func (w *pictWalk) u16(at int) int {
	if at < 0 || at+2 > len(w.b) {
		return 0
	}
	return int(binary.BigEndian.Uint16(w.b[at:]))
}

func (w *pictWalk) i16(at int) int { return int(int16(w.u16(at))) }

func (w *pictWalk) u32(at int) uint32 { return uint32(w.u16(at))<<16 | uint32(w.u16(at+2)) }

// order reads the next number.
func (w *pictWalk) order() (int, bool) {
	if w.version == 2 {
		w.at += w.at & 1
	}
	if w.at+w.version > len(w.b) {
		return 0, false
	}
	op := int(w.b[w.at])
	if w.version == 2 {
		op = w.u16(w.at)
	}
	w.at += w.version
	return op, true
}

// skip passes n bytes and says whether they were there.
func (w *pictWalk) skip(n int) bool {
	if n < 0 || n > len(w.b)-w.at {
		return false
	}
	w.at += n
	return true
}

// counted passes what begins with its own length: a region or polygon counts the
// length's two bytes, other data does not.
func (w *pictWalk) counted(own int) bool { return w.skip(w.u16(w.at) + own) }

func (w *pictWalk) long() bool {
	n := w.u32(w.at)
	return n <= math.MaxInt32-4 && w.skip(int(n)+4)
}

// pictFixed are lengths of what follows the orders that only set the state.
var pictFixed = [0x20]int{2: 8, 3: 2, 4: 1, 5: 2, 6: 4, 7: 4, 8: 2, 9: 8, 10: 8, 11: 4, 12: 4, 13: 2, 14: 4, 15: 4, 16: 8,
	17: 1, 21: 2, 22: 2, 26: 6, 27: 6, 29: 6, 31: 6}

// pictOrder carries out or passes one order. It reports whether it was there in full.
func (p *player) pictOrder(w *pictWalk, op int) bool {
	switch {
	case op == 1:
		return p.pictClip(w)
	case op >= 0x12 && op <= 0x14:
		return p.pictPattern(w, op)
	case op < 0x20:
		return p.pictState(w, op)
	case op < 0x90:
		return p.pictShape(w, op)
	case op == 0x90, op == 0x91, op >= 0x98 && op <= 0x9b:
		return p.pictBits(w, op)
	case op < 0xa0, op >= 0xa2 && op < 0xb0:
		return w.counted(2)
	case op == 0xa0:
		return w.skip(2)
	case op == 0xa1:
		return w.skip(2) && w.counted(2)
	case op < 0xd0:
		return true
	case op < 0xff, op >= 0x8100 && op < 0x8200, op > 0x8201:
		return w.long()
	case op == 0x8200, op == 0x8201:
		return p.pictQuickTime(w, op)
	case op < 0x8000:
		return w.skip(op >> 8 * 2)
	}
	return true
}

// pictClip takes the region within which orders show. One that cannot be read hides nothing.
func (p *player) pictClip(w *pictWalk) bool {
	from, n := w.at, w.u16(w.at)
	if !w.counted(0) {
		return false
	}
	p.dc.clip = unclipped()
	if rects, ok := w.region(from, n); ok {
		if figs, fits := p.figures(rects, true); fits {
			p.clipBy(figs, false, instead, true)
		}
	}
	return true
}
