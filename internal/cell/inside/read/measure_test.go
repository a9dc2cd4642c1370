package read

import (
	"encoding/csv"
	"encoding/json"
	"image"
	"image/draw"
	_ "image/jpeg"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
)

// What reading costs and finds on real pages. Nothing here runs unless it is asked to:
//
//	BLOTTER_FUNSD=DIR go test -tags nodynamic -v -run TestMeasure ./internal/cell/inside/read
//
// DIR holds FUNSD's images/*.png and annotations/*.json; BLOTTER_SROIE likewise names a
// folder with img/*.jpg and box/*.csv, BLOTTER_PAGES one with page images alone.
// BLOTTER_SAMPLE is how many pages are drawn (50). Tesseract reads each page beside us
// where it is installed; both are counted in CPU seconds.

// tally sums up pages.
type tally struct {
	pages, words, covered, exact, loose, unread int
	ours, theirs                                time.Duration
	peak                                        int // resident MiB of this process, the page's pixels and what the test keeps included
}

func TestMeasureFUNSD(t *testing.T) {
	measure(t, "BLOTTER_FUNSD", "images/*.png", func(t *testing.T, path string) []printed {
		name := strings.TrimSuffix(filepath.Base(path), ".png")
		return funsd(t, filepath.Join(filepath.Dir(filepath.Dir(path)), "annotations", name+".json"))
	})
}

func TestMeasureSROIE(t *testing.T) {
	measure(t, "BLOTTER_SROIE", "img/*.jpg", func(t *testing.T, path string) []printed {
		name := strings.TrimSuffix(filepath.Base(path), ".jpg")
		return sroie(t, filepath.Join(filepath.Dir(filepath.Dir(path)), "box", name+".csv"))
	})
}

func TestMeasurePages(t *testing.T) {
	measure(t, "BLOTTER_PAGES", "*.png", func(*testing.T, string) []printed { return nil })
}

func measure(t *testing.T, variable, pattern string, truth func(*testing.T, string) []printed) {
	dir := os.Getenv(variable)
	if dir == "" {
		t.Skip(variable + " names no folder")
	}
	paths, _ := filepath.Glob(filepath.Join(dir, pattern))
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	n := 50
	if s := os.Getenv("BLOTTER_SAMPLE"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	reader(t)
	var all tally
	for _, path := range paths[:min(n, len(paths))] {
		one := measurePage(t, path, truth(t, path))
		t.Logf("%s: %s", filepath.Base(path), one)
		all = all.plus(one)
	}
	t.Logf("all: %s", all)
}

func measurePage(t *testing.T, path string, want []printed) tally {
	img := pageFile(t, path)
	resetPeak()
	began := ownCPU()
	p := mustRead(t, img, nil)
	out := tally{pages: 1, peak: peakMiB(), ours: ownCPU() - began, unread: len(p.Unread), theirs: tesseractCPU(path)}
	for _, w := range want {
		out.words++
		if coverOf(w.box, seenBoxes(p)) >= 0.8 {
			out.covered++
		}
		if wordAt(p, w, strings.EqualFold) {
			out.exact++
		}
		if wordAt(p, w, func(a, b string) bool { return strings.Contains(plain(a), plain(b)) }) {
			out.loose++
		}
	}
	return out
}

func (t tally) plus(o tally) tally {
	return tally{t.pages + o.pages, t.words + o.words, t.covered + o.covered, t.exact + o.exact, t.loose + o.loose,
		t.unread + o.unread, t.ours + o.ours, t.theirs + o.theirs, max(t.peak, o.peak)}
}

func (t tally) String() string {
	percent := func(n int) string { return strconv.FormatFloat(100*float64(n)/float64(max(1, t.words)), 'f', 2, 64) }
	return strings.Join([]string{
		strconv.Itoa(t.words), "words, covered", percent(t.covered), "exact", percent(t.exact), "within", percent(t.loose),
		"unread boxes", strconv.Itoa(t.unread), "CPU", t.ours.Round(time.Millisecond).String(),
		"tesseract", t.theirs.Round(time.Millisecond).String(),
		"peak MiB", strconv.Itoa(t.peak), "ratio", strconv.FormatFloat(float64(t.ours)/float64(max(1, t.theirs)), 'f', 2, 64),
	}, " ")
}

// plain keeps letters and digits, small.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

func wordAt(p words.Page, w printed, same func(a, b string) bool) bool {
	return slices.ContainsFunc(p.Words, func(x words.Word) bool {
		return same(x.Text, w.text) && !x.Box.Intersect(w.box).Empty()
	})
}

func seenBoxes(p words.Page) []document.Box { return append(boxesOf(p.Words), p.Unread...) }

// coverOf is how much of a box lies under others, 0–1.
func coverOf(b document.Box, under []document.Box) float64 {
	n := 0
	for y := b.Y; y < b.Y+b.H; y++ {
		for x := b.X; x < b.X+b.W; x++ {
			at := image.Pt(x, y)
			if slices.ContainsFunc(under, func(o document.Box) bool { return at.In(o.Rect()) }) {
				n++
			}
		}
	}
	return float64(n) / float64(max(1, b.Area()))
}

func pageFile(t *testing.T, path string) image.Image {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, _, err := image.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if _, gray := m.(*image.Gray); gray {
		out := image.NewGray(image.Rect(0, 0, m.Bounds().Dx(), m.Bounds().Dy()))
		draw.Draw(out, out.Rect, m, m.Bounds().Min, draw.Src)
		return out
	}
	out := image.NewNRGBA(image.Rect(0, 0, m.Bounds().Dx(), m.Bounds().Dy()))
	draw.Draw(out, out.Rect, m, m.Bounds().Min, draw.Src)
	return out
}

func funsd(t *testing.T, path string) (out []printed) {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var page struct {
		Form []struct {
			Words []struct {
				Text string
				Box  [4]int
			}
		}
	}
	if err := json.Unmarshal(b, &page); err != nil {
		t.Fatal(err)
	}
	for _, f := range page.Form {
		for _, w := range f.Words {
			if plain(w.Text) != "" {
				out = append(out, printed{w.Text, document.BoxOf(image.Rect(w.Box[0], w.Box[1], w.Box[2], w.Box[3]))})
			}
		}
	}
	return out
}

// sroie marks lines: each word stands somewhere in its line's box.
func sroie(t *testing.T, path string) (out []printed) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		if len(l) < 9 {
			continue
		}
		at := func(i int) int { n, _ := strconv.Atoi(l[i]); return n }
		box := document.BoxOf(image.Rect(at(0), at(1), at(4), at(5)))
		for _, w := range strings.Fields(strings.Join(l[8:], ",")) {
			if plain(w) != "" {
				out = append(out, printed{w, box})
			}
		}
	}
	return out
}

