package mark

import (
	"testing"

	"blotter/internal/document"
	"blotter/internal/examples/paper"
)

// TestInkBehindAColon: a value in handwriting that the reader overlooked is covered; an
// empty field, a printed value and ink elsewhere are none.
func TestInkBehindAColon(t *testing.T) {
	ink := func(s *paper.Sheet) document.Box {
		rule(s, 160, 402, 220)
		return autograph(s, 190, 404, 120, 26, 200)
	}
	empty := func(s *paper.Sheet) document.Box { rule(s, 160, 402, 220); return document.Box{} }
	m, want, _ := signedPage(t, "Diagnosis:", ink)
	if len(m.Unread) != 1 {
		t.Fatalf("seen %v, want %v", m.Unread, want)
	}
	if err := fitsIn(want, m.Unread[0]); err != nil {
		t.Error(err)
	}
	seeNothing(t, map[string]signing{
		"an empty field":             {"Diagnosis:", empty},
		"a line of underscores":      {"Diagnosis: ____________", empty},
		"a printed value":            {"Diagnosis: mild asthma since a year", empty},
		"ink at what is no question": {"Diagnosis", ink},
	}, func(m Marks) int { return len(m.Unread) })
}
