package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blotter/internal/document"
)

// near is the mean difference, in 255ths, up to which the pixels of a lossy codec or
// of converted colours count as equal: decoders round and convert in their own ways.
// nearInks is that for inks, which two converters hardly ever agree on.
const (
	near     = 3.0
	nearInks = 8.0
)

// match looks for the image that is most like a reference's, the nth.
func (o *outcome) match(r picture, n int, found []picture, used []bool) {
	what := fmt.Sprintf("%d (%s)", n, r.described())
	near := near
	if strings.Contains(r.name, "cmyk") || strings.Contains(r.name, "inks") {
		near = nearInks
	}
	// Of its own format first: the same picture may lie there in another as well.
	at, best := nearest(r, found, func(i int) bool { return found[i].format == r.format && !used[i] })
	if at < 0 || best.difference > 0 && (!r.lossy || best.difference > near) {
		if other, as := nearest(r, found, func(int) bool { return true }); as.difference < best.difference && (!r.lossy || best.difference > 2*near) {
			at, best = other, as
		}
	}
	lossy := r.lossy || best.masked
	switch {
	case at >= 0 && best.masked && best.difference <= near:
		o.through++
	case at >= 0 && best.difference == 0:
		o.equal++
	case at >= 0 && lossy && best.difference <= near:
		o.alike++
	default:
		o.unlike(r, n, what, at, best.difference, found, used)
		return
	}
	used[at] = true
}

// described is the name of a picture, its size and where it was carved, as far as known.
func (p picture) described() string {
	text := p.name
	if p.width > 0 {
		text += fmt.Sprintf(", %d×%d", p.width, p.height)
	} else if p.from != "" {
		text += ","
	}
	return strings.TrimSpace(text + " " + p.from)
}

// unlike tells of an image of a reference that has no equal here. at is the one that is
// most like it; −1: none of the size has pixels that could be compared.
func (o *outcome) unlike(r picture, n int, what string, at int, difference float64, found []picture, used []bool) {
	sized := sameSize(r, found, used)
	switch {
	case sized >= 0 && r.mask != nil && (r.mask.width != r.width || r.mask.height != r.height):
		o.scaled++ // drawn through a mask of another size; how it is scaled is the decoder's to choose
	case sized < 0:
		o.missing++
		o.other = append(o.other, what+": missing")
		return
	case r.pixels == nil && found[sized].rgb != nil:
		o.bare = append(o.bare, fmt.Sprintf("%s: %s", what, r.why))
	case r.pixels == nil && found[sized].rgb == nil:
		o.withheld = append(o.withheld, fmt.Sprintf("%s: %s, here %s", what, r.why, found[sized].why))
	case at < 0:
		o.other = append(o.other, fmt.Sprintf("%s: %s", what, found[sized].why))
	default:
		o.other = append(o.other, fmt.Sprintf("%s: same size, mean difference %.1f", what, difference))
		sized = at
		o.write(r, n, found[at])
	}
	used[sized] = true
}

