package extract

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/document"
)

// packageOf is an office document of a kind with parts by name and content in turn.
func packageOf(t *testing.T, kind string, parts ...any) []byte {
	t.Helper()
	main := map[string]string{
		"word": "wordprocessingml.document", "ppt": "presentationml.presentation", "xl": "spreadsheetml.sheet",
	}[kind]
	head := []any{"[Content_Types].xml", `<Types><Override ContentType="application/vnd.openxmlformats-officedocument.` + main + `.main+xml"/></Types>`}
	if main == "" {
		head = []any{"mimetype", "application/vnd.oasis.opendocument." + kind, "content.xml", "<x/>"}
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	all := append(head, parts...)
	for i := 0; i < len(all); i += 2 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: fmt.Sprint(all[i]), Method: zip.Store})
		if err == nil {
			_, err = fmt.Fprintf(f, "%s", all[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// legacyOf is a document of before 2007 that holds a drawing.
func legacyOf(t *testing.T, kind string, drawing []byte) []byte {
	t.Helper()
	biff := func(kind, n int) []byte {
		return binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(nil, uint16(kind)), uint16(n))
	}
	book := slices.Concat(biff(0x809, 4), []byte{0, 6, 5, 0})
	var streams []*cfb.Node
	switch kind {
	case "doc":
		return wordOf(t, drawing)
	case "xls":
		streams = append(streams, cfb.NewStream("Workbook", slices.Concat(book, biff(0xeb, len(drawing)), drawing, biff(10, 0))))
	case "xls, header":
		frame := make([]byte, 14)
		streams = append(streams, cfb.NewStream("Workbook", slices.Concat(book, biff(0x866, 14+len(drawing)), frame, drawing, biff(10, 0))))
	case "ppt":
		streams = append(streams, cfb.NewStream("PowerPoint Document", nil), cfb.NewStream("Pictures", drawing))
	}
	b, err := cfb.NewStorage("Root Entry", streams...).File(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// F10: of a picture that is cropped in the document the whole is the asset, so that what the
// crop hides is read and redacted, too. F11: pictures vanished that stand in headers, in
// groups, in VML, in charts, diagrams, lists, backgrounds and comments. Each place holds a
// picture of another size.
func TestPicturesWhereverTheyStand(t *testing.T) {
	rels := func(target string) string {
		return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="` + target + `"/></Relationships>`
	}
	crop := `<pic:blipFill><a:blip r:embed="r"/><a:srcRect l="40000" t="10000" r="40000" b="80000"/></pic:blipFill>`
	for name, c := range map[string]struct {
		doc []byte
		n   int // pictures, 3×2, 4×2, …
	}{
		"Word": {packageOf(t, "word", "word/document.xml", "<w:document>"+crop+`<w:pict><v:shape><v:imagedata r:id="r"/></v:shape></w:pict></w:document>`, "word/media/body.png", gray(t, 3, 2, 1),
			"word/_rels/header1.xml.rels", rels("media/h.bin"), "word/media/h.bin", gray(t, 4, 2, 1), "word/_rels/footer2.xml.rels", rels("media/f.bin"), "word/media/f.bin", gray(t, 5, 2, 1),
			"word/_rels/footnotes.xml.rels", rels("media/n.bin"), "word/media/n.bin", gray(t, 6, 2, 1), "word/_rels/numbering.xml.rels", rels("media/l.bin"), "word/media/l.bin", gray(t, 7, 2, 1),
			"word/charts/_rels/chart1.xml.rels", rels("../media/c.bin"), "word/media/c.bin", gray(t, 8, 2, 1), "word/diagrams/_rels/drawing1.xml.rels", rels("../media/d.bin"), "word/media/d.bin", gray(t, 9, 2, 1),
			"word/glossary/media/g.png", gray(t, 10, 2, 1), "word/theme/_rels/theme1.xml.rels", rels("../media/t.bin"), "word/media/t.bin", gray(t, 11, 2, 1), "docProps/thumbnail.jpeg", gray(t, 12, 2, 1)), 10},
		"PowerPoint": {packageOf(t, "ppt", "ppt/slides/slide1.xml", "<p:grpSp><p:grpSp>"+crop+"</p:grpSp></p:grpSp>", "ppt/media/image1.png", gray(t, 3, 2, 1),
			"ppt/slideMasters/_rels/slideMaster1.xml.rels", rels("../media/m.bin"), "ppt/media/m.bin", gray(t, 4, 2, 1), "ppt/slideLayouts/_rels/slideLayout1.xml.rels", rels("../media/l.bin"), "ppt/media/l.bin", gray(t, 5, 2, 1),
			"ppt/notesSlides/_rels/notesSlide1.xml.rels", rels("../media/n.bin"), "ppt/media/n.bin", gray(t, 6, 2, 1), "ppt/drawings/_rels/vmlDrawing1.vml.rels", rels("../media/v.bin"), "ppt/media/v.bin", gray(t, 7, 2, 1),
			"ppt/charts/_rels/chart1.xml.rels", rels("../media/c.bin"), "ppt/media/c.bin", gray(t, 8, 2, 1)), 6},
		"Excel": {packageOf(t, "xl", "xl/drawings/drawing1.xml", "<xdr:grpSp>"+crop+"</xdr:grpSp>", "xl/media/image1.png", gray(t, 3, 2, 1),
			"xl/drawings/_rels/vmlDrawing1.vml.rels", rels("../media/f.bin"), "xl/media/f.bin", gray(t, 4, 2, 1), "xl/worksheets/_rels/sheet1.xml.rels", rels("../media/b.bin"), "xl/media/b.bin", gray(t, 5, 2, 1),
			"xl/charts/_rels/chart1.xml.rels", rels("../media/c.bin"), "xl/media/c.bin", gray(t, 6, 2, 1), "xl/richData/_rels/richValueRel.xml.rels", rels("../media/r.bin"), "xl/media/r.bin", gray(t, 7, 2, 1)), 5},
		"OpenDocument": {packageOf(t, "text", "styles.xml", `<style:header><draw:image xlink:href="Pictures/h.png"/></style:header>`, "Pictures/a.png", gray(t, 3, 2, 1), "Pictures/h.png", gray(t, 4, 2, 1),
			"media/odd.bin", gray(t, 5, 2, 1), "Object 1/Pictures/o.png", gray(t, 6, 2, 1), "ObjectReplacements/Object 1", gray(t, 7, 2, 1), "Thumbnails/thumbnail.png", gray(t, 8, 2, 1)), 6},
		"old Word":       {legacyOf(t, "doc", blip(0xf01e, 0x6e00, 17, gray(t, 3, 2, 1))), 1},
		"old Excel":      {legacyOf(t, "xls", blip(0xf01e, 0x6e00, 17, gray(t, 3, 2, 1))), 1},
		"header of old":  {legacyOf(t, "xls, header", blip(0xf01e, 0x6e00, 17, gray(t, 3, 2, 1))), 1},
		"old PowerPoint": {legacyOf(t, "ppt", blip(0xf01e, 0x6e00, 17, gray(t, 3, 2, 1))), 1},
		"rich text": {fmt.Appendf(nil, `{\rtf1{\header{\pict\piccropl500\piccropb500\pngblip %x}}{\shp{\*\shpinst{\shpgrp{\sp{\sn pib}{\sv {\pict\pngblip %x}}}}}}{\*\listpicture{\pict\pngblip %x}}}`,
			gray(t, 3, 2, 1), gray(t, 4, 2, 1), gray(t, 5, 2, 1)), 3},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, it := range openAny(t, c.doc).Assets() {
				got = append(got, fmt.Sprintf("%d×%d%s", it.Width, it.Height, it.Withheld))
			}
			var want []string
			for i := range c.n {
				want = append(want, fmt.Sprintf("%d×2", 3+i))
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("found %v, want %v", got, want)
			}
		})
	}
}

// F23: an honest document was refused as a bomb because of one blank picture, which packs a
// hundred to one: above a mebibyte, and below the ratio of the default policy.
func TestBlankPicturesAreNoBombs(t *testing.T) {
	blank := metafileOf(1000, 700, 0xff) // 2.1 MB
	for i := 1000; i < len(blank); i += 600 {
		blank[i] = byte(i * 7 >> 3) // a speck of dust
	}
	for _, kind := range []string{"word", "ppt", "xl"} {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		types := strings.Replace(wordTypes, "wordprocessingml.document", map[string]string{"word": "wordprocessingml.document", "ppt": "presentationml.presentation", "xl": "spreadsheetml.sheet"}[kind], 1)
		for _, p := range []struct {
			name string
			data []byte
		}{{"[Content_Types].xml", []byte(types)}, {kind + "/media/image1.emf", blank}} {
			f, err := w.Create(p.name)
			if err == nil {
				_, err = f.Write(p.data)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if ratio := len(blank) / b.Len(); ratio < 100 {
			t.Fatalf("it packs only %d to 1", ratio)
		}
		lim := corpusLimits
		lim.Depth = 4
		src, err := openNest(b.Bytes(), lim)
		if err != nil {
			t.Fatal(err)
		}
		if items := src.Assets(); len(items) != 1 || items[0].Withheld != "" || items[0].Kind != document.Image {
			t.Errorf("%s: %+v", kind, items)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
}
