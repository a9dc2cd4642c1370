package specimen

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
	"unicode"

	"blotter/internal/cell/engine/enginetest"
	"blotter/internal/truth"
)

// coarse is a press that is quick: all pixels are twice as large.
func coarse(t *testing.T) *Press {
	t.Helper()
	p, err := Open(1)
	if err != nil {
		enginetest.Missing(t, err)
	}
	p.fineness = 0.5
	return p
}

func TestEveryKindIsMadeWithASoundTruth(t *testing.T) {
	p := coarse(t)
	for i, kind := range Kinds() {
		half := Half(i % 2)
		made, err := p.Make(half, kind, 0)
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.HasPrefix(made.Name, kind+"-001.") || len(made.Bytes) < 1000 {
			t.Errorf("%s has %d bytes", made.Name, len(made.Bytes))
		}
		file, err := json.Marshal(made.Truth)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := truth.Parse(file); err != nil {
			t.Errorf("%s: %v", made.Name, err)
		}
		for _, picture := range made.Truth.Pictures {
			sound(t, made.Name, picture)
		}
		if img := decoded(t, made); img != nil {
			inked(t, made.Name, img, made.Truth.Pictures[0])
		}
	}
}

// sound checks what holds for the truth of every picture.
func sound(t *testing.T, name string, p truth.Picture) {
	t.Helper()
	values := map[int]string{}
	for _, w := range p.Words {
		for _, q := range w.Quad {
			if q.X < 0 || q.Y < 0 || q.X > float64(p.Width) || q.Y > float64(p.Height) {
				t.Errorf("%s: %q leaves the picture at %v", name, w.Text, w.Quad)
				break
			}
		}
		if w.Want == truth.Destroy {
			if kind, seen := values[w.Value]; w.Value == 0 || seen && kind != w.Type {
				t.Errorf("%s: %q is of value %d, which is also a %s", name, w.Text, w.Value, kind)
			}
			values[w.Value] = w.Type
		}
	}
	if len(values) == 0 || len(p.Words) < 5 {
		t.Errorf("%s has %d words and %d values", name, len(p.Words), len(values))
	}
}

// decoded opens what Go can open; other kinds are judged by the readers' own tests.
func decoded(t *testing.T, s Specimen) image.Image {
	t.Helper()
	var img image.Image
	var err error
	switch {
	case strings.HasSuffix(s.Name, ".png"):
		img, err = png.Decode(bytes.NewReader(s.Bytes))
	case strings.HasSuffix(s.Name, ".jpg"):
		img, err = jpeg.Decode(bytes.NewReader(s.Bytes))
	}
	if err != nil {
		t.Errorf("%s: %v", s.Name, err)
	}
	return img
}

// inked checks that something stands out under each quad.
func inked(t *testing.T, name string, img image.Image, p truth.Picture) {
	t.Helper()
	if img.Bounds().Dx() != p.Width || img.Bounds().Dy() != p.Height {
		t.Errorf("%s is %v, its truth %d×%d", name, img.Bounds(), p.Width, p.Height)
		return
	}
	for _, w := range p.Words {
		least, most := 255, 0
		r := w.Box().Rect().Intersect(img.Bounds())
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				v := int(color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y)
				least, most = min(least, v), max(most, v)
			}
		}
		if letters := strings.ContainsFunc(w.Text, unicode.IsLetter) || strings.ContainsFunc(w.Text, unicode.IsDigit); letters && most-least < 25 {
			t.Errorf("%s: no ink under %q at %v", name, w.Text, r)
		}
	}
}

func TestTheSameSeedMakesTheSameBytes(t *testing.T) {
	for _, kind := range []string{"insurance-card", "prescription", "label"} {
		a, err := coarse(t).Make(Publish, kind, 1)
		if err != nil {
			t.Fatal(err)
		}
		b, err := coarse(t).Make(Publish, kind, 1)
		if err != nil {
			t.Fatal(err)
		}
		if a.Name != b.Name || !bytes.Equal(a.Bytes, b.Bytes) {
			t.Errorf("%s differs from itself", kind)
		}
		other, err := coarse(t).Make(Publish, kind, 2)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(a.Bytes, other.Bytes) {
			t.Errorf("%s has one document only", kind)
		}
	}
}

func TestHalvesShareNoPerson(t *testing.T) {
	p := coarse(t)
	p.fineness = 0.25
	seen := map[string]Half{}
	for _, half := range []Half{Tune, Publish} {
		for _, kind := range []string{"wristband", "label", "identity-card", "insurance-card"} {
			for n := range 3 {
				made, err := p.Make(half, kind, n)
				if err != nil {
					t.Fatal(err)
				}
				for _, name := range namesIn(made) {
					if h, ok := seen[name]; ok && h != half {
						t.Errorf("%q is in both halves", name)
					}
					seen[name] = half
				}
			}
		}
	}
	if len(seen) < 20 {
		t.Errorf("only %d names were seen", len(seen))
	}
}

func namesIn(s Specimen) []string {
	var out []string
	for _, p := range s.Truth.Pictures {
		for _, w := range p.Words {
			if text := strings.ToLower(strings.Trim(w.Text, ".,")); w.Want == truth.Destroy && (w.Type == "name" || w.Type == "staff") && len(text) > 3 {
				out = append(out, text)
			}
		}
	}
	return out
}
