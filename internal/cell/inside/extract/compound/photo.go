package compound

import (
	"encoding/binary"
	"slices"

	"blotter/internal/cell/inside/extract/raster"
)

// What Microsoft Photo Editor 3, with which Office 97 to 2003 scanned and pasted pictures,
// keeps in its stream: kind, width and height, resolution, a palette of 256 colours, and,
// behind 36 bytes of no known meaning, the pixels from the top, without padding. There is no
// description of it; it was read off pictures whose previews stand beside them.
const (
	photoPalette = 18
	photoPixels  = 822

	photoIndexed, photoColours = 2, 3 // kinds: bytes of a pixel are one and three
)

// photo is the size of such a picture and the bytes of a pixel, 0 where b is none: its length
// must be exact.
func photo(b []byte) (w, h, each int) {
	if len(b) <= photoPixels || binary.LittleEndian.Uint32(b[6:]) != 0 {
		return 0, 0, 0
	}
	w, h = int(binary.LittleEndian.Uint16(b[2:])), int(binary.LittleEndian.Uint16(b[4:]))
	switch binary.LittleEndian.Uint16(b) {
	case photoIndexed:
		each = 1
	case photoColours:
		each = 3
	}
	if w == 0 || h == 0 || each == 0 || len(b)-photoPixels != w*h*each {
		return 0, 0, 0
	}
	return w, h, each
}

func isPhoto(b []byte) bool {
	_, _, each := photo(b)
	return each > 0
}

const (
	infoHeader = 40
	bmpColours = 4 * 256
)

// photoSize is the length of the file that photoBMP makes of b.
func photoSize(b []byte) int64 {
	w, h, each := photo(b)
	n := int64(len(raster.BMPHeader(0, 0))) + infoHeader + int64(w*each+3)/4*4*int64(h)
	if each == 1 {
		n += bmpColours
	}
	return n
}

// photoBMP makes a BMP of the stream of a picture.
func photoBMP(b []byte) []byte {
	w, h, each := photo(b)
	le := binary.LittleEndian
	info := le.AppendUint32(nil, infoHeader)
	info = le.AppendUint32(le.AppendUint32(info, uint32(w)), uint32(-h)) // from the top
	info = le.AppendUint16(le.AppendUint16(info, 1), uint16(8*each))
	info = slices.Grow(append(info, make([]byte, infoHeader-len(info))...), int(photoSize(b)))
	if each == 1 {
		for c := range 256 {
			rgb := b[photoPalette+3*c:]
			info = append(info, rgb[2], rgb[1], rgb[0], 0)
		}
	}
	pixels := int64(len(info))
	for row := range slices.Chunk(b[photoPixels:], w*each) {
		info = append(info, row...)
		if each == 3 {
			for at := len(info) - len(row); at < len(info); at += 3 {
				info[at], info[at+2] = info[at+2], info[at]
			}
		}
		info = append(info, make([]byte, -len(row)&3)...)
	}
	return append(raster.BMPHeader(int64(len(info)), pixels), info...)
}
