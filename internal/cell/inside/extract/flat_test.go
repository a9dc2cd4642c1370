package extract

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/document"
)

// Office documents that are one XML file give their pictures, objects and what they only
// point at as packages do.
func TestFlatDocuments(t *testing.T) {
	b64 := func(b []byte) string { return base64.StdEncoding.EncodeToString(b) }
	object, err := cfb.NewStorage("Root Entry", cfb.NewStream("CONTENTS", gray(t, 3, 3, 9))).File(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	picture := b64(gray(t, 4, 5, 7))
	for name, c := range map[string]struct {
		doc   string
		want  []string
		extra document.NotCovered
	}{
		"flat ODF": {`<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:xlink="x">` +
			`<office:meta/><draw:rect/><draw:image xlink:href="http://example.org/a.png"/><draw:image><office:binary-data>` + picture + `</office:binary-data></draw:image>` +
			`<draw:object-ole><office:binary-data>` + b64(object) + `</office:binary-data></draw:object-ole></office:document>`,
			[]string{"[] image 4×5", "[1 1] frame 3×3"}, document.OfficeText | document.Metadata | document.OfficeVector | document.ExternalImages},
		"Word 2003": {`<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"><w:binData w:name="wordml://1.png">` + picture + `</w:binData>` +
			`<w:binData w:name="wordml://2.png">AAAA</w:binData><v:imagedata src="http://example.org/a.png"/><w:docOleData><w:binData w:name="oledata.mso">` + b64(object) +
			`</w:binData></w:docOleData></w:wordDocument>`,
			[]string{"[] image 4×5", "[] image extract.unsupported_encoding", "[1 1] frame 3×3"}, document.OfficeText | document.ExternalImages},
		"flat OPC": {`<pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage"><pkg:part pkg:name="/ppt/_rels/x.xml.rels"><pkg:xmlData>` +
			`<Relationships><Relationship Type="x/image" Target="media/a"/><Relationship Type="x/image" TargetMode="External" Target="y"/></Relationships></pkg:xmlData></pkg:part>` +
			`<pkg:part pkg:name="/ppt/media/a"><pkg:binaryData>AAAA</pkg:binaryData></pkg:part><pkg:part pkg:name="/ppt/media/b"><pkg:binaryData>` + picture + `</pkg:binaryData></pkg:part>` +
			`<pkg:part pkg:name="/ppt/embeddings/o.bin"><pkg:binaryData>` + b64(object) + `</pkg:binaryData></pkg:part></pkg:package>`,
			[]string{"[] image extract.unsupported_encoding", "[] image 4×5", "[1 1] frame 3×3"}, document.OfficeText | document.ExternalImages},
	} {
		src, err := openNest([]byte(c.doc), nestLimits)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := found(src); !slices.Equal(got, c.want) {
			t.Errorf("%s: found\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
		if got := fmt.Sprint(src.NotCovered().Names()); got != fmt.Sprint(c.extra.Names()) {
			t.Errorf("%s: not covered %s, want %s", name, got, c.extra.Names())
		}
		for i, it := range src.Assets() {
			if it.Withheld == "" && it.Kind == document.Image && levelOf(t, src, i) != 7 {
				t.Errorf("%s: asset %d is another picture", name, i+1)
			}
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
}
