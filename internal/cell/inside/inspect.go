package inside

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// inspectDocument opens a document and says what is in it, without reading a word and
// without sending a pixel. It ends as redactDocument does.
func inspectDocument(e engines, t wire.Task, doc *os.File, out *emitter) {
	p := &pipeline{engines: e, task: t, out: out}
	p.conduct(doc, func(ctx context.Context, doc *os.File) error {
		return p.through(ctx, doc, p.sniff, p.open, p.listAll)
	})
}

// listAll tells of each asset in turn.
func (p *pipeline) listAll(ctx context.Context, _ *os.File) error {
	spots := p.spots()
	placed := 0
	for i, a := range p.assets {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.out.found(a.Asset); err != nil {
			return err
		}
		for _, pl := range p.placements(i) {
			if placed++; placed > wire.MaxPlaced {
				break
			}
			if err := p.out.placed(p.spot(i, pl.Image, pl.ToPage)); err != nil {
				return err
			}
		}
		if err := p.list(i, a, spots[i]); err != nil {
			return err
		}
	}
	return nil
}

// spots counts how often each asset is drawn on a page.
func (p *pipeline) spots() []int {
	out := make([]int, len(p.assets))
	for i := range p.assets {
		for _, pl := range p.placements(i) {
			out[pl.Image]++
		}
	}
	return out
}

// spot is where an image stands on a page.
func (p *pipeline) spot(page, image int, toPage matrix) wire.Placed {
	a, on := p.assets[image], p.assets[page]
	b := toPage.box(document.Box{W: a.Width, H: a.Height}, on.Width, on.Height)
	return wire.Placed{Image: uint32(a.Index), X: uint32(b.X), Y: uint32(b.Y), W: uint32(b.W), H: uint32(b.H)}
}

// list closes an asset, and decodes it first where the task asks for it.
func (p *pipeline) list(i int, a *asset, spots int) error {
	m := wire.Listed{Index: uint32(a.Index), Spots: uint32(spots), Bits: small(a.Bits), Channels: small(a.Channels)}
	if p.task.Decode && a.Withheld == "" {
		began := time.Now()
		_, err := p.load(i)
		if err != nil {
			if endsDocument(err) {
				return err
			}
			a.Withheld = reason.Of(err)
		} else {
			m.Decoded = 1
		}
		m.Nanos = int64(time.Since(began))
	}
	if a.Withheld != "" {
		m.Reason = reason.NumberOf(a.Withheld)
	}
	m.HighWater = highWater()
	return p.out.send(m)
}

// small cuts a number to what the message holds.
func small(n int) uint8 { return uint8(min(max(n, 0), 255)) }

// highWater is the resident memory of this process at its highest, in bytes; 0 where the
// kernel does not say. It gives kilobytes (getrusage(2)).
func highWater() uint64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return uint64(u.Maxrss) << 10
}

func (e *emitter) placed(m wire.Placed) error { return wire.Write(e.w, m) }
