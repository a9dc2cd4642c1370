// Package detect finds personal data in words that were read from a page. It answers
// with boxes, types and scores, never with text.
//
// It is a union of layers, each blind where another sees: patterns, labels with their
// values, names, places, a perceptron that sees what these see (learned.go), what an
// operator's classifier says, repetitions of what was found, hints of the caller, and at
// last words that no vocabulary explains. Recall comes before precision: where a word's part
// is personal the whole word is covered, and a type only selects what the policy does.
//
// Scores are how sure a layer is, 0–1. The layers are tuned so that 0.5 is the line
// between "cover" and "leave"; words of the last layer (document.Unknown) lie below it:
// unknown numbers and codes at 0.45, capitalised words at 0.4 (0.3 on a page in a language
// that the vocabulary hardly knows), others at 0.2. So do ages below 90, at 0.45, and what
// the perceptron alone is little sure of. Policies ask for them.
//
// Names are told from those of the staff only where the context says so (staff.go).
//
// Not its business: faces, bar codes, signatures, and what nobody could read.
package detect

import (
	"slices"

	"blotter/internal/cell/inside/detect/lexicon"
	"blotter/internal/cell/inside/detect/perceptron"
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// Finder holds the lists. It never changes after New: any number of goroutines may use
// one.
type Finder struct {
	lex     *lexicon.Lexicon
	terms   terms
	labels  labelSet
	leads   map[string]lead
	model   *perceptron.Model
	without []document.Source // layers that do not look
}

// New unpacks the embedded lists: about 50 ms and 6 MB, so make one and keep it. It
// panics if the binary's own lists are damaged, which a test would have seen.
func New() *Finder {
	lex, err := lexicon.Open()
	if err != nil {
		panic("detect: " + err.Error())
	}
	t := loadTerms()
	return &Finder{lex: lex, terms: t, labels: loadLabels(), leads: leadsOf(&t), model: loadWeights()}
}

// Without is a finder with the same lists in which these layers do not look: what they
// would find is neither reported nor learned from. It shows what a layer gives. It costs
// nothing, and shares the lists.
func (f *Finder) Without(layers ...document.Source) *Finder {
	less := *f
	less.without = slices.Concat(f.without, layers)
	return &less
}

// only leaves out what layers found that do not look.
func (f *Finder) only(spans []span) []span {
	if len(f.without) == 0 {
		return spans
	}
	return slices.DeleteFunc(spans, func(s span) bool { return slices.Contains(f.without, s.source) })
}

// Find looks through the pages of one document. The subject may be zero. Findings come
// in reading order, the same for the same words; those of different types may overlap.
func (f *Finder) Find(pages []*words.Page, s words.Subject) *Result {
	r := &Result{finder: f, hints: f.newHints(s), known: newKnown(f)}
	sheets := make([]*sheet, len(pages))
	spans := make([][]span, len(pages))
	for i, p := range pages {
		sheets[i] = f.newSheet(p)
		spans[i] = f.look(sheets[i], r.hints)
		r.known.learn(sheets[i], spans[i])
	}
	for i, sh := range sheets {
		spans[i] = f.complete(sh, spans[i], r.known)
		r.Findings = append(r.Findings, merge(sh, spans[i]))
	}
	return r
}

// Result is what was found in one document, and what the document taught: the names and
// numbers to look for again.
type Result struct {
	// Findings of each page, boxes in the upright page's pixels.
	Findings [][]document.Finding

	finder *Finder
	hints  *hints
	known  *known
}

// Check runs the same layers over words that were read again, after redaction, knowing
// the document's names. It changes nothing and may run concurrently.
func (r *Result) Check(p *words.Page) []document.Finding {
	sh := r.finder.newSheet(p)
	return merge(sh, r.finder.complete(sh, r.finder.look(sh, r.hints), r.known))
}

// look runs the layers that need nothing but the page and the hints.
func (f *Finder) look(sh *sheet, h *hints) []span {
	var out []span
	for _, layer := range []func(*sheet) []span{f.patterns, f.spread, f.labelled, f.places, f.names, f.told, f.lone, f.tagged, f.learned} {
		out = append(out, layer(sh)...)
	}
	out = f.tellStaff(sh, append(out, f.hinted(sh, h)...))
	return f.only(append(out, f.markedBy(sh)...))
}

// complete adds the layers that build on what the others found in the whole document.
func (f *Finder) complete(sh *sheet, found []span, k *known) []span {
	found = append(found, f.continueAddresses(sh, found)...)
	found = f.only(append(found, k.find(sh)...))
	return f.only(append(found, f.unexplained(sh, found)...))
}

// span is a run of tokens of one row that one layer found.
type span struct {
	from, to int // tokens [from, to) of the sheet, all in one row
	typ      document.Type
	score    float64
	source   document.Source
}
