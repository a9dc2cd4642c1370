package compound

import (
	"bytes"
	"encoding/binary"
	"image/color"
	"strings"
	"testing"

	"golang.org/x/image/bmp"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/document"
	"blotter/internal/reason"
)

const (
	png  = "\x89PNG picture"
	jpeg = "\xff\xd8\xff picture"
	wmf  = "\x01\x00\x09\x00\x00\x03 drawing"
)

func stream(name string, parts ...[]byte) *cfb.Node { return cfb.NewStream(name, join(parts...)) }

// fib begins a document of Word.
func fib(flags int) []byte { return join(u16(0xa5ec, 0xc1, 0, 0, 0, flags), make([]byte, 20)) }

// Every kind of picture record is found wherever it lies, whoever points at it, and
// comes out as a file of its own.
func TestPicturesOfDrawings(t *testing.T) {
	for name, c := range map[string]struct {
		body []byte
		want string
	}{
		"PNG":               {rasterBlip(0x6e00, 0xf01e, []byte(png)), "picture " + png},
		"JPEG":              {rasterBlip(0x46a0, 0xf01d, []byte(jpeg)), "picture " + jpeg},
		"JPEG of inks":      {rasterBlip(0x6e20, 0xf02a, []byte(jpeg)), "picture " + jpeg},
		"TIFF":              {rasterBlip(0x6e40, 0xf029, []byte("II*\x00")), "picture II*\x00"},
		"GIF called PNG":    {rasterBlip(0x6e00, 0xf01e, []byte("GIF89a")), "picture GIF89a"},
		"bitmap":            {rasterBlip(0x7a80, 0xf01f, dib()), "picture BMP"},
		"two digests":       {record(0x6e10, 0xf01e, make([]byte, 2*blipDigest), []byte{1}, []byte(png)), "picture " + png},
		"EMF":               {metaBlip(0x3d50, 0xf01a, []byte("drawing")), "picture drawing"},
		"WMF":               {metaBlip(0x2170, 0xf01b, []byte(wmf)), "picture " + wmf},
		"PICT":              {metaBlip(0x5430, 0xf01c, []byte("drawing")), "picture drawing"},
		"EMF as it is":      {record(0x3d40, 0xf01a, make([]byte, blipDigest), make([]byte, 28), u32(7), []byte{metaPlain, metaPlain}, []byte("drawing")), "picture drawing"},
		"in containers":     {record(0xf, 0xf000, record(0xf, 0xf001, record(0x62, 0xf007, make([]byte, 36), rasterBlip(0x6e00, 0xf01e, []byte(png))))), "picture " + png},
		"two in a row":      {join(rasterBlip(0x6e00, 0xf01e, []byte(png)), rasterBlip(0x46a0, 0xf01d, []byte(jpeg))), "picture " + png + ", picture " + jpeg},
		"behind junk":       {join([]byte("junk\xf0\xf0"), rasterBlip(0x6e00, 0xf01e, []byte(png))), "picture " + png},
		"cut off":           {rasterBlip(0x6e00, 0xf01e, []byte(png))[:30], "picture extract.truncated"},
		"by chance":         {join(u32(0xf01e6e00, 3), []byte("text")), ""},
		"by chance and far": {join(u32(0xf01e6e00, 3000), []byte("text that is no picture, as can be seen")), ""},
		"badly packed":      {record(0x3d40, 0xf01a, make([]byte, blipDigest), u32(9), make([]byte, 24), u32(7), []byte{0, metaPlain}, []byte("drawing")), "picture fails extract.malformed"},
		"wrongly summed":    {badSum(metaBlip(0x3d50, 0xf01a, []byte("drawing"))), "picture drawing"},
	} {
		t.Run(name, func(t *testing.T) {
			for place, b := range map[string][]byte{
				"Data":     file(t, stream("WordDocument", fib(0)), stream("Data", c.body)),
				"document": file(t, stream("WordDocument", fib(0), c.body)),
				"Pictures": file(t, stream("PowerPoint Document"), stream("Pictures", c.body)),
				"slides":   file(t, stream("PowerPoint Document", record(0xf, 1000, c.body))),
				"sheet":    file(t, stream("Workbook", biff(xlsBegin, u16(0x600, 5)), biff(xlsDrawingGroup, c.body))),
			} {
				if got := handed(t, open(t, b, document.DOC)); got != c.want {
					t.Errorf("%s: %q, want %q", place, got, c.want)
				}
			}
		})
	}
}

