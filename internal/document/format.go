package document

import (
	"maps"
	"slices"
)

// Format is what the bytes of a document or an asset are, found out from the bytes
// alone. Never renumbered: it crosses the wire.
type Format uint8

// Formats that blotter opens.
const (
	PDF  Format = 1
	PNG  Format = 2
	JPEG Format = 3
	TIFF Format = 4
	DOCX Format = 5
	GIF  Format = 20
	BMP  Format = 21
	WebP Format = 22

	HEIC         Format = 23
	AVIF         Format = 24
	JPEG2000     Format = 25
	JBIG2        Format = 26
	ICO          Format = 27 // icons and cursors
	EMF          Format = 29
	WMF          Format = 30
	PICT         Format = 34 // a drawing of the old Macintosh
	PPTX         Format = 40
	XLSX         Format = 41
	ODT          Format = 80
	ODS          Format = 81
	ODP          Format = 82
	RTF          Format = 44
	MSG          Format = 52 // a message of Outlook
	EML          Format = 45 // a message as it travels
	TNEF         Format = 56 // winmail.dat: what Outlook packs a message into
	CMS          Format = 57 // S/MIME: a message that is signed or packed as a whole
	DOC          Format = 49 // Word 6 to 2003, in a compound file as the next ones
	XLS          Format = 50 // Excel 5 to 2003
	PPT          Format = 51 // PowerPoint 97 to 2003
	LockedOffice Format = 59 // a package of OOXML, encrypted
	// OLEObject is an object embedded in an office document, with what it holds.
	OLEObject Format = 55
	XPS       Format = 86 // pages of Microsoft's, with their pictures
	FlatODF   Format = 83 // an OpenDocument of any kind as one XML file
	WordXML   Format = 84 // Word 2003 as XML
	FlatOPC   Format = 85 // a package of Word or PowerPoint as one XML file
	// OpenDocument is any other document of that family: drawings, charts, formulas.
	OpenDocument Format = 42
)

// Formats that blotter names and refuses, and encodings of assets that it withholds.
const (
	UnknownFormat Format = 0
	SVG           Format = 28
	DICOM         Format = 31
	RawPixels     Format = 32 // pixels of a PDF image without a file format of their own
	CCITT         Format = 33 // a fax bit stream inside a PDF
	OLE           Format = 43 // a compound file of no other kind
	HTML          Format = 46
	XML           Format = 47
	PlainText     Format = 48
	Visio         Format = 53
	Publisher     Format = 54
	OpenPGP       Format = 58 // what OpenPGP encrypted
	OneNote       Format = 73
	EPUB          Format = 74
	IWork         Format = 75 // Pages, Numbers and Keynote
	DjVu          Format = 76
	PostScript    Format = 77
	FormData      Format = 78 // what was filled into a PDF, without it
	Database      Format = 79
	HL7           Format = 87 // messages and documents of HL7, version 2 and 3
	FHIR          Format = 88
	Card          Format = 89 // vCard and iCalendar
	OfficeImaging Format = 90 // faxes and scans of Microsoft Office Document Imaging
	PortableMap   Format = 91 // PBM, PGM, PPM
	Paintbrush    Format = 92 // PCX and DCX
	CameraRaw     Format = 93
	OldOffice     Format = 94 // office documents of before compound files
	ZIP           Format = 60
	Archive       Format = 61 // any other archive or compressed stream
	Video         Format = 62
	Audio         Format = 63
	Script        Format = 64
	Executable    Format = 65
	Empty         Format = 66
	MHTML         Format = 67 // a web page saved as mail
	Flash         Format = 68
	XFA           Format = 69 // a form in Adobe's XML, outside a PDF
	Photoshop     Format = 70
	JPEGXL        Format = 71
	JPEGXR        Format = 72 // which office suites write beside a PNG
)

// Opened lists the formats that blotter opens, as documents and as pictures within
// them.
func Opened() []Format {
	return []Format{
		PDF,
		PNG, JPEG, TIFF, GIF, BMP, WebP, HEIC, AVIF, JPEG2000, JBIG2, ICO,
		DOCX, PPTX, XLSX,
		ODT, ODS, ODP, OpenDocument,
		FlatODF, WordXML, FlatOPC, XPS,
		EMF, WMF, PICT,
		DOC, XLS, PPT, OLEObject, LockedOffice,
		EML, RTF, MSG, TNEF, CMS,
	}
}

// Formats lists every format that this version knows, by number.
func Formats() []Format { return slices.Sorted(maps.Keys(formatNames)) }

