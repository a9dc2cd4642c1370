package document

// Limits bound what one document may cost. They come from the policy; process
// ceilings of the node can only tighten them. Zero is never "no limit": the policy
// fills in every default.
type Limits struct {
	SourceBytes   int64 `yaml:"source_bytes" json:"source_bytes"`     // bytes of the document as it came in
	Assets        int   `yaml:"assets" json:"assets"`                 // images per document, pages and frames included
	Pages         int   `yaml:"pages" json:"pages"`                   // pages of a paged document
	Frames        int   `yaml:"frames" json:"frames"`                 // frames of one raster file
	AssetPixels   int64 `yaml:"asset_pixels" json:"asset_pixels"`     // width × height of one asset
	TotalPixels   int64 `yaml:"total_pixels" json:"total_pixels"`     // sum over a document's assets
	PageObjects   int64 `yaml:"page_objects" json:"page_objects"`     // what a page draws, as often as it does: paths, pieces of text, images
	TotalObjects  int64 `yaml:"total_objects" json:"total_objects"`   // sum over a document's pages
	DrawnPixels   int64 `yaml:"drawn_pixels" json:"drawn_pixels"`     // pixels that the pages of a document draw and cover, as often as they do
	Entries       int   `yaml:"entries" json:"entries"`               // entries of a container such as a DOCX
	UnpackedBytes int64 `yaml:"unpacked_bytes" json:"unpacked_bytes"` // unpacked bytes of a container, summed
	Ratio         int   `yaml:"ratio" json:"ratio"`                   // unpacked / packed, judged only above 8 MiB unpacked
	Depth         int   `yaml:"depth" json:"depth"`                   // documents within documents: how deep; 0: none within is opened; under MaxDepth
	Filters       int   `yaml:"filters" json:"filters"`               // filters stacked on one stream of a PDF
	PageDPI       int   `yaml:"page_dpi" json:"page_dpi"`             // resolution at which a page is rendered, dots per inch
	AssetSeconds  int   `yaml:"asset_seconds" json:"asset_seconds"`   // wall-clock time of one asset in each pass of the cell, seconds
	Seconds       int   `yaml:"seconds" json:"seconds"`               // wall-clock time of one document in the cell, seconds
}

// AssetKind tells how an asset stands in its document.
type AssetKind uint8

// The kinds of asset. Never renumbered: they cross the wire.
const (
	Page  AssetKind = 1 // a page as people see it
	Image AssetKind = 2 // an image embedded in a container
	Frame AssetKind = 3 // a frame of a raster file, a single-frame file included
	Whole AssetKind = 4 // a document within the document that could not be opened; always withheld

	// Thumbnail is a small copy of a picture that its file keeps beside it: in EXIF, in a
	// directory of a TIFF that says so. It shows what the picture shows, or what it showed
	// before somebody burned something out of it.
	Thumbnail AssetKind = 5
)

// String is the name used in results and events.
func (k AssetKind) String() string { return nameOf(assetKinds, k) }

var assetKinds = map[AssetKind]string{Page: "page", Image: "image", Frame: "frame", Whole: "document", Thumbnail: "thumbnail"}

// Asset is what validation learned of one image before redaction.
type Asset struct {
	Index         int       // 1, 2, … in the order of the document
	Kind          AssetKind // page, image, frame, thumbnail or whole document
	Within        Path      // the document within the document that it is in; of a whole document: that document
	Page          int       // 1-based page of the container; 0 where it has none
	Frame         int       // 1-based frame of a raster file; 0 elsewhere
	Format        Format    // the asset's own encoding in the source; a rendered page has its container's
	Width, Height int       // pixels after orientation
	DPI           int       // dots per inch where declared or chosen by us, else 0
	Digest        Digest    // of the asset's pixels before redaction (PixelDigest in redact)
}

// Finding is one place to destroy: where, what kind, how sure, found by which layer.
// It carries no text.
type Finding struct {
	Box    Box
	Type   Type
	Score  float64 // 0–1
	Source Source
}

// Type says what kind of personal data a box covers: HIPAA Safe Harbor's identifiers
// (45 CFR 164.514(b)(2)(i)), and what is covered without being understood.
type Type uint8

// The types of personal data. Never renumbered: they cross the wire.
const (
	Name         Type = 1  // (A) names
	Place        Type = 2  // (B) geography below a state, addresses, ZIP codes
	Date         Type = 3  // (C) date elements other than a year
	Age          Type = 4  // (C) ages over 89
	Phone        Type = 5  // (D)
	Fax          Type = 6  // (E)
	Email        Type = 7  // (F)
	SSN          Type = 8  // (G) social security and other national numbers
	MRN          Type = 9  // (H) medical record numbers
	HealthPlan   Type = 10 // (I) health plan beneficiary numbers
	Account      Type = 11 // (J)
	Licence      Type = 12 // (K) certificates and licences, NPI and DEA among them
	Vehicle      Type = 13 // (L)
	Device       Type = 14 // (M) device identifiers and serial numbers
	URL          Type = 15 // (N)
	IP           Type = 16 // (O)
	Biometric    Type = 17 // (P)
	Face         Type = 18 // (Q) full-face photographs
	Code         Type = 19 // (R) any other unique number, characteristic or code
	Organisation Type = 20 // employers, hospitals, practices: they locate a person
	Unread       Type = 21 // text was seen there and could not be read
	Unknown      Type = 22 // a word that no vocabulary explains (deny by default)
	Staff        Type = 23 // (A) names of those who treat, write or sign, where context says so
	Signature    Type = 24 // a signature's ink, found by its label
)

