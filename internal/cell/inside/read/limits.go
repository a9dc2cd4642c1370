package read

// Scale of detection, pixels.
const (
	a4Long, a4Short = 1280.0, 905.0 // an A4 page as the detector sees it
	scanLong        = 3508.0        // an A4 page at 300 dots per inch
	maxEnlarge      = 1.5           // of small pictures; more only blurs
	netStride       = 32            // the detector's input is a multiple of this
	tileMargin      = 16            // paper around a picture, so that text at its edge is seen
	tileOverlap     = 96            // what a tile sees beyond its core: three lines of 12 point text
	largePicture    = 4_000_000     // pixels from which a collection before detection is worth its 20 ms
	tilePixels      = 1_400_000     // of one tile: A4 in one piece, peak memory bounded
)

// Post-processing of the detector's map (the model's own defaults but for the score,
// which is lower: recall first).
const (
	coreThreshold = 0.3 * 255 // a pixel belongs to a line's core
	minScore      = 0.5       // mean over a core's pixels
	minCorePixels = 6
	growRatio     = 1.6  // how far a core grows to its line, in area / circumference
	nested        = 0.8  // share of a region inside another from which it is part of it
	overlapping   = 0.3  // common length of two regions on a line, in heights, from which they are one
	elongated     = 8.0  // length / height of a core from which it tells of the page's direction
	fewLines      = 4    // such cores that a page must have
	veryLong      = 20.0 // length / height from which a core's own direction is trusted
	otherWay      = 0.6  // tightest area / area along the page's direction under which it is, too
)

// Text on its side, in shares of a region's length unless said otherwise.
const (
	sideTall    = 1.6  // height from which a region may be a piece of a line that runs up or down
	sideSure    = 2.2  // height from which one alone tells of such a line: no letter is as slim
	sideKnown   = 0.6  // share of a piece inside lines from which they stand for it
	sideUpright = 0.25 // share of a line under upright ones from which it is the left edge of their text
)

// Stamps on print. Pixels are those of a page whose longer side has overLongSide.
const (
	overLongSide = 2200.0 // A4 at 190 dots per inch, letter at 200
	overRows     = 4      // every such row is looked at
	overDark     = 0.35   // from print to paper, where another ink begins
	overPale     = 0.18   // from paper to print, where it ends
	overStroke   = 40.0   // the widest stroke of another ink; wider is a tinted ground
	overCell     = 40.0   // the side of the cells in which strokes are counted
	overFew      = 8      // strokes of a cell from which something is written there
	overCells    = 4      // such cells together from which it is looked for
	overHalo     = 1100.0 // the longer side in pixels over that by which print is blurred
	overMost     = 0.4    // share of the page with such ink from which it is no stamp
	overLong     = 2.5    // length / height from which a region's direction tells
	overNear     = 2.0    // lengths of such a region within which shorter ones go on
	overAngle    = 0.05   // radians between directions that differ
	overKnown    = 0.5    // share of a region in known ones from which it is a rest of their print
)

// Recognition, pixels of a crop that is 48 high, unless said otherwise.
const (
	cropHeight     = 48    // the recogniser's input
	cropMargin     = 18    // rows above and below, for finding the ink of a word
	cropWidest     = 1600  // wider lines are cut at a gap
	cropNarrow     = 16    // narrower crops are filled up with paper
	cropCutRange   = 400   // how far before cropWidest a gap is looked for
	overhangMost   = 0.4   // how far a line is lengthened along its ink, in heights of the line
	spaceRatio     = 0.05  // a space where p(space)/p(best) exceeds this
	spaceTrace     = 0.004 // and where it exceeds this amid blank columns that are wider than
	spaceLeast     = 7     // this, and than spaceMore above spaceStretch times the line's median between letters
	spaceStretch   = 1.5   // (measured on 723 spaces of specimens: 54 swallowed with a ratio of 0.1 alone, 3 so, no
	spaceMore      = 5     // word torn; on 12,800 gaps of FUNSD: 42 spaces more, 22 words more torn)
	spaceSure      = 12    // blank columns, and 8 above twice the median, that are a space whatever is said
	punctuationGap = 7     // blank columns between a mark and a letter that are a space: a fifth of an em
	negligible     = 12    // how far below the best a score tells nothing: e⁻¹² is 1/160,000, and most are further away
	tallRatio      = 1.5   // height / width from which a region is a vertical line
)

