package extract

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"blotter/internal/cell/inside/sniff"
	"blotter/internal/document"
	"blotter/internal/reason"
)

var engines Engines

func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "blotter-test-wazero")
}

func TestMain(m *testing.M) {
	var err error
	if engines, err = LoadEngines(cacheDir()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := engines.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// A cell sees the warm cache read-only and through a descriptor. Nothing may be
// written there, and nothing compiled: that would take seconds and pages of code.
func TestWarmCacheIsEnough(t *testing.T) {
	dir, err := os.Open(cacheDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	before := listing(t)
	e, err := LoadEngines(fmt.Sprintf("/proc/self/fd/%d", dir.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if after := listing(t); after != before {
		t.Errorf("the cache changed from\n%s\nto\n%s", before, after)
	}
}

// listing is every file below the cache with size and time.
func listing(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	err := filepath.Walk(cacheDir(), func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			fmt.Fprintln(&out, path, info.Size(), info.ModTime())
		}
		return err
	})
	if err != nil || out.Len() == 0 {
		t.Fatalf("cold cache: %v", err)
	}
	return out.String()
}

func TestLoadEnginesWithoutACache(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadEngines(file); reason.Of(err) != reason.CellEngines {
		t.Errorf("a file for a cache gave %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		f    document.Format
		e    Engines
		want reason.Code
	}{
		{document.JPEGXL, engines, reason.SniffUnsupported},
		{document.GIF, engines, reason.ExtractTruncated},
		{document.PDF, Engines{}, reason.CellEngines},
		{document.PDF, engines, reason.ExtractMalformed},
		{document.PNG, engines, reason.ExtractTruncated},
		{document.DOCX, engines, reason.ExtractMalformed},
	} {
		src, err := Open(context.Background(), strings.NewReader("x"), 1, c.f, document.Limits{Pages: 1, Entries: 1}, c.e, nil)
		if reason.Of(err) != c.want || src != nil {
			t.Errorf("%v: %v, %v; want %q", c.f, src, err, c.want)
		}
	}
}

var corpusLimits = document.Limits{SourceBytes: 25 << 20, Assets: 2000, Pages: 200, Frames: 500, AssetPixels: 40e6,
	TotalPixels: 2e9, Entries: 10_000, UnpackedBytes: 256 << 20, Ratio: 200, Filters: 5, PageObjects: 500_000, TotalObjects: 2_000_000, DrawnPixels: 8e9, PageDPI: 72}

var (
	rasterFacts = regexp.MustCompile(`^(?:PNG|JPEG|TIFF) (\d+)x(\d+)`)
	framesFact  = regexp.MustCompile(`frames(?: read)? (\d+)`)
	pagesFact   = regexp.MustCompile(`^pages (\d+)`)
	imagesFact  = regexp.MustCompile(` 0 inline\).*types image:\d+;.*largest (\d+)x(\d+)`)
	mediaFact   = regexp.MustCompile(`media (\d+)`)
	blipsFact   = regexp.MustCompile(`pictures ([A-Z:0-9+-]+)`)
)

// Real files: every one that sniffs as openable is opened and, short of the slow run,
// loaded; sizes and counts must be those that other programs reported.
func TestCorpus(t *testing.T) {
	root := os.Getenv("BLOTTER_CORPUS")
	if root == "" {
		t.Skip("BLOTTER_CORPUS names no directory")
	}
	manifest, err := os.ReadFile(filepath.Join(root, "manifest.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, line := range strings.Split(string(manifest), "\n")[1:] {
		f := strings.Split(line, "\t")
		if len(f) < 5 {
			continue
		}
		b, err := os.ReadFile(filepath.Join(root, f[0]))
		if err != nil {
			continue
		}
		format, err := sniff.Sniff(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			continue
		}
		seen++
		if len(f) > 5 && f[5] == "fuzzed" { // what readers make of it differs
			f[4] = ""
		}
		t.Run(f[0], func(t *testing.T) { checkFile(t, b, format, f[4]) })
	}
	if seen < 100 {
		t.Errorf("only %d files were opened", seen)
	}
}

func checkFile(t *testing.T, b []byte, format document.Format, facts string) {
	tell := Tell(nil)
	if format.IsCompound() { // it holds its pictures like documents
		tell = sniff.Sniff
	}
	src, err := Open(context.Background(), bytes.NewReader(b), int64(len(b)), format, corpusLimits, engines, tell)
	if err != nil {
		if reason.Of(err) == reason.Internal {
			t.Fatal(err)
		}
		if pagesFact.MatchString(facts) {
			t.Errorf("others opened it: %v", err)
		}
		return
	}
	defer src.Close()
	checkFacts(t, src.Assets(), format, facts)
	for i, it := range src.Assets() {
		if it.Withheld != "" || testing.Short() && i > 3 || int64(it.Width)*int64(it.Height) > 6e6 || i > 20 {
			continue
		}
		img, err := src.Load(i)
		if err != nil {
			if reason.Of(err) == reason.Internal {
				t.Errorf("asset %d: %v", i, err)
			}
			continue
		}
		if img.Bounds().Dx() != it.Width || img.Bounds().Dy() != it.Height {
			t.Errorf("asset %d: promised %d×%d, loaded %v", i, it.Width, it.Height, img.Bounds())
		}
		if _, err := src.Layer(i); err != nil {
			t.Errorf("asset %d: layer: %v", i, err)
		}
	}
}

// checkFacts compares with the manifest. Its sizes of rasters are those stored, before
// orientation; its list of PDF images is only comparable where none is a mask
// and none inline, whose doubled keys readers choose from differently.
func checkFacts(t *testing.T, items []Item, format document.Format, facts string) {
	count := map[document.AssetKind]int{}
	sizes := map[string]bool{}
	for _, it := range items {
		count[it.Kind]++
		sizes[fmt.Sprint(it.Width, it.Height)] = true
		sizes[fmt.Sprint(it.Height, it.Width)] = true
	}
	want := func(re *regexp.Regexp) (string, string, bool) {
		m := re.FindStringSubmatch(facts)
		if m == nil {
			return "", "", false
		}
		return m[1], m[len(m)-1], true
	}
	switch format {
	case document.PDF:
		if n, _, ok := want(pagesFact); ok && n != strconv.Itoa(count[document.Page]) {
			t.Errorf("%d pages; %s", count[document.Page], facts)
		}
		if w, h, ok := want(imagesFact); ok && !sizes[w+" "+h] {
			t.Errorf("no image of %s×%s among %v; %s", w, h, sizes, facts)
		}
	case document.DOC, document.XLS, document.PPT:
		if total := blips(facts); total > count[document.Image] {
			t.Errorf("%d pictures; %s", count[document.Image], facts)
		}
	case document.DOCX, document.PPTX, document.XLSX:
		if n, _, ok := want(mediaFact); ok && n != "0" && n != strconv.Itoa(count[document.Image]) {
			t.Logf("%d pictures; %s", count[document.Image], facts)
		}
	default:
		if w, h, ok := want(rasterFacts); ok && !sizes[w+" "+h] {
			t.Errorf("no frame of %s×%s among %v", w, h, sizes)
		}
		frames := count[document.Frame]
		if last := items[len(items)-1]; format == document.GIF && last.Withheld != "" {
			frames-- // the rest of a damaged file, which others drop in silence
		}
		n, _, _ := want(framesFact)
		told, _ := strconv.Atoi(n)
		switch {
		case told > frames:
			t.Errorf("%d frames; %s", count[document.Frame], facts)
		case told > 0 && told < frames && format != document.PNG && format != document.TIFF: // others pass over animations, and over directories below directories
			t.Errorf("%d frames; %s", count[document.Frame], facts)
		}
	}
}

// blips adds up a list such as "EMF:1+PNG:2".
func blips(facts string) (total int) {
	m := blipsFact.FindStringSubmatch(facts)
	if m == nil {
		return 0
	}
	for _, kind := range strings.Split(m[1], "+") {
		n, _ := strconv.Atoi(kind[strings.LastIndexByte(kind, ':')+1:])
		total += n
	}
	return total
}
