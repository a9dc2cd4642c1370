package detect

import (
	"math/rand/v2"
	"strings"
	"testing"

	"blotter/internal/cell/inside/words"
)

// thousand is a page of about a thousand words.
func thousand(tb testing.TB) *words.Page {
	t := &testing.T{}
	lists := readValues(t)
	_, texts := readTemplates(t, "dev")
	v := values{rand.New(rand.NewPCG(1, 1)), lists}
	var all []string
	n := 0
	for i := 0; n < 1000; i++ {
		text, _ := v.fill(texts[i%len(texts)])
		all = append(all, text, "")
		n += len(strings.Fields(text))
	}
	if t.Failed() {
		tb.Fatal("no templates")
	}
	return layout(strings.Join(all, "\n"), true)
}

func BenchmarkFind(b *testing.B) {
	p := thousand(b)
	f := finder()
	b.ReportMetric(float64(len(p.Words)), "words")
	for b.Loop() {
		f.Find([]*words.Page{p}, words.Subject{})
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		New()
	}
}
