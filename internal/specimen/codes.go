package specimen

import (
	"image"
	"image/color"
	"image/draw"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/datamatrix"
	"github.com/makiuchi-d/gozxing/oned"
	"github.com/makiuchi-d/gozxing/qrcode"

	"blotter/internal/examples/paper"
	"blotter/internal/truth"
)

// bars puts a bar code of that width and height on the sheet, with its quiet zone.
func (d *desk) bars(s *paper.Sheet, x, y, w, h float64, content string) {
	format := one(d, []gozxing.BarcodeFormat{gozxing.BarcodeFormat_CODE_128, gozxing.BarcodeFormat_CODE_128, gozxing.BarcodeFormat_CODE_39})
	writer := oned.NewCode128Writer()
	if format == gozxing.BarcodeFormat_CODE_39 {
		writer = oned.NewCode39Writer()
	}
	d.code(s, x, y, w, h, writer, format, content)
}

// square puts a QR code or a Data Matrix on the sheet.
func (d *desk) square(s *paper.Sheet, x, y, size float64, content string) {
	if d.maybe(70) {
		d.code(s, x, y, size, size, qrcode.NewQRCodeWriter(), gozxing.BarcodeFormat_QR_CODE, content)
		return
	}
	d.code(s, x, y, size, size, datamatrix.NewDataMatrixWriter(), gozxing.BarcodeFormat_DATA_MATRIX, content)
}

func (d *desk) code(s *paper.Sheet, x, y, w, h float64, writer gozxing.Writer, format gozxing.BarcodeFormat, content string) {
	modules, err := writer.EncodeWithoutHint(content, format, 1, 1)
	if err != nil {
		d.fail(err)
		return
	}
	img := image.NewGray(image.Rect(0, 0, modules.GetWidth(), modules.GetHeight()))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	ink := image.Rectangle{}
	for my := range modules.GetHeight() {
		for mx := range modules.GetWidth() {
			if modules.Get(mx, my) {
				img.SetGray(mx, my, color.Gray{0x08})
				ink = ink.Union(image.Rect(mx, my, mx+1, my+1))
			}
		}
	}
	s.Picture(x, y, w, h, img)
	fx, fy := w/float64(modules.GetWidth()), h/float64(modules.GetHeight())
	s.Area(x+float64(ink.Min.X)*fx, y+float64(ink.Min.Y)*fy, float64(ink.Dx())*fx, float64(ink.Dy())*fy, truth.Destroy, "code")
}

// portrait is a drawn face, shaded. A detector trained on photographs may not take it
// for one, so its area may stay or go.
func (d *desk) portrait(s *paper.Sheet, x, y, w, h float64) {
	const pw, ph = 180, 240
	skins := []color.RGBA{{0xf1, 0xcf, 0xb4, 0xff}, {0xd8, 0xa6, 0x7c, 0xff}, {0xa8, 0x73, 0x4c, 0xff}, {0x6f, 0x48, 0x30, 0xff}, {0xe6, 0xbd, 0x98, 0xff}}
	hairs := []color.RGBA{{0x22, 0x1c, 0x18, 0xff}, {0x5a, 0x3c, 0x22, 0xff}, {0xb8, 0xb4, 0xb0, 0xff}, {0x8a, 0x60, 0x30, 0xff}, {0x30, 0x28, 0x28, 0xff}}
	skin, hair := skins[d.rng.IntN(len(skins))], hairs[d.rng.IntN(len(hairs))]
	img := image.NewRGBA(image.Rect(0, 0, pw, ph))
	back := uint8(150 + d.rng.IntN(90))
	draw.Draw(img, img.Rect, image.NewUniform(color.RGBA{back, back, uint8(min(int(back)+14, 255)), 0xff}), image.Point{}, draw.Src)
	long := 0.0
	if d.subject.Female {
		long = 46
	}
	ellipse(img, 90, 100+long/2, 62, 74+long/2, hair, 0)
	ellipse(img, 90, 262, 88, 62, color.RGBA{uint8(40 + d.rng.IntN(120)), uint8(50 + d.rng.IntN(90)), uint8(60 + d.rng.IntN(110)), 0xff}, 0.3)
	ellipse(img, 90, 196, 24, 34, darker(skin, 0.82), 0.2)
	ellipse(img, 90, 116, 50, 66, skin, 0.45)
	ellipse(img, 90, 62, 46, 20, hair, 0)
	d.features(img, skin, hair)
	paper.Blur(img, 2)
	s.Picture(x, y, w, h, img)
	s.Area(x, y, w, h, truth.Either, "face")
}

func (d *desk) features(img *image.RGBA, skin, hair color.RGBA) {
	for _, side := range []float64{-1, 1} {
		ex := 90 + side*20
		ellipse(img, ex, 108, 13, 9, darker(skin, 0.80), 0)
		ellipse(img, ex, 109, 9, 5, color.RGBA{0xf4, 0xf2, 0xee, 0xff}, 0)
		ellipse(img, ex, 109, 4.4, 4.8, color.RGBA{0x2a, 0x20, 0x1a, 0xff}, 0)
		ellipse(img, ex, 96, 13, 3, darker(hair, 0.9), 0)
		ellipse(img, 90+side*7, 141, 4, 2.6, darker(skin, 0.6), 0)
	}
	ellipse(img, 86, 126, 4, 15, darker(skin, 0.88), 0)
	ellipse(img, 90, 158, 18, 5.5, color.RGBA{uint8(float64(skin.R) * 0.78), uint8(float64(skin.G) * 0.55), uint8(float64(skin.B) * 0.55), 0xff}, 0)
	ellipse(img, 90, 157, 16, 1.3, darker(skin, 0.4), 0)
}

// ellipse is filled; shade darkens it towards the edge.
func ellipse(img *image.RGBA, cx, cy, rx, ry float64, c color.RGBA, shade float64) {
	for y := max(0, int(cy-ry)); y < min(img.Rect.Dy(), int(cy+ry)+1); y++ {
		for x := max(0, int(cx-rx)); x < min(img.Rect.Dx(), int(cx+rx)+1); x++ {
			u, v := (float64(x)-cx)/rx, (float64(y)-cy)/ry
			if r := u*u + v*v; r <= 1 {
				img.SetRGBA(x, y, darker(c, 1-shade*r*r*(0.6+0.4*u)))
			}
		}
	}
}

func darker(c color.RGBA, f float64) color.RGBA {
	return color.RGBA{uint8(float64(c.R) * f), uint8(float64(c.G) * f), uint8(float64(c.B) * f), 0xff}
}
