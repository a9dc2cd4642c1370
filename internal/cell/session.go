package cell

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"

	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// passes is how often a cell goes through the assets: it reads them, and then redacts.
const passes = 2

// session is the parent's side of one document: it knows which message may come next
// and what it may say.
//
//	sniffed ─▶ ( found ─▶ original* ─▶ burned* ─▶ derivative* ─▶ asset done )* ─▶ done
type session struct {
	task   wire.Task
	sink   Sink
	report Report

	sniffed  bool
	assets   int // announced
	pixels   int64
	progress int
	pauses   int     // between two assets
	open     *opened // the asset that is being told, or nil
}

// opened is an asset between AssetFound and AssetDone.
type opened struct {
	asset    Asset
	original *blob
	made     *blob // the derivative
}

func (s *session) spent(cpu time.Duration) { s.report.CPU = cpu }

// take judges one message and acts on it. over says that the document is done.
func (s *session) take(m wire.Message) (over bool, err error) {
	switch m := m.(type) {
	case wire.Sniffed:
		return false, s.takeSniffed(m)
	case wire.AssetFound:
		return false, s.takeFound(m)
	case wire.Chunk:
		return false, s.takeChunk(m)
	case wire.Burned:
		return false, s.takeBurned(m)
	case wire.AssetDone:
		return false, s.takeAssetDone(m)
	case wire.Progress:
		return false, s.takeProgress(m)
	case wire.Done:
		return true, s.takeDone(m)
	case wire.Failed:
		return true, s.takeFailed(m)
	}
	return false, wire.Violation("a message that does not belong to a document")
}

func (s *session) takeSniffed(m wire.Sniffed) error {
	switch {
	case s.sniffed:
		return wire.Violation("Sniffed twice")
	case !m.Format.Valid() || !known(m.NotCovered):
		return wire.Violation("Sniffed out of range")
	case int64(m.Assets) > int64(s.task.Limits.Assets):
		return wire.Violation("more assets than the limit")
	}
	s.sniffed = true
	s.assets = int(m.Assets)
	s.report.Format, s.report.NotCovered = m.Format, m.NotCovered
	return nil
}

func (s *session) takeFound(m wire.AssetFound) error {
	lim := s.task.Limits
	switch {
	case !s.sniffed || s.open != nil:
		return wire.Violation("AssetFound out of order")
	case int64(m.Index) != int64(s.report.Assets)+1 || int64(m.Index) > int64(s.assets):
		return wire.Violation("AssetFound out of sequence")
	case m.Kind.String() == "invalid" || !m.Format.Valid():
		return wire.Violation("AssetFound out of range")
	case m.Width > wire.MaxSide || m.Height > wire.MaxSide || m.DPI > wire.MaxDPI:
		return wire.Violation("AssetFound out of range")
	case int64(m.Page) > int64(lim.Pages) || int64(m.Frame) > int64(lim.Assets): // small copies are numbered among the frames
		return wire.Violation("AssetFound beyond the last page or frame")
	case !m.Within.Valid(lim.Entries) || m.Within.Depth() > lim.Depth+1 || m.Kind == document.Whole && m.Within.Depth() == 0:
		return wire.Violation("AssetFound in a document that cannot be")
	case m.Kind != document.Whole && m.Within.Depth() > lim.Depth:
		return wire.Violation("AssetFound too deep")
	}
	s.open = &opened{asset: Asset{Asset: document.Asset{
		Index: int(m.Index), Kind: m.Kind, Within: m.Within, Page: int(m.Page), Frame: int(m.Frame), Format: m.Format,
		Width: int(m.Width), Height: int(m.Height), DPI: int(m.DPI), Digest: m.Digest,
	}}}
	return nil
}

// takeChunk writes a piece of a PNG to its place, opening it with the first.
func (s *session) takeChunk(m wire.Chunk) error {
	o := s.open
	if o == nil {
		return wire.Violation("a chunk outside an asset")
	}
	if m.Original {
		if !s.task.Originals || o.made != nil || len(o.asset.Findings) > 0 {
			return wire.Violation("a chunk of an original out of order")
		}
		return s.write(&o.original, true, m.Bytes)
	}
	return s.write(&o.made, false, m.Bytes)
}

func (s *session) write(b **blob, original bool, p []byte) error {
	a := s.open.asset
	if *b == nil {
		if err := s.mayHavePixels(a, original); err != nil {
			return err
		}
		w, err := s.sink.Blob(a.Index, original)
		if err != nil {
			return fmt.Errorf("cell: place for a PNG: %w", err)
		}
		*b = newBlob(w, a.Width, a.Height)
	}
	_, err := (*b).Write(p)
	return err
}

// mayHavePixels checks an asset's size against the limits before its first byte, and
// counts it once towards the total.
func (s *session) mayHavePixels(a Asset, original bool) error {
	n := int64(a.Width) * int64(a.Height)
	if n == 0 || n > s.task.Limits.AssetPixels {
		return wire.Violation("an asset's size is beyond the limit")
	}
	if original || s.open.original == nil {
		s.pixels += n
	}
	if s.pixels > s.task.Limits.TotalPixels {
		return wire.Violation("all assets' size is beyond the limit")
	}
	return nil
}

