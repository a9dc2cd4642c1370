package pdf

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/cell/inside/extract/pdf/objects"
	"blotter/internal/document"
	"blotter/internal/reason"
)

func tryOpen(b []byte, lim document.Limits) (*Document, error) {
	return Open(context.Background(), bytes.NewReader(b), int64(len(b)), lim, engine)
}

func open(t *testing.T, b []byte, lim document.Limits) *Document {
	t.Helper()
	d, err := tryOpen(b, lim)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func load(t *testing.T, d *Document, i int) image.Image {
	t.Helper()
	img, err := d.Load(i)
	if err != nil {
		t.Fatal(err)
	}
	if it := d.Assets()[i]; img.Bounds() != image.Rect(0, 0, it.Width, it.Height) {
		t.Fatalf("asset %d is %v, but was promised as %d×%d", i, img.Bounds(), it.Width, it.Height)
	}
	return img
}

func lum(img image.Image, x, y int) int {
	return int(color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y)
}

// The boxes of the text layer must lie on the ink of the rendered page, however the
// page is turned and wherever its box begins: every dark pixel in a box, every box
// with dark pixels.
func TestLayerLiesOnTheInk(t *testing.T) {
	text := "BT /F 12 Tf 20 60 Td (Anna Muster) Tj 0 -30 Td (Born 1970) Tj ET"
	up := "BT /F 12 Tf 0 1 -1 0 60 10 Tm (Sideways) Tj ET"
	for _, c := range []struct {
		page, content string
		want          []string
		vertical      bool
	}{
		{box, text, []string{"1970", "Anna", "Born", "Muster"}, false},
		{box + "/Rotate 90", text, []string{"1970", "Anna", "Born", "Muster"}, true},
		{box + "/Rotate 180", text, []string{"1970", "Anna", "Born", "Muster"}, false},
		{box + "/Rotate 270", text, []string{"1970", "Anna", "Born", "Muster"}, true},
		{"/MediaBox[-50 -20 250 180]/CropBox[10 15 190 95]", text, []string{"1970", "Anna", "Born", "Muster"}, false},
		{"/MediaBox[-50 -20 250 180]/CropBox[10 15 190 95]/Rotate 90", text, []string{"1970", "Anna", "Born", "Muster"}, true},
		{box, up, []string{"Sideways"}, true},
		{box + "/Rotate 90", up, []string{"Sideways"}, false},
	} {
		t.Run(c.page+c.content[:6]+fmt.Sprint(len(c.content)), func(t *testing.T) {
			d := open(t, onePage(c.page, c.content, "", nil), roomy)
			img := load(t, d, 0)
			words, err := d.Layer(0)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, w := range words {
				got = append(got, w.Text)
				if w.Vertical != c.vertical {
					t.Errorf("%q: vertical is %v", w.Text, w.Vertical)
				}
			}
			sort.Strings(got) // PDFium's order of lines is its own
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("words %q, want %q", got, c.want)
			}
			inked := make([]int, len(words))
			for y := range img.Bounds().Dy() {
				for x := range img.Bounds().Dx() {
					if lum(img, x, y) > 100 {
						continue
					}
					in := false
					for i, w := range words {
						if image.Pt(x, y).In(w.Box.Rect().Inset(-1)) {
							inked[i]++
							in = true
						}
					}
					if !in {
						t.Fatalf("ink at %d,%d outside every word's box", x, y)
					}
				}
			}
			for i, n := range inked {
				if n == 0 {
					t.Errorf("no ink in the box of %q", words[i].Text)
				}
			}
		})
	}
}

// The words of a line run from left to right and share its number.
func TestLayerLines(t *testing.T) {
	d := open(t, onePage(box, "BT /F 12 Tf 20 60 Td (one two) Tj 0 -30 Td (three) Tj ET", "", nil), roomy)
	words, err := d.Layer(0)
	if err != nil || len(words) != 3 {
		t.Fatalf("%d words, %v", len(words), err)
	}
	if words[0].Line != 0 || words[1].Line != 0 || words[2].Line != 1 || words[0].Box.X >= words[1].Box.X {
		t.Errorf("words %+v", words)
	}
}

