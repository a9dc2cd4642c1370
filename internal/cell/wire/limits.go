package wire

// What one document's messages may add up to. All are far above what an honest cell
// sends; they bound what a captured one can make the parent do.
const (
	MaxChunk    = 64 << 10  // bytes of a PNG in one frame
	MaxTask     = 1 << 20   // bytes of a task, subject hints included
	MaxBoxes    = 20_000    // boxes of one asset; a dense A4 page has about 1,500 words
	MaxProgress = 1 << 20   // progress messages of one document
	MaxSide     = 1<<31 - 1 // pixels of one side that a withheld asset may claim; the policy's limits hold for others
	MaxDPI      = 100_000   // dots per inch that an asset may declare
)

// MaxPNG bounds the bytes of a PNG of w×h pixels: four bytes a pixel and a filter
// byte a row, an eighth more for a compressor that fails, and 64 KiB for the rest.
func MaxPNG(w, h int) int64 {
	raw := (4*int64(w) + 1) * int64(h)
	return raw + raw/8 + 64<<10
}

// What a cell takes of its memory, to judge from headers whether an image fits. An image of
// 36 million pixels was measured in each way of storing it, and a page of 40 million.
const (
	// ReadingBytes is what a cell takes, resident, that reads ordinary pages, whatever their
	// size, because large ones are tiled: 250 to 350 million were measured.
	ReadingBytes = 350_000_000
	// PixelBytes is what a pixel of an image takes at most while it is decoded, drawn on and
	// encoded: 2 where the image holds no colour, 4 to 8 where it does. What takes more says
	// so itself (catalogue.Item).
	PixelBytes = 8
	// WidePixelBytes is the same where a channel has more than 8 bits: 12 were measured.
	WidePixelBytes = 14
	// PagePixelBytes is the same of a page, which is drawn with what stands on it: 18 with
	// a mask of the page's size.
	PagePixelBytes = 18
)
