package pdf

import (
	"context"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/cell/inside/extract/pdf/objects"
)

// addCarved lists the images that the file holds and no page draws: masks, those of
// comments and form fields, unused ones, those of earlier revisions; and inline images
// of patterns, glyphs and forms. They are carved out of the file into a document of
// their own, in which each is the only thing on a page.
func (d *Document) addCarved(ctx context.Context, file *objects.File, images []objects.Image, w *walk) error {
	variants := map[[32]byte]int{}
	for _, im := range images {
		variants[im.Raw]++
	}
	var missing []objects.Image
	bases := make([]int, 0, len(images)) // page numbers, those of contents behind them
	for _, im := range images {
		if !im.Mask && variants[im.Raw] <= len(w.raw[im.Raw]) {
			continue
		}
		number := im.Page
		if im.Mask && number == 0 {
			for _, at := range w.raw[images[im.Of].Raw] {
				number = d.tally.Items()[at].Page
			}
		}
		missing, bases = append(missing, im), append(bases, number)
	}
	contents, err := file.Contents(w.unloaded || d.budget.kept, d.lim.PageObjects, d.lim.TotalObjects-d.budget.objects)
	if err != nil || len(missing)+len(contents) == 0 {
		return err
	}
	for _, c := range contents {
		bases = append(bases, file.PageOf(c))
	}
	if d.carved, err = d.e.openVolume(file.Carve(missing, contents)); err != nil {
		return err
	}
	count, err := d.carved.pages()
	if err != nil {
		return err
	}
	d.carved.objects = make([]int64, count)
	for i := len(missing); i < count; i++ { // streams of operators, which were counted
		d.carved.objects[i] = d.lim.PageObjects
	}
	w.in = d.carved
	defer d.carved.closePage()
	for i := range min(count, len(bases)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := &page{index: i, number: bases[i], toPixels: identity}
		ref, err := d.carved.openPage(i)
		if d.e.broken {
			return err
		}
		if err != nil {
			continue // PDFium finds nothing there that could be drawn
		}
		w.cur = p
		if err := w.objects(ref); err != nil {
			return err
		}
	}
	return nil
}

// place notes where comments draw images.
func (d *Document) place(file *objects.File, w *walk) {
	opened := func(page int) bool { return d.pages[page].w > 0 }
	for _, s := range file.Stamps(len(d.pages), opened) {
		same := w.raw[s.Raw]
		if len(same) != 1 { // of several pictures made of these bytes, which one is not known
			continue
		}
		p, pic := &d.pages[s.Page], d.assets[same[0]].image
		if pic.w > 0 && pic.h > 0 {
			p.placements = append(p.placements, catalogue.Placement{Image: same[0], ToPage: pic.square().then(s.To).then(p.toPixels)})
		}
	}
}

// traits are what the file's dictionaries tell of the images made of one stream.
type traits struct {
	plain   bool            // every one is opaque, so that nobody has to draw one to find out
	through bool            // every one has a mask or is one, so that nobody has to draw it small first
	wide    bool            // decoding one takes more memory than its pixels
	once    bool            // one picture alone is made of it, and is no other's mask
	stencil bool            // every one is
	pixels  *objects.Pixels // how it holds these; nil where that is not simple
}

// traitsOf looks at the dictionaries of all images, by the digests of their streams. How
// pixels are held is read for as many images as a document may have.
func traitsOf(file *objects.File, images []objects.Image, most int) map[[32]byte]traits {
	out := map[[32]byte]traits{}
	for _, im := range images {
		s, more := out[im.Raw]
		t := traits{
			plain:   im.Plain && (s.plain || !more),
			through: !im.Plain && (s.through || !more),
			wide:    im.Wide || s.wide,
			once:    !more && !im.Mask,
			stencil: im.Stencil && (s.stencil || !more),
		}
		if !more && len(out) < most {
			t.pixels = file.Pixels(im)
		}
		out[im.Raw] = t
	}
	return out
}
