package specimen

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"

	"blotter/internal/examples/paper"
	"blotter/internal/truth"
)

// draw renders a sheet on white paper.
func (d *desk) draw(s *paper.Sheet, dpi float64) drawing { return d.drawOn(s, dpi, color.White) }

func (d *desk) drawOn(s *paper.Sheet, dpi float64, tone color.Color) drawing {
	out, err := s.Draw(dpi*d.fineness, tone)
	if err != nil {
		d.fail(err)
	}
	return out
}

// carried is a drawing that was laid onto img through m.
func carried(from drawing, img *image.RGBA, m paper.Mapping) drawing {
	paper.Warp(img, from.Image, m)
	out := drawing{Image: img, Words: paper.Move(from.Words, m), Areas: from.Areas}
	for i := range out.Areas {
		for k, p := range out.Areas[i].Quad {
			out.Areas[i].Quad[k] = m.At(p)
		}
	}
	return out
}

func blank(w, h int, c color.Color) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	return img
}

// crooked turns the page by degrees inside its own size; more than two degrees shrink it
// a little, so that no corner leaves the glass.
func crooked(from drawing, degrees float64) drawing {
	w, h := from.Image.Rect.Dx(), from.Image.Rect.Dy()
	scale := 1 - math.Max(0, math.Abs(degrees)-2)*0.012
	m := paper.Skew(degrees, scale, scale, w, h)
	// Skew scales around the corner; bring the middle back.
	cx, cy := float64(w)/2, float64(h)/2
	at := m.At(truth.Point{X: cx, Y: cy})
	m[2] += cx - at.X
	m[5] += cy - at.Y
	return carried(from, blank(w, h, color.Gray{0xe4}), m)
}

// scanned is what an office scanner makes of a page: a little crooked, a little grainy.
func (d *desk) scanned(from drawing) drawing {
	out := crooked(from, d.sign()*d.amount(0, 0.9))
	paper.Blur(out.Image, d.rng.IntN(2))
	fade := d.amount(0, 0.06)
	paper.Shade(out.Image, func(u, v float64) float64 { return 0.99 - fade*u*v }, d.amount(1, 7), d.rng)
	if d.maybe(40) {
		paper.Dust(out.Image, int(d.amount(100, 1500)), d.rng)
	}
	return out
}

func (d *desk) sign() float64 { return float64(1 - 2*d.rng.IntN(2)) }

// pale lowers the contrast: black becomes ink, white paper, in levels of 256.
func pale(img *image.RGBA, ink, white float64) {
	for i := range img.Pix {
		if i%4 != 3 {
			img.Pix[i] = uint8(ink + float64(img.Pix[i])*(white-ink)/255 + 0.5)
		}
	}
}

// photographed is a picture by a phone: the page lies on a table, seen at an angle, in
// the light of a lamp. width is that of the photo in pixels.
func (d *desk) photographed(from drawing, width int, lean float64) drawing {
	width = int(float64(width) * d.fineness)
	w, h := float64(from.Image.Rect.Dx()), float64(from.Image.Rect.Dy())
	inner := float64(width) * (1 - 2.2*lean - 0.06)
	height := int(inner*h/w + float64(width)*(2.2*lean+0.06))
	edge := func() float64 { return float64(width) * (0.03 + lean*(0.2+d.rng.Float64())) }
	W, H := float64(width), float64(height)
	corners := [4]truth.Point{{X: edge(), Y: edge()}, {X: W - edge(), Y: edge()}, {X: W - edge(), Y: H - edge()}, {X: edge(), Y: H - edge()}}
	out := carried(from, d.table(width, height), paper.OntoQuad(w, h, corners))
	paper.Blur(out.Image, 1+d.rng.IntN(2))
	lampX, lampY, strength := d.rng.Float64(), d.rng.Float64(), d.amount(0.1, 0.45)
	paper.Shade(out.Image, func(u, v float64) float64 { return 1.04 - strength*math.Hypot(u-lampX, v-lampY) }, d.amount(2, 7), d.rng)
	return out
}

// table is wood, cloth or a plain desk.
func (d *desk) table(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	tones := [][3]float64{{138, 104, 74}, {92, 70, 56}, {170, 168, 160}, {60, 66, 78}, {120, 124, 110}}
	tone, wave := tones[d.variant(len(tones))], d.amount(0.008, 0.05)
	for y := range h {
		for x := range w {
			g := 9*math.Sin(float64(x)*wave+2.5*math.Sin(float64(y)*0.004)) + 4*math.Sin(float64(x)*0.13+float64(y)*0.011)
			img.SetRGBA(x, y, color.RGBA{uint8(tone[0] + g), uint8(tone[1] + g), uint8(tone[2] + 0.7*g), 0xff})
		}
	}
	return img
}

