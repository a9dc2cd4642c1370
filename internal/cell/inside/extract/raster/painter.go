package raster

import (
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"

	"github.com/klauspost/compress/zstd"
)

// painter lays the rows of a TIFF's blocks on a picture. Samples come in any of the
// layouts that layoutOf admits and are shown in 8 bits.
type painter struct {
	l     *layout
	order binary.ByteOrder
	buf   []byte
	apart []byte        // a row before its bytes were joined
	table []color.NRGBA // palette
	gray  *image.Gray   // one of the two
	col   *image.NRGBA
	alpha []uint8 // where alpha is a plane or a sample; one a pixel
	black []uint8 // the fourth ink
	seen  *extent // not nil: samples are measured, not painted
	scale scale   // of samples that were measured
	light light   // YCbCr
	zstd  *zstd.Decoder
}

func newPainter(l *layout, d *directory) (*painter, error) {
	p := &painter{l: l, order: d.order, light: lightOf(d)}
	at := image.Rect(0, 0, l.width, l.height)
	if l.photometric == palette {
		table, err := colourMap(l, d)
		if err != nil {
			return nil, err
		}
		p.table = table
	}
	if l.gray() {
		p.gray = image.NewGray(at)
	} else {
		p.col = image.NewNRGBA(at)
	}
	if l.alpha != 0 && !l.wholeJPEG() {
		p.alpha = make([]uint8, l.width*l.height)
	}
	if l.photometric == separated && !l.wholeJPEG() {
		p.black = make([]uint8, l.width*l.height)
	}
	return p, nil
}

// wholeJPEG reports that blocks come from the JPEG decoder with all their samples, as
// light.
func (l *layout) wholeJPEG() bool { return l.isJPEG() && l.planes == 1 }

// colourMap reads the palette, three runs of 16-bit values. An old mistake of writers
// is to store 8-bit values; it shows in that none reaches 256.
func colourMap(l *layout, d *directory) ([]color.NRGBA, error) {
	n := 1 << l.bits
	values, err := d.numbers(tagColorMap, int64(3*n))
	if err != nil {
		return nil, because("TIFF palette", err)
	}
	if len(values) < 3*n {
		return nil, malformed("palette of %d values", len(values))
	}
	shift := 0
	for _, v := range values {
		if v > 255 {
			shift = 8
			break
		}
	}
	table := make([]color.NRGBA, n)
	for i := range table {
		table[i] = color.NRGBA{uint8(values[i] >> shift), uint8(values[n+i] >> shift), uint8(values[2*n+i] >> shift), 0xff}
	}
	return table, nil
}

// row paints one row of a block whose first pixel is (x0, y); what lies outside the
// picture is a tile's padding.
func (p *painter) row(row []byte, plane, x0, y int) {
	if y >= p.l.height {
		return
	}
	w, step := min(p.l.blockW, p.l.width-x0), p.l.samples/p.l.planes
	switch {
	case p.seen != nil:
		p.measure(row, plane, w, step)
		return
	case p.l.photometric == rgb && p.plain(8) && step == 3: // nearly every colour scan
		dst := p.col.Pix[4*(y*p.l.width+x0):]
		for x := range w {
			dst[4*x], dst[4*x+1], dst[4*x+2], dst[4*x+3] = row[3*x], row[3*x+1], row[3*x+2], 0xff
		}
		return
	case p.gray != nil && p.plain(1) && step == 1: // every fax
		p.bits(row, p.gray.Pix[y*p.l.width+x0:][:w])
		return
	}
	for x := range w {
		at := y*p.l.width + x0 + x
		for s := range step {
			p.sample(at, plane+s, row, x*step+s)
		}
	}
}

// plain reports samples of so many bits that need no measuring.
func (p *painter) plain(bits int) bool { return p.l.bits == bits && p.l.format == unsigned }

func (p *painter) bits(row, dst []byte) {
	turn := byte(0)
	if p.l.photometric == whiteIsZero {
		turn = 0xff
	}
	for x := range dst {
		dst[x] = -(row[x/8] >> (7 - x%8) & 1) ^ turn
	}
}

