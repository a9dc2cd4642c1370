package sniff

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/document"
	"blotter/internal/reason"
)

const (
	pngHead  = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00CRC."
	jpegHead = "\xff\xd8\xff\xe0\x00\x10JFIF\x00"
	tiffHead = "II*\x00\x08\x00\x00\x00\x00\x00"
	pdfText  = "%PDF-1.7\n1 0 obj\n<<>>\nendobj\n"
)

// archive makes a ZIP of names and contents in turn.
func archive(pairs ...string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		f, err := w.Create(pairs[i])
		if err != nil {
			panic(err)
		}
		if _, err := f.Write([]byte(pairs[i+1])); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// compoundFile holds empty streams of the given names.
func compoundFile(names ...string) string {
	root := cfb.NewStorage("Root Entry")
	for _, name := range names {
		root.Children = append(root.Children, cfb.NewStream(name, nil))
	}
	b, err := root.File(1 << 20)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// A compound file is named by the entries of its root, whatever their order.
func TestCompoundKinds(t *testing.T) {
	for want, names := range map[document.Format][]string{
		document.DOC: {"\x01CompObj", "WordDocument", "1Table", "Data"}, document.XLS: {"Workbook", "Book"},
		document.PPT: {"Pictures", "PowerPoint Document"}, document.OLEObject: {"\x01Ole10Native", "\x01Ole"}, document.OLE: {"Data"},
	} {
		f, _ := Sniff(strings.NewReader(compoundFile(names...)), int64(len(compoundFile(names...))))
		if f != want {
			t.Errorf("%q: %v, want %v", names, f, want)
		}
	}
}

func types(main string) string {
	return archive("[Content_Types].xml", `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">`+
		`<Default Extension="xml" ContentType="application/xml"/><Override PartName="/x" ContentType="`+main+`"/></Types>`)
}

func ftyp(brand string) string { return "\x00\x00\x00\x14ftyp" + brand + "\x00\x00\x00\x00" + brand }

func TestSniff(t *testing.T) {
	const word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
	for _, c := range []struct {
		name, data string
		want       document.Format
		code       reason.Code
	}{
		{"pdf", pdfText, document.PDF, ""},
		{"pdf behind 1024 bytes", strings.Repeat(" ", 1024) + pdfText, document.PDF, ""},
		{"pdf behind 1025 bytes", strings.Repeat(" ", 1025) + pdfText, document.PlainText, reason.SniffUnsupported},
		{"pdf without an object", "%PDF-1.7\n", document.PDF, reason.SniffMalformed},
		{"png", pngHead, document.PNG, ""},
		{"png cut", pngHead[:20], document.PNG, reason.SniffMalformed},
		{"png of no width", strings.Replace(pngHead, "IHDR\x00\x00\x00\x01", "IHDR\x00\x00\x00\x00", 1), document.PNG, reason.SniffMalformed},
		{"jpeg", jpegHead, document.JPEG, ""},
		{"jpeg without a segment", "\xff\xd8\xff\xd9", document.JPEG, reason.SniffMalformed},
		{"tiff", tiffHead, document.TIFF, ""},
		{"tiff that points outside", "MM\x00*\x00\x00\xff\xff", document.TIFF, reason.SniffMalformed},
		{"docx", types(word), document.DOCX, ""},
		{"docm", types("application/vnd.ms-word.document.macroEnabled.main+xml"), document.DOCX, ""},
		{"pptx", types("application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"), document.PPTX, ""},
		{"xps", types("application/vnd.ms-package.xps-fixeddocumentsequence+xml"), document.XPS, ""},
		{"visio package", types("application/vnd.ms-visio.drawing.main+xml"), document.Visio, reason.SniffUnsupported},
		{"epub", archive("mimetype", "application/epub+zip", "META-INF/container.xml", "<x/>"), document.EPUB, reason.SniffUnsupported},
		{"epub without mimetype", archive("META-INF/container.xml", "<x/>"), document.EPUB, reason.SniffUnsupported},
		{"pages", archive("Index/Document.iwa", "x", "preview.jpg", "x"), document.IWork, reason.SniffUnsupported},
		{"keynote of old", archive("index.apxl", "x"), document.IWork, reason.SniffUnsupported},
		{"word with a part called like one of pages", archive("index.zip", "x", "[Content_Types].xml", "<a ContentType='"+word+"'/>"), document.DOCX, ""},
		{"onenote", "\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d\xae\xb1\x53\x78\xd0\x29\x96\xd3", document.OneNote, reason.SniffUnsupported},
		{"djvu", "AT&TFORM\x00\x00\x00\x10DJVU", document.DjVu, reason.SniffUnsupported},
		{"postscript", "%!PS-Adobe-3.0 EPSF-3.0\n%%Creator: Illustrator\n%PDF-1.4 1 0 obj", document.PostScript, reason.SniffUnsupported},
		{"postscript with a preview", "\xc5\xd0\xd3\xc6\x1e\x00\x00\x00", document.PostScript, reason.SniffUnsupported},
		{"illustrator", strings.Replace(pdfText, "<<>>", "<</Illustrator 1>>", 1), document.PDF, ""},
		{"form data", "%FDF-1.2\n1 0 obj", document.FormData, reason.SniffInteractive},
		{"access", "\x00\x01\x00\x00Standard ACE DB\x00", document.Database, reason.SniffUnsupported},
		{"hl7", "MSH|^~\\&|LAB|X\rPID|1", document.HL7, reason.SniffRecord},
		{"hl7 with other marks", "MSH^~|\\&^LAB\r", document.HL7, reason.SniffRecord},
		{"hl7 as it travels", "\x0bMSH|^~\\&|LAB\r\x1c\r", document.HL7, reason.SniffRecord},
		{"text like hl7", "MSHA is an agency", document.PlainText, reason.SniffUnsupported},
		{"cda", `<?xml version="1.0"?><?xml-stylesheet href="a"?><ClinicalDocument xmlns="urn:hl7-org:v3"/>`, document.HL7, reason.SniffRecord},
		{"fhir", ` { "id": "1", "resourceType": "DocumentReference"`, document.FHIR, reason.SniffRecord},
		{"fhir as xml", `<DocumentReference xmlns="http://hl7.org/fhir"/>`, document.FHIR, reason.SniffRecord},
		{"json", `{"a": 1}`, document.PlainText, reason.SniffUnsupported},
		{"vcard", "BEGIN:VCARD\r\nPHOTO;ENCODING=b:AAAA", document.Card, reason.SniffRecord},
		{"calendar", "\xef\xbb\xbfBEGIN:VCALENDAR\r\n", document.Card, reason.SniffRecord},
		{"office document imaging", "EP*\x00\x08\x00", document.OfficeImaging, reason.SniffUnsupported},
		{"pbm", "P4\n# scanner\n16 16\n\xff", document.PortableMap, reason.SniffUnsupported},
		{"pam", "P7\nWIDTH 3\nHEIGHT 4", document.PortableMap, reason.SniffUnsupported},
		{"text like pbm", "P1 is the first patient", document.PlainText, reason.SniffUnsupported},
		{"pcx", "\x0a\x05\x01\x08" + strings.Repeat("\x00", 124), document.Paintbrush, reason.SniffUnsupported},
		{"excel 2", "\x09\x00\x04\x00\x02\x00\x10\x00", document.OldOffice, reason.SniffUnsupported},
		{"excel 4", "\x09\x04\x06\x00\x00\x00\x10\x00\xd3\x10", document.OldOffice, reason.SniffUnsupported},
		{"excel 5 without a compound file", "\x09\x08\x08\x00\x00\x05\x05\x00", document.OldOffice, reason.SniffUnsupported},
		{"no kind of sheet", "\x09\x04\x06\x00\x00\x00\x11\x00\xd3\x10", document.UnknownFormat, reason.SniffUnknown},
		{"word 2", "\xdb\xa5\x2d\x00\x31\x40\x09\x04", document.OldOffice, reason.SniffUnsupported},
		{"wordperfect", "\xffWPC\x10\x00\x00\x00\x01\x0a", document.OldOffice, reason.SniffUnsupported},
		{"lotus 1-2-3", "\x00\x00\x1a\x00\x05\x10\x04\x00\x00\x00", document.OldOffice, reason.SniffUnsupported},
		{"fuji", "FUJIFILMCCD-RAW 0201", document.CameraRaw, reason.SniffUnsupported},
		{"canon", ftyp("crx "), document.CameraRaw, reason.SniffUnsupported},
		{"mailbox of outlook", "!BDN\x00\x00", document.Archive, reason.SniffArchive},
		{"theme", types("application/vnd.openxmlformats-officedocument.themeManager+xml"), document.PPTX, ""},
		{"xlsx", types("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"), document.XLSX, ""},
		{"package without a main part", types("application/xml"), document.ZIP, reason.SniffArchive},
		{"odt", archive("mimetype", "application/vnd.oasis.opendocument.text"), document.ODT, ""},
		{"ods template", archive("mimetype", "application/vnd.oasis.opendocument.spreadsheet-template"), document.ODS, ""},
		{"odp without mimetype", archive("META-INF/manifest.xml", `<m:manifest xmlns:m="x"><m:file-entry m:full-path="a" m:media-type=""/>`+
			`<m:file-entry m:full-path="/" m:media-type="application/vnd.oasis.opendocument.presentation"/></m:manifest>`), document.ODP, ""},
		{"odg", archive("mimetype", "application/vnd.oasis.opendocument.graphics"), document.OpenDocument, ""},
		{"sxw", archive("mimetype", "application/vnd.sun.xml.writer"), document.ODT, ""},
		{"jar", archive("META-INF/manifest.xml", "<a/>"), document.ZIP, reason.SniffArchive},
		{"zip", archive("a.txt", "a"), document.ZIP, reason.SniffArchive},
		{"zip cut", archive("a.txt", "a")[:40], document.ZIP, reason.SniffMalformed},
		{"jpeg with an archive behind", jpegHead + types(word), document.JPEG, ""},
		{"pdf with an archive behind", pdfText + types(word), document.PDF, ""},
		{"archive with a pdf in the junk", types(word) + pdfText, document.DOCX, ""},
		{"gif with a pdf behind", "GIF89a" + pdfText, document.GIF, ""},
		{"gif cut", "GIF89a\x01\x00\x01\x00\x00\x00\x00", document.GIF, reason.SniffMalformed},
		{"bmp", "BM\x46\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00" + strings.Repeat("\x00", 40), document.BMP, ""},
		{"bmp without pixels", "BM\x46\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00" + strings.Repeat("\x00", 36), document.BMP, reason.SniffMalformed},
		{"bmp that lies of its pixels", "BM\x46\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x28\x00\x00\x00\x08\x00\x00\x00\x08\x00\x00\x00\x01\x00\x01\x00" + strings.Repeat("\x00", 40), document.BMP, ""},
		{"as much, of strange bits", "BM\x46\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x28\x00\x00\x00\x08\x00\x00\x00\x08\x00\x00\x00\x01\x00\x03\x00" + strings.Repeat("\x00", 40), document.UnknownFormat, reason.SniffUnknown},
		{"bmp without its file header", "\x28\x00\x00\x00\x08\x00\x00\x00\x08\x00\x00\x00\x01\x00\x18\x00" + strings.Repeat("\x00", 224), document.BMP, ""},
		{"as much, too wide", strings.Replace("\x28\x00\x00\x00\x08\x00\x00\x00\x08\x00\x00\x00\x01\x00\x18\x00"+strings.Repeat("\x00", 224), "\x08\x00\x00\x00\x08", "\x08\x00\x01\x00\x08", 1), document.UnknownFormat, reason.SniffUnknown},
		{"text that begins with BM", "BMW ist ein Fahrzeug aus Bayern", document.PlainText, reason.SniffUnsupported},
		{"webp", "RIFF\x00\x00\x00\x00WEBPVP8 \x00\x00\x00\x00", document.WebP, ""},
		{"webp of another kind", "RIFF\x00\x00\x00\x00WEBPVP9 \x00\x00\x00\x00", document.WebP, reason.SniffMalformed},
		{"heic", ftyp("heic") + "\x00\x00\x00\x08meta", document.HEIC, ""},
		{"heic, no more", ftyp("heic"), document.HEIC, reason.SniffMalformed},
		{"avif", ftyp("avif") + "\x00\x00\x00\x08meta", document.AVIF, ""},
		{"jp2", "\x00\x00\x00\x0cjP  \r\n\x87\n\x00\x00\x00\x14ftypjp2 ", document.JPEG2000, ""},
		{"jp2 alone", "\x00\x00\x00\x0cjP  \r\n\x87\n", document.JPEG2000, reason.SniffMalformed},
		{"photoshop", "8BPS\x00\x01\x00\x00", document.Photoshop, reason.SniffUnsupported},
		{"jpeg xl", "\xff\x0a\x00\x00", document.JPEGXL, reason.SniffUnsupported},
		{"jpeg xr", "II\xbc\x01\x08\x00\x00\x00", document.JPEGXR, reason.SniffUnsupported},
		{"ico", "\x00\x00\x01\x00\x01\x00\x10\x10\x00\x00\x01\x00\x18\x00\x00\x00\x00\x00\x16\x00\x00\x00", document.ICO, ""},
		{"svg", `<?xml version="1.0"?><!-- c --><svg xmlns="http://www.w3.org/2000/svg"/>`, document.SVG, reason.ExtractVector},
		{"dicom without a preamble", "\x02\x00\x10\x00UI\x16\x001.2.840.10008", document.DICOM, reason.SniffUnsupported},
		{"dicom of the first age", "\x08\x00\x00\x00\x04\x00\x00\x00\x10\x01\x00\x00", document.DICOM, reason.SniffUnsupported},
		{"no dicom", "\x08\x00\x00\x00\x04\x00\x00\x01\x10\x01\x00\x00", document.UnknownFormat, reason.SniffUnknown},
		{"emf", "\x01\x00\x00\x00\x6c\x00\x00\x00" + strings.Repeat("\x00", 32) + " EMF" + strings.Repeat("\x00", 64), document.EMF, ""},
		{"emf without a header", "\x01\x00\x00\x00" + strings.Repeat("\x00", 36) + " EMF", document.EMF, reason.SniffMalformed},
		{"wmf", "\xd7\xcd\xc6\x9a\x00\x00", document.WMF, ""},
		{"wmf of no size", "\x01\x00\x09\x00\x00\x03\x00\x00", document.WMF, ""},
		{"pict", strings.Repeat("\x00", 10) + "\x00\x11\x02\xff\x0c\x00", document.PICT, ""},
		{"pict of version 1, with a comment", strings.Repeat("\x00", 10) + "\x11\x01\xa1\x00\x64", document.PICT, ""},
		{"pict in a file", strings.Repeat("\x00", 522) + "\x00\x11\x02\xff\x0c\x00", document.PICT, ""},
		{"dicom", strings.Repeat("\x00", 128) + "DICM", document.DICOM, reason.SniffUnsupported},
		{"compound file of no kind", compoundFile("Stuff"), document.OLE, reason.SniffUnsupported},
		{"compound file without a directory", cfb.Magic, document.OLE, reason.SniffMalformed},
		{"mail of Outlook", compoundFile("__properties_version1.0"), document.MSG, ""},
		{"visio", compoundFile("VisioDocument"), document.Visio, reason.SniffUnsupported},
		{"publisher", compoundFile("Contents", "Quill"), document.Publisher, reason.SniffUnsupported},
		{"rtf", `{\rtf1}`, document.RTF, ""},
		{"rtf behind blanks", "\n " + `{\rtf1}`, document.RTF, ""},
		{"eml", "Received: from a by b\r\n\r\nhi", document.EML, ""},
		{"html", "\xef\xbb\xbf<!DOCTYPE html><html></html>", document.HTML, reason.SniffInteractive},
		{"a form of a page", "<form action=x><input></form>", document.HTML, reason.SniffInteractive},
		{"xhtml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>`, document.HTML, reason.SniffInteractive},
		{"mhtml", "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\nContent-Location: x\r\n\r\n", document.MHTML, reason.SniffInteractive},
		{"mail of a mailbox", "From a Thu Jan  1\nSubject: x\nDate: y\nTo: z\n\nhi", document.EML, ""},
		{"mail with a long field first", "ARC-Seal: i=1; a=rsa\r\n\tb=x\r\nFrom: a\r\n", document.EML, ""},
		{"mail without an identifier", "Date: a\nFrom: b\nSubject: c\n\nhi", document.EML, ""},
		{"text like two fields", "Date: a\nFrom: b\n\nhi", document.PlainText, reason.SniffUnsupported},
		{"text that begins so", "From here on\nall is text: really\n", document.PlainText, reason.SniffUnsupported},
		{"mail with pictures", "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\n", document.EML, ""},
		{"flash", "FWS\x08\x40\x00\x00\x00\x00", document.Flash, reason.SniffInteractive},
		{"packed flash", "CWS\x0a\x40\x00\x01\x00x\x9c", document.Flash, reason.SniffInteractive},
		{"text that begins with FWS", "FWS is a fish and wildlife service", document.PlainText, reason.SniffUnsupported},
		{"xdp", `<?xml version="1.0"?><?xfa generator="x"?><xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"/>`, document.XFA, reason.SniffInteractive},
		{"dynamic form", strings.Replace(pdfText, "<<>>", "<</NeedsRendering true/AcroForm<</XFA 2 0 R>>>>", 1), document.PDF, reason.SniffInteractive},
		{"static form", strings.Replace(pdfText, "<<>>", "<</NeedsRendering false/AcroForm<</XFA 2 0 R>>>>", 1), document.PDF, ""},
		{"locked package", compoundFile("EncryptionInfo", "EncryptedPackage"), document.LockedOffice, ""},
		{"managed rights", compoundFile("\x09DRMContent", "WordDocument"), document.OLE, reason.ExtractEncrypted},
		{"ogg video", "OggS" + strings.Repeat("\x00", 24) + "\x80theora", document.Video, reason.SniffVideo},
		{"ogg audio", "OggS" + strings.Repeat("\x00", 24) + "\x01vorbis", document.Audio, reason.SniffAudio},
		{"aac", "\xff\xf1\x50\x80", document.Audio, reason.SniffAudio},
		{"cpio", "070701" + strings.Repeat("0", 104), document.Archive, reason.SniffArchive},
		{"shortcut", "\x4c\x00\x00\x00\x01\x14\x02\x00\x00\x00", document.Executable, reason.SniffScript},
		{"asp", "<%@ Language=VBScript %>", document.Script, reason.SniffScript},
		{"xml", `<?xml version="1.0"?><a/>`, document.XML, reason.SniffUnsupported},
		{"flat odf", `<?xml version="1.0"?><!-- ` + strings.Repeat("x", headBytes) + ` --><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"/>`, document.FlatODF, ""},
		{"flat odf, no root that holds it", `<office:document-meta xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"/>`, document.PlainText, reason.SniffUnsupported},
		{"word 2003", `<?xml version="1.0"?><?mso-application progid="Word.Document"?><w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"/>`, document.WordXML, ""},
		{"flat opc", "\ufeff<pkg:package xmlns:pkg=\"http://schemas.microsoft.com/office/2006/xmlPackage\">", document.FlatOPC, ""},
		{"flat opc in utf-16", "\xff\xfe" + strings.Join(strings.Split(`<y:package xmlns:y="http://schemas.microsoft.com/office/2006/xmlPackage"/>`, ""), "\x00") + "\x00", document.FlatOPC, ""},
		{"winmail.dat", "\x78\x9f\x3e\x22\x01\x00", document.TNEF, ""},
		{"signed message", "\x30\x20\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x00", document.CMS, ""},
		{"signed message, streamed", "\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x80\x30\x80", document.CMS, ""},
		{"packed message", "\x30\x82\x01\x00\x06\x0b\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x09", document.CMS, ""},
		{"encrypted message", "\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03\xa0\x80", document.CMS, reason.ExtractEncrypted},
		{"encrypted message, newer", "\x30\x80\x06\x0b\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x17\xa0\x80", document.CMS, reason.ExtractEncrypted},
		{"other structures", "\x30\x05\x06\x03\x2a\x86\x48", document.UnknownFormat, reason.SniffUnknown},
		{"openpgp in letters", "\n-----BEGIN PGP MESSAGE-----\n\nhQ", document.OpenPGP, reason.ExtractEncrypted},
		{"openpgp", "\x85\x01\x0c\x03" + strings.Repeat("k", 8) + "\x01\x07\xff" + strings.Repeat("\xf0", 100), document.OpenPGP, reason.ExtractEncrypted},
		{"openpgp, newer", "\xc1\xc0\x4c\x03" + strings.Repeat("k", 8) + "\x01\x07\xff\xf0", document.OpenPGP, reason.ExtractEncrypted},
		{"openpgp behind a password", "\x8c\x0d\x04\x09\x03\x02" + strings.Repeat("s", 9) + "\xd2\xf0", document.OpenPGP, reason.ExtractEncrypted},
		{"visio as xml", `<?xml version="1.0"?><VisioDocument xmlns="http://schemas.microsoft.com/visio/2003/core"/>`, document.Visio, reason.SniffUnsupported},
		{"text", "Grüße aus Köln", document.PlainText, reason.SniffUnsupported},
		{"utf-16", "\xff\xfeh\x00i\x00", document.PlainText, reason.SniffUnsupported},
		{"gzip", "\x1f\x8b\x08", document.Archive, reason.SniffArchive},
		{"7z", "7z\xbc\xaf\x27\x1c", document.Archive, reason.SniffArchive},
		{"tar", strings.Repeat("a", 257) + "ustar\x00", document.Archive, reason.SniffArchive},
		{"mp4", ftyp("isom"), document.Video, reason.SniffVideo},
		{"mov", ftyp("qt  "), document.Video, reason.SniffVideo},
		{"mkv", "\x1aE\xdf\xa3", document.Video, reason.SniffVideo},
		{"avi", "RIFF\x00\x00\x00\x00AVI LIST", document.Video, reason.SniffVideo},
		{"mpeg", "\x00\x00\x01\xba", document.Video, reason.SniffVideo},
		{"ts", strings.Repeat("\x47"+strings.Repeat("\x00", 187), 3), document.Video, reason.SniffVideo},
		{"mp3", "ID3\x04", document.Audio, reason.SniffAudio},
		{"mp3 without a tag", "\xff\xfb\x90\x00\x00\x00", document.Audio, reason.SniffAudio},
		{"wav", "RIFF\x00\x00\x00\x00WAVEfmt ", document.Audio, reason.SniffAudio},
		{"m4a", ftyp("M4A "), document.Audio, reason.SniffAudio},
		{"shell", "#!/bin/sh\necho", document.Script, reason.SniffScript},
		{"php", "<?php echo 1;", document.Script, reason.SniffScript},
		{"elf", "\x7fELF\x02", document.Executable, reason.SniffScript},
		{"exe", "MZ" + strings.Repeat("\x00", 62), document.Executable, reason.SniffScript},
		{"empty", "", document.Empty, reason.SniffEmpty},
		{"noise", "\x00\x01\x02\x03\x04\x05", document.UnknownFormat, reason.SniffUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Sniff(strings.NewReader(c.data), int64(len(c.data)))
			if f != c.want || reason.Of(err) != c.code {
				t.Errorf("got %v, %q; want %v, %q", f, reason.Of(err), c.want, c.code)
			}
		})
	}
}

// Each prefix of each sample must give an answer, whatever it is.
// Office suites write one container in many variants.
func TestVariantsOfOfficePackages(t *testing.T) {
	for want, kinds := range map[document.Format][]string{
		document.DOCX: {"openxmlformats-officedocument.wordprocessingml.document", "openxmlformats-officedocument.wordprocessingml.template",
			"ms-word.document.macroEnabled", "ms-word.template.macroEnabledTemplate"},
		document.PPTX: {"openxmlformats-officedocument.presentationml.presentation", "openxmlformats-officedocument.presentationml.template",
			"openxmlformats-officedocument.presentationml.slideshow", "ms-powerpoint.presentation.macroEnabled",
			"ms-powerpoint.slideshow.macroEnabled", "ms-powerpoint.template.macroEnabled", "ms-powerpoint.addin.macroEnabled"},
		document.XLSX: {"openxmlformats-officedocument.spreadsheetml.sheet", "openxmlformats-officedocument.spreadsheetml.template",
			"ms-excel.sheet.macroEnabled", "ms-excel.template.macroEnabled", "ms-excel.addin.macroEnabled"},
	} {
		for _, kind := range kinds {
			b := types("application/vnd." + kind + ".main+xml")
			if got, err := Sniff(strings.NewReader(b), int64(len(b))); got != want || err != nil {
				t.Errorf("%s: %v, %v", kind, got, err)
			}
		}
	}
	b := types("application/vnd.ms-excel.sheet.binary.macroEnabled.main")
	if got, err := Sniff(strings.NewReader(b), int64(len(b))); got != document.XLSX || err != nil {
		t.Errorf("binary sheet: %v, %v", got, err)
	}
}

func TestSniffOfEveryPrefix(t *testing.T) {
	for _, s := range []string{pdfText, pngHead, jpegHead, tiffHead, archive("mimetype", "application/vnd.oasis.opendocument.text"), ftyp("heic")} {
		for n := range len(s) + 1 {
			f, err := Sniff(strings.NewReader(s[:n]), int64(n))
			if !f.Valid() {
				t.Fatalf("prefix of %d bytes gave format %d, %v", n, f, err)
			}
		}
	}
}

// A directory that swears to hold few entries cannot make the reader allocate many.
func TestSniffCountsEntriesItself(t *testing.T) {
	data := "PK\x03\x04" + strings.Repeat("PK\x01\x02", maxEntries+1) + archive("[Content_Types].xml", "<Types/>")
	if f, err := Sniff(strings.NewReader(data), int64(len(data))); f != document.ZIP || reason.Of(err) != reason.SniffArchive {
		t.Errorf("got %v, %v", f, err)
	}
}

// corpusFormats are what the corpus's extensions mostly are; the exceptions lie on
// purpose and are listed by what their bytes are.
func TestSniffCorpus(t *testing.T) {
	root := os.Getenv("BLOTTER_CORPUS")
	if root == "" {
		t.Skip("BLOTTER_CORPUS names no directory")
	}
	want := map[string]document.Format{".png": document.PNG, ".jpg": document.JPEG, ".jpeg": document.JPEG, ".tif": document.TIFF,
		".tiff": document.TIFF, ".docx": document.DOCX, ".xlsx": document.XLSX, ".pptx": document.PPTX, ".gif": document.GIF,
		".webp": document.WebP, ".heic": document.HEIC, ".avif": document.AVIF, ".dcm": document.DICOM, ".rtf": document.RTF, ".eml": document.EML}
	checked, differ := 0, 0
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, serr := Sniff(bytes.NewReader(b), int64(len(b)))
		expected, ok := want[strings.ToLower(filepath.Ext(path))]
		if !ok {
			return nil
		}
		checked++
		if f != expected {
			differ++
			t.Logf("%s: %v, %v", strings.TrimPrefix(path, root), f, serr)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked == 0 || differ*20 > checked {
		t.Errorf("%d of %d files are not what their names say", differ, checked)
	}
}
