// Package catalogue is the vocabulary of the extractors: what an opened document
// holds, known from headers, before any pixel was decoded. It has no behaviour, so
// that the extractors of different containers can share it without knowing each
// other.
package catalogue

import (
	"image"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// Item is one image asset as its headers describe it. Digest is zero: no pixel was
// decoded yet. A Withheld item keeps its place in the list and is never loaded; the
// code says why.
type Item struct {
	document.Asset
	Withheld reason.Code // "" where the asset can be loaded

	Bits     int // of a channel, as stored; 0 where the headers do not tell
	Channels int // as stored, a palette's index being one; 0 where the headers do not tell

	// PixelBytes is what decoding takes for each pixel at most, where that is more than is
	// usual for its kind; 0 where it is not.
	PixelBytes int
	// Drawn is how many bytes decoding the costliest image that is drawn on a page takes.
	Drawn int64
}

// Placement is one spot of a page where an embedded image is drawn.
type Placement struct {
	// Image is an index into Source.Assets.
	Image int
	// ToPage maps the image's pixels to the page asset's pixels, both counted from
	// the top left: x' = a·x + c·y + e and y' = b·x + d·y + f for [a b c d e f].
	ToPage [6]float64
	// Alone says that page and image show the same: one unmasked image fills the
	// page and nothing else is drawn there. Reading one of them is reading both.
	Alone bool
}

// Source is an opened document. Its methods may be called by one goroutine at a
// time. Indexes are those of Assets, from 0.
type Source interface {
	// Assets lists every image found, withheld ones included, in the order of the
	// document: page 1, the images first met on it, page 2, …; or frames in order;
	// or picture parts by name. The order depends on the bytes alone.
	Assets() []Item

	// Load decodes one asset: *image.Gray where the source holds no colour, else an
	// opaque *image.NRGBA laid on white; 8 bits a channel, upright by its own
	// orientation tag, in exactly the size that Assets promised. Each call decodes
	// anew and keeps nothing, so the caller drops one image before it loads the next.
	// The error carries a reason code (extract.*).
	Load(i int) (image.Image, error)

	// Layer returns the words that the container itself holds for a page, in that
	// page asset's pixels; nil where there are none. They tell what the container
	// claims, not what the page shows.
	Layer(i int) ([]words.Word, error)

	// Placements lists where images are drawn on a page, in drawing order; nil for
	// everything that is no page.
	Placements(i int) []Placement

	// NotCovered says what else the document holds that no asset stands for.
	NotCovered() document.NotCovered

	// Close frees what was opened. It does not close the reader.
	Close() error
}
