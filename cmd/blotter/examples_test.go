package main_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"blotter/internal/document"
	"blotter/internal/examples"
	"blotter/internal/truth"
	"blotter/receipt"
)

// maxLost is the share of ordinary words that redaction may cover in the examples.
const maxLost = 0.10

// The documents that ship with the project, judged by their pixels.
func TestExamplesAreRedacted(t *testing.T) {
	t.Parallel()
	all, err := examples.All()
	if err != nil {
		t.Fatal(err)
	}
	s := newStation(t)
	dir := t.TempDir()
	var files []string
	for _, e := range all {
		path := filepath.Join(dir, e.Name)
		if err := os.WriteFile(path, e.Bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	out, got := s.redact(0, append(files, "--originals")...)
	if len(got) != len(all) {
		t.Fatalf("%d results for %d documents", len(got), len(all))
	}
	for i, e := range all {
		t.Run(e.Name, func(t *testing.T) {
			judge(t, filepath.Join(out, []string{"0001", "0002", "0003", "0004"}[i]), e, got[i])
		})
	}
	if r := s.run(program(t), "verify", out); r.exit != 0 {
		t.Errorf("verify ended with %d:\n%s%s", r.exit, r.out, r.err)
	}
	s.checkAtRest()
}

func judge(t *testing.T, dir string, e examples.Example, r receipt.Result) {
	if r.State != string(document.Released) {
		t.Fatalf("state %s, reason %s", r.State, r.Reason)
	}
	pictures := 0
	for _, a := range r.Assets {
		if a.Derivative == nil {
			t.Errorf("asset %d (%s) was withheld: %s", a.Index, a.Kind, a.Reason)
			continue
		}
		derivative, original := load(t, dir, a.Derivative.File), load(t, dir, a.Original.File)
		onlyBoxesDiffer(t, a, original, derivative)
		p, ok := pictureOf(e, a)
		if !ok {
			continue
		}
		pictures++
		v := p.Judge(truth.Redacted{Image: derivative})
		if v.Destroyed != v.Secret {
			t.Errorf("asset %d (%s): %d of %d values destroyed; left: %q", a.Index, a.Kind, v.Destroyed, v.Secret, v.Leaks)
		}
		if float64(v.Lost) > maxLost*float64(v.Kept) {
			t.Errorf("asset %d (%s): %d of %d ordinary words lost: %q", a.Index, a.Kind, v.Lost, v.Kept, v.Losses)
		}
	}
	if pictures < len(e.Pictures) {
		t.Errorf("%d of %d pictures were found among the assets", pictures, len(e.Pictures))
	}
}

// pictureOf finds the picture whose truth an asset can be judged by.
func pictureOf(e examples.Example, a receipt.ResultAsset) (truth.Picture, bool) {
	for _, p := range e.Pictures {
		same := p.Page == int(a.Page) && (p.Frame == int(a.Frame) || p.Frame == 0 || a.Frame == 0)
		shape := abs(p.Width*int(a.Height)-p.Height*int(a.Width))*50 < p.Height*int(a.Width)
		if same && shape {
			return p, true
		}
	}
	return truth.Picture{}, false
}

func abs(n int) int { return max(n, -n) }

// onlyBoxesDiffer demands that boxes are solid and all other pixels as they were.
func onlyBoxesDiffer(t *testing.T, a receipt.ResultAsset, original, derivative image.Image) {
	t.Helper()
	if original.Bounds() != derivative.Bounds() || original.Bounds() != image.Rect(0, 0, int(a.Width), int(a.Height)) {
		t.Fatalf("asset %d: %v became %v, want %d×%d", a.Index, original.Bounds(), derivative.Bounds(), a.Width, a.Height)
	}
	burnt := make([]bool, a.Width*a.Height)
	for _, b := range a.Boxes {
		for y := b.Y; y < b.Y+b.H; y++ {
			for x := b.X; x < b.X+b.W; x++ {
				burnt[y*a.Width+x] = true
			}
		}
	}
	for i, b := range burnt {
		x, y := i%int(a.Width), i/int(a.Width)
		r, g, bl, _ := derivative.At(x, y).RGBA()
		switch {
		case b && r+g+bl != 0:
			t.Fatalf("asset %d: pixel %d,%d lies in a box and is not black", a.Index, x, y)
		case !b && !sameColour(original, derivative, x, y):
			t.Fatalf("asset %d: pixel %d,%d lies in no box and was changed", a.Index, x, y)
		}
	}
}

func sameColour(a, b image.Image, x, y int) bool {
	r1, g1, b1, a1 := a.At(x, y).RGBA()
	r2, g2, b2, a2 := b.At(x, y).RGBA()
	return r1 == r2 && g1 == g2 && b1 == b2 && a1 == a2
}

func load(t *testing.T, dir, name string) image.Image {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return img
}
