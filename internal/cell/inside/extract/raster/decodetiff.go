package raster

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"math/bits"

	"golang.org/x/image/ccitt"
	"golang.org/x/image/tiff/lzw"

	"blotter/internal/reason"
)

// decodeTIFF decodes the frame of a directory. It returns *image.Gray or an opaque
// *image.NRGBA; every row that the headers promise must be there.
func decodeTIFF(r io.ReaderAt, size int64, d *directory, foreign Foreign) (image.Image, error) {
	l, err := layoutOf(d)
	if err != nil {
		return nil, err
	}
	offsets, counts, err := l.places(d)
	if err != nil {
		return nil, err
	}
	p, err := newPainter(&l, d)
	if err != nil {
		return nil, err
	}
	perPlane := l.across * l.down
	for i := range offsets {
		at, n := int64(offsets[i]), int64(counts[i])
		if at+n > size {
			return nil, because("TIFF block", io.ErrUnexpectedEOF)
		}
		in := io.NewSectionReader(r, at, n)
		x, y := i%l.across, i%perPlane/l.across
		switch {
		case l.compression == jpegPacked:
			err = p.jpegBlock(in, d, x, y)
		case l.foreign():
			err = p.faxBlock(in, foreign, x, y)
		default:
			err = p.block(in, i/perPlane, x, y)
		}
		if err != nil {
			return nil, err
		}
	}
	return p.image(), nil
}

// block unpacks one strip or tile of a plane and paints it.
func (p *painter) block(in io.Reader, plane, x, y int) error {
	rows, rowBytes := p.l.rowsOf(y), p.l.rowBytes()
	if need := rows * rowBytes; cap(p.buf) < need {
		p.buf = make([]byte, need)
	}
	buf := p.buf[:rows*rowBytes]
	out, err := p.l.unpack(in, rows)
	if err == nil {
		_, err = io.ReadFull(out, buf)
	}
	if err != nil {
		return because("TIFF block", err)
	}
	for r := range rows {
		row := buf[r*rowBytes:][:rowBytes]
		if p.l.lsbFirst && p.l.compression == plain && p.l.bits < 8 {
			for i, b := range row {
				row[i] = bits.Reverse8(b)
			}
		}
		if p.l.differs {
			p.l.sumUp(row, p.order)
		}
		p.row(row, plane, x*p.l.blockW, y*p.l.blockH+r)
	}
	return nil
}

// unpack undoes the compression of a block. A fax decoder writes white as 1 whatever
// the photometric tag says; it is turned back to TIFF's 0, of which the tag then
// decides.
func (l *layout) unpack(in io.Reader, rows int) (io.Reader, error) {
	switch l.compression {
	case fax3, fax4:
		order, sub := ccitt.MSB, ccitt.Group3
		if l.lsbFirst {
			order = ccitt.LSB
		}
		if l.compression == fax4 {
			sub = ccitt.Group4
		}
		return ccitt.NewReader(in, order, sub, l.blockW, rows, &ccitt.Options{Invert: true}), nil
	case lzwPacked:
		return lzw.NewReader(in, lzw.MSB, 8), nil
	case deflate, deflateOld:
		return zlib.NewReader(in)
	case packBits:
		return &packBitsReader{in: bufio.NewReader(in)}, nil
	}
	return in, nil
}

// sumUp undoes the horizontal predictor on one row.
func (l *layout) sumUp(row []byte, order binary.ByteOrder) {
	step := l.samples / l.planes
	if l.bits == 8 {
		for i := step; i < len(row); i++ {
			row[i] += row[i-step]
		}
		return
	}
	for i := 2 * step; i+1 < len(row); i += 2 {
		order.PutUint16(row[i:], order.Uint16(row[i:])+order.Uint16(row[i-2*step:]))
	}
}

// packBitsReader undoes Apple's run-length packing, TIFF 6.0 section 9.
type packBitsReader struct {
	in   *bufio.Reader
	left int  // bytes of the current run or literal
	run  bool // left bytes are all value
	val  byte
}

