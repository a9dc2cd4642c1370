package raster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"

	"blotter/internal/reason"
)

// Compression of a BMP, [MS-WMF] 2.1.1.7 and OS/2's.
const (
	bmpPlain, bmpRLE8, bmpRLE4, bmpMasks, bmpJPEG, bmpPNG, bmpAlphaMasks = 0, 1, 2, 3, 4, 5, 6
	bmpRLE24                                                             = 4 // OS/2

	bmpFileHeader = 14
	os2Header     = 12 // BITMAPCOREHEADER
	os2Short      = 16 // the least that OS/2 2 writes of its 64 bytes
	infoHeader    = 40 // BITMAPINFOHEADER
	os2Long       = 64
	v4Header      = 108
	v5Header      = 124
)

// bitmap is how the pixels of a BMP lie.
type bitmap struct {
	r             io.ReaderAt
	info          int64 // where the header of the pixels begins
	at, size      int64 // the pixels' first byte, the file's end
	width, height int
	topDown       bool
	bits          int // of a pixel: 1, 2, 4, 8, 16, 24 or 32
	compression   int
	palette       []byte // blue, green, red
	masks         [4]mask
	dpi           int
	more          bool
}

// mask is where a channel lies in a pixel of 16 or 32 bits.
type mask struct {
	shift int
	most  uint32 // its greatest value; 0 where the channel is missing
}

// bmpHeaders reads the header, whose many ages differ in length alone, and the palette. The
// 14 bytes that say where the pixels begin may be missing, as in what clipboards hold.
func bmpHeaders(r io.ReaderAt, size int64, frames int) (headers, error) {
	if frames < 1 {
		return headers{}, reason.Because(reason.ExtractFrames, errors.New("raster: no frame allowed"))
	}
	var head [bmpFileHeader]byte
	if size < bmpFileHeader+os2Header {
		return headers{}, because("BMP header", io.ErrUnexpectedEOF)
	}
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return headers{}, because("BMP header", err)
	}
	b := &bitmap{r: r, size: size, info: bmpFileHeader, at: int64(binary.LittleEndian.Uint32(head[10:]))}
	bare := string(head[:2]) != "BM"
	if bare {
		b.info = 0
	}
	info, err := b.header()
	if err != nil {
		return headers{}, err
	}
	if bare {
		b.at = int64(len(info)) + b.coloursBytes(info)
	}
	f := b.frame(info)
	return headers{frames: []frame{f}, more: b.more}, nil
}

// header reads the header of the pixels.
func (b *bitmap) header() ([]byte, error) {
	var info [v5Header]byte
	n, err := b.r.ReadAt(info[:max(0, min(b.size-b.info, int64(len(info))))], b.info)
	if n < os2Header {
		return nil, because("BMP header", errors.Join(io.ErrUnexpectedEOF, err))
	}
	length := int(binary.LittleEndian.Uint32(info[:]))
	if length > v5Header || length < os2Short && length != os2Header {
		return nil, reason.Because(reason.ExtractMalformed, fmt.Errorf("raster: BMP header of %d bytes", length))
	}
	if n < length {
		return nil, because("BMP header", io.ErrUnexpectedEOF)
	}
	if length == os2Header {
		b.readOS2(info[:length])
	} else {
		b.readInfo(info[:length])
	}
	return info[:length], nil
}

// frame judges the encoding. A bitmap may be the wrapping of another kind of file.
func (b *bitmap) frame(info []byte) frame {
	f := frame{turn: 1, width: b.width, height: b.height, dpi: b.dpi, bmp: b}
	if len(info) >= infoHeader && len(info) != os2Long && (b.compression == bmpJPEG || b.compression == bmpPNG) {
		return b.wrapped(f)
	}
	if err := b.check(info); err != nil {
		f.withheld = reason.Of(err)
	}
	f.gray = b.neutral()
	return f
}

