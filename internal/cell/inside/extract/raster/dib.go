package raster

import "encoding/binary"

// DIBPixels finds where the pixels of a packed bitmap begin: one without the header of
// a file, as it lies in metafiles and office documents, with its header, its masks and
// its colours in front. step is the length of a colour where it is not that of the
// format: 2 for places in a palette; else 0.
func DIBPixels(dib []byte, step int64) (at int64, ok bool) {
	if len(dib) < os2Short {
		return 0, false
	}
	le := binary.LittleEndian
	n, depth, colours, usual := int64(le.Uint32(dib)), int64(0), int64(0), int64(4)
	switch {
	case n == os2Header:
		depth, usual = int64(le.Uint16(dib[10:])), 3
	case n >= os2Short && n <= v5Header && int64(len(dib)) >= n:
		depth = int64(le.Uint16(dib[14:]))
		if n >= infoHeader {
			colours = int64(le.Uint32(dib[32:]))
			n += masksBehind(n, le.Uint32(dib[16:]))
		}
	default:
		return 0, false
	}
	if depth > 0 && depth <= 8 && (colours == 0 || colours > 1<<depth) {
		colours = 1 << depth
	}
	if step == 0 {
		step = usual
	}
	at = n + colours*step
	return at, colours <= 1<<16 && at <= int64(len(dib))
}

// masksBehind is the length of the masks that stand behind a header of 40 bytes.
func masksBehind(header int64, compression uint32) int64 {
	switch {
	case header != infoHeader:
	case compression == bmpMasks:
		return 12
	case compression == bmpAlphaMasks:
		return 16
	}
	return 0
}

// BMPHeader is what makes a file of a packed bitmap of size bytes whose pixels begin at
// an offset.
func BMPHeader(size, pixels int64) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32([]byte("BM"), uint32(bmpFileHeader+size))
	b = le.AppendUint32(b, 0)
	return le.AppendUint32(b, uint32(bmpFileHeader+pixels))
}