func (p *packBitsReader) Read(out []byte) (int, error) {
	for n := range out {
		for p.left == 0 {
			if err := p.next(); err != nil {
				return n, err
			}
		}
		p.left--
		if p.run {
			out[n] = p.val
			continue
		}
		b, err := p.in.ReadByte()
		if err != nil {
			return n, err
		}
		out[n] = b
	}
	return len(out), nil
}

func (p *packBitsReader) next() error {
	b, err := p.in.ReadByte()
	if err != nil {
		return err
	}
	switch n := int8(b); {
	case n >= 0:
		p.left, p.run = int(n)+1, false
	case n != -128:
		p.left, p.run = 1-int(n), true
		p.val, err = p.in.ReadByte()
	}
	return err
}

// faxBlock decodes a strip or tile in a fax code that only the foreign decoder knows.
// PDF writes a fax code's white as white; black-is-zero turns that round.
func (p *painter) faxBlock(in io.Reader, foreign Foreign, x, y int) error {
	if foreign == nil {
		return unsupported("fax compression %d", p.l.compression)
	}
	data, err := io.ReadAll(in)
	if err != nil {
		return because("TIFF fax block", err)
	}
	if p.l.lsbFirst {
		for i, b := range data {
			data[i] = bits.Reverse8(b)
		}
	}
	w, h := p.l.blockW, p.l.rowsOf(y)
	parms := "/K 0/EncodedByteAlign true"
	if p.l.twoDim {
		parms = "/K 1"
	}
	img, err := foreign.DecodeStream(fmt.Sprintf("/Filter/CCITTFaxDecode/DecodeParms<<%s/Columns %d/Rows %d/EndOfBlock false>>/BitsPerComponent 1/ColorSpace/DeviceGray", parms, w, h), data, w, h)
	if err != nil {
		return err
	}
	g := toGray(img)
	if p.l.photometric == blackIsZero {
		for i, v := range g.Pix {
			g.Pix[i] = 0xff - v
		}
	}
	p.paste(g, x*w, y*p.l.blockH)
	return nil
}

// jpegTablesRead bounds the shared tables of a TIFF's JPEG blocks: quantisation and
// Huffman tables are below 2 KiB.
const jpegTablesRead = 64 << 10

// jpegBlock decodes a strip or tile that is a JPEG of its own and paints it. Its size
// is checked against the directory before it is decoded.
func (p *painter) jpegBlock(in io.Reader, d *directory, x, y int) error {
	stream, err := joinTables(in, d, p.l.photometric)
	if err != nil {
		return because("TIFF JPEG block", err)
	}
	h, err := jpegHeaders(bytes.NewReader(stream), int64(len(stream)), 1)
	if err != nil {
		return err
	}
	f := h.frames[0]
	if f.withheld != "" {
		return reason.Because(f.withheld, errors.New("raster: TIFF JPEG block"))
	}
	if f.width != p.l.blockW || f.height != p.l.rowsOf(y) {
		return reason.Because(reason.ExtractSizeLies, errors.New("raster: TIFF JPEG block of another size"))
	}
	img, err := decodeJPEG(bytes.NewReader(stream))
	if err != nil {
		return err
	}
	if m, ok := img.(*image.CMYK); ok { // TIFF does not invert inks, and the decoder did
		for i, v := range m.Pix {
			m.Pix[i] = 0xff - v
		}
	}
	p.paste(flatten(img, p.l.gray()), x*p.l.blockW, y*p.l.blockH)
	return nil
}

// joinTables makes a whole JPEG of a block: the tables that all blocks share, and a
// marker that says what the colours are where JPEG itself would guess.
func joinTables(in io.Reader, d *directory, photometric int) ([]byte, error) {
	block, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	if len(block) < 4 || block[0] != 0xff || block[1] != markSOI {
		return nil, errors.New("no start marker")
	}
	out := []byte{0xff, markSOI}
	if photometric == rgb || photometric == separated {
		out = append(out, "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"...)
	}
	if e, ok := d.tags[tagJPEGTables]; ok {
		tables, err := d.bytes(e, jpegTablesRead)
		if err != nil {
			return nil, err
		}
		if len(tables) > 4 && tables[0] == 0xff && tables[1] == markSOI {
			out = append(out, bytes.TrimSuffix(tables[2:], []byte{0xff, markEOI})...)
		}
	}
	return append(out, block[2:]...), nil
}
