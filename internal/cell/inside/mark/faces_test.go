package mark

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"testing"

	"blotter/internal/document"
)

// portrait is pigo's sample, a face that no one has (MIT; see licences), enlarged to a
// width.
func portrait(t testing.TB, width int) *image.Gray {
	t.Helper()
	f, err := os.Open("testdata/face.png")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	small := img.(*image.Gray)
	source := raster{small.Pix, small.Rect.Dx(), small.Rect.Dy()}
	k := float64(source.w) / float64(width)
	out := white(width, int(float64(source.h)/k))
	for y := range out.Rect.Dy() {
		for x := range width {
			out.Pix[y*out.Stride+x] = uint8(source.at(float64(x)*k, float64(y)*k))
		}
	}
	return out
}

// headOf is where the head is in the portrait: crown, ears and chin.
func headOf(at document.Box) document.Box {
	return document.Box{X: at.X + at.W*14/100, Y: at.Y + at.H*4/100, W: at.W * 70 / 100, H: at.H * 84 / 100}
}

func TestFacesAreCovered(t *testing.T) {
	for _, c := range []struct {
		name    string
		degrees float64
		width   int
		change  func(*image.Gray) *image.Gray
	}{
		{"a passport photograph", 0, 300, nil},
		{"a large one", 0, 900, nil},
		{"a small one", 0, 150, nil},
		{"tilted", 12, 300, nil},
		{"tilted more", -25, 300, nil},
		{"on its side", 90, 300, nil},
		{"upside down", 180, 300, nil},
		{"on its other side", 270, 300, nil},
		{"blurred", 0, 300, func(i *image.Gray) *image.Gray { return blurred(i, 3) }},
		{"noisy", 0, 300, func(i *image.Gray) *image.Gray { return noisy(i, 40, 1) }},
		{"dark", 0, 300, func(i *image.Gray) *image.Gray { return faded(i, 10, 100) }},
		{"pale", 0, 300, func(i *image.Gray) *image.Gray { return faded(i, 120, 240) }},
	} {
		page, words := textPage(t, 150)
		face := portrait(t, c.width)
		if c.change != nil {
			face = c.change(face)
		}
		at := put(page, turned(face, c.degrees, 255), 200, 300)
		m, err := New().Find(page, words, false)
		if err != nil {
			t.Fatal(err)
		}
		// A turned head is covered in its middle at least: its box is not worked out here.
		want := headOf(at)
		if c.degrees != 0 {
			want = document.BoxOf(at.Rect().Inset(min(at.W, at.H) * 3 / 10))
		}
		if err := oneFace(m, want, at); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// oneFace reports an error unless a face covers a place and no other finding is outside
// the photograph's surroundings.
func oneFace(m Marks, want, photograph document.Box) error {
	found := false
	for _, f := range m.Findings {
		near := document.BoxOf(photograph.Rect().Inset(-photograph.W / 3))
		if f.Type != document.Face || f.Source != document.ByFace || f.Score < 0.5 || f.Score > 1 || fitsIn(f.Box, near) != nil {
			return fmt.Errorf("found %+v, photograph %v", f, photograph)
		}
		found = found || fitsIn(want, f.Box) == nil
	}
	if !found || len(m.Codes) > 0 {
		return fmt.Errorf("found %+v, want %v", m, want)
	}
	return nil
}

// faded squeezes the levels of a picture between two.
func faded(img *image.Gray, low, high int) *image.Gray {
	for i, v := range img.Pix {
		img.Pix[i] = uint8(low + int(v)*(high-low)/255)
	}
	return img
}

func TestSeveralFacesAndAColourPicture(t *testing.T) {
	page := white(1600, 1200)
	var want []document.Box
	for i, w := range []int{200, 300, 420} {
		want = append(want, headOf(put(page, portrait(t, w), 60+i*500, 200)))
	}
	colour := image.NewNRGBA(page.Rect)
	for i, v := range page.Pix {
		copy(colour.Pix[4*i:], []uint8{v, v, v, 255})
	}
	for _, img := range []image.Image{page, colour} {
		m := find(t, img, false)
		for _, w := range want {
			covered := false
			for _, f := range m.Findings {
				covered = covered || fitsIn(w, f.Box) == nil
			}
			if !covered {
				t.Errorf("%T: no face at %v: %+v", img, w, m.Findings)
			}
		}
	}
}

func TestNoFaceInACode(t *testing.T) {
	m := Marks{Codes: []Code{{Box: document.Box{X: 100, Y: 100, W: 200, H: 200}}}}
	if !m.inCode(document.Box{X: 150, Y: 150, W: 60, H: 80}) || m.inCode(document.Box{X: 20, Y: 150, W: 120, H: 120}) || m.inCode(document.Box{X: 50, Y: 50, W: 400, H: 400}) {
		t.Error("a face is in a code where most of it lies there, not where it holds the code")
	}
}

func TestADamagedCascadeIsRefused(t *testing.T) {
	for name, b := range map[string][]byte{
		"empty": nil, "short": cascadeFile[:1000], "long": append(append([]byte(nil), cascadeFile...), 0),
		"deep": append([]byte{0, 0, 0, 0, 0, 0, 0, 0, 30, 0, 0, 0}, cascadeFile[12:]...),
	} {
		if _, err := parseCascade(b); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestPicturesOfOtherKindsAreRefused(t *testing.T) {
	if _, err := New().Find(image.NewCMYK(image.Rect(0, 0, 9, 9)), nil, false); err == nil {
		t.Error("no error")
	}
}
