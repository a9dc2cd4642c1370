package sniff

import (
	"bytes"
	"slices"
	"testing"

	"blotter/internal/cell/inside/hostile"
	"blotter/internal/document"
)

// Every file has one answer, and only what is opened passes. The seeds are a document of
// each format that is opened, and what each of the other kinds begins with.
func FuzzSniff(f *testing.F) {
	for _, format := range document.Opened() {
		f.Add(hostile.Example(format))
	}
	for _, s := range []string{pdfText, pngHead, jpegHead, tiffHead, archive("a", "b"), compoundFile("WordDocument"), types("application/xml"), ftyp("heic"), "<svg", "\xff\xfe<\x00",
		"MSH|^~\\&|a\rPID|1", "BEGIN:VCARD\n", `{"resourceType":"Patient"}`, `<ClinicalDocument xmlns="urn:hl7-org:v3">`, "From: a\nContent-Type: text/plain\n\nb"} {
		f.Add([]byte(s))
	}
	for _, s := range signatures {
		f.Add(append(make([]byte, s.at), s.magic...))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		format, err := Sniff(bytes.NewReader(b), int64(len(b)))
		again, _ := Sniff(bytes.NewReader(b), int64(len(b)))
		if !format.Valid() || format != again {
			t.Fatalf("format %d, then %d", format, again)
		}
		if err == nil && !slices.Contains(document.Opened(), format) {
			t.Fatalf("%v passed", format)
		}
	})
}
