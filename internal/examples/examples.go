// Package examples makes the documents that ship with the project, under examples/: a
// referral letter, a photo of an insurance card, a report with a pasted scan and a
// fax. Everybody in them is invented.
//
// Guarantees: the same bytes each time (all chance is seeded; compared on amd64, where
// Go does not fuse floating-point operations), nothing but Go and the Go fonts, and a
// truth for each picture: every printed word, where its ink lies, and whether
// redaction must destroy it. Tests judge results by pixels with it (Picture.Judge).
//
// Only tests and tools import this package: its truth is text.
package examples

import (
	"blotter/internal/document"
	"blotter/internal/truth"
)

// Example is one document and what is known of it.
type Example struct {
	Name     string // file name under examples/
	Bytes    []byte
	Pictures []truth.Picture // in the order of the document
}

// All makes every example, in the order in which the demo redacts them.
func All() ([]Example, error) {
	var out []Example
	for _, make := range []func() (Example, error){referral, insuranceCard, report, fax} {
		e, err := make()
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// Of finds the example whose bytes have that SHA-256, in hexadecimal.
func Of(all []Example, sha256 string) (Example, bool) {
	for _, e := range all {
		if document.Sum(e.Bytes).String() == sha256 {
			return e, true
		}
	}
	return Example{}, false
}

// Picture finds what an asset of that page and frame shows. The scan of a page fills it,
// so that page and embedded image have one truth; a document of one picture has it for
// every asset.
func (e Example) Picture(page, frame int) (truth.Picture, bool) {
	if len(e.Pictures) == 1 {
		return e.Pictures[0], true
	}
	for _, p := range e.Pictures {
		if p.Page == page && p.Frame == frame {
			return p, true
		}
	}
	return truth.Picture{}, false
}
