package survey

import (
	"fmt"
	"math"
	"strings"

	"blotter/internal/cell/wire"
	"blotter/internal/document"
)

// assumedPixelBytes stands where a sample has no image large enough to measure.
const assumedPixelBytes = wire.PagePixelBytes

// fitting is how many pixels an image may have so that a cell which reads it stays within
// its memory, where a pixel takes so many bytes; 0 where not even reading fits.
func fitting(memory int64, pixelBytes float64) int64 {
	return max(0, int64(float64(memory-wire.ReadingBytes)/pixelBytes))
}

// Proposal is a set of limits for a sample, within a memory.
type Proposal struct {
	MemoryBytes int64    `json:"memory_bytes"` // that a cell may take
	PixelBytes  float64  `json:"bytes_per_pixel"`
	FitPixels   int64    `json:"asset_pixels_that_fit"`
	Limits      []Limit  `json:"limits"`
	Notes       []string `json:"notes"`
}

// Limit is one proposed setting, with what it rests on.
type Limit struct {
	Name     string `json:"name"` // in a policy's limits
	Value    int64  `json:"value"`
	Default  int64  `json:"default"`
	Evidence string `json:"evidence"`
}

// fewDocuments is below which a sample says little of what else may come.
const fewDocuments = 200

// secondsEach, where nothing was read, is what an image may take to be read and redacted, in seconds: a page takes
// about 1 to 5.
const secondsEach = 5

// propose derives limits: for what a document may hold, half as much again as the largest
// of the sample and twice what 99 in a hundred stay under, whichever is more; for the
// pixels of an image no more than the memory bears.
func propose(cfg Config, r *Report) Proposal {
	p := Proposal{MemoryBytes: cfg.MemoryBytes, PixelBytes: assumedPixelBytes, Limits: []Limit{}, Notes: []string{}}
	if m := r.of(memoryOf); m.Count > 0 {
		p.PixelBytes = max(wire.PixelBytes, m.P99)
	}
	p.FitPixels = roundDown(fitting(p.MemoryBytes, p.PixelBytes))
	l := cfg.Limits
	p.limit("source_bytes", r.of(bytesOf), l.SourceBytes, most)
	p.limit("assets", r.of(assetsOf), int64(l.Assets), mostItems)
	p.limit("pages", r.of(pagesOf), int64(l.Pages), mostItems)
	p.limit("frames", r.of(framesOf), int64(l.Frames), mostItems)
	p.limit("asset_pixels", r.of(pixelsOf), l.AssetPixels, min(max(p.FitPixels, 1), most))
	p.limit("total_pixels", r.of(allPixelsOf), l.TotalPixels, most)
	p.limit("entries", r.of(entriesOf), int64(l.Entries), mostItems)
	p.unpacked(r, l)
	p.ratio(r.of(ratioOf), l)
	p.depth(r.of(depthOf), l)
	p.assetSeconds(r.of(passOf), l)
	p.seconds(r, l)
	p.relate()
	p.note(r)
	return p
}

// What a policy takes at most, of bytes and pixels and of things that are counted.
const (
	most      = 1 << 40
	mostItems = 1 << 24
)

// limit proposes a setting from its distribution. Where the sample has nothing of the kind
// the setting stays as it is.
func (p *Proposal) limit(name string, d Distribution, now, ceiling int64) {
	if d.Count == 0 {
		if now > ceiling {
			p.Limits = append(p.Limits, Limit{name, ceiling, now, "the sample has none; what the memory bears"})
		}
		return
	}
	want := roundUp(int64(math.Ceil(min(max(1.5*d.Max, 2*d.P99), most))))
	value := min(want, ceiling)
	evidence := fmt.Sprintf("%d measured: half up to %s, 99 in 100 up to %s, the largest %s", d.Count, short(d.P50), short(d.P99), short(d.Max))
	if value < want && name == "asset_pixels" {
		evidence += fmt.Sprintf("; the memory bears no more (%.3g bytes a pixel)", p.PixelBytes)
	}
	p.Limits = append(p.Limits, Limit{name, value, now, evidence})
}

// ratio is never lowered: what is small is not judged by it, and a blank picture packs as
// densely as a bomb.
func (p *Proposal) ratio(d Distribution, l document.Limits) {
	if p.limit("ratio", d, int64(l.Ratio), mostItems); d.Count > 0 {
		last := &p.Limits[len(p.Limits)-1]
		last.Value = max(last.Value, last.Default)
	}
}

// unpacked is not lowered where there are pages: it also bounds each stream of a PDF, and
// those are not measured.
func (p *Proposal) unpacked(r *Report, l document.Limits) {
	d := r.of(unpackedOf)
	if p.limit("unpacked_bytes", d, l.UnpackedBytes, most); d.Count == 0 || r.of(pagesOf).Count == 0 {
		return
	}
	if last := &p.Limits[len(p.Limits)-1]; last.Value < last.Default {
		last.Value = last.Default
		last.Evidence += "; not lowered, because it bounds streams of PDFs too"
	}
}

func (p *Proposal) depth(d Distribution, l document.Limits) {
	if d.Count == 0 {
		return
	}
	deepest := int64(d.Max) - 1 // documents within the document
	p.Limits = append(p.Limits, Limit{"depth", min(max(deepest+1, 1), document.MaxDepth-1), int64(l.Depth),
		fmt.Sprintf("%d measured, the deepest %d", d.Count, deepest)})
}

const day = 24 * 60 * 60 // seconds: the most that a policy takes

