package inside

import (
	"bufio"
	"image"
	"io"
	"math"

	"blotter/internal/cell/inside/redact"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// emitter says things to the parent. After a failed write it stays silent: the parent
// has gone, and the cell follows.
type emitter struct {
	w    *bufio.Writer
	goOn chan struct{} // the parent's word to go on with the next asset; nil where nobody gives it
}

func newEmitter(w io.Writer) *emitter { return &emitter{w: bufio.NewWriterSize(w, wire.MaxChunk)} }

// next says which asset is next, and waits until the parent says to go on: it may give the
// processor to another document meanwhile.
func (e *emitter) next(stage document.Stage, index int) error {
	err := e.send(wire.Progress{Stage: stage, Index: uint32(index)})
	if err == nil && e.goOn != nil {
		<-e.goOn
	}
	return err
}

// send writes a message and everything before it.
func (e *emitter) send(m wire.Message) error {
	if err := wire.Write(e.w, m); err != nil {
		return err
	}
	return e.w.Flush()
}

func (e *emitter) fail(err error) { e.failAs(err, document.UnknownFormat) }

// failAs ends the document with the code of an error and nothing else of it. A
// parent that has gone needs no telling.
func (e *emitter) failAs(err error, f document.Format) {
	_ = e.send(wire.Failed{Reason: reason.NumberOf(reason.Of(err)), Format: f})
}

// found opens an asset. The headers of one that is withheld may claim any size and
// resolution; what does not fit into the message is cut to what does.
func (e *emitter) found(a document.Asset) error {
	if a.DPI < 0 || a.DPI > wire.MaxDPI {
		a.DPI = 0 // as good as not declared
	}
	return wire.Write(e.w, wire.AssetFound{
		Index: uint32(a.Index), Kind: a.Kind, Within: a.Within, Page: uint32(a.Page), Frame: uint32(a.Frame), Format: a.Format,
		Width: side(a.Width), Height: side(a.Height), DPI: uint32(a.DPI), Digest: a.Digest,
	})
}

func side(n int) uint32 { return uint32(min(max(n, 0), wire.MaxSide)) }

func (e *emitter) burned(fs []document.Finding) error {
	for _, f := range fs {
		err := wire.Write(e.w, wire.Burned{
			X: uint32(f.Box.X), Y: uint32(f.Box.Y), W: uint32(f.Box.W), H: uint32(f.Box.H),
			Type: f.Type, PerMille: uint16(math.Round(1000 * min(max(f.Score, 0), 1))), Source: f.Source,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// png encodes an image into chunks.
func (e *emitter) png(img image.Image, original bool) error {
	return redact.Encode(chunks{e, original}, img)
}

// done closes an asset; an empty code says that it is redacted.
func (e *emitter) done(index int, withheld reason.Code) error {
	m := wire.AssetDone{Index: uint32(index), Status: document.Redacted}
	if withheld != "" {
		m.Status, m.Reason = document.Withheld, reason.NumberOf(withheld)
	}
	return e.send(m)
}

// chunks cuts what is written into frames.
type chunks struct {
	to       *emitter
	original bool
}

func (c chunks) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n := min(len(p)-done, wire.MaxChunk)
		if err := wire.Write(c.to.w, wire.Chunk{Original: c.original, Bytes: p[done : done+n]}); err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}
