package inside_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"

	"path/filepath"
	"strings"
	"testing"

	"blotter/internal/cell"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/examples"
	looking "blotter/internal/inspect"
	"blotter/internal/policy"
	"blotter/internal/reason"
)

// boundary is a limit and a document that lies exactly on it.
type boundary struct {
	body     []byte
	exact    int64                         // of the document
	set      func(*document.Limits, int64) // puts the limit
	withheld bool                          // one image is withheld; else the document is refused
}

// boundaries has a document for each limit of a policy that bounds what a document may hold.
func boundaries(t *testing.T) map[string]boundary {
	frames := animation(t, 3)
	report := sample(t, ".docx")
	dense, ratio := denseDocument(t, report)
	entries, unpacked := contents(t, report)
	return map[string]boundary{
		"source_bytes":   {frames, int64(len(frames)), func(l *document.Limits, n int64) { l.SourceBytes = n }, false},
		"assets":         {frames, 3, func(l *document.Limits, n int64) { l.Assets = int(n) }, false},
		"pages":          {pages(4, 0), 4, func(l *document.Limits, n int64) { l.Pages = int(n) }, false},
		"frames":         {frames, 3, func(l *document.Limits, n int64) { l.Frames = int(n) }, false},
		"asset_pixels":   {frames, 20 * 10, func(l *document.Limits, n int64) { l.AssetPixels = n }, true},
		"total_pixels":   {frames, 3 * 20 * 10, func(l *document.Limits, n int64) { l.TotalPixels = n }, false},
		"page_objects":   {drawing(1), 118, func(l *document.Limits, n int64) { l.PageObjects = n }, true},
		"total_objects":  {drawing(3), 3 * 118, func(l *document.Limits, n int64) { l.TotalObjects = n }, true},
		"drawn_pixels":   {drawing(2), 2 * 5 * 100, func(l *document.Limits, n int64) { l.DrawnPixels = n }, true},
		"entries":        {report, entries, func(l *document.Limits, n int64) { l.Entries = int(n) }, false},
		"unpacked_bytes": {report, unpacked, func(l *document.Limits, n int64) { l.UnpackedBytes = n }, false},
		"ratio":          {dense, ratio, func(l *document.Limits, n int64) { l.Ratio = int(n) }, true},
		"depth":          {deep(t, report, 3), 2, func(l *document.Limits, n int64) { l.Depth = int(n) }, true},
		"filters":        {pages(1, 4), 4, func(l *document.Limits, n int64) { l.Filters = int(n) }, false},
	}
}

// elsewhere says where the limits that do not bound what a document holds are tried.
var elsewhere = map[string]string{
	"page_dpi":      "chooses the size of pages and refuses nothing: extract/pdf",
	"asset_seconds": "TestSlowImagesAreWithheld",
	"seconds":       "TestBadEnds",
}

// Each limit is met through a real cell from one below what the document holds, exactly on
// it, and one above: the first refuses with the limit's own reason, the others let it pass. Each
// starts a cell of its own, a fifth of a second of processor time.
func TestLimitsAtTheirEdges(t *testing.T) {
	cells := cell.NewPool(openers(t), 0)
	t.Cleanup(func() { cells.Close() })
	all := boundaries(t)
	for _, row := range policy.Limits() {
		b, ok := all[row.Name]
		if !ok {
			if elsewhere[row.Name] == "" {
				t.Errorf("the limit %s is not tried at its edges", row.Name)
			}
			continue
		}
		for _, c := range []struct {
			by   int64
			want reason.Code
		}{{-1, row.Reason}, {0, ""}, {1, ""}} {
			t.Run(fmt.Sprintf("%s%+d", row.Name, c.by), func(t *testing.T) {
				lim := limits
				b.set(&lim, b.exact+c.by)
				b.meets(t, cells, lim, c.want)
			})
		}
	}
}

// meets looks at the document under limits, and demands that it passes or meets its reason.
func (b boundary) meets(t *testing.T, cells *cell.Pool, lim document.Limits, want reason.Code) {
	t.Helper()
	doc := file(t, b.body)
	seen, _, err := looking.Look(t.Context(), cells, doc, int64(len(b.body)), wire.Task{Limits: lim, Decode: true})
	withheld := map[reason.Code]int{}
	for _, l := range seen.Images {
		if l.Withheld != "" {
			withheld[l.Withheld]++
		}
	}
	switch {
	case want == "" && (err != nil || len(withheld) > 0):
		t.Errorf("ends with %v, withholds %v; nothing is over the limit", err, withheld)
	case want != "" && b.withheld && (err != nil || withheld[want] == 0):
		t.Errorf("ends with %v, withholds %v; want an image withheld for %s", err, withheld, want)
	case want != "" && !b.withheld && reason.Of(err) != want:
		t.Errorf("ends with %v, want %s", err, want)
	}
}

// F23: a small part may be packed as densely as it likes: an honest blank picture is.
func TestRatioAloneRefusesNothingSmall(t *testing.T) {
	cells := cell.NewPool(openers(t), 0)
	t.Cleanup(func() { cells.Close() })
	lim := limits
	lim.Ratio = 1
	b := boundary{body: rezip(t, sample(t, ".docx"), "word/media/image9.bmp", blankBMP(500, 500))} // 750 kB, of which zip makes one
	b.meets(t, cells, lim, "")
}