// measure meets the samples of a row that hold colour.
func (p *painter) measure(row []byte, plane, w, step int) {
	colours := p.l.colours()
	for x := range w {
		for s := range step {
			if plane+s < colours {
				p.seen.meet(p.l.real(row, x*step+s, p.order))
			}
		}
	}
}

// value is sample i of a row, scaled to 0–255.
func (p *painter) value(row []byte, i int) uint8 {
	switch {
	case p.scale.step > 0:
		return p.scale.of(p.l.real(row, i, p.order))
	case p.l.bits == 8:
		return row[i]
	case p.l.bits < 8:
		return uint8(p.l.whole(row, i, p.order) * 255 / (1<<p.l.bits - 1))
	}
	return uint8(p.l.whole(row, i, p.order) >> (p.l.bits - 8))
}

// opacity is sample i of a row, which has the whole range of its bits, or 0–1.
func (p *painter) opacity(row []byte, i int) uint8 {
	switch {
	case p.l.format == floating:
		return scale{0, 1.0 / 255}.of(p.l.fraction(row, i, p.order))
	case p.l.bits < 8:
		return uint8(p.l.whole(row, i, p.order) * 255 / (1<<p.l.bits - 1))
	}
	return uint8(p.l.whole(row, i, p.order) >> (p.l.bits - 8))
}

// sample paints sample i of a row, s counted over all planes, of pixel at.
func (p *painter) sample(at, s int, row []byte, i int) {
	l := p.l
	switch {
	case p.table != nil && s == 0:
		c := p.table[l.whole(row, i, p.order)]
		copy(p.col.Pix[4*at:], []byte{c.R, c.G, c.B, 0xff})
	case p.gray != nil && s == 0:
		v := p.value(row, i)
		if l.photometric == whiteIsZero {
			v = 0xff - v
		}
		p.gray.Pix[at] = v
	case p.gray == nil && p.table == nil && s < 3:
		p.col.Pix[4*at+s] = p.value(row, i)
		p.col.Pix[4*at+3] = 0xff
	case p.black != nil && s == 3:
		p.black[at] = p.value(row, i)
	case p.alpha != nil && s == l.colours():
		p.alpha[at] = p.opacity(row, i)
	}
}

// image finishes the picture: inks, brightness and colour differences, and lightness
// become light, and alpha lies on white.
func (p *painter) image() image.Image {
	for i, k := range p.black {
		px := p.col.Pix[4*i:]
		px[0], px[1], px[2] = color.CMYKToRGB(px[0], px[1], px[2], k)
	}
	switch {
	case p.l.photometric == yCbCr && !p.l.wholeJPEG():
		p.light.shine(p.col.Pix)
	case p.l.lab() && p.col != nil:
		labToRGB(p.col.Pix, p.l.photometric == iccLab)
	case p.l.lab():
		labToGray(p.gray.Pix)
	}
	for i, a := range p.alpha {
		if p.gray != nil {
			p.gray.Pix[i] = p.onWhite(p.gray.Pix[i], a)
			continue
		}
		px := p.col.Pix[4*i:]
		for c := range 3 {
			px[c] = p.onWhite(px[c], a)
		}
	}
	if p.gray != nil {
		return p.gray
	}
	return p.col
}

func (p *painter) onWhite(v, a uint8) uint8 {
	if p.l.alpha == 1 { // premultiplied
		return uint8(min(0xff, int(v)+0xff-int(a)))
	}
	return uint8((int(v)*int(a) + 0xff*(0xff-int(a)) + 127) / 0xff)
}

// paste lays a decoded block on the picture.
func (p *painter) paste(img image.Image, x, y int) {
	dst := draw.Image(p.col)
	if p.gray != nil {
		dst = p.gray
	}
	draw.Draw(dst, img.Bounds().Add(image.Pt(x, y)), img, image.Point{}, draw.Src)
}
