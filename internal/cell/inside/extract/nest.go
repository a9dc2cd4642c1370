package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/cell/inside/words"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// Tell names what the bytes of a document within a document are, and refuses what may
// not be opened there. Step sniff does it; steps do not know each other.
type Tell func(r io.ReaderAt, size int64) (document.Format, error)

// nest presents a document and those within it as one: a flat list of assets, the
// outermost document's first, then those of each document within in turn, each followed
// by its own. Besides the outermost, the documents on the way to one asset are open at a
// time, and no others; whoever goes through the assets in order opens each once.
//
// A document within that cannot be opened stands in the list as a withheld asset. The
// limits on assets, pixels in all, entries and unpacked bytes hold for all together, and
// whichever document breaks one of those ends the whole.
type nest struct {
	ctx     context.Context
	engines Engines
	tell    Tell
	lim     document.Limits

	tally  *catalogue.Tally
	places []place // beside the tally's items
	known  map[document.Path]opening
	drawn  map[int][]Placement // of pages within, by index of the page
	extra  document.NotCovered // of the documents that are closed
	chain  []level             // open documents, outermost first
}

// place is where an asset stands: in which of the files that were opened, which is not
// its document where that shows the file as a picture of its own, and at which index.
type place struct {
	file  document.Path
	index int
}

// opening is how a document was opened first, so that it opens the same way again.
type opening struct {
	r      io.ReaderAt
	size   int64
	format document.Format
	lim    document.Limits
}

// level is an open document.
type level struct {
	path   document.Path
	source Source
}

// fragile is a Source that another document can take down with its engine.
type fragile interface{ Gone() bool }

