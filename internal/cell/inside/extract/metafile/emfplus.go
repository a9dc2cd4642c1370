package metafile

import (
	"bytes"
	"encoding/binary"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// plusState is what the comments of the newer dialect, EMF+, told ([MS-EMFPLUS]).
type plusState struct {
	dual    bool   // the older orders draw the same
	drew    bool   // it draws
	pending []byte // an object in several pieces
}

// Records of EMF+, and what else is needed of them.
const (
	plusHeader, plusObject    = 0x4001, 0x4008
	plusFirst, plusLast       = 0x4009, 0x401c // fill, draw and clear; DrawImage among them
	plusImage, plusImageAt    = 0x401a, 0x401b
	plusDriverString          = 0x4036
	plusContinues             = 0x8000
	plusImageObject           = 5
	plusBitmap                = 1
	plusPixels, plusFileBytes = 0, 1
)

// plus reads a comment of an EMF. Comments that are none of EMF+ draw nothing.
func (p *player) plus(s *plusState, r record) {
	if len(r.b) < 16 || r.u32(12) != 0x2b464d45 {
		return
	}
	b := cut(r.b, 16, min(r.u32(8), uint32(len(r.b)-12))-4)
	for len(b) >= 12 {
		le := binary.LittleEndian
		kind, flags, size, n := le.Uint16(b), le.Uint16(b[2:]), le.Uint32(b[4:]), le.Uint32(b[8:])
		if size < 12 || uint64(size) > uint64(len(b)) || n > size-12 {
			if !s.dual { // it may have been anything
				p.cannot()
			}
			return
		}
		p.plusRecord(s, kind, flags, b[12:][:n])
		b = b[size:]
	}
}

func (p *player) plusRecord(s *plusState, kind, flags uint16, b []byte) {
	switch {
	case kind == plusHeader:
		s.dual = flags&1 != 0
	case kind == plusObject && flags>>8&0x7f == plusImageObject:
		p.plusObject(s, flags, b)
	case kind == plusImage, kind == plusImageAt:
		s.drew = true
	case kind >= plusFirst && kind <= plusLast, kind == plusDriverString:
		if s.drew = true; !s.dual {
			p.cannot()
		}
	}
}

// plusObject gathers the pieces of an image. All but the last say that they go on, and
// begin with the length of the whole.
func (p *player) plusObject(s *plusState, flags uint16, b []byte) {
	if flags&plusContinues != 0 && len(b) >= 4 {
		total := uint64(binary.LittleEndian.Uint32(b))
		if s.pending = append(s.pending, b[4:]...); uint64(len(s.pending)) < total {
			return
		}
		b, s.pending = s.pending, nil
	} else if len(s.pending) > 0 {
		b, s.pending = append(s.pending, b...), nil
	}
	if s.dual { // its older orders hold the same bitmap
		return
	}
	le := binary.LittleEndian
	if len(b) < 28 || le.Uint32(b[4:]) != plusBitmap {
		p.met(bitmap{code: reason.ExtractVector, kind: document.EMF})
		return
	}
	switch le.Uint32(b[24:]) {
	case plusFileBytes:
		p.met(whole(b[28:]))
	case plusPixels:
		p.met(plusRows(le.Uint32(b[8:]), le.Uint32(b[12:]), le.Uint32(b[16:]), le.Uint32(b[20:]), b[28:]))
	}
}

// plusRows makes a bitmap of rows of pixels. Their formats end in how many bits a
// pixel has; those with a palette or of 48 bits and more are not known here.
func plusRows(w, h, stride, format uint32, b []byte) bitmap {
	const indexed, sixteen = 1 << 16, 0x00101004
	bits := format >> 8 & 0xff
	row := (uint64(w)*uint64(bits) + 31) / 32 * 4
	need := (uint64(w)*uint64(bits) + 7) / 8
	switch {
	case format&indexed != 0, bits != 24 && bits != 32:
		return bitmap{code: reason.ExtractEncoding, kind: document.RawPixels}
	case w == 0 || h == 0 || w > 1<<24 || h > 1<<24 || uint64(stride) < need || uint64(stride)*uint64(h-1)+need > uint64(len(b)):
		return bitmap{code: reason.ExtractTruncated, kind: document.RawPixels}
	}
	le := binary.LittleEndian
	info := le.AppendUint32(nil, 40)
	info = le.AppendUint32(info, w)
	info = le.AppendUint32(info, -h) // from the top
	info = le.AppendUint32(info, 1|bits<<16)
	info = append(info, make([]byte, 24)...)
	if uint64(stride) == row {
		return bitmap{info: info, bits: b}
	}
	var out bytes.Buffer
	for y := range uint64(h) {
		out.Write(b[y*uint64(stride):][:need])
		out.Write(make([]byte, row-need))
	}
	return bitmap{info: info, bits: out.Bytes()}
}
