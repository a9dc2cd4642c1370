package office

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"path"
	"regexp"
	"strings"

	"blotter/internal/document"
)

// role is what relationships call a part.
type role uint8

const (
	isPicture role = 1 << iota
	isWithin       // a document, a film or a sound
)

// survey reads the relationships and looks for what is no picture. It returns the roles
// of parts by their name in lower case: OPC has names without regard to case.
func (d *Document) survey(parts []*zip.File) (map[string]role, error) {
	roles := map[string]role{}
	for _, p := range parts {
		name, err := strings.ToLower(p.Name), error(nil)
		switch {
		case strings.HasSuffix(name, ".rels"):
			err = d.relations(p, roles)
		case beside.MatchString(name):
			d.extra |= document.Metadata
		case programs.MatchString(name), linked.MatchString(name):
			d.extra |= document.EmbeddedFiles
		case drawn.MatchString(name):
			d.extra |= document.OfficeVector
		case shaped.MatchString(name):
			err = d.shapes(p)
		}
		if err != nil {
			return nil, err
		}
	}
	return roles, nil
}

// Parts by their names in lower case, which the suites have kept since 2007. A part of
// another name is still looked into for a picture; its drawings go unnoticed.
var (
	beside      = regexp.MustCompile(`^docprops/.*\.xml$|^customxml/|/comments|/threadedcomments/|/notesslides/|/persons/`)
	attachments = regexp.MustCompile(`/embeddings/[^/]*$`)
	programs    = regexp.MustCompile(`/vbaproject[^/]*\.bin$|/activex/`)
	linked      = regexp.MustCompile(`/externallinks/`)
	pieces      = regexp.MustCompile(`/\[\d+\](\.last)?\.piece$`)
	drawn       = regexp.MustCompile(`\.fpage$|/charts/|/chartex/|/diagrams/|/ink/|/model3d/|/chartsheets/`)
	shaped      = regexp.MustCompile(`^(word|drs)/.*\.xml$|\.vml$|/drawings/|^ppt/(slides|slidelayouts|slidemasters)/`)
)

// relationship is one line of a .rels part.
type relationship struct {
	Type   string `xml:"Type,attr"`
	Target string `xml:"Target,attr"`
	Mode   string `xml:"TargetMode,attr"`
}

// relations notes the targets of a .rels part. External targets are counted,
// never fetched and never kept.
func (d *Document) relations(p *zip.File, roles map[string]role) error {
	data, err := unpack(p, d.lim)
	if err != nil {
		return err
	}
	return walk(bytes.NewReader(data), func(e xml.StartElement) error {
		if e.Name.Local != "Relationship" {
			return nil
		}
		var rel relationship
		for _, a := range e.Attr {
			switch a.Name.Local {
			case "Type":
				rel.Type = a.Value
			case "Target":
				rel.Target = a.Value
			case "TargetMode":
				rel.Mode = a.Value
			}
		}
		d.relate(rel, p.Name, roles)
		return nil
	})
}

func (d *Document) relate(rel relationship, rels string, roles map[string]role) {
	kind := rel.Type[strings.LastIndexByte(rel.Type, '/')+1:]
	external := strings.EqualFold(rel.Mode, "External") || strings.Contains(rel.Target, "://")
	target := strings.ToLower(resolve(rels, rel.Target))
	switch kind {
	case "image", "hdphoto", "rImage": // JPEG XR beside a fallback; a picture that is only linked
		if external {
			d.extra |= document.ExternalImages
			return
		}
		roles[target] |= isPicture
	case "oleObject", "package", "aFChunk", "video", "audio", "media":
		if external {
			d.extra |= document.EmbeddedFiles
			return
		}
		roles[target] |= isWithin
	case "attachedTemplate", "subDocument":
		d.extra |= document.EmbeddedFiles // always elsewhere
	}
}

// resolve names a target as the archive does: word/_rels/document.xml.rels and
// media/image1.png give word/media/image1.png.
func resolve(rels, target string) string {
	if strings.HasPrefix(target, "/") {
		return path.Clean(target)[1:]
	}
	return path.Join(path.Dir(path.Dir(rels)), target)
}

// lines are what drawings are made of that show no picture: shapes of Word, of VML, of
// the drawings in sheets and slides, and the frames of charts and diagrams. A plain
// rectangle is the outline that pictures and text boxes have too.
var lines = [][]byte{
	[]byte("<wps:wsp"), []byte("<wpc:wpc"), []byte("<v:textbox"), []byte("<v:line"), []byte("<v:rect"), []byte("<v:oval"),
	[]byte("<v:polyline"), []byte("<v:roundrect"), []byte("<xdr:sp "), []byte("<xdr:sp>"), []byte("<xdr:cxnSp"), []byte("<xdr:graphicFrame"),
	[]byte("<p:cxnSp"), []byte("<p:graphicFrame"), []byte("<a:custGeom"), []byte("<p:contentPart"),
}

// otherThanRect finds a ready-made shape whose name is not rect.
var otherThanRect = regexp.MustCompile(`<a:prstGeom prst="(?:[^r]|r[^e]|re[^c]|rec[^t]|rect[^"])`)

// shapes looks for drawings made of lines and text boxes rather than of a picture, and for
// packages that stand in shapes.
func (d *Document) shapes(p *zip.File) error {
	data, err := unpack(p, d.lim)
	if err != nil {
		return err
	}
	if bytes.Contains(data, []byte("INCLUDEPICTURE")) { // a field, which need not have a relation
		d.extra |= document.ExternalImages
	}
	if err := d.packages(data); err != nil {
		return err
	}
	for _, mark := range lines {
		if bytes.Contains(data, mark) {
			d.extra |= document.OfficeVector
			return nil
		}
	}
	if otherThanRect.Match(data) {
		d.extra |= document.OfficeVector
	}
	return nil
}
