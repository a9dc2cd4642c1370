package detect

import (
	"strings"

	"blotter/internal/cell/inside/detect/lexicon"
)

// Pages in other languages are explained by their dictionaries, by the endings that make
// their words, and German by taking its compounds apart. On an English page none of that
// speaks for a word with a capital: "Lavigne" is somebody, whatever it means in France.

// foreignWords is the share of words that only another language has, from which a page is
// taken for one in that language: English records have 0–3 %, others 30–70 %.
const foreignWords = 0.12

// isForeign reports whether a page is in another language than English.
func (f *Finder) isForeign(sh *sheet) bool {
	foreign, all := f.countForeign(sh)
	return all > fewWords && float64(foreign) > foreignWords*float64(all)
}

// countForeign counts the words that only another language has, and all words.
func (f *Finder) countForeign(sh *sheet) (foreign, all int) {
	for i := range sh.toks {
		t := &sh.toks[i]
		if t.kind != letters || len(t.fold) < 3 {
			continue
		}
		all++
		english := t.entry.Has(lexicon.Common|lexicon.Vocab|lexicon.Short) || t.entry.IsName()
		if !english && (t.entry.Has(lexicon.Foreign) || f.terms.foreign.has(t.fold) || f.lex.Familiar(t.fold)) {
			foreign++
		}
	}
	return foreign, all
}

// isFamiliar reports whether another language explains a word.
func (f *Finder) isFamiliar(t *token) bool {
	if f.isForeignWord(t.fold) {
		return true
	}
	if i := strings.IndexByte(t.fold, '\''); i > 0 && i <= 5 { // "l'hôpital", "dell'addome"
		return f.isForeignWord(t.fold[i+1:])
	}
	return !t.entry.IsName() && (f.hasForeignEnding(t.fold) || f.isCompound(t.fold))
}

func (f *Finder) isForeignWord(w string) bool {
	return f.terms.foreign.has(w) || len(w) > 2 && f.lex.Familiar(w)
}

// longForeign is the length from which an ending tells a word, in letters.
const longForeign = 8

func (f *Finder) hasForeignEnding(w string) bool {
	if len(w) < longForeign {
		return false
	}
	for n := 3; n <= 8 && n < len(w)-2; n++ {
		if f.terms.foreignEndings.has(w[len(w)-n:]) {
			return true
		}
	}
	return false
}

// shortestPart is that of a compound's parts, longestCompound what is taken apart, in
// letters: the work grows with its square.
const (
	shortestPart    = 4
	longestCompound = 40
)

// isCompound reports whether a word falls into two words of the lists, an s or n between
// them: "blutdruckmessung", "entlassungsbericht".
func (f *Finder) isCompound(w string) bool {
	if len(w) < 2*shortestPart+1 || len(w) > longestCompound {
		return false
	}
	part := func(p string) bool { return f.terms.foreign.has(p) || f.terms.clinical.has(p) }
	for n := shortestPart; n <= len(w)-shortestPart; n++ {
		head, tail := w[:n], w[n:]
		if !part(tail) && !f.lex.Familiar(tail) {
			continue
		}
		if part(head) || part(strings.TrimSuffix(head, "s")) || part(strings.TrimSuffix(head, "n")) {
			return true
		}
	}
	return false
}
