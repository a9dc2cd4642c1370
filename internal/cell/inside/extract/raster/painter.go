package raster

import (
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
)

// painter lays the rows of a TIFF's blocks on a picture. Samples come in any of the
// layouts that layoutOf admits; 16 bits are cut to 8.
type painter struct {
	l     *layout
	order binary.ByteOrder
	buf   []byte
	table []color.NRGBA // palette
	gray  *image.Gray   // one of the two
	col   *image.NRGBA
	alpha []uint8 // where alpha is a plane or a sample; one a pixel
	black []uint8 // the fourth ink
}

func newPainter(l *layout, d *directory) (*painter, error) {
	p := &painter{l: l, order: d.order}
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
	if l.alpha != 0 && l.compression != jpegPacked {
		p.alpha = make([]uint8, l.width*l.height)
	}
	if l.photometric == separated && l.compression != jpegPacked { // a JPEG block comes as light already
		p.black = make([]uint8, l.width*l.height)
	}
	return p, nil
}

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
	if p.l.photometric == rgb && p.l.bits == 8 && step == 3 { // nearly every colour scan
		dst := p.col.Pix[4*(y*p.l.width+x0):]
		for x := range w {
			dst[4*x], dst[4*x+1], dst[4*x+2], dst[4*x+3] = row[3*x], row[3*x+1], row[3*x+2], 0xff
		}
		return
	}
	for x := range w {
		at := y*p.l.width + x0 + x
		for s := range step {
			p.sample(at, plane+s, p.value(row, x*step+s))
		}
	}
}

// value is sample i of a row: an index of a palette as it is, everything else scaled
// to 0–255.
func (p *painter) value(row []byte, i int) uint8 {
	switch p.l.bits {
	case 8:
		return row[i]
	case 16:
		return uint8(p.order.Uint16(row[2*i:]) >> 8)
	}
	per := 8 / p.l.bits
	v := row[i/per] >> (8 - p.l.bits*(i%per+1)) & (1<<p.l.bits - 1)
	if p.table != nil {
		return v
	}
	return uint8(int(v) * 255 / (1<<p.l.bits - 1))
}

// sample paints one sample, s counted over all planes, of pixel at.
func (p *painter) sample(at, s int, v uint8) {
	l := p.l
	switch {
	case p.table != nil:
		c := p.table[v]
		copy(p.col.Pix[4*at:], []byte{c.R, c.G, c.B, 0xff})
	case p.gray != nil && s == 0:
		if l.photometric == whiteIsZero {
			v = 0xff - v
		}
		p.gray.Pix[at] = v
	case p.gray == nil && s < 3:
		p.col.Pix[4*at+s] = v
		p.col.Pix[4*at+3] = 0xff
	case p.black != nil && s == 3:
		p.black[at] = v
	case p.alpha != nil && s == l.colours():
		p.alpha[at] = v
	}
}

// colours is how many samples come before the extra ones.
func (l *layout) colours() int {
	switch l.photometric {
	case rgb, yCbCr:
		return 3
	case separated:
		return 4
	}
	return 1
}

// image finishes the picture: inks to light, alpha on white.
func (p *painter) image() image.Image {
	for i, k := range p.black {
		px := p.col.Pix[4*i:]
		px[0], px[1], px[2] = color.CMYKToRGB(px[0], px[1], px[2], k)
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
