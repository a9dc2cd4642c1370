package inside

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"io"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"blotter/internal/cell/inside/detect"
	"blotter/internal/cell/inside/extract"
	"blotter/internal/cell/inside/mark"
	"blotter/internal/cell/inside/redact"
	"blotter/internal/cell/inside/sniff"
	"blotter/internal/cell/inside/words"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// engines are what a cell loads before it takes a document.
type engines struct {
	extract extract.Engines
	reader  reader
	finder  *detect.Finder
	marker  *mark.Marker
	tagger  tagger // the operator's classifier; nil: none
	room    int64  // bytes that one image may take; 0: whatever it takes
}

// reader finds and reads text; package read implements it.
type reader interface {
	// Read reads an image as it came. layer holds the words that the container itself
	// knows, in the image's pixels.
	Read(ctx context.Context, img image.Image, layer []words.Word) (words.Page, error)
	// Look reads a redacted image again, at another scale, where text is new or touches
	// a burned box. turn and before are of the first reading; burned is in the image's
	// own pixels.
	Look(ctx context.Context, img image.Image, turn document.Turn, burned []document.Box, before *words.Page) (words.Page, error)
}

// pipeline takes one document through the steps, in two passes: the first reads every
// asset and keeps its words, so that what one page teaches counts on all; the second
// decodes again, redacts, looks again, and sends.
type pipeline struct {
	engines engines
	task    wire.Task
	out     *emitter

	format document.Format
	source extract.Source
	assets []*asset
	found  *detect.Result
	pixels int64 // decoded
	clock  document.Timings
}

// asset is one image of the document between the passes.
type asset struct {
	extract.Item
	page      *words.Page        // as it was read; nil where it was not
	findings  []document.Finding // in the asset's own pixels
	marks     mark.Marks         // on the upright page
	explained []document.Box     // of the page, seen as text and explained by a mark
	sharesOf  *asset             // the page, or the stack, that shows the same and was read in its stead
	back      matrix             // from that page's pixels to this image's
	turned    document.Turn      // how that page shows this image

	strips []extract.Placement // of a stack: where its strips lie in it; nil of all else
	stacks []extract.Placement // of a page: where the stacks lie of which it was put together
}

// run is the list of steps.
func (p *pipeline) run(ctx context.Context, doc *os.File) error {
	return p.through(ctx, doc, p.sniff, p.open, p.readAll, p.detect, p.redactAll)
}

// through takes the document through steps, and says how it went.
func (p *pipeline) through(ctx context.Context, doc *os.File, steps ...func(context.Context, *os.File) error) error {
	for _, step := range steps {
		if err := step(ctx, doc); err != nil {
			return err
		}
	}
	return p.out.send(p.summary())
}

func (p *pipeline) sniff(_ context.Context, doc *os.File) error {
	defer p.in(document.StageSniff)()
	size, err := sizeOf(doc)
	if err != nil {
		return err
	}
	if p.format, err = p.named(doc, size); err != nil {
		return err
	}
	return p.admits(p.format)
}

// admits refuses what the policy or the caller's path forbids, before any of it is
// decoded.
func (p *pipeline) admits(f document.Format) error {
	switch {
	case slices.Contains(p.task.Deny, f):
		return reason.Because(reason.PolicyDenied, fmt.Errorf("inside: %v is denied", f))
	case p.task.OneImage && !f.IsRaster():
		return reason.Because(reason.SniffNoImage, fmt.Errorf("inside: %v is no image", f))
	}
	return nil
}

// within names a document within the document, under the same rules.
func (p *pipeline) within(r io.ReaderAt, size int64) (document.Format, error) {
	f, err := p.named(r, size)
	if err != nil {
		return f, err
	}
	return f, p.admits(f)
}

// named asks what bytes are. An archive of documents is opened only where the policy
// says so.
func (p *pipeline) named(r io.ReaderAt, size int64) (document.Format, error) {
	f, err := sniff.Sniff(r, size)
	if f == document.ZIP && p.task.OpenArchives && reason.Of(err) == reason.SniffArchive {
		return f, nil
	}
	return f, err
}

func sizeOf(doc *os.File) (int64, error) {
	st, err := doc.Stat()
	if err != nil {
		return 0, reason.Because(reason.Internal, fmt.Errorf("inside: size: %w", err))
	}
	return st.Size(), nil
}

