package pdf

import (
	"bytes"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blotter/internal/document"
)

// pictures returns the images of a document, without its pages.
func pictures(t *testing.T, b []byte) []image.Image {
	t.Helper()
	d := open(t, b, roomy)
	var out []image.Image
	for i, it := range d.Assets() {
		if it.Kind == document.Image {
			out = append(out, load(t, d, i))
		}
	}
	return out
}

// values are an image's gray values, row by row.
func values(img image.Image) string {
	var b strings.Builder
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			fmt.Fprintf(&b, "%02x", lum(img, x, y))
		}
	}
	return b.String()
}

func wantPictures(t *testing.T, b []byte, want ...string) {
	t.Helper()
	got := pictures(t, b)
	if len(got) != len(want) {
		t.Errorf("%d pictures, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if v := values(got[i]); v != want[i] {
			t.Errorf("picture %d is %s, want %s", i, v, want[i])
		}
	}
}

const drawI = "q 80 0 0 40 20 30 cm /I Do Q"

// An image that a comment, a pattern, a glyph or another's mask draws is of the page that shows
// it; one that nothing draws is of none.
func TestHiddenImagesKnowTheirPage(t *testing.T) {
	page := func(n int) string {
		return fmt.Sprintf("<</Type/Page/Parent 2 0 R%s/Contents 6 0 R/Annots[<</Subtype/Stamp/Rect[0 0 9 9]/AP<</N %d 0 R>>>>]/Resources<</Pattern<</P 7 0 R>>/Font<</F 8 0 R>>>>>>", box, n)
	}
	look := func(image int) string {
		return stream(fmt.Sprintf("/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</I %d 0 R>>>>", image), "/I Do")
	}
	o := parts{
		1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Type/Pages/Kids[3 0 R 4 0 R 5 0 R]/Count 3>>",
		3: "<</Type/Page/Parent 2 0 R" + box + ">>", 4: page(10), 5: page(11),
		6: stream("", "/Pattern cs /P scn 0 0 9 9 re f BT /F 9 Tf (a) Tj ET"),
		7: stream("/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<</XObject<</I 14 0 R>>>>", "/I Do"),
		8: "<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/FirstChar 97/LastChar 97/Widths[1]/Encoding<</Differences[97/a]>>/CharProcs<</a 9 0 R>>>>",
		9: stream("", "1 0 d0 BI /W 1 /H 1 /BPC 8 /CS /G ID \x15 EI"), 10: look(12), 11: look(13),
		12: rawImage(1, 1, "", "\x12"), 13: rawImage(1, 1, "/SMask 16 0 R", "\x13"), 14: rawImage(1, 1, "", "\x14"), 15: rawImage(1, 1, "", "\x10"),
		16: rawImage(1, 1, "", "\xe9"), // lets a little white through
	}
	d := open(t, o.write(""), roomy)
	got := map[string]int{}
	for i, it := range d.Assets() {
		if it.Kind == document.Image {
			got[values(load(t, d, i))] = it.Page
		}
	}
	want := map[string]int{"12": 2, "27": 3, "14": 2, "15": 2, "10": 0, "16": 3}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("pages of images by their values: %v, want %v", got, want)
	}
}

// F7: words may live in the mask alone, in its own size: what it lets through is dark.
func TestMasksArePictures(t *testing.T) {
	for name, c := range map[string]struct {
		image, mask string
		want        []string
	}{
		"large soft mask over one pixel": {rawImage(1, 1, "/SMask 11 0 R", "\x00"),
			rawImage(3, 2, "", "\xff\x00\x80\x00\xff\x00"), []string{"8e", "00ff7fff00ff"}},
		"soft mask that is negative": {rawImage(1, 1, "/SMask 11 0 R", "\x00"),
			rawImage(2, 1, "/Decode[1 0]", "\xff\x00"), []string{"80", "ff00"}},
		"mask of one bit": {rawImage(1, 1, "/Mask 11 0 R", "\x00"),
			stream("/Subtype/Image/ImageMask true/Width 8/Height 1/BitsPerComponent 1", "\xa5"), []string{"80", "ff00ff0000ff00ff"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := onePage(box, drawI, "/XObject<</I 10 0 R>>", parts{10: c.image, 11: c.mask})
			got := pictures(t, b)
			if len(got) != 2 {
				t.Fatalf("%d pictures", len(got))
			}
			if v := values(got[1]); v != c.want[1] {
				t.Errorf("mask is %s, want %s", v, c.want[1])
			}
			if it := open(t, b, roomy).Assets()[2]; it.Page != 1 {
				t.Errorf("the mask is of page %d", it.Page)
			}
		})
	}
}

