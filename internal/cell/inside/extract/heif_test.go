package extract

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"testing"

	"blotter/internal/cell/inside/extract/raster/bmff"
	"blotter/internal/cell/inside/sniff"
	"blotter/internal/document"
	"blotter/internal/examples"
	"blotter/internal/reason"
)

// coded is the picture of the files in testdata.
func coded(w, h int, green uint8) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{240, 240, 240, 255}
			switch {
			case x < w/2 && y < h/2:
				c = color.NRGBA{200, 20 + green, 20, 255}
			case y < h/4:
				c = color.NRGBA{20, 60, 200, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func readCoded(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func openCoded(t *testing.T, b []byte) Source {
	t.Helper()
	f, err := sniff.Sniff(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	src, err := Open(context.Background(), bytes.NewReader(b), int64(len(b)), f, corpusLimits, engines, nil)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// alike allows for what the codecs lose beside edges.
func alike(t *testing.T, got image.Image, want *image.NRGBA) {
	t.Helper()
	if got.Bounds() != want.Bounds() {
		t.Fatalf("bounds %v, want %v", got.Bounds(), want.Bounds())
	}
	off := 0
	for y := range want.Rect.Dy() {
		for x := range want.Rect.Dx() {
			g, w := color.NRGBAModel.Convert(got.At(x, y)).(color.NRGBA), want.NRGBAAt(x, y)
			for _, d := range []int{int(g.R) - int(w.R), int(g.G) - int(w.G), int(g.B) - int(w.B)} {
				if d > 24 || d < -24 {
					off++
					break
				}
			}
		}
	}
	if area := want.Rect.Dx() * want.Rect.Dy(); off*100 > 8*area {
		t.Errorf("%d of %d pixels are off", off, area)
	}
}

func TestCodedPictures(t *testing.T) {
	for name, c := range map[string]struct {
		want   []*image.NRGBA
		format document.Format
	}{
		"small.heic":    {[]*image.NRGBA{coded(40, 24, 0)}, document.HEIC},
		"picture.heic":  {[]*image.NRGBA{coded(200, 120, 0)}, document.HEIC},
		"picture.avif":  {[]*image.NRGBA{coded(200, 120, 0)}, document.AVIF},
		"tenbits.avif":  {[]*image.NRGBA{coded(40, 24, 0)}, document.AVIF},
		"sequence.avif": {[]*image.NRGBA{coded(40, 24, 0), coded(40, 24, 0), coded(40, 24, 80), coded(40, 24, 160)}, document.AVIF}, // the still, then its frames
	} {
		t.Run(name, func(t *testing.T) {
			src := openCoded(t, readCoded(t, name))
			if len(src.Assets()) != len(c.want) || src.Assets()[0].Format != c.format {
				t.Fatalf("%+v", src.Assets())
			}
			for _, again := range []int{0, 1} { // and in any order
				for i := range c.want {
					if again == 1 {
						i = len(c.want) - 1 - i
					}
					img, err := src.Load(i)
					if err != nil {
						t.Fatalf("picture %d: %v", i, err)
					}
					alike(t, img, c.want[i])
				}
			}
		})
	}
}

// parts takes the one picture out of a file.
func parts(t *testing.T, name string) (props []examples.HEIFProp, data []byte, kind string) {
	t.Helper()
	b := readCoded(t, name)
	f, err := bmff.Read(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	it := f.Item(f.Primary)
	if data, err = f.Data(it); err != nil {
		t.Fatal(err)
	}
	for _, p := range it.Props {
		props = append(props, examples.HEIFProp{Kind: p.Kind, Data: p.Data})
	}
	return props, data, it.Type
}

// A grid of real tiles, turned as a camera turns it.
func TestCodedGrid(t *testing.T) {
	for _, name := range []string{"picture.heic", "picture.avif"} {
		props, data, kind := parts(t, name)
		tile := examples.HEIFItem{Type: kind, Props: props, Data: data, Hidden: true}
		layout := binary.BigEndian.AppendUint16([]byte{0, 0, 0, 1}, 390)
		grid := examples.HEIFItem{Type: "grid", Data: binary.BigEndian.AppendUint16(layout, 120), Tiles: []uint16{2, 3},
			Props: []examples.HEIFProp{examples.HEIFSize(390, 120), {Kind: "irot", Data: []byte{3}}}}
		src := openCoded(t, examples.EncodeHEIF("heic", 1, []examples.HEIFItem{grid, tile, tile}))
		if len(src.Assets()) != 1 || src.Assets()[0].Width != 120 || src.Assets()[0].Height != 390 {
			t.Fatalf("%s: %+v", name, src.Assets())
		}
		img, err := src.Load(0)
		if err != nil {
			t.Fatal(err)
		}
		want, one := image.NewNRGBA(image.Rect(0, 0, 120, 390)), coded(200, 120, 0)
		for y := range 390 {
			for x := range 120 {
				want.SetNRGBA(x, y, one.NRGBAAt(y%200, 119-x)) // a quarter with the clock
			}
		}
		alike(t, img, want)
	}
}

// A stream that is cut, or of another size than its description says, shows nothing.
func TestCodedLies(t *testing.T) {
	for _, name := range []string{"picture.heic", "picture.avif", "tenbits.avif"} {
		props, data, kind := parts(t, name)
		try := func(props []examples.HEIFProp, data []byte) error {
			src := openCoded(t, examples.EncodeHEIF("heic", 1, []examples.HEIFItem{{Type: kind, Props: props, Data: data}}))
			_, err := src.Load(0)
			return err
		}
		if err := try(props, data); err != nil {
			t.Errorf("%s, whole: %v", name, err)
		}
		if err := try(props, data[:len(data)/2]); err == nil {
			t.Errorf("%s: half of it shows a picture", name)
		}
		for _, size := range [][2]uint32{{64, 48}, {2000, 1200}} {
			lie := append([]examples.HEIFProp{examples.HEIFSize(size[0], size[1])}, props...)
			if err := try(lie, data); err == nil || reason.Of(err) == reason.Internal {
				t.Errorf("%s, called %v: %v", name, size, err)
			}
		}
	}
}
