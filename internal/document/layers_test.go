package document_test

import (
	"testing"

	"blotter/internal/document"
)

func TestEveryLayerHasAName(t *testing.T) {
	for _, s := range document.Sources() {
		if back, ok := document.ParseSource(s.String()); !ok || back != s {
			t.Errorf("layer %d is called %q, which reads as %v", s, s, back)
		}
	}
	if _, ok := document.ParseSource("guess"); ok {
		t.Error("a layer that is none has a number")
	}
}
