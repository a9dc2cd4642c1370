package inside

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blotter/internal/cell/engine"
	"blotter/internal/cell/inside/detect"
	"blotter/internal/cell/inside/extract"
	"blotter/internal/cell/inside/read"
	"blotter/internal/cell/inside/sniff"
	"blotter/internal/cell/inside/words"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	policies "blotter/internal/policy"
	"blotter/internal/truth"
)

// What the layers of finding give over the words of a reader, and what a plain reader
// with the same layers reaches. Nothing runs unless it is asked to:
//
//	BLOTTER_ANNOTATED=DIR go test -tags nodynamic -v -timeout 2h -run TestMeasureLayers ./internal/cell/inside
//
// DIR holds documents with truth beside them, as for blotter eval. BLOTTER_READERS says
// who reads, with commas between (all three): blotter; tesseract, which runs with
// --psm 3; truth, a reader that makes no mistake. BLOTTER_SAMPLE takes every n-th document.
//
// Each document is read once by each reader; then the layers look, all and with each
// left out in turn, and boxes with 2 pixels of padding are judged as blotter eval judges.
// There is no second look, nothing is carried between pages and images, and no page is
// withheld: what the whole product does is for blotter eval to say.
func TestMeasureLayers(t *testing.T) {
	dir := os.Getenv("BLOTTER_ANNOTATED")
	if dir == "" {
		t.Skip("BLOTTER_ANNOTATED names no directory")
	}
	readers := "blotter,tesseract,truth"
	if asked := os.Getenv("BLOTTER_READERS"); asked != "" {
		readers = asked
	}
	documents := annotatedIn(t, dir)
	decoders, err := loadDecoders()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Split(readers, ",") {
		r, err := readerCalled(name)
		if err != nil {
			t.Fatal(err)
		}
		var read []readDocument
		for _, d := range documents {
			one, err := readAll(t.Context(), decoders, d, r)
			if err != nil {
				t.Errorf("%s: %v", filepath.Base(d.path), err)
				continue
			}
			read = append(read, one)
		}
		t.Logf("%d documents read by %s\n%s", len(read), name, ablation(read))
	}
}

// findingLayers are those that look at words, in the order in which they build on each other.
var findingLayers = []document.Source{
	document.ByPattern, document.ByLabel, document.ByName, document.ByPlace, document.ByPropagation, document.ByDefault,
}

// ablation is the table of what all layers reach, all but one, and the first n.
func ablation(documents []readDocument) string {
	all := detect.New()
	var b strings.Builder
	row := func(title string, f *detect.Finder) {
		v := judgeAll(documents, f)
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", title, percentOf(v.Destroyed, v.Secret), percentOf(v.WordsDestroyed, v.Words), percentOf(v.Lost, v.Kept))
	}
	b.WriteString("| layers | values destroyed | words destroyed | other words lost |\n|---|--:|--:|--:|\n")
	row("all", all)
	for _, s := range findingLayers {
		row("all but "+s.String(), all.Without(s))
	}
	for i := range findingLayers {
		row("up to "+findingLayers[i].String(), all.Without(findingLayers[i+1:]...))
	}
	return b.String()
}

func percentOf(n, of int) string {
	return fmt.Sprintf("%.1f %% (%d of %d)", 100*float64(n)/float64(max(of, 1)), n, of)
}

// judgeAll lets a finder look through the documents and sums up the verdicts.
func judgeAll(documents []readDocument, f *detect.Finder) truth.Verdict {
	p := policies.Default()
	p.PaddingPX = 2
	by := &pipeline{task: wire.Task{Rules: p.Rules}}
	var sum truth.Verdict
	for _, d := range documents {
		found := f.Find(d.pages, words.Subject{})
		for i, page := range d.pages {
			v := d.pictures[i].Judge(blackened(d.sizes[i], by.judge(page, found.Findings[i])))
			sum.Secret, sum.Destroyed = sum.Secret+v.Secret, sum.Destroyed+v.Destroyed
			sum.Words, sum.WordsDestroyed = sum.Words+v.Words, sum.WordsDestroyed+v.WordsDestroyed
			sum.Kept, sum.Lost = sum.Kept+v.Kept, sum.Lost+v.Lost
		}
	}
	return sum
}

// blackened is a picture that is black under the boxes of findings.
func blackened(size image.Point, fs []document.Finding) truth.Redacted {
	allBlack := &image.Uniform{C: color.Black}
	r := truth.Redacted{Image: oneColour{allBlack, image.Rectangle{Max: size}}, Boxes: []document.Box{}}
	for _, f := range fs {
		r.Boxes = append(r.Boxes, f.Box)
	}
	return r
}

