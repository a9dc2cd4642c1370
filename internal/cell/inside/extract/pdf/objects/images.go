package objects

import (
	"bytes"
	"crypto/sha256"
	"fmt"
)

// Image is an image stream of the file.
type Image struct {
	// Raw is the digest of its bytes as they stand, decrypted: RawDigest of what PDFium
	// hands out for the same stream.
	Raw [32]byte
	// Mask says that this is the mask of another image, Of by its index. A mask is a
	// picture of its own: words may live in it.
	Mask bool
	Of   int
	// Plain says that nothing lets a part of it through: it is no stencil and has no mask.
	Plain bool
	// Page is the first page, from 1, that Drawn found to draw it, in a comment or a pattern or
	// as a mask too; 0 for none.
	Page int
	// Stencil says that it lets a colour of the page through where it is dark, and has no mask.
	Stencil bool
	// Wide says that its predictor's row is of a length that no image of pixels has.
	Wide   bool
	object int
	key    [32]byte // Raw and what else makes the picture
	soft   bool     // a soft mask, of light values where it lets through
}

// RawDigest is the digest of a stream's bytes without the line breaks around them,
// which readers count differently.
func RawDigest(raw []byte) [32]byte { return sha256.Sum256(bytes.Trim(raw, "\r\n")) }

// isImage tells image streams by their type, or by their measures where a careless
// writer left the type out.
func (f *File) isImage(o *Object) bool {
	d := o.dict()
	if !o.stream || d["Type"] == Name("XRef") || d["Type"] == Name("ObjStm") {
		return false
	}
	switch t := f.get(d, o.at, "Subtype").(type) {
	case Name:
		return t == "Image"
	default:
		return f.integer(d, o.at, "Width") > 0 && f.integer(d, o.at, "Height") > 0
	}
}

// Images lists every image of the file, each picture once, in the file's order.
func (f *File) Images() []Image {
	var out []Image
	known := map[[32]byte]int{}
	byObject := map[int]int{}
	for i := range f.objects {
		o := &f.objects[i]
		if !f.isImage(o) {
			continue
		}
		im := Image{object: i, Raw: RawDigest(f.Raw(o))}
		im.Plain, im.Stencil, im.Wide = f.plain(o), f.stencil(o), f.wide(o)
		f.streams[im.Raw] = i
		im.key = sha256.Sum256(append(im.Raw[:], f.picture(o)...))
		at, seen := known[im.key]
		if !seen {
			at = len(out)
			known[im.key] = at
			out = append(out, im)
		}
		byObject[i] = at
		if p := f.first[i]; p > 0 && (out[at].Page == 0 || p < out[at].Page) {
			out[at].Page = p
		}
	}
	for i := range f.objects {
		at, ok := byObject[i]
		if !ok {
			continue
		}
		o := &f.objects[i]
		for _, name := range []Name{"SMask", "Mask"} {
			r, ok := o.dict()[name].(Ref)
			if !ok {
				continue
			}
			if mask, ok := byObject[f.find(r, o.at)]; ok && mask != at {
				out[mask].Mask, out[mask].Of, out[mask].soft = true, at, name == "SMask"
			}
		}
	}
	return out
}

func (f *File) plain(o *Object) bool {
	return f.lacks(o, "SMask", "Mask", "ImageMask", "IM", "SMaskInData")
}

func (f *File) stencil(o *Object) bool {
	return f.lacks(o, "SMask", "Mask", "SMaskInData") && f.get(o.dict(), o.at, "ImageMask", "IM") == word("true")
}

// lacks reports that none of these entries says anything.
func (f *File) lacks(o *Object, names ...Name) bool {
	for _, k := range names {
		if v := f.get(o.dict(), o.at, k); v != nil && v != word("null") && v != word("false") {
			return false
		}
	}
	return true
}

// wide reports a predictor whose row takes more than longestRow. A decoder holds three.
func (f *File) wide(o *Object) bool {
	_, parms := f.filters(o)
	for _, p := range parms {
		bits := float64(f.integer(p, o.at, "BitsPerComponent"))
		if bits == 0 {
			bits = 8
		}
		row := float64(f.integer(p, o.at, "Columns")) * float64(max(1, f.integer(p, o.at, "Colors"))) * bits / 8
		if f.integer(p, o.at, "Predictor") > 1 && row > longestRow {
			return true
		}
	}
	return false
}

// pictured are the entries that make a picture of an image stream's bytes.
var pictured = []Name{"Width", "Height", "ColorSpace", "BitsPerComponent", "Decode", "ImageMask", "Filter", "DecodeParms", "Mask", "SMaskInData", "W", "H", "CS", "BPC", "D", "IM", "F", "DP"}

// picture writes those entries, references resolved two deep.
func (f *File) picture(o *Object) []byte {
	var b bytes.Buffer
	w := writer{f: f, out: &b, deep: 3}
	for _, name := range pictured {
		if v, ok := o.dict()[name]; ok && !f.isStream(v, o.at) {
			fmt.Fprintf(&b, "/%s ", name)
			w.value(o, v, 0)
		}
	}
	f.work -= b.Len()
	return b.Bytes()
}

func (f *File) isStream(v any, at int) bool {
	r, ok := v.(Ref)
	if !ok {
		return false
	}
	i := f.find(r, at)
	return i >= 0 && f.objects[i].stream
}

// Size is the size that an image's dictionary tells.
func (f *File) Size(im Image) (w, h int) {
	o := &f.objects[im.object]
	return f.integer(o.dict(), o.at, "Width", "W"), f.integer(o.dict(), o.at, "Height", "H")
}

// digest is that of a stream's bytes, kept because many images share a profile.
func (f *File) digest(i int) [32]byte {
	sum, ok := f.digests[i]
	if !ok {
		sum = sha256.Sum256(f.Raw(&f.objects[i]))
		f.digests[i] = sum
	}
	return sum
}
