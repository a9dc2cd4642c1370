package sniff

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// Bounds on what is read of a ZIP archive to name it. A package of an office suite
// has a few thousand parts at most and a list of content types of a few hundred KiB.
const (
	maxEntries      = 1 << 16 // directory headers; more: a plain ZIP
	maxContentTypes = 4 << 20 // unpacked bytes of [Content_Types].xml or META-INF/manifest.xml
	maxMimeType     = 256     // unpacked bytes of OpenDocument's mimetype entry
)

// packageFormat tells office packages from plain archives. The error is for bytes that
// begin like one and have no directory that can be read: most often a file that was cut
// off, of which nobody can tell what it was.
func packageFormat(r io.ReaderAt, size int64) (document.Format, error) {
	z, err := openZIP(r, size)
	switch {
	case errors.Is(err, errTooLarge):
		return document.ZIP, nil
	case err != nil:
		return document.ZIP, reason.Because(reason.SniffMalformed, fmt.Errorf("sniff: archive: %w", err))
	}
	return named(z), nil
}

// named is the kind of package that an archive's entries say it is; ZIP where they say
// none.
func named(z *zip.Reader) document.Format {
	other := document.ZIP
	for _, f := range z.File {
		switch strings.ToLower(f.Name) { // parts of OPC have names without regard to case
		case "[content_types].xml", "[content_types].xml/[0].piece", "[content_types].xml/[0].last.piece":
			if f := mainPart(f); f != document.UnknownFormat {
				return f
			}
		case "mimetype":
			if b, err := readEntry(f, maxMimeType); err == nil {
				if f := openDocument(string(b)); f != document.UnknownFormat {
					return f
				}
			}
		case "meta-inf/manifest.xml": // some writers leave mimetype out
			if f := manifested(f); f != document.UnknownFormat {
				return f
			}
		case "index/document.iwa", "index.zip", "index.apxl", "index.xml.gz":
			other = document.IWork
		case "meta-inf/container.xml": // an EPUB that leaves mimetype out
			other = document.EPUB
		}
	}
	return other
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
	"application/vnd.openxmlformats-officedocument.thememanager+xml":                     document.PPTX, // a theme by itself, and in RTF
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml":         document.XLSX,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml":      document.XLSX,
	"application/vnd.ms-excel.sheet.macroenabled.main+xml":                               document.XLSX,
	"application/vnd.ms-excel.template.macroenabled.main+xml":                            document.XLSX,
	"application/vnd.ms-excel.addin.macroenabled.main+xml":                               document.XLSX,
	"application/vnd.ms-excel.sheet.binary.macroenabled.main":                            document.XLSX,
	"application/vnd.ms-package.xps-fixeddocumentsequence+xml":                           document.XPS,
	"application/oxps":                                        document.XPS,
	"application/vnd.ms-visio.drawing.main+xml":               document.Visio,
	"application/vnd.ms-visio.drawing.macroenabled.main+xml":  document.Visio,
	"application/vnd.ms-visio.stencil.main+xml":               document.Visio,
	"application/vnd.ms-visio.stencil.macroenabled.main+xml":  document.Visio,
	"application/vnd.ms-visio.template.main+xml":              document.Visio,
	"application/vnd.ms-visio.template.macroenabled.main+xml": document.Visio,
}

// shapePart begins the content types of what a shape of VML holds in its attribute gfxdata: the
// same shape in DrawingML, a package by itself that Word, PowerPoint and Excel read alike.
const shapePart = "application/vnd.ms-office.drs"

// openDocument tells the members of the family by their media type; templates and
// documents that gather others are like what they are templates of. OpenOffice.org 1 had
// the same package under other names.
func openDocument(mediaType string) document.Format {
	for _, kind := range []struct {
		prefix string
		f      document.Format
	}{
		{"application/vnd.oasis.opendocument.text", document.ODT},
		{"application/vnd.oasis.opendocument.spreadsheet", document.ODS},
		{"application/vnd.oasis.opendocument.presentation", document.ODP},
		{"application/vnd.oasis.opendocument", document.OpenDocument},
		{"application/vnd.sun.xml.writer", document.ODT},
		{"application/vnd.sun.xml.calc", document.ODS},
		{"application/vnd.sun.xml.impress", document.ODP},
		{"application/vnd.sun.xml.", document.OpenDocument},
		{"application/epub+zip", document.EPUB},
	} {
		if strings.HasPrefix(mediaType, kind.prefix) {
			return kind.f
		}
	}
	return document.UnknownFormat
}

// manifested finds the media type of the package as a whole, the entry for "/".
func manifested(f *zip.File) document.Format {
	return firstElement(f, func(e xml.StartElement) (document.Format, bool) {
		if e.Name.Local != "file-entry" {
			return document.UnknownFormat, false
		}
		path, mediaType := "", ""
		for _, a := range e.Attr {
			switch a.Name.Local {
			case "full-path":
				path = a.Value
			case "media-type":
				mediaType = a.Value
			}
		}
		return openDocument(mediaType), path == "/"
	})
}

// mainPart reads the list of content types. The first main part named decides.
func mainPart(f *zip.File) document.Format {
	return firstElement(f, func(e xml.StartElement) (document.Format, bool) {
		for _, a := range e.Attr {
			kind := strings.ToLower(a.Value)
			if f, ok := mainParts[kind]; ok && a.Name.Local == "ContentType" {
				return f, true
			}
			if strings.HasPrefix(kind, shapePart) && a.Name.Local == "ContentType" {
				return document.DOCX, true
			}
		}
		return document.UnknownFormat, false
	})
}

// firstElement goes through the elements of an XML entry until one decides.
func firstElement(f *zip.File, decides func(xml.StartElement) (document.Format, bool)) document.Format {
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
		if e, ok := tok.(xml.StartElement); ok {
			if kind, ok := decides(e); ok {
				return kind
			}
		}
	}
}
