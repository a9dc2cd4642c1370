package policy

import (
	"fmt"
	"strings"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// Limit describes one limit of a policy, for its documentation and its tests.
type Limit struct {
	Name   string // in the file, below limits
	Unit   string
	Reason reason.Code // of what is over it; "" for a limit that chooses and refuses nothing
	Ends   Ends
	Why    string // its default
	of     func(document.Limits) int64
}

// Ends says what ends where a limit is passed.
type Ends string

// What a limit ends.
const (
	EndsDocument Ends = "the document is rejected"
	EndsImage    Ends = "that image is withheld"
	EndsNothing  Ends = "nothing: it chooses a size"
)

// Default is the limit's value in the default policy.
func (l Limit) Default() int64 { return l.of(Default().Limits) }

// Limits lists the limits of a policy in the order of its file.
func Limits() []Limit {
	whole := func(f func(document.Limits) int) func(document.Limits) int64 {
		return func(l document.Limits) int64 { return int64(f(l)) }
	}
	return []Limit{
		{"source_bytes", "bytes", reason.SourceBytes, EndsDocument,
			"25 MiB holds a scanned chart of 100 pages; it is counted while the document streams in",
			func(l document.Limits) int64 { return l.SourceBytes }},
		{"assets", "images, pages and frames included", reason.ExtractAssets, EndsDocument,
			"a scan that is cut into strips holds hundreds of images",
			whole(func(l document.Limits) int { return l.Assets })},
		{"pages", "pages", reason.ExtractPages, EndsDocument,
			"a page takes 1 to 5 seconds, so that 200 fill the time of a document",
			whole(func(l document.Limits) int { return l.Pages })},
		{"frames", "frames of a raster file", reason.ExtractFrames, EndsDocument,
			"faxes have tens of pages; each frame is an image of its own, so that its pixels are bounded by asset_pixels and those of all by total_pixels",
			whole(func(l document.Limits) int { return l.Frames })},
		{"asset_pixels", "pixels", reason.ExtractPixels, EndsImage,
			"an A4 page at 600 dpi has 35 million, and what a cell of 1 GiB can surely redact ends at about as many",
			func(l document.Limits) int64 { return l.AssetPixels }},
		{"total_pixels", "pixels", reason.ExtractTotal, EndsDocument,
			"200 A4 pages at 300 dpi have 1,740 million; what is withheld does not count",
			func(l document.Limits) int64 { return l.TotalPixels }},
		{"page_objects", "objects that a page of a PDF and its comments draw, as often as they do", reason.ExtractObjects, EndsImage,
			"dense maps have some hundred thousand, the densest page of our sample 38,000; each takes up to 850 bytes before anything is drawn; 32 points, 64 characters or 256 bytes of operators count as one more, and a form that draws itself as endless",
			func(l document.Limits) int64 { return l.PageObjects }},
		{"total_objects", "objects that all pages of a PDF draw", reason.ExtractObjects, EndsImage,
			"200 pages of dense text or forms, 10,000 each; an object takes some 30 microseconds to be built, listed and drawn",
			func(l document.Limits) int64 { return l.TotalObjects }},
		{"drawn_pixels", "pixels of images and of what is covered on all pages of a PDF, as often as they are drawn", reason.ExtractDrawn, EndsImage,
			"15 seconds at 3 nanoseconds, and more than twice total_pixels: honest pages draw an image once; plain colours count a quarter, what lets through twice, shades ten times and more, and what blends once more for each blend before it",
			func(l document.Limits) int64 { return l.DrawnPixels }},
		{"entries", "entries of all containers together", reason.ExtractEntries, EndsDocument,
			"large presentations have some hundreds of parts",
			whole(func(l document.Limits) int { return l.Entries })},
		{"unpacked_bytes", "bytes of all entries together, and of each stream of a PDF", reason.ExtractUnpacked, EndsDocument,
			"ten times source_bytes, a quarter of a cell's memory",
			func(l document.Limits) int64 { return l.UnpackedBytes }},
		{"ratio", "times its packed size", reason.ExtractRatio, EndsImage,
			"blank pictures pack 100 to 1 in honest files; judged only above 8 MiB unpacked, so that it never refuses a blank page",
			whole(func(l document.Limits) int { return l.Ratio })},
		{"depth", "documents within documents", reason.ExtractDepth, EndsImage,
			"a sheet in an attachment of a message that was forwarded twice is the fourth",
			whole(func(l document.Limits) int { return l.Depth })},
		{"filters", "filters stacked on one stream of a PDF", reason.ExtractFilters, EndsDocument,
			"honest writers stack two, of which one is a codec or plain text; each more may unpack a thousandfold",
			whole(func(l document.Limits) int { return l.Filters })},
		{"page_dpi", "dots per inch", "", EndsNothing,
			"pages are read at the scale where A4 is 1,280 pixels high, and looked at again more closely; a page that would be over asset_pixels is rendered at fewer, down to 72, whatever the resolution of the images on it",
			whole(func(l document.Limits) int { return l.PageDPI })},
		{"asset_seconds", "seconds, for reading and again for redacting", reason.ReadTime, EndsImage,
			"a page takes 1 to 5 on an idle machine",
			whole(func(l document.Limits) int { return l.AssetSeconds })},
		{"seconds", "seconds", reason.CellTimeout, EndsDocument,
			"200 pages at 4 seconds, and a little",
			whole(func(l document.Limits) int { return l.Seconds })},
	}
}

// LimitsTable writes the limits as a table of Markdown.
func LimitsTable() string {
	var b strings.Builder
	b.WriteString("| limit | default | unit | over it | reason | why this default |\n|---|---:|---|---|---|---|\n")
	for _, l := range Limits() {
		code := "–"
		if l.Reason != "" {
			code = "`" + string(l.Reason) + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s | %s | %s |\n", l.Name, l.Default(), l.Unit, l.Ends, code, l.Why)
	}
	return b.String()
}