func badSum(b []byte) []byte { b[len(b)-1] ^= 1; return b }

// A workbook cuts drawings into records anywhere, even within a picture; records of
// other kinds between them do not belong to it.
func TestWorkbooksJoinRecords(t *testing.T) {
	group := join(rasterBlip(0x6e00, 0xf01e, []byte(png)), metaBlip(0x3d50, 0xf01a, bytes.Repeat([]byte("drawing "), 50)))
	want := "picture " + png + ", picture " + strings.Repeat("drawing ", 50)
	for cut := 1; cut < len(group)-1; cut += 7 {
		second := group[cut:]
		for name, b := range map[string][]byte{
			"continued": join(biff(xlsDrawingGroup, group[:cut]), biff(xlsContinue, second[:1]), biff(xlsContinue, second[1:])),
			"repeated":  join(biff(xlsDrawingGroup, group[:cut]), biff(0x1b6, []byte("text")), biff(xlsContinue, []byte("of the text")), biff(xlsDrawingGroup, second)),
			"header":    join(biff(xlsHeaderFooter, make([]byte, xlsFrame), group[:cut]), biff(xlsHeaderFooter, make([]byte, xlsFrame), second)),
			"chart":     join(biff(xlsFill, group[:cut]), biff(xlsContinue, second)),
		} {
			if got := handed(t, open(t, file(t, stream("Workbook", b)), document.XLS)); got != want {
				t.Fatalf("%s, cut at %d: %q", name, cut, got)
			}
		}
	}
}

