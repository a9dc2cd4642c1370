package catalogue

import (
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

func sized(w, h int) Item { return Item{Asset: document.Asset{Width: w, Height: h}} }

// Each limit is met from both sides: one below, exactly on it, one above.
func TestTallyJudgesEachLimitAtItsEdge(t *testing.T) {
	lim := document.Limits{Assets: 2, AssetPixels: 100, TotalPixels: 150}
	for _, c := range []struct {
		name     string
		add      []Item
		withheld reason.Code // of the last item
		refused  reason.Code
	}{
		{"pixels below", []Item{sized(9, 11)}, "", ""},
		{"pixels exact", []Item{sized(10, 10)}, "", ""},
		{"pixels above", []Item{sized(1, 101)}, reason.ExtractPixels, ""},
		{"total below", []Item{sized(10, 10), sized(7, 7)}, "", ""},
		{"total exact", []Item{sized(10, 10), sized(10, 5)}, "", ""},
		{"total above", []Item{sized(10, 10), sized(3, 17)}, "", reason.ExtractTotal},
		{"total skips what is withheld", []Item{sized(100, 100), sized(10, 10)}, "", ""},
		{"assets above", []Item{sized(1, 1), sized(1, 1), sized(1, 1)}, "", reason.ExtractAssets},
		{"no pixels", []Item{sized(0, 5)}, reason.ExtractMalformed, ""},
		{"product beyond 32 bits", []Item{sized(1<<31-1, 1<<31-1)}, reason.ExtractPixels, ""},
		{"product beyond 64 bits", []Item{sized(1<<32, 1<<32)}, reason.ExtractPixels, ""},
		{"a product that comes out small", []Item{sized(1<<32+1, 1<<32)}, reason.ExtractPixels, ""},
		{"reason kept", []Item{{Withheld: reason.ExtractVector}}, reason.ExtractVector, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			tally := NewTally(lim)
			var err error
			for i, it := range c.add {
				if err != nil {
					t.Fatalf("asset %d refused early: %v", i, err)
				}
				err = tally.Add(it)
			}
			if reason.Of(err) != c.refused {
				t.Fatalf("refused with %q, want %q", reason.Of(err), c.refused)
			}
			if err != nil {
				return
			}
			last := tally.Items()[len(c.add)-1]
			if last.Withheld != c.withheld || last.Index != len(c.add) {
				t.Errorf("last item %+v, want withheld %q at index %d", last, c.withheld, len(c.add))
			}
		})
	}
}

func TestZeroLimitsAdmitNothing(t *testing.T) {
	if err := NewTally(document.Limits{}).Add(sized(1, 1)); reason.Of(err) != reason.ExtractAssets {
		t.Errorf("zero limits gave %v", err)
	}
}
