package mark

// Limits bound what one picture may cost, however hostile it is. Lengths are pixels of
// the raster that a search works on, which is smaller than the asset where that is large.
const (
	// codePixels is the largest raster that is searched for codes: an A4 page at 300 dpi
	// is 8.7 million pixels and stays whole; at 600 dpi it is halved, where a module of
	// the usual 0.25 mm still has three pixels.
	codePixels = 12_000_000

	// maxCodes is how many codes are decoded in one picture. What is located beyond
	// that is covered undecoded.
	maxCodes = 64

	// maxCandidates bounds the regions of one search that are looked at closely, the
	// largest first: a sheet of labels has a hundred.
	maxCandidates = 256

	// maxPatterns bounds the corner patterns that are combined to QR codes: 64 codes.
	maxPatterns = 192

	// decodePixels is the largest crop that a decoder sees.
	decodePixels = 300_000

	// decodeBudget is how many pixels decoders see in all: sixty codes of 200 × 200. It is
	// a second of work at most; what is located after that is covered undecoded.
	decodeBudget = 8_000_000

	// facePixels is the largest raster that is searched for faces: A4 at 75 dpi is 0.54
	// million pixels, where a passport photograph of 35 mm is 100 wide.
	facePixels = 700_000

	// inkPixels is the largest raster in which ink is followed: A4 at 150 dpi.
	inkPixels = 2_200_000

	// maxFields is how many places to sign are looked at on one page.
	maxFields = 64
)
