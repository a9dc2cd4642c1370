// Package words holds what was read: words with their boxes. It is the only place
// where text lives, and it lives only inside the cell: nothing outside
// internal/cell/inside may import it.
package words

import "blotter/internal/document"

// Origin says which reader a word came from.
type Origin uint8

// The readers.
const (
	FromPixels Origin = iota // the recogniser
	FromLayer                // the container's own text layer
)

// Word is one word with its place on an upright page.
type Word struct {
	Text       string
	Box        document.Box // in the upright page's pixels
	Line       int          // index of the line it stands on; words of a line run from left to right
	Confidence float64      // 0–1; 1 for a text layer's words
	Origin     Origin
	Vertical   bool // the line runs top to bottom (or bottom to top) on the upright page
}

// Page is one asset as it was read.
type Page struct {
	Width, Height int           // of the upright page, pixels
	Turn          document.Turn // how the asset was turned to become upright
	Words         []Word        // ordered by Line, then along the line
	// Unread are regions of the upright page in which text was seen and not
	// understood: a script the recogniser lacks, handwriting, too little confidence.
	Unread []document.Box
	// Letters are the boxes of the characters of some words, by their index in Words, from
	// left to right. A word has them where they may be needed and where it is certain which
	// ink is which character's.
	Letters map[int][]document.Box
	// Standing are the parts of findings that the policy leaves.
	Standing []document.Box
	Tags     []Tag // what the operator's classifier says of words; nil where there is none
}

// Tag says what a classifier takes a word for.
type Tag struct {
	Word  int // index in Words
	Type  document.Type
	Score float64 // probability, 0–1
}

// ToAsset maps a box of the upright page into the asset's own pixels.
func (p *Page) ToAsset(b document.Box) document.Box {
	return p.Turn.ToAsset(b, p.Width, p.Height)
}

// Subject is what the caller knows of the person that a document is about. It is
// sealed outside and opened only here.
type Subject struct {
	Names     []string `json:"names"`     // full names or parts
	Dates     []string `json:"dates"`     // ISO 8601 dates, the birth date first
	Numbers   []string `json:"numbers"`   // MRN, insurance and telephone numbers
	Addresses []string `json:"addresses"` // one line each
}
