package inside_test

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"testing"

	"blotter/internal/cell"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/examples"
	"blotter/internal/reason"
	"blotter/internal/truth"
)

// task is what the default policy asks for, near enough.
func task() wire.Task {
	r := document.Rules{PaddingPX: 2, UnknownWords: document.LikeNames, Thresholds: map[document.Type]float64{}}
	for _, typ := range document.Types() {
		r.Thresholds[typ] = 0.5
	}
	return wire.Task{Rules: r, Limits: limits}
}

// example opens one of the documents that ship with the project.
func example(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// One document of each kind goes through a real cell with the real engines, behind all
// walls: each asset is redacted, and black where it says so.
func TestDocumentsThroughARealCell(t *testing.T) {
	cfg := withEngines(t)
	for name, want := range map[string]struct {
		format     document.Format
		assets     int
		notCovered document.NotCovered
	}{
		"referral-letter.pdf": {document.PDF, 3, 0},
		"insurance-card.jpg":  {document.JPEG, 1, 0},
		"fax.tiff":            {document.TIFF, 2, 0},
		"report.docx":         {document.DOCX, 1, document.OfficeText},
	} {
		t.Run(name, func(t *testing.T) {
			s := &sink{}
			r, err := start(t, cfg).Run(t.Context(), example(t, name), task(), s)
			if err != nil {
				t.Fatal(err)
			}
			if r.Format != want.format || r.Assets != want.assets || r.NotCovered&want.notCovered != want.notCovered {
				t.Errorf("report %+v", r)
			}
			if r.Protections != wire.AllProtections {
				t.Errorf("only %v stood", r.Protections.Names())
			}
			for _, stage := range []document.Stage{document.StageExtract, document.StageRead, document.StageRedact, document.StageVerify} {
				if r.Timings[stage] <= 0 {
					t.Errorf("no time for %v", stage)
				}
			}
			for _, a := range s.assets {
				checkDerivative(t, a, s.made[a.Index])
			}
		})
	}
}

func checkDerivative(t *testing.T, a cell.Asset, made io.Reader) {
	t.Helper()
	if a.Status != document.Redacted || len(a.Findings) == 0 {
		t.Errorf("asset %d: %v %s with %d boxes", a.Index, a.Status, a.Reason, len(a.Findings))
		return
	}
	img, err := png.Decode(made)
	if err != nil {
		t.Fatal(err)
	}
	if img.Bounds() != image.Rect(0, 0, a.Width, a.Height) {
		t.Errorf("asset %d measures %v", a.Index, img.Bounds())
	}
	for _, f := range a.Findings {
		if !black(img, f.Box) {
			t.Errorf("asset %d shows something under %+v", a.Index, f)
		}
	}
}

func black(img image.Image, b document.Box) bool {
	for y := b.Y; y < b.Y+b.H; y++ {
		for x := b.X; x < b.X+b.W; x++ {
			if r, g, bl, _ := img.At(x, y).RGBA(); r|g|bl != 0 {
				return false
			}
		}
	}
	return true
}

// A box that the first burning leaves out is seen by the second look, with the real
// reader on a real document: it is covered then, or the asset is withheld.
func TestSecondLookInARealCell(t *testing.T) {
	tk := task()
	tk.Subject = []byte(leaveOneOut)
	s := &sink{}
	if _, err := start(t, withEngines(t)).Run(t.Context(), example(t, "insurance-card.jpg"), tk, s); err != nil {
		t.Fatal(err)
	}
	a := s.assets[0]
	if a.Status == document.Withheld {
		return
	}
	again := 0
	for _, f := range a.Findings {
		if f.Source == document.BySecondLook {
			again++
		}
	}
	if again == 0 {
		t.Errorf("the second look saw nothing: %+v", a.Findings)
	}
	checkDerivative(t, a, s.made[a.Index])
}

// A box that is never burned, whatever the second look says, withholds the asset: no
// derivative leaves the cell.
func TestABoxLeftOutForGoodWithholdsTheAsset(t *testing.T) {
	tk := task()
	tk.Subject = []byte(alwaysLeaveOneOut)
	s := &sink{}
	if _, err := start(t, withEngines(t)).Run(t.Context(), example(t, "insurance-card.jpg"), tk, s); err != nil {
		t.Fatal(err)
	}
	a := s.assets[0]
	if a.Status != document.Withheld || a.Reason != reason.RedactLook || s.made[a.Index] != nil {
		t.Errorf("the asset is %v for %q", a.Status, a.Reason)
	}
}

// The same report in every other format: an animation whose second frame draws the lower
// half alone, a bitmap, a picture on a slide that shows a quarter of it, a picture in a
// sheet. Each of their pictures is redacted as well as the scan itself.
func TestOtherFormatsThroughARealCell(t *testing.T) {
	cfg := withEngines(t)
	all, err := examples.Recast()
	if err != nil {
		t.Fatal(err)
	}
	patient := task()
	patient.Limits.Seconds = 600 // none of this is about time, and tests share their machine
	formats := []document.Format{document.GIF, document.BMP, document.WebP, document.PPTX, document.XLSX}
	for i, e := range all {
		t.Run(e.Name, func(t *testing.T) {
			s := &sink{}
			r, err := start(t, cfg).Run(t.Context(), file(t, e.Bytes), patient, s)
			if err != nil {
				t.Fatal(err)
			}
			if r.Format != formats[i] || r.Assets != len(e.Pictures) || r.NotCovered&^document.Metadata != notCovered(r.Format) {
				t.Errorf("report %+v", r)
			}
			for _, a := range s.assets {
				made := s.made[a.Index].Bytes()
				checkDerivative(t, a, bytes.NewReader(made))
				judgeDerivative(t, e, a, made)
			}
		})
	}
}

// notCovered is what documents of the report hold beside its picture and their properties.
func notCovered(f document.Format) document.NotCovered {
	if f.IsOffice() {
		return document.OfficeText
	}
	return 0
}

func judgeDerivative(t *testing.T, e examples.Example, a cell.Asset, made []byte) {
	t.Helper()
	picture, ok := e.Picture(a.Page, a.Frame)
	if !ok {
		t.Fatalf("asset %d shows no picture of the example", a.Index)
	}
	img, err := png.Decode(bytes.NewReader(made))
	if err != nil {
		t.Fatal(err)
	}
	v := picture.Judge(truth.Redacted{Image: img})
	if v.Secret == 0 || v.Destroyed < v.Secret || v.Lost*10 > v.Kept {
		t.Errorf("asset %d: %d of %d values destroyed, %v left; %d of %d words lost", a.Index, v.Destroyed, v.Secret, v.Leaks, v.Lost, v.Kept)
	}
}
