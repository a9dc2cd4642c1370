package office

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"regexp"
	"strings"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// survey reads the relationships and looks for what is no picture. It returns the
// names of the parts that a relationship calls a picture.
func (d *Document) survey(parts []*zip.File) (map[string]bool, error) {
	pictured := map[string]bool{}
	for _, p := range parts {
		name, err := strings.ToLower(p.Name), error(nil)
		switch {
		case strings.HasSuffix(name, ".rels"):
			err = d.relations(p, pictured)
		case beside.MatchString(name):
			d.extra |= document.Metadata
		case programs.MatchString(name):
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
	return pictured, nil
}

// Parts by their names in lower case, which the suites have kept since 2007. A part of
// another name is still looked into for a picture; its drawings go unnoticed.
var (
	beside      = regexp.MustCompile(`^docprops/.*\.xml$|^customxml/|/comments|/threadedcomments/|/notesslides/|/persons/`)
	attachments = regexp.MustCompile(`/embeddings/[^/]*$`)
	programs    = regexp.MustCompile(`/vbaproject|/activex/|/externallinks/`)
	drawn       = regexp.MustCompile(`/charts/|/chartex/|/diagrams/|/ink/|/model3d/|/chartsheets/`)
	shaped      = regexp.MustCompile(`^word/.*\.xml$|/drawings/|^ppt/(slides|slidelayouts|slidemasters)/`)
)

// relationship is one line of a .rels part.
type relationship struct {
	Type   string `xml:"Type,attr"`
	Target string `xml:"Target,attr"`
	Mode   string `xml:"TargetMode,attr"`
}

// relations notes the picture targets of a .rels part. External targets are counted,
// never fetched and never kept. The decoder knows no entities but XML's own five, so
// that nothing in it can grow.
func (d *Document) relations(p *zip.File, pictured map[string]bool) error {
	data, err := unpack(p, d.lim)
	if err != nil {
		return err
	}
	dec := xml.NewDecoder(bytes.NewReader(data))
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return reason.Because(reason.ExtractMalformed, errors.New("office: relationships"))
		}
		start, ok := tok.(xml.StartElement)
		if !ok || start.Name.Local != "Relationship" {
			continue
		}
		var rel relationship
		for _, a := range start.Attr {
			switch a.Name.Local {
			case "Type":
				rel.Type = a.Value
			case "Target":
				rel.Target = a.Value
			case "TargetMode":
				rel.Mode = a.Value
			}
		}
		d.relate(rel, p.Name, pictured)
	}
}

func (d *Document) relate(rel relationship, rels string, pictured map[string]bool) {
	kind := rel.Type[strings.LastIndexByte(rel.Type, '/')+1:]
	switch external := strings.EqualFold(rel.Mode, "External"); {
	case kind == "image" && external:
		d.extra |= document.ExternalImages
	case (kind == "image" || kind == "hdphoto") && !external: // the latter is JPEG XR beside a fallback
		pictured[resolve(rels, rel.Target)] = true
	case kind == "video" || kind == "audio" || kind == "media":
		d.extra |= document.EmbeddedFiles
	case external && (kind == "oleObject" || kind == "package" || kind == "attachedTemplate" || kind == "subDocument"):
		d.extra |= document.EmbeddedFiles
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

// shapes looks for drawings made of lines and text boxes rather than of a picture.
func (d *Document) shapes(p *zip.File) error {
	data, err := unpack(p, d.lim)
	if err != nil {
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
