package office

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// Parts of an OpenDocument package by their names in lower case (ODF 1.3 part 2, 3).
// Pictures lie where the standard's writers put them; one that lies elsewhere is known by
// its first bytes.
var (
	keptPictures = regexp.MustCompile(`(^|/)(pictures|thumbnails|objectreplacements)/[^/]+$`)
	keptMedia    = regexp.MustCompile(`(^|/)media/[^/]+$`)
	odfProgram   = regexp.MustCompile(`^(basic|scripts|dialogs)/`)
	odfBeside    = regexp.MustCompile(`(^|/)meta\.xml$|^manifest\.rdf$`)
	odfBody      = regexp.MustCompile(`(^|/)(content|styles)\.xml$`)
)

// surveyOpenDocument refuses what is encrypted, gives parts their roles by their place,
// and looks for what is no picture in the package.
func (d *Document) surveyOpenDocument(parts []*zip.File) (map[string]role, error) {
	roles := map[string]role{}
	for _, p := range parts {
		name, err := strings.ToLower(p.Name), error(nil)
		switch {
		case name == "meta-inf/manifest.xml":
			err = d.manifest(p)
		case keptPictures.MatchString(name):
			roles[name] |= isPicture
		case keptMedia.MatchString(name):
			roles[name] |= isWithin
		case odfProgram.MatchString(name):
			d.extra |= document.EmbeddedFiles
		case odfBeside.MatchString(name):
			d.extra |= document.Metadata
		case odfBody.MatchString(name):
			err = d.body(p)
		}
		if err != nil {
			return nil, err
		}
	}
	return roles, nil
}

// manifest refuses a package of which any part is encrypted (ODF 1.3 part 2, 3.4).
func (d *Document) manifest(p *zip.File) error {
	return d.elements(p, func(e xml.StartElement) error {
		if e.Name.Local == "encryption-data" {
			return reason.Because(reason.ExtractEncrypted, errors.New("office: encrypted part"))
		}
		return nil
	})
}

// drawnODF are elements that show something else than a picture and text.
var drawnODF = map[string]bool{
	"rect": true, "line": true, "polyline": true, "polygon": true, "regular-polygon": true, "path": true, "circle": true,
	"ellipse": true, "connector": true, "caption": true, "measure": true, "custom-shape": true, "object": true, "scene": true,
}

const drawingSpace = "drawing:1.0" // end of ODF's name space of drawings

// body looks for drawings, comments and pictures that lie elsewhere. They are not fetched.
func (d *Document) body(p *zip.File) error {
	return d.elements(p, func(e xml.StartElement) error {
		drawing := strings.HasSuffix(e.Name.Space, drawingSpace) || strings.HasSuffix(e.Name.Space, "/drawing")
		switch name := e.Name.Local; {
		case drawing && name == "object" && elsewhere(e):
			d.extra |= document.OfficeVector | document.EmbeddedFiles
		case drawing && drawnODF[name]:
			d.extra |= document.OfficeVector
		case name == "annotation":
			d.extra |= document.Metadata
		case (name == "image" || name == "fill-image" || name == "background-image") && elsewhere(e):
			d.extra |= document.ExternalImages
		case drawing && (name == "plugin" || name == "applet" || name == "floating-frame" || name == "object-ole") && elsewhere(e):
			d.extra |= document.EmbeddedFiles
		}
		return nil
	})
}

// elsewhere reports whether an element refers to something outside the package: an IRI
// with a scheme, or a path that leaves it (ODF 1.3 part 2, 3.7).
func elsewhere(e xml.StartElement) bool {
	for _, a := range e.Attr {
		if a.Name.Local == "href" {
			before, _, scheme := strings.Cut(a.Value, ":")
			return scheme && !strings.Contains(before, "/") || strings.HasPrefix(a.Value, "/") || strings.HasPrefix(a.Value, "../")
		}
	}
	return false
}

// elements calls f for each element of a part.
func (d *Document) elements(p *zip.File, f func(xml.StartElement) error) error {
	if tooDense(p, d.lim) {
		return reason.Because(reason.ExtractRatio, errors.New("office: part packed too densely"))
	}
	in, err := p.Open()
	if err != nil {
		return reason.Because(reason.ExtractMalformed, fmt.Errorf("office: part: %w", err))
	}
	defer in.Close()
	return walk(io.LimitReader(in, int64(p.UncompressedSize64)), f)
}