// nested wraps a document that holds others; one that holds none is returned as it is.
func nested(ctx context.Context, root Source, as opening, e Engines, tell Tell) (Source, error) {
	holds, ok := root.(catalogue.Container)
	if !ok || len(holds.Embedded()) == 0 {
		return root, nil
	}
	n := &nest{
		ctx: ctx, engines: e, tell: tell, lim: as.lim, tally: catalogue.NewTally(as.lim),
		known: map[document.Path]opening{{}: as}, drawn: map[int][]Placement{},
		chain: []level{{source: root}},
	}
	if err := n.list(document.Path{}, root); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

// list adds the assets of an open document and of all that it holds.
func (n *nest) list(path document.Path, src Source) error {
	base := len(n.places)
	for i, it := range src.Assets() {
		it.Within = path
		if err := n.add(it, place{path, i}); err != nil {
			return err
		}
	}
	n.placements(path, src, base)
	holds, ok := src.(catalogue.Container)
	if !ok {
		return nil
	}
	if err := n.tally.Spend(holds.Spent()); err != nil {
		return err
	}
	for i, e := range holds.Embedded() {
		if err := n.ctx.Err(); err != nil {
			return err
		}
		if err := n.descend(path, i, e); err != nil {
			return err
		}
	}
	return nil
}

func (n *nest) add(it Item, at place) error {
	if err := n.tally.Add(it); err != nil {
		return err
	}
	n.places = append(n.places, at)
	return nil
}

// placements notes what is drawn where on the pages of a document within, while it is
// open. The outermost is asked when somebody wants to know.
func (n *nest) placements(path document.Path, src Source, base int) {
	if path.Depth() == 0 {
		return
	}
	for i, it := range src.Assets() {
		if it.Kind != document.Page {
			continue
		}
		// A page without its placements is read as a page, and its images as images.
		_ = contained(func() error {
			for _, pl := range src.Placements(i) {
				pl.Image += base
				n.drawn[base+i] = append(n.drawn[base+i], pl)
			}
			return nil
		})
	}
}

// descend opens one document within and lists it, or lists why it cannot be opened.
func (n *nest) descend(parent document.Path, i int, e catalogue.Embedded) error {
	path, ok := parent.Child(i + 1)
	code := e.Withheld
	switch {
	case !ok || path.Depth() > n.lim.Depth && !e.Picture:
		code = reason.ExtractDepth
	case code == "" && e.Size > n.lim.SourceBytes: // no document by itself may be so large
		code = reason.ExtractUnpacked
	}
	if code != "" {
		return n.withhold(parent, path, e, code)
	}
	src, format, err := n.enter(path, i)
	switch {
	case err != nil && n.ends(err):
		return err
	case err != nil:
		e.Format = format
		return n.withhold(parent, path, e, reason.Of(err))
	case e.Picture && isPicture(format):
		err = n.show(parent, path, src)
	default:
		err = n.list(path, src)
	}
	if err != nil {
		return err
	}
	return n.leave(len(n.chain) - 1)
}

// isPicture reports whether what is shown as a picture is one, and no document.
func isPicture(f document.Format) bool { return f.IsRaster() || f.IsMetafile() }

// show lists the frames of a picture as images of the document that shows it.
func (n *nest) show(parent, path document.Path, src Source) error {
	for i, it := range src.Assets() {
		it.Kind, it.Within = document.Image, parent
		if len(src.Assets()) == 1 {
			it.Frame = 0
		}
		if err := n.add(it, place{path, i}); err != nil {
			return err
		}
	}
	return nil
}

// withhold lists a document, or a picture, that cannot be opened.
func (n *nest) withhold(parent, path document.Path, e catalogue.Embedded, code reason.Code) error {
	a := document.Asset{Kind: document.Whole, Within: path, Format: e.Format}
	if e.Picture {
		a.Kind, a.Within, code = document.Image, parent, asPicture(e.Format, code)
	} else {
		n.extra |= document.EmbeddedFiles
	}
	return n.add(Item{Withheld: code, Asset: a}, place{path, -1})
}

// asPicture says of a picture what is said of a document that is not opened.
func asPicture(f document.Format, code reason.Code) reason.Code {
	switch {
	case code != reason.SniffUnsupported && code != reason.SniffUnknown && code != reason.SniffEmpty:
		return code
	case f == document.EMF, f == document.WMF, f == document.SVG, f == document.PICT:
		return reason.ExtractVector
	}
	return reason.ExtractEncoding
}

// ends reports whether an error of a document within is the whole document's: it broke
// a limit that all share, the caller has gone, or trying again may help.
func (n *nest) ends(err error) bool {
	switch code := reason.Of(err); code {
	case reason.ExtractAssets, reason.ExtractTotal, reason.ExtractEntries, reason.ExtractUnpacked:
		return true
	default:
		return n.ctx.Err() != nil || reason.Must(code).Class != reason.Permanent
	}
}

// enter opens the ith document of the one opened last and puts it on the chain. A
// document that makes its decoder panic is malformed; the others go on.
func (n *nest) enter(path document.Path, i int) (src Source, f document.Format, err error) {
	holds := n.chain[len(n.chain)-1].source.(catalogue.Container) // list and reach come from there
	err = contained(func() error {
		as, seen := n.known[path]
		data, err := holds.Unpack(i)
		if err != nil {
			return err
		}
		as.r, as.size = bytes.NewReader(data), int64(len(data))
		if !seen {
			as.lim = n.tally.Left()
			if as.size > as.lim.SourceBytes {
				return reason.Because(reason.ExtractMalformed, errors.New("extract: more bytes than promised"))
			}
			if as.format, err = n.tell(as.r, as.size); err != nil {
				f = as.format
				return err
			}
		}
		f = as.format
		if path.Depth() > n.lim.Depth && !isPicture(f) { // it stood as a picture
			return reason.Because(reason.ExtractDepth, errors.New("extract: too deep"))
		}
		if src, err = open(n.ctx, as, n.engines); err != nil {
			return err
		}
		as.r = nil // the container has the bytes
		n.known[path] = as
		n.chain = append(n.chain, level{path, src})
		return nil
	})
	if reason.Of(err) == reason.CellEngines && n.engines.pdf != nil { // an earlier document broke it for good
		err = reason.Because(reason.ExtractMalformed, err)
	}
	return src, f, err
}

// leave closes documents until depth of them are open.
func (n *nest) leave(depth int) error {
	var errs []error
	for len(n.chain) > depth {
		last := n.chain[len(n.chain)-1].source
		n.extra |= last.NotCovered()
		errs = append(errs, last.Close())
		n.chain = n.chain[:len(n.chain)-1]
	}
	return errors.Join(errs...)
}

// reach opens the document with that path, and what is on the way to it, unless it is
// the one that is open.
func (n *nest) reach(path document.Path) (Source, error) {
	if open := len(n.chain); open > 0 && n.chain[open-1].path == path {
		return n.chain[open-1].source, nil
	}
	if err := n.leave(n.shared(path)); err != nil {
		return nil, reason.Because(reason.ExtractMalformed, err)
	}
	if len(n.chain) == 0 { // a document within took the engine down with the outermost
		src, err := open(n.ctx, n.known[document.Path{}], n.engines)
		if err != nil {
			return nil, err
		}
		n.chain = append(n.chain, level{source: src})
	}
	for d := len(n.chain) - 1; d < path.Depth(); d++ {
		on := path
		clear(on[d+1:])
		if _, _, err := n.enter(on, int(path[d])-1); err != nil {
			return nil, err
		}
	}
	return n.chain[len(n.chain)-1].source, nil
}

// shared is how many of the open documents lie on the way to path and still stand.
func (n *nest) shared(path document.Path) int {
	for i, l := range n.chain {
		on := path
		clear(on[i:])
		if f, ok := l.source.(fragile); l.path != on || i > path.Depth() || ok && f.Gone() {
			return i
		}
	}
	return len(n.chain)
}

// contained turns a panic of f into extract.malformed. Its value may hold text.
func contained(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = reason.Because(reason.ExtractMalformed, errors.New("extract: panic"))
		}
	}()
	return f()
}