// IsRaster reports whether documents of the format are pixels and nothing else:
// files of one frame or more that blotter opens.
func (f Format) IsRaster() bool {
	switch f {
	case PNG, JPEG, TIFF, GIF, BMP, WebP, HEIC, AVIF, JPEG2000, JBIG2, ICO:
		return true
	}
	return false
}

// IsMetafile reports whether documents of the format are drawing orders that blotter
// carries out where it knows them all.
func (f Format) IsMetafile() bool { return f == EMF || f == WMF || f == PICT }

// IsCompound reports whether documents of the format lie in compound files and are
// opened.
func (f Format) IsCompound() bool {
	return f == DOC || f == XLS || f == PPT || f == OLEObject || f == LockedOffice
}

// IsOffice reports whether documents of the format are office packages that blotter
// opens.
func (f Format) IsOffice() bool {
	return f == DOCX || f == PPTX || f == XLSX || f == XPS || f.IsOpenDocument()
}

// IsFlat reports whether documents of the format are office documents written as one XML
// file, which blotter opens.
func (f Format) IsFlat() bool { return f == FlatODF || f == WordXML || f == FlatOPC }

// IsOpenDocument reports whether documents of the format are OpenDocument packages.
func (f Format) IsOpenDocument() bool { return f == ODT || f == ODS || f == ODP || f == OpenDocument }

var formatNames = map[Format]string{
	UnknownFormat: "application/octet-stream", PDF: "application/pdf", PNG: "image/png", JPEG: "image/jpeg",
	TIFF: "image/tiff", DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	GIF: "image/gif", BMP: "image/bmp", WebP: "image/webp", HEIC: "image/heic", AVIF: "image/avif",
	JPEG2000: "image/jp2", JBIG2: "image/jbig2", ICO: "image/vnd.microsoft.icon", SVG: "image/svg+xml",
	EMF: "image/emf", WMF: "image/wmf", DICOM: "application/dicom", RawPixels: "image/x-pixels",
	CCITT: "image/x-ccitt", PPTX: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	ODT:  "application/vnd.oasis.opendocument.text", ODS: "application/vnd.oasis.opendocument.spreadsheet",
	ODP:          "application/vnd.oasis.opendocument.presentation",
	OpenDocument: "application/vnd.oasis.opendocument", OLE: "application/x-ole-storage", RTF: "application/rtf",
	EML: "message/rfc822", HTML: "text/html", XML: "application/xml", PlainText: "text/plain",
	ZIP: "application/zip", Archive: "application/x-archive", Video: "video/*", Audio: "audio/*",
	Script: "text/x-script", Executable: "application/x-executable", Empty: "application/x-empty",
	MHTML: "multipart/related", Flash: "application/x-shockwave-flash", XFA: "application/vnd.adobe.xdp+xml",
	DOC: "application/msword", XLS: "application/vnd.ms-excel", PPT: "application/vnd.ms-powerpoint",
	LockedOffice: "application/x-ole-encrypted-package",
	TNEF:         "application/vnd.ms-tnef", CMS: "application/pkcs7-mime", OpenPGP: "application/pgp-encrypted",
	MSG: "application/vnd.ms-outlook", Visio: "application/vnd.visio", Publisher: "application/vnd.ms-publisher",
	OLEObject: "application/x-ole-object", PICT: "image/x-pict",
	XPS: "application/vnd.ms-xpsdocument", OneNote: "application/onenote", EPUB: "application/epub+zip", IWork: "application/vnd.apple.iwork",
	DjVu: "image/vnd.djvu", PostScript: "application/postscript", FormData: "application/vnd.fdf", Database: "application/x-database",
	HL7: "application/hl7", FHIR: "application/fhir", Card: "text/vcard", OfficeImaging: "image/vnd.ms-modi",
	PortableMap: "image/x-portable-anymap", Paintbrush: "image/x-pcx", CameraRaw: "image/x-raw", OldOffice: "application/x-old-office",
	FlatODF: "application/vnd.oasis.opendocument.flat-xml", WordXML: "application/vnd.ms-wordml",
	FlatOPC:   "application/vnd.ms-word2006ml",
	Photoshop: "image/vnd.adobe.photoshop", JPEGXL: "image/jxl", JPEGXR: "image/jxr",
}

// String is the media type used in results and events.
func (f Format) String() string {
	if s, ok := formatNames[f]; ok {
		return s
	}
	return formatNames[UnknownFormat]
}

// Valid reports whether f is a number that this version knows.
func (f Format) Valid() bool { _, ok := formatNames[f]; return ok }
