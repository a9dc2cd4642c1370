// Package specimen generates annotated documents to measure redaction by: some forty
// kinds of clinical paper, screens and cards, with people of many cultures, and traps
// that must stay. Beside each stands its truth: every word, where its ink lies, and what
// ought to become of it.
//
// Guarantees: the same seed makes the same bytes on one architecture; every quad lies in
// its picture and follows every bend of it; nobody in them exists.
//
// There are two halves, so that a product can be tuned on one and its figures published
// on the other. They differ in more than the seed:
//   - names, towns, streets and organisations: each word of the pools belongs to one half
//     (package people); patterns of numbers differ in part,
//   - sentences: each stands in one half (package prose),
//   - wordings of labels and titles: even entries of a list serve one half, odd the other
//     (the few that stand on nearly every form, such as DOB, are in both),
//   - typefaces, print and hands: each half has its own,
//   - layouts: most kinds have variants of which each half sees some; values behind a
//     colon and in boxes are in both,
//   - strength of noise, blur, skew, contrast and compression: ranges are cut in slices
//     that serve the halves in turn.
//
// What they share is what clinics share: drugs, tests, diagnoses, formats of dates and of
// telephone numbers. Whoever looks at misses in the half to publish, or tunes on them,
// has no figures to publish.
//
// Only tests and tools import this package: its truth is text. Its typefaces come from
// package typecase, which fetches them on first use.
package specimen

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"blotter/internal/examples/paper"
	"blotter/internal/specimen/people"
	"blotter/internal/specimen/typecase"
	"blotter/internal/truth"
)

// Half is one of the two disjoint worlds of documents.
type Half = people.Half

// The halves: one to tune a product on, the other to publish its figures by.
const (
	Tune    = people.Tune
	Publish = people.Publish
)

// Specimen is one document with its truth.
type Specimen struct {
	Name  string // file name
	Bytes []byte
	Truth truth.Document
}

// Press makes specimens. Several goroutines may use it.
type Press struct {
	typefaces *typecase.Case
	seed      uint64
	fineness  float64 // of all pixels; 1, and less in tests that have no time
}

// Open readies the typefaces, which are fetched where they are missing.
func Open(seed uint64) (*Press, error) {
	typefaces, err := typecase.Open()
	return &Press{typefaces, seed, 1}, err
}

// Kinds lists what a press can make, in the order in which it is documented.
func Kinds() []string {
	var out []string
	for _, k := range kinds {
		out = append(out, k.name)
	}
	return out
}

// Make makes the n-th specimen of a kind for a half, counted from 0.
func (p *Press) Make(half Half, kindName string, n int) (Specimen, error) {
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == kindName })
	if at < 0 {
		return Specimen{}, fmt.Errorf("no kind of specimen is called %q", kindName)
	}
	stem := fmt.Sprintf("%s-%03d", kindName, n+1)
	d := newDesk(half, n, rand.New(rand.NewPCG(p.seed, chance(half.String()+"/"+stem))), p.typefaces)
	d.fineness = p.fineness
	made := kinds[at].write(d)
	if d.err != nil {
		return Specimen{}, fmt.Errorf("specimen %s of half %v: %w", stem, half, d.err)
	}
	return Specimen{
		Name:  stem + made.suffix,
		Bytes: made.bytes,
		Truth: truth.Document{Schema: truth.Schema, Kind: kindName, Language: d.language, Pictures: made.pictures},
	}, nil
}

// chance turns a name into a seed, so that no specimen depends on the others.
func chance(name string) uint64 {
	sum := fnv.New64a()
	sum.Write([]byte(name))
	return sum.Sum64()
}

// kind is a sort of document and who writes it. A writer notes the first error in its
// desk and goes on.
type kind struct {
	name  string
	write func(*desk) made
}

// made is a finished file.
type made struct {
	suffix   string // with the point
	bytes    []byte
	pictures []truth.Picture
}

type drawing = paper.Drawing