func (p *pipeline) open(ctx context.Context, doc *os.File) error {
	defer p.in(document.StageExtract)()
	size, err := sizeOf(doc)
	if err != nil {
		return err
	}
	err = guard(reason.ExtractMalformed, func() error {
		p.source, err = extract.Open(ctx, doc, size, p.format, p.task.Limits, p.engines.extract, p.within)
		return err
	})
	if err != nil {
		return err
	}
	for _, it := range p.source.Assets() {
		if it.Withheld == "" && !p.engines.fits(it) {
			it.Withheld = reason.ExtractMemory
		}
		p.assets = append(p.assets, &asset{Item: it})
	}
	err = p.out.send(wire.Sniffed{
		Format: p.format, NotCovered: p.source.NotCovered(), Assets: uint32(len(p.assets)),
	})
	if err == nil && len(p.assets) == 0 {
		err = reason.Because(reason.ExtractNoAssets, errors.New("inside: no image"))
	}
	return err
}

// readAll is the first pass.
func (p *pipeline) readAll(ctx context.Context, _ *os.File) error {
	p.share()
	p.stackUp()
	for _, i := range p.readingOrder() {
		a := p.assets[i]
		if a.Withheld != "" || p.takeWords(a) {
			continue
		}
		if err := p.out.next(document.StageRead, a.Index); err != nil {
			return err
		}
		if err := p.timed(ctx, func(ctx context.Context) error { return p.readOne(ctx, i, a) }); err != nil {
			if endsDocument(err) {
				return err
			}
			a.Withheld = reason.Of(err)
		}
	}
	return nil
}

// readingOrder is that of the document, but for strips, which come behind their stacks.
func (p *pipeline) readingOrder() []int {
	var out, strips []int
	for i, a := range p.assets {
		if a.isStrip() {
			strips = append(strips, i)
		} else {
			out = append(out, i)
		}
	}
	return append(out, strips...)
}

// endsDocument reports whether an asset's error is the whole document's. What may go
// well in another attempt must not withhold an asset for good, and a reader that
// panicked is not trusted with the next asset.
func endsDocument(err error) bool {
	code := reason.Of(err)
	return code == reason.CellCrashed || reason.Must(code).Class != reason.Permanent
}

// readOne keeps the words and marks of an asset and drops its pixels.
func (p *pipeline) readOne(ctx context.Context, i int, a *asset) error {
	img, err := p.load(i)
	if err = errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	layer, err := p.layer(i)
	if err != nil {
		return err
	}
	if err := p.readWords(ctx, img, layer, a); err != nil {
		return err
	}
	return p.mark(img, a)
}

func (p *pipeline) readWords(ctx context.Context, img image.Image, layer []words.Word, a *asset) error {
	defer p.in(document.StageRead)()
	return guard(reason.CellCrashed, func() error {
		page, err := p.engines.reader.Read(ctx, img, layer)
		if err != nil {
			return coded(reason.ReadFailed, err)
		}
		a.page = &page
		p.spell(img, a.page)
		return nil
	})
}

// largePixels is from which size on, in pixels, an asset is worth a collection before it
// is decoded: at 40 megapixels each image takes 160 MB. On such a page with a soft mask
// the cell's peak fell from 1.27 GB resident to 1.07.
const largePixels = 8_000_000

// makeRoom gives what earlier images left to the system where the asset is large.
func makeRoom(a document.Asset) {
	if int64(a.Width)*int64(a.Height) > largePixels {
		debug.FreeOSMemory()
	}
}

// load decodes one asset into pixels that may be drawn on.
func (p *pipeline) load(i int) (img draw.Image, err error) {
	defer p.in(document.StageExtract)()
	makeRoom(p.assets[i].Asset)
	err = guard(reason.ExtractMalformed, func() error {
		m, err := p.decode(i)
		if err != nil {
			return coded(reason.ExtractMalformed, err)
		}
		size, want := m.Bounds().Size(), p.assets[i].Asset
		p.pixels += int64(size.X) * int64(size.Y)
		if size.X != want.Width || size.Y != want.Height {
			return reason.Because(reason.ExtractSizeLies, errors.New("inside: size"))
		}
		var ok bool
		if img, ok = m.(draw.Image); !ok {
			return reason.Because(reason.Internal, fmt.Errorf("inside: %T cannot be drawn on", m))
		}
		return nil
	})
	return img, err
}

func (p *pipeline) decode(i int) (image.Image, error) {
	if a := p.assets[i]; a.strips != nil {
		return p.join(a)
	}
	return p.source.Load(i)
}

func (p *pipeline) layer(i int) (ws []words.Word, err error) {
	if p.assets[i].strips != nil {
		return nil, nil
	}
	defer p.in(document.StageExtract)()
	err = guard(reason.ExtractMalformed, func() error {
		ws, err = p.source.Layer(i)
		return err
	})
	return p.besideImages(i, ws), err
}

