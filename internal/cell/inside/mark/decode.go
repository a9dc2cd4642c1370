package mark

import (
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/aztec"
	"github.com/makiuchi-d/gozxing/datamatrix"
	"github.com/makiuchi-d/gozxing/oned"
	"github.com/makiuchi-d/gozxing/qrcode"

	"blotter/internal/document"
)

// reader is what each decoder of gozxing is.
type reader interface {
	Decode(*gozxing.BinaryBitmap, map[gozxing.DecodeHintType]any) (*gozxing.Result, error)
}

// linearReaders come in the order of how hard they are to mislead: those with check
// digits first.
func linearReaders() []reader {
	return []reader{
		oned.NewMultiFormatUPCEANReader(nil), oned.NewCode128Reader(), oned.NewCode93Reader(),
		oned.NewITFReader(), oned.NewCodaBarReader(), oned.NewCode39Reader(),
	}
}

func squareReaders() []reader {
	return []reader{qrcode.NewQRCodeReader(), datamatrix.NewDataMatrixReader(), aztec.NewAztecReader()}
}

// decoder turns located codes into text, as long as its budget lasts.
type decoder struct {
	codes  int // that may still be decoded
	pixels int
}

func newDecoder() *decoder { return &decoder{maxCodes, decodeBudget} }

// spent reports whether no further code will be decoded.
func (d *decoder) spent() bool { return d.codes <= 0 || d.pixels <= 0 }

// linear reads bars along several lines across them.
func (d *decoder) linear(g region) (string, bool) {
	if d.spent() {
		return "", false
	}
	d.codes--
	for _, share := range [...]float64{0, -0.2, 0.2, -0.35, 0.35} {
		line := stretched(g.profile(share, cell))
		d.pixels -= 2 * len(line.pix)
		if text, ok := read(line, linearReaders()); ok {
			return text, true
		}
	}
	return "", false
}

// stretched makes a picture of three equal rows out of a profile: wide enough for bars
// of one pixel, with the quiet zone that the neighbours of a code may have taken.
func stretched(profile []float64) raster {
	const rows = 3
	times := 1
	for times*len(profile) < 1200 && times < 4 {
		times++
	}
	quiet := times * len(profile) / 6 // more than the ten modules that any kind asks for
	lightest := 0.0
	for _, v := range profile {
		lightest = max(lightest, v)
	}
	source := raster{make([]uint8, len(profile)), len(profile), 1}
	for i, v := range profile {
		source.pix[i] = uint8(v)
	}
	out := newRaster(times*len(profile)+2*quiet, rows)
	for y := range rows {
		row := out.row(y)
		for x := range row {
			row[x] = uint8(lightest)
			if i := x - quiet; i >= 0 && i < times*len(profile) {
				row[x] = uint8(source.at((float64(i)+0.5)/float64(times)-0.5, 0))
			}
		}
	}
	return out
}

// square reads a code of squares in a box of the raster.
func (d *decoder) square(r raster, b document.Box) (string, bool) {
	if d.spent() {
		return "", false
	}
	d.codes--
	const margin = 16
	part := r.crop(b.Grow(margin, r.w, r.h))
	sizes := []raster{part, part.smaller(2)}
	switch {
	case max(b.W, b.H) < 200:
		sizes = []raster{part.larger(2), part}
	case part.w*part.h > decodePixels:
		sizes = []raster{part.smaller(1 + max(b.W, b.H)/512)}
	}
	for _, p := range sizes {
		if d.pixels -= 3 * len(p.pix); d.pixels < 0 {
			break
		}
		if text, ok := read(p, squareReaders()); ok {
			return text, true
		}
	}
	return "", false
}

// larger is the raster enlarged by a whole factor, smoothly.
func (r raster) larger(k int) raster {
	out := newRaster(k*r.w, k*r.h)
	for y := range out.h {
		for x := range out.w {
			out.pix[y*out.w+x] = uint8(r.at((float64(x)+0.5)/float64(k)-0.5, (float64(y)+0.5)/float64(k)-0.5))
		}
	}
	return out
}

// read tries each reader on the picture, and on its negative.
func read(r raster, readers []reader) (string, bool) {
	for _, picture := range []raster{r, r.negative()} {
		for _, by := range readers {
			if text, ok := readBy(by, picture); ok {
				return text, true
			}
		}
	}
	return "", false
}

func (r raster) negative() raster {
	out := newRaster(r.w, r.h)
	for i, v := range r.pix {
		out.pix[i] = 255 - v
	}
	return out
}

// readBy takes a decoder's panic for a code that it cannot read: it gets pixels that
// anyone may have drawn.
func readBy(by reader, r raster) (text string, ok bool) {
	defer func() {
		if recover() != nil {
			text, ok = "", false
		}
	}()
	source, err := gozxing.NewPlanarYUVLuminanceSource(r.pix, r.w, r.h, 0, 0, r.w, r.h, false)
	if err != nil {
		return "", false
	}
	bitmap, err := gozxing.NewBinaryBitmap(gozxing.NewHybridBinarizer(source))
	if err != nil {
		return "", false
	}
	result, err := by.Decode(bitmap, map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_TRY_HARDER: true})
	if err != nil {
		return "", false
	}
	return result.GetText(), result.GetText() != ""
}