func (s *session) takeBurned(m wire.Burned) error {
	o := s.open
	switch {
	case o == nil || o.made != nil:
		return wire.Violation("Burned out of order")
	case len(o.asset.Findings) == wire.MaxBoxes:
		return wire.Violation("too many boxes")
	case m.Type.String() == "invalid" || m.Source.String() == "invalid" || m.Source == document.ByReviewer:
		return wire.Violation("Burned out of range")
	case m.W == 0 || m.H == 0 || m.PerMille > 1000:
		return wire.Violation("Burned out of range")
	case uint64(m.X)+uint64(m.W) > uint64(o.asset.Width) || uint64(m.Y)+uint64(m.H) > uint64(o.asset.Height):
		return wire.Violation("a box outside its asset")
	}
	o.asset.Findings = append(o.asset.Findings, document.Finding{
		Box:  document.Box{X: int(m.X), Y: int(m.Y), W: int(m.W), H: int(m.H)},
		Type: m.Type, Score: float64(m.PerMille) / 1000, Source: m.Source,
	})
	return nil
}

func (s *session) takeAssetDone(m wire.AssetDone) error {
	o := s.open
	if o == nil || int64(m.Index) != int64(o.asset.Index) {
		return wire.Violation("AssetDone out of order")
	}
	switch m.Status {
	case document.Redacted:
		if m.Reason != 0 || o.made == nil || o.asset.Kind == document.Whole || (s.task.Originals && o.original == nil) || o.asset.Digest.IsZero() {
			return wire.Violation("a redacted asset that is not whole")
		}
	case document.Withheld:
		code, ok := s.mayWithhold(o.asset.Asset, m.Reason)
		if !ok || o.made != nil {
			return wire.Violation("a withheld asset with a derivative or without a lasting reason")
		}
		o.asset.Reason = code
	default:
		return wire.Violation("AssetDone out of range")
	}
	o.asset.Status = m.Status
	if err := errors.Join(o.original.finish(), o.made.finish()); err != nil {
		return err
	}
	s.open = nil
	s.report.Assets++
	return s.sink.Asset(o.asset)
}

func (s *session) takeProgress(m wire.Progress) error {
	s.progress++
	if s.progress > wire.MaxProgress || m.Stage.String() == "invalid" || int64(m.Index) > int64(s.assets) {
		return wire.Violation("Progress out of range")
	}
	if betweenAssets(m) {
		if s.pauses++; s.pauses > passes*s.assets { // each costs us an answer
			return wire.Violation("more pauses between assets than there are")
		}
	}
	if w, ok := s.sink.(Watcher); ok {
		w.Progress(m.Stage, int(m.Index))
	}
	return nil
}

// mayWithhold reports whether an asset may be withheld for a reason, which has to last.
func (s *session) mayWithhold(a document.Asset, n reason.Number) (reason.Code, bool) {
	code, ok := cellMay(n)
	if code == reason.PolicyDenied { // said of nothing but a document or a picture within that the task forbids
		ok = (a.Kind == document.Whole || a.Kind == document.Image) && slices.Contains(s.task.Deny, a.Format)
	}
	return code, ok && reason.Must(code).Class == reason.Permanent
}

func (s *session) takeDone(m wire.Done) error {
	if !s.sniffed || s.open != nil || s.report.Assets != s.assets {
		return wire.Violation("Done out of order")
	}
	if !known(m.NotCovered) || int64(m.Pixels) < 0 || int64(m.Entries) > int64(s.task.Limits.Entries) || m.Unpacked > uint64(s.task.Limits.UnpackedBytes) {
		return wire.Violation("Done out of range")
	}
	for i, n := range m.Nanos {
		if n < 0 || time.Duration(n) > time.Duration(s.task.Limits.Seconds)*time.Second {
			return wire.Violation("Done with a time beyond the limit")
		}
		s.report.Timings[i] = time.Duration(n)
	}
	s.report.NotCovered |= m.NotCovered
	s.report.Pixels = int64(m.Pixels)
	s.report.Entries, s.report.UnpackedBytes, s.report.Ratio = int(m.Entries), int64(m.Unpacked), int64(m.Ratio)
	return nil
}

func (s *session) takeFailed(m wire.Failed) error {
	code, ok := cellMay(m.Reason)
	if code == reason.PolicyDenied { // said of nothing but what the task forbids
		ok = slices.Contains(s.task.Deny, m.Format)
	}
	if !ok || !m.Format.Valid() {
		return wire.Violation("Failed out of range")
	}
	s.report.Format = m.Format
	return reason.Because(code, errors.New("cell: nothing of the document can be released"))
}

// abandon closes what a failed document left open.
func (s *session) abandon() error {
	if s.open == nil {
		return nil
	}
	return errors.Join(s.open.original.abandon(), s.open.made.abandon())
}

// cellMay finds the code of a number, if it is one of those that a cell decides on.
// A captured cell must not be able to speak for the queue or the audit log, nor have a
// document tried again for a cause that it does not name.
func cellMay(n reason.Number) (reason.Code, bool) {
	code, ok := reason.ByNumber(n)
	if !ok {
		return "", false
	}
	room, _, _ := strings.Cut(string(code), ".")
	switch room {
	case "sniff", "extract", "read", "redact":
		return code, true
	}
	return code, code == reason.CellEngines || code == reason.CellCrashed
}

// known reports whether the set has no bit that this version cannot name.
func known(n document.NotCovered) bool { return bits.OnesCount32(uint32(n)) == len(n.Names()) }
