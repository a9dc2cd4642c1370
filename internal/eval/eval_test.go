package eval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"blotter/internal/cell"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/eval"
	"blotter/internal/reason"
	"blotter/internal/truth"
)

// cells play documents back: what a cell would say of each is planted beside it. So the
// figures that must come out are known. Sessions of the command run the real cell.
type cells map[string]played

// played is what a cell says of a document: its assets, and how it ends.
type played struct {
	assets []asset
	err    error
}

// asset is an asset of white paper with boxes on it.
type asset struct {
	document.Asset
	boxes    []document.Box
	painted  []document.Box // nil: the boxes
	withheld reason.Code
}

func (c cells) Run(_ context.Context, doc *os.File, _ wire.Task, s cell.Sink) (cell.Report, error) {
	name, err := os.ReadFile(doc.Name())
	if err != nil {
		return cell.Report{}, err
	}
	p := c[string(name)]
	for i, a := range p.assets {
		a.Index = i + 1
		if err := a.play(s); err != nil {
			return cell.Report{}, err
		}
	}
	r := cell.Report{PeakBytes: 100e6, CPU: 3 * time.Second, Assets: len(p.assets)}
	r.Timings[document.StageRead] = time.Second
	return r, p.err
}

func (a asset) play(s cell.Sink) error {
	out := cell.Asset{Asset: a.Asset, Status: document.Redacted}
	for _, b := range a.boxes {
		out.Findings = append(out.Findings, document.Finding{Box: b, Type: document.Name, Score: 1, Source: document.ByName})
	}
	if a.withheld != "" {
		out.Status, out.Reason = document.Withheld, a.withheld
		return s.Asset(out)
	}
	w, err := s.Blob(a.Index, false)
	if err != nil {
		return err
	}
	if err := errors.Join(png.Encode(w, a.paper()), w.Close()); err != nil {
		return err
	}
	return s.Asset(out)
}

func (a asset) paper() image.Image {
	img := image.NewGray(image.Rect(0, 0, a.Width, a.Height))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	painted := a.painted
	if painted == nil {
		painted = a.boxes
	}
	for _, b := range painted {
		draw.Draw(img, b.Rect(), image.Black, image.Point{}, draw.Src)
	}
	return img
}

// The picture that all tests share, 100×100: a name of two words, a date, two words to
// keep, one that may go either way, a face to destroy and a logo to keep.
func picture() truth.Picture {
	word := func(text string, want truth.Want, kind string, value int, x, y float64) truth.Word {
		return truth.Word{Text: text, Want: want, Type: kind, Value: value, Quad: truth.Rect(x, y, x+10, y+5)}
	}
	return truth.Picture{Page: 1, Width: 100, Height: 100, Words: []truth.Word{
		word("Ada", truth.Destroy, "name", 1, 10, 10), word("Okonkwo", truth.Destroy, "name", 1, 30, 10),
		word("3/4/2019", truth.Destroy, "date", 2, 10, 20),
		word("stable", truth.Keep, "", 0, 10, 30), word("angina", truth.Keep, "", 0, 30, 30),
		word("Mercy", truth.Either, "organisation", 0, 10, 40),
	}, Areas: []truth.Area{
		{Quad: truth.Rect(60, 60, 80, 80), Want: truth.Destroy, Type: "face"},
		{Quad: truth.Rect(0, 90, 10, 100), Want: truth.Keep, Type: "code"},
	}}
}

// Boxes over what the picture holds, in its own pixels.
var (
	ada      = document.Box{X: 10, Y: 10, W: 10, H: 5}
	okonkwo  = document.Box{X: 30, Y: 10, W: 10, H: 5}
	date     = document.Box{X: 10, Y: 20, W: 10, H: 5}
	stable   = document.Box{X: 10, Y: 30, W: 10, H: 5}
	mercy    = document.Box{X: 10, Y: 40, W: 10, H: 5}
	face     = document.Box{X: 60, Y: 60, W: 20, H: 20}
	logo     = document.Box{Y: 90, W: 10, H: 10}
	wholeOne = []document.Box{ada, okonkwo, date, face}
)

func page(n int, boxes ...document.Box) asset {
	return asset{Asset: document.Asset{Kind: document.Page, Page: n, Width: 100, Height: 100}, boxes: boxes}
}

