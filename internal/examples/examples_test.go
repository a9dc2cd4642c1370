package examples

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/image/tiff"

	"blotter/internal/document"
	"blotter/internal/truth"
)

func all(t *testing.T) map[string]Example {
	t.Helper()
	made, err := All()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]Example{}
	for _, e := range made {
		out[e.Name] = e
	}
	return out
}

func TestCommittedExamplesAreWhatTheGeneratorMakes(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors fuse floating-point operations, which changes single grey levels")
	}
	for name, e := range all(t) {
		committed, err := os.ReadFile(filepath.Join("..", "..", "examples", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(committed, e.Bytes) {
			t.Errorf("%s differs: run `make generate` and look at it", name)
		}
	}
}

// Each word of the truth must have ink where the truth says, and a fully blackened
// picture must count as destroyed, an untouched one as not.
func TestTruthLiesOnInk(t *testing.T) {
	examples := all(t)
	for _, c := range []struct {
		name    string
		picture image.Image
		truth   truth.Picture
	}{
		{"insurance card", upright(t, examples["insurance-card.jpg"].Bytes), examples["insurance-card.jpg"].Pictures[0]},
		{"fax page 1", tiffPage(t, examples["fax.tiff"].Bytes, 0), examples["fax.tiff"].Pictures[0]},
		{"fax page 2", tiffPage(t, examples["fax.tiff"].Bytes, 1), examples["fax.tiff"].Pictures[1]},
		{"report", docxPicture1(t, examples["report.docx"].Bytes), examples["report.docx"].Pictures[0]},
	} {
		size := c.picture.Bounds().Size()
		if size != image.Pt(c.truth.Width, c.truth.Height) {
			t.Errorf("%s: picture is %v, truth says %d×%d", c.name, size, c.truth.Width, c.truth.Height)
		}
		for _, w := range c.truth.Words {
			if least, most := greyRange(c.picture, w.Box()); most-least < 60 {
				t.Errorf("%s: no ink under %q at %v", c.name, w.Text, w.Box())
			}
		}
		if v := c.truth.Judge(truth.Redacted{Image: c.picture}); v.Destroyed != 0 || v.Lost != 0 || v.Secret == 0 || v.Kept == 0 {
			t.Errorf("%s untouched: %+v", c.name, v)
		}
		black := image.NewRGBA(c.picture.Bounds())
		draw.Draw(black, black.Rect, image.Black, image.Point{}, draw.Src)
		if v := c.truth.Judge(truth.Redacted{Image: black}); v.Destroyed != v.Secret || v.Lost != v.Kept || len(v.Leaks) != 0 {
			t.Errorf("%s blackened: %d of %d destroyed", c.name, v.Destroyed, v.Secret)
		}
	}
}

func TestJudgeSeesHalfAValueAsALeak(t *testing.T) {
	p := truth.Picture{Width: 200, Height: 50, Words: []truth.Word{
		{Text: "Ada", Quad: quad(10, 10, 50, 30), Want: truth.Destroy, Value: 1},
		{Text: "Byron", Quad: quad(60, 10, 120, 30), Want: truth.Destroy, Value: 1},
		{Text: "cough", Quad: quad(130, 10, 190, 30), Want: truth.Keep},
	}}
	img := image.NewGray(image.Rect(0, 0, 400, 100)) // twice the size of the truth
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(16, 16, 104, 64), image.Black, image.Point{}, draw.Src)
	v := p.Judge(truth.Redacted{Image: img})
	if v.Secret != 1 || v.Destroyed != 0 || len(v.Leaks) != 1 || v.Leaks[0] != "Byron" || v.Lost != 0 || v.Kept != 1 {
		t.Errorf("got %+v", v)
	}
}

func TestCanaryAndTinyDecode(t *testing.T) {
	for name, make := range map[string]func() ([]byte, error){
		"canary": func() ([]byte, error) { return Canary("Zorvath", "Quillimane", "QX7-4410", "Vembrantel") },
		"tiny":   func() ([]byte, error) { return Tiny("Ada Byron", "12/10/1815") },
	} {
		b, err := make()
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if least, most := greyRange(img, document.BoxOf(img.Bounds())); least > 60 || most < 200 {
			t.Errorf("%s is blank", name)
		}
	}
}

func quad(x0, y0, x1, y1 float64) [4]truth.Point {
	return truth.Rect(x0, y0, x1, y1)
}

func greyRange(img image.Image, b document.Box) (least, most int) {
	least, most = 255, 0
	r := b.Rect().Add(img.Bounds().Min)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			v := int(color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y)
			least, most = min(least, v), max(most, v)
		}
	}
	return least, most
}

func upright(t *testing.T, b []byte) image.Image {
	t.Helper()
	stored, err := jpeg.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	h := stored.Bounds().Dy()
	out := image.NewRGBA(image.Rect(0, 0, h, stored.Bounds().Dx()))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			out.Set(x, y, stored.At(y, h-1-x))
		}
	}
	return out
}

func tiffPage(t *testing.T, b []byte, page int) image.Image {
	t.Helper()
	b = bytes.Clone(b)
	for range page { // make the next directory the first
		at := binary.LittleEndian.Uint32(b[4:])
		entries := uint32(binary.LittleEndian.Uint16(b[at:]))
		copy(b[4:8], b[at+2+12*entries:])
	}
	img, err := tiff.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func docxPicture1(t *testing.T, b []byte) image.Image {
	t.Helper()
	files, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := files.Open("word/media/image1.png")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestAnAssetFindsItsTruth(t *testing.T) {
	made, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range made {
		got, ok := Of(made, document.Sum(want.Bytes).String())
		if !ok || got.Name != want.Name {
			t.Errorf("%s is not found by its digest", want.Name)
		}
	}
	if _, ok := Of(made, document.Sum(nil).String()); ok {
		t.Error("found an example that there is not")
	}
	letter := made[0]
	if p, ok := letter.Picture(2, 0); !ok || p.Page != 2 {
		t.Error("page 2 of the letter is not found")
	}
	if _, ok := letter.Picture(3, 0); ok {
		t.Error("the letter has no page 3")
	}
}
