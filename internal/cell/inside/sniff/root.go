package sniff

import (
	"bytes"
	"errors"
	"io"

	"blotter/internal/cell/inside/markup"
	"blotter/internal/document"
)

// rootWithin is how far the first element of an XML file is looked for, in bytes: office
// suites write a few KiB of name spaces into it, editors a licence before it.
const rootWithin = 64 << 10

// roots are kinds of XML by their first element and a name space that it declares. An empty
// name stands for every element.
var roots = []struct {
	name, space string
	f           document.Format
}{
	{"document", "urn:oasis:names:tc:opendocument:xmlns:office:1.0", document.FlatODF},
	{"document", "http://openoffice.org/2000/office", document.FlatODF},
	{"wordDocument", "http://schemas.microsoft.com/office/word/2003/wordml", document.WordXML},
	{"package", "http://schemas.microsoft.com/office/2006/xmlPackage", document.FlatOPC},
	{"VisioDocument", "http://schemas.microsoft.com/visio/2003/core", document.Visio},
	{"", "urn:hl7-org:v3", document.HL7}, {"", "urn:hl7-org:v2xml", document.HL7},
	{"", "http://hl7.org/fhir", document.FHIR},
}

// rootFormat tells an XML file by its first element; UnknownFormat for one of no kind that
// is told so.
func rootFormat(r io.ReaderAt, size int64) document.Format {
	b := make([]byte, min(size, rootWithin))
	n, err := r.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return document.UnknownFormat
	}
	b = asText(b[:n])
	if !bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("<")) {
		return document.UnknownFormat
	}
	t, err := markup.NewScanner(b).Next()
	if err != nil || t.Kind != markup.Open {
		return document.UnknownFormat
	}
	for _, k := range roots {
		if (k.name == "" || k.name == string(t.Name)) && t.Declares(k.space) {
			return k.f
		}
	}
	return document.UnknownFormat
}

// asText takes off a byte order mark, and of UTF-16 every letter's upper half.
func asText(b []byte) []byte {
	switch {
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		return b[3:]
	case bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")):
		return bytes.ReplaceAll(b[2:], []byte{0}, nil)
	}
	return b
}
