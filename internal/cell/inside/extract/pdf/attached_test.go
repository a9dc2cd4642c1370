package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"slices"
	"strings"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

func deflated(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// carrier is a document with a file in its list, one behind a pin on its page, one that
// nothing points at, one twice and one under an unknown filter.
func carrier(t *testing.T) []byte {
	return parts{
		1:  "<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[(a)<</Type/Filespec/F(a)/EF<</F 6 0 R>>>>]>>>>>>",
		2:  "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		3:  "<</Type/Page/Parent 2 0 R" + box + "/Annots[4 0 R]>>",
		4:  "<</Type/Annot/Subtype/FileAttachment/Rect[0 0 9 9]/FS 5 0 R>>",
		5:  "<</Type/Filespec/F(b)/EF<</UF 7 0 R>>>>",
		6:  stream("/Type/EmbeddedFile/Filter/FlateDecode", deflated(t, "listed")),
		7:  stream("", "pinned"),
		8:  stream("/Type/EmbeddedFile", "loose"),
		9:  stream("/Type/EmbeddedFile/Subtype/x", "loose"),
		10: stream("/Type/EmbeddedFile/Filter/Unknown", "opaque"),
		11: stream("", "no file"),
	}.write("")
}

func TestAttachedFiles(t *testing.T) {
	d := open(t, carrier(t), roomy)
	var got []string
	for i, e := range d.Embedded() {
		if e.Withheld != "" {
			got = append(got, string(e.Withheld))
			continue
		}
		b, err := d.Unpack(i)
		if err != nil || int64(len(b)) != e.Size {
			t.Errorf("file %d: %d bytes of %d, %v", i+1, len(b), e.Size, err)
		}
		got = append(got, string(b))
	}
	if want := []string{"listed", "pinned", "loose", "extract.unsupported_encoding"}; !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
	if c := d.Spent(); c.Entries != 4 || c.Unpacked != int64(len("listedpinnedloose")) {
		t.Errorf("spent %+v", c)
	}
	if d.NotCovered()&document.EmbeddedFiles != 0 {
		t.Error("files that are handed out count as not covered")
	}
}

func TestLimitsOfAttachedFiles(t *testing.T) {
	bomb := parts{1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Type/Pages/Kids[3 0 R]/Count 1>>", 3: "<</Type/Page/Parent 2 0 R" + box + ">>"}
	for n := range 3 {
		bomb[4+n] = stream("/Type/EmbeddedFile/Filter/FlateDecode", deflated(t, strings.Repeat(fmt.Sprint(n), 1000)))
	}
	for _, c := range []struct {
		name   string
		b      []byte
		change func(*document.Limits)
		want   reason.Code
	}{
		{"entries", carrier(t), func(l *document.Limits) { l.Entries = 4 }, ""},
		{"entries above", carrier(t), func(l *document.Limits) { l.Entries = 3 }, reason.ExtractEntries},
		{"bytes", bomb.write(""), func(l *document.Limits) { l.UnpackedBytes = 3000 }, ""},
		{"bytes above", bomb.write(""), func(l *document.Limits) { l.UnpackedBytes = 2999 }, reason.ExtractUnpacked},
	} {
		lim := roomy
		c.change(&lim)
		d, err := tryOpen(c.b, lim)
		if reason.Of(err) != c.want {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if err == nil {
			d.Close()
		}
	}
}
