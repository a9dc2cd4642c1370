package raster

import (
	"errors"
	"fmt"
	"io"
	"math"

	"blotter/internal/reason"
)

// Values of the TIFF tags that layoutOf knows.
const (
	whiteIsZero, blackIsZero, rgb, palette, maskOnly, separated, yCbCr, cieLab, iccLab = 0, 1, 2, 3, 4, 5, 6, 8, 9

	plain, fax2, fax3, fax4, lzwPacked, jpegOld, jpegPacked, deflate = 1, 2, 3, 4, 5, 6, 7, 8
	faxWords, packBits, deflateOld                                   = 32771, 32773, 32946
	zstdPacked, webpPacked                                           = 50000, 50001 // libtiff's

	unsigned, signed, floating, undefined = 1, 2, 3, 4 // sample formats
)

// layout is how the pixels of a frame lie in a TIFF.
type layout struct {
	width, height        int
	bits                 int // of each sample: 1–16, 24, 32 or 64
	format               int // unsigned, signed or floating
	samples              int // per pixel, extra ones included
	photometric          int
	compression          int
	alpha                int // 0 none, 1 premultiplied, 2 straight
	planes               int // 1, or samples where each has strips of its own
	subH, subV           int // pixels that share a colour difference, YCbCr without JPEG; 1 elsewhere
	lsbFirst             bool
	twoDim               bool // group 3 rows that refer to the row above
	emptyRuns            bool // rows of a fax refer to runs of no length as well
	predictor            int  // 1 none, 2 differences, 3 differences of the bytes of fractions
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
		bits: d.number(tagBits, 1), format: d.number(tagFormat, unsigned), samples: d.number(tagSamples, 0),
		photometric: d.number(tagPhotometric, whiteIsZero), compression: d.number(tagCompression, plain),
		planes: 1, subH: 1, subV: 1, lsbFirst: d.number(tagFillOrder, 1) == 2,
	}
	if l.samples == 0 {
		l.samples = unsaid(l.photometric)
	}
	for _, check := range []func(*directory) error{l.checkSamples, l.checkColour, l.checkCompression, l.checkSubsampling, l.checkPredictor, l.blocks} {
		if err := check(d); err != nil {
			return layout{}, err
		}
	}
	return l, nil
}

// unsaid is the number of samples where a file leaves it out. The rule is one, which some
// writers of colours do not know.
func unsaid(photometric int) int {
	switch photometric {
	case rgb, yCbCr:
		return 3
	case separated:
		return 4
	}
	return 1
}

func unsupported(format string, args ...any) error {
	return reason.Because(reason.ExtractEncoding, fmt.Errorf("raster: TIFF: "+format, args...))
}

func malformed(format string, args ...any) error {
	return reason.Because(reason.ExtractMalformed, fmt.Errorf("raster: TIFF: "+format, args...))
}

func (l *layout) checkSamples(d *directory) error {
	if l.format == undefined {
		l.format = unsigned
	}
	switch {
	case l.format == unsigned && (l.bits >= 1 && l.bits <= 16 || l.bits == 24 || l.bits == 32 || l.bits == 64):
	case l.format == signed && (l.bits == 8 || l.bits == 16 || l.bits == 24 || l.bits == 32 || l.bits == 64):
	case l.format == floating && (l.bits == 16 || l.bits == 24 || l.bits == 32 || l.bits == 64):
	default:
		return unsupported("%d bits of format %d", l.bits, l.format)
	}
	if l.samples < 1 || l.samples > 8 {
		return unsupported("%d samples", l.samples)
	}
	for _, tag := range []uint16{tagBits, tagFormat} {
		values, err := d.numbers(tag, int64(l.samples))
		if err != nil {
			return because("TIFF samples", err)
		}
		for _, v := range values {
			if v != values[0] {
				return unsupported("samples that differ in tag %d", tag)
			}
		}
	}
	if l.samples > 1 && d.number(tagPlanar, 1) == 2 {
		l.planes = l.samples
	}
	return nil
}

// colours is how many samples come before the extra ones; 0 for what is not known.
func (l *layout) colours() int {
	switch l.photometric {
	case whiteIsZero, blackIsZero, palette, maskOnly:
		return 1
	case rgb, yCbCr:
		return 3
	case cieLab, iccLab:
		return min(l.samples, 3) // lightness alone is gray
	case separated:
		return 4
	}
	return 0
}

func (l *layout) checkColour(d *directory) error {
	colours := l.colours()
	switch {
	case colours == 0:
		return unsupported("photometric %d", l.photometric)
	case l.samples < colours || colours == 2:
		return malformed("%d samples for photometric %d", l.samples, l.photometric)
	case l.photometric == palette && (l.bits > 16 || l.format != unsigned):
		return unsupported("palette of %d bits", l.bits)
	case l.photometric == separated && d.number(tagInkSet, 1) != 1:
		return unsupported("other inks than cyan, magenta, yellow and black")
	case (l.photometric == yCbCr || l.lab()) && l.bits != 8 && !(l.lab() && l.bits == 16):
		return unsupported("photometric %d of %d bits", l.photometric, l.bits)
	case (l.photometric == yCbCr || l.lab()) && l.format == floating:
		return unsupported("photometric %d of fractions", l.photometric)
	}
	if a := d.number(tagExtra, 0); l.samples > colours && (a == 1 || a == 2) {
		l.alpha = a
	}
	return nil
}

func (l *layout) lab() bool { return l.photometric == cieLab || l.photometric == iccLab }