// Assets lists the assets of all documents.
func (n *nest) Assets() []Item { return n.tally.Items() }

// at opens the document of an asset and says where the asset stands in it.
func (n *nest) at(i int) (Source, int, error) {
	if i < 0 || i >= len(n.places) {
		return nil, 0, reason.Because(reason.Internal, fmt.Errorf("extract: no asset %d", i))
	}
	if code := n.tally.Items()[i].Withheld; code != "" {
		return nil, 0, reason.Because(code, errors.New("extract: the asset is withheld"))
	}
	src, err := n.reach(n.places[i].file)
	return src, n.places[i].index, err
}

// Load decodes an asset; see catalogue.Source.
func (n *nest) Load(i int) (image.Image, error) {
	src, at, err := n.at(i)
	if err != nil {
		return nil, err
	}
	return src.Load(at)
}

// Layer returns the words that an asset's own document holds for it.
func (n *nest) Layer(i int) ([]words.Word, error) {
	src, at, err := n.at(i)
	if err != nil {
		return nil, err
	}
	return src.Layer(at)
}

// Placements lists the images drawn on a page, by their index among all assets.
func (n *nest) Placements(i int) []Placement {
	if i < 0 || i >= len(n.places) || len(n.chain) == 0 || n.tally.Items()[i].Within.Depth() > 0 {
		return n.drawn[i]
	}
	return n.chain[0].source.Placements(i)
}

// NotCovered is what any of the documents holds besides its assets.
func (n *nest) NotCovered() document.NotCovered {
	all := n.extra
	for _, l := range n.chain {
		all |= l.source.NotCovered()
	}
	return all
}

// Spent is what all containers took.
func (n *nest) Spent() catalogue.Cost { return n.tally.Spent() }

// Close closes every open document.
func (n *nest) Close() error { return n.leave(0) }
