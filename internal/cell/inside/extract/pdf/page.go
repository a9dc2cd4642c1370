package pdf

import (
	"errors"
	"fmt"
	"image"
	"math"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// leastDPI is the lowest resolution at which a page too large for the pixel limit is
// still rendered: below it 8-point text is under 9 pixels high, and neither detector
// nor recogniser sees it.
const leastDPI = 72

// page is what listing learned of a page.
type page struct {
	index      int
	number     int    // 1-based; 0 for one that only stands for what no page draws
	toPixels   matrix // user space → pixels of its asset
	w, h       int
	placements []catalogue.Placement
	single     *picture // the one thing drawn, where it fills the page; else nil
	settled    bool     // placements tell whether it is alone
}

// addPage lists a page and the images first met on it. A page that cannot be parsed
// or walked is withheld and keeps its place; the error refuses the document.
func (d *Document) addPage(i int, w *walk) error {
	p := page{index: i, number: i + 1}
	item := catalogue.Item{Asset: document.Asset{Kind: document.Page, Page: i + 1, Format: document.PDF}}
	if item.Withheld = d.budget.judge(i, d.unit(i)); item.Withheld != "" {
		d.size(i, &item)
		d.pages = append(d.pages, p)
		d.assets = append(d.assets, asset{in: d.volume, page: i})
		return d.tally.Add(item)
	}
	ref, unopened := d.openPage(i)
	err := unopened
	if err == nil {
		err = d.measure(ref, &p, &item)
	}
	if d.e.broken {
		return err
	}
	if err != nil {
		item.Withheld = reason.Of(err)
	}
	at := len(d.assets)
	d.pages = append(d.pages, p)
	d.assets = append(d.assets, asset{in: d.volume, page: i})
	if err := d.tally.Add(item); err != nil || unopened != nil {
		return err
	}
	err = w.page(ref, &d.pages[i], at)
	if reason.Of(err) == reason.ExtractMalformed && !d.e.broken {
		d.tally.Items()[at].Withheld = reason.ExtractMalformed
		return nil
	}
	return err
}

// measure finds the size at which a page is rendered: its box at PageDPI, or less
// where that would be more pixels than an asset may have.
func (d *Document) measure(ref requests.Page, p *page, item *catalogue.Item) error {
	box, err := d.e.pdf.FPDF_GetPageBoundingBox(&requests.FPDF_GetPageBoundingBox{Page: ref})
	if err != nil {
		return d.wrong("page box", err)
	}
	turn, err := d.e.pdf.FPDFPage_GetRotation(&requests.FPDFPage_GetRotation{Page: ref})
	if err != nil {
		return d.wrong("page rotation", err)
	}
	wide, high := float64(box.Rect.Right-box.Rect.Left), float64(box.Rect.Top-box.Rect.Bottom) // points
	wide, high = wide*d.unit(p.index), high*d.unit(p.index)                                    // PDFium takes every unit for a point
	if !(wide > 0 && high > 0 && wide < 1e6 && high < 1e6) {
		return reason.Because(reason.ExtractMalformed, fmt.Errorf("pdf: page of %g×%g points", wide, high))
	}
	turns := int(turn.PageRotation)
	if turns%2 == 1 {
		wide, high = high, wide
	}
	dpi := fitDPI(wide, high, d.lim)
	item.DPI = int(dpi)
	item.Width, item.Height = pixels(wide, dpi), pixels(high, dpi)
	if dpi < leastDPI && dpi < float64(d.lim.PageDPI) {
		item.Withheld = reason.ExtractPixels
	}
	p.w, p.h = item.Width, item.Height
	p.toPixels = toPixels(box.Rect, turns, p.w, p.h)
	return nil
}

func pixels(points, dpi float64) int { return max(1, int(math.Ceil(points*dpi/72-1e-6))) }

// fitDPI lowers PageDPI, by whole dots, until a page of wide×high points fits
// AssetPixels.
func fitDPI(wide, high float64, lim document.Limits) float64 {
	dpi := float64(lim.PageDPI)
	fits := func() bool { return int64(pixels(wide, dpi))*int64(pixels(high, dpi)) <= lim.AssetPixels }
	if fits() {
		return dpi
	}
	dpi = math.Min(dpi, math.Ceil(72*math.Sqrt(float64(lim.AssetPixels)/(wide*high))))
	for dpi > 1 && !fits() {
		dpi--
	}
	return dpi
}

// render draws a page with its annotations and form fields on white.
func (d *Document) render(i, w, h int) (image.Image, error) {
	if d.changed {
		d.closePage()
	}
	ref, err := d.openPage(i)
	if err != nil {
		return nil, err
	}
	defer d.closePage() // with it goes PDFium's cache of the page's images
	res, err := d.e.pdf.FPDFBitmap_CreateEx(&requests.FPDFBitmap_CreateEx{
		Width: w, Height: h, Format: enums.FPDF_BITMAP_FORMAT_BGRX, Pointer: uint64(0)})
	if err != nil {
		return nil, d.wrong("page bitmap", err)
	}
	b := bitmap{d: d, ref: res.Bitmap}
	defer b.free()
	if err := b.size(); err != nil {
		return nil, d.wrong("page bitmap", err)
	}
	if b.w != w || b.h != h {
		return nil, d.wrong("page bitmap", errors.New("of another size than asked for"))
	}
	if _, err := d.e.pdf.FPDFBitmap_FillRect(&requests.FPDFBitmap_FillRect{Bitmap: b.ref, Width: w, Height: h, Color: 0xffffffff}); err != nil {
		return nil, d.wrong("page background", err)
	}
	if _, err := d.e.pdf.FPDF_RenderPageBitmap(&requests.FPDF_RenderPageBitmap{
		Bitmap: b.ref, Page: ref, SizeX: w, SizeY: h, Flags: enums.FPDF_RENDER_FLAG_ANNOT}); err != nil {
		return nil, d.wrong("render page", err)
	}
	if d.form != nil {
		if _, err := d.e.pdf.FPDF_FFLDraw(&requests.FPDF_FFLDraw{FormHandle: *d.form,
			Bitmap: b.ref, Page: ref, SizeX: w, SizeY: h, Flags: enums.FPDF_RENDER_FLAG_ANNOT}); err != nil {
			return nil, d.wrong("draw form", err)
		}
	}
	return b.image()
}
