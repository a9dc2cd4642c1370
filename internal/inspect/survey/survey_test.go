package survey

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"blotter/internal/cell"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/policy"
	"blotter/internal/reason"
)

const gib = 1 << 30

func testConfig() Config {
	return Config{Dir: "/samples", Limits: policy.Default().Limits, MemoryBytes: gib}
}

// listed is an image that was decoded, w×h pixels.
func listed(kind document.AssetKind, w, h int, took time.Duration, high int64) cell.Listed {
	return cell.Listed{Asset: document.Asset{Kind: kind, Width: w, Height: h}, Decoded: true, Took: took, HighWater: high}
}

// inspected is a document as a cell tells it, idle at 100 MB.
func inspected(f document.Format, images ...cell.Listed) cell.Inspection {
	seen := cell.Inspection{Images: images, Idle: 100e6}
	seen.Format = f
	return seen
}

func TestPercentiles(t *testing.T) {
	var hundred []float64
	for i := range 100 {
		hundred = append(hundred, float64(i+1))
	}
	for _, c := range []struct {
		values []float64
		p      int
		want   float64
	}{
		{hundred, 50, 50}, {hundred, 90, 90}, {hundred, 99, 99},
		{[]float64{7}, 50, 7}, {[]float64{7}, 99, 7}, {[]float64{1, 2}, 50, 1}, {[]float64{1, 2}, 90, 2},
	} {
		if got := percentile(c.values, c.p); got != c.want {
			t.Errorf("p%d of %v: %v, want %v", c.p, c.values, got, c.want)
		}
	}
}

func TestHistogram(t *testing.T) {
	for name, c := range map[string]struct {
		values []float64
		want   []Bucket
	}{
		"below one":     {[]float64{0, 0.5}, []Bucket{{0, 1, 2}}},
		"on the steps":  {[]float64{1, 2, 5, 10}, []Bucket{{1, 2, 1}, {2, 5, 1}, {5, 10, 1}, {10, 20, 1}}},
		"a gap":         {[]float64{150, 1500}, []Bucket{{100, 200, 1}, {200, 500, 0}, {500, 1000, 0}, {1000, 2000, 1}}},
		"zero and more": {[]float64{0, 3}, []Bucket{{0, 1, 1}, {1, 2, 0}, {2, 5, 1}}},
	} {
		if got := histogram(c.values); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	total := 0
	for _, b := range histogram([]float64{1, 99, 1e6, 1e12, 4e18}) {
		total += b.Count
	}
	if total != 5 {
		t.Errorf("%d of 5 values are in a bucket", total)
	}
}

// What each kind of document and image adds to which distribution.
func TestSampleCounts(t *testing.T) {
	s := newSample()
	s.add(numbered{1, "/samples/a"}, inspected(document.PDF,
		listed(document.Page, 2000, 3000, 60*time.Millisecond, 160e6),  // 6 MP: 10 ms and 10 bytes a pixel
		listed(document.Image, 100, 100, time.Millisecond, 170e6),      // too small for either
		listed(document.Page, 2000, 3000, 120*time.Millisecond, 170e6), // raised nothing: no memory of its own
	), 1000, "")
	huge := listed(document.Image, 1<<20, 1<<20, 0, 0)
	huge.Decoded, huge.Withheld = false, reason.ExtractPixels
	lies := huge
	lies.Withheld = reason.ExtractMalformed
	lies.Within, _ = lies.Within.Child(3)
	s.add(numbered{2, "/samples/b"}, inspected(document.TIFF, listed(document.Frame, 10, 10, 1, 1), huge, lies), 2000, "")
	packed := inspected(document.DOCX, listed(document.Image, 10, 10, 1, 1))
	packed.Entries, packed.UnpackedBytes, packed.Ratio = 12, 5000, 7
	s.add(numbered{5, "/samples/e"}, packed, 500, "")
	s.add(numbered{3, "/samples/c"}, inspected(document.Video), 1e9, reason.SniffVideo)
	s.add(numbered{4, "/samples/d"}, inspected(document.PDF), 3000, reason.ExtractEncrypted)
	for q, want := range map[quantity][]float64{
		bytesOf:     {500, 1000, 2000, 3000},
		pagesOf:     {2},
		framesOf:    {1},
		assetsOf:    {1, 3, 3},
		pixelsOf:    {100, 100, 10_000, 6e6, 6e6, 1 << 40},
		allPixelsOf: {100, 100, 12_010_000},
		depthOf:     {1, 1, 2},
		entriesOf:   {12},
		unpackedOf:  {5000},
		ratioOf:     {7},
		decodeOf:    {10, 20},
		memoryOf:    {10},
	} {
		got := slices.Sorted(slices.Values(s.values[q]))
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", q, got, want)
		}
	}
	if s.documents != 5 || s.opened != 3 {
		t.Errorf("%d documents, %d opened", s.documents, s.opened)
	}
}

