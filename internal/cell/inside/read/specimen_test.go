package read

import (
	"image"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
	"blotter/internal/truth"
)

// TestMeasureSpecimens measures reading on the pictures among documents with truth, such
// as those of internal/specimen/generate:
//
//	BLOTTER_SPECIMENS=DIR go test -tags nodynamic -v -run TestMeasureSpecimens ./internal/cell/inside/read
//
// With BLOTTER_MISSES=1 it names each word that no box covers; never set it for the half
// that figures are published of.
func TestMeasureSpecimens(t *testing.T) {
	dir := os.Getenv("BLOTTER_SPECIMENS")
	if dir == "" {
		t.Skip("BLOTTER_SPECIMENS names no folder")
	}
	paths, _ := filepath.Glob(filepath.Join(dir, "*"+truth.Suffix))
	reader(t)
	var all tally
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		d, err := truth.Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(path, truth.Suffix)
		if ext := filepath.Ext(name); ext != ".png" && ext != ".jpg" || len(d.Pictures) != 1 {
			continue
		}
		one := measureSpecimen(t, name, d.Pictures[0])
		t.Logf("%s: %s", filepath.Base(name), one)
		all = all.plus(one)
	}
	t.Logf("all: %s", all)
}

func measureSpecimen(t *testing.T, path string, want truth.Picture) (out tally) {
	img := pageFile(t, path)
	if s := img.Bounds().Size(); s.X != want.Width || s.Y != want.Height {
		return out
	}
	resetPeak()
	began := ownCPU()
	p := mustRead(t, img, nil)
	out = tally{pages: 1, peak: peakMiB(), ours: ownCPU() - began, unread: len(p.Unread), theirs: tesseractCPU(path)}
	boxes := seenOn(p)
	for _, w := range want.Words {
		if plain(w.Text) == "" {
			continue
		}
		out.words++
		under := quadUnder(w.Quad, boxes)
		if under >= 0.95 {
			out.covered++
		}
		at := printed{w.Text, boundsOf(w.Quad)}
		exact := wordOn(p, at, strings.EqualFold)
		if exact {
			out.exact++
		}
		if wordOn(p, at, func(a, b string) bool { return strings.Contains(plain(a), plain(b)) }) {
			out.loose++
		}
		if os.Getenv("BLOTTER_MISSES") != "" && (under < 0.95 || !exact) {
			t.Logf("    %-24q covered %3.0f %%, exact %v, at %v", w.Text, 100*under, exact, at.box)
		}
	}
	return out
}

// seenOn are the boxes of all words and unread regions in the asset's pixels.
func seenOn(p words.Page) (out []document.Box) {
	for _, b := range seenBoxes(p) {
		out = append(out, p.ToAsset(b))
	}
	return out
}

func wordOn(p words.Page, w printed, same func(a, b string) bool) bool {
	upright := p
	upright.Words = nil
	for _, x := range p.Words {
		x.Box = p.ToAsset(x.Box)
		upright.Words = append(upright.Words, x)
	}
	return wordAt(upright, w, same)
}

func boundsOf(q [4]truth.Point) document.Box {
	r := image.Rectangle{}
	for _, p := range q {
		r = r.Union(image.Rect(int(math.Floor(p.X)), int(math.Floor(p.Y)), int(math.Floor(p.X))+1, int(math.Floor(p.Y))+1))
	}
	return document.BoxOf(r)
}

// quadUnder is the share, 0–1, of a quad's pixels that lie under boxes.
func quadUnder(q [4]truth.Point, boxes []document.Box) float64 {
	const n = 40
	hit := 0
	for j := range n {
		for i := range n {
			u, v := (float64(i)+0.5)/n, (float64(j)+0.5)/n
			mix := func(a, b, c, d float64) float64 { return (a*(1-u)+b*u)*(1-v) + (d*(1-u)+c*u)*v }
			at := image.Pt(int(mix(q[0].X, q[1].X, q[2].X, q[3].X)), int(mix(q[0].Y, q[1].Y, q[2].Y, q[3].Y)))
			for _, b := range boxes {
				if at.In(b.Rect()) {
					hit++
					break
				}
			}
		}
	}
	return float64(hit) / (n * n)
}