// quarter turns a drawing clockwise by a number of quarters, pixels and truth.
func quarter(from drawing, turns int) drawing {
	for range turns % 4 {
		src := from.Image
		h := src.Rect.Dy()
		img := image.NewRGBA(image.Rect(0, 0, h, src.Rect.Dx()))
		for y := range h {
			for x := range src.Rect.Dx() {
				copy(img.Pix[img.PixOffset(h-1-y, x):][:4], src.Pix[src.PixOffset(x, y):][:4])
			}
		}
		m := paper.Mapping{0, -1, float64(h), 1, 0, 0, 0, 0, 1}
		for i := range from.Areas {
			for k, p := range from.Areas[i].Quad {
				from.Areas[i].Quad[k] = m.At(p)
			}
		}
		from = drawing{Image: img, Words: paper.Move(from.Words, m), Areas: from.Areas}
	}
	return from
}

// pictureOf leaves out marks beside a value that may go or stay: they say nothing about
// a product, and a full stop on a screen is smaller than a pixel.
func pictureOf(from drawing) truth.Picture {
	p := truth.Picture{Width: from.Image.Rect.Dx(), Height: from.Image.Rect.Dy(), Areas: from.Areas}
	for _, w := range from.Words {
		if w.Want != truth.Either || w.Value != 0 {
			p.Words = append(p.Words, w)
		}
	}
	return p
}

// asPNG writes one picture, in gray where gray is wanted.
func (d *desk) asPNG(from drawing, colours bool) made {
	var out bytes.Buffer
	var img image.Image = from.Image
	if !colours {
		img = paper.Gray(from.Image)
	}
	if err := png.Encode(&out, img); err != nil {
		d.fail(err)
	}
	p := pictureOf(from)
	p.Frame = 1
	return made{".png", out.Bytes(), []truth.Picture{p}}
}

// asJPEG writes one picture in colours.
func (d *desk) asJPEG(from drawing, quality int) made {
	p := pictureOf(from)
	p.Frame = 1
	return made{".jpg", d.jpeg(from.Image, quality), []truth.Picture{p}}
}

func (d *desk) jpeg(img image.Image, quality int) []byte {
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: quality}); err != nil {
		d.fail(err)
	}
	return out.Bytes()
}

// asFax writes a TIFF of black-and-white frames as a fax machine makes them.
func (d *desk) asFax(threshold uint8, specks int, pages ...drawing) made {
	out := made{suffix: ".tiff"}
	var frames []paper.Bitmap
	for i, page := range pages {
		frame := paper.Threshold(paper.Gray(page.Image), threshold)
		frame.Specks(specks, d.rng)
		frames = append(frames, frame)
		p := pictureOf(page)
		p.Frame = i + 1
		out.pictures = append(out.pictures, p)
	}
	out.bytes = paper.EncodeTIFF(frames)
	return out
}

// asScans writes a PDF of scanned pages. hidden, where given, is the text that lies
// invisible over each.
func (d *desk) asScans(size *paper.Sheet, turn int, hidden *paper.Sheet, pages ...drawing) made {
	out := made{suffix: ".pdf"}
	var leaves []paper.Leaf
	for i, page := range pages {
		p := pictureOf(page)
		scan := paper.Scan{Data: d.jpeg(paper.Gray(page.Image), int(d.amount(45, 85))), Width: p.Width, Height: p.Height, Gray: true}
		leaves = append(leaves, paper.Leaf{Width: size.Width, Height: size.Height, Turn: turn, Scan: scan, Hidden: hidden})
		p.Page = i + 1
		out.pictures = append(out.pictures, p)
	}
	out.bytes = d.bound(leaves)
	return out
}

// asPrint writes a PDF of real text.
func (d *desk) asPrint(sheets ...*paper.Sheet) made {
	const dpi = 144
	out := made{suffix: ".pdf"}
	var leaves []paper.Leaf
	for i, s := range sheets {
		p := pictureOf(d.draw(s, dpi))
		p.Page = i + 1
		out.pictures = append(out.pictures, p)
		leaves = append(leaves, paper.Leaf{Width: s.Width, Height: s.Height, Print: s})
	}
	out.bytes = d.bound(leaves)
	return out
}

func (d *desk) bound(leaves []paper.Leaf) []byte {
	b, err := paper.Bind("document", leaves...)
	if err != nil {
		d.fail(err)
	}
	return b
}

// onPaper finishes a page in one of the ways in which pages come: a scan as picture or
// PDF, a TIFF, a photo.
func (d *desk) onPaper(s *paper.Sheet) made {
	switch d.rng.IntN(5) {
	case 0:
		return d.asScans(s, 0, nil, d.scanned(d.draw(s, d.resolution())))
	case 1:
		return d.asJPEG(d.scanned(d.draw(s, d.resolution())), int(d.amount(45, 88)))
	case 2:
		page := d.scanned(d.draw(s, 200))
		return d.asFax(uint8(d.amount(120, 180)), int(d.amount(0, 80)), page)
	}
	return d.asPNG(d.scanned(d.draw(s, d.resolution())), d.maybe(40))
}

// resolution of a scanner, in dots per inch.
func (d *desk) resolution() float64 { return one(d, []float64{150, 200, 200, 200, 250}) }
