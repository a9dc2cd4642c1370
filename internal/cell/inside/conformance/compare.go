package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"time"

	"blotter/internal/cell/inside/extract"
	"blotter/internal/cell/inside/sniff"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// bound is how long the images of one document may take to decode. What is left then is
// told of, and not compared. A decoder that hangs is not stopped: this is no cell.
const bound = 2 * time.Minute

// outcome is what comparing one document gave.
type outcome struct {
	doc
	format    document.Format
	refused   reason.Code
	reference int      // images of pdfimages, of the decoders and the carving, or of the generator
	mutool    int      // of mutool; −1 where it was not asked
	equal     int      // pixels equal
	alike     int      // within near
	through   int      // seen through a mask, equal or near to the reference laid on white by us
	scaled    int      // seen through a mask of another size: not compared
	bare      []string // found here as well; the reference has no pixels to compare with
	withheld  []string // found here as well, and withheld; the reference has no pixels either
	missing   int      // of the reference, with nothing of the size here; also told of in other
	other     []string // of the reference, without an equal here
	told      []string // of the manifest, and not so here
	only      []string // here alone
	failed    string   // of a reference that did not end well
	pictures  string   // directory for what differs; empty: none
}

// compare opens a document and holds its images against the references. What differs is
// written to the directory pictures, unless that is empty.
func compare(ctx context.Context, d doc, e extract.Engines, pictures string) outcome {
	o := outcome{doc: d, mutool: -1, pictures: pictures}
	var err error
	if o.format, err = d.format(); err != nil {
		o.refused = reason.Of(err)
	}
	var found []picture
	if err == nil {
		found = o.open(ctx, e)
	}
	used := make([]bool, len(found))
	o.reference += len(d.want)
	for i, w := range d.want {
		o.match(w, i, found, used)
	}
	refs, err := references(ctx, d, o.format)
	if err != nil {
		o.failed = err.Error()
	}
	if d.want == nil {
		o.reference = len(refs)
	}
	if o.refused != "" { // nothing to compare with; the report says how much others see in it
		return o
	}
	if d.want != nil {
		o.second(refs, found, used)
	} else {
		for i, r := range refs {
			o.match(r, i, found, used)
		}
	}
	if o.format == document.PDF && installed("mutool") {
		o.mupdf(ctx, found)
	}
	o.only = alone(found, used, o.format)
	return o
}

// second hears what references say of a generated document. What agrees is not counted
// again; the generator knows better, so that they may be a little off.
func (o *outcome) second(refs, found []picture, used []bool) {
	opinion := outcome{doc: o.doc, pictures: o.pictures}
	for i, r := range refs {
		if r.lossy = true; r.pixels != nil {
			opinion.match(r, i, found, used)
		}
	}
	o.other, o.missing = append(o.other, opinion.other...), o.missing+opinion.missing
}

// open opens a document and decodes its images.
func (o *outcome) open(ctx context.Context, e extract.Engines) (found []picture) {
	src, err := extract.Open(ctx, bytes.NewReader(o.bytes), int64(len(o.bytes)), o.format, limits, e, sniff.Sniff)
	if err != nil {
		o.refused = reason.Of(err)
		return nil
	}
	defer src.Close()
	o.told = toldOtherwise(o.facts, o.format, src.Assets())
	start := time.Now()
	for i := range src.Assets() {
		if time.Since(start) > bound {
			o.told = append(o.told, fmt.Sprintf("decoding was stopped after %v, before asset %d of %d", bound, i+1, len(src.Assets())))
			break
		}
		if p, image := load(src, i); image {
			found = append(found, p)
		}
	}
	return found
}

// references has others find the images of a document.
func references(ctx context.Context, d doc, f document.Format) (out []picture, err error) {
	switch {
	case f == document.PDF:
		return popplers(ctx, d.bytes)
	case f == document.JPEG || f == document.PNG:
		return carved(ctx, carve(d.bytes))
	case f.IsRaster() || f == document.Photoshop:
		return decoded(ctx, scrap{format: f, data: d.bytes}), nil
	case f.IsMetafile() || f == document.SVG:
		return decoded(ctx, scrap{format: f}), nil
	case f == document.EML || f == document.CMS || f.IsFlat():
		return carved(ctx, letters(d.bytes))
	case f.IsOffice() || f.IsCompound() || f == document.RTF || f == document.MSG || f == document.TNEF || f == document.Publisher || f == document.ZIP || f == document.OLE:
		return carved(ctx, scraps(d.bytes, 0))
	}
	return nil, nil
}

// carved has what was carved decoded.
func carved(ctx context.Context, all []scrap) (out []picture, err error) {
	for _, s := range all {
		if s.format != document.PDF {
			out = append(out, decoded(ctx, s)...)
			continue
		}
		if !installed("pdfimages") {
			continue
		}
		within, failed := popplers(ctx, s.data)
		if failed != nil {
			err = failed
		}
		out = append(out, within...)
	}
	return out, err
}

// alone tells what no reference found. What looks like another image that one did find is
// a copy of it.
func alone(found []picture, used []bool, f document.Format) (out []string) {
	for i, p := range found {
		copied := func(j int) bool {
			return used[j] && p.rgb != nil && p.width == found[j].width && bytes.Equal(p.rgb, found[j].rgb)
		}
		if used[i] || slices.ContainsFunc(indexes(found), copied) {
			continue
		}
		var text string
		if p.width > 0 {
			text = fmt.Sprintf("%d×%d ", p.width, p.height)
		}
		if f != document.PDF {
			text += p.format.String()
		}
		text = strings.TrimSpace(text)
		if p.kind == document.Thumbnail.String() {
			text += " thumbnail"
		}
		if p.why != "" {
			text += ", " + p.why
		}
		out = append(out, text)
	}
	return out
}

func indexes(found []picture) []int {
	out := make([]int, len(found))
	for i := range out {
		out[i] = i
	}
	return out
}

// mupdf counts what mutool lists, by size.
func (o *outcome) mupdf(ctx context.Context, found []picture) {
	refs, err := mupdfs(ctx, o.bytes)
	if err != nil {
		return // it opens less than PDFium does
	}
	o.mutool = len(refs)
	have := map[image.Point]bool{}
	for _, p := range found {
		have[image.Pt(p.width, p.height)] = true
	}
	for _, r := range refs {
		if !have[r] {
			o.missing++
			o.other = append(o.other, fmt.Sprintf("mutool lists %d×%d: missing", r.X, r.Y))
		}
	}
}
