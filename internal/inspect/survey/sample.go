package survey

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blotter/internal/cell"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// A quantity is what a distribution is of.
type quantity string

// The quantities. Per asset means each page, image and frame on its own.
const (
	bytesOf     quantity = "bytes"            // of a document
	pagesOf     quantity = "pages"            // of a document that has some
	assetsOf    quantity = "assets"           // of a document
	framesOf    quantity = "frames"           // of a raster file
	pixelsOf    quantity = "asset_pixels"     // of an asset
	allPixelsOf quantity = "total_pixels"     // of a document
	depthOf     quantity = "depth"            // of containers in containers; 1 is the document
	entriesOf   quantity = "entries"          // of all containers of a document that has some
	unpackedOf  quantity = "unpacked_bytes"   // of all entries of such a document
	ratioOf     quantity = "ratio"            // of the densest entry of a document, where one is large enough to be judged
	decodeOf    quantity = "decode_ms_per_mp" // milliseconds for a megapixel, of an asset of one megapixel or more
	memoryOf    quantity = "bytes_per_pixel"  // that decoding added to the cell's memory, of the same
	secondsOf   quantity = "extract_ms"       // milliseconds of extraction, of a document
	passOf      quantity = "pass_s"           // seconds to read an image, or to redact it and look again
	readOf      quantity = "read_s"           // seconds from handing a document to a reading cell to its end
)

// quantities lists them in the order in which they are shown, with their units.
var quantities = []struct {
	name quantity
	unit string
	what string
}{
	{bytesOf, "bytes", "bytes of a document"},
	{pagesOf, "pages", "pages of a paged document"},
	{assetsOf, "assets", "images of a document, pages and frames included"},
	{framesOf, "frames", "frames of a raster file"},
	{pixelsOf, "pixels", "pixels of an image"},
	{allPixelsOf, "pixels", "pixels of a document"},
	{depthOf, "levels", "levels of documents, the outermost included"},
	{entriesOf, "entries", "entries of a document's containers"},
	{unpackedOf, "bytes", "bytes of these entries when unpacked"},
	{ratioOf, "times", "times that the densest entry above 8 MiB is packed"},
	{decodeOf, "ms", "milliseconds to decode a megapixel"},
	{memoryOf, "bytes", "bytes of memory that decoding a pixel takes"},
	{secondsOf, "ms", "milliseconds to extract a document"},
	{passOf, "s", "seconds to read an image, or to redact it"},
	{readOf, "s", "seconds to read and redact a document"},
}

// From which size on, in pixels, an image's cost is its own: below it the time is that of
// starting, and the memory that of what holds the image.
const (
	measurableTime   = 1_000_000
	measurableMemory = 4_000_000
)

// examples is how many documents are named by their number for each reason.
const examples = 10

// sample is what was found so far. Its memory grows with the number of images, eight
// bytes for each value.
type sample struct {
	documents int
	opened    int
	formats   map[string]int
	values    map[quantity][]float64
	refused   map[reason.Code]*counted
	withheld  map[reason.Code]*counted
	peak      int64
}

// counted is how often a reason was given, and by which documents.
type counted struct {
	times     int
	documents []numbered
}

func newSample() *sample {
	return &sample{
		formats: map[string]int{}, values: map[quantity][]float64{},
		refused: map[reason.Code]*counted{}, withheld: map[reason.Code]*counted{},
	}
}

// add counts a document. code says why it was refused; "" where it was not.
func (s *sample) add(d numbered, seen cell.Inspection, size int64, code reason.Code) {
	s.documents++
	s.formats[seen.Format.String()]++
	s.peak = max(s.peak, seen.PeakBytes)
	if code != "" {
		count(s.refused, code, d)
	} else {
		s.opened++
	}
	if room, _, _ := strings.Cut(string(code), "."); room != "sniff" && room != "source" { // what no limit would let in says nothing of limits
		s.put(bytesOf, float64(size))
	}
	if len(seen.Images) == 0 {
		return
	}
	s.images(d, seen)
	s.contained(seen)
	if code == "" {
		s.put(secondsOf, float64(seen.Timings[document.StageExtract])/float64(time.Millisecond))
	}
}

// contained counts what the containers of a document hold.
func (s *sample) contained(seen cell.Inspection) {
	if seen.Entries == 0 {
		return
	}
	s.put(entriesOf, float64(seen.Entries))
	s.put(unpackedOf, float64(seen.UnpackedBytes))
	if seen.Ratio > 0 {
		s.put(ratioOf, float64(seen.Ratio))
	}
}

func (s *sample) put(q quantity, v float64) {
	if !math.IsNaN(v) && !math.IsInf(v, 0) {
		s.values[q] = append(s.values[q], v)
	}
}

