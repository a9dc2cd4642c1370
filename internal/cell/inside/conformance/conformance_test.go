package main

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blotter/internal/cell/inside/extract"
	"blotter/internal/cell/inside/hostile"
	"blotter/internal/document"
)

func load0(t *testing.T) extract.Engines {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	e, err := extract.LoadEngines(filepath.Join(dir, "blotter-test-wazero"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// F2 to F5: every image of the generated documents is found with the pixels that the format's
// rules give it, and with what poppler sees in it where that is installed.
func TestGeneratedDocuments(t *testing.T) {
	e := load0(t)
	known := explained()
	for _, d := range generated() {
		t.Run(d.name, func(t *testing.T) {
			o := compare(context.Background(), d, e, "")
			if d.want == nil && o.equal+o.alike+len(o.only)+len(o.other)+len(o.bare) == 0 {
				t.Error("nothing was found")
			}
			if o.refused != "" || o.failed != "" {
				t.Fatalf("refused %q, failed %q", o.refused, o.failed)
			}
			for _, other := range o.other {
				if known[d.name] == "" {
					t.Error(other)
				}
			}
			if o.equal+o.alike+o.through+o.scaled < len(d.want) {
				t.Errorf("%d equal, %d alike, %d masked of %d", o.equal, o.alike, o.through+o.scaled, len(d.want))
			}
		})
	}
}

// The comparison itself must see what is wrong.
func TestComparisonSeesDifferences(t *testing.T) {
	e := load0(t)
	for name, spoil := range map[string]func(*picture){
		"another value": func(p *picture) {
			img := image.NewNRGBA(p.pixels.Bounds())
			for i := range img.Pix {
				img.Pix[i] = 0x55
			}
			p.pixels = img
		},
		"one pixel":    func(p *picture) { flip(p, 0, 0) },
		"another size": func(p *picture) { p.width++ },
	} {
		for _, d := range generated() {
			if d.want == nil || d.want[0].lossy {
				continue
			}
			d.want = slices.Clone(d.want)
			spoil(&d.want[0])
			if o := compare(context.Background(), d, e, ""); len(o.other) == 0 || !strings.Contains(o.other[0], "0 (") {
				t.Errorf("%s of %s: not seen: %v", name, d.name, o.other)
			}
			if testing.Short() {
				break
			}
		}
	}
}

// Carving finds pictures in the midst of other bytes, and in packed ones, and nothing in
// noise.
func TestCarve(t *testing.T) {
	png, jpeg, gray := pngKind{2, 3, 8}.file(5, 4, false), smooth(16, 8), bmps()[4].bytes
	emf := hostile.Example(document.EMF)
	b := []byte("noise")
	for _, part := range [][]byte{png, []byte(jpeg), gray[14:], []byte(deflate(string(emf))), hostile.Example(document.WMF)} {
		b = append(append(b, part...), strings.Repeat("noise", 20)...)
	}
	var got []document.Format
	for _, s := range carve(b) {
		got = append(got, s.format)
		if s.format == document.PNG && !bytes.Equal(s.data, png) || s.format == document.EMF && !bytes.Equal(s.data, emf) {
			t.Errorf("%v is cut wrongly", s.format)
		}
	}
	if want := []document.Format{document.PNG, document.JPEG, document.BMP, document.EMF, document.WMF}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	rest := make([]byte, 1<<16)
	for i := range rest {
		rest[i] = byte(noise(1, i, 0, 8)) //nolint:gosec // 8 bits
	}
	if found := carve(rest); len(found) > 0 {
		t.Errorf("found in noise: %v", found)
	}
}

// A small copy in the metadata of a JPEG is another picture.
func TestCarveWithin(t *testing.T) {
	small := smooth(8, 8)
	outer := "\xff\xd8\xff\xe1" + string([]byte{byte((len(small) + 8) >> 8), byte(len(small) + 8)}) + "Exif\x00\x00" + small + smooth(16, 8)[2:]
	if all := carve([]byte(outer)); len(all) != 2 || !all[1].inner || string(all[1].data) != small || string(all[0].data) != outer {
		t.Errorf("%d pictures", len(all))
	}
}

// The manifest's facts are held against what is there.
func TestToldOtherwise(t *testing.T) {
	frame := func(w, h int) extract.Item {
		return extract.Item{Asset: document.Asset{Kind: document.Frame, Width: w, Height: h}}
	}
	picture := extract.Item{Asset: document.Asset{Kind: document.Image}}
	for _, c := range []struct {
		facts  string
		format document.Format
		items  []extract.Item
		want   int
	}{
		{"PNG 10x20; frames 1; bits 8", document.PNG, []extract.Item{frame(20, 10)}, 0},
		{"PNG 10x20; frames 1; bits 8", document.PNG, []extract.Item{frame(10, 21)}, 1},
		{"TIFF 10x20; dirs 2; compression None", document.TIFF, []extract.Item{frame(10, 20)}, 1},
		{"TIFF 10x20; dirs 1; compression None", document.TIFF, []extract.Item{frame(10, 20), frame(1, 1)}, 1},
		{"OLE2; pictures EMF:2+PNG:1", document.DOC, []extract.Item{picture, picture, picture}, 0},
		{"OLE2; pictures EMF:2+PNG:1", document.DOC, []extract.Item{picture, picture}, 1},
		{"zip entries 9, unpacked 1 B; media 2 png:1+mp3:1, largest 1 B", document.PPTX, []extract.Item{picture}, 0},
		{"zip entries 9, unpacked 1 B; media 2 png:1+mp3:1, largest 1 B", document.PPTX, nil, 1},
		{`\pict x1; image MIME parts 0`, document.RTF, nil, 1},
		{"pages 2; encrypted: no", document.PDF, nil, 1},
	} {
		if got := toldOtherwise(c.facts, c.format, c.items); len(got) != c.want {
			t.Errorf("%s: %v", c.facts, got)
		}
	}
}

func flip(p *picture, x, y int) {
	img := image.NewNRGBA(p.pixels.Bounds())
	copy(img.Pix, p.pixels.(*image.NRGBA).Pix) //nolint:forcetypeassert // the generator's
	c := img.NRGBAAt(x, y)
	img.SetNRGBA(x, y, color.NRGBA{c.R ^ 0x80, c.G, c.B, 0xff})
	p.pixels = img
}

func TestRows(t *testing.T) {
	got := rows([]byte("page   num  type   width height color comp bpc  enc interp  object ID x-ppi y-ppi size ratio\n" +
		"--------\n   2     1 smask     500   400 gray    1   8  image  no         4  0   300   300 4321B 1.7%\n"))
	if len(got) != 1 || got[0].page != 2 || got[0].kind != "smask" || got[0].width != 500 || got[0].height != 400 || got[0].lossy {
		t.Errorf("%+v", got)
	}
}