func TestInvisibleTextIsInTheLayer(t *testing.T) {
	d := open(t, onePage(box, "BT 3 Tr /F 12 Tf 20 60 Td (hidden) Tj ET", "", nil), roomy)
	words, err := d.Layer(0)
	if err != nil || len(words) != 1 || words[0].Text != "hidden" {
		t.Errorf("words %+v, %v", words, err)
	}
}

// F6, F30: an image is placed, nested in a form, turned by the page: the matrix must lead from
// its pixels to where they are on the page.
func TestPlacements(t *testing.T) {
	for _, c := range []struct{ name, page, content string }{
		{"plain", box, "q 80 0 0 40 20 30 cm /I Do Q"},
		{"turned page", box + "/Rotate 90", "q 80 0 0 40 20 30 cm /I Do Q"},
		{"upside down page, moved box", "/MediaBox[10 5 210 105]/Rotate 180", "q 80 0 0 40 50 30 cm /I Do Q"},
		{"turned image", box, "q 0 60 -60 0 150 20 cm /I Do Q"},
		{"mirrored image", box, "q -80 0 0 40 150 30 cm /I Do Q"},
		{"skewed image", box, "q 60 20 -20 40 50 20 cm /I Do Q"},
		{"in a form", box, "q .5 0 0 .5 10 10 cm /X Do Q"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := open(t, onePage(c.page, c.content, "/XObject<</I 10 0 R/X 11 0 R>>", parts{
				10: rawImage(4, 4, "", quarters),
				11: stream("/Type/XObject/Subtype/Form/BBox[0 0 400 400]/Matrix[1 0 0 1 30 0]/Resources<</XObject<</I 10 0 R>>>>", "q 160 0 0 80 40 60 cm /I Do Q"),
			}), roomy)
			page := load(t, d, 0)
			pl := d.Placements(0)
			if len(pl) != 1 || pl[0].Image != 1 || pl[0].Alone {
				t.Fatalf("placements %+v", pl)
			}
			m := matrix(pl[0].ToPage)
			for _, p := range []struct {
				x, y float64
				want int
			}{{1, 1, 0}, {3, 1, 0x80}, {1, 3, 0x80}, {3, 3, 0x80}, {-1, 2, 255}, {5, 2, 255}, {2, -1, 255}, {2, 5, 255}} {
				x, y := m.apply(p.x, p.y)
				if got := lum(page, int(x), int(y)); got < p.want-12 || got > p.want+12 {
					t.Errorf("image pixel %g,%g lies at %.1f,%.1f, which is %d, want %d", p.x, p.y, x, y, got, p.want)
				}
			}
		})
	}
}

// F6: one image drawn on two pages, twice on one, is one asset with three placements;
// equal bytes under another Decode array are another picture.
func TestOneImageManyPlacements(t *testing.T) {
	page := func(c string) string {
		return "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents " + c + " 0 R/Resources<</XObject<</I 10 0 R/N 11 0 R/C 12 0 R>>>>>>"
	}
	b := parts{
		1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>", 3: page("5"), 4: page("6"),
		5:  stream("", "q 20 0 0 20 0 0 cm /I Do Q q 40 0 0 40 100 0 cm /I Do Q"),
		6:  stream("", "q 20 0 0 20 0 0 cm /C Do Q q 20 0 0 20 50 0 cm /N Do Q"),
		10: rawImage(4, 4, "", quarters), 11: rawImage(4, 4, "/Decode[1 0]", quarters), 12: rawImage(4, 4, "", quarters),
	}.write("")
	d := open(t, b, roomy)
	var kinds []document.AssetKind
	for _, it := range d.Assets() {
		kinds = append(kinds, it.Kind)
	}
	if fmt.Sprint(kinds) != "[page image page image]" {
		t.Fatalf("assets %v", kinds)
	}
	if p := d.Placements(0); len(p) != 2 || p[0].Image != 1 || p[1].Image != 1 {
		t.Errorf("page 1: %+v", p)
	}
	if p := d.Placements(2); len(p) != 2 || p[0].Image != 1 || p[1].Image != 3 {
		t.Errorf("page 2: %+v", p)
	}
	if a, b := lum(load(t, d, 1), 0, 0), lum(load(t, d, 3), 0, 0); a != 0 || b != 255 {
		t.Errorf("first pixels %d and %d, want 0 and 255", a, b)
	}
}

