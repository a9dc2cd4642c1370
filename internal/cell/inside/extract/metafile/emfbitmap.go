package metafile

import (
	"encoding/binary"
	"image"
)

// dib is a bitmap whose header and pixels lie where four numbers say.
func (r record) dib(at int, usage uint32) bitmap {
	if r.u32(at+4) == 0 {
		return bitmap{}
	}
	b := bitmap{info: cut(r.b, r.u32(at), r.u32(at+4)), bits: cut(r.b, r.u32(at+8), r.u32(at+12))}
	if b.info == nil || b.bits == nil {
		return packed(nil, false)
	}
	b.indexed = usage == 1 && bitsOf(b.info) <= 8
	return b
}

// emfBitmap carries out what lays down bitmaps.
func (p *player) emfBitmap(r record) bool {
	switch r.kind {
	case emfStretchDIBits:
		b := r.dib(48, r.u32(64))
		src := fromBottom(b, int(r.num(32)), int(r.num(36)), int(r.num(40)), int(r.num(44)))
		p.blit(blit{bits: b, rop: byte(r.u32(68) >> 16), src: src}, r.point(24), r.point(72))
	case emfToDevice:
		b := r.dib(48, r.u32(64))
		if _, h, _ := b.size(); r.u32(68) != 0 || int64(r.u32(72)) != int64(h) {
			p.vector = true
			p.met(b)
			break
		}
		src := fromBottom(b, int(r.num(32)), int(r.num(36)), int(r.num(40)), int(r.num(44)))
		s := p.scale()
		p.blit(blit{bits: b, rop: ropCopy, src: src}, r.point(24), point{r.num(40) / s.x, r.num(44) / s.y})
	case emfBitBlt, emfStretchBlt, emfAlphaBlend, emfTransparentBlt, emfMaskBlt:
		p.emfBlt(r)
	case emfPlgBlt:
		b := r.dib(96, r.u32(92))
		if r.u32(128) != 0 || !r.plain(64) { // through a mask
			p.vector = true
			p.met(b)
			break
		}
		src := image.Rect(0, 0, int(r.num(56)), int(r.num(60))).Add(image.Pt(int(r.num(48)), int(r.num(52))))
		p.blitOnto(blit{bits: b, rop: ropCopy, src: src}, r.point(24), r.point(32), r.point(40))
	default:
		return false
	}
	return true
}

// plain reports that the source of a bitmap has units of pixels.
func (r record) plain(at int) bool { return r.world(at) == unmoved }

// emfBlt carries out the orders that copy from another surface, which are alike as far as the
// bitmap goes.
func (p *player) emfBlt(r record) {
	t := blit{bits: r.dib(84, r.u32(80)), rop: byte(r.u32(40) >> 16)}
	w, h := r.num(32), r.num(36)
	ok := t.bits.info == nil || r.plain(52)
	switch r.kind {
	case emfStretchBlt:
		w, h = r.num(100), r.num(104)
	case emfAlphaBlend:
		const own = 1
		w, h, t.rop = r.num(100), r.num(104), ropCopy
		how := r.u32(40)
		if t.perPixel = how>>24 == own; how>>16&0xff == 0 {
			t.rop = ropLeave // nothing is seen of it
		}
		if how>>16&0xff != 255 {
			t.alpha = byte(how >> 16)
		}
	case emfTransparentBlt:
		key := p.colour(r.u32(40))
		w, h, t.rop, t.key = r.num(100), r.num(104), ropCopy, &key
	case emfMaskBlt:
		if m := r.dib(112, r.u32(108)); m.info != nil {
			ok = ok && r.u32(40)>>24 == ropLeave
			t.mask, t.maskAt = &m, image.Pt(int(r.num(100)), int(r.num(104)))
		}
	}
	if !ok {
		p.vector = true
		p.met(t.bits)
		return
	}
	x, y := int(r.num(44)), int(r.num(48))
	t.src = image.Rectangle{image.Pt(x, y), image.Pt(x+int(w), y+int(h))}
	p.blit(t, r.point(24), r.point(32))
}

// bitsOf is how many bits a pixel has; 0 where the header is too short.
func bitsOf(info []byte) int {
	switch {
	case len(info) < coreHeader:
		return 0
	case binary.LittleEndian.Uint32(info) == coreHeader:
		return int(binary.LittleEndian.Uint16(info[10:]))
	case len(info) < 16:
		return 0
	}
	return int(binary.LittleEndian.Uint16(info[14:]))
}

// fromBottom is a part of a bitmap whose rows are counted from the bottom where they
// are stored so.
func fromBottom(b bitmap, x, y, w, h int) image.Rectangle {
	r := image.Rectangle{image.Pt(x, y), image.Pt(x+w, y+h)}
	if _, height, top := b.size(); !top {
		r.Min.Y, r.Max.Y = height-y-h, height-y
	}
	return r
}
