package detect

import (
	"math/rand/v2"
	"os"
	"testing"

	"blotter/internal/cell/inside/words"
)

// lose joins words of a page that stand a single space apart, one in n, as recognisers
// that lose spaces do.
func lose(p *words.Page, r *rand.Rand, n int) *words.Page {
	out := *p
	out.Words = nil
	for _, w := range p.Words {
		if k := len(out.Words) - 1; k >= 0 && out.Words[k].Line == w.Line && r.IntN(n) == 0 {
			last := &out.Words[k]
			if gap := w.Box.X - last.Box.X - last.Box.W; gap <= charWide {
				last.Text += w.Text
				last.Box = last.Box.Union(w.Box)
				continue
			}
		}
		out.Words = append(out.Words, w)
	}
	return &out
}

// TestLostSpaces reads the held-out documents with one space in eight lost.
func TestLostSpaces(t *testing.T) {
	lists := readValues(t)
	_, texts := readTemplates(t, "held")
	v := values{rand.New(rand.NewPCG(7, 7)), lists}
	r := rand.New(rand.NewPCG(8, 8))
	var sure, denied tally
	for _, template := range texts {
		for round := range 20 {
			text, all := v.fill(template)
			p := lose(layout(text, round%2 == 1), r, 8)
			found := finder().Find([]*words.Page{p}, words.Subject{}).Findings[0]
			sure.add(p, all, atLeast(found, 0.5))
			denied.add(p, all, atLeast(found, unknownCapital))
		}
	}
	t.Logf("sure %s", &sure)
	t.Logf("denying capitals %s", &denied)
	if os.Getenv("DETECT_SHOW") == "glue" {
		t.Logf("missed:\n%s", most(sure.missed))
		t.Logf("burnt:\n%s", most(denied.over))
	}
	if sure.recall() < 0.96 {
		t.Errorf("recall %.3f, want 0.96", sure.recall())
	}
}
