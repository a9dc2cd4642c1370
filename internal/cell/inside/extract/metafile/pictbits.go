package metafile

import (
	"encoding/binary"
	"image"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// pictRows is a bitmap of a PICT, its rows still packed.
type pictRows struct {
	width, height int
	stride        int // bytes of an unpacked row
	bits, planes  int // of a pixel; colours in planes of their own, where there are any
	pack          int
	palette       []byte // blue, green, red, 0
	rows          []byte
}

// pictBits reads a bitmap or pixel map.
func (p *player) pictBits(w *pictWalk, op int) bool {
	if op >= 0x9a {
		w.skip(4)
	}
	x := &pictRows{stride: w.u16(w.at) & 0x3fff, bits: 1, palette: []byte{255, 255, 255, 0, 0, 0, 0, 0}}
	mapped := w.u16(w.at)&0x8000 != 0 || op >= 0x9a
	top, left := w.i16(w.at+2), w.i16(w.at+4)
	x.height, x.width = w.i16(w.at+6)-top, w.i16(w.at+8)-left
	if !w.skip(10) {
		return false
	}
	if mapped {
		x.pack, x.bits, x.planes = w.u16(w.at+2), w.u16(w.at+18), w.u16(w.at+20)
		if !w.skip(36) || op < 0x9a && !x.colours(w) {
			return false
		}
	}
	src := image.Rect(w.i16(w.at+2)-left, w.i16(w.at)-top, w.i16(w.at+6)-left, w.i16(w.at+4)-top)
	to := [4]int{w.i16(w.at + 8), w.i16(w.at + 10), w.i16(w.at + 12), w.i16(w.at + 14)}
	mode := w.u16(w.at + 16)
	if !w.skip(18) || op&1 == 1 && !w.counted(0) { // a mask leaves parts out; they are shown
		return false
	}
	from := w.at
	if !x.pass(w, op) {
		return false
	}
	x.rows = w.b[from:w.at]
	if mode&0x3f != 0 {
		p.vector = true
	}
	p.blit(blit{bits: bitmap{rows: x}, rop: ropCopy, src: src}, point{float64(to[1]), float64(to[0])},
		point{float64(to[3] - to[1]), float64(to[2] - to[0])})
	return true
}

// colours reads a colour table: entries of a number and three words.
func (x *pictRows) colours(w *pictWalk) bool {
	n := w.u16(w.at+6) + 1
	inOrder := w.u16(w.at+4)&0x8000 != 0
	if n > 256 || !w.skip(8) {
		return false
	}
	x.palette = make([]byte, 4*n)
	for i := range n {
		at := i
		if v := w.u16(w.at); !inOrder {
			at = v
		}
		if at < n && w.at+8 <= len(w.b) {
			x.palette[4*at], x.palette[4*at+1], x.palette[4*at+2] = w.b[w.at+6], w.b[w.at+4], w.b[w.at+2]
		}
		if !w.skip(8) {
			return false
		}
	}
	return true
}

// packed rows say how long they are; short rows and some kinds are never packed.
func (x *pictRows) packed(op int) bool {
	return x.stride >= 8 && x.pack != 1 && x.pack != 2 && op >= 0x98
}

// pass finds the end of the rows.
func (x *pictRows) pass(w *pictWalk, op int) bool {
	if x.width <= 0 || x.height <= 0 {
		return false
	}
	if !x.packed(op) {
		if x.pack == 2 {
			x.stride = x.stride / 4 * 3
		}
		if x.pack == 0 || x.stride < 8 {
			x.pack = 1
		}
		return w.skip(x.stride * x.height)
	}
	if x.pack == 0 && x.bits == 16 {
		x.pack = 3
	}
	if x.pack == 0 && x.bits == 32 {
		x.pack = 4
	}
	for range x.height {
		n, head := w.rowBytes(x.stride)
		if !w.skip(head + n) {
			return false
		}
	}
	return true
}

func (w *pictWalk) rowBytes(stride int) (n, head int) {
	if stride > 250 {
		return w.u16(w.at), 2
	}
	if w.at < len(w.b) {
		return int(w.b[w.at]), 1
	}
	return 0, 1
}

// unpack makes a bitmap of the rows, of 1 to 8 bits with a palette, else of 24.
func (x *pictRows) unpack(most int64) (bitmap, error) {
	fail := func(code reason.Code) (bitmap, error) {
		return bitmap{}, reason.Because(code, malformed("PICT bitmap"))
	}
	out := x.bits
	switch {
	case int64(x.width)*int64(x.height) > most:
		return fail(reason.ExtractPixels)
	case x.bits == 1, x.bits == 2, x.bits == 4, x.bits == 8:
	case x.bits == 16, x.bits == 32:
		out = 24
	default:
		return fail(reason.ExtractEncoding)
	}
	if need := (x.width*x.bits + 7) / 8; x.stride < need && x.pack != 2 {
		return fail(reason.ExtractMalformed)
	}
	le := binary.LittleEndian
	info := le.AppendUint32(nil, 40)
	info = le.AppendUint32(info, uint32(x.width))
	info = le.AppendUint32(info, uint32(-x.height))
	info = le.AppendUint32(info, 1|uint32(out)<<16)
	info = append(info, make([]byte, 24)...)
	if out <= 8 {
		le.PutUint32(info[32:], uint32(len(x.palette)/4))
		info = append(info, x.palette...)
	}
	line := (x.width*out + 31) / 32 * 4
	pix := make([]byte, line*x.height)
	w := pictWalk{b: x.rows}
	row := make([]byte, max(x.stride, 4*x.width))
	for y := range x.height {
		clear(row)
		if x.pack == 1 || x.pack == 2 {
			if n := copy(row, w.b[w.at:min(w.at+x.stride, len(w.b))]); !w.skip(n) || n < x.stride {
				return fail(reason.ExtractTruncated)
			}
		} else {
			n, head := w.rowBytes(x.stride)
			unit := 1
			if x.pack == 3 {
				unit = 2
			}
			if !w.skip(head) || !packBits(row, w.b[w.at:min(w.at+n, len(w.b))], unit) || !w.skip(n) {
				return fail(reason.ExtractMalformed)
			}
		}
		x.line(pix[y*line:][:line], row)
	}
	return bitmap{info: info, bits: pix, kind: document.BMP}, nil
}

// line turns a row into one of a bitmap: blue, green, red.
func (x *pictRows) line(dst, row []byte) {
	for i := range x.width {
		switch {
		case x.bits == 16:
			v := binary.BigEndian.Uint16(row[2*i:])
			for c := range 3 {
				v5 := v >> (5 * c) & 31
				dst[3*i+c] = byte(v5<<3 | v5>>2)
			}
		case x.bits == 32 && x.pack == 4: // one colour after the other
			first := (min(max(x.planes, 3), 4) - 3) * x.width
			dst[3*i], dst[3*i+1], dst[3*i+2] = row[first+2*x.width+i], row[first+x.width+i], row[first+i]
		case x.bits == 32 && x.pack == 2:
			dst[3*i], dst[3*i+1], dst[3*i+2] = row[3*i+2], row[3*i+1], row[3*i]
		case x.bits == 32:
			dst[3*i], dst[3*i+1], dst[3*i+2] = row[4*i+3], row[4*i+2], row[4*i+1]
		default:
			copy(dst, row[:min(len(row), len(dst))])
			return
		}
	}
}

// packBits unpacks runs of units of one or two bytes. What a row holds more is let go.
func packBits(dst, src []byte, unit int) bool {
	at := 0
	for i := 0; i < len(src); {
		n := int(int8(src[i]))
		i++
		switch {
		case n == -128:
		case n < 0:
			if i+unit > len(src) {
				return false
			}
			for range 1 - n {
				at += copy(dst[min(at, len(dst)):], src[i:i+unit])
			}
			i += unit
		default:
			end := i + (n+1)*unit
			if end > len(src) {
				return false
			}
			at += copy(dst[min(at, len(dst)):], src[i:end])
			i = end
		}
	}
	return true
}

// pictQuickTime reads an image that QuickTime packed: JPEG and PNG are files within.
func (p *player) pictQuickTime(w *pictWalk, op int) bool {
	from := w.at + 4
	if !w.long() {
		return false
	}
	b := pictWalk{b: w.b[from:w.at]}
	const matte, mask, description = 38, 64, 68
	if b.u32(matte) != 0 || b.u32(mask) != 0 || op != 0x8200 {
		p.vector = true
		p.met(bitmap{code: reason.ExtractEncoding, kind: document.UnknownFormat})
		return true
	}
	n := b.u32(description)
	img := bitmap{code: reason.ExtractEncoding, kind: document.UnknownFormat}
	if kind := string(b.b[min(len(b.b), description+4):min(len(b.b), description+8)]); (kind == "jpeg" || kind == "png ") && uint64(description)+uint64(n) < uint64(len(b.b)) {
		img = whole(b.b[description+int(n):])
	}
	p.vector = true // it lies by a matrix; alone it is the picture
	p.met(img)
	return true
}
