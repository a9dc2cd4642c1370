package pdf

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// Document is an opened PDF. It implements catalogue.Source.
type Document struct {
	e      *Engine
	ref    references.FPDF_DOCUMENT
	form   *references.FPDF_FORMHANDLE // nil where the document has no form
	lim    document.Limits
	tally  *catalogue.Tally
	pages  []page
	assets []asset // beside tally.Items
	extra  document.NotCovered

	made    int // Engine.renewed when this was opened
	open    int // index of the page held open, -1 for none
	openRef references.FPDF_PAGE
}

// asset says what to decode: a page as rendered, or the first object that places an
// image.
type asset struct {
	page  int
	image *picture // nil for a page
}

// Open loads a PDF of size bytes into PDFium's memory, and lists its pages and images
// without decoding them. The error is extract.encrypted where it needs a password or
// a certificate, extract.malformed where PDFium finds no document,
// extract.page_limit, extract.asset_limit, extract.total_pixel_limit or
// extract.entry_limit where it breaks a limit as a whole.
func Open(ctx context.Context, r io.ReaderAt, size int64, lim document.Limits, e *Engine) (*Document, error) {
	if err := e.renew(); err != nil {
		return nil, reason.Because(reason.CellEngines, err)
	}
	data := make([]byte, size)
	if _, err := r.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, reason.Because(reason.SourceUnreadable, err)
	}
	res, err := e.pdf.OpenDocument(&requests.OpenDocument{File: &data})
	if err != nil {
		e.failed(err)
		return nil, openError(err)
	}
	d := &Document{e: e, ref: res.Document, lim: lim, tally: catalogue.NewTally(lim), made: e.renewed, open: -1}
	if err := d.list(ctx, data); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func openError(err error) error {
	if errors.Is(err, pdfiumerrors.ErrPassword) || errors.Is(err, pdfiumerrors.ErrSecurity) {
		return reason.Because(reason.ExtractEncrypted, err)
	}
	return reason.Because(reason.ExtractMalformed, fmt.Errorf("pdf: open: %w", err))
}

// list walks the pages in order.
func (d *Document) list(ctx context.Context, data []byte) error {
	count, err := d.e.pdf.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: d.ref})
	if err != nil {
		return d.wrong("count pages", err)
	}
	if count.PageCount > d.lim.Pages {
		return reason.Because(reason.ExtractPages, fmt.Errorf("pdf: %d pages", count.PageCount))
	}
	d.extra = d.beside(data)
	d.startForm()
	w := walk{d: d, known: map[document.Digest]int{}, left: maxObjects}
	for i := range count.PageCount {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.addPage(i, &w); err != nil {
			return err
		}
	}
	d.closePage()
	return nil
}

// wrong gives a failed call its code and notes a broken engine.
func (d *Document) wrong(what string, err error) error {
	d.e.failed(err)
	return reason.Because(reason.ExtractMalformed, fmt.Errorf("pdf: %s: %w", what, err))
}

// Assets lists pages and images in the document's order.
func (d *Document) Assets() []catalogue.Item { return d.tally.Items() }

// NotCovered tells of attached files, and of properties, outlines, comments and form
// data.
func (d *Document) NotCovered() document.NotCovered { return d.extra }

// Placements lists the images drawn on a page asset.
func (d *Document) Placements(i int) []catalogue.Placement {
	a, err := d.asset(i)
	if err != nil || a.image != nil {
		return nil
	}
	p := &d.pages[a.page]
	d.settleAlone(p)
	return p.placements
}

// Load renders a page or decodes an image; see catalogue.Source.
func (d *Document) Load(i int) (image.Image, error) {
	a, err := d.asset(i)
	if err != nil {
		return nil, err
	}
	item := d.tally.Items()[i]
	if item.Withheld != "" {
		return nil, reason.Because(item.Withheld, errors.New("pdf: the asset is withheld"))
	}
	var img image.Image
	if a.image == nil {
		img, err = d.render(a.page, item.Width, item.Height)
	} else {
		img, err = d.decode(a)
	}
	if err != nil {
		return nil, err
	}
	if b := img.Bounds(); b.Dx() != item.Width || b.Dy() != item.Height {
		return nil, reason.Because(reason.ExtractSizeLies, fmt.Errorf("pdf: decoded to %d×%d", b.Dx(), b.Dy()))
	}
	return img, nil
}

func (d *Document) asset(i int) (asset, error) {
	if i < 0 || i >= len(d.assets) {
		return asset{}, reason.Because(reason.Internal, fmt.Errorf("pdf: no asset %d", i))
	}
	if d.gone() {
		return asset{}, reason.Because(reason.ExtractMalformed, errors.New("pdf: an earlier asset broke the decoder"))
	}
	return d.assets[i], nil
}

// Gone reports that the instance which holds the document broke or was replaced.
func (d *Document) Gone() bool { return d.gone() }

func (d *Document) gone() bool { return d.e.broken || d.made != d.e.renewed }

// Close frees the document.
func (d *Document) Close() error {
	if d.gone() {
		return nil // its memory went with the instance
	}
	d.closePage()
	if d.form != nil {
		if _, err := d.e.pdf.FPDFDOC_ExitFormFillEnvironment(&requests.FPDFDOC_ExitFormFillEnvironment{FormHandle: *d.form}); err != nil {
			return fmt.Errorf("pdf: close form: %w", err)
		}
	}
	if _, err := d.e.pdf.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: d.ref}); err != nil {
		return fmt.Errorf("pdf: close: %w", err)
	}
	return nil
}

// openPage parses a page and holds it open until another is asked for, because
// documents have hundreds of images on one page.
func (d *Document) openPage(i int) (requests.Page, error) {
	if d.open == i {
		return requests.Page{ByReference: &d.openRef}, nil
	}
	d.closePage()
	res, err := d.e.pdf.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: d.ref, Index: i})
	if err != nil {
		return requests.Page{}, d.wrong("load page", err)
	}
	d.open, d.openRef = i, res.Page
	return requests.Page{ByReference: &d.openRef}, nil
}

func (d *Document) closePage() {
	if d.open < 0 || d.e.broken {
		return
	}
	d.open = -1
	if _, err := d.e.pdf.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: d.openRef}); err != nil {
		d.e.failed(err)
	}
}
