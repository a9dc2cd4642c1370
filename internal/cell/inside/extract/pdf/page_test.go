package pdf

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// F20: a mask of many more pixels than an asset may have withholds itself; the page, which
// people see at its own size, is rendered at the resolution asked for, no higher.
func TestFineMaskDoesNotBlowThePageUp(t *testing.T) {
	const side = 10_000
	black := deflated(t, strings.Repeat("\x00", side*side/8))
	d := open(t, onePage(box, "q 100 0 0 100 0 0 cm /I Do Q", "/XObject<</I 10 0 R>>", parts{
		10: stream(fmt.Sprintf("/Subtype/Image/ImageMask true/Width %d/Height %d/BitsPerComponent 1/Filter/FlateDecode", side, side), black)}), roomy)
	items := d.Assets()
	if items[0].Withheld != "" || items[0].Width != 278 || items[0].DPI != roomy.PageDPI {
		t.Errorf("page %+v", items[0])
	}
	if items[1].Withheld != reason.ExtractPixels {
		t.Errorf("mask %+v", items[1])
	}
	if img := load(t, d, 0); lum(img, 50, 50) != 0 || lum(img, 250, 50) != 255 {
		t.Errorf("the page shows %d and %d", lum(img, 50, 50), lum(img, 250, 50))
	}
}

// F24, F25: the limit on pixels counts pixels: a page just within it is whole, over it scaled
// down, whatever unit the document counts in.
func TestUserUnitsAndOddSizes(t *testing.T) {
	for _, c := range []struct {
		page     string
		w, h     int
		dpi      int
		withheld reason.Code
	}{
		{"/MediaBox[0 0 200 100]", 278, 139, 100, ""},
		{"/MediaBox[0 0 200 100]/UserUnit 2", 556, 278, 100, ""},
		{"/MediaBox[0 0 200 100]/UserUnit .5/Rotate 90", 70, 139, 100, ""},
		{"/MediaBox[0 0 2 10000]", 3, 13889, 100, ""},                        // over-long
		{"/MediaBox[0 0 14400 14400]", 2000, 2000, 10, reason.ExtractPixels}, // 5 metres
		{"/MediaBox[0 0 0.01 0.01]", 1, 1, 100, ""},
		{"/MediaBox[200 100 0 0]", 278, 139, 100, ""}, // corners the other way round
		{"", 850, 1100, 100, ""},                      // none: letter
	} {
		d := open(t, onePage(c.page, "", "", nil), roomy)
		it := d.Assets()[0]
		if it.Width != c.w || it.Height != c.h || it.DPI != c.dpi || it.Withheld != c.withheld {
			t.Errorf("%s: %d×%d at %d, withheld %q; want %d×%d at %d, %q", c.page, it.Width, it.Height, it.DPI, it.Withheld, c.w, c.h, c.dpi, c.withheld)
		}
	}
}

// F25: a huge image drawn on many pages costs nothing on any of them.
func TestHugeImageOnManyPages(t *testing.T) {
	o := parts{1: "<</Type/Catalog/Pages 2 0 R>>", 4: stream("", "q 9 0 0 9 0 0 cm /I Do Q"), 10: rawImage(60000, 60000, "", "x")}
	kids := ""
	for n := 20; n < 60; n++ {
		o[n] = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</XObject<</I 10 0 R>>>>>>"
		kids += fmt.Sprintf("%d 0 R ", n)
	}
	o[2] = "<</Type/Pages/Kids[" + kids + "]/Count 40>>"
	d := open(t, o.write(""), roomy)
	if n := len(d.Assets()); n != 41 {
		t.Errorf("%d assets", n)
	}
	for _, it := range d.Assets() {
		if it.Withheld != reason.ExtractPixels {
			t.Errorf("%s %d: withheld with %q", it.Kind, it.Index, it.Withheld)
		}
	}
}

// A cross-reference table that leads nowhere is rebuilt.
func TestBrokenTables(t *testing.T) {
	whole := onePage(box, drawI, "/XObject<</I 10 0 R>>", parts{10: rawImage(4, 1, "", "\x05\x06\x07\x08")})
	start := bytes.LastIndex(whole, []byte("startxref"))
	table := bytes.LastIndex(whole, []byte("xref\n0"))
	for name, b := range map[string][]byte{
		"startxref past the end": append(bytes.Clone(whole[:start]), "startxref\n999999\n%%EOF\n"...),
		"no table":               append(bytes.Clone(whole[:table]), "trailer\n<</Root 1 0 R>>\n%%EOF\n"...),
		"offsets a line off":     append([]byte("%PDF-1.7\n%\n"), whole[9:]...),
		"nothing after objects":  whole[:table],
		"junk before the header": append([]byte("mail says:\r\n\r\n"), whole...),
	} {
		t.Run(name, func(t *testing.T) {
			d, err := tryOpen(b, roomy)
			if name == "nothing after objects" && err != nil { // PDFium needs a trailer to find the root
				if reason.Of(err) != reason.ExtractMalformed {
					t.Error(err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if len(d.Assets()) != 2 || d.Assets()[1].Kind != document.Image || values(load(t, d, 1)) != "05060708" {
				t.Errorf("assets %v", d.Assets())
			}
		})
	}
}

// An image whose predictor claims rows of megabytes is withheld, and its page with it; rows
// of the image's own are not.
func TestRowsOfPredictorsThatDoNotFit(t *testing.T) {
	for columns, want := range map[int]reason.Code{4: "", 16 << 20: "", 16<<20 + 1: reason.ExtractMemory, 1<<31 - 1: reason.ExtractMemory} {
		d := open(t, onePage(box, drawI, "/XObject<</I 10 0 R>>", parts{
			10: rawImage(4, 4, fmt.Sprintf("/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns %d>>", columns), deflated(t, strings.Repeat("\x00abcd", 4)))}), roomy)
		for _, it := range d.Assets() {
			if it.Withheld != want {
				t.Errorf("%d columns, %s: withheld with %q, want %q", columns, it.Kind, it.Withheld, want)
			}
		}
	}
}

// A JPEG 2000 image whose samples would not fit PDFium's memory is withheld before it is
// decoded, and so is the page that draws it; one sample a pixel fits where three do not.
func TestJPEG2000ThatDoesNotFit(t *testing.T) {
	lim := roomy
	lim.AssetPixels = 40e6
	for samples, want := range map[byte]reason.Code{1: "", 3: reason.ExtractMemory} {
		size := []byte("\xff\x4f\xff\x51\x00\x2f\x00\x00\x00\x00\x17\x70\x00\x00\x17\x70" + strings.Repeat("\x00", 8) +
			"\x00\x00\x17\x70\x00\x00\x17\x70" + strings.Repeat("\x00", 8) + "\x00")
		head := string(append(size, samples)) + strings.Repeat("\x07\x01\x01", int(samples)) // 6000×6000
		d := open(t, onePage(box, drawI, "/XObject<</I 10 0 R>>", parts{
			10: stream("/Subtype/Image/Width 6000/Height 6000/Filter/JPXDecode", head)}), lim)
		for _, it := range d.Assets() {
			if it.Withheld != want {
				t.Errorf("%d samples, %s: withheld with %q, want %q", samples, it.Kind, it.Withheld, want)
			}
		}
	}
}
