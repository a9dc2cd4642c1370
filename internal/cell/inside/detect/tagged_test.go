package detect

import (
	"slices"
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// tagging is a page of one text whose words a classifier has called something.
func tagging(text string, tags map[string]words.Tag) *words.Page {
	p := layout(text, false)
	for i, w := range p.Words {
		if t, ok := tags[w.Text]; ok {
			t.Word = i
			p.Tags = append(p.Tags, t)
		}
	}
	return p
}

// byModel lists what the classifier's layer gave for the word with that text.
func byModel(f *Finder, p *words.Page, text string) []document.Finding {
	at := slices.IndexFunc(p.Words, func(w words.Word) bool { return w.Text == text })
	return slices.DeleteFunc(f.Find([]*words.Page{p}, words.Subject{}).Findings[0], func(x document.Finding) bool {
		return x.Source != document.ByModel || x.Box.Intersect(p.Words[at].Box).Empty()
	})
}

func TestWhatTheClassifierSaysIsFound(t *testing.T) {
	for _, typ := range document.Types() {
		if typ == document.Unknown || typ == document.Code {
			continue // they give way to what is definite
		}
		p := tagging("the table stands in the middle of it", map[string]words.Tag{"table": {Type: typ, Score: 0.8}})
		got := byModel(finder(), p, "table")
		if len(got) != 1 || got[0].Type != typ || got[0].Score != 0.8 || got[0].Box != p.Words[1].Box {
			t.Errorf("%v: found %+v", typ, got)
		}
		if got := byModel(finder().Without(document.ByModel), p, "table"); len(got) != 0 {
			t.Errorf("%v: found by a layer that was left out: %+v", typ, got)
		}
	}
}

func TestLabelsAreNotPersonalWhateverTheClassifierSays(t *testing.T) {
	name := words.Tag{Type: document.Name, Score: 0.9}
	p := tagging("Name: Ruth Oyelaran   Phone:212-555-0147", map[string]words.Tag{"Name:": name, "Phone:212-555-0147": name})
	if got := byModel(finder(), p, "Name:"); len(got) != 0 {
		t.Errorf("a label: %+v", got)
	}
	whole := p.Words[3].Box
	got := byModel(finder(), p, "Phone:212-555-0147")
	if len(got) != 1 || got[0].Box.X < whole.X+whole.W/5 || got[0].Box.X > whole.X+whole.W/2 {
		t.Errorf("a label glued to its value %+v: %+v", whole, got)
	}
}

func TestSureNamesOfTheClassifierAreSoughtElsewhere(t *testing.T) {
	text := "it was zibblewick whom we saw"
	for score, want := range map[float64]bool{0.9: true, 0.6: false} {
		first := tagging(text, map[string]words.Tag{"zibblewick": {Type: document.Name, Score: score}})
		second := layout(text, false)
		found := finder().Find([]*words.Page{first, second}, words.Subject{}).Findings[1]
		again := slices.ContainsFunc(found, func(x document.Finding) bool { return x.Source == document.ByPropagation })
		if again != want {
			t.Errorf("at %v: on the second page %+v", score, found)
		}
	}
}
