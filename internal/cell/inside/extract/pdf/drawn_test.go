package pdf

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"blotter/internal/cell/inside/extract/pdf/objects"
	"blotter/internal/document"
	"blotter/internal/reason"
)

const lineForm = "/Subtype/Form/BBox[0 0 200 100]"

// built counts the objects of a page in PDFium.
func built(t *testing.T, d *Document, page int) (n int64) {
	t.Helper()
	ref, err := d.openPage(page)
	if err != nil {
		t.Fatal(err)
	}
	count, err := d.e.pdf.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: ref})
	if err != nil {
		t.Fatal(err)
	}
	for i := range count.Count {
		obj, err := d.e.pdf.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: ref, Index: i})
		if err != nil {
			t.Fatal(err)
		}
		n += d.within(t, obj.PageObject)
	}
	return n
}

// within counts an object and what it is made of.
func (d *Document) within(t *testing.T, obj references.FPDF_PAGEOBJECT) int64 {
	t.Helper()
	n := int64(1)
	kind, err := d.e.pdf.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: obj})
	if err != nil || kind.Type != enums.FPDF_PAGEOBJ_FORM {
		return n
	}
	count, err := d.e.pdf.FPDFFormObj_CountObjects(&requests.FPDFFormObj_CountObjects{PageObject: obj})
	if err != nil {
		return n // none
	}
	for i := range count.Count {
		obj, err := d.e.pdf.FPDFFormObj_GetObject(&requests.FPDFFormObj_GetObject{PageObject: obj, Index: uint64(i)})
		if err != nil {
			t.Fatal(err)
		}
		n += d.within(t, obj.PageObject)
	}
	return n
}

// Our reader and PDFium find the same objects: ours never fewer, and some more for what is
// long.
func TestCountsAreThoseOfPDFium(t *testing.T) {
	lines := strings.Repeat("0 0 m 9 9 l S ", 100)
	resources := "/XObject<</I 10 0 R/J 11 0 R/K 12 0 R>>"
	more := parts{10: stream(lineForm, lines+"/J Do /J Do"), 11: stream(lineForm+"/Resources<</XObject<</I 13 0 R>>>>", lines+"/I Do /K Do"), 12: rawImage(1, 1, "", "x"), 13: stream(lineForm, lines+"(/I Do")}
	for name, content := range map[string]string{
		"lines":                 lines,
		"forms, and their page": "/I Do /I Do /K Do " + lines,
		"text":                  strings.Repeat("BT /F 9 Tf (ab) Tj [(a) 9 <62>] TJ T* (c) ' ET ", 50),
		"inline images":         strings.Repeat("BI /W 2 /H 2 /BPC 8 /CS /G ID \nEI( EI 0 0 m 9 9 l S ", 50) + lines,
		"inline under filters":  strings.Repeat("BI /W 2 /H 1 /BPC 8 /CS /G /F [/AHx] ID 00ff> EI ", 50) + lines,
		"comments and strings":  strings.Repeat("% /I Do (\n(/I Do \\) ( ) ) Tj /A <</B (/I Do)>> DP ", 50) + lines,
		"states and clips":      strings.Repeat("q 1 0 0 1 2 2 cm 0 0 9 9 re W n 0 0 5 5 re B Q ", 100),
		"odd numbers":           strings.Repeat("0 0 m --5 +.5 l 1e3 4.-5 l S ", 100),
		"what is no operator":   strings.Repeat("foo 1 bar* 0 0 m 9 9 l S ", 100),
	} {
		d := open(t, onePage(box, content, resources, more), roomy)
		got, want := d.budget.pages[0].Objects, built(t, d, 0)
		if got < want || got > want*3/2+40 {
			t.Errorf("%s: %d objects counted, %d built", name, got, want)
		}
	}
}

