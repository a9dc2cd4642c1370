// Package office opens the pictures of Word, PowerPoint and Excel documents (DOCX,
// PPTX, XLSX), of XPS, and of OpenDocument (ODT, ODS, ODP and their like). Each is a ZIP archive of parts; every part that is a picture by its first
// bytes, or that a relationship calls a picture, is an asset, wherever it is used: body,
// header, footer, slide, layout, master, sheet, background, group, text box, VML shape,
// preview of an attachment, picture beside a chart. An asset is the whole picture, also
// where the document shows a part of it. Text and drawings are not rendered here;
// NotCovered says so.
package office

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"sort"
	"strings"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/cell/inside/extract/raster"
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// Document is an opened package. It implements catalogue.Container.
type Document struct {
	ctx      context.Context
	foreign  raster.Foreign
	lim      document.Limits
	tally    *catalogue.Tally
	assets   []picture
	extra    document.NotCovered
	within   []within
	inShapes []within // they come last
	spent    catalogue.Cost
	playing  playing
}

// within is a part that is a document of its own, or a picture that is opened like one.
type within struct {
	part    *zip.File
	picture bool
	packed  int64  // bytes of a part that is packed once more, unpacked; else 0
	made    []byte // instead of a part: what stood in one as letters
}

// playing is the part of several frames that is being read one by one: an animation
// opened anew for each of its frames would be played from its start each time.
type playing struct {
	part *zip.File
	file *raster.File
}

// picture is where an asset lies: a frame of a part.
type picture struct {
	part  *zip.File
	kind  document.Format
	frame int // index among the part's frames
}

// Open reads the archive's directory, its relationships and the headers of its
// pictures. The error is extract.malformed, extract.encrypted, extract.entry_limit,
// extract.unpacked_limit, extract.ratio_limit, extract.asset_limit or
// extract.total_pixel_limit. foreign is passed on to raster and may be nil.
func Open(ctx context.Context, r io.ReaderAt, size int64, f document.Format, lim document.Limits, foreign raster.Foreign) (*Document, error) {
	parts, spent, err := directory(r, size, lim)
	if err != nil {
		return nil, err
	}
	d := &Document{ctx: ctx, foreign: foreign, lim: lim, tally: catalogue.NewTally(lim), extra: document.OfficeText, spent: spent}
	survey := d.survey
	if f.IsOpenDocument() {
		survey = d.surveyOpenDocument
	}
	roles, err := survey(parts)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := d.addPart(p, roles[strings.ToLower(p.Name)]); err != nil {
			return nil, err
		}
	}
	d.within = append(d.within, d.inShapes...)
	return d, nil
}

// OpenArchive reads the directory of a ZIP that is no office package: every file in it is
// a document within, pictures too. The errors are those of Open that concern a directory.
func OpenArchive(ctx context.Context, r io.ReaderAt, size int64, lim document.Limits) (*Document, error) {
	parts, spent, err := directory(r, size, lim)
	if err != nil {
		return nil, err
	}
	d := &Document{ctx: ctx, lim: lim, tally: catalogue.NewTally(lim), spent: spent}
	for _, p := range parts {
		d.within = append(d.within, within{part: p})
	}
	return d, nil
}

// addPart lists the pictures of one part, or the document that it is.
func (d *Document) addPart(p *zip.File, called role) error {
	head, err := d.head(p)
	kind := pictureKind(head)
	switch {
	case kind != document.UnknownFormat && pieces.MatchString(strings.ToLower(p.Name)): // its beginning: the rest lies in other parts
		return d.add(picture{part: p, kind: kind}, withheld(kind, reason.ExtractEncoding))
	case kind.IsRaster():
		return d.addRaster(p, kind)
	case called&isPicture != 0 && bytes.HasPrefix(head, []byte(gzipped)):
		return d.addPacked(p)
	case kind == document.UnknownFormat:
		if called&isWithin != 0 || isWithinByLook(p.Name, head) {
			d.within = append(d.within, within{part: p})
			return nil
		}
		if err != nil { // it may have been a picture
			return d.add(picture{part: p}, withheld(kind, reason.ExtractMalformed))
		}
		if called&isPicture == 0 {
			return nil
		}
	case kind.IsMetafile():
		d.within = append(d.within, within{part: p, picture: true})
		return nil
	}
	code := reason.ExtractEncoding
	if kind == document.SVG || bytes.HasPrefix(head, []byte(starView)) {
		code = reason.ExtractVector
	}
	return d.add(picture{part: p, kind: kind}, withheld(kind, code))
}

