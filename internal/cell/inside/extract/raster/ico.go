package raster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"

	"blotter/internal/reason"
)

// icoHeaders lists the pictures of an icon or cursor: the same in several sizes, each a
// PNG file or a bitmap with a mask of one bit behind it. Sizes come from the pictures; the
// directory's one byte each is not believed.
func icoHeaders(r io.ReaderAt, size int64, limit int) (headers, error) {
	var head [6]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return headers{}, because("icon header", io.ErrUnexpectedEOF)
	}
	le := binary.LittleEndian
	n := int(le.Uint16(head[4:]))
	if kind := le.Uint16(head[2:]); le.Uint16(head[:]) != 0 || kind != 1 && kind != 2 || n == 0 {
		return headers{}, because("icon header", errors.New("no mark"))
	}
	if n > limit {
		return headers{}, reason.Because(reason.ExtractFrames, fmt.Errorf("raster: more than %d frames", limit))
	}
	var h headers
	for i := range n {
		var e [16]byte
		if _, err := r.ReadAt(e[:], int64(6+16*i)); err != nil {
			h.frames = append(h.frames, frame{withheld: reason.ExtractTruncated})
			return h, nil //nolint:nilerr // said of the frame that is cut off
		}
		s := span{int64(le.Uint32(e[12:])), int64(le.Uint32(e[12:])) + int64(le.Uint32(e[8:]))}
		f, err := icon(r, size, s)
		if err != nil {
			f.withheld = reason.Of(because("icon", err))
		}
		h.frames = append(h.frames, f)
	}
	return h, nil
}

// icon reads the headers of one picture.
func icon(r io.ReaderAt, size int64, s span) (frame, error) {
	if s.end > size {
		return frame{}, io.ErrUnexpectedEOF
	}
	var mark [8]byte
	if _, err := r.ReadAt(mark[:], s.at); err != nil {
		return frame{}, io.ErrUnexpectedEOF
	}
	if string(mark[:]) == pngSignature {
		h, err := pngHeaders(r, s, 1)
		if err != nil {
			return frame{}, err
		}
		return h.frames[0], nil
	}
	b := &bitmap{r: r, size: s.end, info: s.at}
	info, err := b.header()
	if err != nil {
		return frame{}, err
	}
	b.height /= 2 // it counts the mask's rows too
	b.at = s.at + int64(len(info)) + b.coloursBytes(info)
	f := frame{turn: 1, width: b.width, height: b.height}
	if b.compression != bmpPlain && b.compression != bmpMasks || b.topDown {
		return f, reason.Because(reason.ExtractEncoding, fmt.Errorf("raster: icon with compression %d", b.compression))
	}
	if err := b.check(info); err != nil {
		return f, err
	}
	f.gray = b.neutral()
	f.load = func() (image.Image, error) { return b.icon() }
	return f, nil
}

// coloursBytes is the length of the palette, or of the masks behind a header of 40 bytes.
func (b *bitmap) coloursBytes(info []byte) int64 {
	if b.bits > 8 || b.compression == bmpMasks || b.compression == bmpAlphaMasks {
		return masksBehind(int64(len(info)), uint32(b.compression))
	}
	return b.colours(info) * colourBytes(info)
}

// icon decodes the pixels and lays the mask on them: what it covers is clear. Pixels of 32
// bits have an alpha of their own, unless it is zero everywhere.
func (b *bitmap) icon() (image.Image, error) {
	if b.bits == 32 && b.masks[3].most == 0 {
		b.masks[3] = mask{24, 0xff}
	}
	img, err := b.decode()
	if err != nil {
		return nil, err
	}
	if b.bits == 32 && !img.Opaque() {
		return img, nil
	}
	stride := (int64(b.width) + 31) / 32 * 4
	at := b.at + b.stride()*int64(b.height)
	row := make([]byte, stride)
	for y := b.height - 1; y >= 0; y-- {
		n, err := b.r.ReadAt(row[:max(0, min(stride, b.size-at))], at)
		if int64(n) < min(stride, (int64(b.width)+7)/8) {
			if b.bits == 32 { // a mask that says nothing is left out now and then
				return img, nil
			}
			return nil, because("icon mask", errors.Join(io.ErrUnexpectedEOF, err))
		}
		for x := range b.width {
			if row[x/8]>>(7-x%8)&1 == 1 {
				copy(img.Pix[y*img.Stride+4*x:], []byte{0, 0, 0, 0})
			}
		}
		at += stride
	}
	return img, nil
}
