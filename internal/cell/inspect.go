package cell

import (
	"context"
	"os"
	"time"

	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// Inspection is what a document holds, as its headers tell it. Where it was refused it
// holds what was learned until then.
type Inspection struct {
	Report
	Images []Listed
	Places []Place
	Idle   int64 // resident bytes of the cell before it had the document
}

// Listed is one image of a document.
type Listed struct {
	document.Asset
	Withheld  reason.Code // why it cannot be redacted; "" where nothing speaks against it
	Bits      int         // a channel, as stored; 0 where unknown
	Channels  int         // as stored; 0 where unknown
	Spots     int         // places on pages where it is drawn
	Decoded   bool        // for a task that asks for it
	Took      time.Duration
	HighWater int64 // resident bytes of the cell at their highest by then
}

// Place is one spot of a page where an image is drawn.
type Place struct {
	Page, Image int          // indexes of the assets
	Box         document.Box // in the page's pixels
}

// Inspect gives the cell a document and takes what it says of it: no pixels and no text. The
// cell's purpose must be to inspect. doc must be open for reading alone. The error carries
// the reason why nothing of the document could be redacted. The cell is gone afterwards.
func (c *Cell) Inspect(ctx context.Context, doc *os.File, t wire.Task) (Inspection, error) {
	defer c.Close()
	idle := c.memory.look()
	i := &inspection{session: session{task: t, report: Report{Protections: c.protections}}}
	err := c.run(ctx, doc, t, i, nil)
	i.report.PeakBytes = c.memory.peak()
	return Inspection{Report: i.report, Images: i.images, Places: i.places, Idle: idle}, err
}

// inspection is the parent's side of one document that is inspected.
//
//	sniffed ─▶ ( found ─▶ placed* ─▶ listed )* ─▶ done
type inspection struct {
	session
	images []Listed
	places []Place
}

func (i *inspection) take(m wire.Message) (over bool, err error) {
	switch m := m.(type) {
	case wire.Sniffed:
		return false, i.takeSniffed(m)
	case wire.AssetFound:
		return false, i.takeFound(m)
	case wire.Placed:
		return false, i.takePlaced(m)
	case wire.Listed:
		return false, i.takeListed(m)
	case wire.Done:
		return true, i.takeDone(m)
	case wire.Failed:
		return true, i.takeFailed(m)
	}
	return false, wire.Violation("a message that does not belong to an inspection")
}

func (i *inspection) takePlaced(m wire.Placed) error {
	o := i.open
	switch {
	case o == nil || o.asset.Kind != document.Page:
		return wire.Violation("Placed outside a page")
	case len(i.places) == wire.MaxPlaced:
		return wire.Violation("too many places")
	case m.Image == 0 || int64(m.Image) > int64(i.assets):
		return wire.Violation("Placed out of range")
	case uint64(m.X)+uint64(m.W) > uint64(o.asset.Width) || uint64(m.Y)+uint64(m.H) > uint64(o.asset.Height):
		return wire.Violation("a place outside its page")
	}
	i.places = append(i.places, Place{
		Page: o.asset.Index, Image: int(m.Image),
		Box: document.Box{X: int(m.X), Y: int(m.Y), W: int(m.W), H: int(m.H)},
	})
	return nil
}

func (i *inspection) takeListed(m wire.Listed) error {
	o := i.open
	limit := int64(i.task.Limits.Seconds) * int64(time.Second)
	switch {
	case o == nil || int64(m.Index) != int64(o.asset.Index):
		return wire.Violation("Listed out of order")
	case m.Decoded > 1 || m.Nanos < 0 || m.Nanos > limit || int64(m.HighWater) < 0:
		return wire.Violation("Listed out of range")
	case m.Decoded == 1 && (!i.task.Decode || m.Reason != 0):
		return wire.Violation("an image that was decoded and should not have been")
	}
	l := Listed{
		Asset: o.asset.Asset, Bits: int(m.Bits), Channels: int(m.Channels), Spots: int(m.Spots),
		Decoded: m.Decoded == 1, Took: time.Duration(m.Nanos), HighWater: int64(m.HighWater),
	}
	if m.Reason != 0 {
		code, ok := i.mayWithhold(o.asset.Asset, m.Reason)
		if !ok {
			return wire.Violation("a withheld image without a lasting reason")
		}
		l.Withheld = code
	}
	i.open = nil
	i.report.Assets++
	i.images = append(i.images, l)
	return nil
}