func TestAlone(t *testing.T) {
	full := "q 200 0 0 100 0 0 cm /I Do Q"
	for _, c := range []struct {
		name, page, content, extra string
		want                       bool
	}{
		{"fills the page", box, full, "", true},
		{"with invisible text", box, full + " BT 3 Tr /F 9 Tf 9 9 Td (x) Tj ET", "", true},
		{"with text", box, full + " BT /F 9 Tf 9 9 Td (x) Tj ET", "", false},
		{"with a line", box, full + " 0 0 m 9 9 l S", "", false},
		{"smaller", box, "q 100 0 0 100 0 0 cm /I Do Q", "", false},
		{"larger", box, "q 300 0 0 100 0 0 cm /I Do Q", "", false},
		{"twice", box, full + " " + full, "", false},
		{"clipped", box, "q 10 10 20 20 re W n 200 0 0 100 0 0 cm /I Do Q", "", false},
		{"on a turned page", box + "/Rotate 90", full, "", false},
		{"masked", box, full, "/SMask 11 0 R", false},
		{"with a comment", box + "/Annots[<</Type/Annot/Subtype/Square/Rect[1 1 9 9]>>]", full, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := open(t, onePage(c.page, c.content, "/XObject<</I 10 0 R>>", parts{
				10: rawImage(4, 4, c.extra, quarters), 11: rawImage(4, 4, "", strings.Repeat("\x00\xff", 8))}), roomy)
			if got := d.Placements(0)[0].Alone; got != c.want {
				t.Errorf("alone is %v", got)
			}
		})
	}
}

// F8: transparent parts are white, not black, and the ink keeps its value.
func TestMaskLiesOnWhite(t *testing.T) {
	d := open(t, onePage(box, "q 100 0 0 100 0 0 cm /I Do Q", "/XObject<</I 10 0 R>>", parts{
		10: rawImage(4, 4, "/SMask 11 0 R", quarters),
		11: rawImage(4, 4, "", strings.Repeat("\xff\xff\x00\x00", 4))}), roomy)
	img := load(t, d, 1)
	for _, p := range []struct{ x, y, want int }{{0, 0, 0}, {1, 3, 0x80}, {2, 0, 255}, {3, 3, 255}} {
		if got := lum(img, p.x, p.y); got != p.want {
			t.Errorf("pixel %d,%d is %d, want %d", p.x, p.y, got, p.want)
		}
	}
}

func jpegOf(t *testing.T, w, h int) string {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, w, h)), nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A dictionary may call a large JPEG small. The stream's size is the one that counts,
// for limits and for the asset.
func TestDeclaredSizeLies(t *testing.T) {
	b := onePage(box, "q 100 0 0 100 0 0 cm /I Do Q", "/XObject<</I 10 0 R>>", parts{
		10: stream("/Type/XObject/Subtype/Image/Width 10/Height 10/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode", jpegOf(t, 300, 200))})
	d := open(t, b, roomy)
	if it := d.Assets()[1]; it.Width != 300 || it.Height != 200 || it.Format != document.JPEG {
		t.Fatalf("image %+v", it)
	}
	if _, err := d.Load(1); err != nil && reason.Of(err) != reason.ExtractSizeLies {
		t.Error(err)
	}
	lim := roomy
	lim.AssetPixels = 59_999
	for i, it := range open(t, b, lim).Assets() {
		if it.Withheld != reason.ExtractPixels {
			t.Errorf("asset %d: withheld with %q", i, it.Withheld)
		}
	}
}