// assetSeconds bounds one pass over an image, where some were read.
func (p *Proposal) assetSeconds(d Distribution, l document.Limits) {
	if d.Count == 0 {
		return
	}
	p.Limits = append(p.Limits, Limit{"asset_seconds", fewSeconds(max(1.5*d.Max, 2*d.P99), leastPass), int64(l.AssetSeconds),
		fmt.Sprintf("%d passes measured: half up to %s s, 99 in 100 up to %s, the longest %s, on this machine as busy as it was",
			d.Count, short(d.P50), short(d.P99), short(d.Max))})
}

// seconds bounds a document: by the times of those that were read, and by what the images
// of the fullest take at the pace of nine in ten of them, in two passes.
func (p *Proposal) seconds(r *Report, l document.Limits) {
	assets, whole, pass := r.of(assetsOf), r.of(readOf), r.of(passOf)
	switch {
	case assets.Count == 0:
	case whole.Count == 0:
		p.Limits = append(p.Limits, Limit{"seconds", fewSeconds(assets.Max*secondsEach, leastWhole), int64(l.Seconds),
			fmt.Sprintf("not measured (--read does): %d s for each of at most %s images, whose reading takes 1 to 5", secondsEach, short(assets.Max))})
	default:
		p.Limits = append(p.Limits, Limit{"seconds", fewSeconds(max(1.5*whole.Max, 2*whole.P99, 2*pass.P90*assets.Max), leastWhole), int64(l.Seconds),
			fmt.Sprintf("%d read: half up to %s s, the longest %s; 9 in 10 passes over an image up to %s, and at most %s images",
				whole.Count, short(whole.P50), short(whole.Max), short(pass.P90), short(assets.Max))})
	}
}

// The least that is proposed, in seconds: a busy machine is not to refuse what is small.
const (
	leastPass  = 30
	leastWhole = 60
)

func fewSeconds(want, least float64) int64 {
	return min(roundUp(int64(math.Ceil(min(max(want, least), day)))), day)
}

// relate keeps what a policy demands of two limits together.
func (p *Proposal) relate() {
	asset, total := p.find("asset_pixels"), p.find("total_pixels")
	if asset != nil && total != nil && total.Value < asset.Value {
		total.Value = asset.Value
	}
}

func (p *Proposal) find(name string) *Limit {
	for i := range p.Limits {
		if p.Limits[i].Name == name {
			return &p.Limits[i]
		}
	}
	return nil
}

// note says what a person should know before using the proposal.
func (p *Proposal) note(r *Report) {
	say := func(format string, args ...any) { p.Notes = append(p.Notes, fmt.Sprintf(format, args...)) }
	if r.Documents < fewDocuments {
		say("The sample has %d documents: take %d or more, of every kind that comes in.", r.Documents, fewDocuments)
	}
	if p.MemoryBytes <= wire.ReadingBytes {
		say("Reading alone takes about %d MB: raise cell.memory_bytes.", wire.ReadingBytes/1_000_000)
	}
	if d := r.of(pixelsOf); d.Count > 0 && int64(d.Max) > p.FitPixels {
		say("The largest image has %s pixels; to read it a cell needs about %s bytes of memory. Larger ones than asset_pixels are withheld.",
			short(d.Max), short(wire.ReadingBytes+d.Max*p.PixelBytes))
	}
	if n := len(r.Refused); n > 0 {
		say("Documents were refused for %d reasons: look at them before you raise anything.", n)
	}
	if r.of(memoryOf).Count == 0 {
		say("No image of the sample was large enough to measure memory by; %d bytes a pixel are assumed.", assumedPixelBytes)
	}
}

func (p Proposal) text(b *strings.Builder) {
	fmt.Fprintf(b, "\nproposed limits for cells of %d MB\n", p.MemoryBytes/1e6)
	for _, l := range p.Limits {
		fmt.Fprintf(b, "  %-13s %13d  (now %d) %s\n", l.Name, l.Value, l.Default, l.Evidence)
	}
	for _, n := range p.Notes {
		fmt.Fprintf(b, "  %s\n", n)
	}
}

// Policy writes the proposal as a policy file, with what it rests on in its comments. What
// it does not set is as in the default policy.
func (r *Report) Policy() []byte {
	var b strings.Builder
	p := r.Proposal
	fmt.Fprintf(&b, "# Limits proposed by blotter survey: %d documents, cells of %d bytes.\n", r.Documents, p.MemoryBytes)
	b.WriteString("# For each: half as much again as the largest, or twice what 99 in 100 stay under, whichever is more.\n")
	for _, n := range p.Notes {
		fmt.Fprintf(&b, "# %s\n", n)
	}
	for _, c := range r.Refused {
		fmt.Fprintf(&b, "# refused: %d for %s\n", c.Count, c.Reason)
	}
	for _, c := range r.Withheld {
		fmt.Fprintf(&b, "# images withheld: %d for %s\n", c.Count, c.Reason)
	}
	b.WriteString("name: surveyed\nversion: \"1\"\nlimits:\n")
	for _, l := range p.Limits {
		fmt.Fprintf(&b, "  # %s; the default is %d\n  %s: %d\n", l.Evidence, l.Default, l.Name, l.Value)
	}
	if len(p.Limits) == 0 {
		return []byte(strings.TrimSuffix(b.String(), "limits:\n"))
	}
	return []byte(b.String())
}

// roundUp and roundDown keep two digits.
func roundUp(n int64) int64 {
	step := stepOf(n)
	return (n + step - 1) / step * step
}

func roundDown(n int64) int64 { return n / stepOf(n) * stepOf(n) }

func stepOf(n int64) int64 {
	step := int64(1)
	for n/step >= 100 {
		step *= 10
	}
	return step
}
