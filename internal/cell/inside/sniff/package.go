package sniff

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"blotter/internal/document"
)

// Bounds on what is read of a ZIP archive to name it. A package of an office suite
// has a few thousand parts at most and a list of content types of a few hundred KiB.
const (
	maxEntries      = 1 << 16 // directory headers; more: a plain ZIP
	maxContentTypes = 4 << 20 // unpacked bytes of [Content_Types].xml
	maxMimeType     = 256     // unpacked bytes of OpenDocument's mimetype entry
)

// packageFormat tells office packages from plain archives.
func packageFormat(r io.ReaderAt, size int64) document.Format {
	z, err := openZIP(r, size)
	if err != nil {
		return document.ZIP
	}
	for _, f := range z.File {
		switch strings.ToLower(f.Name) { // parts of OPC have names without regard to case
		case "[content_types].xml":
			if f := mainPart(f); f != document.UnknownFormat {
				return f
			}
		case "mimetype":
			if b, err := readEntry(f, maxMimeType); err == nil && strings.HasPrefix(string(b), "application/vnd.oasis.opendocument") {
				return document.OpenDocument
			}
		}
	}
	return document.ZIP
}

var errTooLarge = errors.New("archive too large to be looked into")

// openZIP reads the directory of an archive. The reader allocates for each entry, and
// what the archive says of their number may be a lie, so the signatures are counted
// first: there cannot be more entries than those.
func openZIP(r io.ReaderAt, size int64) (*zip.Reader, error) {
	n, err := count(r, size, "PK\x01\x02", maxEntries+1)
	if err != nil {
		return nil, err
	}
	if n > maxEntries {
		return nil, errTooLarge
	}
	return zip.NewReader(r, size)
}

func readEntry(f *zip.File, limit int64) ([]byte, error) {
	if f.UncompressedSize64 > uint64(limit) {
		return nil, errTooLarge
	}
	in, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(io.LimitReader(in, limit))
}

// mainParts are the content types of main parts, ECMA-376 and its macro-enabled, template
// and add-in variants. The strict form of the standard has the same.
var mainParts = map[string]document.Format{
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml":   document.DOCX,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml":   document.DOCX,
	"application/vnd.ms-word.document.macroenabled.main+xml":                             document.DOCX,
	"application/vnd.ms-word.template.macroenabledtemplate.main+xml":                     document.DOCX,
	"application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml": document.PPTX,
	"application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml":    document.PPTX,
	"application/vnd.openxmlformats-officedocument.presentationml.template.main+xml":     document.PPTX,
	"application/vnd.ms-powerpoint.presentation.macroenabled.main+xml":                   document.PPTX,
	"application/vnd.ms-powerpoint.slideshow.macroenabled.main+xml":                      document.PPTX,
	"application/vnd.ms-powerpoint.template.macroenabled.main+xml":                       document.PPTX,
	"application/vnd.ms-powerpoint.addin.macroenabled.main+xml":                          document.PPTX,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml":         document.XLSX,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml":      document.XLSX,
	"application/vnd.ms-excel.sheet.macroenabled.main+xml":                               document.XLSX,
	"application/vnd.ms-excel.template.macroenabled.main+xml":                            document.XLSX,
	"application/vnd.ms-excel.addin.macroenabled.main+xml":                               document.XLSX,
	"application/vnd.ms-excel.sheet.binary.macroenabled.main":                            document.XLSX,
}

// mainPart reads the list of content types. The first main part named decides.
func mainPart(f *zip.File) document.Format {
	b, err := readEntry(f, maxContentTypes)
	if err != nil {
		return document.UnknownFormat
	}
	dec := xml.NewDecoder(strings.NewReader(string(b)))
	for {
		tok, err := dec.Token()
		if err != nil {
			return document.UnknownFormat
		}
		start, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range start.Attr {
			if f, ok := mainParts[strings.ToLower(a.Value)]; ok && a.Name.Local == "ContentType" {
				return f
			}
		}
	}
}
