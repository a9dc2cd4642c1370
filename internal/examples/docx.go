package examples

import (
	"archive/zip"
	"bytes"
	"strconv"
	"strings"
	"time"
)

// encodeDOCX writes the smallest office document that shows some paragraphs and a
// picture of that size in inches.
func encodeDOCX(author string, paragraphs []string, picture []byte, widthInch, heightInch float64) ([]byte, error) {
	return encodePackage([]packagePart{
		{"[Content_Types].xml", []byte(docxTypes)},
		{"_rels/.rels", []byte(docxRelations)},
		{"docProps/core.xml", []byte(strings.ReplaceAll(docxCore, "AUTHOR", author))},
		{"word/document.xml", []byte(docxBody(paragraphs, widthInch, heightInch))},
		{"word/_rels/document.xml.rels", []byte(docxPictureRelation)},
		{"word/media/image1.png", picture},
	})
}

// packagePart is one file of an office package.
type packagePart struct {
	name string
	body []byte
}

func encodePackage(parts []packagePart) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, p := range parts {
		// A fixed time, so that the same example has the same bytes.
		part, err := w.CreateHeader(&zip.FileHeader{Name: p.name, Method: zip.Deflate,
			Modified: time.Date(2024, 3, 12, 9, 0, 0, 0, time.UTC)})
		if err != nil {
			return nil, err
		}
		if _, err := part.Write(p.body); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func docxBody(paragraphs []string, widthInch, heightInch float64) string {
	var b strings.Builder
	b.WriteString(docxHead)
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	for _, p := range paragraphs {
		b.WriteString(`<w:p><w:r><w:t xml:space="preserve">` + escape.Replace(p) + `</w:t></w:r></w:p>`)
	}
	b.WriteString(strings.NewReplacer("CX", emu(widthInch), "CY", emu(heightInch)).Replace(docxPicture))
	b.WriteString(`<w:sectPr><w:pgSz w:w="12240" w:h="15840"/></w:sectPr></w:body></w:document>`)
	return b.String()
}

// emu writes a length in English Metric Units, 914,400 to the inch (ECMA-376).
func emu(inch float64) string { return strconv.Itoa(int(inch * 914400)) }

const (
	xmlHead   = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	docxTypes = xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>` +
		`<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>` +
		`<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`
	docxRelations = xmlHead + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>` +
		`<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`
	docxPictureRelation = xmlHead + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/image1.png"/></Relationships>`
	docxCore = xmlHead + `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" ` +
		`xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>AUTHOR</dc:creator></cp:coreProperties>`
	docxHead = xmlHead + `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ` +
		`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ` +
		`xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" ` +
		`xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
		`xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><w:body>`
	docxPicture = `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="CX" cy="CY"/><wp:docPr id="1" name="Picture 1"/>` +
		`<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic>` +
		`<pic:nvPicPr><pic:cNvPr id="1" name="scan.png"/><pic:cNvPicPr/></pic:nvPicPr>` +
		`<pic:blipFill><a:blip r:embed="rId1"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>` +
		`<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="CX" cy="CY"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr>` +
		`</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`
)