func count(m map[reason.Code]*counted, code reason.Code, d numbered) {
	c := m[code]
	if c == nil {
		c = &counted{}
		m[code] = c
	}
	c.times++
	if n := len(c.documents); n < examples && (n == 0 || c.documents[n-1].number != d.number) {
		c.documents = append(c.documents, d)
	}
}

// images counts what a document holds.
func (s *sample) images(d numbered, seen cell.Inspection) {
	var pages, frames int
	var all, depth int64
	high := seen.Idle
	for _, l := range seen.Images {
		switch l.Kind {
		case document.Page:
			pages++
		case document.Frame:
			frames++
		}
		if l.Withheld != "" {
			count(s.withheld, l.Withheld, d)
		}
		depth = max(depth, int64(l.Within.Depth())+1)
		pixels := int64(l.Width) * int64(l.Height)
		if l.Withheld == "" || l.Withheld == reason.ExtractPixels || l.Withheld == reason.ExtractMemory { // others may claim any size
			s.put(pixelsOf, float64(pixels))
		}
		if l.Withheld == "" {
			all += pixels
		}
		s.cost(l, pixels, high, seen.Idle)
		high = max(high, l.HighWater)
	}
	s.put(assetsOf, float64(len(seen.Images)))
	s.put(allPixelsOf, float64(all))
	s.put(depthOf, float64(depth))
	if pages > 0 {
		s.put(pagesOf, float64(pages))
	}
	if frames > 0 {
		s.put(framesOf, float64(frames))
	}
}

// cost measures an image that was decoded. Memory counts where decoding raised the cell's
// high-water mark, over what the cell took before it had the document, so that what the
// container costs is in it.
func (s *sample) cost(l cell.Listed, pixels, high, idle int64) {
	if !l.Decoded || pixels < measurableTime {
		return
	}
	s.put(decodeOf, float64(l.Took)/float64(time.Millisecond)/(float64(pixels)/1e6))
	if pixels >= measurableMemory && l.HighWater > high {
		s.put(memoryOf, float64(l.HighWater-idle)/float64(pixels))
	}
}

// Distribution is what a quantity came to over the sample.
type Distribution struct {
	Name      string   `json:"name"`
	Unit      string   `json:"unit"`
	What      string   `json:"what"`
	Count     int      `json:"count"`
	P50       float64  `json:"p50"`
	P90       float64  `json:"p90"`
	P99       float64  `json:"p99"`
	Max       float64  `json:"max"`
	Histogram []Bucket `json:"histogram"`
}

// Bucket counts values from (inclusive) one number to (exclusive) another.
type Bucket struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Count int     `json:"count"`
}

// distribution sums up values, which it sorts.
func distribution(name, unit, what string, values []float64) Distribution {
	d := Distribution{Name: name, Unit: unit, What: what, Count: len(values), Histogram: []Bucket{}}
	if len(values) == 0 {
		return d
	}
	slices.Sort(values)
	d.P50, d.P90, d.P99, d.Max = percentile(values, 50), percentile(values, 90), percentile(values, 99), values[len(values)-1]
	d.Histogram = histogram(values)
	return d
}

// percentile is the least value that p per cent of the sorted values do not exceed.
func percentile(sorted []float64, p int) float64 {
	rank := (len(sorted)*p + 99) / 100
	return sorted[max(rank, 1)-1]
}

// histogram counts sorted values between 1, 2 and 5 times the powers of ten; below the
// least step is one bucket from zero.
func histogram(sorted []float64) []Bucket {
	var out []Bucket
	from, to := 0.0, 1.0
	if sorted[0] >= 1 {
		from, to = stepBelow(sorted[0])
	}
	for i := 0; i < len(sorted); {
		b := Bucket{From: from, To: to}
		for ; i < len(sorted) && sorted[i] < to; i++ {
			b.Count++
		}
		out = append(out, b)
		from, to = to, stepAbove(to)
	}
	return out
}

// stepBelow finds the steps around a value of at least 1.
func stepBelow(v float64) (from, to float64) {
	from, to = 1, 2
	for v >= to {
		from, to = to, stepAbove(to)
	}
	return from, to
}

// stepAbove is the step after one of 1, 2 and 5 times a power of ten.
func stepAbove(step float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(step)+1e-9))
	switch digit := math.Round(step / power); digit {
	case 1:
		return 2 * power
	case 2:
		return 5 * power
	}
	return 10 * power
}

// name is what a report calls a document: its number, and its path below the directory
// where names were asked for.
func name(cfg Config, d numbered) Example {
	e := Example{Document: d.number}
	if cfg.Names {
		if rel, err := filepath.Rel(cfg.Dir, d.path); err == nil {
			e.Name = rel
		}
	}
	return e
}
