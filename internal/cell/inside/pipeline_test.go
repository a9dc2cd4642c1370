package inside

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"testing"

	"blotter/internal/cell/inside/detect"
	"blotter/internal/cell/inside/mark"
	"blotter/internal/cell/inside/redact"
	"blotter/internal/cell/inside/words"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// fakeReader sees the same line on every picture: a word that is no one's business and
// an address. The second look sees the number while any of its ink is left.
type fakeReader struct {
	page    words.Page
	err     error
	panics  bool
	lookErr error

	lookPanics bool
	stubborn   bool // the second look sees the number whatever the picture shows
}

var (
	wordBox   = document.Box{X: 10, Y: 10, W: 40, H: 12}
	numberBox = document.Box{X: 60, Y: 10, W: 100, H: 12}
	scrapBox  = document.Box{X: 10, Y: 60, W: 30, H: 12}
)

func oneLine() words.Page {
	return words.Page{Width: 200, Height: 100, Words: []words.Word{
		{Text: "Phone:", Box: wordBox, Confidence: 1},
		{Text: "212-555-0147", Box: numberBox, Confidence: 1},
	}}
}

func (r *fakeReader) Read(context.Context, image.Image, []words.Word) (words.Page, error) {
	if r.panics {
		panic("212-555-0147")
	}
	return r.page, r.err
}

func (r *fakeReader) Look(_ context.Context, img image.Image, _ document.Turn, _ []document.Box, before *words.Page) (words.Page, error) {
	if r.lookPanics {
		panic("212-555-0147")
	}
	again := words.Page{Width: before.Width, Height: before.Height, Turn: before.Turn}
	if r.lookErr != nil {
		return again, r.lookErr
	}
	for _, w := range before.Words {
		if w.Box == numberBox {
			return again, nil // known, so not read again
		}
	}
	for _, w := range r.page.Words {
		switch {
		case w.Box != numberBox:
		case r.stubborn: // each time elsewhere, so that it is never under black
			w.Box.Y += 20 * (1 + countBlack(img))
			again.Words = append(again.Words, w)
		case inked(img, w.Box):
			again.Words = append(again.Words, w)
		}
	}
	return again, nil
}

// rules is a task that asks for these and nothing else.
func rules(r document.Rules) wire.Task { return wire.Task{Rules: r} }

// inked reports whether the white of the box's background is still there.
func inked(img image.Image, b document.Box) bool {
	return img.At(b.X+b.W/2, b.Y+b.H/2) != color.Gray{}
}

// countBlack counts the marks of earlier second looks.
func countBlack(img image.Image) (n int) {
	for y := 20; y < 100; y += 20 {
		if img.At(110, 16+y) == (color.Gray{}) {
			n++
		}
	}
	return n
}

// paper is a picture whose pixels all differ a little, none of them black.
func paper() *image.Gray {
	img := image.NewGray(image.Rect(0, 0, 200, 100))
	for i := range img.Pix {
		img.Pix[i] = uint8(100 + i%150)
	}
	return img
}

// outcome is what the parent would learn.
type outcome struct {
	found  []wire.AssetFound
	burned []wire.Burned
	done   []wire.AssetDone
	made   bytes.Buffer
	orig   bytes.Buffer
	end    wire.Message
}

// process runs the pipeline over one picture and reads what it said.
func process(t *testing.T, r reader, task wire.Task) outcome {
	t.Helper()
	return processWith(t, engines{reader: r, finder: detect.New()}, task)
}

func processWith(t *testing.T, e engines, task wire.Task) outcome {
	t.Helper()
	return processLimited(t, e, task, func(*document.Limits) {})
}

func processLimited(t *testing.T, e engines, task wire.Task, limit func(*document.Limits)) outcome {
	t.Helper()
	path := filepath.Join(t.TempDir(), "d")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e.marker = mark.New()
	if err := redact.Encode(f, paper()); err != nil {
		t.Fatal(err)
	}
	task.Limits = document.Limits{Assets: 2, Pages: 2, Frames: 2, AssetPixels: 1e6, TotalPixels: 1e6, Seconds: 5, Ratio: 1000, Filters: 5, Entries: 10, UnpackedBytes: 1e6, SourceBytes: 1e6, PageObjects: 500_000, TotalObjects: 2_000_000, DrawnPixels: 8e9, PageDPI: 100}
	limit(&task.Limits)
	var said bytes.Buffer
	redactDocument(e, task, f, newEmitter(&said))
	return listen(t, &said)
}