// ownCPU is the time that this process has spent, in user and system mode.
func ownCPU() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// resetPeak makes the kernel forget how large this process has been.
func resetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// peakMiB is the most that was resident since.
func peakMiB() int {
	b, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	kib, _ := strconv.Atoi(strings.Fields(rest + " 0")[0])
	return kib / 1024
}

// tesseractCPU is what tesseract spends on the page, one thread, page segmentation 3.
func tesseractCPU(path string) time.Duration {
	c := exec.Command("tesseract", path, "-", "--psm", "3")
	c.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1")
	if c.Run() != nil {
		return 0
	}
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime()
}

// TestWritePages writes generated A4 pages at 300 dpi to BLOTTER_WRITE.
func TestWritePages(t *testing.T) {
	dir := os.Getenv("BLOTTER_WRITE")
	if dir == "" {
		t.Skip("BLOTTER_WRITE names no folder")
	}
	for name, s := range map[string]*sheet{"letter": a4(t, 300, letterLines), "dense": dense(t, 9), "small": dense(t, 7)} {
		f, err := os.Create(filepath.Join(dir, name+".png"))
		if err != nil {
			t.Fatal(err)
		}
		if err := png.Encode(f, s.Gray); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
}

// dense fills an A4 page at 300 dpi with the letter, over and over, in a size of points.
func dense(t testing.TB, points float64) *sheet {
	s := newSheet(2481, 3507, 255, 0)
	lines := strings.Split(letter, "\n")
	size := points * 300 / 72
	for i, y := 0, 200; y < 3350; i, y = i+1, y+int(1.5*size) {
		s.print(t, lines[i%len(lines)], size, 150, y)
	}
	return s
}

// TestMeasureLayer compares a born-digital page with the same page scanned:
//
//	BLOTTER_LAYER=1 go test -tags nodynamic -v -run TestMeasureLayer ./internal/cell/inside/read
func TestMeasureLayer(t *testing.T) {
	if os.Getenv("BLOTTER_LAYER") == "" {
		t.Skip("BLOTTER_LAYER is not set")
	}
	s := dense(t, 9)
	reader(t)
	cost := func(layer []words.Word) time.Duration {
		began := ownCPU()
		mustRead(t, s.Gray, layer)
		return ownCPU() - began
	}
	with, without := cost(layerOf(s)), cost(nil)
	t.Logf("with its layer %v, scanned %v: %.3f", with, without, float64(with)/float64(without))
}
