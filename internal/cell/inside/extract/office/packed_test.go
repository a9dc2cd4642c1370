package office

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/document"
	"blotter/internal/reason"
)

func gz(t testing.TB, data string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A metafile that was packed before it came into the archive is handed out unpacked,
// and what it unpacks to counts.
func TestPackedMetafiles(t *testing.T) {
	drawing := emf(9, 8)
	book := func(body string) []byte {
		return archive(t, part{"word/_rels/document.xml.rels", rels(rel("image", "media/a.emz", ""))}, part{"word/media/a.emz", body})
	}
	whole := book(gz(t, drawing))
	base := open(t, book("x"), roomy).Spent().Unpacked - 1 + int64(len(gz(t, drawing)))
	need := base + int64(len(drawing))
	for _, c := range []struct {
		name              string
		b                 []byte
		unpacked          int64
		refused, withheld reason.Code
	}{
		{"at the limit", whole, need, "", ""},
		{"above", whole, need - 1, reason.ExtractUnpacked, ""},
		{"cut off", book(gz(t, drawing)[:20]), roomy.UnpackedBytes, "", reason.ExtractMalformed},
		{"too dense", book(gz(t, strings.Repeat("\x00", catalogue.DensityFrom+1))), roomy.UnpackedBytes, "", reason.ExtractRatio},
	} {
		lim := roomy
		lim.UnpackedBytes = c.unpacked
		d, err := tryOpen(c.b, lim)
		if reason.Of(err) != c.refused {
			t.Errorf("%s: refused with %v, want %q", c.name, err, c.refused)
		}
		if err != nil {
			continue
		}
		if c.withheld != "" {
			if it := d.Assets(); len(it) != 1 || it[0].Withheld != c.withheld || it[0].Kind != document.Image {
				t.Errorf("%s: %+v", c.name, it)
			}
			continue
		}
		in := d.Embedded()
		if len(in) != 1 || !in[0].Picture || in[0].Size != int64(len(drawing)) || d.Spent().Unpacked != need {
			t.Fatalf("%s: %+v, spent %+v", c.name, in, d.Spent())
		}
		if got, err := d.Unpack(0); err != nil || string(got) != drawing {
			t.Errorf("%s: unpacked %d bytes, %v", c.name, len(got), err)
		}
	}
}
