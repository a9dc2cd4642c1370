package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"blotter/internal/audit"
	"blotter/internal/document"
	"blotter/internal/durable"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/vault"
	"blotter/receipt"
)

// Names of the files beside the assets.
const (
	resultFile  = "result.json"
	receiptFile = "receipt.json"
)

// An output directory that is being written is named .NNNN.part.
const (
	partPrefix = "."
	partSuffix = ".part"
)

// export writes the results of an ended job. The directory appears under its name as a
// whole or not at all. The receipt exists before any file does: nothing is handed out
// whose event is not in a signed checkpoint.
func (s *Station) export(ctx context.Context, dir string, j queue.Job, sealing time.Duration) (receipt.Result, error) {
	proof, err := audit.Receipt(ctx, s.store, j.FinalSeq)
	if err != nil {
		return receipt.Result{}, err
	}
	var r receipt.Result
	if err := json.Unmarshal(j.Result, &r); err != nil {
		return receipt.Result{}, fmt.Errorf("app: read a stored result: %w", err)
	}
	r.TimingsMS[document.StageSeal.String()] = sealing.Milliseconds()
	if err := durable.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return receipt.Result{}, err
	}
	part := filepath.Join(filepath.Dir(dir), partPrefix+filepath.Base(dir)+partSuffix)
	if err := os.Mkdir(part, 0o700); err != nil {
		return receipt.Result{}, fmt.Errorf("app: make an output directory: %w", err)
	}
	err = s.fillOutput(ctx, part, j, r, proof)
	if err == nil {
		err = s.agrees(ctx, part, j)
	}
	if err == nil {
		err = durable.Rename(part, dir)
	}
	if err != nil {
		return receipt.Result{}, errors.Join(err, os.RemoveAll(part))
	}
	return r, nil
}

func (s *Station) fillOutput(ctx context.Context, dir string, j queue.Job, r receipt.Result, proof []byte) error {
	for _, a := range r.Assets {
		if a.Derivative != nil {
			if err := s.exportBlob(ctx, dir, receipt.DerivativeName(a.Index), refOf(j, vault.Derivative, a)); err != nil {
				return err
			}
		}
		if a.Original != nil {
			if err := s.exportBlob(ctx, dir, receipt.OriginalName(a.Index), refOf(j, vault.Original, a)); err != nil {
				return err
			}
		}
	}
	body, err := r.Encode()
	if err != nil {
		return audit.Coded(err)
	}
	if err := durable.WriteFile(filepath.Join(dir, receiptFile), proof, 0o600); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(dir, resultFile), body, 0o600)
}

// agrees compares what is about to be handed out with the event that was signed: the
// stored result and the blobs are only as good as the disk they lay on.
func (s *Station) agrees(ctx context.Context, dir string, j queue.Job) error {
	entry, err := s.store.Entry(ctx, j.FinalSeq)
	if err != nil {
		return err
	}
	signed, err := receipt.Open(entry.Envelope)
	if err != nil {
		return audit.Coded(err)
	}
	body, err := os.ReadFile(filepath.Join(dir, resultFile))
	if err != nil {
		return fmt.Errorf("app: read a result: %w", err)
	}
	if err := receipt.FirstFailure(receipt.CheckResult(signed.Event, body, os.DirFS(dir))); err != nil {
		return reason.Because(reason.VaultDamaged, err)
	}
	return nil
}

func refOf(j queue.Job, c vault.Class, a receipt.ResultAsset) vault.Ref {
	return vault.Ref{Job: j.ID, Class: c, Token: j.Token, Index: int(a.Index)}
}

// exportBlob writes a blob under a name that comes from its number alone.
func (s *Station) exportBlob(ctx context.Context, dir, name string, ref vault.Ref) error {
	src, err := s.vault.Open(ctx, ref)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("app: make an output file: %w", err)
	}
	_, err = io.Copy(dst, src)
	if err == nil {
		err = durable.Sync(dst)
	}
	return errors.Join(err, dst.Close())
}