// A picture that is also another's mask is both.
func TestMaskThatIsDrawn(t *testing.T) {
	b := onePage(box, drawI+" q 80 0 0 40 20 30 cm /M Do Q", "/XObject<</I 10 0 R/M 11 0 R>>",
		parts{10: rawImage(1, 1, "/SMask 11 0 R", "\x00"), 11: rawImage(2, 1, "", "\xff\x00")})
	wantPictures(t, b, "80", "ff00", "00ff")
}

// A stencil drawn in white is no empty picture.
func TestStencilIsBlack(t *testing.T) {
	for _, fill := range []string{"1 g ", "0 g ", "1 0 0 rg "} {
		b := onePage(box, fill+drawI, "/XObject<</I 10 0 R>>", parts{
			10: stream("/Subtype/Image/ImageMask true/Width 8/Height 1/BitsPerComponent 1", "\x0f")})
		wantPictures(t, b, "00000000ffffffff")
		d := open(t, b, roomy)
		before := values(load(t, d, 0))
		load(t, d, 1)
		if values(load(t, d, 0)) != before {
			t.Errorf("%s: the page changed after its stencil was decoded", fill)
		}
	}
}

// Images that no page draws are in the file all the same.
func TestHiddenImages(t *testing.T) {
	glyph := "40 0 0 0 40 40 d1 q 40 0 0 40 0 0 cm BI /W 4/H 1/CS/G/BPC 8 ID \x05\x06\x07\x08 EI Q"
	inlineImage := "q 4 0 0 4 0 0 cm BI /W 4/H 1/CS/G/BPC 8 ID \x05\x06\x07\x08 EI Q"
	hidden := rawImage(4, 1, "", "\x05\x06\x07\x08")
	for name, b := range map[string][]byte{
		"not used at all":        onePage(box, "", "", parts{10: hidden}),
		"in unused resources":    onePage(box, "", "/XObject<</I 10 0 R>>", parts{10: hidden}),
		"in an unused form":      onePage(box, "", "", parts{10: hidden, 11: stream("/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</I 10 0 R>>>>", "/I Do")}),
		"without a type":         onePage(box, "", "", parts{10: stream("/Width 4/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8", "\x05\x06\x07\x08")}),
		"length told apart":      onePage(box, "", "", parts{10: "<</Subtype/Image/Width 4/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length 11 0 R>>\nstream\n\x05\x06\x07\x08\nendstream", 11: "4"}),
		"length that lies":       onePage(box, "", "", parts{10: "<</Subtype/Image/Width 4/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length 4000>>\nstream\n\x05\x06\x07\x08\nendstream"}),
		"in a comment":           onePage(box+"/Annots[11 0 R]", "", "", parts{10: hidden, 11: "<</Type/Annot/Subtype/Stamp/Rect[10 10 50 50]/AP<</N 12 0 R>>>>", 12: stream("/Subtype/Form/BBox[0 0 1 1]/Resources<</XObject<</I 10 0 R>>>>", "/I Do")}),
		"inline in a comment":    onePage(box+"/Annots[11 0 R]", "", "", parts{11: "<</Type/Annot/Subtype/Stamp/Rect[10 10 50 50]/AP<</N 12 0 R>>>>", 12: stream("/Subtype/Form/BBox[0 0 9 9]", inlineImage)}),
		"inline in a pattern":    onePage(box, "/Pattern cs /P scn 0 0 99 99 re f", "/Pattern<</P 10 0 R>>", parts{10: stream("/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<<>>", inlineImage)}),
		"inline in a glyph":      onePage(box, "BT /T 9 Tf (a) Tj ET", "/Font<</T 10 0 R>>", parts{10: "<</Type/Font/Subtype/Type3/FontBBox[0 0 40 40]/FontMatrix[.02 0 0 .02 0 0]/FirstChar 97/LastChar 97/Widths[40]/Encoding<</Differences[97/a]>>/CharProcs<</a 11 0 R>>/Resources<<>>>>", 11: stream("", glyph)}),
		"by a named space":       onePage(box, "", "", parts{10: stream("/Subtype/Form/BBox[0 0 9 9]/Resources<</ColorSpace<</X 11 0 R>>>>", strings.Replace(inlineImage, "/CS/G", "/CS/X", 1)), 11: "[/Indexed/DeviceGray 8<00 00 00 00 00 05 06 07 08>]"}),
		"drawn in a named space": onePage(box, strings.Replace(inlineImage, "/CS/G", "/CS/X", 1), "/ColorSpace<</X 11 0 R>>", parts{11: "[/Indexed/DeviceGray 8<00 00 00 00 00 05 06 07 08>]"}),
		"in an earlier state":    append(onePage(box, "", "", parts{10: hidden}), "10 0 obj\n<</Deleted true>>\nendobj\nxref\n0 1\n0000000000 65535 f \ntrailer\n<</Size 11/Root 1 0 R>>\nstartxref\n0\n%%EOF\n"...),
		"drawn in an old page":   append(onePage(box, inlineImage, "", nil), "4 0 obj\n<</Length 0>>\nstream\n\nendstream\nendobj\nxref\n0 1\n0000000000 65535 f \ntrailer\n<</Size 6/Root 1 0 R>>\nstartxref\n0\n%%EOF\n"...),
	} {
		t.Run(name, func(t *testing.T) { wantPictures(t, b, "05060708") })
	}
}

