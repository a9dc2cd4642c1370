package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"

	"blotter/internal/cell/inside/extract"
	"blotter/internal/cell/inside/sniff"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// limits are the default policy's, with room for documents of many strips.
var limits = document.Limits{SourceBytes: 64 << 20, Assets: 5000, Pages: 500, Frames: 2000, AssetPixels: 40e6, TotalPixels: 4e9,
	Entries: 10_000, UnpackedBytes: 256 << 20, Ratio: 200, PageObjects: 500_000, TotalObjects: 2_000_000, DrawnPixels: 8e9, PageDPI: 72, Depth: 3, Filters: 8}

// doc is one document to compare.
type doc struct {
	name  string
	path  string // where the references read it; empty for one that was generated
	bytes []byte
	facts string    // what the manifest knows
	want  []picture // what a generated document holds; nil for others
}

// picture is one image, in the colours that people see.
type picture struct {
	name          string
	width, height int
	kind          string // image, smask, mask, stencil; "" for blotter's own and for rasters
	page          int
	format        document.Format // 0: a PDF's image
	lossy         bool            // by its codec, or because colours were converted
	loose         bool            // a small copy that says nothing of which side is up
	mask          *picture        // through which it is drawn
	from          string          // where it was carved
	pixels        image.Image
	rgb           []byte // blotter's own, unpacked
	why           string // why there are no pixels
}

//go:embed explained.tsv
var explanations string

// explained maps a document to why it differs; a line each: document, tab, reason.
func explained() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(explanations) {
		name, why, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if ok && !strings.HasPrefix(name, "#") {
			out[name] = strings.TrimSpace(why)
		}
	}
	return out
}

// collect lists the generated documents and those of the corpus, in its manifest's
// order.
func collect(corpus, only string) ([]doc, error) {
	out := generated()
	if corpus != "" {
		manifest, err := os.ReadFile(filepath.Join(corpus, "manifest.tsv"))
		if err != nil {
			return nil, fmt.Errorf("conformance: corpus: %w", err)
		}
		for line := range strings.Lines(string(manifest)) {
			f := strings.Split(strings.TrimRight(line, "\n"), "\t")
			if len(f) < 5 || f[0] == "file" {
				continue
			}
			path := filepath.Join(corpus, f[0])
			b, err := os.ReadFile(path)
			if err != nil {
				continue // the manifest also tells of what was left out
			}
			out = append(out, doc{name: f[0], path: path, bytes: b, facts: f[4]})
		}
	}
	kept := out[:0]
	for _, d := range out {
		if strings.Contains(d.name, only) {
			kept = append(kept, d)
		}
	}
	return kept, nil
}

// format tells what a document is; the zero format where blotter refuses it.
func (d doc) format() (document.Format, error) {
	return sniff.Sniff(bytes.NewReader(d.bytes), int64(len(d.bytes)))
}

// load decodes one asset of an opened document.
func load(src extract.Source, i int) (picture, bool) {
	it := src.Assets()[i]
	p := picture{name: fmt.Sprintf("asset %d", it.Index), kind: it.Kind.String(), width: it.Width, height: it.Height, page: it.Page, format: it.Format}
	if it.Kind == document.Page {
		return p, false
	}
	img, err := src.Load(i)
	if err != nil {
		p.why = fmt.Sprintf("withheld (`%s`)", reason.Of(err))
	}
	if err == nil {
		p.rgb = samples(img)
	}
	return p, true
}
