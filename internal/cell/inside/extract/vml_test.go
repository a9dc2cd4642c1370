package extract

import (
	"encoding/base64"
	"slices"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// shapePackage is what Word writes into the attribute gfxdata, with parts of one's own.
func shapePackage(t testing.TB, parts ...any) []byte {
	t.Helper()
	return pack(t, append([]any{
		"[Content_Types].xml", `<Types><Override PartName="/drs/shapexml.xml" ContentType="application/vnd.ms-office.DrsShape+xml"/></Types>`,
		"_rels/.rels", "<Relationships/>", "drs/shapexml.xml", "<wps:wsp/>", "drs/downrev.xml", "\xef\xbb\xbf<a:downRev/>",
	}, parts...)...)
}

// shape is VML that holds a package, in lines as Word breaks them.
func shape(pack []byte) string {
	letters := base64.StdEncoding.EncodeToString(pack)
	return `<v:shape xmlns:v="v" xmlns:o="o" o:gfxdata="` + letters[:min(76, len(letters))] + "&#xA;" + letters[min(76, len(letters)):] + `"/>`
}

// Pictures in the packages that shapes of VML hold are found in every document that has
// such shapes, and packages without any are nothing to speak of.
func TestPackagesInShapes(t *testing.T) {
	drawn, plain := shape(shapePackage(t, "drs/media/a.png", gray(t, 4, 5, 7))), shape(shapePackage(t))
	inner := shape(shapePackage(t, "drs/media/a.png", gray(t, 4, 5, 7), "drs/more.xml", drawn))
	word := func(body string) []byte { return letter(t, "word/header1.xml", body) }
	for name, c := range map[string]struct {
		doc  []byte
		want []string
	}{
		"header of Word":     {word(drawn), []string{"[1] image 4×5"}},
		"nothing but lines":  {word(plain), nil},
		"empty":              {word(`<v:shape o:gfxdata=""/>`), nil},
		"both, twice":        {word(plain + drawn + plain + drawn), []string{"[1] image 4×5", "[2] image 4×5"}},
		"one in another":     {word(inner), []string{"[1] image 4×5", "[1 1] image 4×5"}},
		"no package":         {word(shape([]byte("\x01\x02\x03\x04 no package"))), []string{"[1] document " + string(reason.SniffUnknown)}},
		"cut off":            {word(shape(shapePackage(t, "drs/media/a.png", gray(t, 4, 5, 7))[:300])), []string{"[1] document " + string(reason.SniffMalformed)}},
		"drawing of a sheet": {letter(t, "xl/drawings/vmlDrawing1.vml", drawn), []string{"[1] image 4×5"}},
		"slide":              {letter(t, "ppt/drawings/vmlDrawing1.vml", drawn), []string{"[1] image 4×5"}},
		"part of any name":   {letter(t, "custom/other.vml", drawn), []string{"[1] image 4×5"}},
		"behind attachments": {letter(t, "word/header1.xml", drawn, "word/embeddings/a.docx", letter(t, "word/media/a.png", gray(t, 2, 2, 7))),
			[]string{"[1] image 2×2", "[2] image 4×5"}},
		"Word 2003": {[]byte(`<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml">` + drawn + `</w:wordDocument>`), []string{"[1] image 4×5"}},
		"flat OPC": {[]byte(`<pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage"><pkg:part pkg:name="/word/document.xml"><pkg:xmlData>` + drawn +
			`</pkg:xmlData></pkg:part></pkg:package>`), []string{"[1] image 4×5"}},
		"mail": {[]byte("From: a\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<!--[if gte vml 1]>" + plain + drawn + "<![endif]-->"), []string{"[2] image 4×5"}},
	} {
		holds(t, name, c.doc, c.want, 7)
	}
}

// What shapes hold counts before it is decoded, and once more as the package that it is.
func TestLimitsOfPackagesInShapes(t *testing.T) {
	doc := letter(t, "word/header1.xml", shape(shapePackage(t, "drs/media/a.png", gray(t, 4, 5, 7))))
	src, err := openNest(doc, nestLimits)
	if err != nil {
		t.Fatal(err)
	}
	need := Spent(src)
	if err := src.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		set  func(*document.Limits, int)
		code reason.Code
	}{
		"entries":  {func(l *document.Limits, by int) { l.Entries = need.Entries + by }, reason.ExtractEntries},
		"unpacked": {func(l *document.Limits, by int) { l.UnpackedBytes = need.Unpacked + int64(by) }, reason.ExtractUnpacked},
	} {
		for by := -1; by <= 1; by++ {
			lim := nestLimits
			c.set(&lim, by)
			src, err := openNest(doc, lim)
			if want := map[bool]reason.Code{true: c.code}[by < 0]; reason.Of(err) != want {
				t.Errorf("%s %+d: %v, want %q", name, by, err, want)
			}
			if err == nil {
				err = src.Close()
			}
			if err != nil && by >= 0 {
				t.Error(err)
			}
		}
	}
	lim := nestLimits
	lim.Depth = 0
	src, err = openNest(doc, lim)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if got := found(src); !slices.Equal(got, []string{"[1] document " + string(reason.ExtractDepth)}) {
		t.Errorf("nothing within may be opened: %q", got)
	}
}
