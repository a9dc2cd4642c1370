package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/draw"
	"strconv"
	"strings"

	"blotter/internal/cell/inside/extract"
	"blotter/internal/cell/inside/sniff"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// near is the mean difference, in 255ths, up to which the pixels of a lossy codec or
// of converted colours count as equal: decoders round and convert in their own ways.
// nearInks is that for inks, which two converters hardly ever agree on.
const (
	near     = 3.0
	nearInks = 8.0
)

// outcome is what comparing one document gave.
type outcome struct {
	doc
	format    document.Format
	refused   reason.Code
	reference int      // images of pdfimages, of the manifest or of the generator
	mutool    int      // of mutool; −1 where it was not asked
	equal     int      // pixels equal
	alike     int      // within near
	through   int      // seen through a mask, equal or near to the reference laid on white by us
	scaled    int      // seen through a mask of another size: not compared
	other     []string // of the reference, without an equal here
	only      []string // here alone
	failed    string   // of a reference that did not end well
}

// compare opens a document and holds its images against the references.
func compare(ctx context.Context, d doc, e extract.Engines) outcome {
	o := outcome{doc: d, mutool: -1}
	var err error
	if o.format, err = d.format(); err != nil {
		o.refused = reason.Of(err)
		return o
	}
	src, err := extract.Open(ctx, bytes.NewReader(d.bytes), int64(len(d.bytes)), o.format, limits, e, sniff.Sniff)
	if err != nil {
		o.refused = reason.Of(err)
	} else {
		defer src.Close()
	}
	var found []picture
	if src != nil {
		for i := range src.Assets() {
			if p, image := load(src, i); image {
				found = append(found, p)
			}
		}
	}
	if o.format != document.PDF {
		o.byFacts(found)
		return o
	}
	used := make([]bool, len(found))
	if d.want != nil {
		o.reference += len(d.want)
		for i, w := range d.want {
			o.match(w, nil, i, found, used)
		}
	}
	if installed("pdfimages") {
		o.poppler(ctx, found, used)
	}
	if installed("mutool") {
		o.mupdf(ctx, found)
	}
	for i, p := range found {
		if !used[i] {
			o.only = append(o.only, fmt.Sprintf("%d×%d", p.width, p.height))
		}
	}
	return o
}

func (o *outcome) poppler(ctx context.Context, found []picture, used []bool) {
	refs, err := popplers(ctx, o.doc)
	if err != nil {
		o.failed = err.Error()
	}
	if o.want == nil {
		o.reference = len(refs)
	}
	for i, r := range refs {
		var mask *picture
		if r.kind == "image" && i+1 < len(refs) && (refs[i+1].kind == "smask" || refs[i+1].kind == "mask") {
			mask = &refs[i+1]
		}
		if o.want != nil {
			r.lossy = true // the generator knows better; the reference is a second opinion
		}
		o.match(r, mask, i, found, used)
	}
}

// match looks for the image that is most like a reference's.
func (o *outcome) match(r picture, mask *picture, n int, found []picture, used []bool) {
	best, at := 256.0, -1
	var masked bool
	sized, shown := -1, views(r, mask)
	for i, p := range found {
		if p.width != r.width || p.height != r.height {
			continue
		}
		if sized < 0 || !used[i] {
			sized = i
		}
		if p.rgb == nil || best == 0 && !used[at] {
			continue
		}
		for _, want := range shown {
			if d := differ(p.rgb, want.rgb, best); d < best || at >= 0 && d == best && used[at] && !used[i] {
				best, at, masked = d, i, want.masked
			}
		}
	}
	lossy, near := r.lossy || masked, near
	if strings.Contains(r.name, "cmyk") || strings.Contains(r.name, "inks") {
		near = nearInks
	}
	switch {
	case at >= 0 && best == 0 && masked, at >= 0 && masked && best <= near:
		o.through++
	case at >= 0 && best == 0:
		o.equal++
	case at >= 0 && lossy && best <= near:
		o.alike++
	case sized >= 0 && mask != nil && (mask.width != r.width || mask.height != r.height):
		o.scaled++ // drawn through a mask of another size; how it is scaled is the decoder's to choose
		used[sized] = true
		return
	case sized >= 0 && (r.pixels == nil || found[sized].rgb == nil):
		why := r.why
		if found[sized].rgb == nil {
			why = found[sized].why
		}
		o.other = append(o.other, fmt.Sprintf("%d (%s, %d×%d): same size, %s", n, r.name, r.width, r.height, why))
		used[sized] = true
		return
	case at >= 0:
		o.other = append(o.other, fmt.Sprintf("%d (%s, %d×%d): same size, mean difference %.1f", n, r.name, r.width, r.height, best))
	default:
		o.other = append(o.other, fmt.Sprintf("%d (%s, %d×%d): missing", n, r.name, r.width, r.height))
		return
	}
	used[at] = true
}