// Two versions of one object are two pictures, each with what it referred to in its
// own revision.
func TestRevisionsKeepTheirOwn(t *testing.T) {
	first := onePage(box, "", "", parts{
		10: stream("/Subtype/Image/Width 2/Height 1/ColorSpace[/Indexed/DeviceGray 1 11 0 R]/BitsPerComponent 8", "\x00\x01"), 11: "<1020>"})
	second := "10 0 obj\n" + stream("/Subtype/Image/Width 2/Height 1/ColorSpace[/Indexed/DeviceGray 1 11 0 R]/BitsPerComponent 8", "\x01\x00") + "\nendobj\n11 0 obj\n<3040>\nendobj\n%%EOF\n"
	wantPictures(t, append(first, second...), "1020", "4030")
}

// An image in use is not listed again, however its stream is written down.
func TestPlacedImagesAreListedOnce(t *testing.T) {
	b := onePage(box, drawI, "/XObject<</I 10 0 R>>", parts{10: rawImage(4, 1, "", "\x05\x06\x07\x08"), 11: rawImage(4, 1, "", "\x05\x06\x07\x08")})
	wantPictures(t, b, "05060708")
	b = bytes.Replace(b, []byte("\x05\x06\x07\x08\nendstream"), []byte("\x05\x06\x07\x08\r\nendstream"), 1)
	wantPictures(t, b, "05060708")
}

// Documents that open with an empty password hold hidden images like any other. Those
// in testdata were made by qpdf: one page that does not draw the image in its
// resources, whose palette is an encrypted string.
func TestHiddenImagesUnderEncryption(t *testing.T) {
	files, err := filepath.Glob("testdata/*.pdf")
	if err != nil || len(files) != 6 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(name, func(t *testing.T) {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			wantPictures(t, b, "05060708")
		})
	}
}

// One stream may be opaque in one image and a stencil in another; neither is taken for
// the other.
func TestOneStreamOpaqueAndStencil(t *testing.T) {
	b := onePage(box, "1 g q 9 0 0 9 0 0 cm /I Do Q q 9 0 0 9 20 0 cm /S Do Q", "/XObject<</I 10 0 R/S 11 0 R>>", parts{
		10: stream("/Subtype/Image/ColorSpace/DeviceGray/Width 8/Height 1/BitsPerComponent 1", "\x0f"),
		11: stream("/Subtype/Image/ImageMask true/Width 8/Height 1/BitsPerComponent 1", "\x0f")})
	wantPictures(t, b, "00000000ffffffff", "00000000ffffffff")
}
