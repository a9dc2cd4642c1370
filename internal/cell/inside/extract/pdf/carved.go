package pdf

import (
	"context"

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
	bases := make([]int, 0, len(images)) // page numbers
	for _, im := range images {
		if !im.Mask && variants[im.Raw] <= len(w.raw[im.Raw]) {
			continue
		}
		number := 0
		if im.Mask {
			for _, at := range w.raw[images[im.Of].Raw] {
				number = d.tally.Items()[at].Page
			}
		}
		missing, bases = append(missing, im), append(bases, number)
	}
	contents, err := file.Contents(w.unloaded)
	if err != nil || len(missing)+len(contents) == 0 {
		return err
	}
	if d.carved, err = d.e.openVolume(file.Carve(missing, contents)); err != nil {
		return err
	}
	count, err := d.carved.pages()
	if err != nil {
		return err
	}
	w.in = d.carved
	defer d.carved.closePage()
	for i := range count {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := &page{index: i, toPixels: identity}
		if i < len(bases) {
			p.number = bases[i]
		}
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

// plain tells of which streams every image is opaque, so that nobody has to draw one to
// find out.
func plain(images []objects.Image) map[[32]byte]bool {
	out := map[[32]byte]bool{}
	for _, im := range images {
		before, seen := out[im.Raw]
		out[im.Raw] = im.Plain && (before || !seen)
	}
	return out
}
