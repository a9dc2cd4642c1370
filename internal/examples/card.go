package examples

import (
	"blotter/internal/examples/paper"
	"blotter/internal/truth"
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
)

// insuranceCard is a phone photo: a plastic card on a table, seen at an angle, in
// uneven light, stored sideways with an Exif orientation and a place.
func insuranceCard() (Example, error) {
	const width, height = 1512, 2016 // upright, pixels
	drawn, err := cardFront().Draw(450, color.RGBA{0xf4, 0xf6, 0xf8, 0xff})
	if err != nil {
		return Example{}, err
	}
	card, words := drawn.Image, drawn.Words
	photo := tableTop(width, height)
	m := paper.OntoQuad(float64(card.Rect.Dx()), float64(card.Rect.Dy()),
		[4]truth.Point{{X: 118, Y: 560}, {X: 1376, Y: 612}, {X: 1432, Y: 1424}, {X: 72, Y: 1398}})
	paper.Warp(photo, card, m)
	paper.Blur(photo, 1)
	light := func(u, v float64) float64 { // a lamp from the upper left
		return 1.06 - 0.42*math.Hypot(u-0.25, v-0.30)
	}
	paper.Shade(photo, light, 4, paper.Seeded(2))
	var out bytes.Buffer
	if err := jpeg.Encode(&out, turnLeft(photo), &jpeg.Options{Quality: 80}); err != nil {
		return Example{}, err
	}
	return Example{"insurance-card.jpg", withExif(out.Bytes()), []truth.Picture{
		{Frame: 1, Width: width, Height: height, Words: paper.Move(words, m)}}}, nil
}

// cardFront is 85.6 × 54 mm (ISO/IEC 7810 ID-1).
func cardFront() *paper.Sheet {
	s := &paper.Sheet{Width: 242.6, Height: 153}
	white := color.White
	blue := color.RGBA{0x1d, 0x4f, 0x8c, 0xff}
	label, value := paper.Style{Face: paper.Regular, Size: 6, Ink: color.RGBA{0x44, 0x4c, 0x58, 0xff}}, paper.Style{Face: paper.Bold, Size: 9}
	small := paper.Style{Face: paper.Regular, Size: 6.5}
	s.Fill(0, 0, 242.6, 30, blue)
	s.Text(12, 20, paper.Style{Face: paper.Bold, Size: 13, Ink: white}, "{?organisation:Prairie Shield}")
	s.Text(180, 19, paper.Style{Face: paper.Medium, Size: 8, Ink: white}, "PPO Choice")
	s.Text(12, 43, label, "Member name")
	s.Text(12, 54, value, "{name:THEODORE J. VANCE}")
	s.Text(12, 67, label, "Member ID")
	s.Text(12, 78, value, "{health_plan:PSH 730 418 226}")
	s.Text(12, 91, label, "Group number")
	s.Text(12, 102, value, "{health_plan:70412-A}")
	s.Text(140, 43, label, "Date of birth")
	s.Text(140, 54, value, "{date:09/22/1971}")
	s.Text(140, 67, label, "Effective date")
	s.Text(140, 78, value, "{date:01/01/2024}")
	s.Text(140, 91, label, "Primary care physician")
	s.Text(140, 102, value, "{name:Lucia Ferreira}, MD")
	s.Fill(12, 109, 218, 0.6, blue)
	s.Text(12, 119, small, "Office visit $25")
	s.Text(86, 119, small, "Specialist $45")
	s.Text(160, 119, small, "Emergency room $150")
	s.Text(12, 130, small, "Deductible $1,500")
	s.Text(86, 130, small, "Coinsurance 20%")
	s.Text(160, 130, small, "Generic drugs $10")
	s.Text(12, 144, small, "Member services {?phone:1-800-555-0199}")
	return s
}

// tableTop is a wooden table, roughly.
func tableTop(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			wave := math.Sin(float64(x)*0.021 + 2.5*math.Sin(float64(y)*0.004))
			grain := 10*wave + 5*math.Sin(float64(x)*0.13+float64(y)*0.011)
			img.SetRGBA(x, y, color.RGBA{uint8(138 + grain), uint8(104 + grain), uint8(74 + 0.7*grain), 0xff})
		}
	}
	return img
}

// turnLeft turns a picture by 90° anticlockwise: what a sensor holds when the phone
// stands upright.
func turnLeft(img *image.RGBA) *image.RGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	out := image.NewRGBA(image.Rect(0, 0, h, w))
	for y := range h {
		for x := range w {
			out.SetRGBA(y, w-1-x, img.RGBAAt(x, y))
		}
	}
	return out
}