func TestLimits(t *testing.T) {
	three := parts{1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Type/Pages/Kids[3 0 R 3 0 R 3 0 R]/Count 3>>",
		3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]>>"}.write("")
	for _, c := range []struct {
		name              string
		change            func(*document.Limits)
		refused, withheld reason.Code
		side              int // pixels of a page
	}{
		{"pages+1", func(l *document.Limits) { l.Pages = 4 }, "", "", 100},
		{"pages", func(l *document.Limits) { l.Pages = 3 }, "", "", 100},
		{"pages-1", func(l *document.Limits) { l.Pages = 2 }, reason.ExtractPages, "", 0},
		{"assets", func(l *document.Limits) { l.Assets = 3 }, "", "", 100},
		{"assets-1", func(l *document.Limits) { l.Assets = 2 }, reason.ExtractAssets, "", 0},
		{"total", func(l *document.Limits) { l.TotalPixels = 30_000 }, "", "", 100},
		{"total-1", func(l *document.Limits) { l.TotalPixels = 29_999 }, reason.ExtractTotal, "", 0},
		{"pixels", func(l *document.Limits) { l.AssetPixels = 10_000 }, "", "", 100},
		{"pixels-1 scales down", func(l *document.Limits) { l.AssetPixels = 9_999 }, "", "", 99},
		{"pixels for 72 dpi", func(l *document.Limits) { l.AssetPixels = 72 * 72 }, "", "", 72},
		{"too few to read", func(l *document.Limits) { l.AssetPixels = 72*72 - 1 }, "", reason.ExtractPixels, 71},
	} {
		t.Run(c.name, func(t *testing.T) {
			lim := roomy
			c.change(&lim)
			d, err := tryOpen(three, lim)
			if reason.Of(err) != c.refused {
				t.Fatalf("refused with %v, want %q", err, c.refused)
			}
			if err != nil {
				return
			}
			defer d.Close()
			it := d.Assets()[0]
			if it.Withheld != c.withheld || it.Width != c.side || it.Height != c.side || it.DPI != c.side {
				t.Errorf("page %+v", it)
			}
			if c.withheld == "" {
				load(t, d, 0)
			}
		})
	}
}

// An image of 60000×60000 costs nothing until it is drawn: neither it nor its page is.
func TestHugeImageWithholdsItsPage(t *testing.T) {
	d := open(t, onePage(box, "q 100 0 0 100 0 0 cm /I Do Q", "/XObject<</I 10 0 R>>", parts{
		10: rawImage(60000, 60000, "", "x")}), roomy)
	for i, it := range d.Assets() {
		if it.Withheld != reason.ExtractPixels {
			t.Errorf("asset %d: withheld with %q", i, it.Withheld)
		}
	}
}

func TestRefusals(t *testing.T) {
	locked := parts{1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Type/Pages/Kids[]/Count 0>>",
		3: "<</Filter/Standard/V 1/R 2/P -4/O<" + strings.Repeat("01", 32) + ">/U<" + strings.Repeat("02", 32) + ">>>"}.
		write("/Encrypt 3 0 R/ID[<00><00>]")
	for name, c := range map[string]struct {
		b    []byte
		want reason.Code
	}{
		"needs a password": {locked, reason.ExtractEncrypted},
		"no document":      {[]byte("%PDF-1.7\n1 0 obj\n"), reason.ExtractMalformed},
		"empty":            {nil, reason.ExtractMalformed},
	} {
		if _, err := tryOpen(c.b, roomy); reason.Of(err) != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestNotCovered(t *testing.T) {
	plain := onePage(box, "", "", nil)
	if got := open(t, plain, roomy).NotCovered(); got != 0 {
		t.Errorf("a bare page: %v", got.Names())
	}
	attached := parts{1: "<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[(a)4 0 R]>>>>>>", 2: "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>", 4: "<</Type/Filespec/F(a)/EF<</F 5 0 R>>>>", 5: stream("/Type/EmbeddedFile", "x"), 6: "<</Author(A)>>"}
	if got := open(t, attached.write("/Info 6 0 R"), roomy).NotCovered(); got != document.Metadata {
		t.Errorf("attachment and author: %v", got.Names())
	}
	// F12: pixels and pages of other files are told of, and never fetched.
	for name, object := range map[string]string{
		"image":        stream("/Subtype/Image/Width 4/Height 4/ColorSpace/DeviceGray/BitsPerComponent 8/F<</FS/URL/F(http://192.0.2.1/x)>>", ""),
		"image, named": stream("/Subtype/Image/Width 4/Height 4/ColorSpace/DeviceGray/BitsPerComponent 8/F(x.raw)", ""),
		"page":         stream("/Subtype/Form/BBox[0 0 1 1]/Ref<</F(x.pdf)/Page 0>>", "0 0 1 1 re f"),
	} {
		if got := open(t, onePage(box, drawI, "/XObject<</I 10 0 R>>", parts{10: object}), roomy).NotCovered(); got != document.ExternalImages {
			t.Errorf("%s elsewhere: %v", name, got.Names())
		}
	}
}

// A filled form field is part of what people see.
func TestFormFieldsAreDrawn(t *testing.T) {
	o := parts{
		1: "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]/DR<</Font<</F 5 0 R>>>>/DA(/F 12 Tf 0 g)>>>>",
		2: "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Annots[4 0 R]>>",
		4: "<</Type/Annot/Subtype/Widget/FT/Tx/T(n)/V(MUSTER)/Rect[20 40 180 60]/P 3 0 R/F 4/AP<</N 6 0 R>>>>",
		5: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
		6: stream("/Type/XObject/Subtype/Form/BBox[0 0 160 20]/Resources<</Font<</F 5 0 R>>>>", "/Tx BMC BT /F 14 Tf 2 4 Td (MUSTER) Tj ET EMC"),
	}
	img := load(t, open(t, o.write(""), roomy), 0)
	dark := 0
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if lum(img, x, y) < 100 {
				dark++
			}
		}
	}
	if dark < 50 {
		t.Errorf("%d dark pixels: the field's value is not drawn", dark)
	}
}