// A page that draws too much is withheld before it is opened, in its size; its images are
// extracted all the same, its own inline ones too, and the other pages are what they were.
func TestPageOfTooMuchIsWithheldAlone(t *testing.T) {
	bomb := stream(lineForm+"/Resources<</XObject<</I 10 0 R/P 11 0 R>>>>", "/P Do /I Do /I Do")
	page := func(contents int) string {
		return fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Rotate 90/UserUnit 2/Contents %d 0 R/Resources<</XObject<</I 10 0 R/P 11 0 R/Q 12 0 R>>>>>>", contents)
	}
	o := parts{
		1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Type/Pages/Kids[3 0 R 4 0 R 5 0 R]/Count 3>>",
		3: page(6), 4: page(7), 5: page(8),
		6: stream("", "q 9 0 0 9 0 0 cm /Q Do Q"), 7: stream("", "/I Do BI /W 1 /H 1 /BPC 8 /CS /G ID \x33 EI"), 8: stream("", strings.Repeat("/Q Do ", 1000)),
		10: bomb, 11: rawImage(2, 1, "", "\x01\x02"), 12: rawImage(2000, 2000, "/Filter/FlateDecode", deflated(t, strings.Repeat("\x44", 4e6))),
	}
	lim := roomy
	lim.DrawnPixels = 1e9
	d := open(t, o.write(""), lim)
	got := ""
	for i, it := range d.Assets() {
		got += fmt.Sprintf("%s of %d, %d×%d %s", it.Kind, it.Page, it.Width, it.Height, it.Withheld)
		if it.Withheld == "" {
			img := load(t, d, i)
			got += fmt.Sprintf(" %02x", lum(img, 0, 0))
		}
		got += "\n"
	}
	want := "page of 1, 278×556  44\nimage of 1, 2000×2000  44\npage of 2, 278×556 extract.object_limit\n" +
		"page of 3, 278×556 extract.drawn_limit\nimage of 2, 2×1  01\nimage of 2, 1×1  33\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Each limit passes what lies exactly on it.
func TestDrawingsAreJudgedAtTheirEdges(t *testing.T) {
	b := onePage(box, "/I Do /I Do", "/XObject<</I 10 0 R>>", parts{10: rawImage(9, 9, "", strings.Repeat("x", 81))})
	d := open(t, b, roomy)
	p := d.budget.pages[0]
	pixels := p.Pixels + d.budget.covered(p, 1)
	if p.Objects < 2 || p.Pixels != 162 || pixels == p.Pixels {
		t.Fatalf("%+v, %d pixels", p, pixels)
	}
	for name, c := range map[string]struct {
		set  func(*document.Limits, int64)
		most int64
		want reason.Code
	}{
		"objects of a page": {func(l *document.Limits, n int64) { l.PageObjects = n }, p.Objects, reason.ExtractObjects},
		"objects of all":    {func(l *document.Limits, n int64) { l.TotalObjects = n }, p.Objects, reason.ExtractObjects},
		"pixels":            {func(l *document.Limits, n int64) { l.DrawnPixels = n }, pixels, reason.ExtractDrawn},
	} {
		for by, want := range map[int64]reason.Code{-1: c.want, 0: "", 1: ""} {
			lim := roomy
			c.set(&lim, c.most+by)
			if it := open(t, b, lim).Assets()[0]; it.Withheld != want {
				t.Errorf("%s at the limit%+d: withheld %q, want %q", name, by, it.Withheld, want)
			}
		}
	}
}

// What is no number, or more than there are, lets no page pass.
func TestAreasWithoutBoundsAreTooMuch(t *testing.T) {
	for _, d := range []objects.Drawn{{Area: math.NaN(), Page: 1}, {Area: math.Inf(1), Page: 1}, {Area: math.NaN(), Page: math.Inf(1)}, {Area: 1e300, Page: 1}} {
		s := drawings{pages: []objects.Drawn{d, {Area: 1, Page: 1}}, lim: roomy}
		if first, next := s.judge(0, 1), s.judge(1, 1); first != reason.ExtractDrawn || next != "" {
			t.Errorf("%+v: %q, and %q for the next page", d, first, next)
		}
	}
}

// A table may lead PDFium to an object that lies within a stream, where nobody else looks.
// Then its memory stops it, far below its bound, and the next document opens.
func TestObjectsThatHideAreStoppedByMemory(t *testing.T) {
	bomb := "\n10 0 obj\n" + stream(lineForm+"/Resources<</XObject<</I 10 0 R>>>>", "/I Do /I Do") + "\nendobj\n"
	b := onePage(box, "/I Do", "/XObject<</I 10 0 R>>", parts{10: stream(lineForm, "0 0 m 9 9 l S"), 11: stream("", bomb)})
	plain, inner := bytes.Index(b, []byte("\n10 0 obj"))+1, bytes.LastIndex(b, []byte("\n10 0 obj"))+1
	b = bytes.Replace(b, fmt.Appendf(nil, "%010d 00000 n", plain), fmt.Appendf(nil, "%010d 00000 n", inner), 1)
	if _, err := tryOpen(b, roomy); reason.Of(err) != reason.ExtractObjects {
		t.Errorf("ends with %v", err)
	}
	if n := len(open(t, onePage(box, "", "", nil), roomy).Assets()); n != 1 {
		t.Errorf("%d assets afterwards", n)
	}
}
