package main

import (
	"fmt"
	"slices"
	"strings"

	"blotter/internal/cell/inside/detect"
	"blotter/internal/cell/inside/detect/lexicon"
)

// vocabulary is what a text is made of that names nobody.
type vocabulary struct {
	words   []string // English, and no name that many bear
	terms   []string // clinical words, drugs
	foreign []string
	eponyms []string
	heads   []string // what makes an eponym of a name: disease, sign
	units   []string
	labels  []string
}

func newVocabulary(f *detect.Finder) vocabulary {
	single := func(list []string) []string {
		return slices.DeleteFunc(list, func(s string) bool { return strings.Contains(s, " ") || len(s) < 2 })
	}
	return vocabulary{
		terms: single(f.Section("clinical")), foreign: single(f.Section("foreign words")), eponyms: single(f.Section("eponyms")),
		heads: single(f.Section("eponym heads")), units: single(f.Section("units")), labels: f.Labels(),
	}
}

// learnWord keeps a word of the lexicon if it is English and names few people.
func (v *vocabulary) learnWord(word string, e lexicon.Entry) {
	if e.Has(lexicon.Common|lexicon.Vocab) && e.Births() < 20_000 && len(word) > 2 && !strings.ContainsAny(word, "' ") && (e.Has(lexicon.Common) || !e.IsName()) {
		v.words = append(v.words, word)
	}
}

// noise fills the slots that name nobody, "" for a slot that is none of them.
func (w *writer) noise(slot string) string {
	many := func(list []string, n int) string {
		var out []string
		for range n {
			out = append(out, w.pick(list...))
		}
		return strings.Join(out, " ")
	}
	some := many(w.vocab.words, 1+w.IntN(4))
	term := w.pick(w.vocab.terms...)
	switch slot {
	case "words":
		return w.pick(some, some, some+w.pick(" of ", " and ", " the ", " with ", " for ", " to ")+w.pick(w.vocab.words...))
	case "Words":
		return capitalised(w.pick(w.vocab.words...))
	case "heading":
		return w.pick(capitalised(many(w.vocab.words, 1+w.IntN(3))), capitalised(w.pick(w.vocab.words...))+" "+capitalised(term), capitalised(term), capitalised(many(w.vocab.words, 2))+w.pick(" of ", " and ", " for ")+capitalised(w.pick(w.vocab.words...)))
	case "caps":
		return strings.ToUpper(w.pick(some, term, many(w.vocab.words, 2)))
	case "label":
		l := w.pick(w.vocab.labels...)
		return w.pick(capitalised(l), strings.ToUpper(l), strings.ToUpper(l[:1])+l[1:])
	case "term":
		return term
	case "Term":
		return capitalised(term)
	case "TERM":
		return strings.ToUpper(term)
	case "eponym":
		return capitalised(w.pick(w.vocab.eponyms...))
	case "head":
		return w.pick(w.vocab.heads...)
	case "unit":
		return w.pick(w.pick(w.vocab.units...), "mg/dL", "mmol/L", "g/dL", "10^3/uL", "%", "U/L", "fL")
	case "foreign":
		return w.pick(w.vocab.foreign...)
	case "Foreign":
		return capitalised(w.pick(w.vocab.foreign...))
	}
	return w.measure(slot)
}

// measure writes a measured value.
func (w *writer) measure(slot string) string {
	n := w.IntN(300)
	switch slot {
	case "number":
		return w.pick(fmt.Sprint(n), fmt.Sprintf("%d.%d", n/10, w.IntN(10)), fmt.Sprintf("0.%d", n), fmt.Sprintf("%d,%03d", 1+w.IntN(20), w.IntN(1000)), fmt.Sprintf("%d/%d", 90+w.IntN(90), 50+w.IntN(50)), fmt.Sprintf("%d %%", w.IntN(100)), fmt.Sprintf("<%d", n), fmt.Sprint(n*10))
	case "range":
		return w.pick(fmt.Sprintf("%d-%d", n, n+20), fmt.Sprintf("%d.%d - %d.%d", n/10, w.IntN(10), n/10+5, w.IntN(10)), fmt.Sprintf("< %d", n))
	case "small2":
		return fmt.Sprint(1 + w.IntN(20))
	}
	return ""
}
