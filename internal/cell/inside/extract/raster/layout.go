package raster

import (
	"errors"
	"fmt"
	"io"

	"blotter/internal/reason"
)

// Values of the TIFF tags that layoutOf knows.
const (
	whiteIsZero, blackIsZero, rgb, palette, separated, yCbCr = 0, 1, 2, 3, 5, 6

	plain, fax2, fax3, fax4, lzwPacked, jpegPacked, deflate, packBits, deflateOld = 1, 2, 3, 4, 5, 7, 8, 32773, 32946
)

// layout is how the pixels of a frame lie in a TIFF.
type layout struct {
	width, height        int
	bits                 int // of each sample: 1, 2, 4, 8 or 16
	samples              int // per pixel, extra ones included
	photometric          int
	compression          int
	alpha                int // 0 none, 1 premultiplied, 2 straight
	planes               int // 1, or samples where each has strips of its own
	lsbFirst             bool
	twoDim               bool // group 3 rows that refer to the row above
	differs              bool // samples are differences to their left neighbour
	blockW, blockH       int  // of a strip or tile
	across, down         int  // blocks
	tiled                bool
	offsetsTag, countTag uint16
}

// layoutOf reads a layout and refuses with extract.unsupported_encoding what
// decodeTIFF would get wrong.
func layoutOf(d *directory) (layout, error) {
	l := layout{
		width: d.number(tagWidth, 0), height: d.number(tagHeight, 0),
		bits: d.number(tagBits, 1), samples: d.number(tagSamples, 1),
		photometric: d.number(tagPhotometric, whiteIsZero), compression: d.number(tagCompression, plain),
		planes: 1, lsbFirst: d.number(tagFillOrder, 1) == 2,
	}
	for _, check := range []func(*directory) error{l.checkSamples, l.checkColour, l.checkCompression, l.blocks} {
		if err := check(d); err != nil {
			return layout{}, err
		}
	}
	return l, nil
}

func unsupported(format string, args ...any) error {
	return reason.Because(reason.ExtractEncoding, fmt.Errorf("raster: TIFF: "+format, args...))
}

func malformed(format string, args ...any) error {
	return reason.Because(reason.ExtractMalformed, fmt.Errorf("raster: TIFF: "+format, args...))
}

func (l *layout) checkSamples(d *directory) error {
	switch l.bits {
	case 1, 2, 4, 8, 16:
	default:
		return unsupported("%d bits", l.bits)
	}
	if l.samples < 1 || l.samples > 8 {
		return unsupported("%d samples", l.samples)
	}
	for tag, want := range map[uint16]uint32{tagBits: uint32(l.bits), tagFormat: 1} {
		values, err := d.numbers(tag, int64(l.samples))
		if err != nil {
			return because("TIFF samples", err)
		}
		for _, v := range values {
			if v != want {
				return unsupported("tag %d with %d", tag, v)
			}
		}
	}
	if l.samples > 1 && d.number(tagPlanar, 1) == 2 {
		l.planes = l.samples
	}
	return nil
}

func (l *layout) checkColour(d *directory) error {
	colours := map[int]int{whiteIsZero: 1, blackIsZero: 1, rgb: 3, palette: 1, separated: 4, yCbCr: 3}[l.photometric]
	switch {
	case colours == 0:
		return unsupported("photometric %d", l.photometric)
	case l.samples < colours:
		return malformed("%d samples for photometric %d", l.samples, l.photometric)
	case l.photometric == palette && (l.bits > 8 || l.samples > 1):
		return unsupported("palette of %d bits", l.bits)
	case colours > 1 && l.bits < 8:
		return unsupported("colour of %d bits", l.bits)
	case l.photometric == yCbCr && l.compression != jpegPacked:
		return unsupported("YCbCr without JPEG")
	}
	if l.samples > colours && l.bits < 8 {
		return unsupported("extra samples of %d bits", l.bits)
	}
	if a := d.number(tagExtra, 0); l.samples > colours && (a == 1 || a == 2) {
		l.alpha = a
	}
	return nil
}

