package sniff

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

var update = flag.Bool("update", false, "write docs/formats.md")

const formatsFile = "../../../../docs/formats.md"

// said is what people call formats that their media type does not tell, and what is made
// of them where that is not plain.
var said = map[document.Format]string{
	document.PDF: "PDF: pages as people see them, and each image in them", document.PNG: "PNG, with the frames of an animation",
	document.JPEG: "JPEG, with thumbnails and what stands behind its end", document.TIFF: "TIFF, every page and directory",
	document.GIF: "GIF, each frame as it is shown", document.BMP: "BMP of Windows and OS/2", document.WebP: "WebP, with the frames of an animation",
	document.JPEG2000: "JPEG 2000", document.JBIG2: "JBIG2 files", document.ICO: "icons and cursors", document.SVG: "SVG",
	document.HEIC: "HEIC: every picture in it", document.AVIF: "AVIF, with the frames of a sequence", document.JPEGXL: "JPEG XL", document.JPEGXR: "JPEG XR", document.Photoshop: "Photoshop",
	document.DICOM: "DICOM", document.EMF: "EMF: drawn with its text, where every order and character in it is known", document.WMF: "WMF: as EMF", document.PICT: "PICT: as EMF",
	document.RawPixels: "bare pixels in a PDF", document.CCITT: "a fax in a PDF",
	document.DOCX: "Word, its templates and macro variants", document.PPTX: "PowerPoint, the same", document.XLSX: "Excel, the same",
	document.ODT: "OpenDocument text", document.ODS: "OpenDocument spreadsheet", document.ODP: "OpenDocument presentation",
	document.OpenDocument: "other OpenDocument packages", document.DOC: "Word 6 to 2003", document.XLS: "Excel 5 to 2003",
	document.PPT: "PowerPoint 97 to 2003", document.OLEObject: "an object embedded in an office document", document.OLE: "compound files of no other kind",
	document.FlatODF: "OpenDocument as one XML file", document.WordXML: "Word 2003 as XML", document.FlatOPC: "Word or PowerPoint as one XML file (flat OPC)",
	document.XPS: "XPS and OpenXPS: the images of the pages, not the pages", document.OneNote: "OneNote", document.EPUB: "EPUB", document.IWork: "Pages, Numbers and Keynote",
	document.DjVu: "DjVu", document.PostScript: "PostScript, EPS and old Illustrator", document.FormData: "form data apart from its PDF (FDF)", document.Database: "Access and SQLite",
	document.HL7: "HL7, version 2 and 3 (CDA), with what is attached", document.FHIR: "FHIR as JSON or XML, with what is attached", document.Card: "vCard and iCalendar",
	document.OfficeImaging: "Microsoft Office Document Imaging", document.PortableMap: "PBM, PGM and PPM", document.Paintbrush: "PCX and DCX", document.CameraRaw: "raw pictures of cameras that are no TIFF",
	document.OldOffice:    "Word 1 and 2, Excel 2 to 4, PowerPoint 2 and 3, Works, ClarisWorks, WordPerfect and Lotus 1-2-3",
	document.LockedOffice: "Office packages behind Excel's own password; behind another `extract.encrypted`",
	document.TNEF:         "winmail.dat, what Outlook packs attachments into (TNEF)", document.CMS: "S/MIME: a message signed or packed as a whole", document.OpenPGP: "what OpenPGP encrypted",
	document.MSG: "a message of Outlook, with its attachments", document.Visio: "Visio", document.Publisher: "Publisher", document.RTF: "RTF",
	document.EML: "a message, with its attachments", document.MHTML: "a web page saved as mail", document.HTML: "HTML", document.XML: "XML",
	document.PlainText: "plain text", document.ZIP: "ZIP that is no document, unless the policy opens archives", document.Archive: "other archives and compressed streams",
	document.Video: "video of any kind", document.Audio: "audio of any kind", document.Script: "scripts", document.Executable: "programs",
	document.Empty: "no bytes at all", document.Flash: "Flash", document.XFA: "forms in Adobe's XML outside a PDF",
	document.UnknownFormat: "everything else",
}

// within are formats that no document has: encodings of images.
var within = []document.Format{document.RawPixels, document.CCITT}

// docs/formats.md is written from the code: what is opened, and with which reason all else
// is refused.
func TestFormatsAreDocumented(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Formats

<!-- Written by: go test ./internal/cell/inside/sniff -update. Do not edit. -->

The format of a document is told by its bytes alone: no name and no content type of a client is heard. A media type can be
forbidden by the [policy](policy.md) (` + "`deny_media_types`" + `).

## Opened

As documents, and as pictures and documents within others.

| format | media type |
|---|---|
`)
	for _, f := range document.Opened() {
		fmt.Fprintf(&b, "| %s | `%s` |\n", nameOf(f), f)
	}
	b.WriteString(`
## Refused

Each with its reason; what each asks of a person is in [reasons.md](reasons.md). A document of such a format within another is
withheld with that reason, a picture in an encoding that is not decoded with ` + "`" + string(reason.ExtractEncoding) + "`" + `.

| format | media type | reason |
|---|---|---|
`)
	for _, f := range document.Formats() {
		if code := codeOf(f); code != "" && !slices.Contains(within, f) {
			fmt.Fprintf(&b, "| %s | `%s` | `%s` |\n", nameOf(f), f, code)
		}
	}
	fmt.Fprintf(&b, `
A document behind a password is refused with `+"`%s`"+`, one that is damaged with `+"`%s`"+` or a reason of extraction.
`, reason.ExtractEncrypted, reason.SniffMalformed)
	if *update {
		if err := os.WriteFile(formatsFile, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(formatsFile)
	if err != nil || string(got) != b.String() {
		t.Errorf("docs/formats.md is not what the code says (%v): go test ./internal/cell/inside/sniff -update", err)
	}
}

func nameOf(f document.Format) string {
	if name, ok := said[f]; ok {
		return name
	}
	return "–"
}
