package catalogue

import (
	"fmt"
	"image"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// Embedded is a document within an opened document, known from the container's own
// lists. It has no name: the name it was filed under may be personal, and no name is
// ever asked what a file is.
type Embedded struct {
	// Size is how many bytes Unpack promises; 0 where the container does not say.
	Size int64
	// Withheld says why it cannot be unpacked at all; "" where it can.
	Withheld reason.Code
	// Format is what the container knows of a withheld one; else what it is shows in its
	// bytes.
	Format document.Format
	// Picture says that the container shows it as a picture of its own: its frames are
	// images of the container, and are withheld as such where they cannot be had. What
	// turns out to be no picture is a document all the same.
	Picture bool
}

// Cost is what a container took of the limits that all containers of a document share.
type Cost struct {
	Entries  int   // parts, attachments and the like, those that hold no document included
	Unpacked int64 // bytes of all entries when unpacked
	Ratio    int64 // Density of the densest of them; it is no limit of the whole, and adds nothing up
}

// plus is what two containers took together.
func (c Cost) plus(d Cost) Cost {
	return Cost{c.Entries + d.Entries, c.Unpacked + d.Unpacked, max(c.Ratio, d.Ratio)}
}

// DensityFrom is the unpacked size in bytes above which the ratio of a part is judged: blank
// pictures pack up to a thousand to one in honest files, and an A4 page in colour at 150 dpi
// has 6.5 MB.
const DensityFrom = 8 << 20

// Density is how many times its packed bytes a part has unpacked, rounded up, to be held
// against the limit Ratio; 0 for a part that is too small to be judged by it.
func Density(unpacked, packed int64) int64 {
	switch {
	case unpacked <= DensityFrom:
		return 0
	case packed <= 0:
		return unpacked
	}
	return (unpacked-1)/packed + 1
}

// Container is a Source that may hold documents. Package extract opens these in turn,
// under what is left of the limits, and adds their assets to the container's own.
type Container interface {
	Source

	// Embedded lists the documents within, in an order that depends on the bytes alone.
	Embedded() []Embedded

	// Unpack returns the bytes of one of them, by its index. Every call unpacks anew and
	// keeps nothing. The error carries a reason code (extract.*), and says that this one
	// document cannot be had.
	Unpack(i int) ([]byte, error)

	// Spent is what the container took of the shared limits, the documents within
	// included: whatever Unpack may return is paid for.
	Spent() Cost
}

// Wrapper is what a container is that shows nothing by itself: all its assets are in the
// files within.
type Wrapper struct{}

// Assets is empty.
func (Wrapper) Assets() []Item { return nil }

// Load fails: there is no asset.
func (Wrapper) Load(i int) (image.Image, error) {
	return nil, reason.Because(reason.Internal, fmt.Errorf("catalogue: no asset %d", i))
}

// Layer returns nil.
func (Wrapper) Layer(int) ([]words.Word, error) { return nil, nil }

// Placements returns nil.
func (Wrapper) Placements(int) []Placement { return nil }

// Close does nothing.
func (Wrapper) Close() error { return nil }
