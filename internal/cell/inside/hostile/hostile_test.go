package hostile

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"testing"

	"blotter/internal/cell/inside/extract"
	"blotter/internal/cell/inside/sniff"
	"blotter/internal/document"
	"blotter/internal/policy"
)

// What is damaged is worth damaging only where the whole would be opened. PDF and HEIF need
// engines, which the attack itself starts.
func TestExamplesAreWhole(t *testing.T) {
	for _, f := range document.Opened() {
		b := Example(f)
		if got, err := sniff.Sniff(bytes.NewReader(b), int64(len(b))); got != f || err != nil {
			t.Errorf("%v is taken for %v: %v", f, got, err)
		}
		if f == document.PDF {
			continue
		}
		src, err := extract.Open(t.Context(), bytes.NewReader(b), int64(len(b)), f, policy.Default().Limits, extract.Engines{}, sniffed)
		if err != nil {
			t.Errorf("%v: %v", f, err)
			continue
		}
		if len(src.Assets()) == 0 {
			t.Errorf("%v shows no picture", f)
		}
		for i, a := range src.Assets() {
			engine := f == document.HEIC || f == document.AVIF || f == document.JPEG2000 || f == document.JBIG2
			if _, err := src.Load(i); err != nil && !engine {
				t.Errorf("%v: %v %d: %v", f, a.Kind, i, err)
			}
		}
	}
}

func sniffed(r io.ReaderAt, size int64) (document.Format, error) { return sniff.Sniff(r, size) }

// Bombs unpack to what they promise, by other people's readers.
func TestBombsAreSound(t *testing.T) {
	const n = 3*mib + 5
	count := func(r io.Reader, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.Copy(io.Discard, r); got != n || err != nil {
			t.Errorf("%d bytes: %v", got, err)
		}
	}
	z, err := zlib.NewReader(bytes.NewReader(squeeze(n)))
	count(z, err)
	g, err := gzip.NewReader(bytes.NewReader(gzipped(n)))
	count(g, err)
	b := archive(part{name: "a", size: n})
	a, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	e, err := a.File[0].Open()
	count(e, err)
}

// Two runs attack with the same bytes, and no two files have the same name.
func TestFilesAreFixed(t *testing.T) {
	seen := map[string]bool{}
	for f := range All() {
		if key := f.Kind + ": " + f.Name; seen[key] {
			t.Errorf("%s is there twice", key)
		} else {
			seen[key] = true
		}
	}
	for f := range Damaged() {
		if !bytes.Equal(f.Make(), f.Make()) {
			t.Errorf("%s is made differently each time", f.Name)
		}
	}
}
