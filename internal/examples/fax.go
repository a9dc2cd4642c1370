package examples

import (
	"blotter/internal/examples/paper"
	"blotter/internal/truth"
	"image"
	"image/color"
	"image/draw"
)

// The page of a group 4 fax: 1728 pixels across (ITU-T T.4) and 11 inches long.
const faxWidth = 1728

// fax is a TIFF of two black-and-white pages with the dirt of a telephone line.
func fax() (Example, error) {
	sheets := []*paper.Sheet{faxCover(), faxOrder()}
	pictures := make([]truth.Picture, len(sheets))
	pages := make([]paper.Bitmap, len(sheets))
	for i, s := range sheets {
		drawn, err := s.Draw(float64(paper.FaxDPI[0]), color.White)
		if err != nil {
			return Example{}, err
		}
		page, words := drawn.Image, drawn.Words
		lines := float64(paper.FaxDPI[1]) / float64(paper.FaxDPI[0])
		w, h := faxWidth, int(float64(page.Rect.Dy())*lines)
		received := image.NewRGBA(image.Rect(0, 0, w, h))
		draw.Draw(received, received.Rect, image.White, image.Point{}, draw.Src)
		m := paper.Skew(0.5*float64(i), 1, lines, w, h) // the second sheet went in crooked
		paper.Warp(received, page, m)
		paper.Shade(received, func(_, _ float64) float64 { return 1 }, 22, paper.Seeded(uint64(4+i)))
		pages[i] = paper.Threshold(paper.Gray(received), 150)
		pages[i].Specks(350, paper.Seeded(uint64(10+i)))
		pictures[i] = truth.Picture{Frame: i + 1, Width: w, Height: h, Words: paper.Move(words, m)}
	}
	return Example{"fax.tiff", paper.EncodeTIFF(pages), pictures}, nil
}

func faxSheet(page string) *paper.Sheet {
	s := &paper.Sheet{Width: 72 * faxWidth / float64(paper.FaxDPI[0]), Height: letterHeight}
	s.Text(20, 20, paper.Style{Face: paper.Mono, Size: 8.5},
		"{date:MAR-12-2024} 09:41  FROM: {?organisation:LAKEVIEW CLINIC}  {fax:406-555-0177}  TO: {fax:406-555-0119}  P."+page)
	return s
}

func faxCover() *paper.Sheet {
	s := faxSheet("01/02")
	body := paper.Style{Face: paper.Regular, Size: 12}
	s.Text(64, 84, paper.Style{Face: paper.Bold, Size: 26}, "FAX")
	s.Text(300, 84, paper.Style{Face: paper.Regular, Size: 12}, "{?organisation:Lakeview Clinic}")
	s.Text(300, 100, paper.Style{Face: paper.Regular, Size: 10}, "{place:72 Harbor Street, Polson,} {?place:MT} {place:59860}")
	s.Fill(64, 112, 480, 1.5, color.Black)
	s.Block(64, 142, 22, body, "To: {name:Helen Brubaker}, RPh", "Fax: {fax:406-555-0119}",
		"From: {name:Samuel Whitehorse}, PA-C", "Phone: {phone:406-555-0176}", "Date: {date:03/12/2024}", "Pages: 2")
	s.Fill(64, 270, 480, 1.5, color.Black)
	s.Block(64, 304, 18, body,
		"Re: {name:Gloria Delacroix}, DOB {date:07/30/1983}",
		"",
		"Please fill the attached prescription today. The patient uses insulin glargine",
		"and has no known drug allergies. Please call the nurse if the brand is out of",
		"stock; a generic is fine.")
	s.Block(64, 620, 13, paper.Style{Face: paper.Italic, Size: 9},
		"This message is confidential. If you received it in error, please notify the sender",
		"and destroy all copies.")
	return s
}

func faxOrder() *paper.Sheet {
	s := faxSheet("02/02")
	body, strong := paper.Style{Face: paper.Regular, Size: 12}, paper.Style{Face: paper.Bold, Size: 12}
	s.Text(64, 84, paper.Style{Face: paper.Bold, Size: 18}, "Prescription")
	s.Frame(64, 100, 480, 96)
	s.Block(76, 124, 20, body, "Patient: {name:Gloria Delacroix}", "Address: {place:918 Juniper Court, Polson,} {?place:MT} {place:59860}",
		"DOB: {date:07/30/1983}     Phone: {phone:406-555-0164}", "MRN: {mrn:5520-418-3}")
	y := s.Block(64, 232, 20, strong, "Rx")
	y = s.Block(84, y, 20, body,
		"1. Insulin glargine 100 units/mL, inject 18 units at bedtime",
		"2. Metformin 1000 mg, one tablet twice daily with food",
		"3. Lisinopril 5 mg, one tablet every morning")
	y = s.Block(64, y+14, 20, body, "Refills: 3", "Diagnosis: type 2 diabetes; Charcot foot, left; Raynaud phenomenon",
		"Substitution permitted: yes")
	s.Text(64, y+40, paper.Style{Face: paper.Italic, Size: 20}, "{name:S. Whitehorse}")
	s.Fill(64, y+48, 240, 0.8, color.Black)
	s.Block(64, y+64, 16, body, "{name:Samuel Whitehorse}, PA-C", "DEA No. {licence:MW4417280}", "License: {licence:PA-20931}")
	return s
}
