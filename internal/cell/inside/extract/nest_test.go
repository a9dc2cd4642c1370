package extract

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"slices"
	"strings"
	"testing"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/cell/inside/sniff"
	"blotter/internal/document"
	"blotter/internal/reason"
)

var nestLimits = document.Limits{SourceBytes: 1 << 20, Assets: 100, Pages: 10, Frames: 10, AssetPixels: 10e6, TotalPixels: 100e6,
	Entries: 100, UnpackedBytes: 8 << 20, Ratio: 100, Depth: 4, PageObjects: 500_000, TotalObjects: 2_000_000, DrawnPixels: 8e9, PageDPI: 72, Filters: 5}

// gray is a picture of one level, so that a test can tell pictures apart.
func gray(t testing.TB, w, h int, level byte) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = level
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const wordTypes = `<Types><Override ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`

// letter is a DOCX with parts by name and content in turn, unpacked as they are.
func letter(t testing.TB, parts ...any) []byte {
	t.Helper()
	return pack(t, append([]any{"[Content_Types].xml", wordTypes}, parts...)...)
}

// pack is an archive of parts by name and content in turn, stored as they are.
func pack(t testing.TB, parts ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: parts[i].(string), Method: zip.Store})
		if err == nil {
			_, err = fmt.Fprintf(f, "%s", parts[i+1])
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

func openNest(b []byte, lim document.Limits) (Source, error) {
	r := bytes.NewReader(b)
	f, err := sniff.Sniff(r, r.Size())
	if err != nil {
		return nil, err
	}
	return Open(context.Background(), r, r.Size(), f, lim, engines, sniff.Sniff)
}

// found is one line for each asset: path, kind, size, reason.
func found(src Source) []string {
	var out []string
	for i, it := range src.Assets() {
		if it.Index != i+1 {
			out = append(out, fmt.Sprintf("asset %d has the number %d", i+1, it.Index))
		}
		line := fmt.Sprintf("%v %v", it.Within.Numbers(), it.Kind)
		if it.Withheld != "" {
			line += " " + string(it.Withheld)
		} else {
			line += fmt.Sprintf(" %d×%d", it.Width, it.Height)
		}
		out = append(out, line)
	}
	return out
}

func levelOf(t *testing.T, src Source, i int) byte {
	t.Helper()
	img, err := src.Load(i)
	if err != nil {
		t.Fatalf("asset %d: %v", i+1, err)
	}
	return img.(*image.Gray).Pix[0]
}

func threeLetters(t testing.TB) []byte {
	innermost := letter(t, "word/media/a.png", gray(t, 3, 3, 30))
	inner := letter(t, "word/media/a.png", gray(t, 2, 2, 20), "word/embeddings/a.docx", innermost, "word/embeddings/b.bin", gray(t, 5, 5, 50))
	return letter(t, "word/media/a.png", gray(t, 1, 1, 10), "word/embeddings/a.docx", letter(t), "word/embeddings/b.docx", inner,
		"word/embeddings/c.docx", letter(t, "word/media/x.png", gray(t, 4, 4, 40), "word/media/y.png", gray(t, 1, 1, 60)))
}

func TestDocumentsWithinDocuments(t *testing.T) {
	src, err := openNest(threeLetters(t), nestLimits)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	want := []string{"[] image 1×1", "[2] image 5×5", "[2] image 2×2", "[2 1] image 3×3", "[3] image 4×4", "[3] image 1×1"}
	if got := found(src); !slices.Equal(got, want) {
		t.Fatalf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// In any order, and twice: what is open matters to nobody.
	for _, i := range []int{0, 1, 2, 3, 4, 5, 3, 0, 2, 4, 1, 1, 5, 3} {
		if got, want := levelOf(t, src, i), []byte{10, 50, 20, 30, 40, 60}[i]; got != want {
			t.Errorf("asset %d has the level %d, want %d", i+1, got, want)
		}
	}
	if got := src.NotCovered(); got != document.OfficeText {
		t.Errorf("not covered: %v", got.Names())
	}
}

// What cannot be opened keeps its place, with its reason, and the others go on.
func TestDocumentsThatCannotBeOpened(t *testing.T) {
	locked, err := cfb.NewStorage("Root Entry", cfb.NewStream("EncryptionInfo", []byte("x")), cfb.NewStream("EncryptedPackage", []byte("x"))).File(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	torn := letter(t, "word/_rels/a.rels", "<Relationships", "word/media/a.png", gray(t, 1, 1, 1))
	src, err := openNest(letter(t,
		"word/embeddings/a.docx", locked,
		"word/embeddings/b.docx", torn,
		"word/embeddings/c.txt", "plain text",
		"word/embeddings/d.pdf", "%PDF-1.7\n1 0 obj\nno more",
		"word/embeddings/e.bin", "",
		"word/embeddings/f.docx", letter(t, "word/media/a.png", gray(t, 2, 2, 2)),
		"word/embeddings/g.zip", "PK\x03\x04 no archive",
	), nestLimits)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	want := []string{
		"[1] document extract.encrypted", "[2] document extract.malformed", "[3] document sniff.unsupported_format",
		"[4] document extract.malformed", "[5] document sniff.empty", "[6] image 2×2", "[7] document sniff.malformed",
	}
	if got := found(src); !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if src.NotCovered()&document.EmbeddedFiles == 0 {
		t.Error("nobody is told that files were left out")
	}
	if f := src.Assets()[2].Format; f != document.PlainText {
		t.Errorf("the text is called %v", f)
	}
	if _, err := src.Load(0); reason.Of(err) != reason.ExtractEncrypted {
		t.Errorf("the locked document loads with %v", err)
	}
	if levelOf(t, src, 5) != 2 {
		t.Error("the whole document does not load")
	}
}

// The limits that all documents share are met from both sides; so is the depth.
func TestSharedLimits(t *testing.T) {
	whole := threeLetters(t) // 6 assets, 56 pixels, and as many entries as follow
	const entries = 5 + 1 + 4 + 2 + 3
	unpacked := unpackedOf(t, whole)
	for _, c := range []struct {
		name   string
		change func(l *document.Limits, d int)
		want   reason.Code
	}{
		{"assets", func(l *document.Limits, d int) { l.Assets = 6 + d }, reason.ExtractAssets},
		{"pixels", func(l *document.Limits, d int) { l.TotalPixels = 56 + int64(d) }, reason.ExtractTotal},
		{"entries", func(l *document.Limits, d int) { l.Entries = entries + d }, reason.ExtractEntries},
		{"unpacked", func(l *document.Limits, d int) { l.UnpackedBytes = unpacked + int64(d) }, reason.ExtractUnpacked},
	} {
		for _, d := range []int{-1, 0, 1} {
			lim := nestLimits
			c.change(&lim, d)
			src, err := openNest(whole, lim)
			want := c.want
			if d >= 0 {
				want = ""
			}
			if reason.Of(err) != want {
				t.Errorf("%s %+d: %v, want %q", c.name, d, err, want)
			}
			if err == nil {
				src.Close()
			}
		}
	}
}

// unpackedOf sums what an archive and those within it unpack to.
func unpackedOf(t *testing.T, b []byte) (n int64) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		n += int64(f.UncompressedSize64)
		if !strings.HasSuffix(f.Name, ".docx") {
			continue
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		inner, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		n += unpackedOf(t, inner)
	}
	return n
}

func TestDepthAtItsEdge(t *testing.T) {
	whole := threeLetters(t) // two deep
	for depth, want := range [][]string{
		{"[] image 1×1", "[1] document extract.depth_limit", "[2] document extract.depth_limit", "[3] document extract.depth_limit"},
		{"[] image 1×1", "[2] image 5×5", "[2] image 2×2", "[2 1] document extract.depth_limit", "[3] image 4×4", "[3] image 1×1"},
		{"[] image 1×1", "[2] image 5×5", "[2] image 2×2", "[2 1] image 3×3", "[3] image 4×4", "[3] image 1×1"},
		{"[] image 1×1", "[2] image 5×5", "[2] image 2×2", "[2 1] image 3×3", "[3] image 4×4", "[3] image 1×1"},
	} {
		lim := nestLimits
		lim.Depth = depth
		src, err := openNest(whole, lim)
		if err != nil {
			t.Fatal(err)
		}
		if got := found(src); !slices.Equal(got, want) {
			t.Errorf("depth %d:\n%s\nwant\n%s", depth, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		src.Close()
	}
}

// A file within may be no larger than a document that comes by itself.
func TestSizeOfADocumentWithin(t *testing.T) {
	inner := letter(t, "word/media/a.png", gray(t, 1, 1, 1))
	for d, want := range map[int64]string{-1: "[1] document extract.unpacked_limit", 0: "[1] image 1×1", 1: "[1] image 1×1"} {
		lim := nestLimits
		lim.SourceBytes = int64(len(inner)) + d
		src, err := openNest(letter(t, "word/embeddings/a.docx", inner), lim)
		if err != nil {
			t.Fatal(err)
		}
		if got := found(src); !slices.Equal(got, []string{want}) {
			t.Errorf("%+d: %q, want %q", d, got, want)
		}
		src.Close()
	}
}

// gone is a document whose engine another took down.
type gone struct{ Source }

func (gone) Gone() bool { return true }

// The outermost document is opened anew where one within took it down.
func TestDocumentIsOpenedAnew(t *testing.T) {
	src, err := openNest(threeLetters(t), nestLimits)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	n := src.(*nest)
	levelOf(t, src, 1)
	n.chain[0].source = gone{n.chain[0].source}
	for i, want := range map[int]byte{4: 40, 0: 10} {
		if got := levelOf(t, src, i); got != want {
			t.Errorf("asset %d has the level %d, want %d", i+1, got, want)
		}
	}
	if _, still := n.chain[0].source.(gone); still {
		t.Error("the document that is gone is still in use")
	}
}

// shelf is a container of files that counts how often each is unpacked.
type shelf struct {
	Source
	files    [][]byte
	pictures bool
	unpacked []int
}

func (s *shelf) Assets() []Item                  { return nil }
func (s *shelf) NotCovered() document.NotCovered { return 0 }
func (s *shelf) Close() error                    { return nil }
func (s *shelf) Spent() catalogue.Cost           { return catalogue.Cost{Entries: len(s.files)} }
func (s *shelf) Embedded() []catalogue.Embedded {
	return slices.Repeat([]catalogue.Embedded{{Picture: s.pictures}}, len(s.files))
}
func (s *shelf) Unpack(i int) ([]byte, error) {
	s.unpacked[i]++
	if s.files[i] == nil {
		panic("what a document says")
	}
	return s.files[i], nil
}

func shelved(t *testing.T, files ...[]byte) (*shelf, Source) {
	t.Helper()
	return opened(t, &shelf{files: files, unpacked: make([]int, len(files))})
}

func opened(t *testing.T, s *shelf) (*shelf, Source) {
	t.Helper()
	src, err := nested(context.Background(), s, opening{lim: nestLimits}, engines, sniff.Sniff)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return s, src
}

// Reading all assets in order opens each document once, however many assets it has.
func TestEachPassOpensEachDocumentOnce(t *testing.T) {
	two := letter(t, "word/media/a.png", gray(t, 1, 1, 1), "word/media/b.png", gray(t, 1, 1, 2))
	s, src := shelved(t, two, gray(t, 2, 2, 3), two)
	for pass := 1; pass <= 2; pass++ {
		for i := range src.Assets() {
			levelOf(t, src, i)
			if _, err := src.Layer(i); err != nil {
				t.Fatal(err)
			}
		}
		// The listing left the last document open? It is closed: its container goes on.
		if want := []int{1 + pass, 1 + pass, 1 + pass}; !slices.Equal(s.unpacked, want) {
			t.Errorf("after pass %d the documents were unpacked %v times, want %v", pass, s.unpacked, want)
		}
	}
}

// A picture that its document shows is an image of that document, at any depth; what is
// no picture is a document.
func TestPicturesWithin(t *testing.T) {
	// A metafile of 9×8 units, 96 an inch, that draws nothing.
	wmf := []byte("\xd7\xcd\xc6\x9a\x00\x00\x00\x00\x00\x00\x09\x00\x08\x00\x60\x00\x00\x00\x00\x00\x00\x00" +
		"\x01\x00\x09\x00\x00\x03" + strings.Repeat("\x00", 12) + "\x03\x00\x00\x00\x00\x00")
	s := &shelf{pictures: true, files: [][]byte{gray(t, 2, 2, 3), []byte("<svg/>"), []byte("\x00\x01"), nil,
		letter(t, "word/media/a.png", gray(t, 4, 4, 5)), gray(t, 3, 3, 7)[:20], gray(t, 6, 6, 8), wmf}}
	s.unpacked = make([]int, len(s.files))
	_, src := opened(t, s)
	want := []string{"[] image 2×2", "[] image extract.vector_image", "[] image extract.unsupported_encoding", "[] image extract.malformed",
		"[5] image 4×4", "[] image sniff.malformed", "[] image 6×6", "[] image 9×8"}
	if got := found(src); !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for i, want := range map[int]byte{6: 8, 4: 5, 0: 3, 7: 255} {
		if got := levelOf(t, src, i); got != want {
			t.Errorf("asset %d has the level %d, want %d", i+1, got, want)
		}
	}
}

// A document that stands as a picture is a document, and lies as deep as one.
func TestDepthOfDocumentsThatStandAsPictures(t *testing.T) {
	b := func(depth int) []string {
		s := &shelf{pictures: true, files: [][]byte{letter(t, "word/media/a.png", gray(t, 4, 4, 5)), gray(t, 2, 2, 3)}}
		s.unpacked = make([]int, len(s.files))
		lim := nestLimits
		lim.Depth = depth
		root := opening{lim: lim, format: document.DOCX}
		src, err := nested(context.Background(), s, root, engines, sniff.Sniff)
		if err != nil {
			t.Fatal(err)
		}
		return found(src)
	}
	for depth, want := range [][]string{{"[] image extract.depth_limit", "[] image 2×2"}, {"[1] image 4×4", "[] image 2×2"}} {
		if got := b(depth); !slices.Equal(got, want) {
			t.Errorf("depth %d: %q, want %q", depth, got, want)
		}
	}
}

// A decoder that panics over one document withholds that one.
func TestPanicWithin(t *testing.T) {
	_, src := shelved(t, nil, gray(t, 2, 2, 3))
	if got, want := found(src), []string{"[1] document extract.malformed", "[2] frame 2×2"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestRefusalsWithin(t *testing.T) {
	deny := func(io.ReaderAt, int64) (document.Format, error) {
		return document.PDF, reason.Because(reason.PolicyDenied, errors.New("test"))
	}
	b := letter(t, "word/embeddings/a.pdf", "%PDF-")
	src, err := Open(context.Background(), bytes.NewReader(b), int64(len(b)), document.DOCX, nestLimits, engines, deny)
	if err != nil {
		t.Fatal(err)
	}
	if it := src.Assets()[0]; it.Withheld != reason.PolicyDenied || it.Format != document.PDF {
		t.Errorf("the denied document is %+v", it)
	}
	// A fault that may pass is no document's.
	deny = func(io.ReaderAt, int64) (document.Format, error) {
		return 0, reason.Because(reason.SourceUnreadable, errors.New("test"))
	}
	if _, err := Open(context.Background(), bytes.NewReader(b), int64(len(b)), document.DOCX, nestLimits, engines, deny); reason.Of(err) != reason.SourceUnreadable {
		t.Errorf("an unreadable source gave %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	deny = func(io.ReaderAt, int64) (document.Format, error) { cancel(); return document.PNG, nil }
	if _, err := Open(ctx, bytes.NewReader(b), int64(len(b)), document.DOCX, nestLimits, engines, deny); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v", err)
	}
}
