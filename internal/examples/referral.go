package examples

import (
	"blotter/internal/examples/paper"
	"blotter/internal/truth"
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
)

// US letter, points.
const letterWidth, letterHeight = 612, 792

// scanDPI is the resolution of the scanned page, dots per inch.
const scanDPI = 200

// referral is a PDF: page 1 is a scan, slightly crooked and grainy, with no text
// layer; page 2 is real text.
func referral() (Example, error) {
	scan, scanned, err := referralScan()
	if err != nil {
		return Example{}, err
	}
	var file paper.PDF
	picture := file.Stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray "+
		"/BitsPerComponent 8 /Filter /DCTDecode", scanned.Width, scanned.Height), scan)
	first, err := file.Content(fmt.Sprintf("q %d 0 0 %d 0 0 cm /Im1 Do Q", letterWidth, letterHeight))
	if err != nil {
		return Example{}, err
	}
	operators, words := referralText().Operators()
	second, err := file.Content(operators)
	if err != nil {
		return Example{}, err
	}
	regularFont := file.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	boldFont := file.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>")
	pages := file.Len() + 3
	page := func(resources string, content int) int {
		return file.Add(fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %d %d] /Resources << %s >> /Contents %d 0 R >>",
			pages, letterWidth, letterHeight, resources, content))
	}
	p1 := page(fmt.Sprintf("/XObject << /Im1 %d 0 R >>", picture), first)
	p2 := page(fmt.Sprintf("/Font << /F1 %d 0 R /F2 %d 0 R >>", regularFont, boldFont), second)
	file.Add(fmt.Sprintf("<< /Type /Pages /Kids [%d 0 R %d 0 R] /Count 2 >>", p1, p2))
	info := file.Add("<< /Title (Referral Margaret Ellison) /Author (Daniel Okafor) /Producer (blotter examples) >>")
	catalogue := file.Add(fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R >>", pages))
	return Example{"referral-letter.pdf", file.Bytes(catalogue, info), []truth.Picture{
		scanned, {Page: 2, Width: letterWidth, Height: letterHeight, Words: words}}}, nil
}

func referralScan() ([]byte, truth.Picture, error) {
	drawn, err := referralLetter().Draw(scanDPI, color.White)
	if err != nil {
		return nil, truth.Picture{}, err
	}
	page, words := drawn.Image, drawn.Words
	w, h := page.Rect.Dx(), page.Rect.Dy()
	scan := image.NewRGBA(page.Rect)
	draw.Draw(scan, scan.Rect, image.NewUniform(color.Gray{0xc8}), image.Point{}, draw.Src)
	m := paper.Skew(0.7, 1, 1, w, h)
	paper.Warp(scan, page, m)
	paper.Blur(scan, 1)
	paper.Shade(scan, func(u, v float64) float64 { return 0.97 - 0.05*u*v }, 5, paper.Seeded(1))
	var out bytes.Buffer
	if err := jpeg.Encode(&out, paper.Gray(scan), &jpeg.Options{Quality: 62}); err != nil {
		return nil, truth.Picture{}, err
	}
	return out.Bytes(), truth.Picture{Page: 1, Width: w, Height: h, Words: paper.Move(words, m)}, nil
}