// view is a way in which a picture may be shown: its samples, red, green, blue.
type view struct {
	rgb    []byte
	masked bool
}

// views are the ways in which a reference's image may rightly be shown: masks dark
// where they let through, images as they are or laid on white through their mask.
func views(r picture, mask *picture) []view {
	if r.pixels == nil {
		return nil
	}
	own := samples(r.pixels)
	out := []view{{rgb: own}}
	switch {
	case r.kind == "smask" || r.kind == "mask" || r.kind == "stencil":
		out = append(out, view{rgb: negative(own)})
	case mask != nil && mask.pixels != nil && mask.pixels.Bounds().Size() == r.pixels.Bounds().Size():
		m := samples(mask.pixels)
		out = append(out, view{onWhite(own, m), true}, view{onWhite(own, negative(m)), true})
	}
	return out
}

// samples unpacks an image.
func samples(img image.Image) []byte {
	b := img.Bounds()
	flat := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(flat, flat.Bounds(), img, b.Min, draw.Src)
	out := make([]byte, 0, 3*b.Dx()*b.Dy())
	for i := 0; i < len(flat.Pix); i += 4 {
		out = append(out, flat.Pix[i:i+3]...)
	}
	return out
}

func negative(b []byte) []byte {
	out := make([]byte, len(b))
	for i, v := range b {
		out[i] = 0xff - v
	}
	return out
}

// onWhite lays samples on white through a mask.
func onWhite(b, mask []byte) []byte {
	out := make([]byte, len(b))
	for i, v := range b {
		m := int(mask[i])
		out[i] = byte((int(v)*m + 0xff*(0xff-m)) / 0xff) //nolint:gosec // under 256
	}
	return out
}

// differ is the mean difference of samples, in 255ths; anything over least where it is
// at least that. Differences of one step are rounding and count as none.
func differ(a, b []byte, least float64) float64 {
	if len(a) != len(b) || len(a) == 0 {
		return 256
	}
	sum, enough := 0, int(least*float64(len(a)))
	for i := range a {
		if d := int(a[i]) - int(b[i]); d > 1 {
			sum += d
		} else if d < -1 {
			sum -= d
		}
		if sum > enough {
			return 256
		}
	}
	return float64(sum) / float64(len(a))
}

// mupdf counts what mutool lists, by size.
func (o *outcome) mupdf(ctx context.Context, found []picture) {
	refs, err := mupdfs(ctx, o.doc)
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
			o.other = append(o.other, fmt.Sprintf("mutool lists %d×%d: missing", r.X, r.Y))
		}
	}
}

// byFacts compares the number and the size of images with what the manifest knows.
func (o *outcome) byFacts(found []picture) {
	m := sizeFact.FindStringSubmatch(o.facts)
	if m == nil || !o.format.IsRaster() {
		return
	}
	o.reference = 1
	w, _ := strconv.Atoi(m[1])
	h, _ := strconv.Atoi(m[2])
	for _, p := range found {
		if p.width == w && p.height == h || p.width == h && p.height == w {
			o.equal++
			return
		}
	}
	o.other = append(o.other, fmt.Sprintf("%d×%d (%s): missing", w, h, strings.SplitN(o.facts, ";", 2)[0]))
}
