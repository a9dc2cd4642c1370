// Package compound opens what lies in compound files: Word, Excel and PowerPoint documents of
// before 2007 (DOC, XLS, PPT), and the objects embedded in office documents of any age.
//
// Pictures are found by their own records wherever they lie, not by who points at them:
// a picture that was deleted or cropped in the document is still in the file. Embedded
// objects, and files in their envelopes, are handed out as documents. Text is not looked
// at; NotCovered says so.
package compound

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"slices"
	"strings"

	"blotter/internal/cell/inside/cfb"
	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// Document is an opened compound file. It implements catalogue.Container and has no
// assets of its own: every picture is opened by who knows its format.
type Document struct {
	lim   document.Limits
	parts []part
	extra document.NotCovered
	spent catalogue.Cost
}

// part is a picture or a document, and where it lies.
type part struct {
	catalogue.Embedded
	src     io.ReaderAt // what at and n count in
	at, n   int64
	wrap    wrapping
	storage *cfb.Node // a storage that becomes a file of its own; src is nil
}

// wrapping is how the bytes of a part lie in their stream.
type wrapping uint8

const (
	plain    wrapping = iota
	deflated          // zlib
	headless          // a bitmap without the header of its file
	photoed           // as photo describes
)

// Open reads the directory of a file of size bytes, of the format DOC, XLS, PPT,
// OLEObject or LockedOffice, and walks its records; nothing is unpacked yet. The error is
// extract.encrypted, extract.malformed, extract.truncated, extract.entry_limit or
// extract.unpacked_limit.
func Open(ctx context.Context, r io.ReaderAt, size int64, f document.Format, lim document.Limits) (*Document, error) {
	root, err := cfb.Open(r, size, lim.Entries)
	if err != nil {
		return nil, coded(err)
	}
	d := &Document{lim: lim, extra: document.OfficeText}
	d.spent.Entries = count(root)
	switch f {
	case document.LockedOffice:
		d.extra = 0
		err = d.unlock(root)
	case document.OLEObject:
		d.extra = 0
		if err = d.locked(root); err == nil {
			err = d.object(ctx, root)
		}
	default:
		if err = d.locked(root); err == nil {
			err = d.office(ctx, root)
		}
	}
	if err != nil {
		return nil, err
	}
	return d, d.judge()
}

