package examples

import (
	"blotter/internal/examples/paper"
	"blotter/internal/truth"
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
)

// report is a DOCX: two paragraphs of text and a scan pasted below them.
func report() (Example, error) {
	scan, words, err := reportScan()
	if err != nil {
		return Example{}, err
	}
	picture, err := encodePNG(scan)
	if err != nil {
		return Example{}, err
	}
	paragraphs := []string{
		"Please find the chest CT report of Rosalind Achterberg below.",
		"She asked for a copy at her next visit. The original film is in the archive.",
	}
	w, h := scan.Rect.Dx(), scan.Rect.Dy()
	file, err := encodeDOCX("Ingrid Halvorsen", paragraphs, picture, 6, 6*float64(h)/float64(w))
	if err != nil {
		return Example{}, err
	}
	return Example{"report.docx", file, []truth.Picture{{Width: w, Height: h, Words: words}}}, nil
}

// reportScan is the report as a scanner sees it, and where its words lie.
func reportScan() (*image.Paletted, []truth.Word, error) {
	const dpi = 150
	drawn, err := reportSheet().Draw(dpi, color.White)
	if err != nil {
		return nil, nil, err
	}
	page, words := drawn.Image, drawn.Words
	scan := image.NewRGBA(page.Rect)
	draw.Draw(scan, scan.Rect, image.White, image.Point{}, draw.Src)
	m := paper.Skew(-0.4, 1, 1, page.Rect.Dx(), page.Rect.Dy())
	paper.Warp(scan, page, m)
	paper.Dust(scan, 900, paper.Seeded(3))
	return sixteenGrays(paper.Gray(scan)), paper.Move(words, m), nil
}

func encodePNG(img image.Image) ([]byte, error) {
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err := encoder.Encode(&out, img)
	return out.Bytes(), err
}

func reportSheet() *paper.Sheet {
	s := &paper.Sheet{Width: letterWidth, Height: 640}
	title, body, strong := paper.Style{Face: paper.Bold, Size: 15}, paper.Style{Face: paper.Regular, Size: 11}, paper.Style{Face: paper.Bold, Size: 11}
	s.Text(60, 58, title, "Radiology report")
	s.Text(360, 58, paper.Style{Face: paper.Medium, Size: 11}, "{?organisation:Larkspur Regional Hospital}")
	s.Frame(60, 72, 492, 78)
	y := s.Block(70, 92, 17, body, "Patient Name: {name:Rosalind Achterberg}", "Date of Birth: {date:November 3, 1949}",
		"MRN: {mrn:LRH-7731904}", "Referring Physician: {name:Tobias Marchetti}, MD")
	s.Block(350, 92, 17, body, "Sex: F", "Exam Date: {date:02/19/2024}", "Accession No.: {code:24-0093817}", "Ward: 5 West")
	s.Text(60, y+22, strong, "EXAM: CT of the chest without contrast")
	y = s.Block(60, y+46, 16, body,
		"CLINICAL HISTORY: Cough for six weeks. Hodgkin lymphoma treated in 1998.",
		"",
		"COMPARISON: Chest radiograph of {date:11/02/2023}.",
		"",
		"FINDINGS: The lungs are clear. There is a 4 mm nodule in the right lower lobe,",
		"unchanged. No pleural effusion. The heart is of normal size. A Swan-Ganz catheter",
		"seen earlier has been removed. A Bochdalek hernia on the left is small and stable.",
		"The thyroid gland is normal. No enlarged lymph nodes in the mediastinum.",
		"",
		"IMPRESSION:",
		"1. Stable 4 mm nodule; follow-up CT in 12 months is recommended.",
		"2. No sign of recurrent lymphoma.",
		"",
		"Results were discussed with Ms. {name:Achterberg} by phone at {phone:509-555-0128}.",
		"Copy to: {name:Tobias Marchetti}, {place:44 Orchard Lane, Wenatchee,} {?place:WA} {place:98801}",
		"")
	s.Block(60, y+6, 16, body, "Electronically signed by {name:Ingrid Halvorsen}, MD on {date:02/20/2024} 14:32",
		"Email: {email:ihalvorsen@larkspur.example}")
	return s
}

// sixteenGrays keeps four bits a pixel, as office scanners do to save space.
func sixteenGrays(img *image.Gray) *image.Paletted {
	palette := make(color.Palette, 16)
	for i := range palette {
		palette[i] = color.Gray{uint8(i * 17)}
	}
	out := image.NewPaletted(img.Rect, palette)
	for i, v := range img.Pix {
		out.Pix[i] = uint8((int(v) + 8) / 17)
	}
	return out
}
