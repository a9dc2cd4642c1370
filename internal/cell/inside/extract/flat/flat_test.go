package flat

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/document"
	"blotter/internal/reason"
)

var roomy = document.Limits{Entries: 100, UnpackedBytes: 8 << 20, Ratio: 100}

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

const (
	opcHead  = `<?xml version="1.0" standalone="yes"?><?mso-application progid="Word.Document"?><pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage">`
	wordHead = `<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml" xmlns:v="urn:schemas-microsoft-com:vml">`
	odfHead  = `<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0">`
)

func pack(s string, f document.Format, lim document.Limits) ([]byte, document.Format, error) {
	return Package(context.Background(), strings.NewReader(s), int64(len(s)), f, lim)
}

// parts is one line for each part of the package: its name and its bytes.
func parts(t *testing.T, s string, f document.Format) []string {
	t.Helper()
	b, _, err := pack(s, f, roomy)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range z.File {
		in, err := p.Open()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p.Name+" "+string(body))
	}
	return out
}

func check(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestFlatOPC(t *testing.T) {
	const long = longestName + 1
	check(t, parts(t, opcHead+
		`<pkg:part pkg:name="/word/document.xml" pkg:contentType="x"><pkg:xmlData><w:document a="&lt;"><w:p/></w:document></pkg:xmlData></pkg:part>`+
		`<pkg:part pkg:name="/word/media/a&amp;b.png"><pkg:binaryData>`+b64("a picture")[:5]+"&#xD;\n<!-- x -->"+b64("a picture")[5:]+`</pkg:binaryData></pkg:part>`+
		`<pkg:part pkg:name="/word/media/folder/"><pkg:binaryData><![CDATA[`+b64("b")+`]]></pkg:binaryData></pkg:part>`+
		`<pkg:part pkg:name="`+strings.Repeat("n", long)+`"><pkg:binaryData/></pkg:part>`+
		`<pkg:part><pkg:binaryData>`+b64("c")+`</pkg:binaryData></pkg:part></pkg:package>`, document.FlatOPC), []string{
		`word/document.xml <w:document a="&lt;"><w:p/></w:document>`, "word/media/a&b.png a picture", "word/media/folder b", "parts/000003 ", "parts/000004 c",
	})
}

func TestFlatOpenDocument(t *testing.T) {
	data := func(s string) string { return "<office:binary-data>" + b64(s) + "</office:binary-data>" }
	got := parts(t, "\xef\xbb\xbf<?xml version=\"1.0\" encoding=\"UTF-8\"?>"+odfHead+
		`<office:meta/><office:scripts/><office:body><draw:image>`+data("picture")+`</draw:image><draw:object-ole>`+data("object")+`</draw:object-ole>`+
		`<draw:frame><office:meta/><draw:object><office:document><style:background-image>`+data("deep")+`</style:background-image></office:document></draw:object></draw:frame>`+
		`</office:body></office:document>`, document.FlatODF)
	check(t, got, []string{"meta.xml ", "Basic/scripts ", "Pictures/000003 picture", "media/000004 object", "Pictures/000005 deep",
		"content.xml " + odfHead + `<office:meta/><office:scripts/><office:body><draw:image><office:binary-data></office:binary-data></draw:image>` +
			`<draw:object-ole><office:binary-data></office:binary-data></draw:object-ole><draw:frame><office:meta/><draw:object><office:document><style:background-image>` +
			`<office:binary-data></office:binary-data></style:background-image></office:document></draw:object></draw:frame></office:body></office:document>`})
}

// active packs objects as Word does.
func active(t testing.TB, body []byte) string {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(activeMime + strings.Repeat("\x00", 0x32-len(activeMime)))
	z := zlib.NewWriter(&b)
	if _, err := z.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func word(body string) string { return wordHead + body + "</w:wordDocument>" }

func binData(name, s string) string {
	return fmt.Sprintf(`<w:binData w:name="%s">%s</w:binData>`, name, b64(s))
}

func TestWord2003(t *testing.T) {
	got := parts(t, word(`<o:DocumentProperties/><w:docOleData>`+binData("oledata.mso", active(t, []byte("objects")))+`</w:docOleData>`+
		`<w:docSuppData>`+binData("editdata.mso", "macros")+`</w:docSuppData>`+
		`<w:pict>`+binData("wordml://01000001.png", "picture")+`<v:imagedata src="wordml://01000001.png"/></w:pict>`+
		`<v:imagedata src="http://example.org/a.png"/>`), document.WordXML)
	for i, p := range got {
		if strings.HasPrefix(p, wordText) {
			got[i] = wordText // its words are those of the document
		}
	}
	relation := func(target, mode string) string {
		return fmt.Sprintf(`<Relationship Type="%s" Target="%s" TargetMode="%s"/>`, pictureRelation, target, mode)
	}
	check(t, got, []string{"docProps/core.xml ", "word/embeddings/000002 objects", "word/vbaProject.bin macros", "word/media/000004 picture", wordText,
		wordRelations + " <Relationships>" + relation("/word/media/000004", "") + relation("elsewhere", "External") + "</Relationships>"})
}

// A document in UTF-16 is read like any other.
func TestUTF16(t *testing.T) {
	wide := func(s string, high bool) string {
		b := []byte("\xff\xfe")
		if high {
			b = []byte("\xfe\xff")
		}
		for _, u := range utf16.Encode([]rune(s)) {
			if high {
				b = append(b, byte(u>>8), byte(u))
			} else {
				b = append(b, byte(u), byte(u>>8))
			}
		}
		return string(b)
	}
	doc := `<?xml version="1.0" encoding="UTF-16"?>` + odfHead + `<draw:image>ü<office:binary-data>` + b64("picture") + `</office:binary-data></draw:image></office:document>`
	for _, high := range []bool{false, true} {
		check(t, parts(t, wide(doc, high), document.FlatODF), []string{"Pictures/000001 picture",
			"content.xml " + odfHead + `<draw:image>ü<office:binary-data></office:binary-data></draw:image></office:document>`})
	}
}

// Limits are judged by the letters, before any is decoded.
func TestLimits(t *testing.T) {
	picture := binData("wordml://1.png", strings.Repeat("p", 300))
	three := word(picture + picture + picture)
	const parts = 5 // with the text and its relations
	size := int64(3*300 + len(word(strings.Repeat(`<w:binData w:name="wordml://1.png"></w:binData>`, 3))) +
		len("<Relationships></Relationships>") + 3*len(fmt.Sprintf(`<Relationship Type="%s" Target="/word/media/000001" TargetMode=""/>`, pictureRelation)))
	packed := word(binData("oledata.mso", active(t, bytes.Repeat([]byte("ab"), catalogue.DensityFrom))))
	for _, c := range []struct {
		name string
		doc  string
		lim  document.Limits
		want reason.Code
	}{
		{"parts below", three, document.Limits{Entries: parts + 1, UnpackedBytes: size}, ""},
		{"parts exact", three, document.Limits{Entries: parts, UnpackedBytes: size}, ""},
		{"parts above", three, document.Limits{Entries: parts - 1, UnpackedBytes: size}, reason.ExtractEntries},
		{"bytes below", three, document.Limits{Entries: parts, UnpackedBytes: size + 1}, ""},
		{"bytes above", three, document.Limits{Entries: parts, UnpackedBytes: size - 1}, reason.ExtractUnpacked},
		{"objects too dense", packed, document.Limits{Entries: parts, UnpackedBytes: 64 << 20, Ratio: 2}, reason.ExtractRatio},
		{"objects too large", packed, document.Limits{Entries: parts, UnpackedBytes: 1 << 20, Ratio: 1 << 20}, reason.ExtractUnpacked},
		{"objects", packed, document.Limits{Entries: parts, UnpackedBytes: 64 << 20, Ratio: 1 << 20}, ""},
		{"entities", `<!DOCTYPE a [<!ENTITY a "b">]>` + word(""), roomy, reason.ExtractMalformed},
		{"too deep", word(strings.Repeat("<a>", 500) + strings.Repeat("</a>", 500)), roomy, reason.ExtractDepth},
		{"cut off", three[:len(three)-3], roomy, reason.ExtractTruncated},
		{"crossed", wordHead + "<a></b>", roomy, reason.ExtractMalformed},
	} {
		if _, _, err := pack(c.doc, document.WordXML, c.lim); reason.Of(err) != c.want {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// Whatever the document says, the package can be read and keeps to the limits.
func FuzzPackage(f *testing.F) {
	f.Add([]byte(word(binData("wordml://1.png", "p")+binData("oledata.mso", active(f, []byte("o"))))), uint8(0))
	f.Add([]byte(opcHead+`<pkg:part pkg:name="/a/"><pkg:binaryData>AAAA</pkg:binaryData></pkg:part></pkg:package>`), uint8(1))
	f.Add([]byte(odfHead+`<draw:image><office:binary-data>AAAA</office:binary-data></draw:image></office:document>`), uint8(2))
	f.Fuzz(func(t *testing.T, doc []byte, kind uint8) {
		of := []document.Format{document.WordXML, document.FlatOPC, document.FlatODF}[kind%3]
		b, _, err := pack(string(doc), of, roomy)
		if err != nil {
			return
		}
		z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		if len(z.File) > roomy.Entries {
			t.Errorf("%d parts", len(z.File))
		}
	})
}