// measure runs documents that are what the cells know them by.
func measure(t *testing.T, played cells, cfg eval.Config, docs map[string]truth.Document) (*eval.Report, error) {
	t.Helper()
	dir := t.TempDir()
	for name, d := range docs {
		if d.Schema == "" {
			d.Schema = truth.Schema
		}
		if d.Kind == "" {
			d.Kind = "form"
		}
		body, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), []byte(name))
		write(t, filepath.Join(dir, name+truth.Suffix), body)
	}
	cfg.Dir, cfg.Cells, cfg.Task = dir, played, wire.Task{Limits: document.Limits{SourceBytes: 1000}}
	return eval.Run(t.Context(), cfg)
}

func write(t *testing.T, path string, body []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
}

// one measures one document with the shared picture.
func one(t *testing.T, p played) *eval.Report {
	t.Helper()
	r, err := measure(t, cells{"a.pdf": p}, eval.Config{Text: true}, map[string]truth.Document{"a.pdf": {Pictures: []truth.Picture{picture()}}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFigures(t *testing.T) {
	all := eval.Score{Values: 2, ValuesDestroyed: 2, Words: 3, WordsDestroyed: 3, Areas: 1, AreasDestroyed: 1, Kept: 2, AreasKept: 1}
	but := func(change func(*eval.Score)) eval.Score { s := all; change(&s); return s }
	withheld := but(func(s *eval.Score) { s.Lost, s.AreasLost = 2, 1 })
	image := asset{Asset: document.Asset{Kind: document.Image, Page: 1, Width: 200, Height: 200}}
	for _, c := range []struct {
		name string
		p    played
		want eval.Score
	}{
		{"all is well", played{assets: []asset{page(1, wholeOne...)}}, all},
		{"a planted miss: one word of the name shows", played{assets: []asset{page(1, ada, date, face)}},
			but(func(s *eval.Score) { s.ValuesDestroyed, s.WordsDestroyed = 1, 2 })},
		{"a planted loss", played{assets: []asset{page(1, append(wholeOne, stable)...)}}, but(func(s *eval.Score) { s.Lost = 1 })},
		{"either way is in no count", played{assets: []asset{page(1, append(wholeOne, mercy)...)}}, all},
		{"nine tenths of a word still show it", played{assets: []asset{page(1, okonkwo, date, face, document.Box{X: 10, Y: 10, W: 9, H: 5})}},
			but(func(s *eval.Score) { s.ValuesDestroyed, s.WordsDestroyed = 1, 2 })},
		{"the face shows", played{assets: []asset{page(1, ada, okonkwo, date)}}, but(func(s *eval.Score) { s.AreasDestroyed = 0 })},
		{"black that is no box destroys nothing", played{assets: []asset{{Asset: page(1).Asset, painted: append(wholeOne, stable)}}},
			but(func(s *eval.Score) { s.ValuesDestroyed, s.WordsDestroyed, s.AreasDestroyed = 0, 0, 0 })},
		{"a box that is not painted destroys nothing", played{assets: []asset{{Asset: page(1).Asset, boxes: wholeOne, painted: []document.Box{}}}},
			but(func(s *eval.Score) { s.ValuesDestroyed, s.WordsDestroyed, s.AreasDestroyed = 0, 0, 0 })},
		{"withheld: nothing shows and all is lost", played{assets: []asset{{Asset: page(1).Asset, withheld: reason.ReadUnread}}}, withheld},
		{"rejected: as if withheld", played{assets: []asset{page(1)}, err: reason.Because(reason.CellTimeout, nil)}, withheld},
		{"no asset shows the picture: as if withheld", played{}, withheld},
		{"the page's scan shows what the page does not", played{assets: []asset{page(1, wholeOne...), image}},
			but(func(s *eval.Score) { s.ValuesDestroyed, s.WordsDestroyed, s.AreasDestroyed = 0, 0, 0 })},
		{"the page's scan lost what the page kept", played{assets: []asset{page(1, wholeOne...), {Asset: image.Asset, withheld: reason.ReadUnread}}}, withheld},
		{"a picture within the page is not judged by the page", played{assets: []asset{page(1, wholeOne...),
			{Asset: document.Asset{Kind: document.Image, Page: 1, Width: 200, Height: 90}}}}, all},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := one(t, c.p).Score; got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

// The truth is measured in pixels of its own; a page may be rendered at any resolution.
func TestTruthIsScaled(t *testing.T) {
	a := page(1)
	a.Width, a.Height = 300, 200
	for _, b := range wholeOne {
		a.boxes = append(a.boxes, document.Box{X: 3 * b.X, Y: 2 * b.Y, W: 3 * b.W, H: 2 * b.H})
	}
	if s := one(t, played{assets: []asset{a}}).Score; s.ValueRecall() != 1 || s.AreaRecall() != 1 || s.Lost != 0 {
		t.Errorf("got %+v", s)
	}
}

func TestShares(t *testing.T) {
	s := one(t, played{assets: []asset{page(1, ada, date, face, stable)}}).Score
	for name, c := range map[string]struct{ got, want float64 }{
		"values": {s.ValueRecall(), 0.5}, "words": {s.WordRecall(), 2. / 3}, "areas": {s.AreaRecall(), 1},
		"over-redaction": {s.OverRedaction(), 0.5}, "precision": {s.Precision(), 2. / 3},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

func TestByClassKindAndLanguage(t *testing.T) {
	fax := picture()
	fax.Page, fax.Frame = 0, 1
	frame := asset{Asset: document.Asset{Kind: document.Frame, Frame: 1, Width: 100, Height: 100}, boxes: []document.Box{date, face}}
	r, err := measure(t, cells{"a.pdf": {assets: []asset{page(1, wholeOne...)}}, "sub/b.tiff": {assets: []asset{frame}}}, eval.Config{Workers: 2},
		map[string]truth.Document{
			"a.pdf":      {Language: "en", Pictures: []truth.Picture{picture()}},
			"sub/b.tiff": {Kind: "fax", Language: "de", Pictures: []truth.Picture{fax}},
		})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Classes["name"]; got.Values != 2 || got.ValuesDestroyed != 1 || got.Words != 4 || got.WordsDestroyed != 2 {
		t.Errorf("names: %+v", got)
	}
	if got := r.Classes["face"]; got.Areas != 2 || got.AreasDestroyed != 2 {
		t.Errorf("faces: %+v", got)
	}
	if r.Kinds["fax"].ValueRecall() != 0.5 || r.Languages["en"].ValueRecall() != 1 {
		t.Errorf("kinds %+v, languages %+v", r.Kinds, r.Languages)
	}
	if r.Documents[0].Name != "sub/b.tiff" {
		t.Errorf("the worst document is %s", r.Documents[0].Name)
	}
	if c := r.Cost; c.Pages != 2 || c.SecondsPerPage != 1 || c.CPUPerPage != 3 || c.Stages["read"] != 1 || c.PeakBytes != 100e6 {
		t.Errorf("cost %+v", c)
	}
}

// Pictures of an office document and images with a truth of their own are told apart by
// their number.
func TestEmbeddedImagesHaveTheirOwnTruth(t *testing.T) {
	first, second := picture(), picture()
	first.Page, second.Page, first.Image, second.Image = 0, 0, 1, 2
	image := func(boxes ...document.Box) asset {
		return asset{Asset: document.Asset{Kind: document.Image, Width: 100, Height: 100}, boxes: boxes}
	}
	r, err := measure(t, cells{"a.docx": {assets: []asset{image(wholeOne...), image(ada, okonkwo, face), image()}}}, eval.Config{},
		map[string]truth.Document{"a.docx": {Pictures: []truth.Picture{first, second}}})
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Score; s.Values != 4 || s.ValuesDestroyed != 3 || len(r.Documents[0].Leaks) != 1 || r.Documents[0].Leaks[0].Image != 2 {
		t.Errorf("score %+v, leaks %+v", s, r.Documents[0].Leaks)
	}
	if a := r.Assets; a.Total != 3 || a.Unjudged != 1 {
		t.Errorf("assets %+v", a)
	}
}

func TestWordsAreNamedOnlyWhereAskedFor(t *testing.T) {
	p := played{assets: []asset{page(1, okonkwo, date, face, stable)}}
	d := one(t, p).Documents[0]
	if len(d.Leaks) != 1 || d.Leaks[0].Text != "Ada" || d.Leaks[0].Type != "name" || d.Leaks[0].Box != (eval.Box{X: 10, Y: 10, W: 10, H: 5}) {
		t.Errorf("leaks %+v", d.Leaks)
	}
	if len(d.Losses) != 1 || d.Losses[0].Text != "stable" {
		t.Errorf("losses %+v", d.Losses)
	}
	r, err := measure(t, cells{"a.pdf": p}, eval.Config{}, map[string]truth.Document{"a.pdf": {Pictures: []truth.Picture{picture()}}})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := errors.Join(json.NewEncoder(&out).Encode(r), r.WriteText(&out)); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Ada", "stable"} {
		if strings.Contains(out.String(), text) {
			t.Errorf("the report names %q", text)
		}
	}
}

func TestOnlyTheKindsAskedFor(t *testing.T) {
	docs := map[string]truth.Document{"a.pdf": {Pictures: []truth.Picture{picture()}}, "b.pdf": {Kind: "fax", Pictures: []truth.Picture{picture()}}}
	r, err := measure(t, cells{}, eval.Config{Kinds: []string{"fax"}}, docs)
	if err != nil || len(r.Documents) != 1 || r.Documents[0].Name != "b.pdf" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := measure(t, cells{}, eval.Config{Kinds: []string{"card"}}, docs); reason.Of(err) != reason.TruthMissing {
		t.Errorf("no document of that kind: %v", err)
	}
}

// What says nothing of a document is listed and in no count, and does not end the run.
func TestFailuresAreListed(t *testing.T) {
	docs := map[string]truth.Document{"a.pdf": {Pictures: []truth.Picture{picture()}}, "b.pdf": {Pictures: []truth.Picture{picture()}}}
	start := played{err: reason.Because(reason.CellKilled, nil)}
	r, err := measure(t, cells{"a.pdf": start, "b.pdf": {assets: []asset{page(1, wholeOne...)}}}, eval.Config{}, docs)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Failed) != 1 || r.Failed[0].Document != "a.pdf" || r.Failed[0].Reason != string(reason.CellKilled) || r.Score.Values != 2 {
		t.Errorf("failed %+v, score %+v", r.Failed, r.Score)
	}
	var out bytes.Buffer
	if err := r.WriteText(&out); err != nil || !strings.Contains(out.String(), reason.Must(reason.CellKilled).Text) {
		t.Errorf("%v: the text does not say what to do:\n%s", err, out.String())
	}
	if _, err := measure(t, cells{"a.pdf": start, "b.pdf": start}, eval.Config{}, docs); reason.Of(err) != reason.CellKilled {
		t.Errorf("nothing could be measured: %v", err)
	}
}

// Where a person must change something about the host, no other document will do better.
func TestWhatThePersonMustMendEndsTheRun(t *testing.T) {
	_, err := measure(t, cells{"a.pdf": {err: reason.Because(reason.CellProtection, nil)}}, eval.Config{},
		map[string]truth.Document{"a.pdf": {Pictures: []truth.Picture{picture()}}, "b.pdf": {Pictures: []truth.Picture{picture()}}})
	if reason.Of(err) != reason.CellProtection {
		t.Errorf("got %v", err)
	}
}

func TestTooLargeIsRejected(t *testing.T) {
	dir := t.TempDir()
	body, _ := json.Marshal(truth.Document{Schema: truth.Schema, Kind: "form", Pictures: []truth.Picture{picture()}})
	write(t, filepath.Join(dir, "a.pdf"), make([]byte, 1001))
	write(t, filepath.Join(dir, "a.pdf"+truth.Suffix), body)
	r, err := eval.Run(t.Context(), eval.Config{Dir: dir, Cells: cells{}, Task: wire.Task{Limits: document.Limits{SourceBytes: 1000}}})
	if err != nil || r.Documents[0].Rejected != string(reason.SourceBytes) || r.Score.Lost != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestBadTruthEndsTheRunBeforeItBegins(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.pdf"), nil)
	write(t, filepath.Join(dir, "a.pdf"+truth.Suffix), []byte(`{"schema":"blotter.truth/0"}`))
	write(t, filepath.Join(dir, "gone.pdf"+truth.Suffix), []byte(`{}`))
	_, err := eval.Run(t.Context(), eval.Config{Dir: dir, Cells: cells{}})
	if reason.Of(err) != reason.TruthInvalid {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"a.pdf.truth.json", "schema must be", "no document \"gone.pdf\" beside it"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	if _, err := eval.Run(t.Context(), eval.Config{Dir: t.TempDir(), Cells: cells{}}); reason.Of(err) != reason.TruthMissing {
		t.Errorf("an empty directory: %v", err)
	}
	if _, err := eval.Run(t.Context(), eval.Config{Dir: filepath.Join(dir, "nowhere"), Cells: cells{}}); reason.Of(err) != reason.UsageWrong {
		t.Errorf("no directory: %v", err)
	}
}

// Pipes, which would never end, and links to elsewhere are mistakes, as truth and as
// documents; nothing of them is opened.
func TestOnlyRegularFilesOfTheDirectoryAreOpened(t *testing.T) {
	good, _ := json.Marshal(truth.Document{Schema: truth.Schema, Kind: "form", Pictures: []truth.Picture{picture()}})
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	write(t, elsewhere, good)
	pipe := func(path string) error { return syscall.Mkfifo(path, 0o600) }
	link := func(to string) func(string) error { return func(path string) error { return os.Symlink(to, path) } }
	file := func(path string) error { return os.WriteFile(path, good, 0o600) }
	for name, c := range map[string]struct {
		document, truth func(path string) error
		want            reason.Code
	}{
		"truth is a pipe":              {file, pipe, reason.TruthInvalid},
		"truth is a link out":          {file, link(elsewhere), reason.TruthInvalid},
		"truth is a link to a device":  {file, link("/dev/zero"), reason.TruthInvalid},
		"the document is a pipe":       {pipe, file, reason.TruthInvalid},
		"the document is a link out":   {link(elsewhere), file, reason.TruthInvalid},
		"the document is a link up":    {link("../" + filepath.Base(elsewhere)), file, reason.TruthInvalid},
		"the document is a link in":    {link("other.pdf"), file, ""},
		"truth is a link in, as other": {file, link("other.json"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "set")
			write(t, filepath.Join(dir, "other.pdf"), []byte("a.pdf"))
			write(t, filepath.Join(dir, "other.json"), good)
			write(t, filepath.Join(filepath.Dir(dir), filepath.Base(elsewhere)), good)
			if err := errors.Join(c.document(filepath.Join(dir, "a.pdf")), c.truth(filepath.Join(dir, "a.pdf"+truth.Suffix))); err != nil {
				t.Fatal(err)
			}
			_, err := eval.Run(t.Context(), eval.Config{Dir: dir, Cells: cells{}, Task: wire.Task{Limits: document.Limits{SourceBytes: 1 << 20}}})
			if reason.Of(err) != c.want || c.want != "" && !strings.Contains(err.Error(), "put the file itself there") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// A document that becomes a pipe once its truth was read fails alone.
func TestADocumentThatBecomesAPipeFails(t *testing.T) {
	dir := t.TempDir()
	good, _ := json.Marshal(truth.Document{Schema: truth.Schema, Kind: "form", Pictures: []truth.Picture{picture()}})
	for _, name := range []string{"a.pdf", "b.pdf"} {
		write(t, filepath.Join(dir, name), []byte(name))
		write(t, filepath.Join(dir, name+truth.Suffix), good)
	}
	swap := func(done, _ int) {
		if done > 1 {
			return
		}
		p := filepath.Join(dir, "b.pdf")
		if err := os.Remove(p); err != nil {
			t.Error(err)
		}
		if err := syscall.Mkfifo(p, 0o600); err != nil {
			t.Error(err)
		}
	}
	r, err := eval.Run(t.Context(), eval.Config{Dir: dir, Cells: cells{}, Told: swap, Task: wire.Task{Limits: document.Limits{SourceBytes: 1000}}})
	if err != nil || len(r.Failed) != 1 || r.Failed[0].Reason != string(reason.SourceDenied) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestReadingTruthEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.pdf"+truth.Suffix), []byte(`{}`))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := eval.Run(ctx, eval.Config{Dir: dir, Cells: cells{}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A fill colour of the policy is what counts as covered.
func TestTheFillOfThePolicyCounts(t *testing.T) {
	r, err := measure(t, cells{"a.pdf": {assets: []asset{page(1, wholeOne...)}}}, eval.Config{Fill: color.RGBA{200, 0, 0, 255}},
		map[string]truth.Document{"a.pdf": {Pictures: []truth.Picture{picture()}}})
	if err != nil || r.Score.WordsDestroyed != 0 {
		t.Errorf("black counts as red: %+v, %v", r.Score, err)
	}
}
