package office

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// survey reads the relationships and looks for what is no picture. It returns the
// names of the parts that a relationship calls a picture.
func (d *Document) survey(parts []*zip.File) (map[string]bool, error) {
	pictured := map[string]bool{}
	for _, p := range parts {
		name := strings.ToLower(p.Name)
		switch {
		case strings.HasSuffix(name, ".rels"):
			if err := d.relations(p, pictured); err != nil {
				return nil, err
			}
		case strings.HasPrefix(name, "docprops/") && strings.HasSuffix(name, ".xml"), strings.HasPrefix(name, "word/comments"), strings.HasPrefix(name, "customxml/"):
			d.extra |= document.Metadata
		case strings.Contains(name, "/embeddings/"), strings.Contains(name, "vbaproject"):
			d.extra |= document.EmbeddedFiles
		case strings.Contains(name, "/charts/"), strings.Contains(name, "/diagrams/"), strings.Contains(name, "/drawings/"), strings.Contains(name, "/ink/"):
			d.extra |= document.OfficeVector
		case strings.HasPrefix(name, "word/") && strings.HasSuffix(name, ".xml"):
			if err := d.shapes(p); err != nil {
				return nil, err
			}
		}
	}
	return pictured, nil
}

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
	case kind == "image":
		pictured[resolve(rels, rel.Target)] = true
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

// shapes looks for drawings made of lines and text boxes rather than of a picture.
func (d *Document) shapes(p *zip.File) error {
	data, err := unpack(p, d.lim)
	if err != nil {
		return err
	}
	for _, mark := range []string{"<wps:wsp", "<wpc:wpc", "<v:textbox", "<v:line", "<v:rect", "<v:oval", "<v:polyline", "<v:roundrect"} {
		if bytes.Contains(data, []byte(mark)) {
			d.extra |= document.OfficeVector
			return nil
		}
	}
	return nil
}