// coded gives err a code unless it has one.
func coded(code reason.Code, err error) error {
	var has *reason.Error
	if errors.As(err, &has) {
		return err
	}
	return reason.Because(code, err)
}

// detect finds personal data over all pages together, applies the policy, and carries
// findings between pages and the images placed on them.
func (p *pipeline) detect(ctx context.Context, _ *os.File) error {
	defer p.in(document.StageDetect)()
	var subject words.Subject
	if len(p.task.Subject) > 0 {
		if err := json.Unmarshal(p.task.Subject, &subject); err != nil {
			return reason.Because(reason.Internal, errors.New("inside: subject"))
		}
	}
	var read []*asset
	var pages []*words.Page
	for _, a := range p.assets {
		if a.page != nil && a.sharesOf == nil {
			read, pages = append(read, a), append(pages, a.page)
		}
	}
	for _, page := range pages {
		if err := p.tag(ctx, page); err != nil {
			return err
		}
	}
	p.found = p.engines.finder.Without(p.task.Without...).Find(pages, subject)
	for i, a := range read {
		a.findings = p.judge(a.page, slices.Concat(p.found.Findings[i], p.marked(a)))
	}
	p.carry()
	return nil
}

// asks reports whether a layer may look: all do but those that a measurement leaves out.
func (p *pipeline) asks(layer document.Source) bool {
	return !slices.Contains(p.task.Without, layer)
}

// redactAll is the second pass.
func (p *pipeline) redactAll(ctx context.Context, _ *os.File) error {
	if err := p.burnStacks(ctx); err != nil {
		return err
	}
	for i, a := range p.assets {
		if a.strips != nil {
			continue
		}
		if err := p.out.next(document.StageRedact, a.Index); err != nil {
			return err
		}
		if err := p.redactOne(ctx, i, a); err != nil {
			return err
		}
	}
	return nil
}

// redactOne decodes an asset again, burns it, looks again, and tells the parent. The
// error is for a parent that has gone or for what endsDocument says; else what goes
// wrong with the asset withholds it.
func (p *pipeline) redactOne(ctx context.Context, i int, a *asset) error {
	var img draw.Image
	if a.Withheld == "" || (a.page != nil && p.task.Originals) {
		var err error
		if img, err = p.load(i); err != nil {
			if endsDocument(err) {
				return err
			}
			a.Withheld, img = reason.Of(err), nil
		}
	}
	if err := p.tell(a, img); err != nil {
		return err
	}
	if a.Withheld == "" {
		img = redact.Canvas(img, p.task.Fill)
		if err := p.timed(ctx, func(ctx context.Context) error { return p.burn(ctx, a, img) }); err != nil {
			if endsDocument(err) {
				return err
			}
			a.Withheld = reason.Of(err)
		}
	}
	return p.conclude(a, img)
}

// tell opens the asset and sends its original where it was asked for.
func (p *pipeline) tell(a *asset, img draw.Image) error {
	defer p.in(document.StageRedact)()
	if img == nil {
		return p.out.found(a.Asset)
	}
	told := a.Asset
	told.Digest = redact.PixelDigest(img)
	if err := p.out.found(told); err != nil || !p.task.Originals {
		return err
	}
	return p.out.png(img, true)
}

// conclude sends boxes and derivative and closes the asset.
func (p *pipeline) conclude(a *asset, img draw.Image) error {
	defer p.in(document.StageRedact)()
	if len(a.findings) > wire.MaxBoxes {
		a.Withheld, a.findings = reason.RedactBoxes, nil
	}
	if err := p.out.burned(a.findings); err != nil {
		return err
	}
	if a.Withheld == "" {
		p.label(a, img)
		if err := p.out.png(img, false); err != nil {
			return err
		}
	}
	return p.out.done(a.Index, a.Withheld)
}

func (p *pipeline) summary() wire.Done {
	spent := extract.Spent(p.source)
	d := wire.Done{NotCovered: p.source.NotCovered(), Pixels: uint64(p.pixels),
		Entries: uint32(spent.Entries), Unpacked: uint64(spent.Unpacked), Ratio: uint32(min(spent.Ratio, math.MaxUint32))}
	for s, t := range p.clock {
		d.Nanos[s] = int64(t)
	}
	return d
}

// in starts the clock of a stage; calling what it returns stops it.
func (p *pipeline) in(s document.Stage) func() {
	began := time.Now()
	return func() { p.clock[s] += time.Since(began) }
}
