package detect

import (
	"strings"
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// TestBreaks holds what stands half on one line and half on the next, also in columns.
func TestBreaks(t *testing.T) {
	for _, text := range []string{
		"If anything at all should happen please call us at [[(799)]]\n[[555-1955]] and ask for the nurse who is on call.",
		"He can walk to the shops and for many years has lived at [[4417 Old]]\n[[Quarry Road]] with his dog and two cats.",
		"the patient does well and should call us at [[(799)]]      heart sounds are normal without any murmur and the\n[[555-1955]] if anything at all happens to him.          pulses are palpable; there is no edema.",
		"ROOM IS QUIET AND ALL 3 RESULTS WILL BE SENT TO THE DR.\nFOLLOW UP WITH THE CLINIC AS BEFORE.",
	} {
		check(t, text, words.Subject{})
	}
}

// TestTypewriter holds that a page whose spaces are as wide as its letters is no table.
func TestTypewriter(t *testing.T) {
	text, all := marked("SEEN ON [[MARCH 9, 1994]] FOR A FALL")
	p := layout(text, false)
	for i := range p.Words { // low letters with much room about them
		p.Words[i].Box.H = charWide * 2 / 3
	}
	for i := range all {
		all[i].row = 0
	}
	found := finder().Find([]*words.Page{p}, words.Subject{}).Findings[0]
	for _, w := range p.Words {
		if want := strings.ContainsAny(w.Text, "194") || w.Text == "MARCH"; want != covers(found, w.Box) {
			t.Errorf("%s: covered %v", w.Text, !want)
		}
	}
}

func covers(found []document.Finding, b document.Box) bool {
	for _, f := range found {
		if f.Score >= 0.5 && f.Box.Intersect(b) == b {
			return true
		}
	}
	return false
}

// TestMargins holds that text along the edge of a page is read in its direction.
func TestMargins(t *testing.T) {
	for _, up := range []bool{true, false} {
		p := &words.Page{Width: 1000, Height: 2000}
		at := 100
		for _, w := range []string{"4932", "Riverbend", "Drive,", "Hilo,", "HI", "96733", "Telephone", "464", "567", "5312"} {
			long := 20 * len(w)
			b := document.Box{X: 40, Y: at, W: 30, H: long}
			if up {
				b.Y = 1900 - at - long
			}
			p.Words = append(p.Words, words.Word{Text: w, Box: b, Vertical: true, Confidence: 1})
			at += long + 12
		}
		found := finder().Find([]*words.Page{p}, words.Subject{}).Findings[0]
		for _, w := range p.Words {
			if keep := w.Text == "HI" || w.Text == "Telephone"; !keep && !covers(found, w.Box) {
				t.Errorf("up %v: %s stays", up, w.Text)
			}
		}
	}
}
