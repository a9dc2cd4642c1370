package extract

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blotter/internal/cell/inside/sniff"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// Where the policy opens archives, each file in one is a document, pictures too; archives
// within archives are opened down to the depth.
func TestArchives(t *testing.T) {
	open := func(r io.ReaderAt, size int64) (document.Format, error) {
		f, err := sniff.Sniff(r, size)
		if f == document.ZIP {
			return f, nil
		}
		return f, err
	}
	pack := func(parts ...any) []byte {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for i := 0; i < len(parts); i += 2 {
			f, err := w.Create(parts[i].(string))
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
	b := pack("a.txt", "text", "b.zip", pack("c.png", gray(t, 2, 2, 5), "d/e.zip", pack("f.png", gray(t, 3, 3, 6))), "g.docx", letter(t, "word/media/a.png", gray(t, 4, 4, 7)))
	lim := nestLimits
	lim.Depth = 2
	src, err := Open(context.Background(), bytes.NewReader(b), int64(len(b)), document.ZIP, lim, engines, open)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	want := []string{"[1] document sniff.unsupported_format", "[2 1] frame 2×2", "[2 2 1] document extract.depth_limit", "[3] image 4×4"}
	if got := found(src); !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for name, c := range map[string]struct {
		b    []byte
		want reason.Code
	}{
		"cut":       {b[:len(b)-10], reason.ExtractMalformed},
		"encrypted": {bytes.Replace(b, []byte("PK\x01\x02\x14\x00\x14\x00\x08"), []byte("PK\x01\x02\x14\x00\x14\x00\x09"), 1), reason.ExtractEncrypted},
	} {
		if _, err := Open(context.Background(), bytes.NewReader(c.b), int64(len(c.b)), document.ZIP, lim, engines, open); reason.Of(err) != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// A PDF within keeps the words of its pages, and knows where its pictures lie.
func TestPDFWithin(t *testing.T) {
	file, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "examples", "referral-letter.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	alone, err := openNest(file, nestLimits)
	if err != nil {
		t.Fatal(err)
	}
	outer := letter(t, "word/media/a.png", gray(t, 1, 1, 7), "word/embeddings/a.pdf", file, "word/embeddings/b.pdf", file)
	within, err := openNest(outer, nestLimits)
	if err != nil {
		t.Fatal(err)
	}
	defer within.Close()
	n := len(alone.Assets())
	if len(within.Assets()) != 1+2*n {
		t.Fatalf("%d assets, alone %d", len(within.Assets()), n)
	}
	words := 0
	for i := range n {
		for copies, base := range []int{1, 1 + n} {
			at := base + i
			if it := within.Assets()[at]; it.Within != (document.Path{uint32(copies + 1)}) || it.Page != alone.Assets()[i].Page {
				t.Errorf("asset %d is %+v", at+1, it)
			}
			want, err := alone.Layer(i)
			if err != nil {
				t.Fatal(err)
			}
			got, err := within.Layer(at)
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("asset %d has other words (%v)", at+1, err)
			}
			words += len(got)
			places := slices.Clone(alone.Placements(i))
			for k := range places {
				places[k].Image += base
			}
			if got := within.Placements(at); !slices.Equal(got, places) {
				t.Errorf("asset %d: placed %v, want %v", at+1, got, places)
			}
		}
	}
	if words == 0 {
		t.Error("no page has words: the test shows nothing")
	}
	if levelOf(t, within, 0) != 7 {
		t.Error("the outermost document cannot be read any more")
	}
}
