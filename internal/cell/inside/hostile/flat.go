package hostile

import (
	"encoding/base64"
	"fmt"
	"strings"

	"blotter/internal/document"
)

// flat are examples of office documents that are one XML file.
var flat = map[document.Format]func() []byte{
	document.FlatODF: func() []byte {
		return flatODF("<draw:image>", "<office:binary-data>"+base64.StdEncoding.EncodeToString(picture()), "</office:binary-data></draw:image>")
	},
	document.WordXML: func() []byte { return wordXML(binData("wordml://01000001.png", picture())) },
	document.FlatOPC: func() []byte {
		return fmt.Appendf(nil, `<?xml version="1.0"?><pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage">`+
			`<pkg:part pkg:name="/word/media/image1.png"><pkg:binaryData>%s</pkg:binaryData></pkg:part></pkg:package>`, base64.StdEncoding.EncodeToString(picture()))
	},
}

func flatODF(body ...string) []byte {
	return []byte(`<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0">` +
		strings.Join(body, "") + `</office:document>`)
}

func wordXML(body ...string) []byte {
	return []byte(`<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml">` + strings.Join(body, "") + `</w:wordDocument>`)
}

func binData(name string, b []byte) string {
	return fmt.Sprintf(`<w:binData w:name="%s">%s</w:binData>`, name, base64.StdEncoding.EncodeToString(b))
}

// markupBombs are XML that costs its readers more than its length.
func markupBombs() []made {
	const most = 20 * mib
	nested := func(n int) string { return strings.Repeat("<a>", n) + strings.Repeat("</a>", n) }
	return []made{
		{"flat ODF of 3 million elements in one another", func() []byte { return flatODF(nested(most / 7)) }},
		{"flat ODF with an element of 3 million attributes", func() []byte { return flatODF("<a", strings.Repeat(` b=""`, most/5), "/>") }},
		{"flat ODF of 4 million elements", func() []byte { return flatODF(strings.Repeat("<a/>", most/4)) }},
		{"flat ODF with a picture of 1 million pieces", func() []byte {
			return flatODF("<draw:image><office:binary-data>", strings.Repeat("AAAA<!---->", most/11), "</office:binary-data></draw:image>")
		}},
		{"Word 2003 of a billion laughs", func() []byte {
			head, _, _ := strings.Cut(string(laughs()), "<Relationships>")
			return append([]byte(head), wordXML("&a9;")...)
		}},
		{"Word 2003 with packed objects of 1 GiB", func() []byte {
			return wordXML(binData("oledata.mso", join([]byte("ActiveMime"), make([]byte, 40), squeeze(1024*mib))))
		}},
		{"Word 2003 with 20,000 pictures", func() []byte { return wordXML(strings.Repeat(binData("wordml://1.png", nil), 20_000)) }},
		{"DOCX with relations of 3 million elements in one another", func() []byte {
			return officePackage(packages[document.DOCX], part{name: "_rels/x.xml.rels", body: []byte(nested(most / 7)), stored: true})
		}},
		{"DOCX with relations of one element with 3 million attributes", func() []byte {
			return officePackage(packages[document.DOCX], part{name: "_rels/x.xml.rels", body: []byte("<a" + strings.Repeat(` b=""`, most/5) + "/>"), stored: true})
		}},
		{"ODT whose text is 3 million elements in one another", func() []byte {
			return openPackage(document.ODT, part{name: "Object 1/content.xml", body: []byte(nested(most / 7)), stored: true})
		}},
	}
}
