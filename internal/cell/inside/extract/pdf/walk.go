package pdf

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/cell/inside/extract/pdf/objects"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// maxDepth bounds forms within forms; PDFium itself stops a little deeper.
const maxDepth = 24

// walk finds the images of all pages. An image placed again is known by the digest of
// what makes its pixels.
type walk struct {
	d     *Document
	in    *volume
	known map[document.Digest]int // asset index
	raw   map[[32]byte][]int      // assets by their streams as they stand
	left  int64                   // objects that may still be looked at; they were counted before, by another reader
	cur   *page
	at    int // asset index of cur
	drawn int // objects of cur that put ink down
	last  found

	unloaded bool // some image did not decode
}

// found is the image object met last on a page.
type found struct {
	pic   *picture
	plain bool // no clip, no transparency on the way to it
}

// page walks one page. Rendering it decodes its images, so that one which costs more than
// an asset may withholds the page with it. A fax or a mask of one bit a pixel is weighed
// by its bytes there: its many pixels are no reason to withhold the page, and never make
// the page's picture larger.
func (w *walk) page(ref requests.Page, p *page, at int) error {
	w.cur, w.at, w.drawn, w.last = p, at, 0, found{}
	if err := w.objects(ref); err != nil {
		return err
	}
	return w.judgePage(ref)
}

// objects looks at every object of a page.
func (w *walk) objects(ref requests.Page) error {
	count, err := w.d.e.pdf.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: ref})
	if err != nil {
		return w.d.wrong("count objects", err)
	}
	for i := range count.Count {
		obj, err := w.d.e.pdf.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: ref, Index: i})
		if err != nil {
			return w.d.wrong("page object", err)
		}
		if err := w.object(ref, obj.PageObject, []int{i}, identity, true); err != nil {
			return err
		}
	}
	return nil
}

// judgePage looks for comments and decides whether the page shows one image alone.
func (w *walk) judgePage(ref requests.Page) error {
	notes, err := w.d.e.pdf.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: ref})
	if err != nil {
		return w.d.wrong("count annotations", err)
	}
	if notes.Count > 0 {
		w.d.extra |= document.Metadata
	}
	if notes.Count == 0 && w.drawn == 1 && len(w.cur.placements) == 1 && w.last.plain && w.cur.filledBy(w.cur.placements[0].ToPage, w.last.pic) {
		w.cur.single = w.last.pic
	}
	items := w.d.tally.Items()
	for _, pl := range w.cur.placements {
		code := items[pl.Image].Withheld
		if code == "" || code == reason.ExtractPixels { // others are not decoded
			items[w.at].Drawn = max(items[w.at].Drawn, w.d.assets[pl.Image].image.drawn())
		}
		heavy := code == reason.ExtractEncoding || code == reason.ExtractMemory || code == reason.ExtractPixels && !w.d.assets[pl.Image].image.light(w.d.lim.AssetPixels)
		if heavy && items[w.at].Withheld == "" {
			items[w.at].Withheld = code
		}
	}
	return nil
}

// filledBy reports whether an image lies upright and exactly on the page, to a pixel
// and a half.
func (p *page) filledBy(m matrix, pic *picture) bool {
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1.5 }
	x0, y0 := m.apply(0, 0)
	x1, y1 := m.apply(float64(pic.w), float64(pic.h))
	return m[1] == 0 && m[2] == 0 && near(x0, 0) && near(y0, 0) && near(x1, float64(p.w)) && near(y1, float64(p.h))
}