func (l *layout) checkCompression(d *directory) error {
	switch l.compression {
	case plain, lzwPacked, deflate, deflateOld, packBits:
		if l.lsbFirst && l.compression != plain {
			return unsupported("fill order 2 with compression %d", l.compression)
		}
	case fax2, fax3, fax4:
		if l.bits != 1 || l.samples != 1 {
			return malformed("fax of %d bits", l.bits)
		}
		l.twoDim = l.compression == fax3 && d.number(tagT4Options, 0)&1 != 0
	case jpegPacked:
		if l.bits != 8 || l.planes != 1 || l.photometric == palette {
			return unsupported("JPEG of %d bits in %d planes", l.bits, l.planes)
		}
	default:
		return unsupported("compression %d", l.compression)
	}
	switch p := d.number(tagPredictor, 1); {
	case p == 1 || l.compression != lzwPacked && l.compression != deflate && l.compression != deflateOld:
	case p == 2 && l.bits >= 8:
		l.differs = true
	default:
		return unsupported("predictor %d with %d bits", p, l.bits)
	}
	return nil
}

// maxBlock bounds the bytes of one strip or tile after unpacking. The pixel limit
// bounds a strip; a tile may be larger than its picture.
const maxBlock = 1 << 30

func (l *layout) blocks(d *directory) error {
	l.blockW, l.blockH = l.width, l.height
	l.offsetsTag, l.countTag = tagStrips, tagStripCounts
	if d.has(tagTileWidth) {
		l.tiled = true
		l.blockW, l.blockH = d.number(tagTileWidth, 0), d.number(tagTileHeight, 0)
		l.offsetsTag, l.countTag = tagTiles, tagTileCounts
		// Tiles are padded to multiples of 16; a small picture may have one of usual size.
		if l.blockW < 8 || l.blockH < 8 || l.blockW > max(l.width+16, 1024) || l.blockH > max(l.height+16, 1024) {
			return malformed("tiles of %d×%d", l.blockW, l.blockH)
		}
	} else if rows := d.number(tagRowsPer, l.height); rows > 0 && rows < l.height {
		l.blockH = rows
	}
	l.across = (l.width + l.blockW - 1) / l.blockW
	l.down = (l.height + l.blockH - 1) / l.blockH
	if int64(l.rowBytes())*int64(l.blockH) > maxBlock {
		return reason.Because(reason.ExtractPixels, errors.New("raster: TIFF block too large"))
	}
	return nil
}

// foreign reports an encoding for which there is no decoder in Go: modified Huffman
// rows without marks between them, and two-dimensional group 3.
func (l *layout) foreign() bool { return l.compression == fax2 || l.twoDim }

// rowBytes is the length of one row of a block, of one plane.
func (l *layout) rowBytes() int {
	return (l.blockW*(l.samples/l.planes)*l.bits + 7) / 8
}

// rowsOf is how many rows the block in row down of blocks has: the last strip ends
// with the picture, a tile is always whole.
func (l *layout) rowsOf(down int) int {
	if l.tiled {
		return l.blockH
	}
	return min(l.blockH, l.height-down*l.blockH)
}

// gray reports that the frame holds no colour. A palette may hold some.
func (l *layout) gray() bool {
	return l.photometric == whiteIsZero || l.photometric == blackIsZero
}

// places returns where the blocks lie in the file. A strip without a count is taken
// up to the end of the file where it is the only one.
func (l *layout) places(d *directory) (offsets, counts []uint32, err error) {
	n := int64(l.across) * int64(l.down) * int64(l.planes)
	if offsets, err = d.numbers(l.offsetsTag, n); err != nil {
		return nil, nil, because("TIFF offsets", err)
	}
	if counts, err = d.numbers(l.countTag, n); err != nil {
		return nil, nil, because("TIFF counts", err)
	}
	if counts == nil && n == 1 && len(offsets) == 1 {
		counts = []uint32{uint32(max(0, d.size-int64(offsets[0])))}
	}
	if int64(len(offsets)) < n || int64(len(counts)) < n {
		return nil, nil, because("TIFF blocks", io.ErrUnexpectedEOF)
	}
	return offsets, counts, nil
}
