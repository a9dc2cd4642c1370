package raster

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/draw"
	"slices"

	"blotter/internal/cell/inside/extract/raster/bmff"
	"blotter/internal/reason"
)

// codedProps are the properties that a decoder needs of a picture: its set-up, its size and
// what its samples mean. What turns and cuts it is done here.
func codedProps(it *bmff.Item, config string) []bmff.Prop {
	var out []bmff.Prop
	for _, p := range it.Props {
		if p.Kind == config || p.Kind == "ispe" || p.Kind == "pixi" || p.Kind == "colr" && bytes.HasPrefix(p.Data, []byte("nclx")) {
			out = append(out, p)
		}
	}
	return out
}

// withColours says of a gray picture that it has colours, for which the decoder then makes up
// the differences: of gray it knows two kinds, and of one cannot make the other.
func withColours(props []bmff.Prop) []bmff.Prop {
	const chroma = 16 // where the configuration tells it, ISO 14496-15 8.3.3.1: 0 for gray
	for i, p := range props {
		if p.Kind == "hvcC" && len(p.Data) > chroma && p.Data[chroma]&3 == 0 {
			props = slices.Clone(props)
			props[i].Data = bytes.Clone(p.Data)
			props[i].Data[chroma] |= 1
			return props
		}
	}
	return props
}

// colours reads how brightness and differences become light: from the picture's properties,
// or from those of the whole that it is a part of, or from the stream. Without a word they
// have the range of video (ITU-T H.265, E.3.1) and the factors of BT.601.
func colours(it, whole *bmff.Item) light {
	signal := signalOf(it.Prop("hvcC"))
	for _, p := range append(append([]bmff.Prop(nil), it.Props...), whole.Props...) {
		if p.Kind == "colr" && len(p.Data) >= 11 && string(p.Data[:4]) == "nclx" {
			signal = hevcSignal{full: p.Data[10]&0x80 != 0, matrix: uint8(binary.BigEndian.Uint16(p.Data[8:]))}
			break
		}
	}
	l := light{red: 0.299, blue: 0.114, black: [3]float64{0, 128, 128}, white: [3]float64{255, 255, 255}}
	switch signal.matrix {
	case 1:
		l.red, l.blue = 0.2126, 0.0722
	case 9, 10:
		l.red, l.blue = 0.2627, 0.0593
	}
	if !signal.full {
		l.black, l.white = [3]float64{16, 128, 128}, [3]float64{235, 240, 240}
	}
	return l
}

// show turns a decoded picture into light.
func (l light) show(m *image.YCbCr) *image.NRGBA {
	dst := image.NewNRGBA(image.Rect(0, 0, m.Rect.Dx(), m.Rect.Dy()))
	for y := range dst.Rect.Dy() {
		for x := range dst.Rect.Dx() {
			c := m.COffset(x, y)
			copy(dst.Pix[y*dst.Stride+4*x:], []byte{m.Y[m.YOffset(x, y)], m.Cb[c], m.Cr[c], 0xff})
		}
	}
	l.shine(dst.Pix)
	return dst
}

func drawAt(dst *image.NRGBA, img image.Image, x, y int) {
	draw.Draw(dst, img.Bounds().Add(image.Pt(x, y)), img, image.Point{}, draw.Src)
}

// decodePart decodes a JPEG stream that is a part of something and must have its size.
func decodePart(f frame, data []byte, w, h int) (image.Image, error) {
	if f.withheld != "" {
		return nil, reason.Because(f.withheld, fmt.Errorf("raster: JPEG within"))
	}
	if f.width != w || f.height != h {
		return nil, reason.Because(reason.ExtractSizeLies, fmt.Errorf("raster: JPEG within of %d×%d", f.width, f.height))
	}
	img, err := decodeJPEG(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return flatten(img, false), nil
}

// turns are the changes that the properties of a picture ask for, in their order: a turn,
// a mirror, a cut.
type turns []turn

type turn struct {
	o   orientation
	cut image.Rectangle // not empty: a cut
}

// turnsOf reads them, ISO 23008-12 6.5.10–12 and ISO 14496-12 12.1.4.
func turnsOf(it *bmff.Item, w, h int) (turns, error) {
	var out turns
	for _, p := range it.Props {
		switch {
		case p.Kind == "irot" && len(p.Data) > 0: // quarters against the clock
			if o := [4]orientation{1, 8, 3, 6}[p.Data[0]&3]; o != 1 {
				out = append(out, turn{o: o})
				w, h = o.size(w, h)
			}
		case p.Kind == "imir" && len(p.Data) > 0:
			out = append(out, turn{o: [2]orientation{4, 2}[p.Data[0]&1]}) // top to bottom, left to right
		case p.Kind == "clap":
			cut, err := aperture(p.Data, w, h)
			if err != nil {
				return out, err
			}
			out = append(out, turn{cut: cut})
			w, h = cut.Dx(), cut.Dy()
		}
	}
	return out, nil
}

// aperture is the part of a picture of w×h that is shown: its size, and how far its middle
// lies from the picture's, as fractions.
func aperture(b []byte, w, h int) (image.Rectangle, error) {
	var v [4]float64
	if len(b) < 32 {
		return image.Rectangle{}, fmt.Errorf("aperture of %d bytes", len(b))
	}
	for i := range v {
		n, d := int32(binary.BigEndian.Uint32(b[8*i:])), int32(binary.BigEndian.Uint32(b[8*i+4:]))
		if d == 0 {
			return image.Rectangle{}, fmt.Errorf("aperture without a size")
		}
		v[i] = float64(n) / float64(d)
	}
	x, y := v[2]+float64(w-1)/2-(v[0]-1)/2, v[3]+float64(h-1)/2-(v[1]-1)/2
	cut := image.Rect(int(x+0.5), int(y+0.5), int(x+0.5)+int(v[0]), int(y+0.5)+int(v[1]))
	if !(v[0] >= 1 && v[1] >= 1 && v[0] <= float64(w) && v[1] <= float64(h)) || !cut.In(image.Rect(0, 0, w, h)) {
		return image.Rectangle{}, fmt.Errorf("aperture outside the picture")
	}
	return cut, nil
}

// size is that of the picture after all changes.
func (t turns) size(w, h int) (int, int) {
	for _, c := range t {
		if !c.cut.Empty() {
			w, h = c.cut.Dx(), c.cut.Dy()
			continue
		}
		w, h = c.o.size(w, h)
	}
	return w, h
}

// apply makes the changes. img is what flatten returns.
func (t turns) apply(img image.Image) image.Image {
	for _, c := range t {
		if c.cut.Empty() {
			img = c.o.upright(img)
			continue
		}
		switch m := img.(type) {
		case *image.Gray:
			dst := image.NewGray(image.Rect(0, 0, c.cut.Dx(), c.cut.Dy()))
			draw.Draw(dst, dst.Rect, m, c.cut.Min, draw.Src)
			img = dst
		case *image.NRGBA:
			dst := image.NewNRGBA(image.Rect(0, 0, c.cut.Dx(), c.cut.Dy()))
			draw.Draw(dst, dst.Rect, m, c.cut.Min, draw.Src)
			img = dst
		}
	}
	return img
}