// oneColour is a picture of one colour that has bounds.
type oneColour struct {
	*image.Uniform
	bounds image.Rectangle
}

func (s oneColour) Bounds() image.Rectangle { return s.bounds }

// annotated is a document and what is known of it.
type annotated struct {
	path  string
	truth truth.Document
}

func annotatedIn(t *testing.T, dir string) []annotated {
	t.Helper()
	every := 1
	if s := os.Getenv("BLOTTER_SAMPLE"); s != "" {
		var err error
		if every, err = strconv.Atoi(s); err != nil || every < 1 {
			t.Fatalf("BLOTTER_SAMPLE is no number of at least 1: %q", s)
		}
	}
	var out []annotated
	paths, err := filepath.Glob(filepath.Join(dir, "*"+truth.Suffix))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(paths); i += every {
		body, err := os.ReadFile(paths[i])
		if err != nil {
			t.Fatal(err)
		}
		d, err := truth.Parse(body)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, annotated{strings.TrimSuffix(paths[i], truth.Suffix), d})
	}
	return out
}

// readDocument holds the pages of a document that its truth speaks of, as a reader read
// them.
type readDocument struct {
	pages    []*words.Page
	pictures []truth.Picture
	sizes    []image.Point // of the assets
}

// readerOf reads an asset; p is what it shows.
type readerOf func(ctx context.Context, img image.Image, layer []words.Word, p truth.Picture) (words.Page, error)

func readerCalled(name string) (readerOf, error) {
	switch name {
	case "blotter":
		r, err := loadReader()
		return func(ctx context.Context, img image.Image, layer []words.Word, _ truth.Picture) (words.Page, error) {
			return r.Read(ctx, img, layer)
		}, err
	case "tesseract":
		return readByTesseract, nil
	case "truth":
		return readByTruth, nil
	}
	return nil, fmt.Errorf("no reader is called %q", name)
}

func engineFiles() (engine.Set, error) {
	dir, err := engine.Dir()
	if err != nil {
		return engine.Set{}, err
	}
	return engine.Open(dir)
}

func loadDecoders() (extract.Engines, error) {
	set, err := engineFiles()
	if err != nil {
		return extract.Engines{}, err
	}
	return extract.LoadEngines(set.Cache)
}

func loadReader() (*read.Reader, error) {
	set, err := engineFiles()
	if err != nil {
		return nil, err
	}
	m := read.Models{Library: set.Library.Path, Threads: 2}
	for path, into := range map[string]*[]byte{
		set.Detection.Path: &m.Detection, set.Recognition.Path: &m.Recognition,
		set.Angle.Path: &m.Angle, set.Dictionary.Path: &m.Dictionary,
	} {
		if *into, err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	return read.Load(m)
}

// readAll reads the assets of a document that its truth speaks of, pages before the images
// on them: an image that fills its page would be read twice.
func readAll(ctx context.Context, decoders extract.Engines, d annotated, r readerOf) (readDocument, error) {
	var out readDocument
	f, err := os.Open(d.path)
	if err != nil {
		return out, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return out, err
	}
	format, err := sniff.Sniff(f, st.Size())
	if err != nil {
		return out, err
	}
	src, err := extract.Open(ctx, f, st.Size(), format, policies.Default().Limits, decoders, nil)
	if err != nil {
		return out, err
	}
	for i, it := range src.Assets() {
		p, ok := pictureOf(d.truth, it.Asset)
		if !ok || it.Withheld != "" {
			continue
		}
		page, size, err := readAsset(ctx, src, i, p, r)
		if err != nil {
			return out, err
		}
		out.pages, out.pictures, out.sizes = append(out.pages, &page), append(out.pictures, p), append(out.sizes, size)
	}
	if len(out.pages) == 0 {
		return out, errors.New("no asset shows what the truth speaks of")
	}
	return out, nil
}

func readAsset(ctx context.Context, src extract.Source, i int, p truth.Picture, r readerOf) (words.Page, image.Point, error) {
	img, err := src.Load(i)
	if err != nil {
		return words.Page{}, image.Point{}, err
	}
	layer, err := src.Layer(i)
	if err != nil {
		return words.Page{}, image.Point{}, err
	}
	page, err := r(ctx, img, layer, p)
	return page, img.Bounds().Size(), err
}

// pictureOf finds the picture that an asset shows by itself; a picture that a page holds
// is left to the page.
func pictureOf(d truth.Document, a document.Asset) (truth.Picture, bool) {
	i := slices.IndexFunc(d.Pictures, func(p truth.Picture) bool {
		return p.Page == a.Page && p.Frame == a.Frame || len(d.Pictures) == 1 && p.Page == 0 && p.Frame == 0
	})
	if i < 0 || a.Kind == document.Image && a.Page > 0 {
		return truth.Picture{}, false
	}
	return d.Pictures[i], true
}

// readByTesseract is the plain reader: no text layer, no turning, no unread places.
func readByTesseract(ctx context.Context, img image.Image, _ []words.Word, _ truth.Picture) (words.Page, error) {
	var in, out bytes.Buffer
	if err := png.Encode(&in, img); err != nil {
		return words.Page{}, err
	}
	cmd := exec.CommandContext(ctx, "tesseract", "-", "-", "--psm", "3", "-l", "eng", "tsv")
	cmd.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1")
	cmd.Stdin, cmd.Stdout = &in, &out
	if err := cmd.Run(); err != nil {
		return words.Page{}, fmt.Errorf("tesseract: %w", err)
	}
	return pageOfTSV(out.String(), img.Bounds().Size())
}

// pageOfTSV takes the words out of tesseract's table: level, page, block, paragraph, line,
// word, left, top, width, height, confidence, text. Level 5 is a word.
func pageOfTSV(table string, size image.Point) (words.Page, error) {
	p := words.Page{Width: size.X, Height: size.Y}
	line, last := -1, ""
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.TrimRight(row, "\n"), "\t")
		if len(cells) != 12 || cells[0] != "5" || strings.TrimSpace(cells[11]) == "" {
			continue
		}
		var at [4]int
		for i := range at {
			n, err := strconv.Atoi(cells[6+i])
			if err != nil {
				return words.Page{}, fmt.Errorf("tesseract's table: %w", err)
			}
			at[i] = n
		}
		sure, err := strconv.ParseFloat(cells[10], 64)
		if err != nil {
			return words.Page{}, fmt.Errorf("tesseract's table: %w", err)
		}
		if place := strings.Join(cells[1:5], "."); place != last {
			line, last = line+1, place
		}
		p.Words = append(p.Words, words.Word{Text: cells[11], Box: document.Box{X: at[0], Y: at[1], W: at[2], H: at[3]}, Line: line, Confidence: sure / 100})
	}
	return p, nil
}

