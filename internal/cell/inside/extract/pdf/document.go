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
	"blotter/internal/cell/inside/extract/pdf/objects"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// Document is an opened PDF. It implements catalogue.Container.
type Document struct {
	*volume
	carved *volume                     // images that no page draws, a page each; nil for none
	form   *references.FPDF_FORMHANDLE // nil where the document has no form
	lim    document.Limits
	tally  *catalogue.Tally
	pages  []page
	assets []asset // beside tally.Items
	extra  document.NotCovered

	file     *objects.File      // to ask whether a stream is all there
	cut      map[[32]byte]error // what it said of those that pages draw, by digest
	attached attached
	listed   int // files that PDFium knows of

	budget  drawings
	streams map[[32]byte]traits // of images, by their digests
	units   map[int]float64     // of pages whose user unit is not a point, points
	made    int                 // Engine.renewed when this was opened
}

// asset says what to decode: a page as rendered, or the first object that places an
// image.
type asset struct {
	in    *volume
	page  int      // of the volume
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
	if n := objects.DeclaredPages(data); n > lim.Pages { // PDFium believes it as well, once all is read
		return nil, reason.Because(reason.ExtractPages, fmt.Errorf("pdf: %d pages declared", n))
	}
	file, err := objects.Read(data, objects.Limits{UnpackedBytes: lim.UnpackedBytes, Filters: lim.Filters})
	if err != nil {
		return nil, err
	}
	v, err := e.openMended(data, file.Update())
	if err != nil {
		return nil, err
	}
	d := &Document{volume: v, lim: lim, tally: catalogue.NewTally(lim), made: e.renewed}
	if err := d.list(ctx, file, data); err != nil {
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

// list walks the pages in order, then what no page shows.
func (d *Document) list(ctx context.Context, file *objects.File, data []byte) error {
	count, err := d.volume.pages()
	if err != nil {
		return err
	}
	if count > d.lim.Pages {
		return reason.Because(reason.ExtractPages, fmt.Errorf("pdf: %d pages", count))
	}
	d.extra = d.beside(data)
	if file.Elsewhere() {
		d.extra |= document.ExternalImages
	}
	d.startForm()
	d.units = file.UserUnits(count)
	d.budget = drawings{pages: file.Drawn(count, d.lim.PageObjects, d.decodes), lim: d.lim}
	d.volume.weigh(d.budget.pages)
	images := file.Images()
	d.file = file
	d.streams = traitsOf(file, images, d.lim.Assets)
	if n := count + len(d.streams); n > d.lim.Assets { // each becomes an asset, on its page or carved out
		return reason.Because(reason.ExtractAssets, fmt.Errorf("pdf: %d pages and pictures", n))
	}
	w := walk{d: d, in: d.volume, known: map[document.Digest]int{}, raw: map[[32]byte][]int{}, left: d.lim.TotalObjects}
	for i := range count {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.addPage(i, &w); err != nil {
			return err
		}
	}
	d.closePage()
	if err := d.addCarved(ctx, file, images, &w); err != nil {
		return err
	}
	d.place(file, &w)
	return d.attach(file)
}

// wrong gives a failed call its code and notes a broken engine.
func (d *Document) wrong(what string, err error) error { return d.e.wrong(what, err) }

// Assets lists pages and images in the document's order.
func (d *Document) Assets() []catalogue.Item { return d.tally.Items() }

// NotCovered tells of attached files that cannot be found, and of properties, outlines, comments and form
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
		if err = d.drawsWhole(&d.pages[a.page]); err == nil {
			img, err = d.render(a.page, item.Width, item.Height)
		}
	} else {
		img, err = d.whole(a)
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
	if d.carved != nil {
		if err := d.carved.close(); err != nil {
			return err
		}
	}
	if d.form != nil {
		if _, err := d.e.pdf.FPDFDOC_ExitFormFillEnvironment(&requests.FPDFDOC_ExitFormFillEnvironment{FormHandle: *d.form}); err != nil {
			return fmt.Errorf("pdf: close form: %w", err)
		}
	}
	return d.volume.close()
}