func withheld(kind document.Format, code reason.Code) catalogue.Item {
	return catalogue.Item{Withheld: code, Asset: document.Asset{Kind: document.Image, Format: kind}}
}

// addRaster lists the frames of a raster part. A part that breaks a limit
// of its own is withheld, and the document goes on.
func (d *Document) addRaster(p *zip.File, kind document.Format) error {
	src, err := d.open(p, kind)
	if err != nil {
		return d.add(picture{part: p, kind: kind}, withheld(kind, reason.Of(err)))
	}
	if src.NotCovered() != 0 {
		d.extra |= document.Metadata
	}
	for i, it := range src.Assets() {
		if it.Kind == document.Frame {
			it.Kind = document.Image
		}
		if len(src.Assets()) == 1 {
			it.Frame = 0
		}
		if err := d.add(picture{p, kind, i}, it); err != nil {
			return err
		}
	}
	return nil
}

func (d *Document) add(p picture, it catalogue.Item) error {
	if err := d.tally.Add(it); err != nil {
		return err
	}
	d.assets = append(d.assets, p)
	return nil
}

// open unpacks a raster part into memory and reads its headers.
func (d *Document) open(p *zip.File, kind document.Format) (*raster.File, error) {
	data, err := unpack(p, d.lim)
	if err != nil {
		return nil, err
	}
	return raster.Open(d.ctx, bytes.NewReader(data), int64(len(data)), kind, d.lim, d.foreign)
}

// Assets lists the pictures by the name of their part.
func (d *Document) Assets() []catalogue.Item { return d.tally.Items() }

// Load unpacks and decodes one picture; see catalogue.Source.
func (d *Document) Load(i int) (image.Image, error) {
	if i < 0 || i >= len(d.assets) {
		return nil, reason.Because(reason.Internal, fmt.Errorf("office: no picture %d", i))
	}
	if code := d.tally.Items()[i].Withheld; code != "" {
		return nil, reason.Because(code, errors.New("office: the picture is withheld"))
	}
	p := d.assets[i]
	src, err := d.reopen(p)
	if err != nil {
		return nil, err
	}
	if n := len(src.Assets()); n > 1 && p.frame < n-1 {
		d.playing = playing{p.part, src}
	}
	return src.Load(p.frame)
}

// reopen returns the part that is playing, or opens another and lets go of that.
func (d *Document) reopen(p picture) (*raster.File, error) {
	last := d.playing
	d.playing = playing{}
	if last.part == p.part && last.file != nil {
		return last.file, nil
	}
	return d.open(p.part, p.kind)
}

// Layer returns nil: the text of the document has no place in its pictures.
func (d *Document) Layer(int) ([]words.Word, error) { return nil, nil }

// Placements returns nil: there are no pages.
func (d *Document) Placements(int) []catalogue.Placement { return nil }

// Embedded lists the documents within by the name of their part, and behind them the
// packages that stand in shapes.
func (d *Document) Embedded() []catalogue.Embedded {
	out := make([]catalogue.Embedded, len(d.within))
	for i, p := range d.within {
		out[i].Picture = p.picture
		switch {
		case p.made != nil:
			out[i].Size = int64(len(p.made))
		case p.packed > 0:
			out[i].Size = p.packed
		default:
			out[i].Size = int64(p.part.UncompressedSize64) // within the limits: directory saw to it
		}
	}
	return out
}

// Unpack returns a document within.
func (d *Document) Unpack(i int) ([]byte, error) {
	w := d.within[i]
	if w.made != nil {
		return w.made, nil
	}
	data, err := unpack(w.part, d.lim)
	if err != nil || w.packed == 0 {
		return data, err
	}
	return gunzip(data, w.packed)
}

// Spent is what the archive's directory says, and what is packed in its parts once more.
func (d *Document) Spent() catalogue.Cost { return d.spent }

// NotCovered always holds OfficeText.
func (d *Document) NotCovered() document.NotCovered { return d.extra }

// Close does nothing: the document holds no resource of its own.
func (d *Document) Close() error { return nil }

// byName sorts parts so that the order of assets depends on the names alone; parts of
// one name keep the archive's order.
func byName(parts []*zip.File) {
	sort.SliceStable(parts, func(i, j int) bool { return parts[i].Name < parts[j].Name })
}
