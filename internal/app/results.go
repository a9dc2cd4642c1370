package app

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"blotter/internal/audit"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/vault"
	"blotter/receipt"
)

// results hands out what jobs brought, to the API. Nothing leaves that is not what the
// signed event says.
type results struct{ *Station }

// Receipt implements intake.Results.
func (r results) Receipt(ctx context.Context, j queue.Job) ([]byte, error) {
	if !j.State.Ended() {
		return nil, reason.Because(reason.JobNotEnded, nil)
	}
	return audit.Receipt(ctx, r.store, j.FinalSeq)
}

// Result implements intake.Results.
func (r results) Result(ctx context.Context, j queue.Job) ([]byte, error) {
	result, signed, err := r.proved(ctx, j)
	if err != nil {
		return nil, err
	}
	body, err := result.Encode()
	if err != nil {
		return nil, reason.Because(reason.VaultDamaged, err)
	}
	if err := receipt.Matches(signed, body); err != nil {
		return nil, reason.Because(reason.VaultDamaged, err)
	}
	return body, nil
}

// proved returns a job's stored result and the event that was signed for it.
func (r results) proved(ctx context.Context, j queue.Job) (receipt.Result, receipt.Event, error) {
	if !j.State.Ended() {
		return receipt.Result{}, receipt.Event{}, reason.Because(reason.JobNotEnded, nil)
	}
	if j.Result == nil {
		return receipt.Result{}, receipt.Event{}, reason.Because(reason.JobNoResult, nil)
	}
	var result receipt.Result
	if err := json.Unmarshal(j.Result, &result); err != nil {
		return receipt.Result{}, receipt.Event{}, reason.Because(reason.VaultDamaged, fmt.Errorf("app: read a stored result: %w", err))
	}
	if result.TimingsMS != nil {
		result.TimingsMS[document.StageSeal.String()] = j.SealTime.Milliseconds()
	}
	entry, err := r.store.Entry(ctx, j.FinalSeq)
	if err != nil {
		return receipt.Result{}, receipt.Event{}, err
	}
	opened, err := receipt.Open(entry.Envelope)
	if err != nil {
		return receipt.Result{}, receipt.Event{}, reason.Because(reason.VaultDamaged, err)
	}
	return result, opened.Event, nil
}

// Derivative implements intake.Results. The blob is read twice: before the first byte
// leaves, the whole must be known to be what was signed.
func (r results) Derivative(ctx context.Context, j queue.Job, asset int) (io.ReadCloser, int64, document.Digest, error) {
	result, signed, err := r.proved(ctx, j)
	if err != nil {
		return nil, 0, document.Digest{}, err
	}
	a, want, ok := derivative(result, signed, asset)
	if !ok {
		return nil, 0, document.Digest{}, reason.Because(reason.JobNoResult, nil)
	}
	ref := refOf(j, vault.Derivative, a)
	got, size, err := r.measure(ctx, ref)
	if err != nil {
		return nil, 0, document.Digest{}, err
	}
	if got != want {
		return nil, 0, document.Digest{}, reason.Because(reason.VaultDamaged, errors.New("app: a derivative is not the one that was signed"))
	}
	blob, err := r.vault.Open(ctx, ref)
	return blob, size, want, err
}

// derivative finds an asset that has one, with the digest that was signed.
func derivative(result receipt.Result, signed receipt.Event, asset int) (receipt.ResultAsset, document.Digest, bool) {
	if asset < 1 || asset > len(result.Assets) || asset > len(signed.Assets) {
		return receipt.ResultAsset{}, document.Digest{}, false
	}
	a, s := result.Assets[asset-1], signed.Assets[asset-1]
	want, err := document.ParseDigest(s.DerivativeSHA256)
	return a, want, a.Derivative != nil && err == nil && a.Index == int64(asset)
}

// measure reads a blob to its end for its digest and size in bytes.
func (r results) measure(ctx context.Context, ref vault.Ref) (document.Digest, int64, error) {
	blob, err := r.vault.Open(ctx, ref)
	if err != nil {
		return document.Digest{}, 0, err
	}
	defer blob.Close()
	h := sha256.New()
	n, err := io.Copy(h, blob)
	return document.Digest(h.Sum(nil)), n, err
}

// Original implements intake.Results. Who looks is on signed record before the pixels
// leave.
func (r results) Original(ctx context.Context, j queue.Job, asset int, actor string) (io.ReadCloser, int64, error) {
	result, _, err := r.proved(ctx, j)
	if err != nil {
		return nil, 0, err
	}
	if asset < 1 || asset > len(result.Assets) || result.Assets[asset-1].Original == nil {
		return nil, 0, reason.Because(reason.JobNoResult, nil)
	}
	ref := refOf(j, vault.Original, result.Assets[asset-1])
	_, size, err := r.measure(ctx, ref)
	if err != nil {
		return nil, 0, err
	}
	if err := r.recordView(ctx, j, asset, actor); err != nil {
		return nil, 0, err
	}
	blob, err := r.vault.Open(ctx, ref)
	return blob, size, err
}

// viewWait is how long a view waits for its signature.
const viewWait = 10 * time.Second

func (r results) recordView(ctx context.Context, j queue.Job, asset int, actor string) error {
	err := r.store.Tell(ctx, receipt.Event{
		Schema: receipt.EventSchema, Kind: receipt.Viewed, Actor: actor, Job: string(j.ID), Tenant: string(j.Tenant),
		Time:     receipt.FormatTime(time.Now()),
		Artifact: &receipt.Artifact{ID: fmt.Sprintf("%s-%d", j.ID, asset), Class: string(vault.Original)},
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, viewWait, errSealing)
	defer cancel()
	return r.drain(ctx)
}

// Trust implements intake.Results. A node that does not sign has no list of its own, and
// reads it from the log.
func (r results) Trust(ctx context.Context) ([]byte, error) {
	body, err := os.ReadFile(TrustFile(r.cfg.Data))
	if errors.Is(err, fs.ErrNotExist) && r.fleet() {
		list, err := audit.FirstTrust(ctx, r.store)
		if err != nil {
			return nil, err
		}
		return list.Encode()
	}
	if err != nil {
		return nil, reason.Because(reason.AuditUnavailable, err)
	}
	return body, nil
}