func (l *layout) checkCompression(d *directory) error {
	switch l.compression {
	case plain, lzwPacked, deflate, deflateOld, packBits, zstdPacked:
	case webpPacked:
		if l.bits != 8 || l.photometric != rgb || l.planes != 1 || l.samples != 3 && l.samples != 4 {
			return unsupported("WebP of %d bits, photometric %d", l.bits, l.photometric)
		}
	case fax2, fax3, fax4, faxWords:
		if l.bits != 1 || l.samples != 1 {
			return malformed("fax of %d bits", l.bits)
		}
		l.twoDim = l.compression == fax3 && d.number(tagT4Options, 0)&1 != 0
	case jpegPacked, jpegOld:
		if l.bits != 8 || l.photometric == palette || l.lab() || l.format == floating {
			return unsupported("JPEG of %d bits, photometric %d", l.bits, l.photometric)
		}
		if l.planes == 1 && l.samples != l.colours() || l.planes > 1 && l.compression == jpegOld {
			return unsupported("JPEG of %d samples in %d planes", l.samples, l.planes)
		}
	default:
		return unsupported("compression %d", l.compression)
	}
	return nil
}

// isJPEG reports that the blocks are JPEG streams.
func (l *layout) isJPEG() bool { return l.compression == jpegPacked || l.compression == jpegOld }

// checkSubsampling reads how many pixels share a colour difference. JPEG streams say so
// themselves.
func (l *layout) checkSubsampling(d *directory) error {
	if l.photometric != yCbCr {
		return nil
	}
	sub, err := d.numbers(tagYCbCrSub, 2)
	if err != nil {
		return because("TIFF subsampling", err)
	}
	h, v := 2, 2
	if len(sub) == 2 {
		h, v = int(min(sub[0], 8)), int(min(sub[1], 8))
	}
	switch {
	case l.compression == jpegPacked && l.planes > 1 && (h != 1 || v != 1):
		return unsupported("JPEG planes of different sizes")
	case l.isJPEG():
		return nil
	case h != 1 && h != 2 && h != 4 || v != 1 && v != 2 && v != 4:
		return malformed("subsampling of %d×%d", h, v)
	case (h != 1 || v != 1) && (l.planes != 1 || l.samples != 3):
		return unsupported("subsampling in %d planes of %d samples", l.planes, l.samples)
	}
	l.subH, l.subV = h, v
	return nil
}

func (l *layout) checkPredictor(d *directory) error {
	l.predictor = 1
	if l.compression != lzwPacked && l.compression != deflate && l.compression != deflateOld && l.compression != zstdPacked {
		return nil
	}
	switch p := d.number(tagPredictor, 1); {
	case p == 1:
	case p == 2 && (l.bits == 8 || l.bits == 16 || l.bits == 32 || l.bits == 64) && l.subH == 1 && l.subV == 1:
		l.predictor = 2
	case p == 3 && l.format == floating:
		l.predictor = 3
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
		if d.has(tagTiles) || !d.has(tagStrips) { // an old mistake of writers is to use the tags of strips
			l.offsetsTag, l.countTag = tagTiles, tagTileCounts
		}
		// Tiles are padded to multiples of 16; a small picture may have one of usual size.
		if l.blockW < 8 || l.blockH < 8 || l.blockW > max(l.width+16, 1024) || l.blockH > max(l.height+16, 1024) {
			return malformed("tiles of %d×%d", l.blockW, l.blockH)
		}
	} else if rows := d.number(tagRowsPer, l.height); rows > 0 && rows < l.height {
		l.blockH = rows
	}
	l.across = (l.width + l.blockW - 1) / l.blockW
	l.down = (l.height + l.blockH - 1) / l.blockH
	if int64(l.rowBytes()) > maxBlock/int64(l.blockH) {
		return reason.Because(reason.ExtractPixels, errors.New("raster: TIFF block too large"))
	}
	return nil
}

// rowBytes is the length of one row of a block, of one plane, unpacked.
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
	return l.photometric != palette && l.colours() == 1
}

// blockBytes bounds the bytes of all blocks where these share theirs, as blank tiles do:
// some seconds of reading.
const blockBytes = 1 << 30

// places returns where the blocks lie in the file. A strip without a count is taken
// up to the end of the file where it is the only one.
func (l *layout) places(d *directory) ([]span, error) {
	n := int64(l.across) * int64(l.down) * int64(l.planes)
	offsets, err := d.numbers(l.offsetsTag, n)
	if err != nil {
		return nil, because("TIFF offsets", err)
	}
	counts, err := d.numbers(l.countTag, n)
	if err != nil {
		return nil, because("TIFF counts", err)
	}
	if counts == nil && n == 1 && len(offsets) == 1 {
		counts = []uint64{uint64(max(0, d.size-int64(min(offsets[0], math.MaxInt64))))}
	}
	if int64(len(offsets)) < n || int64(len(counts)) < n {
		return nil, because("TIFF blocks", io.ErrUnexpectedEOF)
	}
	out, left := make([]span, n), max(blockBytes, 4*d.size)
	for i := range out {
		if offsets[i] > uint64(d.size) || counts[i] > uint64(d.size)-offsets[i] {
			return nil, because("TIFF block", io.ErrUnexpectedEOF)
		}
		out[i] = span{int64(offsets[i]), int64(offsets[i] + counts[i])}
		if left -= int64(counts[i]); left < 0 {
			return nil, malformed("blocks that overlap")
		}
	}
	return out, nil
}