// wrapped is a JPEG or PNG file in place of pixels, as printers are given them. It is what
// is shown, if it has the size that was said.
func (b *bitmap) wrapped(f frame) frame {
	s, inner := span{b.at, b.size}, frame{}
	var err error
	if b.compression == bmpJPEG {
		w, werr := walkJPEG(b.r, s)
		if err = werr; err == nil {
			inner, b.more = w.f, true
		}
	} else {
		h, herr := pngHeaders(b.r, s, 1)
		if err = herr; err == nil {
			inner, b.more = h.frames[0], true
		}
	}
	switch {
	case err != nil:
		f.withheld = reason.Of(because("BMP", err))
		return f
	case inner.width != f.width || inner.height != f.height:
		inner.withheld = reason.ExtractSizeLies
	}
	inner.dpi = f.dpi
	return inner
}

func (b *bitmap) readOS2(info []byte) {
	le := binary.LittleEndian
	b.width, b.height, b.bits = int(le.Uint16(info[4:])), int(le.Uint16(info[6:])), int(le.Uint16(info[10:]))
}

// readInfo reads a header of 16 bytes or more. What it is too short for is zero.
func (b *bitmap) readInfo(short []byte) {
	info := append(append(make([]byte, 0, v5Header), short...), make([]byte, v5Header-len(short))...)
	le := binary.LittleEndian
	b.width, b.height = int(int32(le.Uint32(info[4:]))), int(int32(le.Uint32(info[8:])))
	if b.height < 0 {
		b.height, b.topDown = -b.height, true
	}
	b.bits, b.compression = int(le.Uint16(info[14:])), int(le.Uint32(info[16:]))
	b.dpi = perInch(float64(le.Uint32(info[24:])) * 0.0254)
	b.more = len(short) == v5Header && le.Uint32(info[116:]) != 0 // a colour profile
}

// check judges whether decode knows the encoding, and reads palette and masks.
func (b *bitmap) check(info []byte) error {
	if b.width > 0 && b.height > 0 && b.height <= math.MaxInt32 {
		b.correct(info)
	}
	if b.width <= 0 || b.height <= 0 || b.height > math.MaxInt32 || b.at < b.info+int64(len(info)) {
		return reason.Because(reason.ExtractMalformed, errors.New("raster: BMP header"))
	}
	os2 := len(info) < infoHeader || len(info) == os2Long
	switch c := b.compression; {
	case c == bmpPlain && b.knownBits():
	case c == bmpRLE8 && b.bits == 8 || c == bmpRLE4 && b.bits == 4 || c == bmpRLE24 && b.bits == 24 && len(info) == os2Long:
		if b.topDown {
			return reason.Because(reason.ExtractMalformed, errors.New("raster: BMP packed from the top"))
		}
	case (c == bmpMasks || c == bmpAlphaMasks) && (b.bits == 16 || b.bits == 32) && !os2:
	default: // OS/2's fax code, which nobody seems to have written, among them
		return reason.Because(reason.ExtractEncoding, fmt.Errorf("raster: BMP of %d bits with compression %d", b.bits, c))
	}
	if err := b.channels(info); err != nil {
		return err
	}
	if err := b.readPalette(info); err != nil {
		return err
	}
	return b.checkLength(info)
}

// correct finds the pixels of a file that says they begin within what stands before them,
// as some writers do: right behind it, if the file's length bears that out. Where they are
// said to begin within the palette, that may be a short one, unless they end with the file.
func (b *bitmap) correct(info []byte) {
	at := b.info + int64(len(info))
	behind := at + b.coloursBytes(info)
	stride := b.stride()
	if b.at >= behind || b.packed() || stride > math.MaxInt64/2/int64(b.height) {
		return
	}
	whole := behind + stride*int64(b.height)
	if ends := b.size <= whole && b.size > whole-4; ends || b.at < at && b.size > whole {
		b.at = behind
	}
}

// colours is how many the palette is said to have, of those that a pixel can name.
func (b *bitmap) colours(info []byte) int64 {
	n := int64(1) << b.bits
	if len(info) >= infoHeader {
		if used := int64(binary.LittleEndian.Uint32(info[32:])); used > 0 && used < n {
			return used
		}
	}
	return n
}

// colourBytes is the length of a colour in the palette.
func colourBytes(info []byte) int64 {
	if len(info) == os2Header {
		return 3
	}
	return 4
}

func (b *bitmap) knownBits() bool {
	switch b.bits {
	case 1, 2, 4, 8, 16, 24, 32:
		return true
	}
	return false
}

