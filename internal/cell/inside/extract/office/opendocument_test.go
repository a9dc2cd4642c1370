package office

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/document"
	"blotter/internal/reason"
)

func tryODF(b []byte, lim document.Limits) (*Document, error) {
	return Open(context.Background(), bytes.NewReader(b), int64(len(b)), document.ODT, lim, nil)
}

func openODF(t *testing.T, parts ...part) *Document {
	t.Helper()
	d, err := tryODF(archive(t, parts...), roomy)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const odfHead = `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" ` +
	`xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:xlink="http://www.w3.org/1999/xlink">`

func odf(body string) string { return odfHead + body + `</office:document-content>` }

// Pictures, previews and thumbnails are found by their first bytes or their place, in the
// document and in the objects within its package; files within are documents.
func TestPicturesOfOpenDocument(t *testing.T) {
	d := openODF(t,
		part{"mimetype", "application/vnd.oasis.opendocument.text"},
		part{"content.xml", odf(`<draw:image xlink:href="Pictures/a.png"/>`)},
		part{"Pictures/a.png", picturePNG(t, 3, 2)},
		part{"Pictures/b.svm", "VCLMTF\x01\x00"},
		part{"Pictures/c.odd", "odd"},
		part{"Thumbnails/thumbnail.png", picturePNG(t, 5, 4)},
		part{"ObjectReplacements/Object 1", emf(9, 8)},
		part{"Object 1/Pictures/d.png", picturePNG(t, 7, 7)},
		part{"Object 2", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"},
		part{"Media/film.mp4", "....ftypmp42"},
		part{"settings.xml", "<x/>"},
	)
	var got []string
	for _, it := range d.Assets() {
		got = append(got, fmt.Sprintf("%v %dx%d %s", it.Format, it.Width, it.Height, it.Withheld))
	}
	want := []string{"image/png 7x7 ", "image/png 3x2 ",
		"application/octet-stream 0x0 extract.vector_image", "application/octet-stream 0x0 extract.unsupported_encoding", "image/png 5x4 "}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("assets\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if in := d.Embedded(); len(in) != 3 || in[0].Picture || in[1].Picture || !in[2].Picture {
		t.Errorf("%+v, want the film, the object and the preview", in)
	}
}

func TestNotCoveredByOpenDocument(t *testing.T) {
	for name, c := range map[string]struct {
		p    part
		want document.NotCovered
	}{
		"text":              {part{"content.xml", odf("<text:p xmlns:text='x'>x</text:p><draw:frame><draw:text-box/></draw:frame>")}, 0},
		"own picture":       {part{"content.xml", odf(`<draw:image xlink:href="Pictures/a.png"/>`)}, 0},
		"own object":        {part{"content.xml", odf(`<draw:object-ole xlink:href="./Object 2"/>`)}, 0},
		"picture elsewhere": {part{"content.xml", odf(`<draw:image xlink:href="http://192.0.2.1/a.png"/>`)}, document.ExternalImages},
		"picture beside":    {part{"styles.xml", odf(`<draw:fill-image xlink:href="../a.png"/>`)}, document.ExternalImages},
		"object elsewhere":  {part{"content.xml", odf(`<draw:object xlink:href="http://192.0.2.1/a.ods"/>`)}, document.EmbeddedFiles | document.OfficeVector},
		"picture of a disk": {part{"content.xml", odf(`<draw:image xlink:href="/home/a.png"/>`)}, document.ExternalImages},
		"film elsewhere":    {part{"content.xml", odf(`<draw:plugin xlink:href="file:///a.mp4"/>`)}, document.EmbeddedFiles},
		"chart":             {part{"content.xml", odf(`<draw:object xlink:href="./Object 1"/>`)}, document.OfficeVector},
		"shape":             {part{"content.xml", odf(`<draw:custom-shape/>`)}, document.OfficeVector},
		"comment":           {part{"content.xml", odf(`<office:annotation/>`)}, document.Metadata},
		"properties":        {part{"meta.xml", "<x/>"}, document.Metadata},
		"macros":            {part{"Basic/Standard/Module1.xml", "<x/>"}, document.EmbeddedFiles},
	} {
		if got := openODF(t, c.p).NotCovered(); got != c.want|document.OfficeText {
			t.Errorf("%s: %v", name, got.Names())
		}
	}
}

func TestOpenDocumentThatIsRefused(t *testing.T) {
	manifest := func(data string) part {
		return part{"META-INF/manifest.xml", `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">` +
			`<manifest:file-entry manifest:full-path="content.xml">` + data + `</manifest:file-entry></manifest:manifest>`}
	}
	for name, c := range map[string]struct {
		b    []byte
		want reason.Code
	}{
		"plain":           {archive(t, manifest("")), ""},
		"encrypted":       {archive(t, manifest(`<manifest:encryption-data/>`), part{"content.xml", "\x01\x02"}), reason.ExtractEncrypted},
		"broken manifest": {archive(t, part{"META-INF/manifest.xml", "<a"}), reason.ExtractMalformed},
		"broken content":  {archive(t, part{"content.xml", "<a><b></a>"}), reason.ExtractMalformed},
		"entities":        {archive(t, part{"content.xml", `<!DOCTYPE a [<!ENTITY x "&y;&y;">]><a>&x;</a>`}), reason.ExtractMalformed},
		"bomb":            {archive(t, part{"content.xml", strings.Repeat(" ", catalogue.DensityFrom+1)}), reason.ExtractRatio},
		"no archive":      {[]byte("PK\x03\x04"), reason.ExtractMalformed},
	} {
		if _, err := tryODF(c.b, roomy); reason.Of(err) != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func FuzzOpenDocument(f *testing.F) {
	f.Add(archive(f, part{"content.xml", odf(`<draw:image xlink:href="Pictures/a.png"/>`)}, part{"Pictures/a.png", picturePNG(f, 2, 2)}))
	f.Add(archive(f, part{"META-INF/manifest.xml", "<m><encryption-data/></m>"}))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := tryODF(b, roomy)
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
	})
}
