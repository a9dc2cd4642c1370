package eval_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image/jpeg"
	"regexp"
	"slices"
	"strings"
	"testing"

	"blotter/internal/document"
	"blotter/internal/eval"
	"blotter/internal/reason"
	"blotter/internal/truth"
)

// html measures two documents, one with faults and one withheld, and writes the page.
func html(t *testing.T, name string) string {
	t.Helper()
	faults := page(1, ada, date, stable, logo)
	faults.Width, faults.Height = 2400, 2400
	for i, b := range faults.boxes {
		faults.boxes[i] = document.Box{X: 24 * b.X, Y: 24 * b.Y, W: 24 * b.W, H: 24 * b.H}
	}
	r, err := measure(t, cells{name: {assets: []asset{faults}}, "z.pdf": {assets: []asset{{Asset: page(1).Asset, withheld: reason.ReadUnread}}}},
		eval.Config{Sheets: true}, map[string]truth.Document{
			name: {Pictures: []truth.Picture{picture()}}, "z.pdf": {Kind: "fax", Pictures: []truth.Picture{picture()}},
		})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.WriteHTML(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestHTMLShowsWhatWentWrong(t *testing.T) {
	out := html(t, "a.pdf")
	for _, want := range []string{
		"This file holds personal data", `<polygon class="leaked" points="720.0,240.0 960.0,240.0 960.0,360.0 720.0,360.0"><title>left: name: Okonkwo (covered 0 %)`,
		`<title>left: face (covered 0 %)`, `<title>lost: stable (covered 100 %)`, `<title>lost: code (covered 100 %)`, `<title>name by name, 1.00`,
		"withheld, " + string(reason.ReadUnread), `<option>fax</option>`, `viewBox="0 0 2400 2400"`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	if strings.Contains(out, "lost: angina") {
		t.Error("a word that stayed is marked as lost")
	}
	if strings.Index(out, "<b>a.pdf</b>") > strings.Index(out, "<b>z.pdf</b>") {
		t.Error("the worst document does not come first")
	}
}

// The page works offline and tells nobody that it was opened.
func TestHTMLRefersToNothingOutside(t *testing.T) {
	out := html(t, "a.pdf")
	for _, ref := range regexp.MustCompile(`(?i)(?:src|href|action|srcset|poster)\s*=\s*"([^"]*)"|url\(([^)]*)\)|@import|https?:|fetch\(|//[a-z]`).FindAllString(out, -1) {
		if !strings.HasPrefix(ref, `src="data:image/jpeg;base64,`) {
			t.Errorf("the page refers to %.60s", ref)
		}
	}
	if !strings.Contains(out, `content="default-src 'none'; img-src data:;`) {
		t.Error("the page does not forbid itself to load anything")
	}
}

func TestHTMLIsNotWrittenByNames(t *testing.T) {
	if out := html(t, "<img src=x onerror=alert(1)>.pdf"); strings.Contains(out, "<img src=x") {
		t.Error("a document's name became markup")
	}
}

// The picture is small, and the derivative: white, with black where it was painted.
func TestSheetPicture(t *testing.T) {
	out := html(t, "a.pdf")
	_, rest, _ := strings.Cut(out, `src="data:image/jpeg;base64,`)
	code, _, _ := strings.Cut(rest, `"`)
	file, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(code, "&#43;", "+"))
	if err != nil {
		t.Fatal(err)
	}
	img, err := jpeg.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if got := img.Bounds().Dx(); got != 1100 {
		t.Errorf("the picture is %d pixels wide", got)
	}
	for _, c := range []struct {
		x, y        int
		least, most uint32
	}{{165, 137, 0, 0x1000}, {385, 137, 0xf000, 0xffff}} {
		if r, _, _, _ := img.At(c.x, c.y).RGBA(); r < c.least || r > c.most {
			t.Errorf("%d,%d is %x", c.x, c.y, r)
		}
	}
}

func TestJSON(t *testing.T) {
	body, err := json.Marshal(one(t, played{assets: []asset{page(1, ada, date, face, stable)}}))
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Schema string
		Score  map[string]float64
		Cost   map[string]any
	}
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	if r.Schema != eval.Schema || r.Score["value_recall"] != 0.5 || r.Score["over_redaction"] != 0.5 || r.Score["values"] != 2 {
		t.Errorf("%s", body)
	}
	var names []string
	for name := range r.Score {
		names = append(names, name)
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "area_recall areas areas_destroyed areas_lost areas_to_keep over_redaction precision "+
		"value_recall values values_destroyed word_recall words words_destroyed words_lost words_to_keep" {
		t.Errorf("the fields of a score are %s", got)
	}
}
