// Command read measures what reading a page costs blotter, by kind of document, and
// tesseract on the same pages in the same run. `make bench-read` runs it.
//
// Both compute on one thread and are counted in processor time (user and system), which
// other work on the machine disturbs little; ratios travel, seconds do not. blotter is
// measured by `blotter eval`, one document in a cell at a time; a stage's processor time is
// the cell's, shared out by the stages' times on the clock. tesseract runs with --psm 3 and
// writes plain text: it neither finds nor redacts, and stands here as the usual reader.
// Loading is in tesseract's time and not in blotter's, whose cells start ahead.
//
// A PDF that has text of its own is measured twice: as it is, and as a scan of itself at
// 300 dpi (by pdftoppm).
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"blotter/bench/section"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench-read:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("bench-read", flag.ContinueOnError)
	binary := flags.String("binary", "../bin/blotter", "blotter to measure")
	dir := flags.String("documents", "", "directory with documents that have truth files beside them")
	each := flags.Int("each", 2, "documents of each kind")
	report := flags.String("report", "", "Markdown file whose section between the bench-read marks is replaced")
	if err := flags.Parse(args); err != nil {
		return err
	}
	for _, tool := range []string{"tesseract", "pdftoppm", "pdftotext"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%s is needed (Debian: apt-get install tesseract-ocr poppler-utils)", tool)
		}
	}
	scratch, err := os.MkdirTemp("", "blotter-bench-read-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	documents, err := sample(*dir, *each)
	if err != nil {
		return err
	}
	m := meter{binary: *binary, scratch: scratch}
	for _, d := range documents {
		if err := m.measure(d); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(d.path), err)
		}
		fmt.Fprintln(os.Stderr, filepath.Base(d.path))
	}
	text := m.markdown(len(documents))
	fmt.Print(text)
	if *report == "" {
		return nil
	}
	return section.Replace(*report, "bench-read", text)
}

const suffix = ".truth.json"

// annotated is a document and its truth, of which only the outer form is of interest.
type annotated struct {
	path  string
	kind  string
	truth map[string]any
}

// sample takes the first documents of each kind by name.
func sample(dir string, each int) ([]annotated, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if err != nil {
		return nil, err
	}
	taken := map[string]int{}
	var out []annotated
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		a := annotated{path: strings.TrimSuffix(file, suffix)}
		if err := json.Unmarshal(body, &a.truth); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		a.kind, _ = a.truth["kind"].(string)
		if taken[a.kind]++; taken[a.kind] <= each {
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no document with a truth file in %q", dir)
	}
	return out, nil
}

// meter sums up by kind.
type meter struct {
	binary, scratch string
	scans           map[string]*sum // by kind: raster files, and PDFs as scans of themselves
	born            map[string]*sum // by kind: PDFs with text of their own, as they are
}

// sum is what pages of a kind took, in seconds of processor time and bytes.
type sum struct {
	pages               int
	read, whole, theirs float64
	peak, theirPeak     int64
}

func (m *meter) measure(d annotated) error {
	if strings.EqualFold(filepath.Ext(d.path), ".pdf") {
		return m.measurePDF(d)
	}
	ours, err := m.blotter(d.path, d.truth)
	if err != nil {
		return err
	}
	theirs, err := tesseract(d.path)
	if err != nil {
		return err
	}
	m.scans = put(m.scans, d.kind, ours, theirs)
	return nil
}

// measurePDF measures a PDF as it is and, where it has text of its own, its pages as scans.
// One that holds scans is a scan.
func (m *meter) measurePDF(d annotated) error {
	ours, err := m.blotter(d.path, d.truth)
	if err != nil {
		return err
	}
	pages, err := m.rendered(d.path)
	if err != nil {
		return err
	}
	digital, err := hasText(d.path)
	if err != nil {
		return err
	}
	if digital {
		m.born = put(m.born, d.kind, ours, reading{})
	}
	for i, page := range pages {
		theirs, err := tesseract(page)
		if err != nil {
			return err
		}
		if digital {
			if ours, err = m.blotter(page, truthOfPage(d.truth, i+1)); err != nil {
				return err
			}
		}
		m.scans = put(m.scans, d.kind, ours, theirs)
		if !digital {
			ours = reading{peak: ours.peak} // all its pages were counted with the first
		}
	}
	return nil
}

func put(to map[string]*sum, kind string, ours, theirs reading) map[string]*sum {
	if to == nil {
		to = map[string]*sum{}
	}
	if to[kind] == nil {
		to[kind] = &sum{}
	}
	s := to[kind]
	s.pages += ours.pages
	s.read, s.whole, s.theirs = s.read+ours.read, s.whole+ours.whole, s.theirs+theirs.whole
	s.peak, s.theirPeak = max(s.peak, ours.peak), max(s.theirPeak, theirs.peak)
	return to
}

// truthOfPage is the truth of a page for a raster file that shows it.
func truthOfPage(truth map[string]any, page int) map[string]any {
	out := maps.Clone(truth)
	pictures, _ := truth["pictures"].([]any)
	for _, p := range pictures {
		if p, ok := p.(map[string]any); ok && p["page"] == float64(page) {
			p = maps.Clone(p)
			delete(p, "page")
			p["frame"] = 1
			out["pictures"] = []any{p}
		}
	}
	return out
}

func (m *meter) markdown(documents int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured by `make bench-read` on %s; %s. %d documents; one thread each; processor seconds a page.\n\n",
		section.Machine(), version("tesseract", "--version"), documents)
	b.WriteString("| kind | pages | blotter reads | tesseract reads | ratio | blotter in all | ratio | peak of the cell | of tesseract |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	var all sum
	for _, kind := range slices.Sorted(maps.Keys(m.scans)) {
		s := *m.scans[kind]
		b.WriteString(s.row(kind))
		all.pages += s.pages
		all.read, all.whole, all.theirs = all.read+s.read, all.whole+s.whole, all.theirs+s.theirs
		all.peak, all.theirPeak = max(all.peak, s.peak), max(all.theirPeak, s.theirPeak)
	}
	b.WriteString(all.row("**all**"))
	if len(m.born) > 0 {
		b.WriteString("\nPages that hold their text, as they are and as scans of themselves at 300 dpi:\n\n" +
			"| kind | pages | reads text | reads scan | ratio | in all, text | in all, scan | ratio |\n|---|--:|--:|--:|--:|--:|--:|--:|\n")
		for _, kind := range slices.SortedFunc(maps.Keys(m.born), cmp.Compare[string]) {
			text, scan := m.born[kind], m.scans[kind]
			fmt.Fprintf(&b, "| %s | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", kind, text.pages, text.a(text.read), scan.a(scan.read),
				text.a(text.read)/scan.a(scan.read), text.a(text.whole), scan.a(scan.whole), text.a(text.whole)/scan.a(scan.whole))
		}
	}
	return b.String()
}

// a is how much of something a page took.
func (s *sum) a(seconds float64) float64 { return seconds / float64(max(s.pages, 1)) }

func (s *sum) row(kind string) string {
	return fmt.Sprintf("| %s | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %d MB | %d MB |\n", kind, s.pages, s.a(s.read), s.a(s.theirs),
		s.read/s.theirs, s.a(s.whole), s.whole/s.theirs, s.peak/1e6, s.theirPeak/1e6)
}

func version(command ...string) string {
	said, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	if err != nil {
		return command[0]
	}
	first, _, _ := strings.Cut(string(said), "\n")
	return first
}