// readByTruth reads what the truth says, in its order. A word goes on with the line of the
// one before where it begins soon to the right of its end, along whatever slope.
func readByTruth(_ context.Context, img image.Image, _ []words.Word, t truth.Picture) (words.Page, error) {
	size := img.Bounds().Size()
	p := words.Page{Width: size.X, Height: size.Y}
	line := 0
	known := t.In(size.X, size.Y)
	for i, w := range known {
		if i > 0 && !goesOn(known[i-1].Quad, w.Quad) {
			line++
		}
		p.Words = append(p.Words, words.Word{Text: w.Text, Box: w.Box(), Line: line, Confidence: 1})
	}
	return p, nil
}

// goesOn reports whether a word's left side stands at the right side of another: at most
// three heights away, and half a height up or down.
func goesOn(before, after [4]truth.Point) bool {
	height := math.Hypot(before[3].X-before[0].X, before[3].Y-before[0].Y)
	dx := (after[0].X+after[3].X)/2 - (before[1].X+before[2].X)/2
	dy := (after[0].Y+after[3].Y)/2 - (before[1].Y+before[2].Y)/2
	return -height/2 < dx && dx < 3*height && math.Abs(dy) < height/2
}

func TestPageOfTSV(t *testing.T) {
	const table = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n" +
		"4\t1\t1\t1\t1\t0\t10\t20\t90\t12\t-1\t\n" +
		"5\t1\t1\t1\t1\t1\t10\t20\t40\t12\t96.5\tPatient:\n" +
		"5\t1\t1\t1\t1\t2\t60\t20\t40\t12\t90\tOkonkwo\n" +
		"5\t1\t1\t1\t2\t1\t10\t40\t40\t12\t50\t \n" +
		"5\t1\t2\t1\t1\t1\t10\t60\t30\t12\t80\tMRN\n"
	p, err := pageOfTSV(table, image.Pt(200, 100))
	if err != nil {
		t.Fatal(err)
	}
	want := []words.Word{
		{Text: "Patient:", Box: document.Box{X: 10, Y: 20, W: 40, H: 12}, Confidence: 0.965},
		{Text: "Okonkwo", Box: document.Box{X: 60, Y: 20, W: 40, H: 12}, Confidence: 0.9},
		{Text: "MRN", Box: document.Box{X: 10, Y: 60, W: 30, H: 12}, Line: 1, Confidence: 0.8},
	}
	if !slices.Equal(p.Words, want) || p.Width != 200 || p.Height != 100 {
		t.Errorf("got %+v", p)
	}
}
