package catalogue

import (
	"errors"
	"fmt"
	"math"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// Tally admits assets one after another against the limits of their document, from
// their headers, before a pixel is decoded. An asset over its own limit is withheld;
// a document over its limits is refused.
type Tally struct {
	lim    document.Limits
	items  []Item
	pixels int64
	spent  Cost
}

// NewTally starts an empty list.
func NewTally(lim document.Limits) *Tally { return &Tally{lim: lim} }

// Add gives the next asset its index. An asset without pixels is withheld as
// malformed, one over AssetPixels as extract.pixel_limit; one that is withheld
// already keeps its reason and may have a size of 0×0 where headers did not tell it.
// The error refuses the document: extract.asset_limit counts every asset,
// extract.total_pixel_limit only those that can be loaded, because the others cost
// nothing.
func (t *Tally) Add(it Item) error {
	if len(t.items) >= t.lim.Assets {
		return reason.Because(reason.ExtractAssets, fmt.Errorf("more than %d assets", t.lim.Assets))
	}
	area := int64(it.Width) * int64(it.Height)
	switch {
	case it.Withheld != "":
	case it.Width <= 0 || it.Height <= 0:
		it.Withheld = reason.ExtractMalformed
	case it.Width > math.MaxInt32 || it.Height > math.MaxInt32: // area may have run over
		it.Withheld = reason.ExtractPixels
	case area > t.lim.AssetPixels:
		it.Withheld = reason.ExtractPixels
	case t.pixels+area > t.lim.TotalPixels:
		return reason.Because(reason.ExtractTotal, fmt.Errorf("more than %d pixels in all", t.lim.TotalPixels))
	default:
		t.pixels += area
	}
	it.Index = len(t.items) + 1
	t.items = append(t.items, it)
	return nil
}

// Spend takes what a container cost off the limits that containers share. The error
// refuses the document: extract.entry_limit or extract.unpacked_limit.
func (t *Tally) Spend(c Cost) error {
	switch {
	case c.Entries < 0 || c.Entries > t.lim.Entries:
		return reason.Because(reason.ExtractEntries, errors.New("more entries than the document may have"))
	case c.Unpacked < 0 || c.Unpacked > t.lim.UnpackedBytes:
		return reason.Because(reason.ExtractUnpacked, errors.New("more bytes than the document may unpack to"))
	}
	t.lim.Entries -= c.Entries
	t.lim.UnpackedBytes -= c.Unpacked
	t.spent = t.spent.plus(c)
	return nil
}

// Spent is what all containers took so far.
func (t *Tally) Spent() Cost { return t.spent }

// Left is what remains of the limits for one more document within: of those that all
// share what has not been spent, of the others the whole.
func (t *Tally) Left() document.Limits {
	left := t.lim
	left.Assets -= len(t.items)
	left.TotalPixels -= t.pixels
	return left
}

// Items returns the list so far. It is the tally's own.
func (t *Tally) Items() []Item { return t.items }