// coded gives an error of the container its reason.
func coded(err error) error {
	switch {
	case errors.Is(err, cfb.ErrEntries):
		return reason.Because(reason.ExtractEntries, err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return reason.Because(reason.ExtractTruncated, err)
	case errors.Is(err, cfb.ErrMalformed):
		return reason.Because(reason.ExtractMalformed, err)
	case errors.Is(err, cfb.ErrTooLarge):
		return reason.Because(reason.ExtractUnpacked, err)
	}
	return reason.Because(reason.SourceUnreadable, err)
}

// count is how many entries a storage holds at all depths.
func count(n *cfb.Node) int {
	total := len(n.Children)
	for _, c := range n.Children {
		total += count(c)
	}
	return total
}

// judge adds up what the parts cost.
func (d *Document) judge() error {
	d.spent.Entries = max(d.spent.Entries, len(d.parts))
	for i := range d.parts {
		p := &d.parts[i]
		if p.Withheld != "" {
			continue
		}
		if p.wrap == deflated {
			density := catalogue.Density(p.Size, p.n)
			d.spent.Ratio = max(d.spent.Ratio, density)
			if density > int64(d.lim.Ratio) {
				p.Withheld = reason.ExtractRatio
				continue
			}
		}
		cost := p.Size
		if p.storage != nil {
			cost = fileSize(p.storage)
		}
		if cost > d.lim.UnpackedBytes-d.spent.Unpacked {
			return reason.Because(reason.ExtractUnpacked, errors.New("compound: parts too large"))
		}
		d.spent.Unpacked += cost
	}
	if d.spent.Entries > d.lim.Entries {
		return tooMany()
	}
	return nil
}

func tooMany() error {
	return reason.Because(reason.ExtractEntries, errors.New("compound: too many entries"))
}

// full reports that there are more parts than a document may have: it is refused, and
// looking for more would only cost.
func (d *Document) full() bool { return len(d.parts) > d.lim.Entries }

// fileSize is at least what a storage takes as a file of its own.
func fileSize(n *cfb.Node) int64 {
	const sector = 512
	if !n.Storage {
		return (n.Size+sector-1)/sector*sector + n.Size/16 + sector
	}
	total := int64(4 * sector)
	for _, c := range n.Children {
		total += fileSize(c)
	}
	return total
}

// office goes through a document: its own streams for pictures, its storages for
// objects.
func (d *Document) office(ctx context.Context, root *cfb.Node) error {
	for _, n := range root.Children {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		switch {
		case n.Storage:
			err = d.storage(ctx, n)
		case is(n, "Workbook"), is(n, "Book"):
			err = d.workbook(n)
		case is(n, "PowerPoint Document"):
			err = d.slides(n)
		default:
			err = d.stream(n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func is(n *cfb.Node, name string) bool { return strings.EqualFold(n.Name, name) }

// storage looks at a storage of a document.
func (d *Document) storage(ctx context.Context, n *cfb.Node) error {
	switch {
	case is(n, "ObjectPool"):
		for _, c := range n.Children {
			if c.Storage {
				d.embed(c)
			} else if err := d.stream(c); err != nil { // no object, and no program looks at it
				return err
			}
		}
	case len(n.Name) > 3 && strings.EqualFold(n.Name[:3], "MBD"): // an object of a workbook
		d.embed(n)
	case len(n.Name) > 3 && strings.EqualFold(n.Name[:3], "LNK"), isProgram(n):
		d.extra |= document.EmbeddedFiles
	default:
		if is(n, "MsoDataStore") {
			d.extra |= document.Metadata
		}
		return d.office(ctx, n)
	}
	return nil
}

// isProgram tells macros and what belongs to them.
func isProgram(n *cfb.Node) bool {
	return is(n, "Macros") || is(n, "_VBA_PROJECT_CUR") || is(n, "VBA")
}

// embed hands a storage out as a document.
func (d *Document) embed(n *cfb.Node) {
	if len(n.Children) > 0 {
		d.parts = append(d.parts, part{storage: n})
	}
}

// stream looks for pictures in a stream whose records are not known otherwise.
func (d *Document) stream(n *cfb.Node) error {
	b, err := d.bytes(n)
	if err != nil {
		return err
	}
	if d.beside(n, b) {
		return nil
	}
	found := d.blips(n, b)
	if is(n, "WordDocument") || is(n, "Data") {
		d.oldPictures(n, b, found)
	}
	return nil
}

// bytes reads a stream to look through it. It is never longer than the document.
func (d *Document) bytes(n *cfb.Node) ([]byte, error) {
	b, err := n.Bytes(d.lim.SourceBytes)
	if err != nil {
		return nil, coded(err)
	}
	return b, nil
}

// picture adds a picture of n bytes at an offset.
func (d *Document) picture(src io.ReaderAt, at, n int64, w wrapping) *part {
	d.parts = append(d.parts, part{Embedded: catalogue.Embedded{Picture: true, Size: n}, src: src, at: at, n: n, wrap: w})
	return &d.parts[len(d.parts)-1]
}

// Assets is empty; see Document.
func (d *Document) Assets() []catalogue.Item { return nil }

// Load has nothing to load.
func (d *Document) Load(i int) (image.Image, error) {
	return nil, reason.Because(reason.Internal, fmt.Errorf("compound: no asset %d", i))
}

// Layer returns nil: there are no pages.
func (d *Document) Layer(int) ([]words.Word, error) { return nil, nil }

// Placements returns nil: there are no pages.
func (d *Document) Placements(int) []catalogue.Placement { return nil }

// Embedded lists pictures and documents, stream by stream.
func (d *Document) Embedded() []catalogue.Embedded {
	out := make([]catalogue.Embedded, len(d.parts))
	for i, p := range d.parts {
		out[i] = p.Embedded
	}
	return out
}

// Unpack returns a picture or document; see catalogue.Container.
func (d *Document) Unpack(i int) ([]byte, error) {
	p := d.parts[i]
	if p.Withheld != "" {
		return nil, reason.Because(p.Withheld, errors.New("compound: withheld"))
	}
	if p.storage != nil {
		b, err := p.storage.File(fileSize(p.storage))
		if err != nil {
			return nil, coded(err)
		}
		return b, nil
	}
	b := make([]byte, p.n)
	if n, err := p.src.ReadAt(b, p.at); int64(n) < p.n {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, coded(err)
	}
	switch p.wrap {
	case deflated:
		return inflate(b, p.Size)
	case headless:
		return slices.Concat(bmpHeader(b), b), nil
	case photoed:
		return photoBMP(b), nil
	}
	return b, nil
}

// Spent is what the file took of the limits that documents share.
func (d *Document) Spent() catalogue.Cost { return d.spent }

// NotCovered holds OfficeText for every document; objects have none of their own.
func (d *Document) NotCovered() document.NotCovered { return d.extra }

// Close does nothing: the document holds no resource of its own.
func (d *Document) Close() error { return nil }