// object looks at one object; up maps its space to the page's.
func (w *walk) object(ref requests.Page, obj references.FPDF_PAGEOBJECT, path []int, up matrix, plain bool) error {
	if w.left--; w.left < 0 {
		return reason.Because(reason.ExtractObjects, errors.New("pdf: more objects than were counted"))
	}
	kind, err := w.d.e.pdf.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: obj})
	if err != nil {
		return w.d.wrong("object type", err)
	}
	switch kind.Type {
	case enums.FPDF_PAGEOBJ_IMAGE:
		w.drawn++
		return w.image(ref, obj, path, up, plain && w.plain(obj))
	case enums.FPDF_PAGEOBJ_FORM:
		return w.nested(ref, obj, path, up, plain && w.plain(obj))
	case enums.FPDF_PAGEOBJ_TEXT:
		mode, err := w.d.e.pdf.FPDFTextObj_GetTextRenderMode(&requests.FPDFTextObj_GetTextRenderMode{PageObject: obj})
		if err == nil && mode.TextRenderMode == enums.FPDF_TEXTRENDERMODE_INVISIBLE {
			return nil
		}
	}
	w.drawn++
	return nil
}

// plain reports that an object is drawn whole and opaque.
func (w *walk) plain(obj references.FPDF_PAGEOBJECT) bool {
	t, err := w.d.e.pdf.FPDFPageObj_HasTransparency(&requests.FPDFPageObj_HasTransparency{PageObject: obj})
	if err != nil || t.HasTransparency {
		return false
	}
	clip, err := w.d.e.pdf.FPDFPageObj_GetClipPath(&requests.FPDFPageObj_GetClipPath{PageObject: obj})
	if err != nil {
		return true // it has none
	}
	n, err := w.d.e.pdf.FPDFClipPath_CountPaths(&requests.FPDFClipPath_CountPaths{ClipPath: clip.ClipPath})
	return err != nil || n.Count <= 0
}

func (w *walk) nested(ref requests.Page, form references.FPDF_PAGEOBJECT, path []int, up matrix, plain bool) error {
	if len(path) > maxDepth {
		return reason.Because(reason.ExtractObjects, errors.New("pdf: forms nested too deep"))
	}
	m, err := w.d.e.pdf.FPDFPageObj_GetMatrix(&requests.FPDFPageObj_GetMatrix{PageObject: form})
	if err != nil {
		return w.d.wrong("form matrix", err)
	}
	count, err := w.d.e.pdf.FPDFFormObj_CountObjects(&requests.FPDFFormObj_CountObjects{PageObject: form})
	if err != nil {
		return nil //nolint:nilerr // PDFium counts −1, which the library calls an error, in a form without objects
	}
	up = matrixOf(m.Matrix).then(up)
	for i := range count.Count {
		obj, err := w.d.e.pdf.FPDFFormObj_GetObject(&requests.FPDFFormObj_GetObject{PageObject: form, Index: uint64(i)})
		if err != nil {
			return w.d.wrong("form object", err)
		}
		at := append(append(make([]int, 0, len(path)+1), path...), i)
		if err := w.object(ref, obj.PageObject, at, up, plain); err != nil {
			return err
		}
	}
	return nil
}

// image lists an image unless it is known, and notes where it is placed.
func (w *walk) image(ref requests.Page, obj references.FPDF_PAGEOBJECT, path []int, up matrix, plain bool) error {
	pic, key, err := w.d.look(ref, obj)
	if err != nil {
		return err
	}
	pic.path = path
	if w.replaces(pic) {
		return nil
	}
	w.unloaded = w.unloaded || pic.unloaded
	at, seen := w.known[key]
	if !seen {
		at = len(w.d.assets)
		w.known[key] = at
		w.d.assets = append(w.d.assets, asset{in: w.in, page: w.cur.index, image: pic})
		w.raw[pic.raw] = append(w.raw[pic.raw], at)
		err := w.d.tally.Add(catalogue.Item{Withheld: pic.withheld, Bits: pic.depth, Channels: pic.channels, PixelBytes: pic.cost, Asset: document.Asset{
			Kind: document.Image, Page: w.cur.number, Format: pic.format, Width: pic.w, Height: pic.h, DPI: pic.dpi}})
		if err != nil {
			return err
		}
	}
	m, err := w.d.e.pdf.FPDFPageObj_GetMatrix(&requests.FPDFPageObj_GetMatrix{PageObject: obj})
	if err != nil {
		return w.d.wrong("image matrix", err)
	}
	w.last = found{pic: w.d.assets[at].image, plain: plain}
	if pic.w <= 0 || pic.h <= 0 {
		return nil
	}
	w.cur.placements = append(w.cur.placements, catalogue.Placement{
		Image: at, ToPage: pic.square().then(matrixOf(m.Matrix)).then(up).then(w.cur.toPixels)})
	return nil
}

