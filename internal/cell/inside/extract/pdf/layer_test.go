package pdf

import (
	"fmt"
	"sort"
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// Letters that run backwards, and words that lie upon each other, are read where they stand.
func TestWordsNotSeenAsWrittenAreNotInTheLayer(t *testing.T) {
	at := func(x int, s string) string { return fmt.Sprintf("1 0 0 1 %d 60 Tm (%s) Tj ", x, s) }
	shown := "1 0 0 1 20 20 Tm (seen) Tj "
	for name, c := range map[string]struct{ content, want string }{
		"letter by letter": {at(70, "a") + at(63, "n") + at(56, "n") + at(48, "A"), "[Anna seen]"},
		"drawn from right": {"[(a) 1200 (n) 1200 (n) 1200 (A)] TJ ", "[seen]"},
		"over another":     {at(20, "Anna") + at(22, "done"), "[seen]"},
		"beside another":   {at(20, "Anna") + at(60, "done"), "[Anna done seen]"},
	} {
		d := open(t, onePage(box, "BT /F 12 Tf 1 0 0 1 60 60 Tm "+c.content+shown+"ET", "", nil), roomy)
		words, err := d.Layer(0)
		var got []string
		for _, w := range words {
			got = append(got, w.Text)
		}
		sort.Strings(got)
		if fmt.Sprint(got) != c.want || err != nil {
			t.Errorf("%s: %v, want %s, %v", name, got, c.want, err)
		}
	}
}

// Comparing words that stand on one height is bounded: with too many pairs there is no layer.
func TestPairsOfWordsAreBounded(t *testing.T) {
	side := func(n int) []words.Word {
		ws := make([]words.Word, n)
		for i := range ws {
			ws[i].Box = document.Box{X: 2 * i, W: 1, H: 1}
		}
		return ws
	}
	n := 1
	for n*(n-1)/2 <= maxPairs {
		n++
	}
	for _, c := range []struct{ n, want int }{{n - 2, n - 2}, {n - 1, n - 1}, {n, 0}} {
		if got := len(apart(side(c.n))); got != c.want {
			t.Errorf("%d words: %d, want %d", c.n, got, c.want)
		}
	}
}