// An image that would not fit into the cell's memory is withheld from its headers: the
// cell stays far below.
func TestMemoryIsJudgedFromHeaders(t *testing.T) {
	cfg := openers(t)
	body := animationOf(t, 1, 6000, 6000)
	for name, c := range map[string]struct {
		room int64
		want reason.Code
	}{
		"below": {6000*6000*wire.PixelBytes - 1, reason.ExtractMemory},
		"exact": {6000 * 6000 * wire.PixelBytes, ""},
		"above": {6000*6000*wire.PixelBytes + 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := cfg
			cfg.MemoryBytes = wire.ReadingBytes + c.room
			seen, err := start(t, cfg).Inspect(t.Context(), file(t, body), wire.Task{Limits: limits, Decode: c.want != ""})
			if err != nil || len(seen.Images) != 1 || seen.Images[0].Withheld != c.want {
				t.Fatalf("%v, %+v; want withheld for %q", err, seen.Images, c.want)
			}
			if most := seen.Idle + 32<<20; c.want != "" && seen.PeakBytes > most {
				t.Errorf("%d bytes at the highest, %d idle: something was decoded", seen.PeakBytes, seen.Idle)
			}
		})
	}
}

func sample(t *testing.T, extension string) []byte {
	t.Helper()
	all, err := examples.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range all {
		if filepath.Ext(x.Name) == extension {
			return x.Bytes
		}
	}
	t.Fatalf("there is no example %s", extension)
	return nil
}

func animation(t *testing.T, frames int) []byte { return animationOf(t, frames, 20, 10) }

// animationOf is a GIF of full frames that are all alike.
func animationOf(t *testing.T, frames, w, h int) []byte {
	t.Helper()
	p := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.White, color.Black})
	g := &gif.GIF{}
	for range frames {
		g.Image, g.Delay = append(g.Image, p), append(g.Delay, 10)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// drawing is a PDF of pages that each draw a hundred lines and five times an image of a hundred
// pixels, all of which lie beside the page so that nothing is covered: 105 objects, and 13 for
// their points and bytes.
func drawing(count int) []byte {
	var b strings.Builder
	b.WriteString("%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Count ")
	fmt.Fprintf(&b, "%d/Kids[%s]>>\nendobj\n", count, strings.Repeat("3 0 R ", count))
	b.WriteString("3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>\nendobj\n")
	content := strings.Repeat("90 9 m 99 9 l S ", 100) + "1 0 0 1 90 9 cm " + strings.Repeat("/I Do ", 5)
	fmt.Fprintf(&b, "4 0 obj\n<</Length %d>>stream\n%s\nendstream\nendobj\n", len(content), content)
	fmt.Fprintf(&b, "5 0 obj\n<</Subtype/Image/Width 10/Height 10/BitsPerComponent 8/ColorSpace/DeviceGray/Length 100>>stream\n%s\nendstream\nendobj\n", strings.Repeat("x", 100))
	b.WriteString("trailer<</Size 6/Root 1 0 R>>\n%%EOF\n")
	return []byte(b.String())
}

// pages makes a PDF of pages, and a stream on which so many filters are stacked.
func pages(count, filters int) []byte {
	var b bytes.Buffer
	var at []int
	object := func(body string) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(at), body)
	}
	b.WriteString("%PDF-1.4\n")
	var kids strings.Builder
	for i := range count {
		fmt.Fprintf(&kids, "%d 0 R ", 4+i)
	}
	data := "q Q"
	for range filters {
		data = fmt.Sprintf("%x>", data)
	}
	object("<</Type/Catalog/Pages 2 0 R>>")
	object(fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), count))
	object(fmt.Sprintf("<</Length %d/Filter[%s]>>stream\n%s\nendstream", len(data), strings.Repeat("/ASCIIHexDecode", filters), data))
	for range count {
		object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]/Contents 3 0 R>>")
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, o := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return b.Bytes()
}

// contents counts the entries of a package, and what they unpack to.
func contents(t *testing.T, body []byte) (entries, unpacked int64) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		unpacked += int64(f.UncompressedSize64)
	}
	return int64(len(z.File)), unpacked
}

// rezip adds a part to a package.
func rezip(t *testing.T, body []byte, name string, part []byte) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range z.File {
		if err := w.Copy(f); err != nil {
			t.Fatal(err)
		}
	}
	p, err := w.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Write(part); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// denseDocument has a blank picture over the size from which a ratio is judged; ratio is
// the least that lets it pass.
func denseDocument(t *testing.T, report []byte) (body []byte, ratio int64) {
	t.Helper()
	const name = "word/media/image9.bmp"
	body = rezip(t, report, name, blankBMP(1700, 1700)) // 8.7 MB, over catalogue.DensityFrom
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		if f.Name == name {
			packed := int64(f.CompressedSize64)
			return body, (int64(f.UncompressedSize64) + packed - 1) / packed
		}
	}
	t.Fatal("the part is not there")
	return nil, 0
}

// blankBMP is a white picture of 24 bits.
func blankBMP(w, h int) []byte {
	row := (3*w + 3) / 4 * 4
	b := make([]byte, 54, 54+row*h)
	le := func(at int, v uint32) {
		b[at], b[at+1], b[at+2], b[at+3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	}
	copy(b, "BM")
	le(2, uint32(54+row*h))
	le(10, 54)
	le(14, 40)
	le(18, uint32(w))
	le(22, uint32(h))
	b[26], b[28] = 1, 24
	return append(b, bytes.Repeat([]byte{0xff}, row*h)...)
}

// deep puts a package into a package, until so many lie in each other.
func deep(t *testing.T, body []byte, levels int) []byte {
	t.Helper()
	inner := body
	for range levels - 1 {
		inner = rezip(t, body, "word/embeddings/inner.docx", inner)
	}
	return inner
}