// otherHeights are the shares of a line's height by which it is cut narrower (wider
// where negative) when it was read with doubt. Measured on a skewed letter: two lines
// that read at 0.81 and 0.77 read at 0.98 and 0.91 so.
var otherHeights = []float64{-0.1, 0.1}

// Confidence, 0–1: the mean probability of a word's characters.
const (
	minLineConfidence = 0.60 // a line under it is unread as a whole
	minWordConfidence = 0.75 // a word under it is unread: of 1,125 words of specimens 5 are right under it, 6 wrong
	sureWord          = 0.90 // clean print reads at 0.97 and more; Cyrillic taken for Latin at 0.7 to 0.95
	sureLine          = 0.93
	maxForeignShare   = 0.30 // share of characters outside Latin script from which a line is unread
)

// Text layer.
const (
	layerCover      = 0.85 // share of a region's ink width that the layer's words must cover
	layerSlack      = 0.15 // of the region's height, by which a word's box may be too low
	layerSamples    = 6    // regions of a page on which the layer is compared with the recogniser
	layerSampleLong = 10   // heights of a line that a sample of it is long, about 20 characters
	layerSimilarity = 0.6  // 1 − edit distance / length, under which a sample disagrees
)

// Pages that a program drew, pixels of the page unless said otherwise.
const (
	contourLeast = 4    // of 255, from which neighbours differ: gray on white that nobody sees is under it
	wordHalo     = 2    // and a tenth of its height, by which a word's ink may reach out of its box
	widestLetter = 1.6  // a letter's width in heights of its word, on average: a W in small capitals
	tallestWord  = 25   // times which a word is less high than the page is long: 33 points on A4
	ruleLeast    = 60   // the shortest rule,
	ruleLetters  = 3    // and in heights of the layer's words: no stroke is as long and as thin
	ruleGap      = 4    // over which a rule goes on: where another crosses it
	ruleFilled   = 0.92 // share of a rule's length that is drawn
	ruleHalo     = 2    // by which a rule is taken away on each side, its ends and crossings with it
	sideLeast    = 12   // the shortest side of a panel or cell, from rule to rule
	frameLeast   = 10   // the smallest box to tick
	frameThick   = 4    // its frame, contours on both sides included
	speck        = 2    // what is no larger is no text
	drawnShapes  = 4000 // shapes that are left, from which a page was not drawn
	drawnShare   = 0.5  // share of the page with such shapes, from which it is searched whole
)

// Orientation.
const (
	angleSamples  = 12   // crops shown to the angle classifier
	angleWidth    = 192  // its input, 48 high
	angleDoubt    = 0.20 // share of votes for upside down from which the recogniser is asked
	angleEnough   = 6    // votes after which it is asked no more where they agree
	angleSure     = 0.4  // and each is for 0.9 on average: 0.5 + this
	angleReadings = 4    // crops that it then reads both ways
)

// Grain.
const (
	noiseMost   = 0.25 // correlation of neighbours: print on grain that people can read has 0.3 to 0.9, most grain 0 to 0.2
	noiseWindow = 14   // blocks along each side of what is looked at, at least: a few say nothing
	noiseFewest = 8    // blocks along a side from which they tell
	noiseScales = 4    // the largest block's side
)

// Boxes to tick.
const (
	tickLong   = 2.5 // length / height of a region from which it is no box, either way
	tickAround = 2.5 // how far on each side neighbours are looked for, in sides of the region
)

// Lines.
const sameRow = 0.5 // share of the lower segment's height from which two share a line

// Second look.
const (
	lookZoom   = 0.8 // of the first look's scale: what one scale misses another may see
	lookInside = 0.9 // share of a region or word under boxes from which it is destroyed
	lookKnown  = 0.5 // share of a region explained by the first look from which it is no news
	lookBeside = 0.6 // how far beside a burned box is read again, in heights of the line: a space and the next word
	lookGap    = 1.0 // unexplained length of a line from which it is read, in heights: wider than a space
	lookLeast  = 0.2 // shorter parts hold no letter
)