// channels sets the masks: those that the header carries, or that stand behind a header
// of 40 bytes, else the usual ones. Alpha counts in headers that know of it.
func (b *bitmap) channels(info []byte) error {
	raw := [4]uint32{0xff0000, 0xff00, 0xff, 0}
	if b.bits == 16 {
		raw = [4]uint32{0x7c00, 0x3e0, 0x1f, 0}
	}
	given, err := b.givenMasks(info)
	if err != nil {
		return err
	}
	if b.compression == bmpMasks || b.compression == bmpAlphaMasks {
		raw = given
	} else if b.bits == 32 {
		raw[3] = given[3]
	}
	if b.bits != 16 && b.bits != 32 {
		return nil
	}
	for i, m := range raw {
		shift := bits.TrailingZeros32(m)
		most := uint32(uint64(m) >> shift)
		if most&(most+1) != 0 || b.bits == 16 && m > math.MaxUint16 {
			return reason.Because(reason.ExtractMalformed, fmt.Errorf("raster: BMP mask %#x", m))
		}
		b.masks[i] = mask{shift, most}
	}
	return nil
}

// givenMasks reads up to four masks from where they may stand: the first byte past the
// 40 that all headers share.
func (b *bitmap) givenMasks(info []byte) (out [4]uint32, err error) {
	n := 0
	switch {
	case len(info) >= 56 && len(info) != os2Long:
		n = 4
	case len(info) == 52:
		n = 3
	case len(info) == infoHeader && b.compression == bmpMasks:
		n = 3
	case len(info) == infoHeader && b.compression == bmpAlphaMasks:
		n = 4
	}
	var raw [16]byte
	if _, err := b.r.ReadAt(raw[:4*n], b.info+infoHeader); err != nil && !errors.Is(err, io.EOF) {
		return out, because("BMP masks", err)
	}
	for i := range n {
		out[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return out, nil
}

// readPalette takes as many colours as lie between header and pixels, of those that a
// pixel can name. Colours that the header does not count are black, as Windows and browsers
// show them; those that it counts and that are not there are missing.
func (b *bitmap) readPalette(info []byte) error {
	if b.bits > 8 {
		return nil
	}
	at, step, counted := b.info+int64(len(info)), colourBytes(info), b.colours(info)
	n := min(counted, (b.at-at)/step)
	raw := make([]byte, n*step)
	if _, err := b.r.ReadAt(raw, at); err != nil && (n > 0 || !errors.Is(err, io.EOF)) {
		return because("BMP palette", io.ErrUnexpectedEOF)
	}
	for i := range n {
		b.palette = append(b.palette, raw[i*step:][:3]...)
	}
	if n == counted {
		b.palette = append(b.palette, make([]byte, 3<<b.bits-len(b.palette))...)
	}
	return nil
}

// checkLength compares what the pixels need with what the file has, where that can be
// told without unpacking. The padding of the last row may be missing.
func (b *bitmap) checkLength(info []byte) error {
	if b.packed() {
		if len(info) >= infoHeader {
			n := int64(binary.LittleEndian.Uint32(info[20:]))
			b.more = b.more || n > 0 && b.at+n < b.size
		}
		return nil
	}
	stride := b.stride()
	if stride > math.MaxInt64/int64(b.height) || b.at+stride*int64(b.height-1)+(int64(b.width)*int64(b.bits)+7)/8 > b.size {
		return because("BMP pixels", io.ErrUnexpectedEOF)
	}
	b.more = b.more || b.at+stride*int64(b.height) < b.size
	return nil
}

// packed reports run lengths.
func (b *bitmap) packed() bool {
	return b.compression == bmpRLE4 || b.compression == bmpRLE8 || b.compression == bmpRLE24
}

// stride is the length of a row, whole words of four bytes.
func (b *bitmap) stride() int64 { return (int64(b.width)*int64(b.bits) + 31) / 32 * 4 }

// neutral reports that the picture holds no colour, which only a palette can tell.
func (b *bitmap) neutral() bool {
	for i := 0; i < len(b.palette); i += 3 {
		if b.palette[i] != b.palette[i+1] || b.palette[i] != b.palette[i+2] {
			return false
		}
	}
	return b.bits <= 8
}
