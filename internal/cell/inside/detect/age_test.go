package detect

import (
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// Every age is found; those below 90 under the line, so that a policy has to ask for them.
func TestAges(t *testing.T) {
	for text, want := range map[string]float64{
		"a 92-year-old woman": 0.9, "a 67-year-old woman": youngAge, "67 y/o man": youngAge, "seen at age 45 by": youngAge,
		"Age: 45": youngAge, "Age: 93": 0.5, "67M with cough": youngAge, "a 6-week-old infant": youngAge, "6 months old": youngAge,
		"for 10 years": 0, "5 m away": 0, "it fell in 14 days": 0, "page 45": 0, "2 F": 0,
	} {
		got := 0.0
		for _, f := range finder().Find([]*words.Page{layout(text, true)}, words.Subject{}).Findings[0] {
			if f.Type == document.Age {
				got = f.Score
			}
		}
		if got < want || (want < 0.5 && got > want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
