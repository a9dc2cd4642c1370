package raster

import (
	"bufio"
	"encoding/binary"
	"errors"
	"image"
	"io"

	"blotter/internal/reason"
)

// decode reads the pixels of a BMP whose headers were judged. Every pixel must be of a
// colour that the palette has.
func (b *bitmap) decode() (*image.NRGBA, error) {
	in := bufio.NewReaderSize(io.NewSectionReader(b.r, b.at, b.size-b.at), 64<<10)
	img := image.NewNRGBA(image.Rect(0, 0, b.width, b.height))
	if b.packed() {
		if err := b.unpack(in, img); err != nil {
			return nil, err
		}
		return img, nil
	}
	row := make([]byte, b.stride())
	for i := range b.height {
		if n, err := io.ReadFull(in, row); err != nil && (i < b.height-1 || int64(n) < (int64(b.width)*int64(b.bits)+7)/8) {
			return nil, because("BMP pixels", err)
		}
		if err := b.paint(b.line(img, i), row); err != nil {
			return nil, err
		}
	}
	if b.masks[3].most > 0 && allClear(img.Pix) {
		opaque(img.Pix)
	}
	return img, nil
}

// line is the row of the picture that is stored as row i.
func (b *bitmap) line(img *image.NRGBA, i int) []byte {
	if !b.topDown {
		i = b.height - 1 - i
	}
	return img.Pix[i*img.Stride:][:4*b.width]
}

func (b *bitmap) paint(dst, row []byte) error {
	switch b.bits {
	case 16, 32:
		b.paintMasked(dst, row)
		return nil
	case 24:
		for x := range b.width {
			dst[4*x], dst[4*x+1], dst[4*x+2], dst[4*x+3] = row[3*x+2], row[3*x+1], row[3*x], 0xff
		}
		return nil
	}
	per := 8 / b.bits
	for x := range b.width {
		v := row[x/per] >> (8 - b.bits*(x%per+1)) & (1<<b.bits - 1)
		if err := b.colour(dst[4*x:], v); err != nil {
			return err
		}
	}
	return nil
}

func (b *bitmap) colour(dst []byte, v byte) error {
	i := 3 * int(v)
	if i+3 > len(b.palette) {
		return reason.Because(reason.ExtractMalformed, errors.New("raster: BMP colour outside the palette"))
	}
	dst[0], dst[1], dst[2], dst[3] = b.palette[i+2], b.palette[i+1], b.palette[i], 0xff
	return nil
}

func (b *bitmap) paintMasked(dst, row []byte) {
	for x := range b.width {
		var v uint32
		if b.bits == 16 {
			v = uint32(binary.LittleEndian.Uint16(row[2*x:]))
		} else {
			v = binary.LittleEndian.Uint32(row[4*x:])
		}
		for c := range 3 {
			dst[4*x+c] = b.masks[c].of(v, 0)
		}
		dst[4*x+3] = b.masks[3].of(v, 0xff)
	}
}

// of takes a channel out of a pixel, scaled to 0–255.
func (m mask) of(v uint32, missing byte) byte {
	if m.most == 0 {
		return missing
	}
	return byte((uint64(v>>m.shift&m.most)*0xff + uint64(m.most)/2) / uint64(m.most))
}

// allClear tells the files whose writers left alpha at zero and meant nothing by it;
// viewers show those opaque.
func allClear(pix []byte) bool {
	for i := 3; i < len(pix); i += 4 {
		if pix[i] != 0 {
			return false
		}
	}
	return true
}

func opaque(pix []byte) {
	for i := 3; i < len(pix); i += 4 {
		pix[i] = 0xff
	}
}