func listen(t *testing.T, r io.Reader) (o outcome) {
	t.Helper()
	messages := wire.NewReader(r)
	for {
		m, err := messages.Next()
		if errors.Is(err, io.EOF) {
			return o
		}
		if err != nil {
			t.Fatal(err)
		}
		switch m := m.(type) {
		case wire.AssetFound:
			o.found = append(o.found, m)
		case wire.Burned:
			o.burned = append(o.burned, m)
		case wire.AssetDone:
			o.done = append(o.done, m)
		case wire.Chunk:
			if m.Original {
				o.orig.Write(m.Bytes)
			} else {
				o.made.Write(m.Bytes)
			}
		}
		o.end = m
	}
}

func (o outcome) withheld(t *testing.T, code reason.Code) {
	t.Helper()
	if len(o.done) != 1 || o.done[0].Status != document.Withheld || o.done[0].Reason != reason.NumberOf(code) {
		t.Errorf("asset ends as %+v, want withheld for %s", o.done, code)
	}
	if o.made.Len() != 0 {
		t.Error("a withheld asset has a derivative")
	}
	if _, ok := o.end.(wire.Done); !ok {
		t.Errorf("the document ends with %T", o.end)
	}
}

func (o outcome) image(t *testing.T) image.Image {
	t.Helper()
	img, err := png.Decode(&o.made)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// What is found is black, and every pixel outside the boxes is as it was.
func TestBoxesAreBlackAndTheRestUntouched(t *testing.T) {
	o := process(t, &fakeReader{page: oneLine()}, rules(document.Rules{PaddingPX: 3}))
	if len(o.burned) != 1 || o.burned[0].Type != document.Phone {
		t.Fatalf("burned %+v", o.burned)
	}
	b := o.burned[0]
	box := image.Rect(int(b.X), int(b.Y), int(b.X+b.W), int(b.Y+b.H))
	if !numberBox.Grow(3, 200, 100).Rect().In(box) {
		t.Errorf("box %v does not cover %v and its padding", box, numberBox)
	}
	img, before := o.image(t), paper()
	for y := range 100 {
		for x := range 200 {
			got, want := img.At(x, y).(color.Gray), before.GrayAt(x, y)
			if image.Pt(x, y).In(box) {
				want = color.Gray{}
			}
			if got != want {
				t.Fatalf("pixel %d,%d is %v, want %v", x, y, got, want)
			}
		}
	}
}

// A box that is left out of the burning is found by the second look.
func TestSecondLookFindsWhatWasLeftOut(t *testing.T) {
	omitting(t, func(round int, fs []document.Finding) []document.Finding {
		if round == 0 {
			return nil
		}
		return fs
	})
	o := process(t, &fakeReader{page: oneLine()}, wire.Task{})
	if len(o.burned) != 2 || o.burned[1].Source != document.BySecondLook || o.done[0].Status != document.Redacted {
		t.Fatalf("burned %+v, done %+v", o.burned, o.done)
	}
	if inked(o.image(t), numberBox) {
		t.Error("the number still shows")
	}
}

// One that is left out each time withholds the asset.
func TestSecondLookWithholdsWhatIsAlwaysLeftOut(t *testing.T) {
	omitting(t, func(int, []document.Finding) []document.Finding { return nil })
	process(t, &fakeReader{page: oneLine()}, wire.Task{}).withheld(t, reason.RedactLook)
}

func omitting(t *testing.T, f func(round int, fs []document.Finding) []document.Finding) {
	t.Helper()
	old := omit
	SetOmit(f)
	t.Cleanup(func() { SetOmit(old) })
}

// A value is personal because of a label that stands and is not read again.
func TestSecondLookKnowsTheLabels(t *testing.T) {
	kept := &words.Page{Width: 200, Height: 100, Words: []words.Word{
		{Text: "MRN:", Box: wordBox, Confidence: 1},
		{Text: "Sex:", Box: document.Box{X: 10, Y: 60, W: 40, H: 12}, Line: 1, Confidence: 1},
	}}
	again := &words.Page{Width: 200, Height: 100, Words: []words.Word{
		{Text: "48113", Box: document.Box{X: 56, Y: 10, W: 50, H: 12}, Confidence: 1},
	}}
	found := detect.New().Find(nil, words.Subject{})
	fs := touching(found.Check(amid(again, kept)), again.Words)
	if len(fs) == 0 || fs[0].Type != document.MRN {
		t.Errorf("found %+v", fs)
	}
	for _, f := range touching(found.Check(again), again.Words) {
		if f.Type == document.MRN {
			t.Error("found without its label: the test shows nothing")
		}
	}
}

// What shows again however often it is covered withholds the asset.
func TestSecondLookWithholdsWhatStaysVisible(t *testing.T) {
	process(t, &fakeReader{page: oneLine(), stubborn: true}, wire.Task{}).withheld(t, reason.RedactLook)
}

// An engine that fails may do better in another attempt, so the document fails as a
// whole and is tried again. One that panics will panic again: one attempt.
func TestFailuresOfTheReaderEndTheDocument(t *testing.T) {
	for name, c := range map[string]struct {
		reader fakeReader
		want   reason.Code
		class  reason.Class
	}{
		"error":            {fakeReader{page: oneLine(), err: errors.New("engine")}, reason.ReadFailed, reason.Transient},
		"panic":            {fakeReader{page: oneLine(), panics: true}, reason.CellCrashed, reason.Permanent},
		"no code":          {fakeReader{page: oneLine(), err: reason.Because(reason.Internal, nil)}, reason.CellCrashed, reason.Permanent},
		"error when again": {fakeReader{page: oneLine(), lookErr: errors.New("engine")}, reason.ReadFailed, reason.Transient},
		"panic when again": {fakeReader{page: oneLine(), lookPanics: true}, reason.CellCrashed, reason.Permanent},
	} {
		t.Run(name, func(t *testing.T) {
			o := process(t, &c.reader, wire.Task{})
			end, ok := o.end.(wire.Failed)
			if !ok || end.Reason != reason.NumberOf(c.want) || len(o.done) != 0 || o.made.Len() != 0 {
				t.Errorf("ends with %+v after %d assets, want %s", o.end, len(o.done), c.want)
			}
			if got := reason.Must(c.want).Class; got != c.class {
				t.Errorf("%s is %s", c.want, got)
			}
		})
	}
}

// Whatever step breaks down, the document is not tried again.
func TestPanicOfAStepIsPermanent(t *testing.T) {
	o := processWith(t, engines{reader: &fakeReader{page: oneLine()}}, wire.Task{}) // no finder: detect panics
	if end, ok := o.end.(wire.Failed); !ok || end.Reason != reason.NumberOf(reason.CellCrashed) {
		t.Errorf("ends with %+v", o.end)
	}
}

func TestUnreadRegions(t *testing.T) {
	page := oneLine()
	page.Unread = []document.Box{scrapBox}
	o := process(t, &fakeReader{page: page}, wire.Task{})
	if inked(o.image(t), scrapBox) {
		t.Error("what was not understood still shows")
	}
	// No policy can keep it by its type.
	o = process(t, &fakeReader{page: page}, rules(document.Rules{
		Actions: map[document.Type]document.Action{document.Unread: document.Keep},
	}))
	if inked(o.image(t), scrapBox) {
		t.Error("what was not understood was kept")
	}
	process(t, &fakeReader{page: page}, rules(document.Rules{Unread: document.WithholdUnread})).withheld(t, reason.ReadUnread)
}

func TestPolicyKeeps(t *testing.T) {
	for name, kept := range map[string]document.Rules{
		"by action":    {Actions: map[document.Type]document.Action{document.Phone: document.Keep}},
		"by threshold": {Thresholds: map[document.Type]float64{document.Phone: 1.1}},
	} {
		o := process(t, &fakeReader{page: oneLine()}, rules(kept))
		if len(o.burned) != 0 || !inked(o.image(t), numberBox) {
			t.Errorf("%s: burned %+v", name, o.burned)
		}
	}
}

func TestOriginalsAreSentWhole(t *testing.T) {
	o := process(t, &fakeReader{page: oneLine()}, wire.Task{Originals: true})
	img, err := png.Decode(&o.orig)
	if err != nil {
		t.Fatal(err)
	}
	if got := redact.PixelDigest(img); got != o.found[0].Digest || got != redact.PixelDigest(paper()) {
		t.Error("the original differs from the asset")
	}
}

// A turned page's words are upright; its boxes are the asset's.
func TestBoxesOfATurnedPage(t *testing.T) {
	page := words.Page{Width: 100, Height: 200, Turn: 1, Words: []words.Word{
		{Text: "212-555-0147", Box: document.Box{X: 0, Y: 150, W: 90, H: 12}, Confidence: 1},
	}}
	o := process(t, &turnedReader{page}, wire.Task{})
	b := o.burned[0]
	if b.X > 150 || b.X+b.W < 162 || b.Y > 10 || b.Y+b.H < 100 {
		t.Errorf("burned %+v", b)
	}
}

type turnedReader struct{ page words.Page }

func (r *turnedReader) Read(context.Context, image.Image, []words.Word) (words.Page, error) {
	return r.page, nil
}

func (r *turnedReader) Look(_ context.Context, _ image.Image, turn document.Turn, _ []document.Box, before *words.Page) (words.Page, error) {
	if turn != 1 {
		return words.Page{}, errors.New("the turn was forgotten")
	}
	return words.Page{Width: before.Width, Height: before.Height, Turn: turn}, nil
}

// The headers of a withheld asset may claim anything; the message stays within what the
// parent takes.
func TestClaimsAreCutToTheMessage(t *testing.T) {
	var said bytes.Buffer
	e := newEmitter(&said)
	if err := e.found(document.Asset{Index: 1, Width: 1 << 40, Height: -5, DPI: 1 << 33}); err != nil {
		t.Fatal(err)
	}
	if err := e.done(1, reason.ExtractPixels); err != nil {
		t.Fatal(err)
	}
	got := listen(t, &said).found[0]
	if got.Width != wire.MaxSide || got.Height != 0 || got.DPI != 0 {
		t.Errorf("%+v", got)
	}
}

func TestRejectedDocumentSaysWhatItWas(t *testing.T) {
	page := "<!doctype html><title>x</title>"
	gif := "GIF89a\x01\x00\x01\x00\x00\x00\x00;"
	pdf := "%PDF-1.7\n1 0 obj\n<<>>\nendobj\n"
	for name, c := range map[string]struct {
		bytes  string
		task   wire.Task
		code   reason.Code
		format document.Format
	}{
		"a page":                          {page, wire.Task{}, reason.SniffInteractive, document.HTML},
		"a denied format":                 {gif, wire.Task{Deny: []document.Format{document.PDF, document.GIF}}, reason.PolicyDenied, document.GIF},
		"refused before it is denied":     {page, wire.Task{Deny: []document.Format{document.HTML}}, reason.SniffInteractive, document.HTML},
		"a paper where one image may be":  {pdf, wire.Task{OneImage: true}, reason.SniffNoImage, document.PDF},
		"a page where one image may be":   {page, wire.Task{OneImage: true}, reason.SniffInteractive, document.HTML},
		"an image where one image may be": {gif, wire.Task{OneImage: true}, reason.ExtractMalformed, document.GIF},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := os.CreateTemp(t.TempDir(), "")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			f.WriteString(c.bytes)
			var said bytes.Buffer
			redactDocument(engines{}, c.task, f, newEmitter(&said))
			end, ok := listen(t, &said).end.(wire.Failed)
			if !ok || end.Reason != reason.NumberOf(c.code) || end.Format != c.format {
				t.Errorf("%+v", end)
			}
		})
	}
}