// replaces puts an image that was carved out in the place of one that PDFium drew on
// its page but would not decode.
func (w *walk) replaces(pic *picture) bool {
	if w.in != w.d.carved || pic.unloaded {
		return false
	}
	for _, at := range w.raw[pic.raw] {
		if a := &w.d.assets[at]; a.image.unloaded && a.image.w == pic.w && a.image.h == pic.h {
			*a = asset{in: w.in, page: w.cur.index, image: pic}
			return true
		}
	}
	return false
}

// picture is an embedded image from its headers.
type picture struct {
	path     []int // object indexes from the page through its forms
	w, h     int
	dpi      int
	bits     int // of a pixel as PDFium decodes it; 0 where it does not tell
	depth    int // bits of a channel as stored; 0 where it is not known
	channels int // as stored
	cost     int // bytes that decoding takes for each pixel at most; 0: what is usual
	format   document.Format
	raw      [32]byte        // digest of the stream as it stands, without the line breaks around
	unloaded bool            // small enough to be decoded when it was listed, and did not
	own      *objects.Pixels // how to unpack it without PDFium; nil where only that can
	withheld reason.Code
}

// square maps pixels to the unit square, y upwards, which is an image's own space.
func (p *picture) square() matrix {
	return matrix{1 / float64(p.w), 0, 0, -1 / float64(p.h), 0, 1}
}

// maskedBytes is what decoding an image with a mask takes for each pixel at most, in a page
// and by itself: 14 were measured.
const maskedBytes = 16

// light reports that an image of one bit a pixel takes no more memory than a bitmap of
// so many pixels, four bytes each.
func (p *picture) light(pixels int64) bool {
	return p.bits == 1 && int64(p.w)*int64(p.h)/8 <= 4*pixels
}

// drawn is how many bytes PDFium takes at most for the image while it draws a page: those
// of decoding it, or a quarter of a byte for a pixel of one bit, which it never spreads out.
func (p *picture) drawn() int64 {
	const usual, most = 8, math.MaxInt64 >> 8
	pixels := min(int64(p.w)*int64(p.h), most)
	if p.bits == 1 {
		return pixels / 4
	}
	return pixels * int64(max(usual, p.cost))
}

// smallPixels is up to which size an image's pixels are part of what it is known by,
// where its stream makes more than one picture or is not known as an object: equal bytes
// under another colour space or Decode array are another picture. Larger ones are told
// apart by their bytes and what PDFium says of their colours.
const smallPixels = 1 << 18