// unpack undoes run lengths, [MS-WMF] 3.1.6. What they skip shows the first colour, as
// it does in most viewers. What of a run lies beyond its row is not shown, as in browsers.
// A jump out of the picture, and an end before the end mark or the last row, is refused:
// what others make of it differs.
func (b *bitmap) unpack(in *bufio.Reader, img *image.NRGBA) error {
	u := bmpUnpacker{b: b, in: in, img: img}
	for i := 0; i < len(img.Pix); i += 4 {
		if b.bits == 24 {
			img.Pix[i+3] = 0xff
		} else if err := b.colour(img.Pix[i:], 0); err != nil {
			return err
		}
	}
	for u.y < b.height {
		over, err := u.step()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return because("BMP pixels", err)
		}
		if err != nil || over {
			return err
		}
	}
	return nil
}

type bmpUnpacker struct {
	b    *bitmap
	in   *bufio.Reader
	img  *image.NRGBA
	x, y int // as stored
}

// step takes one order of two bytes. over says that the picture ends.
func (u *bmpUnpacker) step() (over bool, err error) {
	n, v, err := u.pair()
	if err != nil {
		return false, err
	}
	if n > 0 && u.b.bits == 24 {
		return false, u.runOfColour(int(n), v)
	}
	if n > 0 {
		return false, u.run(int(n), func(i int) byte { return u.half(v, i) })
	}
	switch v {
	case 0:
		u.x, u.y = 0, u.y+1
	case 1:
		return true, nil
	case 2:
		right, up, err := u.pair()
		if err != nil {
			return false, err
		}
		u.x, u.y = u.x+int(right), u.y+int(up)
		if u.x > u.b.width || u.y > u.b.height {
			return false, reason.Because(reason.ExtractMalformed, errors.New("raster: BMP jump out of the picture"))
		}
	default:
		return false, u.literal(int(v))
	}
	return false, nil
}

func (u *bmpUnpacker) pair() (a, b byte, err error) {
	if a, err = u.in.ReadByte(); err == nil {
		b, err = u.in.ReadByte()
	}
	return a, b, err
}

// half is pixel i of bytes that hold one pixel of 8 bits or two of 4.
func (u *bmpUnpacker) half(v byte, i int) byte {
	switch {
	case u.b.bits == 8:
		return v
	case i%2 == 0:
		return v >> 4
	}
	return v & 15
}

// room is where the next n pixels go, and how many of them the row has room for.
func (u *bmpUnpacker) room(n int) (dst []byte, fit int) {
	dst, fit = u.b.line(u.img, u.y)[4*u.x:], min(n, u.b.width-u.x)
	u.x += fit
	return dst, fit
}

// run paints n pixels to the right.
func (u *bmpUnpacker) run(n int, pixel func(i int) byte) error {
	dst, n := u.room(n)
	for i := range n {
		if err := u.b.colour(dst[4*i:], pixel(i)); err != nil {
			return err
		}
	}
	return nil
}

// runOfColour paints n pixels of the colour whose blue was read.
func (u *bmpUnpacker) runOfColour(n int, blue byte) error {
	green, red, err := u.pair()
	if err != nil {
		return err
	}
	u.colours(n, func(int) (b, g, r byte) { return blue, green, red })
	return nil
}

// colours paints n pixels to the right.
func (u *bmpUnpacker) colours(n int, pixel func(i int) (b, g, r byte)) {
	dst, n := u.room(n)
	for i := range n {
		dst[4*i+2], dst[4*i+1], dst[4*i] = pixel(i)
	}
}

// literal paints n pixels that follow as they are, padded to whole words of two bytes.
func (u *bmpUnpacker) literal(n int) error {
	var buf [3 * 256]byte
	length := (n*u.b.bits + 7) / 8
	if _, err := io.ReadFull(u.in, buf[:length+length%2]); err != nil {
		return err
	}
	if u.b.bits == 24 {
		u.colours(n, func(i int) (b, g, r byte) { return buf[3*i], buf[3*i+1], buf[3*i+2] })
		return nil
	}
	return u.run(n, func(i int) byte { return u.half(buf[i*u.b.bits/8], i) })
}