// A report names documents by their number alone, unless names were asked for.
func TestNamesAreAskedFor(t *testing.T) {
	s := newSample()
	s.add(numbered{7, "/samples/ward/Jane Roe.pdf"}, cell.Inspection{}, 10, reason.ExtractEncrypted)
	for _, asked := range []bool{false, true} {
		cfg := testConfig()
		cfg.Names = asked
		r := s.report(cfg)
		var text, raw bytes.Buffer
		if err := r.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		if err := r.WriteJSON(&raw); err != nil {
			t.Fatal(err)
		}
		for what, out := range map[string]string{"text": text.String(), "json": raw.String()} {
			if strings.Contains(out, "Jane Roe") != asked {
				t.Errorf("%s, asked %v:\n%s", what, asked, out)
			}
		}
		if strings.Contains(string(r.Policy()), "Jane") {
			t.Error("the policy names a document")
		}
		if !asked && !strings.Contains(text.String(), "extract.encrypted (document 7)") {
			t.Errorf("no number:\n%s", text.String())
		}
	}
}

// The proposal holds what the sample holds, and no more than the memory bears.
func TestProposal(t *testing.T) {
	s := newSample()
	for i := range 300 {
		s.add(numbered{i + 1, ""}, inspected(document.PDF, listed(document.Page, 2000, 2500, 50*time.Millisecond, 200e6)), 1e6, "") // 20 bytes a pixel
	}
	s.add(numbered{301, ""}, inspected(document.PDF, listed(document.Page, 8000, 8000, time.Second, 1380e6)), 8e6, "") // 64 MP, 20 bytes a pixel
	r := s.report(testConfig())
	values := map[string]int64{}
	for _, l := range r.Proposal.Limits {
		values[l.Name] = l.Value
	}
	for name, want := range map[string]int64{
		"source_bytes": 12_000_000, "pages": 2, "assets": 2, "asset_pixels": 36_000_000, // (1 GiB − 350 MB) / 20, two digits
		"total_pixels": 96_000_000, "depth": 1, "seconds": 60,
	} {
		if values[name] != want {
			t.Errorf("%s: %d, want %d", name, values[name], want)
		}
	}
	if _, ok := values["frames"]; ok {
		t.Error("a limit of frames from a sample without any")
	}
	if text := strings.Join(r.Proposal.Notes, "\n"); !strings.Contains(text, "The largest image has 64M pixels") {
		t.Errorf("notes: %s", text)
	}
	more := testConfig()
	more.MemoryBytes = 4 * gib
	if got := s.report(more).Proposal.find("asset_pixels").Value; got != 96_000_000 {
		t.Errorf("asset_pixels with 4 GiB: %d, want half as much again as the largest", got)
	}
}

