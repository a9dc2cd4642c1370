package inside_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"slices"
	"testing"

	"blotter/internal/cell"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/examples/paper"
	looking "blotter/internal/inspect"
	"blotter/internal/policy"
	"blotter/internal/reason"
)

// F24: a slip of units refused every page. Under the default policy, as it ships, what a
// clinic sends is opened whole, and what lies right over each limit is not: honest neighbours
// of F20 (a fine mask), F22 (a long animation), F23 (a blank picture) and F25 (an over-long
// page, a large image on many pages) among them.
func TestDefaultPolicyTakesWhatClinicsSend(t *testing.T) {
	cells := cell.NewPool(openers(t), 0)
	t.Cleanup(func() { cells.Close() })
	lim := policy.Default().Limits
	a4 := "/MediaBox [0 0 595 842]"
	scan := func(w, h int, bits string) string {
		var packed bytes.Buffer
		z := zlib.NewWriter(&packed)
		z.Write(make([]byte, w*h/8)) // enough for one bit a pixel, and into memory: it cannot fail
		z.Close()
		return stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d %s /Filter /FlateDecode", w, h, bits), packed.Bytes())
	}
	one := func(box, picture string) []byte {
		return pdf("<< /Type /Page /Parent 2 0 R "+box+" /Contents 4 0 R /Resources << /XObject << /I 6 0 R >> >> >>", stream("", []byte("q 500 0 0 700 0 0 cm /I Do Q")), picture)
	}
	const gray, colour, mask = "/ColorSpace /DeviceGray /BitsPerComponent 8", "/ColorSpace /DeviceRGB /BitsPerComponent 8", "/ImageMask true /BitsPerComponent 1"
	fax := paper.Threshold(image.NewGray(image.Rect(0, 0, 1728, 2200)), 128)
	for name, c := range map[string]struct {
		doc      []byte
		assets   int
		withheld []reason.Code
	}{
		"A4 at 300 dpi, colour":     {one(a4, scan(2480, 3508, colour)), 2, nil},
		"A4 at 600 dpi, gray":       {one(a4, scan(4960, 7016, gray)), 2, nil},
		"A4 under a mask, 1200 dpi": {one(a4, scan(9920, 14032, mask)), 2, []reason.Code{"", reason.ExtractPixels}},
		"an over-long page":         {one("/MediaBox [0 0 400 14400]", scan(200, 200, gray)), 2, nil},
		"a poster":                  {one("/MediaBox [0 0 2384 3370]", scan(200, 200, gray)), 2, nil},
		"200 pages":                 {pages(200, 2), 200, nil},
		"a fax of 100 pages":        {paper.EncodeTIFF(slices.Repeat([]paper.Bitmap{fax}, 100)), 100, nil},
		"an animation":              {animationOf(t, 200, 1024, 768), 200, nil},
		"a photograph":              {animationOf(t, 1, 6000, 4000), 1, nil},
		"a blank picture":           {rezip(t, sample(t, ".docx"), "word/media/image9.bmp", blankBMP(500, 500)), 2, nil},
	} {
		t.Run(name, func(t *testing.T) {
			seen, _, err := looking.Look(t.Context(), cells, file(t, c.doc), int64(len(c.doc)), wire.Task{Limits: lim})
			if err != nil || len(seen.Images) != c.assets {
				t.Fatalf("%v, %d assets, want %d", err, len(seen.Images), c.assets)
			}
			for i, l := range seen.Images {
				var want reason.Code
				if c.withheld != nil {
					want = c.withheld[i]
				}
				if l.Withheld != want {
					t.Errorf("asset %d, %v of %d×%d: withheld with %q, want %q", i+1, l.Kind, l.Width, l.Height, l.Withheld, want)
				}
				if l.Kind == document.Page && l.Width*l.Height > 40e6 {
					t.Errorf("a page of %d×%d", l.Width, l.Height)
				}
			}
		})
	}
}
