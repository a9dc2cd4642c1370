package mark

import (
	"image/color"
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
	"blotter/internal/examples/paper"
	"blotter/internal/truth"
)

// signedPage sets a label on a page of a form and lets draw sign it. It returns what was
// found and the words.
func signedPage(t *testing.T, label string, draw func(*paper.Sheet) document.Box) (Marks, document.Box, []words.Word) {
	t.Helper()
	const dpi = 200
	st := paper.Style{Face: paper.Regular, Size: 11}
	s := &paper.Sheet{Width: 595, Height: 842}
	page := &words.Page{Width: 1653, Height: 2339}
	for i, line := range []struct {
		x, y float64
		text string
	}{
		{60, 100, "I agree to the treatment and have read the sheet that was given to me."},
		{60, 400, label}, {400, 400, "Date:"}, {440, 400, "04/12/2025"},
		{60, 470, "Please return this form to the reception desk of the clinic."},
	} {
		s.Text(line.x, line.y, st, line.text)
		page.Words = append(page.Words, setWords(line.x, line.y, st, line.text, i, dpi)...)
	}
	want := draw(s)
	m, err := New().Find(drawn(t, s, dpi), page, false)
	if err != nil {
		t.Fatal(err)
	}
	return m, want, page.Words
}

// signing is a label and what is drawn at it.
type signing struct {
	label string
	draw  func(*paper.Sheet) document.Box
}

// seeNothing holds that of no case anything is found that count counts.
func seeNothing(t *testing.T, cases map[string]signing, count func(Marks) int) {
	t.Helper()
	for name, c := range cases {
		if m, _, _ := signedPage(t, c.label, c.draw); count(m) > 0 {
			t.Errorf("%s: found %+v", name, m)
		}
	}
}

func rule(s *paper.Sheet, x, y, w float64) { s.Fill(x, y, w, 0.8, color.Black) }

func TestSignaturesAreCoveredByTheirLabel(t *testing.T) {
	beside := func(s *paper.Sheet) document.Box {
		rule(s, 160, 402, 220)
		return autograph(s, 190, 404, 120, 26, 200)
	}
	for _, label := range []string{
		"Signature:", "Patient signature", "Signature of patient:", "Signed", "Signed by:", "Unterschrift", "Unterschrift des Patienten",
		"Firma", "Handtekening", "Assinatura:", "Signature du patient", "X______", "Approved by:", "SIGN HERE",
	} {
		m, want, page := signedPage(t, label, beside)
		if len(m.Findings) != 1 || m.Findings[0].Type != document.Signature || m.Findings[0].Source != document.ByInk {
			t.Errorf("%s: found %+v", label, m.Findings)
			continue
		}
		if err := fitsIn(want, m.Findings[0].Box); err != nil {
			t.Errorf("%s: %v", label, err)
		}
		for _, w := range page {
			if 5*w.Box.Intersect(m.Findings[0].Box).Area() > w.Box.Area() {
				t.Errorf("%s: the box %v takes %q at %v", label, m.Findings[0].Box, w.Text, w.Box)
			}
		}
	}
}

func TestSignaturesAboveAndBelowTheirLabel(t *testing.T) {
	for name, draw := range map[string]func(*paper.Sheet) document.Box{
		"above": func(s *paper.Sheet) document.Box {
			rule(s, 60, 388, 200)
			return autograph(s, 90, 386, 110, 24, 200)
		},
		"below": func(s *paper.Sheet) document.Box {
			rule(s, 60, 440, 200)
			return autograph(s, 80, 438, 110, 24, 200)
		},
	} {
		m, want, _ := signedPage(t, "Signature", draw)
		if len(m.Findings) != 1 || fitsIn(want, m.Findings[0].Box) != nil {
			t.Errorf("%s: found %+v, want %v", name, m.Findings, want)
		}
	}
}

func TestNothingIsASignatureWithoutItsLabelOrInk(t *testing.T) {
	nothing := func(s *paper.Sheet) document.Box { rule(s, 160, 402, 220); return document.Box{} }
	ink := func(s *paper.Sheet) document.Box { return autograph(s, 190, 404, 120, 26, 200) }
	seeNothing(t, map[string]signing{
		"an empty field":      {"Signature:", nothing},
		"a printed value":     {"Signature: on file", nothing},
		"ink at another word": {"Diagnosis:", ink},
		"a word of a text":    {"signed estimate for the", ink},
		"significant":         {"Significant findings", ink},
	}, func(m Marks) int { return len(m.Findings) })
}