func TestSheetImages(t *testing.T) {
	for name, c := range map[string]struct {
		body []byte
		want string
	}{
		"background":           {biff(xlsBackground, u16(9, 0), u32(len(dib())), dib()), "picture BMP"},
		"bitmap in pieces":     {join(biff(xlsImage, u16(9, 0), u32(len(dib())), dib()[:30]), biff(xlsContinue, dib()[30:])), "picture BMP"},
		"metafile":             {biff(xlsImage, u16(2, 0), u32(8+len(wmf)), make([]byte, 8), []byte(wmf)), "picture " + wmf},
		"of a kind of its own": {biff(xlsImage, u16(14, 0), u32(3), []byte("own")), "picture own"},
		"empty":                {biff(xlsImage, u16(9, 0)), ""},
	} {
		if got := handed(t, open(t, file(t, stream("Book", c.body)), document.XLS)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Pictures of Word that are no drawings: a header, then a metafile or bitmap.
func TestOldPictures(t *testing.T) {
	old := func(head, mode int, body []byte) []byte {
		return join(u32(head+len(body)), u16(head, mode), make([]byte, head-8), body)
	}
	linked := old(0x44, 0x66, []byte("\x08scan.tif"))
	inside := old(0x44, 0x66, join([]byte("\x08scan.tif"), rasterBlip(0x6e00, 0xf01e, []byte(png))))
	for name, c := range map[string]struct {
		body     []byte
		want     string
		external bool
	}{
		"Word 6":  {old(0x3a, 8, []byte(wmf)), "picture " + wmf, false},
		"Word 97": {join([]byte("text"), old(0x44, 8, []byte(wmf)), old(0x44, 8, []byte(wmf))), "picture " + wmf + ", picture " + wmf, false},
		"bitmap":  {old(0x44, 0x63, dib()), "picture BMP", false},
		"linked":  {linked, "", true},
		"both":    {inside, "picture " + png, false},
		"cut off": {old(0x44, 8, []byte(wmf))[:70], "", false},
	} {
		d := open(t, file(t, stream("WordDocument", fib(0)), stream("Data", c.body)), document.DOC)
		if got := handed(t, d); got != c.want || d.NotCovered()&document.ExternalImages != 0 != c.external {
			t.Errorf("%s: %q, %v", name, got, d.NotCovered().Names())
		}
	}
}

// Objects are documents, whatever holds them.
func TestObjectsAreDocuments(t *testing.T) {
	object := func(name string) *cfb.Node {
		return cfb.NewStorage(name, stream("\x01Ole"), stream("Package", []byte("PK")))
	}
	inner := file(t, stream("Package", []byte("PK")))
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"Word":              {file(t, stream("WordDocument", fib(0)), cfb.NewStorage("ObjectPool", object("_1"), object("_2"), cfb.NewStorage("_3"))), "document compound file, document compound file"},
		"Excel":             {file(t, stream("Workbook"), object("MBD0001")), "document compound file"},
		"PowerPoint":        {file(t, stream("PowerPoint Document", record(0, pptObject, inner))), "document compound file"},
		"beside objects":    {file(t, stream("WordDocument", fib(0)), cfb.NewStorage("ObjectPool", stream("_1", rasterBlip(0x6e00, 0xf01e, []byte(png))))), "picture " + png},
		"packed":            {file(t, stream("PowerPoint Document", record(0xf, 1000, []byte("list")), record(0x10, pptObject, u32(len(inner)), deflate(inner)))), "document compound file"},
		"badly packed":      {file(t, stream("PowerPoint Document", record(0x10, pptObject, u32(9), []byte("text")), record(0, pptObject, inner))), "document fails extract.malformed, document compound file"},
		"cut off":           {file(t, stream("PowerPoint Document", record(0, pptObject, inner)[:600])), "document extract.truncated"},
		"macros are none":   {file(t, stream("Workbook"), cfb.NewStorage("_VBA_PROJECT_CUR", stream("PROJECT", []byte("x")))), ""},
		"empty ones aren't": {file(t, stream("Workbook"), cfb.NewStorage("MBD0001")), ""},
	} {
		if got := handed(t, open(t, c.b, document.XLS)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// packaged is a file in the envelope of the object packager.
func packaged(data string) []byte {
	body := join(u16(2), []byte("label\x00C:\\a.pdf\x00"), u16(0, 3), u32(8), []byte("C:\\tmp\\\x00"), u32(len(data)), []byte(data), []byte("more"))
	return join(u32(len(body)), body)
}

func TestWhatObjectsHold(t *testing.T) {
	pres := func(format int, data []byte) []byte {
		return join(u32(0xffffffff, format, 4, 1, 0xffffffff, 2, 0, 10, 10, len(data)), data)
	}
	for name, c := range map[string]struct {
		in   []*cfb.Node
		want string
		not  document.NotCovered
	}{
		"packager":           {[]*cfb.Node{stream(native, packaged("%PDF-"))}, "document %PDF-more", 0},
		"other native data":  {[]*cfb.Node{stream(native, u32(4), []byte("BM.."))}, "document BMP", 0},
		"packager, cut off":  {[]*cfb.Node{stream(native, packaged("%PDF-")[:12])}, "document \x02\x00label\x00", 0},
		"package":            {[]*cfb.Node{stream("Package", []byte("PK"))}, "document PK", 0},
		"OpenDocument":       {[]*cfb.Node{stream("EmbeddedOdf", []byte("PK"))}, "document PK", 0},
		"contents":           {[]*cfb.Node{stream("CONTENTS", []byte("%PDF-"))}, "document %PDF-", 0},
		"control":            {[]*cfb.Node{stream("contents", []byte("x")), stream("\x03OCXNAME")}, "", document.EmbeddedFiles},
		"formula of old":     {[]*cfb.Node{stream("\x01Ole10Native", u32(10), []byte("\x02\x00\x01\x01\x00\x0a\x01\x12\x83F"))}, "", document.OfficeText},
		"photograph":         {[]*cfb.Node{stream("CONTENTS", u16(2, 2, 1, 0, 0), make([]byte, 812), []byte{0, 1})}, "picture BMP", 0},
		"no photograph":      {[]*cfb.Node{stream("CONTENTS", []byte("\x02\x00"), []byte("and so on"))}, "document \x02\x00and so on", 0},
		"formula":            {[]*cfb.Node{stream("Equation Native", []byte("x"))}, "", document.OfficeText},
		"link":               {[]*cfb.Node{stream("\x03LinkInfo", []byte("x"))}, "", document.EmbeddedFiles},
		"macros":             {[]*cfb.Node{stream("PROJECT", []byte("x")), cfb.NewStorage("VBA")}, "", document.EmbeddedFiles},
		"preview":            {[]*cfb.Node{stream("\x02OlePres000", pres(3, []byte(wmf)))}, "picture " + wmf, 0},
		"preview, enhanced":  {[]*cfb.Node{stream("\x02OlePres001", pres(14, []byte("drawing")))}, "picture drawing", 0},
		"preview, bitmap":    {[]*cfb.Node{stream("\x02OlePres000", pres(8, dib()))}, "picture BMP", 0},
		"preview of nothing": {[]*cfb.Node{stream("\x02OlePres000", u32(0, 4, 1, 0xffffffff, 2, 0, 0, 0, 0))}, "", 0},
		"preview of Word":    {[]*cfb.Node{stream("\x03EPRINT", []byte("drawing")), stream("\x03META", make([]byte, 8), []byte(wmf))}, "picture drawing, picture " + wmf, 0},
		"objects within":     {[]*cfb.Node{cfb.NewStorage("ObjectPool", cfb.NewStorage("_1", stream("Package")))}, "document compound file", 0},
	} {
		d := open(t, file(t, c.in...), document.OLEObject)
		if got := handed(t, d); got != c.want || d.NotCovered() != c.not {
			t.Errorf("%s: %q, %v; want %q", name, got, d.NotCovered().Names(), c.want)
		}
	}
}

// The pictures of Photo Editor come out as bitmaps that show the same.
func TestPhotographs(t *testing.T) {
	head := func(kind int) []byte { return join(u16(kind, 3, 2), make([]byte, 12)) }
	palette := join([]byte("\x00\x00\x00\xff\x00\x00\x00\xff\x00\x00\x00\xff"), make([]byte, 768-12+36))
	for name, b := range map[string][]byte{
		"palette": join(head(photoIndexed), palette, []byte{1, 2, 3, 3, 2, 1}),
		"colours": join(head(photoColours), make([]byte, 768+36), []byte("\xff\x00\x00\x00\xff\x00\x00\x00\xff\x00\x00\xff\x00\xff\x00\xff\x00\x00")),
	} {
		d := open(t, file(t, stream("CONTENTS", b)), document.OLEObject)
		file, err := d.Unpack(0)
		if err != nil || d.Embedded()[0].Size != int64(len(file)) {
			t.Fatalf("%s: %d bytes, %v", name, len(file), err)
		}
		img, err := bmp.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, want := range []color.RGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {0, 0, 255, 255}, {0, 255, 0, 255}, {255, 0, 0, 255}} {
			if got := color.RGBAModel.Convert(img.At(i%3, i/3)); got != want {
				t.Errorf("%s: pixel %d is %v", name, i, got)
			}
		}
		for _, other := range [][]byte{b[:len(b)-1], append(bytes.Clone(b), 0)} {
			if isPhoto(other) {
				t.Errorf("%s: %d bytes pass for %d", name, len(other), len(b))
			}
		}
	}
}

// properties is a summary with the given property.
func properties(id, kind int, value []byte) []byte {
	head := join(u16(0xfffe, 0), u32(0), make([]byte, 16), u32(1), make([]byte, 16), u32(48))
	return join(head, u32(24+len(value), 1, id, 16, kind, len(value)), value)
}

func TestThumbnails(t *testing.T) {
	for name, c := range map[string]struct {
		value []byte
		want  string
	}{
		"metafile":    {join(u32(0xffffffff, 3), make([]byte, 8), []byte(wmf)), "picture " + wmf},
		"bitmap":      {join(u32(0xffffffff, 8), dib()), "picture BMP"},
		"a Macintosh": {join(u32(0xfffffffe), []byte("PICT"), []byte("drawing")), "picture drawing"},
		"none":        {u32(0, 0, 0), ""},
	} {
		d := open(t, file(t, stream("Workbook"), stream(summary, properties(17, 0x47, c.value))), document.XLS)
		if got := handed(t, d); got != c.want || d.NotCovered() != document.OfficeText|document.Metadata {
			t.Errorf("%s: %q, %v", name, got, d.NotCovered().Names())
		}
	}
	if got := handed(t, open(t, file(t, stream(summary, properties(2, 30, []byte("title")))), document.XLS)); got != "" {
		t.Errorf("a title gave %q", got)
	}
}

func TestLockedDocuments(t *testing.T) {
	user := join(u16(0, 0xff6), u32(20, 20))
	for name, c := range map[string]struct {
		b    []byte
		want reason.Code
	}{
		"Word":             {file(t, stream("WordDocument", fib(0x100))), reason.ExtractEncrypted},
		"Word, open":       {file(t, stream("WordDocument", fib(0x200))), ""},
		"Excel":            {file(t, stream("Workbook", biff(xlsBegin, u16(0x600, 5)), biff(xlsFilePass, u16(1)))), reason.ExtractEncrypted},
		"PowerPoint":       {file(t, stream("PowerPoint Document"), stream("Current User", user, u32(0xf3d1c4df))), reason.ExtractEncrypted},
		"PowerPoint, open": {file(t, stream("PowerPoint Document"), stream("Current User", user, u32(0xe391c05f))), ""},
		"package":          {file(t, stream("EncryptedPackage", []byte("x"))), reason.ExtractEncrypted},
		"damaged":          {file(t, stream("WordDocument"))[:600], reason.ExtractTruncated},
		"none":             {[]byte("text"), reason.ExtractTruncated},
	} {
		if _, err := tryOpen(c.b, document.DOC, roomy); reason.Of(err) != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestShapesAreNotCovered(t *testing.T) {
	shape := func(kind int) []byte { return record(kind<<4|2, 0xf00a, u32(1, 2)) }
	for kind, want := range map[int]document.NotCovered{75: 0, 202: 0, 1: 0, 0: 0, 3: document.OfficeVector, 20: document.OfficeVector} {
		if got := open(t, file(t, stream("Data", shape(kind))), document.DOC).NotCovered(); got != document.OfficeText|want {
			t.Errorf("shape %d: %v", kind, got.Names())
		}
	}
	if got := open(t, file(t, stream("Workbook", biff(xlsBegin, u16(0x600, xlsChart)))), document.XLS).NotCovered(); got != document.OfficeText|document.OfficeVector {
		t.Errorf("chart: %v", got.Names())
	}
}

func TestLimits(t *testing.T) {
	b := file(t, stream("WordDocument", fib(0)), stream("Data", rasterBlip(0x6e00, 0xf01e, []byte(png)), rasterBlip(0x46a0, 0xf01d, []byte(jpeg))))
	size := int64(len(png) + len(jpeg))
	dense := file(t, stream("Data", metaBlip(0x3d50, 0xf01a, make([]byte, catalogue.DensityFrom+1))))
	small := file(t, stream("Data", metaBlip(0x3d50, 0xf01a, make([]byte, catalogue.DensityFrom))))
	for _, c := range []struct {
		name     string
		b        []byte
		change   func(*document.Limits)
		refused  reason.Code
		withheld reason.Code // of the first part
	}{
		{"entries", b, func(l *document.Limits) { l.Entries = 3 }, "", ""},
		{"entries-1", b, func(l *document.Limits) { l.Entries = 2 }, reason.ExtractEntries, ""},
		{"unpacked", b, func(l *document.Limits) { l.UnpackedBytes = size }, "", ""},
		{"unpacked-1", b, func(l *document.Limits) { l.UnpackedBytes = size - 1 }, reason.ExtractUnpacked, ""},
		{"ratio", small, func(*document.Limits) {}, "", ""},
		{"ratio of a large one", dense, func(*document.Limits) {}, "", reason.ExtractRatio},
	} {
		lim := roomy
		c.change(&lim)
		d, err := tryOpen(c.b, document.DOC, lim)
		if reason.Of(err) != c.refused {
			t.Errorf("%s: %v, want %q", c.name, err, c.refused)
		}
		if err == nil && d.Embedded()[0].Withheld != c.withheld {
			t.Errorf("%s: withheld with %q", c.name, d.Embedded()[0].Withheld)
		}
	}
	fills := file(t, stream("Workbook", bytes.Repeat(biff(xlsFill), roomy.Entries)))
	if _, err := tryOpen(fills, document.XLS, roomy); err != nil {
		t.Errorf("as many fills as entries: %v", err)
	}
	fills = file(t, stream("Workbook", bytes.Repeat(biff(xlsFill), roomy.Entries+1)))
	if _, err := tryOpen(fills, document.XLS, roomy); reason.Of(err) != reason.ExtractEntries {
		t.Errorf("one fill more: %v", err)
	}
	d := open(t, b, document.DOC)
	if got := d.Spent(); got.Unpacked != size || got.Entries != 2 {
		t.Errorf("spent %+v", got)
	}
}

// seed is a document with something of everything.
func seed(t testing.TB) []byte {
	return file(t,
		stream("WordDocument", fib(0)), stream("Data", rasterBlip(0x6e00, 0xf01e, []byte(png)), metaBlip(0x3d50, 0xf01a, []byte("drawing"))),
		stream("Workbook", biff(xlsDrawingGroup, rasterBlip(0x7a80, 0xf01f, dib())), biff(xlsContinue, []byte("x")), biff(xlsImage, u16(9, 0), u32(48), dib())),
		stream("PowerPoint Document", record(0x10, pptObject, u32(4), deflate([]byte("data")))),
		stream(summary, properties(17, 0x47, join(u32(0xffffffff, 8), dib()))),
		stream(native, packaged("%PDF-")), stream("\x02OlePres000", u32(0xffffffff, 3, 4, 1, 0xffffffff, 2, 0, 10, 10, 4), []byte("data")),
		cfb.NewStorage("ObjectPool", cfb.NewStorage("_1", stream("Package", []byte("PK")))))
}

// No damage makes the reader panic or forget to give a reason.
func TestDamagedFiles(t *testing.T) {
	whole := seed(t)
	for n := range len(whole) {
		flipped := bytes.Clone(whole)
		flipped[n] ^= 0x11
		for name, b := range map[string][]byte{"cut": whole[:n], "flipped": flipped} {
			for _, f := range []document.Format{document.DOC, document.OLEObject} {
				d, err := tryOpen(b, f, roomy)
				if err == nil {
					err = unpackAll(d)
				}
				if reason.Of(err) == reason.Internal {
					t.Fatalf("%s at %d: %v", name, n, err)
				}
			}
		}
	}
}

func unpackAll(d *Document) error {
	for i := range d.Embedded() {
		if _, err := d.Unpack(i); err != nil && reason.Of(err) == reason.Internal {
			return err
		}
	}
	return nil
}

func FuzzCompound(f *testing.F) {
	f.Add(seed(f), true)
	f.Add(seed(f), false)
	f.Fuzz(func(t *testing.T, b []byte, object bool) {
		kind := document.DOC
		if object {
			kind = document.OLEObject
		}
		d, err := tryOpen(b, kind, roomy)
		if err == nil {
			err = unpackAll(d)
		}
		if reason.Of(err) == reason.Internal {
			t.Fatal(err)
		}
		if err == nil && d.Spent().Unpacked > roomy.UnpackedBytes {
			t.Fatal("more than allowed")
		}
	})
}

// FuzzStream fuzzes the records without the container around them, whose sectors hide
// them from a fuzzer.
func FuzzStream(f *testing.F) {
	names := []string{"Data", "Workbook", "PowerPoint Document", summary, native, "\x02OlePres000"}
	f.Add(byte(0), join(rasterBlip(0x6e00, 0xf01e, []byte(png)), metaBlip(0x3d50, 0xf01a, []byte("drawing"))))
	f.Add(byte(1), join(biff(xlsDrawingGroup, rasterBlip(0x7a80, 0xf01f, dib())), biff(xlsImage, u16(9, 0), u32(48), dib())))
	f.Add(byte(2), record(0x10, pptObject, u32(4), deflate([]byte("data"))))
	f.Add(byte(3), properties(17, 0x47, join(u32(0xffffffff, 8), dib())))
	f.Add(byte(4), packaged("%PDF-"))
	f.Add(byte(5), join(u32(0xffffffff, 3, 4, 1, 0xffffffff, 2, 0, 10, 10, 4), []byte("data")))
	f.Fuzz(func(t *testing.T, which byte, b []byte) {
		whole := file(t, cfb.NewStream(names[int(which)%len(names)], b))
		for _, kind := range []document.Format{document.DOC, document.OLEObject} {
			d, err := tryOpen(whole, kind, roomy)
			if err == nil {
				err = unpackAll(d)
			}
			if reason.Of(err) == reason.Internal {
				t.Fatal(err)
			}
		}
	})
}

// A stream full of headers that each claim the rest is gone through once.
func TestHeadersThatOverlap(t *testing.T) {
	var b []byte
	for range 1 << 16 {
		b = binary.LittleEndian.AppendUint32(b, 1<<18)
		b = append(b, 0x44, 0, 0x66, 0)
	}
	if got := handed(t, open(t, file(t, cfb.NewStream("Data", b)), document.DOC)); got != "" {
		t.Errorf("found %q", got[:20])
	}
}
