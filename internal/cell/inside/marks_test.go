package inside

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"os"
	"path/filepath"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"blotter/internal/cell/inside/detect"
	"blotter/internal/cell/inside/mark"
	"blotter/internal/cell/inside/redact"
	"blotter/internal/cell/inside/words"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// codeReader sees text in the middle of every code, which it cannot read, and sees it
// again unless it is known or burned.
type codeReader struct {
	turn document.Turn
	sees document.Box // on the upright page
}

func (r codeReader) page(img image.Image) words.Page {
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	if r.turn%2 == 1 {
		w, h = h, w
	}
	return words.Page{Width: w, Height: h, Turn: r.turn, Unread: []document.Box{r.sees}}
}

func (r codeReader) Read(_ context.Context, img image.Image, _ []words.Word) (words.Page, error) {
	return r.page(img), nil
}

func (r codeReader) Look(_ context.Context, img image.Image, _ document.Turn, burned []document.Box, before *words.Page) (words.Page, error) {
	p := r.page(img)
	for _, known := range append(burned, before.Unread...) {
		if known.Intersect(r.sees) == r.sees {
			p.Unread = nil
		}
	}
	return p, nil
}

// coded draws a QR code of 4 pixels a module in a white picture, and returns the place
// of its ink.
func withCode(t *testing.T, text string) (*image.NRGBA, document.Box) {
	t.Helper()
	m, err := qrcode.NewQRCodeWriter().EncodeWithoutHint(text, gozxing.BarcodeFormat_QR_CODE, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	img := image.NewNRGBA(image.Rect(0, 0, 400, 300))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	var ink image.Rectangle
	for y := range 4 * m.GetHeight() {
		for x := range 4 * m.GetWidth() {
			if m.Get(x/4, y/4) {
				img.SetNRGBA(x+60, y+50, color.NRGBA{A: 255})
				ink = ink.Union(image.Rect(x+60, y+50, x+61, y+51))
			}
		}
	}
	return img, document.BoxOf(ink)
}

func processPicture(t *testing.T, img image.Image, r reader, task wire.Task) outcome {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "d"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := redact.Encode(f, img); err != nil {
		t.Fatal(err)
	}
	task.Limits = document.Limits{Assets: 2, Pages: 2, Frames: 2, AssetPixels: 1e6, TotalPixels: 1e6, Seconds: 5, Ratio: 1000, Filters: 5, Entries: 10, UnpackedBytes: 1e6, SourceBytes: 1e6, PageObjects: 500_000, TotalObjects: 2_000_000, DrawnPixels: 8e9, PageDPI: 100}
	var said bytes.Buffer
	redactDocument(engines{reader: r, finder: detect.New(), marker: mark.New()}, task, f, newEmitter(&said))
	return listen(t, &said)
}

const (
	personal = "MECARD:N:Mustermann,Erika;TEL:+12125550147;;" // nobody's
	harmless = "please turn over"
)

func TestCodesFollowThePolicy(t *testing.T) {
	keep := document.Rules{Actions: map[document.Type]document.Action{document.Code: document.Keep}}
	for _, c := range []struct {
		name, text string
		rules      document.Rules
		gone       bool
	}{
		{"any code", harmless, document.Rules{}, true},
		{"a person's, by default", personal, document.Rules{}, true},
		{"a person's, where only those go", personal, document.Rules{CodesPersonalOnly: true}, true},
		{"a number, where only personal ones go", "4711 0815", document.Rules{CodesPersonalOnly: true, UnknownWords: document.NoWords}, true},
		{"a harmless one, where only personal ones go", harmless, document.Rules{CodesPersonalOnly: true}, false},
		{"kept codes", personal, keep, false},
		{"under the threshold", personal, document.Rules{Thresholds: map[document.Type]float64{document.Code: 0.95}}, false},
	} {
		img, code := withCode(t, c.text)
		o := processPicture(t, img, codeReader{sees: document.Box{X: 5, Y: 5, W: 9, H: 9}}, wire.Task{Rules: c.rules})
		var covered bool
		for _, b := range o.burned {
			if b.Type == document.Code && b.Source == document.ByBarcode {
				covered = code.Rect().In(image.Rect(int(b.X), int(b.Y), int(b.X+b.W), int(b.Y+b.H)))
			}
		}
		if covered != c.gone {
			t.Errorf("%s: burned %+v", c.name, o.burned)
		}
		if made := o.image(t); (made.At(code.X, code.Y) == made.At(code.X+code.W/2-2, code.Y+code.H/2)) != c.gone && c.gone {
			t.Errorf("%s: still shows", c.name)
		}
	}
}

// What a mark explains is not unread: it neither withholds the image nor comes back with
// the second look where the mark stays.
func TestMarksExplainWhatWasSeenAsText(t *testing.T) {
	img, code := withCode(t, harmless)
	sees := document.Box{X: code.X + 10, Y: code.Y + 10, W: 40, H: 20}
	for _, rules := range []document.Rules{
		{CodesPersonalOnly: true}, {CodesPersonalOnly: true, Unread: document.WithholdUnread}, {Unread: document.WithholdUnread},
	} {
		o := processPicture(t, img, codeReader{sees: sees}, wire.Task{Rules: rules})
		if o.done[0].Status != document.Redacted {
			t.Fatalf("%+v: ends as %+v", rules, o.done)
		}
		for _, b := range o.burned {
			if b.Type == document.Unread || rules.CodesPersonalOnly {
				t.Errorf("%+v: burned %+v", rules, b)
			}
		}
	}
	o := processPicture(t, img, codeReader{sees: document.Box{X: 5, Y: 5, W: 9, H: 9}}, wire.Task{Rules: document.Rules{Unread: document.WithholdUnread}})
	o.withheld(t, reason.ReadUnread)
}

// A page that was turned to be read keeps its boxes in its own pixels.
func TestMarksLandOnTurnedAssets(t *testing.T) {
	img, code := withCode(t, personal)
	for turn := range document.Turn(4) {
		o := processPicture(t, img, codeReader{turn: turn, sees: document.Box{X: 5, Y: 5, W: 9, H: 9}}, wire.Task{})
		found := false
		for _, b := range o.burned {
			r := image.Rect(int(b.X), int(b.Y), int(b.X+b.W), int(b.Y+b.H))
			found = found || b.Type == document.Code && code.Rect().In(r) && r.Dx() < 2*code.W && r.Dy() < 2*code.H
		}
		if !found {
			t.Errorf("turn %d: burned %+v, code at %v", turn, o.burned, code)
		}
	}
}

func TestMarksCanBeLeftOut(t *testing.T) {
	img, _ := withCode(t, personal)
	o := processPicture(t, img, codeReader{sees: document.Box{X: 5, Y: 5, W: 9, H: 9}}, wire.Task{Without: []document.Source{document.ByBarcode, document.ByCoverage}})
	if len(o.burned) > 0 {
		t.Errorf("burned %+v", o.burned)
	}
}

// An image that cannot be searched is withheld, and the document goes on.
func TestMarkingThatFailsWithholdsTheImage(t *testing.T) {
	p := &pipeline{engines: engines{marker: mark.New()}}
	err := p.mark(image.NewCMYK(image.Rect(0, 0, 40, 40)), &asset{page: &words.Page{Width: 40, Height: 40}})
	if reason.Of(err) != reason.MarkFailed || endsDocument(err) {
		t.Errorf("error %v", err)
	}
	p.engines.marker = nil // it panics
	if err := p.mark(image.NewGray(image.Rect(0, 0, 40, 40)), &asset{page: &words.Page{}}); reason.Of(err) != reason.MarkFailed {
		t.Errorf("error %v", err)
	}
}