// Limits of containers come from what they hold, and those of time from what was read:
// without that, seconds are counted.
func TestProposalOfContainersAndTimes(t *testing.T) {
	s := newSample()
	packed := inspected(document.DOCX, slices.Repeat([]cell.Listed{listed(document.Image, 10, 10, 1, 1)}, 20)...)
	packed.Entries, packed.UnpackedBytes, packed.Ratio = 40, 3_000_000, 90
	s.add(numbered{1, ""}, packed, 1e6, "")
	value := func(name string) int64 {
		l := s.report(testConfig()).Proposal.find(name)
		if l == nil {
			return -1
		}
		return l.Value
	}
	for name, want := range map[string]int64{"entries": 80, "unpacked_bytes": 6_000_000, "ratio": 200, "asset_seconds": -1, "seconds": 20 * secondsEach} {
		if got := value(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	s.time(reading{passes: []time.Duration{20 * time.Second, 40 * time.Second}, all: 61 * time.Second})
	for name, want := range map[string]int64{"asset_seconds": 80, "seconds": 2 * 40 * 20} {
		if got := value(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	s.time(reading{}) // one that was not read
	dense := packed
	dense.Ratio = 300
	s.add(numbered{2, ""}, dense, 1e6, "")
	if got := value("ratio"); got != 600 {
		t.Errorf("ratio of a sample that packs 300 to 1: %d", got)
	}
	s.values[ratioOf] = []float64{90}
	if p, err := policy.Parse(s.report(testConfig()).Policy()); err != nil || p.Limits.AssetSeconds != 80 || p.Limits.Ratio != 200 {
		t.Errorf("%+v, %v", p.Limits, err)
	}
}

// What is read is spread over the sample, and no more than was asked for.
func TestReadIsSpread(t *testing.T) {
	for _, c := range []struct{ total, read, want int }{{10, 0, 0}, {10, 3, 3}, {10, 10, 10}, {3, 100, 3}, {471, 7, 7}} {
		s := survey{cfg: Config{Read: c.read}, total: c.total}
		n, last, gap := 0, 0, 0
		for i := range c.total {
			if s.reads(i + 1) {
				n, gap, last = n+1, max(gap, i+1-last), i+1
			}
		}
		if n != c.want || n > 0 && gap > c.total/n+1 {
			t.Errorf("%d of %d: %d, at most %d apart", c.read, c.total, n, gap)
		}
	}
}

// A stopwatch counts a pass for each image, and none for the stages of the whole.
func TestStopwatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &stopwatch{}
		w.Progress(document.StageExtract, 0)
		for i := range 2 {
			w.Progress(document.StageRead, i+1)
			time.Sleep(time.Duration(i+1) * time.Second)
		}
		w.lap()
		if want := []time.Duration{time.Second, 2 * time.Second}; !slices.Equal(w.passes, want) {
			t.Errorf("%v, want %v", w.passes, want)
		}
	})
}

// Whatever the sample, the policy that is proposed can be read, and says what it is for.
func TestProposedPolicyParses(t *testing.T) {
	extreme := listed(document.Page, math.MaxInt32, math.MaxInt32, time.Hour, 1<<60)
	withheld := extreme
	withheld.Decoded, withheld.Withheld = false, reason.ExtractPixels
	deep := listed(document.Frame, 1, 1, 0, 0)
	for range document.MaxDepth {
		deep.Within, _ = deep.Within.Child(1)
	}
	for name, images := range map[string][]cell.Listed{
		"nothing":  nil,
		"ordinary": {listed(document.Page, 1654, 2339, 30*time.Millisecond, 150e6)},
		"tiny":     {listed(document.Frame, 1, 1, 0, 0)},
		"extreme":  {extreme, extreme, withheld},
		"deep":     {deep},
		"many":     slices.Repeat([]cell.Listed{listed(document.Image, 10, 10, 0, 0)}, 100_000),
	} {
		for _, memory := range []int64{256 << 20, gib, 64 * gib} {
			s := newSample()
			s.add(numbered{1, ""}, inspected(document.PDF, images...), 123_456, "")
			cfg := testConfig()
			cfg.MemoryBytes = memory
			r := s.report(cfg)
			p, err := policy.Parse(r.Policy())
			if err != nil {
				t.Errorf("%s, %d bytes: %v\n%s", name, memory, err, r.Policy())
				continue
			}
			for _, l := range r.Proposal.Limits {
				if !strings.Contains(string(r.Policy()), l.Evidence) {
					t.Errorf("%s: the evidence of %s is missing", name, l.Name)
				}
			}
			if l := r.Proposal.find("asset_pixels"); l != nil && (p.Limits.AssetPixels != l.Value || l.Value > max(1, fitting(memory, wire.PixelBytes))) {
				t.Errorf("%s, %d bytes: %d pixels", name, memory, p.Limits.AssetPixels)
			}
		}
	}
}

func TestReportAsJSON(t *testing.T) {
	s := newSample()
	s.add(numbered{1, ""}, inspected(document.PDF, listed(document.Page, 10, 10, 0, 0)), 5, "")
	var raw bytes.Buffer
	if err := s.report(testConfig()).WriteJSON(&raw); err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(raw.Bytes(), &back); err != nil || back.Schema != Schema || len(back.Distributions) != len(quantities) {
		t.Errorf("%v, %+v", err, back)
	}
}

// Links are not followed, and the order is that of names.
func TestWalk(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b/2", "a/1", "c"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "a", "link")); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := walk(t.Context(), dir, func(path string) error {
		rel, _ := filepath.Rel(dir, path)
		got = append(got, rel)
		return nil
	})
	if want := []string{"a/1", "b/2", "c"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if err := walk(t.Context(), filepath.Join(dir, "c"), nil); reason.Of(err) != reason.UsageWrong {
		t.Errorf("a file: %v", err)
	}
	if _, err := Run(t.Context(), Config{Dir: t.TempDir()}); reason.Of(err) != reason.UsageWrong {
		t.Errorf("an empty directory: %v", err)
	}
}
