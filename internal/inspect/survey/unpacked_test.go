package survey

import (
	"strings"
	"testing"

	"blotter/internal/document"
)

// A sample whose office documents are small says nothing of the streams in its PDFs, which
// the same limit bounds.
func TestUnpackedIsNotLoweredBesidePDF(t *testing.T) {
	of := func(q quantity) Distribution { return Distribution{Name: string(q), Count: 1, P99: 1000, Max: 1000} }
	for _, c := range []struct {
		found       []Distribution
		now, expect int64
	}{
		{[]Distribution{of(unpackedOf)}, 1 << 20, 2000},
		{[]Distribution{of(unpackedOf), of(pagesOf)}, 1 << 20, 1 << 20},
		{[]Distribution{of(unpackedOf), of(pagesOf)}, 100, 2000},
	} {
		p := propose(Config{Limits: document.Limits{UnpackedBytes: c.now}, MemoryBytes: 1 << 30}, &Report{Distributions: c.found})
		if l := p.find("unpacked_bytes"); l == nil || l.Value != c.expect {
			t.Errorf("%d now: %+v, want %d", c.now, l, c.expect)
		}
	}
}

// Where not every document is named, the list says so.
func TestMoreDocumentsThanAreNamed(t *testing.T) {
	if got := documentsText(make([]Example, examples)); !strings.HasSuffix(got, ", …") {
		t.Error(got)
	}
	if got := documentsText(make([]Example, examples-1)); strings.Contains(got, "…") {
		t.Error(got)
	}
}
