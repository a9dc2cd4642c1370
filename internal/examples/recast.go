package examples

import (
	"blotter/internal/truth"
	"bytes"
	"image"
	"image/gif"
	"strings"

	"golang.org/x/image/bmp"
)

// Recast makes the report in the other formats that blotter opens: as the two frames of
// an animation, as one picture, cropped on a slide and in a sheet. They are made for
// tests and do not ship; of slide and sheet only the parts exist that hold the picture.
func Recast() ([]Example, error) {
	scan, words, err := reportScan()
	if err != nil {
		return nil, err
	}
	whole := truth.Picture{Width: scan.Rect.Dx(), Height: scan.Rect.Dy(), Words: words}
	film, err := animate(scan, whole)
	if err != nil {
		return nil, err
	}
	var bitmap bytes.Buffer
	if err := bmp.Encode(&bitmap, scan); err != nil {
		return nil, err
	}
	picture, err := encodePNG(scan)
	if err != nil {
		return nil, err
	}
	out := []Example{film,
		{"report.bmp", bitmap.Bytes(), []truth.Picture{whole}},
		{"report.webp", EncodeWebP(scan), []truth.Picture{whole}}}
	for _, p := range []struct{ name, main, holder, drawing, media string }{
		{"report.pptx", pptxMain, "ppt/slides/slide1.xml", pptxSlide, "ppt/media/image1.png"},
		{"report.xlsx", xlsxMain, "xl/drawings/drawing1.xml", xlsxDrawing, "xl/media/image1.png"},
	} {
		dir, file := p.holder[:strings.LastIndexByte(p.holder, '/')], p.holder[strings.LastIndexByte(p.holder, '/')+1:]
		made, err := encodePackage([]packagePart{
			{"[Content_Types].xml", []byte(strings.ReplaceAll(anyTypes, "MAIN", p.main))},
			{"docProps/core.xml", []byte(strings.ReplaceAll(docxCore, "AUTHOR", "Ingrid Halvorsen"))},
			{p.holder, []byte(p.drawing)},
			{dir + "/_rels/" + file + ".rels", []byte(strings.ReplaceAll(docxPictureRelation, "media/", "../media/"))},
			{p.media, picture},
		})
		if err != nil {
			return nil, err
		}
		out = append(out, Example{p.name, made, []truth.Picture{whole}})
	}
	return out, nil
}

// animate shows the upper part of a scan first, then all of it.
func animate(scan *image.Paletted, whole truth.Picture) (Example, error) {
	cut := quietRow(whole.Words, whole.Height/2)
	white := uint8(len(scan.Palette) - 1)
	first := image.NewPaletted(scan.Rect, scan.Palette)
	copy(first.Pix, scan.Pix[:cut*scan.Stride])
	for i := cut * first.Stride; i < len(first.Pix); i++ {
		first.Pix[i] = white
	}
	rest := scan.SubImage(image.Rect(0, cut, whole.Width, whole.Height)).(*image.Paletted)
	var out bytes.Buffer
	err := gif.EncodeAll(&out, &gif.GIF{Image: []*image.Paletted{first, rest}, Delay: []int{50, 50}})
	upper := truth.Picture{Frame: 1, Width: whole.Width, Height: whole.Height}
	for _, w := range whole.Words {
		if w.Box().Y < cut {
			upper.Words = append(upper.Words, w)
		}
	}
	whole.Frame = 2
	return Example{"report.gif", out.Bytes(), []truth.Picture{upper, whole}}, err
}

// quietRow is the first row from y on that cuts no word.
func quietRow(words []truth.Word, y int) int {
	for _, w := range words {
		if b := w.Box(); b.Y <= y && y <= b.Y+b.H {
			return quietRow(words, b.Y+b.H+1)
		}
	}
	return y
}

const (
	pptxMain = "presentationml.presentation"
	xlsxMain = "spreadsheetml.sheet"
	anyTypes = xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Override PartName="/main.xml" ContentType="application/vnd.openxmlformats-officedocument.MAIN.main+xml"/></Types>`
	// The slide shows the upper left quarter of the picture; the picture is whole all the same.
	pptxSlide = xmlHead + `<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" ` +
		`xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
		`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><p:cSld><p:spTree><p:grpSp><p:pic>` +
		`<p:blipFill><a:blip r:embed="rId1"/><a:srcRect r="50000" b="50000"/></p:blipFill>` +
		`<p:spPr><a:prstGeom prst="rect"/></p:spPr></p:pic></p:grpSp></p:spTree></p:cSld></p:sld>`
	xlsxDrawing = xmlHead + `<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" ` +
		`xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
		`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><xdr:twoCellAnchor><xdr:pic>` +
		`<xdr:blipFill><a:blip r:embed="rId1"/></xdr:blipFill><xdr:spPr><a:prstGeom prst="rect"/></xdr:spPr></xdr:pic></xdr:twoCellAnchor></xdr:wsDr>`
)