// look reads an image's headers and the key it is known by.
func (d *Document) look(ref requests.Page, obj references.FPDF_PAGEOBJECT) (*picture, document.Digest, error) {
	pic := &picture{format: document.RawPixels}
	size, err := d.e.pdf.FPDFImageObj_GetImagePixelSize(&requests.FPDFImageObj_GetImagePixelSize{ImageObject: obj})
	if err != nil {
		if d.e.failed(err); d.e.broken {
			return nil, document.Digest{}, d.wrong("image size", err)
		}
		pic.withheld = reason.ExtractMalformed
		return pic, document.Sum(fmt.Append(nil, "unreadable", len(d.assets))), nil
	}
	pic.w, pic.h = int(min(size.Width, math.MaxInt32)), int(min(size.Height, math.MaxInt32))
	h := sha256.New()
	filters := d.filters(obj)
	fmt.Fprint(h, filters, pic.w, pic.h)
	pic.dpi = d.density(obj, pic.w)
	raw, err := d.e.pdf.FPDFImageObj_GetImageDataRaw(&requests.FPDFImageObj_GetImageDataRaw{ImageObject: obj})
	if err == nil {
		pic.raw = objects.RawDigest(raw.Data)
		h.Write(pic.raw[:])
		if d.streams[pic.raw].wide { // asked for more, PDFium makes ready to decode
			pic.withheld = reason.ExtractMemory
			return pic, document.Digest(h.Sum(nil)), nil
		}
		pic.inspect(raw.Data, filters)
		if t, known := d.streams[pic.raw]; known && !t.plain && !t.stencil {
			pic.cost = max(pic.cost, maskedBytes)
		}
	}
	space := enums.FPDF_COLORSPACE_UNKNOWN
	if pic.format != document.JPEG2000 || !d.streams[pic.raw].once && pic.withheld == "" && int64(pic.w)*int64(pic.h) <= d.lim.AssetPixels {
		space = d.colours(ref, obj, pic, h)
	}
	if own := d.streams[pic.raw].pixels; pic.agrees(own, space, filters) {
		pic.own = own
	}
	if pic.withheld == "" && int64(pic.w)*int64(pic.h) <= smallPixels && !d.streams[pic.raw].once {
		pic.unloaded = !d.addPixels(h, obj)
	}
	if d.e.broken {
		return nil, document.Digest{}, reason.Because(reason.ExtractMalformed, errors.New("pdf: image headers"))
	}
	return pic, document.Digest(h.Sum(nil)), nil
}

// colours asks PDFium for the bits and the colour space, which are part of what an image
// is known by. It decodes all of a JPEG 2000 stream to tell.
func (d *Document) colours(ref requests.Page, obj references.FPDF_PAGEOBJECT, pic *picture, h io.Writer) enums.FPDF_COLORSPACE {
	res, err := d.e.pdf.FPDFImageObj_GetImageMetadata(&requests.FPDFImageObj_GetImageMetadata{ImageObject: obj, Page: ref})
	if err != nil {
		d.e.failed(err)
		return enums.FPDF_COLORSPACE_UNKNOWN
	}
	meta := res.ImageMetadata
	pic.bits = int(min(meta.BitsPerPixel, 128)) //nolint:gosec // bounded
	pic.depth, pic.channels = stored(int(meta.BitsPerPixel), meta.Colorspace)
	fmt.Fprint(h, meta.BitsPerPixel, meta.Colorspace)
	return meta.Colorspace
}

// density is the dots per inch of an image w pixels wide, where it is drawn first.
func (d *Document) density(obj references.FPDF_PAGEOBJECT, w int) int {
	m, err := d.e.pdf.FPDFPageObj_GetMatrix(&requests.FPDFPageObj_GetMatrix{PageObject: obj})
	if err != nil {
		d.e.failed(err)
		return 0
	}
	inches := math.Abs(float64(m.Matrix.A))/72 + math.Abs(float64(m.Matrix.C))/72
	if dpi := float64(w)/inches + 0.5; dpi < 20_000 {
		return int(dpi)
	}
	return 20_000
}

func (d *Document) filters(obj references.FPDF_PAGEOBJECT) []string {
	n, err := d.e.pdf.FPDFImageObj_GetImageFilterCount(&requests.FPDFImageObj_GetImageFilterCount{ImageObject: obj})
	if err != nil {
		return nil
	}
	var out []string
	for i := range n.Count {
		f, err := d.e.pdf.FPDFImageObj_GetImageFilter(&requests.FPDFImageObj_GetImageFilter{ImageObject: obj, Index: i})
		if err != nil {
			return out
		}
		out = append(out, f.ImageFilter)
	}
	return out
}
