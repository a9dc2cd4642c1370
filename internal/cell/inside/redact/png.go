package redact

import (
	"bufio"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"sync"
)

// Encode writes img as a PNG made from pixels alone: IHDR, IDATs and IEND, nothing
// else. *image.Gray stays gray, of one bit a pixel where all are black or white, as most
// scans are; everything else is written as 8-bit colour, without alpha where it is opaque.
// Compression is the fastest, and each row's filter is chosen by a sample of it: on a page
// that takes a third to a tenth of the standard encoder's time at its fastest
// (BenchmarkEncode). It buffers, so that w gets whole blocks.
func Encode(w io.Writer, img image.Image) error {
	switch m := img.(type) {
	case *image.Gray:
		if m.Rect.Empty() {
			break // an error
		}
		if bilevel(m) {
			return encode(w, m.Rect, 1, 0, func(dst []byte, y int) { packBits(dst, grayRow(m, y)) })
		}
		return encode(w, m.Rect, 8, 0, func(dst []byte, y int) { copy(dst, grayRow(m, y)) })
	case *image.NRGBA:
		if m.Opaque() && !m.Rect.Empty() {
			return encode(w, m.Rect, 24, 2, func(dst []byte, y int) { packRGB(dst, m.Pix[m.PixOffset(m.Rect.Min.X, y):][:4*m.Rect.Dx()]) })
		}
	}
	b := bufio.NewWriterSize(w, blockBytes)
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(b, img); err != nil {
		return err
	}
	return b.Flush()
}

// blockBytes is the size of an IDAT's data.
const blockBytes = 64 << 10

// encode writes a PNG of so many bits a pixel, of one bit a sample or eight; row packs the
// pixels of row y.
func encode(w io.Writer, r image.Rectangle, pixel int, colour byte, row func(dst []byte, y int)) error {
	head := binary.BigEndian.AppendUint32(nil, uint32(r.Dx()))
	head = binary.BigEndian.AppendUint32(head, uint32(r.Dy()))
	head = append(head, byte(min(pixel, 8)), colour, 0, 0, 0)
	if _, err := io.WriteString(w, "\x89PNG\r\n\x1a\n"); err != nil {
		return err
	}
	if err := writeChunk(w, "IHDR", head); err != nil {
		return err
	}
	p := packers.Get().(*packer) //nolint:forcetypeassert // it makes no others
	defer packers.Put(p)
	p.blocks.Reset(idats{w})
	p.z.Reset(p.blocks)
	f := newFilter((r.Dx()*pixel+7)/8, pixel/8)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row(f.next(), y)
		if _, err := p.z.Write(f.filtered()); err != nil {
			return err
		}
	}
	if err := p.z.Close(); err != nil {
		return err
	}
	if err := p.blocks.Flush(); err != nil {
		return err
	}
	return writeChunk(w, "IEND", nil)
}

// packer compresses. Making one costs more than a small picture takes.
type packer struct {
	blocks *bufio.Writer
	z      *zlib.Writer
}

var packers = sync.Pool{New: func() any {
	p := &packer{blocks: bufio.NewWriterSize(io.Discard, blockBytes)}
	p.z, _ = zlib.NewWriterLevel(p.blocks, zlib.BestSpeed) // fails for unknown levels only
	return p
}}

// idats writes blocks as IDAT chunks.
type idats struct{ w io.Writer }

func (c idats) Write(p []byte) (int, error) {
	if err := writeChunk(c.w, "IDAT", p); err != nil {
		return 0, err
	}
	return len(p), nil
}

func writeChunk(w io.Writer, kind string, body []byte) error {
	b := make([]byte, 0, 12+len(body))
	b = binary.BigEndian.AppendUint32(b, uint32(len(body)))
	b = append(append(b, kind...), body...)
	_, err := w.Write(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:])))
	return err
}

func grayRow(m *image.Gray, y int) []byte { return m.Pix[m.PixOffset(m.Rect.Min.X, y):][:m.Rect.Dx()] }

// ones has the lowest bit of each of eight bytes.
const ones = 0x0101010101010101

// bilevel reports whether every pixel is black or white.
func bilevel(m *image.Gray) bool {
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		row := grayRow(m, y)
		for ; len(row) >= 8; row = row[8:] {
			if v := binary.LittleEndian.Uint64(row); v != v&ones*0xff {
				return false
			}
		}
		for _, v := range row {
			if v != 0 && v != 0xff {
				return false
			}
		}
	}
	return true
}

// packBits packs black and white pixels, eight a byte, the first on top.
func packBits(dst, row []byte) {
	for ; len(row) >= 8; row, dst = row[8:], dst[1:] {
		// The product moves the lowest bit of byte i to bit 63−i; no two bits meet.
		dst[0] = byte(binary.LittleEndian.Uint64(row) & ones * 0x8040201008040201 >> 56)
	}
	if len(row) > 0 {
		dst[0] = 0
	}
	for i, v := range row {
		dst[0] |= v & 1 << (7 - i)
	}
}

// packRGB leaves the opacity out.
func packRGB(dst, row []byte) {
	for ; len(dst) >= 4; row, dst = row[4:], dst[3:] {
		binary.LittleEndian.PutUint32(dst, binary.LittleEndian.Uint32(row))
	}
	copy(dst, row[:len(dst)])
}
