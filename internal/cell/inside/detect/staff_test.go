package detect

import (
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// typesOf are the types under which a word is found from the line on.
func typesOf(found []document.Finding, p *words.Page, word string) map[document.Type]bool {
	out := map[document.Type]bool{}
	for _, w := range p.Words {
		for _, f := range atLeast(found, 0.5) {
			if w.Text == word && f.Box.Intersect(w.Box).Area()*2 > w.Box.Area() {
				out[f.Type] = true
			}
		}
	}
	return out
}

// TestStaffIsTold by title, credential, label, or what they did; everybody else is a name.
func TestStaffIsTold(t *testing.T) {
	for _, c := range []struct {
		text, word string
		staff      bool
	}{
		{"seen by Dr. Rodriguez today", "Rodriguez", true},
		{"Maria Rodriguez, MD", "Rodriguez,", true},
		{"Attending: Maria Rodriguez     Room: 4", "Rodriguez", true},
		{"Electronically signed by Maria Rodriguez", "Rodriguez", true},
		{"Technologist: Maria Rodriguez     View: AP", "Rodriguez", true},
		{"Ordering Physician     Sex\nMaria Rodriguez        F", "Rodriguez", true},
		{"Maria Rodriguez, M.D. Rheumatology", "Rodriguez,", true},
		{"Tech: KJQ     Room: 2", "KJQ", true},
		{"Patient: Maria Rodriguez     Sex: F", "Rodriguez", false},
		{"her daughter Maria Rodriguez was present", "Rodriguez", false},
		{"Mr. Rodriguez was seen", "Rodriguez", false},
		{"Physician or patient name: Maria Rodriguez", "Rodriguez", false},
	} {
		p := layout(c.text, false)
		got := typesOf(finder().Find([]*words.Page{p}, words.Subject{}).Findings[0], p, c.word)
		if got[document.Staff] != c.staff || got[document.Name] == c.staff {
			t.Errorf("%q is %v in %q, want staff %v", c.word, got, c.text, c.staff)
		}
	}
}

// TestStaffIsSoughtAsStaff: where only the staff bears a name, its repetitions are the
// staff's; where the patient bears it too, they are names.
func TestStaffIsSoughtAsStaff(t *testing.T) {
	for _, c := range []struct {
		first string
		typ   document.Type
	}{
		{"Attending: Qwystrel Szporovanik, MD", document.Staff},
		{"Attending: Qwystrel Szporovanik, MD\nPatient: Qwystrel Szporovanik", document.Name},
	} {
		pages := []*words.Page{layout(c.first, false), layout("then Szporovanik had gone", false)}
		got := typesOf(finder().Find(pages, words.Subject{}).Findings[1], pages[1], "Szporovanik")
		if !got[c.typ] {
			t.Errorf("repeated behind %q as %v, want %v", c.first, got, c.typ)
		}
	}
}
