package raster

import (
	"bufio"
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"math/bits"

	"github.com/klauspost/compress/zstd"
	tifflzw "golang.org/x/image/tiff/lzw"

	"blotter/internal/cell/inside/extract/raster/fax"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// decodeTIFF decodes the frame of a directory. It returns *image.Gray or an opaque
// *image.NRGBA; every row that the headers promise must be there. Samples whose range is
// not told by their bits are gone through twice.
func decodeTIFF(d *directory) (image.Image, error) {
	l, err := layoutOf(d)
	if err != nil {
		return nil, err
	}
	p, err := newPainter(&l, d)
	if err != nil {
		return nil, err
	}
	if l.compression == jpegOld {
		return p.oldJPEG(d)
	}
	blocks, err := l.places(d)
	if err != nil {
		return nil, err
	}
	if l.ranged() {
		p.seen = &extent{}
		if err := p.all(d, blocks); err != nil {
			return nil, err
		}
		p.scale, p.seen = l.scaleFor(*p.seen), nil
	}
	if err := p.all(d, blocks); err != nil {
		return nil, err
	}
	return p.image(), nil
}

// all decodes block after block.
func (p *painter) all(d *directory, blocks []span) error {
	perPlane := p.l.across * p.l.down
	for i, s := range blocks {
		in := io.NewSectionReader(d.r, s.at, s.end-s.at)
		plane, x, y := i/perPlane, i%p.l.across, i%perPlane/p.l.across
		var err error
		switch p.l.compression {
		case jpegPacked:
			err = p.jpegBlock(in, d, plane, x, y)
		case webpPacked:
			err = p.webpBlock(in, x, y)
		default:
			err = p.block(in, plane, x, y)
		}
		if errors.Is(err, fax.ErrDamaged) && !p.l.emptyRuns { // unless the writer keeps these
			p.l.emptyRuns = true
			if p.block(io.NewSectionReader(d.r, s.at, s.end-s.at), plane, x, y) == nil {
				err = nil
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// block unpacks one strip or tile of a plane and paints it.
func (p *painter) block(in io.Reader, plane, x, y int) error {
	rows, rowBytes := p.l.rowsOf(y), p.l.rowBytes()
	out, err := p.unpack(in)
	if err != nil {
		return because("TIFF block", err)
	}
	if p.l.subH*p.l.subV > 1 {
		return p.sharedBlock(out, rows, x, y)
	}
	if cap(p.buf) < rowBytes {
		p.buf = make([]byte, rowBytes)
	}
	row := p.buf[:rowBytes]
	for r := range rows {
		if _, err := io.ReadFull(out, row); err != nil {
			return because("TIFF block", err)
		}
		switch p.l.predictor {
		case 2:
			p.l.sumUp(row, p.order)
		case 3:
			p.joinBytes(row)
		}
		p.row(row, plane, x*p.l.blockW, y*p.l.blockH+r)
	}
	return nil
}

// unpack undoes all compressions but ZSTD. Fax codes come out as ink 1, which is what
// TIFF's white-is-zero means; the photometric tag decides what that shows.
func (l *layout) unpack(in io.Reader) (io.Reader, error) {
	if coding, ok := l.faxCoding(); ok {
		data, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}
		rows := fax.NewReader(data, coding, l.blockW, l.lsbFirst)
		if l.emptyRuns {
			rows.KeepEmpty()
		}
		return &faxRows{rows: rows, row: make([]byte, l.rowBytes())}, nil
	}
	if l.lsbFirst {
		in = reversed{in}
	}
	switch l.compression {
	case lzwPacked:
		return unpackLZW(bufio.NewReader(in))
	case deflate, deflateOld:
		return zlib.NewReader(in)
	case packBits:
		return &packBitsReader{in: bufio.NewReader(in)}, nil
	}
	return bufio.NewReader(in), nil
}

// unpack undoes the compression of a block. A decoder of ZSTD makes room for what a block says
// that it keeps, before it unpacks a byte, and is kept for the next: there may be one for each
// row.
func (p *painter) unpack(in io.Reader) (io.Reader, error) {
	if p.l.compression != zstdPacked {
		return p.l.unpack(in)
	}
	if p.l.lsbFirst {
		in = reversed{in}
	}
	if p.zstd != nil {
		return p.zstd, p.zstd.Reset(in)
	}
	var err error
	p.zstd, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
	return p.zstd, err
}

// zstdWindow bounds how much of what it unpacked a decoder of ZSTD keeps, in bytes: eight times
// what RFC 8878, 3.1.1.1.2 asks every decoder for.
const zstdWindow = 64 << 20

func (l *layout) faxCoding() (fax.Coding, bool) {
	switch {
	case l.compression == fax2:
		return fax.Rows, true
	case l.compression == faxWords:
		return fax.Words, true
	case l.twoDim:
		return fax.Group3Two, true
	case l.compression == fax3:
		return fax.Group3, true
	case l.compression == fax4:
		return fax.Group4, true
	}
	return 0, false
}

// unpackLZW tells the codes of TIFF 6.0 from those of writers before it, which wrote the
// low bits first and widened their codes one later: a clear code shows which.
func unpackLZW(in *bufio.Reader) (io.Reader, error) {
	b, err := in.Peek(2)
	if err != nil {
		return nil, err
	}
	if b[0] == 0 && b[1]&1 == 1 {
		return lzw.NewReader(in, lzw.LSB, 8), nil
	}
	return tifflzw.NewReader(in, tifflzw.MSB, 8), nil
}

// reversed turns the bits of each byte round, fill order 2.
type reversed struct{ in io.Reader }

func (r reversed) Read(b []byte) (int, error) {
	n, err := r.in.Read(b)
	for i, v := range b[:n] {
		b[i] = bits.Reverse8(v)
	}
	return n, err
}

// faxRows hands out the rows of a fax as bytes.
type faxRows struct {
	rows *fax.Reader
	row  []byte
	left []byte
}

func (f *faxRows) Read(b []byte) (int, error) {
	if len(f.left) == 0 {
		err := f.rows.Row(f.row)
		if errors.Is(err, fax.ErrUncompressed) {
			return 0, unsupported("%w", err)
		}
		if err != nil {
			return 0, err
		}
		f.left = f.row
	}
	n := copy(b, f.left)
	f.left = f.left[n:]
	return n, nil
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

// jpegTablesRead bounds the shared tables of a TIFF's JPEG blocks: quantisation and
// Huffman tables are below 2 KiB.
const jpegTablesRead = 64 << 10

// jpegBlock decodes a strip or tile that is a JPEG of its own and paints it. Its size
// is checked against the directory before it is decoded.
func (p *painter) jpegBlock(in io.Reader, d *directory, plane, x, y int) error {
	stream, err := joinTables(in, d, p.l.photometric)
	if err != nil {
		return because("TIFF JPEG block", err)
	}
	img, err := p.decodeJPEG(stream, p.l.blockW, p.l.rowsOf(y))
	if err != nil {
		return err
	}
	if p.l.planes > 1 {
		g := toGray(img)
		for r := range g.Rect.Dy() {
			p.row(g.Pix[r*g.Stride:][:p.l.blockW], plane, x*p.l.blockW, y*p.l.blockH+r)
		}
		return nil
	}
	p.paste(flatten(img, p.l.gray()), x*p.l.blockW, y*p.l.blockH)
	return nil
}

// webpBlock decodes a strip or tile that is a WebP of its own and paints it, judged by the
// size that the directory gives it before it is decoded.
func (p *painter) webpBlock(in io.Reader, x, y int) error {
	data, err := io.ReadAll(in)
	if err != nil {
		return because("TIFF WebP block", err)
	}
	const least = 1 << 20 // a tile may be larger than its picture, by as much as costs nothing
	pixels := min(int64(p.l.blockW)*int64(p.l.blockH), max(least, int64(p.l.width)*int64(p.l.height)))
	f, err := Open(context.Background(), bytes.NewReader(data), int64(len(data)), document.WebP,
		document.Limits{Assets: 1, Frames: 1, AssetPixels: pixels, TotalPixels: pixels}, nil)
	if err != nil {
		return err
	}
	it := f.Assets()[0]
	if it.Width != p.l.blockW || it.Height < p.l.rowsOf(y) || it.Height > p.l.blockH {
		return reason.Because(reason.ExtractSizeLies, fmt.Errorf("raster: TIFF WebP block of %d×%d", it.Width, it.Height))
	}
	img, err := f.Load(0)
	if err != nil {
		return err
	}
	p.paste(img, x*p.l.blockW, y*p.l.blockH)
	return nil
}

// decodeJPEG decodes a stream that must have the size given. The last strip of some
// writers is as high as the others; what lies below the picture is cut off.
func (p *painter) decodeJPEG(stream []byte, w, h int) (image.Image, error) {
	f, err := jpegFrame(stream)
	if err != nil {
		return nil, err
	}
	if f.withheld != "" {
		return nil, reason.Because(f.withheld, errors.New("raster: TIFF JPEG block"))
	}
	if f.width != w || f.height != h && (f.height < h || f.height > p.l.blockH) {
		return nil, reason.Because(reason.ExtractSizeLies, fmt.Errorf("raster: TIFF JPEG block of %d×%d", f.width, f.height))
	}
	img, err := decodeJPEG(bytes.NewReader(stream))
	if err != nil {
		return nil, err
	}
	if m, ok := img.(*image.CMYK); ok { // TIFF does not invert inks, and the decoder did
		for i, v := range m.Pix {
			m.Pix[i] = 0xff - v
		}
	}
	return img, nil
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
	out := append([]byte{0xff, markSOI}, colourMarker(photometric)...)
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

// colourMarker is Adobe's, which says that samples are light or inks and nothing else.
func colourMarker(photometric int) string {
	if photometric == rgb || photometric == separated {
		return "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"
	}
	return ""
}
