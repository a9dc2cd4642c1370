package main

import (
	"context"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blotter/internal/cell/inside/extract"
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
			o := compare(context.Background(), d, e)
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
		d := generated()[0]
		spoil(&d.want[0])
		if o := compare(context.Background(), d, e); len(o.other) == 0 || !strings.Contains(o.other[0], "0 (") {
			t.Errorf("%s: not seen: %v", name, o.other)
		}
	}
}

func flip(p *picture, x, y int) {
	img := image.NewNRGBA(p.pixels.Bounds())
	copy(img.Pix, p.pixels.(*image.NRGBA).Pix) //nolint:forcetypeassert // the generator's
	c := img.NRGBAAt(x, y)
	img.SetNRGBA(x, y, color.NRGBA{c.R ^ 0xff, c.G, c.B, 0xff})
	p.pixels = img
}

func TestRows(t *testing.T) {
	got := rows([]byte("page   num  type   width height color comp bpc  enc interp  object ID x-ppi y-ppi size ratio\n" +
		"--------\n   2     1 smask     500   400 gray    1   8  image  no         4  0   300   300 4321B 1.7%\n"))
	if len(got) != 1 || got[0].page != 2 || got[0].kind != "smask" || got[0].width != 500 || got[0].height != 400 || got[0].lossy {
		t.Errorf("%+v", got)
	}
}
