package office

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"strings"
	"testing"

	"golang.org/x/image/bmp"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/document"
	"blotter/internal/reason"
)

var roomy = document.Limits{Assets: 100, Frames: 10, AssetPixels: 1e6, TotalPixels: 1e7, Entries: 100, UnpackedBytes: 32 << 20, Ratio: 100}

// part is one file of an archive.
type part struct{ name, data string }

func archive(t testing.TB, parts ...part) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, p := range parts {
		f, err := w.Create(p.name)
		if err == nil {
			_, err = f.Write([]byte(p.data))
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

func picturePNG(t testing.TB, w, h int) string {
	t.Helper()
	var b bytes.Buffer
	img := image.NewGray(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = byte(i * 7)
	}
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func pictureBMP(t testing.TB, w, h int) string {
	t.Helper()
	var b bytes.Buffer
	if err := bmp.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// pictureGIF is an animation whose frame i is filled with gray level 10·i.
func pictureGIF(t testing.TB, w, h, frames int) string {
	t.Helper()
	g := gif.GIF{Delay: make([]int, frames)}
	for i := range frames {
		level := color.Gray{uint8(10 * i)}
		g.Image = append(g.Image, image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{level, color.Gray{200}}))
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &g); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func rels(lines ...string) string {
	return `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + strings.Join(lines, "") + `</Relationships>`
}

func rel(kind, target, mode string) string {
	return fmt.Sprintf(`<Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target="%s" TargetMode="%s"/>`, kind, target, mode)
}

// emf is the head of a metafile with inclusive bounds 0,0–w-1,h-1.
func emf(w, h uint32) string {
	b := binary.LittleEndian.AppendUint32([]byte{1, 0, 0, 0, 88, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, w-1)
	b = binary.LittleEndian.AppendUint32(b, h-1)
	return string(append(append(b, make([]byte, 16)...), " EMF"...)) + strings.Repeat("\x00", 44)
}

// Pictures of a Macintosh and of every brand of HEIF are told by their first bytes.
func TestPicturesOfManyMakers(t *testing.T) {
	pict := strings.Repeat("\x00", 10) + pictVersion2
	d := open(t, archive(t, part{"word/media/1.pict", strings.Repeat("\x00", pictApart) + pict}, part{"word/media/2.pict", pict},
		part{"word/media/3.pict", pict[1:]}, part{"word/media/4", "\x00\x00\x00\x18ftyphevx"}, part{"word/media/5", "\x00\x00\x00\x18ftypmif2"}), roomy)
	within, items := d.Embedded(), d.Assets()
	if len(within) != 2 || !within[0].Picture || !within[1].Picture {
		t.Errorf("within %+v", within)
	}
	if len(items) != 2 || items[0].Format != document.HEIC || items[1].Format != document.HEIC {
		t.Errorf("assets %+v", items)
	}
}

func tryOpen(b []byte, lim document.Limits) (*Document, error) {
	return Open(context.Background(), bytes.NewReader(b), int64(len(b)), document.DOCX, lim, nil)
}

func open(t *testing.T, b []byte, lim document.Limits) *Document {
	t.Helper()
	d, err := tryOpen(b, lim)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Every picture is found wherever it lies and whatever it is called; what cannot be
// decoded keeps its place with a reason.
func TestPictures(t *testing.T) {
	d := open(t, archive(t,
		part{"word/media/image2.png", picturePNG(t, 3, 2)},
		part{"word/document.xml", "<w:document/>"},
		part{"word/_rels/header1.xml.rels", rels(rel("image", "media/odd.dat", ""), rel("image", "/word/media/image9.emf", ""), rel("image", "media/gone.png", ""))},
		part{"word/media/odd.dat", "no known picture"},
		part{"word/media/image9.emf", emf(640, 480)},
		part{"word/media/image1.jpeg", picturePNG(t, 5, 4)}, // its name lies
		part{"customXml/item.bin", picturePNG(t, 1, 1)},
		part{"word/media/a.gif", pictureGIF(t, 7, 8, 2)},
		part{"word/media/b.wmf", "\xd7\xcd\xc6\x9a"},
		part{"word/media/c.svg", `<svg xmlns="x"/>`},
		part{"word/media/d.bmp", pictureBMP(t, 9, 8)},
		part{"word/media/e.png", picturePNG(t, 2, 2)[:20]},
	), roomy)
	var got []string
	for _, it := range d.Assets() {
		got = append(got, fmt.Sprintf("%d %v %v %dx%d %s", it.Index, it.Kind, it.Format, it.Width, it.Height, it.Withheld))
	}
	want := []string{
		"1 image image/png 1x1 ",
		"2 image image/gif 7x8 ",
		"3 image image/gif 7x8 ",
		"4 image image/svg+xml 0x0 extract.vector_image",
		"5 image image/bmp 9x8 ",
		"6 image image/png 0x0 extract.truncated",
		"7 image image/png 5x4 ",
		"8 image image/png 3x2 ",
		"9 image application/octet-stream 0x0 extract.unsupported_encoding",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("assets\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	img, err := d.Load(7)
	if err != nil || img.Bounds() != image.Rect(0, 0, 3, 2) || img.(*image.Gray).Pix[1] != 7 {
		t.Errorf("loaded %v, %v", img, err)
	}
	if _, err := d.Load(3); reason.Of(err) != reason.ExtractVector {
		t.Errorf("a withheld picture gave %v", err)
	}
	// Metafiles are opened by who knows them.
	if in := d.Embedded(); len(in) != 2 || !in[0].Picture || !in[1].Picture || in[1].Size != 88 {
		t.Errorf("handed out: %+v", in)
	}
}

// F10, F11: slides and sheets keep pictures in places of their own; where they lie does not
// matter, and a crop shows a part of a picture whose whole is the asset.
func TestPicturesOfSlidesAndSheets(t *testing.T) {
	d := open(t, archive(t,
		part{"ppt/slides/slide1.xml", `<p:pic><p:blipFill><a:blip r:embed="r"/><a:srcRect l="50000" b="50000"/></p:blipFill></p:pic>`},
		part{"ppt/slides/_rels/slide1.xml.rels", rels(rel("image", "../media/cropped.png", ""), rel("hdphoto", "../media/hdphoto1.wdp", ""))},
		part{"ppt/slideLayouts/_rels/slideLayout1.xml.rels", rels(rel("image", "../media/layout.odd", ""))},
		part{"ppt/media/cropped.png", picturePNG(t, 40, 20)},
		part{"ppt/media/hdphoto1.wdp", "II\xbc\x01"},
		part{"ppt/media/layout.odd", "odd"},
		part{"xl/drawings/_rels/vmlDrawing1.vml.rels", rels(rel("image", "../media/footer.emz", ""))},
		part{"xl/media/footer.emz", "\x1f\x8b"},
		part{"xl/media/image1.png", picturePNG(t, 4, 3)},
		part{"docProps/thumbnail.jpeg", picturePNG(t, 2, 1)},
	), roomy)
	var got []string
	for _, it := range d.Assets() {
		got = append(got, fmt.Sprintf("%dx%d %s", it.Width, it.Height, it.Withheld))
	}
	want := []string{"2x1 ", "40x20 ", "0x0 extract.unsupported_encoding", "0x0 extract.unsupported_encoding", "0x0 extract.malformed", "4x3 "}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("assets %q, want %q", got, want)
	}
}

// The frames of an animation inside a package come out right in any order, and in order
// without being played from the start each time.
func TestAnimationInAPackage(t *testing.T) {
	d := open(t, archive(t, part{"ppt/media/a.gif", pictureGIF(t, 4, 4, 4)}, part{"ppt/media/b.png", picturePNG(t, 2, 2)}), roomy)
	for _, i := range []int{0, 1, 2, 3, 1, 4, 0, 3, 2} {
		img, err := d.Load(i)
		if err != nil {
			t.Fatal(err)
		}
		if i < 4 && img.(*image.Gray).Pix[0] != uint8(10*i) {
			t.Errorf("frame %d shows %v", i, img.At(0, 0))
		}
		if playing := d.playing.file != nil; playing != (i < 3) {
			t.Errorf("after frame %d of 4 a part is kept open: %v", i, playing)
		}
	}
}

// Files within are known by their place, or by their first bytes where they are filed as
// something else; pictures are none, wherever they lie.
func TestDocumentsWithin(t *testing.T) {
	d := open(t, archive(t, part{"word/embeddings/b.bin", "some object"}, part{"word/media/x.bin", "%PDF-1.7"},
		part{"word/embeddings/a.xlsx", "PK\x03\x04 and so on"}, part{"word/embeddings/c.png", picturePNG(t, 1, 1)},
		part{"word/document.xml", "text"}), roomy)
	want := []string{"PK\x03\x04 and so on", "some object", "%PDF-1.7"}
	if len(d.Embedded()) != len(want) || len(d.Assets()) != 1 {
		t.Fatalf("%d documents, %d pictures", len(d.Embedded()), len(d.Assets()))
	}
	for i, e := range d.Embedded() {
		if b, err := d.Unpack(i); err != nil || string(b) != want[i] || e.Size != int64(len(b)) {
			t.Errorf("document %d is %q (%v) of %d bytes", i+1, b, err, e.Size)
		}
	}
	if c := d.Spent(); c.Entries != 5 || c.Unpacked != int64(len(strings.Join(want, ""))+len("text")+len(picturePNG(t, 1, 1))) {
		t.Errorf("spent %+v", c)
	}
	if _, err := open(t, archive(t, part{"word/embeddings/a.bin", strings.Repeat("\x00", catalogue.DensityFrom+1)}), roomy).Unpack(0); reason.Of(err) != reason.ExtractRatio {
		t.Errorf("a bomb unpacks with %v", err)
	}
}

// F12: a relationship makes a part a document within, whatever it looks like and however its
// name is spelled; films and sounds are documents that will be refused by name. Macros and
// the controls of forms are neither.
func TestRolesOfParts(t *testing.T) {
	strict := func(kind, target string) string {
		return strings.Replace(rel(kind, target, ""), "http://schemas.openxmlformats.org/officeDocument/2006", "http://purl.oclc.org/ooxml/officeDocument", 1)
	}
	d := open(t, archive(t,
		part{"word/_rels/document.xml.rels", rels(strict("aFChunk", "/word/chunk.dat"), strict("video", "Media/Film.bin"), strict("image", "media/strict.odd"),
			rel("image", "http://192.0.2.1/x.png", "External"), rel("video", "http://192.0.2.1/x.mp4", "External"), rel("attachedTemplate", "file:///x.dotm", "External"))},
		part{"word/chunk.dat", "<html>"}, part{"word/media/film.bin", "....ftypmp42"}, part{"word/media/strict.odd", "odd"},
		part{"word/vbaProject.bin", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 macros"}, part{"word/activeX/activeX1.bin", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 button"},
		part{"word/other.bin", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 sheet"},
	), roomy)
	var got []string
	for i := range d.Embedded() {
		b, err := d.Unpack(i)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(b))
	}
	want := []string{"<html>", "....ftypmp42", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 sheet"}
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("within %q, want %q", got, want)
	}
	if len(d.Assets()) != 1 || d.Assets()[0].Withheld != reason.ExtractEncoding {
		t.Errorf("assets %+v", d.Assets())
	}
	if want := document.OfficeText | document.ExternalImages | document.EmbeddedFiles; d.NotCovered() != want {
		t.Errorf("not covered: %v", d.NotCovered().Names())
	}
}

func TestNotCovered(t *testing.T) {
	for name, c := range map[string]struct {
		p    part
		want document.NotCovered
	}{
		"text":             {part{"word/document.xml", "<w:t>x</w:t>"}, 0},
		"external picture": {part{"word/_rels/document.xml.rels", rels(rel("image", "http://example.org/x.png", "External"))}, document.ExternalImages},
		"no mode":          {part{"word/_rels/header1.xml.rels", rels(rel("image", "http://example.org/x.png", ""))}, document.ExternalImages},
		"linked drawing":   {part{"ppt/slides/_rels/slide1.xml.rels", rels(rel("rImage", "http://example.org/x.svg", "External"))}, document.ExternalImages},
		"in a footer":      {part{"xl/drawings/_rels/vmlDrawing1.vml.rels", rels(rel("image", "file:///x.png", "External"))}, document.ExternalImages},
		"picture of field": {part{"word/document.xml", `<w:instrText> INCLUDEPICTURE "http://example.org/x.png" \d</w:instrText>`}, document.ExternalImages},
		"external link":    {part{"word/_rels/document.xml.rels", rels(rel("hyperlink", "http://example.org", "External"))}, 0},
		"external object":  {part{"word/_rels/document.xml.rels", rels(rel("oleObject", "file:///x", "External"))}, document.EmbeddedFiles},
		"attachment":       {part{"word/embeddings/oleObject1.bin", "x"}, 0}, // whoever opens it tells
		"macros":           {part{"word/vbaProject.bin", "x"}, document.EmbeddedFiles},
		"chart":            {part{"word/charts/chart1.xml", "<c/>"}, document.OfficeVector},
		"text box":         {part{"word/document.xml", "<wps:wsp>"}, document.OfficeVector},
		"properties":       {part{"docProps/core.xml", "<x/>"}, document.Metadata},
		"comments":         {part{"word/comments.xml", "<x/>"}, document.Metadata},
		"slide of text":    {part{"ppt/slides/slide1.xml", `<p:sp><a:prstGeom prst="rect"/><a:t>x</a:t></p:sp>`}, 0},
		"rounded on slide": {part{"ppt/slides/slide1.xml", `<p:pic><a:prstGeom prst="rect"/></p:pic><p:sp><a:prstGeom prst="rectangleish"/></p:sp>`}, document.OfficeVector},
		"arrow on a slide": {part{"ppt/slides/slide1.xml", `<p:sp><a:prstGeom prst="rightArrow"/></p:sp>`}, document.OfficeVector},
		"chart on a slide": {part{"ppt/charts/chart1.xml", "<c/>"}, document.OfficeVector},
		"table on a slide": {part{"ppt/slides/slide1.xml", "<p:graphicFrame>"}, document.OfficeVector},
		"notes of a slide": {part{"ppt/notesSlides/notesSlide1.xml", "<x/>"}, document.Metadata},
		"film on a slide":  {part{"ppt/slides/_rels/slide1.xml.rels", rels(rel("video", "file:///x.mp4", "External"))}, document.EmbeddedFiles},
		"sheet":            {part{"xl/worksheets/sheet1.xml", "<c/>"}, 0},
		"picture on sheet": {part{"xl/drawings/drawing1.xml", `<xdr:pic><xdr:spPr><a:prstGeom prst="rect"/></xdr:spPr></xdr:pic>`}, 0},
		"shape on a sheet": {part{"xl/drawings/drawing1.xml", "<xdr:sp macro=''>"}, document.OfficeVector},
		"notes on a sheet": {part{"xl/comments1.xml", "<x/>"}, document.Metadata},
		"linked book":      {part{"xl/externalLinks/externalLink1.xml", "<x/>"}, document.EmbeddedFiles},
	} {
		if got := open(t, archive(t, c.p), roomy).NotCovered(); got != c.want|document.OfficeText {
			t.Errorf("%s: %v", name, got.Names())
		}
	}
}

func TestLimits(t *testing.T) {
	pics := archive(t, part{"a.png", picturePNG(t, 10, 10)}, part{"b.png", picturePNG(t, 10, 10)})
	size := int64(2 * len(picturePNG(t, 10, 10)))
	zeros := func(n int) string { return strings.Repeat("\x00", n) }
	dense := archive(t, part{"word/document.xml", zeros(catalogue.DensityFrom + 1)})
	small := archive(t, part{"word/document.xml", zeros(catalogue.DensityFrom)})
	blank := archive(t, part{"word/media/image1.emf", emf(9, 9) + zeros(3<<20)}, part{"a.png", picturePNG(t, 1, 1)})
	photo := archive(t, part{"a.png", picturePNG(t, 1, 1) + zeros(catalogue.DensityFrom)}, part{"b.png", picturePNG(t, 1, 1)})
	for _, c := range []struct {
		name              string
		b                 []byte
		change            func(*document.Limits)
		refused, withheld reason.Code // of the first asset
	}{
		{"entries", pics, func(l *document.Limits) { l.Entries = 2 }, "", ""},
		{"entries-1", pics, func(l *document.Limits) { l.Entries = 1 }, reason.ExtractEntries, ""},
		{"unpacked", pics, func(l *document.Limits) { l.UnpackedBytes = size }, "", ""},
		{"unpacked-1", pics, func(l *document.Limits) { l.UnpackedBytes = size - 1 }, reason.ExtractUnpacked, ""},
		{"assets", pics, func(l *document.Limits) { l.Assets = 2 }, "", ""},
		{"assets-1", pics, func(l *document.Limits) { l.Assets = 1 }, reason.ExtractAssets, ""},
		{"total", pics, func(l *document.Limits) { l.TotalPixels = 200 }, "", ""},
		{"total-1", pics, func(l *document.Limits) { l.TotalPixels = 199 }, reason.ExtractTotal, ""},
		{"pixels", pics, func(l *document.Limits) { l.AssetPixels = 100 }, "", ""},
		{"pixels-1", pics, func(l *document.Limits) { l.AssetPixels = 99 }, "", reason.ExtractPixels},
		{"ratio of a small part", small, func(*document.Limits) {}, "", ""},
		{"ratio of a large part", dense, func(*document.Limits) {}, reason.ExtractRatio, ""},
		{"ratio of a picture", photo, func(*document.Limits) {}, "", reason.ExtractRatio},
		{"blank metafile", blank, func(*document.Limits) {}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			lim := roomy
			c.change(&lim)
			d, err := tryOpen(c.b, lim)
			if reason.Of(err) != c.refused {
				t.Fatalf("refused with %v, want %q", err, c.refused)
			}
			if err == nil && len(d.Assets()) > 0 && d.Assets()[0].Withheld != c.withheld {
				t.Errorf("withheld with %q, want %q", d.Assets()[0].Withheld, c.withheld)
			}
		})
	}
}

// The limit is met exactly: a ratio of r passes, and the next byte of input does not
// have to be paid for.
func TestRatioAtItsEdge(t *testing.T) {
	f := func(unpacked, packed uint64) *zip.File {
		return &zip.File{FileHeader: zip.FileHeader{UncompressedSize64: unpacked, CompressedSize64: packed}}
	}
	lim := document.Limits{Ratio: 100}
	for _, c := range []struct {
		unpacked, packed uint64
		want             bool
	}{{20_000_000, 200_001, false}, {20_000_000, 200_000, false}, {20_000_000, 199_999, true}, {catalogue.DensityFrom, 1, false}, {catalogue.DensityFrom + 1, 1, true}} {
		if got := tooDense(f(c.unpacked, c.packed), lim); got != c.want {
			t.Errorf("%d from %d: %v", c.unpacked, c.packed, got)
		}
	}
}

// Entries are counted before the directory is read, also across block borders.
func TestCountEntries(t *testing.T) {
	const many = 40
	for _, pad := range []int{0, 1<<16 - 2, 1<<16 - 4, 1 << 16} {
		b := append(bytes.Repeat([]byte{0}, pad), bytes.Repeat([]byte("PK\x01\x02"), many)...)
		if err := countEntries(bytes.NewReader(b), int64(len(b)), many); err != nil {
			t.Errorf("padding %d: %v", pad, err)
		}
		exact := append(bytes.Clone(b), bytes.Repeat([]byte("PK\x01\x02"), 16*many-many)...)
		if err := countEntries(bytes.NewReader(exact), int64(len(exact)), many); err != nil {
			t.Errorf("padding %d, at the limit: %v", pad, err)
		}
		over := append(exact, "PK\x01\x02"...)
		if err := countEntries(bytes.NewReader(over), int64(len(over)), many); reason.Of(err) != reason.ExtractEntries {
			t.Errorf("padding %d, above: %v", pad, err)
		}
	}
}

// A directory that promises fewer bytes than a part unpacks to is caught while
// unpacking, and the part is withheld.
func TestPartLongerThanItsEntry(t *testing.T) {
	pic := picturePNG(t, 10, 10)
	b := archive(t, part{"a.png", pic})
	i := bytes.Index(b, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(b[i+24:], uint32(len(pic)-1))
	d, err := tryOpen(b, roomy)
	if err != nil {
		t.Fatal(err)
	}
	if it := d.Assets()[0]; it.Withheld != reason.ExtractMalformed {
		t.Errorf("withheld with %q", it.Withheld)
	}
}

func TestDamagedArchives(t *testing.T) {
	whole := archive(t, part{"a.png", picturePNG(t, 10, 10)}, part{"word/_rels/document.xml.rels", rels(rel("image", "media/x", ""))})
	for n := range len(whole) {
		flipped := bytes.Clone(whole)
		flipped[n] ^= 0x11
		for name, b := range map[string][]byte{"cut": whole[:n], "flipped": flipped} {
			d, err := tryOpen(b, roomy)
			if err != nil {
				if reason.Of(err) == reason.Internal {
					t.Fatalf("%s at %d: %v", name, n, err)
				}
				continue
			}
			for i := range d.Assets() {
				if _, err := d.Load(i); err != nil && reason.Of(err) == reason.Internal {
					t.Fatalf("%s at %d: %v", name, n, err)
				}
			}
		}
	}
}

func FuzzOffice(f *testing.F) {
	f.Add(archive(f, part{"word/media/a.png", picturePNG(f, 2, 2)}, part{"word/_rels/document.xml.rels", rels(rel("image", "media/a.png", ""))}))
	f.Add(archive(f, part{"word/media/a.emf", emf(2, 2)}))
	f.Add(archive(f, part{"ppt/media/a.gif", pictureGIF(f, 2, 2, 3)}, part{"ppt/slides/slide1.xml", "<p:pic/>"}))
	f.Add(archive(f, part{"xl/media/a.bmp", pictureBMP(f, 2, 2)}, part{"xl/drawings/vmlDrawing1.vml", "<v:shape/>"}))
	shape := base64.StdEncoding.EncodeToString(archive(f, part{"drs/shapexml.xml", "<wps:wsp/>"}, part{"drs/a.png", picturePNG(f, 2, 2)}))
	f.Add(archive(f, part{"word/header1.xml", `<v:shape o:gfxdata="` + shape + `"/>`}))
	f.Add(archive(f, part{"Documents/1/Pages/_rels/1.fpage.rels", rels(rel("required-resource", "/Resources/a.png", ""))}, part{"Documents/1/Pages/1.fpage", "<FixedPage><Path/></FixedPage>"},
		part{"Resources/a.png", picturePNG(f, 2, 2)}, part{"Resources/c.png/[0].piece", picturePNG(f, 9, 9)[:40]}))
	f.Add(archive(f, part{"word/_rels/document.xml.rels", rels(rel("image", "media/a.emz", ""))}, part{"word/media/a.emz", gz(f, emf(2, 2))}))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := tryOpen(b, roomy)
		if err != nil {
			if reason.Of(err) == reason.Internal {
				t.Fatal(err)
			}
			return
		}
		for i := range d.Assets() {
			if _, err := d.Load(i); err != nil && reason.Of(err) == reason.Internal {
				t.Fatal(err)
			}
		}
		for i, e := range d.Embedded() {
			if b, err := d.Unpack(i); reason.Of(err) == reason.Internal || err == nil && int64(len(b)) != e.Size {
				t.Fatalf("%d bytes where %d were promised: %v", len(b), e.Size, err)
			}
		}
		if c := d.Spent(); c.Entries > roomy.Entries || c.Unpacked > roomy.UnpackedBytes {
			t.Fatalf("spent %+v", c)
		}
	})
}
