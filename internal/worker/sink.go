package worker

import (
	"context"
	"crypto/sha256"
	"hash"
	"io"
	"math"
	"slices"

	"blotter/internal/cell"
	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/internal/vault"
	"blotter/receipt"
)

// sink takes the cell's assets: PNGs go straight into the vault, under the lease's
// token, and what is known of the asset into the result.
type sink struct {
	attempt *attempt
	ctx     context.Context // of the run: the sink lives no longer
	assets  []receipt.ResultAsset
	review  bool // a box was burned of a type that a person must look at

	derivative hash.Hash // of the derivative written last
	fault      error     // of the vault, so that it is not taken for one of the cell
}

const pngType = "image/png"

// Blob implements cell.Sink.
func (s *sink) Blob(index int, original bool) (io.WriteCloser, error) {
	class := vault.Derivative
	if original {
		class = vault.Original
	}
	a := s.attempt
	w, err := a.worker.Vault.Put(s.ctx, vault.Ref{Job: a.job.ID, Class: class, Token: a.lease.Token, Index: index})
	if err != nil {
		return nil, s.remember(err)
	}
	b := &blob{sink: s, to: w}
	if !original {
		s.derivative = sha256.New()
		b.hash = s.derivative
	}
	return b, nil
}

// Asset implements cell.Sink.
func (s *sink) Asset(a cell.Asset) error {
	out := receipt.ResultAsset{
		Index: int64(a.Index), Kind: a.Kind.String(), Within: a.Within.Numbers(), Page: int64(a.Page), Frame: int64(a.Frame),
		MediaType: a.Format.String(), Width: int64(a.Width), Height: int64(a.Height), DPI: int64(a.DPI),
		SHA256: hexOf(a.Digest), Status: a.Status.String(), Reason: string(a.Reason), Boxes: boxesOf(a.Findings),
	}
	if a.Status == document.Redacted {
		if s.derivative == nil {
			return reason.Because(reason.CellProtocol, nil) // it said "redacted" and sent no picture
		}
		out.Derivative = &receipt.ResultFile{
			File: receipt.DerivativeName(out.Index), SHA256: document.Digest(s.derivative.Sum(nil)).String(), MediaType: pngType,
		}
		s.review = s.review || slices.ContainsFunc(a.Findings, s.reviews)
		if s.attempt.order.Originals {
			out.Original = &receipt.ResultFile{File: receipt.OriginalName(out.Index), MediaType: pngType}
		}
	}
	s.derivative = nil
	s.assets = append(s.assets, out)
	return nil
}

func (s *sink) reviews(f document.Finding) bool { return s.attempt.policy.Reviews(f.Type) }

// Progress implements cell.Watcher.
func (s *sink) Progress(stage document.Stage, index int) {
	if tell := s.attempt.worker.Progress; tell != nil {
		tell(s.attempt.job.ID, stage, index)
	}
}

func (s *sink) remember(err error) error {
	if s.fault == nil {
		s.fault = err
	}
	return err
}

// blob counts and hashes on the way into the vault.
type blob struct {
	sink *sink
	to   *vault.Writer
	hash hash.Hash // nil for originals
}

func (b *blob) Write(p []byte) (int, error) {
	defer b.storing()()
	if b.hash != nil {
		b.hash.Write(p) // a hash never fails
	}
	n, err := b.to.Write(p)
	if err != nil {
		err = b.sink.remember(err)
	}
	return n, err
}

// Close makes the blob durable. A blob of a run that failed is closed too; it stands
// under a token that will never count, and is swept.
func (b *blob) Close() error {
	defer b.storing()()
	if err := b.to.Close(); err != nil {
		return b.sink.remember(err)
	}
	return nil
}

func (b *blob) storing() (stop func()) { return b.sink.attempt.time(document.StageStore) }

func boxesOf(findings []document.Finding) []receipt.ResultBox {
	out := make([]receipt.ResultBox, 0, len(findings))
	for _, f := range findings {
		out = append(out, receipt.Box{
			X: int64(f.Box.X), Y: int64(f.Box.Y), W: int64(f.Box.W), H: int64(f.Box.H),
			Type: f.Type.String(), PerMille: int64(math.Round(f.Score * 1000)), Source: f.Source.String(),
		}.ResultBox())
	}
	return out
}

func hexOf(d document.Digest) string {
	if d.IsZero() {
		return ""
	}
	return d.String()
}
