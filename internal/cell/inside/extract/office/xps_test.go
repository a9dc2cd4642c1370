package office

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"blotter/internal/document"
)

// The pictures that pages of XPS show are found by their bytes; the pages are not drawn. What
// was cut into pieces, as printers do that send while they write, is withheld.
func TestPicturesOfXPS(t *testing.T) {
	required := `<Relationships><Relationship Type="http://schemas.microsoft.com/xps/2005/06/required-resource" Target="/Resources/%s"/></Relationships>`
	b := archive(t,
		part{"Documents/1/Pages/_rels/1.fpage.rels", fmt.Sprintf(required, "a.png")},
		part{"Documents/1/Pages/1.fpage", `<FixedPage><Path/></FixedPage>`},
		part{"Resources/a.png", picturePNG(t, 5, 4)},
		part{"Resources/b.wdp", "II\xbc\x01\x08\x00"},
		part{"Resources/c.png/[0].piece", picturePNG(t, 9, 9)[:40]},
		part{"Resources/c.png/[1].last.piece", picturePNG(t, 9, 9)[40:]},
		part{"Resources/font.odttf", "\x00\x01\x02\x03"},
		part{"docProps/core.xml", "<x/>"})
	d, err := Open(context.Background(), bytes.NewReader(b), int64(len(b)), document.XPS, roomy, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, it := range d.Assets() {
		got = append(got, fmt.Sprintf("%v %dx%d %s", it.Format, it.Width, it.Height, it.Withheld))
	}
	want := []string{"image/png 5x4 ", "image/jxr 0x0 extract.unsupported_encoding", "image/png 0x0 extract.unsupported_encoding"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if d.NotCovered() != document.OfficeText|document.OfficeVector|document.Metadata || len(d.Embedded()) != 0 {
		t.Errorf("not covered %v, within %d", d.NotCovered().Names(), len(d.Embedded()))
	}
}