// A signature may stand in the last printed line of a paragraph.
func TestASignatureAcrossAPrintedLine(t *testing.T) {
	const dpi = 200
	st := paper.Style{Face: paper.Regular, Size: 11}
	s := &paper.Sheet{Width: 595, Height: 842}
	page := &words.Page{Width: 1653, Height: 2339}
	for i, line := range []struct {
		y    float64
		text string
	}{
		{372, "and to the use of my records by the clinic, its staff, and the"},
		{386, "treating physician, or the local Department of Health."},
		{412, "Signature of Patient or Parent/Guardian of Minor Patient"},
	} {
		s.Text(60, line.y, st, line.text)
		page.Words = append(page.Words, setWords(60, line.y, st, line.text, i, dpi)...)
	}
	rule(s, 60, 400, 300)
	want := autograph(s, 90, 399, 60, 30, dpi)
	m, err := New().Find(drawn(t, s, dpi), page, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Findings) != 1 || fitsIn(want, m.Findings[0].Box) != nil {
		t.Errorf("found %+v, want %v", m.Findings, want)
	}
}

func TestFramesAndSentencesAskForNothing(t *testing.T) {
	askew := func(s *paper.Sheet) document.Box {
		s.Stroke(1, color.Black, truth.Point{X: 190, Y: 330}, truth.Point{X: 390, Y: 324}, truth.Point{X: 394, Y: 404},
			truth.Point{X: 194, Y: 410}, truth.Point{X: 190, Y: 330})
		return document.Box{}
	}
	boxes := func(s *paper.Sheet) document.Box {
		for i := range 4 {
			s.Frame(190+40*float64(i), 391, 8, 8)
		}
		return document.Box{}
	}
	table := func(s *paper.Sheet) document.Box {
		for i := range 3 {
			s.Fill(60, 366+12*float64(i), 300, 1.4, color.Black)
		}
		for i := range 5 {
			s.Fill(60+70*float64(i), 366, 1.4, 24, color.Black)
		}
		return document.Box{}
	}
	tall := func(s *paper.Sheet) document.Box { return autograph(s, 190, 404, 120, 300, 200) }
	ink := func(s *paper.Sheet) document.Box { return autograph(s, 240, 404, 100, 26, 200) }
	seeNothing(t, map[string]signing{
		"a frame askew":          {"Signature", askew},
		"boxes to tick":          {"Signature:", boxes},
		"a drawing":              {"Signature:", tall},
		"a table":                {"Signature", table},
		"a printed name":         {"Administered by Amer. Insurance", ink},
		"a sentence that ends":   {"Consent: Please read and sign.", ink},
		"a sentence that begins": {"By my signature I agree that the bill is paid by me", ink},
	}, func(m Marks) int { return len(m.Findings) })
}

// The label of two lines stays.
func TestSignHereStays(t *testing.T) {
	page := []words.Word{
		{Text: "SIGN", Box: document.Box{X: 30, Y: 50, W: 40, H: 14}, Confidence: 1},
		{Text: "HERE", Box: document.Box{X: 31, Y: 66, W: 44, H: 14}, Line: 1, Confidence: 0.8},
	}
	fs := fields(page, 500)
	if len(fs) != 1 || fs[0].label.Max.X != 75 || fs[0].label.Max.Y != 80 {
		t.Errorf("labels %+v", fs)
	}
}

func TestAWitnessSignsOnARule(t *testing.T) {
	m, want, _ := signedPage(t, "Witness", func(s *paper.Sheet) document.Box {
		rule(s, 60, 388, 200)
		return autograph(s, 90, 386, 110, 24, 200)
	})
	if len(m.Findings) != 1 || fitsIn(want, m.Findings[0].Box) != nil {
		t.Errorf("found %+v, want %v", m.Findings, want)
	}
}

// Dots apart from the strokes are part of a signature.
func TestDotsBelongToASignature(t *testing.T) {
	var dot document.Box
	m, _, _ := signedPage(t, "Signature:", func(s *paper.Sheet) document.Box {
		want := autograph(s, 190, 404, 120, 26, 200)
		s.Fill(230, 372, 4, 4, color.Black)
		dot = document.Box{X: 639, Y: 1034, W: 11, H: 11}
		return want
	})
	if len(m.Findings) != 1 || fitsIn(dot, m.Findings[0].Box) != nil {
		t.Errorf("found %+v, want %v in it", m.Findings, dot)
	}
}