func referralLetter() *paper.Sheet {
	s := &paper.Sheet{Width: letterWidth, Height: letterHeight}
	head, small := paper.Style{Face: paper.SmallCaps, Size: 19}, paper.Style{Face: paper.Regular, Size: 9}
	body, strong := paper.Style{Face: paper.Regular, Size: 11}, paper.Style{Face: paper.Bold, Size: 11}
	s.Text(72, 72, head, "{?organisation:Cottonwood Family Practice}")
	s.Text(72, 88, small, "{place:310 Willow Bend Drive, Suite 4, Bozeman,} {?place:MT} {place:59715}")
	s.Text(72, 100, small, "Phone {phone:(406) 555-0142}   Fax {fax:(406) 555-0143}")
	s.Fill(72, 108, 468, 1, color.Black)
	s.Text(72, 134, body, "{date:March 11, 2024}")
	y := s.Block(72, 160, 14, body, "{name:Priya Raman}, MD", "{?organisation:Gallatin Neurology Associates}",
		"{place:1875 Meridian Avenue}", "{place:Billings,} {?place:MT} {place:59101}")
	s.Text(72, y+10, strong, "Re: {name:Margaret Ellison}")
	y = s.Block(72, y+26, 14, body, "Date of birth: {date:04/17/1958}      MRN: {mrn:00482917}",
		"Address: {place:2148 Alder Creek Road, Bozeman,} {?place:MT} {place:59718}", "Phone: {phone:(406) 555-0186}")
	y = s.Block(72, y+12, 15, body,
		"Dear Dr. {name:Raman},",
		"",
		"Thank you for seeing Mrs. {name:Ellison}, a retired teacher with suspected Parkinson's",
		"disease. She noticed a resting tremor of the right hand in {date:August 2023}; since then",
		"she has had slower movements, a softer voice and two falls without injury.",
		"",
		"On examination there is cogwheel rigidity on the right, reduced arm swing and",
		"a shuffling gait. The Babinski sign is absent and the Romberg test is normal. Blood",
		"pressure was 128/76 lying and 112/70 standing. Her past history includes Graves'",
		"disease, treated with radioiodine, and a urinary infection after hip surgery, when",
		"a Foley catheter was in place until {date:02/26/2024}.",
		"",
		"I have started carbidopa/levodopa 25/100 mg three times daily. Her husband",
		"{name:Walter} will come with her and can be reached at {phone:(406) 555-0187}.",
		"",
		"Medication and laboratory results are on the next page.",
		"",
		"With kind regards,")
	s.Text(72, y+14, paper.Style{Face: paper.Italic, Size: 17}, "{name:Daniel Okafor}")
	s.Block(72, y+34, 14, body, "{name:Daniel Okafor}, MD", "NPI {licence:1487650932}")
	return s
}

func referralText() *paper.Sheet {
	s := &paper.Sheet{Width: letterWidth, Height: letterHeight}
	title, body := paper.Style{Face: paper.Bold, Size: 14}, paper.Style{Face: paper.Regular, Size: 10.5}
	strong := paper.Style{Face: paper.Bold, Size: 10.5}
	s.Text(72, 80, title, "Medication and laboratory results")
	s.Text(72, 102, body, "Patient: {name:Margaret Ellison}")
	s.Text(300, 102, body, "DOB: {date:04/17/1958}")
	s.Text(430, 102, body, "MRN: {mrn:00482917}")
	s.Fill(72, 110, 468, 0.7, color.Black)
	s.Table(72, 134, []float64{0, 210, 330}, strong, body, [][]string{
		{"Medication", "Dose", "Frequency"},
		{"Carbidopa/levodopa", "25/100 mg", "three times daily"},
		{"Levothyroxine", "88 mcg", "every morning"},
		{"Lisinopril", "10 mg", "once daily"},
		{"Vitamin D3", "1000 units", "once daily"},
	})
	s.Text(72, 240, body, "Collected: {date:03/04/2024}")
	s.Text(300, 240, body, "Specimen: {code:BZ-2403-11846}")
	s.Table(72, 264, []float64{0, 210, 330}, strong, body, [][]string{
		{"Test", "Result", "Reference range"},
		{"TSH", "2.1 mIU/L", "0.4 - 4.5"},
		{"Creatinine", "0.9 mg/dL", "0.6 - 1.1"},
		{"Hemoglobin A1c", "5.6 %", "below 5.7"},
		{"Vitamin B12", "412 pg/mL", "200 - 900"},
		{"Ceruloplasmin", "28 mg/dL", "20 - 60"},
	})
	s.Block(72, 388, 15, body,
		"Allergies: penicillin (rash).",
		"Emergency contact: {name:Walter Ellison}, husband, {phone:(406) 555-0187}",
		"Insurance: {?organisation:Prairie Shield}, member {health_plan:PSH 884 210 557}",
		"Reviewed by {name:Daniel Okafor}, MD on {date:03/08/2024}")
	return s
}