// write puts two pictures that differ side by side into a file, the reference's first.
func (o *outcome) write(r picture, n int, ours picture) {
	if o.pictures == "" {
		return
	}
	both := image.NewNRGBA(image.Rect(0, 0, r.width+8+ours.width, max(r.height, ours.height)))
	draw.Draw(both, image.Rect(0, 0, r.width, r.height), r.pixels, r.pixels.Bounds().Min, draw.Src)
	for y := range ours.height {
		for x := range ours.width {
			p := ours.rgb[3*(y*ours.width+x):]
			both.SetNRGBA(r.width+8+x, y, color.NRGBA{p[0], p[1], p[2], 0xff})
		}
	}
	name := fmt.Sprintf("%s-%d.png", strings.ReplaceAll(o.name, "/", "_"), n)
	f, err := os.Create(filepath.Join(o.pictures, name))
	if err == nil {
		err = errors.Join(png.Encode(f, both), f.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// closeness is how much a picture of ours is like one of a reference.
type closeness struct {
	difference float64 // mean, in 255ths; 256: nothing could be compared
	masked     bool    // seen through its mask
}

// nearest finds the image that is most like a reference's, of those that may be it; −1
// where none of its size has pixels.
func nearest(r picture, found []picture, may func(i int) bool) (int, closeness) {
	at, best := -1, closeness{difference: 256}
	for _, want := range views(r) {
		for i, p := range found {
			if best.difference == 0 || p.width != want.width || p.height != want.height || p.rgb == nil || !may(i) {
				continue
			}
			if d := differ(p.rgb, want.rgb, best.difference); d < best.difference {
				at, best = i, closeness{d, want.masked}
			}
		}
	}
	return at, best
}

// sameSize finds an image of a reference's size or, where the size of one of both is not
// known, of its format; one that is not used first. −1 where there is none.
func sameSize(r picture, found []picture, used []bool) int {
	at := -1
	for i, p := range found {
		same := r.width > 0 && (p.width == r.width && p.height == r.height || r.loose && p.width == r.height && p.height == r.width)
		unknown := (r.width == 0 || p.width == 0) && p.format == r.format && r.format != 0
		if (same || unknown) && (at < 0 || used[at] && !used[i]) {
			at = i
		}
	}
	if at >= 0 && (!used[at] || r.width > 0) || !r.format.IsMetafile() {
		return at
	}
	// Of a drawing that only shows bitmaps, those are found.
	return slices.IndexFunc(indexes(found), func(i int) bool {
		return !used[i] && (found[i].format == document.RawPixels || found[i].format == document.BMP)
	})
}

// view is a way in which a picture may be shown: its samples, red, green, blue.
type view struct {
	rgb           []byte
	width, height int
	masked        bool
}

// views are the ways in which a reference's image may rightly be shown: masks dark
// where they let through, images as they are or laid on white through their mask, small
// copies with each of their sides up.
func views(r picture) []view {
	if r.pixels == nil {
		return nil
	}
	own := samples(r.pixels)
	out := []view{{own, r.width, r.height, false}}
	switch {
	case r.kind == "smask" || r.kind == "mask" || r.kind == "stencil":
		out = append(out, view{negative(own), r.width, r.height, false})
	case r.mask != nil && r.mask.pixels != nil && r.mask.pixels.Bounds().Size() == r.pixels.Bounds().Size():
		m := samples(r.mask.pixels)
		out = append(out, view{onWhite(own, m), r.width, r.height, true}, view{onWhite(own, negative(m)), r.width, r.height, true})
	case r.loose:
		for v := out[0]; len(out) < 8; {
			if v = v.turned(); len(out) == 4 {
				v = v.mirrored()
			}
			out = append(out, v)
		}
	}
	return out
}

// turned is a view with its left side up, mirrored one with its rows from right to left.
func (v view) turned() view {
	out := view{make([]byte, 0, len(v.rgb)), v.height, v.width, v.masked}
	for x := range v.width {
		for y := range v.height {
			at := 3 * ((v.height-1-y)*v.width + x)
			out.rgb = append(out.rgb, v.rgb[at:at+3]...)
		}
	}
	return out
}

func (v view) mirrored() view {
	out := view{make([]byte, 0, len(v.rgb)), v.width, v.height, v.masked}
	for y := range v.height {
		for x := range v.width {
			at := 3 * (y*v.width + v.width - 1 - x)
			out.rgb = append(out.rgb, v.rgb[at:at+3]...)
		}
	}
	return out
}

// samples unpacks an image.
func samples(img image.Image) []byte {
	b := img.Bounds()
	flat, ok := img.(*image.NRGBA)
	if !ok || flat.Stride != 4*b.Dx() {
		flat = image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
		draw.Draw(flat, flat.Bounds(), img, b.Min, draw.Src)
	}
	out := make([]byte, 0, 3*b.Dx()*b.Dy())
	for i := 0; i < 4*b.Dx()*b.Dy(); i += 4 {
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
	if bytes.Equal(a, b) {
		return 0
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
