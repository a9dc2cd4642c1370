// Package extract opens a document and hands out its images, one at a time. Every
// limit is checked from headers before the cost is paid; an asset that cannot be
// trusted is withheld with a reason and keeps its place, a container over a limit is
// refused as a whole. It finds no text of its own and judges none.
package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/cell/inside/extract/compound"
	"blotter/internal/cell/inside/extract/flat"
	"blotter/internal/cell/inside/extract/heif"
	"blotter/internal/cell/inside/extract/mail"
	"blotter/internal/cell/inside/extract/metafile"
	"blotter/internal/cell/inside/extract/office"
	"blotter/internal/cell/inside/extract/pdf"
	"blotter/internal/cell/inside/extract/raster"
	"blotter/internal/cell/inside/extract/rtf"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// What an opened document is made of; see package catalogue for the contracts.
type (
	Item      = catalogue.Item
	Placement = catalogue.Placement
	Source    = catalogue.Source
)

// Engines are the decoders that need a start, which run as WebAssembly: PDFium, libheif
// and libavif. The zero value opens everything but PDF, and withholds the rasters that
// only they can decode.
type Engines struct {
	pdf  *pdf.Engine
	heif *heif.Engine
}

// LoadEngines starts the engines. cacheDir is wazero's
// compilation cache and may be read-only and named through /proc/self/fd/N; a cold
// cache is filled where it can be written. Nothing is compiled, opened or mapped as
// code after it returns, so that the cell may lock itself.
func LoadEngines(cacheDir string) (Engines, error) {
	var e Engines
	var err error
	if e.pdf, err = pdf.Start(cacheDir); err == nil {
		e.heif, err = heif.Start(cacheDir)
	}
	if err != nil {
		return Engines{}, reason.Because(reason.CellEngines, errors.Join(err, e.Close()))
	}
	return e, nil
}

// Close stops the engines. A cell that ends with its document need not call it.
func (e Engines) Close() (err error) {
	if e.pdf != nil {
		err = e.pdf.Close()
	}
	if e.heif != nil {
		err = errors.Join(err, e.heif.Close())
	}
	return err
}

// Open reads the headers of a document of size bytes whose format sniff found, and of
// the documents within it, which tell names (nil: none within is opened). ctx is looked
// at between steps; a decoder that hangs is stopped from outside, by
// killing the process. One document at a time may be open per Engines. The error
// carries a reason code: extract.malformed, extract.encrypted, or that of the limit
// which the whole document breaks.
func Open(ctx context.Context, r io.ReaderAt, size int64, f document.Format, lim document.Limits, e Engines, tell Tell) (Source, error) {
	if tell == nil {
		tell = func(io.ReaderAt, int64) (document.Format, error) {
			return document.UnknownFormat, reason.Because(reason.SniffUnsupported, errors.New("extract: nothing within is opened"))
		}
	}
	as := opening{r, size, f, lim}
	root, err := open(ctx, as, e)
	if err != nil {
		return nil, err
	}
	return nested(ctx, root, as, e, tell)
}

// open opens one document, those within not included.
func open(ctx context.Context, as opening, e Engines) (Source, error) {
	r, size, f, lim := as.r, as.size, as.format, as.lim
	switch {
	case f.IsRaster():
		return source(raster.Open(ctx, r, size, f, lim, e.foreign()))
	case f.IsOffice():
		return source(office.Open(ctx, r, size, f, lim, e.foreign()))
	case f.IsFlat():
		return source(openFlat(ctx, as, e))
	case f.IsCompound():
		return source(compound.Open(ctx, r, size, f, lim))
	case f.IsMetafile():
		return source(openMetafile(ctx, as, e))
	case f == document.RTF:
		return source(rtf.Open(ctx, r, size, lim))
	case f == document.EML:
		return source(mail.Open(ctx, r, size, lim))
	case f == document.MSG:
		return source(mail.OpenOutlook(ctx, r, size, lim))
	case f == document.TNEF:
		return source(mail.OpenTNEF(ctx, r, size, lim))
	case f == document.CMS:
		return source(mail.OpenSigned(ctx, r, size, lim))
	case f == document.ZIP:
		return source(office.OpenArchive(ctx, r, size, lim))
	case f == document.PDF:
		if e.pdf == nil {
			return nil, reason.Because(reason.CellEngines, fmt.Errorf("extract: PDFium was not started"))
		}
		return source(pdf.Open(ctx, r, size, lim, e.pdf))
	}
	return nil, reason.Because(reason.SniffUnsupported, fmt.Errorf("extract: format %v is not opened", f))
}

// openFlat opens the package that a document written as one XML file amounts to.
func openFlat(ctx context.Context, as opening, e Engines) (*office.Document, error) {
	b, f, err := flat.Package(ctx, as.r, as.size, as.format, as.lim)
	if err != nil {
		return nil, err
	}
	return office.Open(ctx, bytes.NewReader(b), int64(len(b)), f, as.lim, e.foreign())
}

// openMetafile reads a metafile into memory; it is within the limit on documents.
func openMetafile(ctx context.Context, as opening, e Engines) (*metafile.File, error) {
	data := make([]byte, as.size)
	if _, err := as.r.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, reason.Because(reason.SourceUnreadable, err)
	}
	return metafile.Open(ctx, data, as.format, as.lim, e.foreign())
}

// Spent is what the containers of an opened document took of the limits that they share,
// those within included.
func Spent(s Source) catalogue.Cost {
	if c, ok := s.(interface{ Spent() catalogue.Cost }); ok {
		return c.Spent()
	}
	return catalogue.Cost{}
}

// foreign is what decodes for rasters where Go's decoders do not; nil without engines.
func (e Engines) foreign() raster.Foreign {
	if e.pdf == nil || e.heif == nil {
		return nil
	}
	return decoders{e.pdf, e.heif}
}

// decoders are those of all engines.
type decoders struct {
	*pdf.Engine
	heif *heif.Engine
}

// DecodeHEVC decodes a file of one picture in HEVC.
func (d decoders) DecodeHEVC(file []byte, w, h int) (image.Image, error) {
	return d.heif.HEVC(file, w, h)
}

// DecodeAV1 decodes a file of n pictures in AV1.
func (d decoders) DecodeAV1(file []byte, w, h, n int) ([]*image.RGBA, error) {
	return d.heif.AV1(file, w, h, n)
}

// source keeps a nil pointer from becoming a Source that is not nil.
func source[S Source](s S, err error) (Source, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}
