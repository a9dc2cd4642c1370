package detect

import (
	"slices"
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

func TestWithoutALayer(t *testing.T) {
	text := "Patient Name: Qwyst Zpor\n\non 03/14/2019 I saw Mr. Szczepanski in Springfield, IL 62704 and zpor\n\nQXRW 77841 Blorfx"
	subject := words.Subject{Names: []string{"Blorfx"}}
	layers := []document.Source{document.ByPattern, document.ByLabel, document.ByName, document.ByPlace, document.ByPropagation, document.ByHint, document.ByDefault}
	p := layout(text, false)
	has := func(f *Finder, layer document.Source) bool {
		return slices.ContainsFunc(f.Find([]*words.Page{p}, subject).Findings[0], func(f document.Finding) bool { return f.Source == layer })
	}
	for _, layer := range layers {
		if !has(finder(), layer) {
			t.Errorf("%v finds nothing here", layer)
		}
		if has(finder().Without(layer), layer) {
			t.Errorf("%v looks although it must not", layer)
		}
	}
	if fs := finder().Without(layers[:4]...).Without(layers[4:]...).Find([]*words.Page{p}, subject).Findings[0]; len(fs) != 0 {
		t.Errorf("with no layer at all: %v", fs)
	}
	if fs := finder().Without(document.ByLabel, document.ByName, document.ByHint).Find([]*words.Page{p}, subject).Findings[0]; slices.ContainsFunc(fs, func(f document.Finding) bool { return f.Source == document.ByPropagation }) {
		t.Error("learned from a layer that does not look")
	}
}