// Nothing cut off or flipped may panic, hang or lack a reason.
func TestDamagedFiles(t *testing.T) {
	whole := onePage(box, "BT /F 12 Tf 20 60 Td (Anna) Tj ET q 40 0 0 40 100 0 cm /I Do Q", "/XObject<</I 10 0 R>>", parts{10: rawImage(4, 4, "", quarters)})
	for n := 0; n < len(whole); n += 23 {
		for name, b := range map[string][]byte{"cut": whole[:n], "flipped": flip(whole, n)} {
			d, err := tryOpen(b, roomy)
			if err != nil {
				if reason.Of(err) == reason.Internal {
					t.Fatalf("%s at %d: %v", name, n, err)
				}
				continue
			}
			for i := range d.Assets() {
				if _, err := d.Load(i); err != nil && reason.Of(err) == reason.Internal {
					t.Fatalf("%s at %d: %v", name, n, err)
				}
				if _, err := d.Layer(i); err != nil && reason.Of(err) == reason.Internal {
					t.Fatalf("%s at %d: %v", name, n, err)
				}
				d.Placements(i)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// After a document broke PDFium, none of its assets loads, and the next document
// gets an instance of its own.
func TestBrokenEngineIsReplaced(t *testing.T) {
	b := onePage(box, "", "", nil)
	d := open(t, b, roomy)
	engine.broken = true
	if _, err := d.Load(0); reason.Of(err) != reason.ExtractMalformed {
		t.Errorf("a broken engine loaded: %v", err)
	}
	load(t, open(t, b, roomy), 0)
}

// Pages of no size and images of no size are withheld; nothing else is.
func TestNothingToSee(t *testing.T) {
	d := open(t, onePage(box, "q 200 0 0 100 0 0 cm /I Do Q", "/XObject<</I 10 0 R>>", parts{10: rawImage(0, 0, "", "")}), roomy)
	for i, it := range d.Assets() {
		if want := map[document.AssetKind]reason.Code{document.Image: reason.ExtractMalformed}[it.Kind]; it.Withheld != want {
			t.Errorf("asset %d: withheld with %q, want %q", i, it.Withheld, want)
		}
	}
	load(t, d, 0)
	if p := d.Placements(0); len(p) != 0 {
		t.Errorf("placements %+v", p)
	}
}

func flip(b []byte, i int) []byte {
	out := bytes.Clone(b)
	out[i] ^= 0x15
	return out
}

var _ catalogue.Source = (*Document)(nil)

// What tables declare is what PDFium counts, on every PDF of the corpus that declares
// anything.
func TestDeclaredPagesOfTheCorpus(t *testing.T) {
	root := os.Getenv("BLOTTER_CORPUS")
	if root == "" {
		t.Skip("BLOTTER_CORPUS names no directory")
	}
	declared := 0
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !strings.EqualFold(filepath.Ext(path), ".pdf") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n := objects.DeclaredPages(b)
		if n == 0 {
			return nil
		}
		v, err := engine.openVolume(b)
		if err != nil {
			return nil //nolint:nilerr // it is refused with another reason
		}
		declared++
		if count, err := v.pages(); err != nil || count != n {
			t.Errorf("%s: %d pages declared, %d counted, %v", strings.TrimPrefix(path, root), n, count, err)
		}
		return v.close()
	})
	if err != nil || declared < 50 {
		t.Errorf("%d files declared anything: %v", declared, err)
	}
}
