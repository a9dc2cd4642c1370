package mark

import (
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
	"blotter/internal/examples/paper"
)

// endOfLetter sets the end of a letter, a closing over a typed name, and lets draw sign it.
func endOfLetter(t *testing.T, closing, name string, draw func(*paper.Sheet) document.Box) (Marks, document.Box, []words.Word) {
	t.Helper()
	const dpi = 200
	st := paper.Style{Face: paper.Regular, Size: 11}
	s := &paper.Sheet{Width: 595, Height: 842}
	page := &words.Page{Width: 1653, Height: 2339}
	for i, line := range []struct {
		y    float64
		text string
	}{
		{300, "Please do not hesitate to call the office with any question about the plan."},
		{330, closing}, {400, name}, {415, "Department of Internal Medicine"},
	} {
		s.Text(60, line.y, st, line.text)
		page.Words = append(page.Words, setWords(60, line.y, st, line.text, i, dpi)...)
	}
	want := draw(s)
	m, err := New().Find(drawn(t, s, dpi), page, false)
	if err != nil {
		t.Fatal(err)
	}
	return m, want, page.Words
}

func TestLettersAreSignedWithoutALabel(t *testing.T) {
	sign := func(s *paper.Sheet) document.Box { return autograph(s, 70, 380, 120, 30, 200) }
	for _, c := range [][2]string{
		{"Sincerely,", "Will Banks"}, {"Yours truly,", "Will Banks"}, {"With kind regards,", "Will Banks"}, {"Respectfully submitted,", "Will Banks"},
		{"Mit freundlichen Grüßen", "Petra Lang"}, {"Mit freundlichen Gruben", "Petra Lang"}, {"Cordialement,", "Luc Roy"}, {"Atentamente,", "Ana Gil"},
		{"Met vriendelijke groet,", "Jan Smit"}, {"Cordiali saluti,", "Ugo Neri"},
		{"The plan was explained to all.", "Grace Park, MD"}, {"The plan was explained to all.", "Dr. Petra Lang"}, {"All is said.", "Hope Wells PA-C"},
	} {
		m, want, page := endOfLetter(t, c[0], c[1], sign)
		if len(m.Findings) != 1 || m.Findings[0].Type != document.Signature || fitsIn(want, m.Findings[0].Box) != nil {
			t.Errorf("%v: found %+v, want %v", c, m.Findings, want)
			continue
		}
		for _, w := range page {
			if 5*w.Box.Intersect(m.Findings[0].Box).Area() > w.Box.Area() {
				t.Errorf("%v: the box %v takes %q at %v", c, m.Findings[0].Box, w.Text, w.Box)
			}
		}
	}
}

func TestLettersWithoutAPenHaveNoSignature(t *testing.T) {
	for name, c := range map[string]struct {
		closing, name string
		draw          func(*paper.Sheet) document.Box
	}{
		"nobody signed":         {"Sincerely,", "Will Banks", func(*paper.Sheet) document.Box { return document.Box{} }},
		"a rule to sign on":     {"Sincerely,", "Will Banks", func(s *paper.Sheet) document.Box { rule(s, 60, 388, 220); return document.Box{} }},
		"a frame":               {"Sincerely,", "Will Banks", func(s *paper.Sheet) document.Box { s.Frame(60, 345, 200, 40); return document.Box{} }},
		"ink in a text":         {"He sends his best regards to the whole staff.", "the clinic", func(s *paper.Sheet) document.Box { return autograph(s, 70, 380, 120, 30, 200) }},
		"ink far to the right":  {"Sincerely,", "Will Banks", func(s *paper.Sheet) document.Box { return autograph(s, 440, 380, 90, 30, 200) }},
		"a name in a sentence":  {"All was said and", "seen by Grace Park, MD", func(s *paper.Sheet) document.Box { return autograph(s, 70, 380, 120, 30, 200) }},
		"a heading over a line": {"All was said and", "Daily Plan", func(s *paper.Sheet) document.Box { return autograph(s, 70, 380, 120, 30, 200) }},
	} {
		if m, _, _ := endOfLetter(t, c.closing, c.name, c.draw); len(m.Findings) > 0 {
			t.Errorf("%s: found %+v", name, m.Findings)
		}
	}
}
