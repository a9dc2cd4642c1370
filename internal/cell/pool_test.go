package cell

import (
	"testing"
	"time"

	"blotter/internal/reason"
)

// Once a pool knows how many cells will be wanted, it starts no more ahead; who wants one
// more gets it all the same. These cells cannot start, which the counts do not mind.
func TestPoolStartsNoMoreThanWanted(t *testing.T) {
	p := NewPool(Config{Binary: "/nowhere"}, 1)
	defer p.Close()
	p.Last(2)
	for range 2 {
		if _, err := p.Get(t.Context()); reason.Of(err) != reason.CellStart {
			t.Fatal(err)
		}
	}
	select {
	case <-p.over:
	case <-time.After(10 * time.Second):
		t.Fatal("cells are started ahead for nobody")
	}
	if p.started != 2 {
		t.Errorf("%d were started ahead, want 2", p.started)
	}
	if _, err := p.Get(t.Context()); reason.Of(err) != reason.CellStart {
		t.Errorf("one more: %v", err)
	}
}
