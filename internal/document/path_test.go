package document

import (
	"slices"
	"testing"
)

func TestPathsNameDocumentsByNumber(t *testing.T) {
	var p Path
	if p.Depth() != 0 || p.Numbers() != nil || p.String() != "" || !p.Valid(0) {
		t.Errorf("the document itself is %v, %q", p.Numbers(), p)
	}
	for i := 1; i <= MaxDepth; i++ {
		child, ok := p.Child(i)
		if !ok || child.Depth() != i {
			t.Fatalf("depth %d: %v, %v", i, child, ok)
		}
		p = child
	}
	if want := []int64{1, 2, 3, 4, 5, 6, 7, 8}; !slices.Equal(p.Numbers(), want) || p.String() != "1.2.3.4.5.6.7.8" {
		t.Errorf("got %v, %q", p.Numbers(), p)
	}
	if _, ok := p.Child(1); ok {
		t.Error("a path grew beyond its end")
	}
	if _, ok := (Path{}).Child(0); ok {
		t.Error("a document 0 was named")
	}
}

func TestPathsThatNobodyMakes(t *testing.T) {
	for _, c := range []struct {
		p    Path
		most int
		want bool
	}{
		{Path{2, 1}, 2, true},
		{Path{2, 1}, 1, false},
		{Path{0, 1}, 2, false},
		{Path{1, 0, 1}, 2, false},
		{Path{1<<32 - 1}, 1 << 24, false},
	} {
		if got := c.p.Valid(c.most); got != c.want {
			t.Errorf("%v with %d at most: %v", c.p, c.most, got)
		}
	}
}
