package examples

import (
	"blotter/internal/truth"
	"image"
	"image/color"
	"image/draw"
)

// The page of a group 4 fax: 1728 pixels across (ITU-T T.4) and 11 inches long.
const faxWidth = 1728

// fax is a TIFF of two black-and-white pages with the dirt of a telephone line.
func fax() (Example, error) {
	sheets := []*sheet{faxCover(), faxOrder()}
	pictures := make([]truth.Picture, len(sheets))
	pages := make([]bitmap, len(sheets))
	for i, s := range sheets {
		page, words, err := s.draw(float64(faxDPI[0]), color.White)
		if err != nil {
			return Example{}, err
		}
		lines := float64(faxDPI[1]) / float64(faxDPI[0])
		w, h := faxWidth, int(float64(page.Rect.Dy())*lines)
		received := image.NewRGBA(image.Rect(0, 0, w, h))
		draw.Draw(received, received.Rect, image.White, image.Point{}, draw.Src)
		m := skew(0.5*float64(i), 1, lines, w, h) // the second sheet went in crooked
		warp(received, page, m)
		shade(received, func(_, _ float64) float64 { return 1 }, 22, seeded(uint64(4+i)))
		pages[i] = threshold(gray(received), 150)
		pages[i].dirt(uint64(10 + i))
		pictures[i] = truth.Picture{Frame: i + 1, Width: w, Height: h, Words: move(words, m)}
	}
	return Example{"fax.tiff", encodeTIFF(pages), pictures}, nil
}

func faxSheet(page string) *sheet {
	s := &sheet{width: 72 * faxWidth / float64(faxDPI[0]), height: letterHeight}
	s.text(20, 20, style{face: mono, size: 8.5},
		"{date:MAR-12-2024} 09:41  FROM: {?organisation:LAKEVIEW CLINIC}  {fax:406-555-0177}  TO: {fax:406-555-0119}  P."+page)
	return s
}

func faxCover() *sheet {
	s := faxSheet("01/02")
	body := style{face: regular, size: 12}
	s.text(64, 84, style{face: bold, size: 26}, "FAX")
	s.text(300, 84, style{face: regular, size: 12}, "{?organisation:Lakeview Clinic}")
	s.text(300, 100, style{face: regular, size: 10}, "{place:72 Harbor Street, Polson,} {?place:MT} {place:59860}")
	s.fill(64, 112, 480, 1.5, color.Black)
	s.block(64, 142, 22, body, "To: {name:Helen Brubaker}, RPh", "Fax: {fax:406-555-0119}",
		"From: {name:Samuel Whitehorse}, PA-C", "Phone: {phone:406-555-0176}", "Date: {date:03/12/2024}", "Pages: 2")
	s.fill(64, 270, 480, 1.5, color.Black)
	s.block(64, 304, 18, body,
		"Re: {name:Gloria Delacroix}, DOB {date:07/30/1983}",
		"",
		"Please fill the attached prescription today. The patient uses insulin glargine",
		"and has no known drug allergies. Please call the nurse if the brand is out of",
		"stock; a generic is fine.")
	s.block(64, 620, 13, style{face: italic, size: 9},
		"This message is confidential. If you received it in error, please notify the sender",
		"and destroy all copies.")
	return s
}

func faxOrder() *sheet {
	s := faxSheet("02/02")
	body, strong := style{face: regular, size: 12}, style{face: bold, size: 12}
	s.text(64, 84, style{face: bold, size: 18}, "Prescription")
	s.frame(64, 100, 480, 96)
	s.block(76, 124, 20, body, "Patient: {name:Gloria Delacroix}", "Address: {place:918 Juniper Court, Polson,} {?place:MT} {place:59860}",
		"DOB: {date:07/30/1983}     Phone: {phone:406-555-0164}", "MRN: {mrn:5520-418-3}")
	y := s.block(64, 232, 20, strong, "Rx")
	y = s.block(84, y, 20, body,
		"1. Insulin glargine 100 units/mL, inject 18 units at bedtime",
		"2. Metformin 1000 mg, one tablet twice daily with food",
		"3. Lisinopril 5 mg, one tablet every morning")
	y = s.block(64, y+14, 20, body, "Refills: 3", "Diagnosis: type 2 diabetes; Charcot foot, left; Raynaud phenomenon",
		"Substitution permitted: yes")
	s.text(64, y+40, style{face: italic, size: 20}, "{name:S. Whitehorse}")
	s.fill(64, y+48, 240, 0.8, color.Black)
	s.block(64, y+64, 16, body, "{name:Samuel Whitehorse}, PA-C", "DEA No. {licence:MW4417280}", "License: {licence:PA-20931}")
	return s
}

// dirt adds what a bad line does: specks of two by two pixels.
func (b bitmap) dirt(seed uint64) {
	rng := seeded(seed)
	const specks = 350
	for range specks {
		x, y := rng.IntN(b.width-1), rng.IntN(b.height-1)
		for _, at := range []int{0, 1, b.width, b.width + 1} {
			b.pix[y*b.width+x+at] = 1
		}
	}
}