// Types lists every type in its order.
func Types() []Type {
	out := make([]Type, 0, len(typeNames))
	for t := Name; t <= Signature; t++ {
		out = append(out, t)
	}
	return out
}

var typeNames = map[Type]string{
	Name: "name", Place: "place", Date: "date", Age: "age", Phone: "phone", Fax: "fax", Email: "email",
	SSN: "ssn", MRN: "mrn", HealthPlan: "health_plan", Account: "account", Licence: "licence",
	Vehicle: "vehicle", Device: "device", URL: "url", IP: "ip", Biometric: "biometric", Face: "face",
	Code: "code", Organisation: "organisation", Unread: "unread", Unknown: "unknown",
	Staff: "staff", Signature: "signature",
}

// String is the name used in policies, results and events.
func (t Type) String() string { return nameOf(typeNames, t) }

// ParseType reads what String writes.
func ParseType(s string) (Type, bool) { return valueOf(typeNames, s) }

// Source says which layer found something.
type Source uint8

// The layers that find. Never renumbered: they cross the wire.
const (
	ByPattern     Source = 1 // a pattern with its validator
	ByLabel       Source = 2 // a value beside or below its label
	ByName        Source = 3 // name lists and context
	ByPlace       Source = 4 // place lists and context
	ByPropagation Source = 5 // a confident finding repeated elsewhere in the document
	ByHint        Source = 6 // the caller said whom the document is about
	ByDefault     Source = 7 // deny by default
	ByCoverage    Source = 8 // seen by the detector, explained by no reader
	BySecondLook  Source = 9 // seen again in the derivative
	ByReviewer    Source = 10
	ByCarry       Source = 11 // found on the page, carried over to the image placed there, or back
	ByFace        Source = 12 // a face in the pixels
	ByBarcode     Source = 13 // a bar code or QR code in the pixels
	ByInk         Source = 14 // ink that stands where a label asks for a signature
	ByModel       Source = 15 // the optional token classifier
)

var sourceNames = map[Source]string{
	ByPattern: "pattern", ByLabel: "label", ByName: "name", ByPlace: "place", ByPropagation: "propagation",
	ByHint: "hint", ByDefault: "default", ByCoverage: "coverage", BySecondLook: "second_look",
	ByReviewer: "reviewer", ByCarry: "carry", ByFace: "face", ByBarcode: "barcode", ByInk: "ink", ByModel: "model",
}

// String is the name used in results and events.
func (s Source) String() string { return nameOf(sourceNames, s) }

// Status is how an asset ended.
type Status uint8

// The ends of an asset.
const (
	Redacted Status = 1 // a derivative was made
	Withheld Status = 2 // nothing leaves; the reason says why
)

// String is the name used in results and events.
func (s Status) String() string {
	return nameOf(map[Status]string{Redacted: "redacted", Withheld: "withheld"}, s)
}

// NotCovered says what of a document is no image and was not processed, so that
// nobody takes the derivatives for the whole. A set of bits.
type NotCovered uint32

// What may be left uncovered. Never renumbered: they cross the wire.
const (
	OfficeText     NotCovered = 1 << 0 // the text of an office document
	OfficeVector   NotCovered = 1 << 1 // charts and drawings that are no picture files
	ExternalImages NotCovered = 1 << 2 // pictures that the document only points at
	EmbeddedFiles  NotCovered = 1 << 3 // files attached inside the document
	Metadata       NotCovered = 1 << 4 // properties, comments, form data outside the pixels
	MessageText    NotCovered = 1 << 5 // the text of a message
)

var notCoveredNames = []struct {
	bit  NotCovered
	name string
}{
	{OfficeText, "office_text"}, {OfficeVector, "office_vector"}, {ExternalImages, "external_images"},
	{EmbeddedFiles, "embedded_files"}, {Metadata, "metadata"}, {MessageText, "message_text"},
}

// Names lists the set in a fixed order.
func (n NotCovered) Names() []string {
	out := []string{}
	for _, e := range notCoveredNames {
		if n&e.bit != 0 {
			out = append(out, e.name)
		}
	}
	return out
}

func nameOf[K comparable](m map[K]string, k K) string {
	if s, ok := m[k]; ok {
		return s
	}
	return "invalid"
}

func valueOf[K comparable](m map[K]string, s string) (K, bool) {
	for k, v := range m {
		if v == s {
			return k, true
		}
	}
	var zero K
	return zero, false
}
