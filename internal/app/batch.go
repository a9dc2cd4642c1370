package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"blotter/internal/document"
	"blotter/internal/policy"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/source"
	"blotter/internal/vault"
	"blotter/internal/worker"
)

// batch is one request under way.
type batch struct {
	*Station
	req Request

	mu   sync.Mutex
	jobs []document.ID // one for each file; the same bytes may share one
}

func (b *batch) enqueueAll(ctx context.Context) error {
	for _, file := range b.req.Files { // before anything is begun
		if err := readable(file); err != nil {
			return err
		}
	}
	for _, file := range b.req.Files {
		id, err := b.enqueue(ctx, file)
		if err != nil {
			return err
		}
		b.jobs = append(b.jobs, id)
	}
	return nil
}

// enqueue adds a job for a file. The same request for the same file returns the
// earlier job while its result was not handed out: so a command that was killed can be
// given again, and what was done is not done twice.
func (b *batch) enqueue(ctx context.Context, file string) (document.ID, error) {
	ref, err := source.File(file)
	if err != nil {
		return "", err
	}
	digest, size, err := source.Digest(ctx, ref, math.MaxInt64)
	if err != nil {
		return "", err
	}
	order, err := worker.Order{Source: ref, Originals: b.req.Originals, Subject: b.req.Subject}.Plain()
	if err != nil {
		return "", err
	}
	j := queue.Job{
		ID: document.NewID(), Tenant: document.Local, Lane: document.Interactive, State: document.Queued,
		Input: digest, Bytes: size, Policy: pin(b.req.Policy), Key: b.requestKey(digest, order),
	}
	if j.Sealed, err = b.vault.Seal(ctx, j.ID, order); err != nil {
		return "", err
	}
	stored, added, err := b.store.Enqueue(ctx, j, worker.Received(j, "cli", b.code))
	if err != nil {
		return "", err
	}
	b.wakeSequencer()
	if added {
		return j.ID, nil
	}
	return stored.ID, b.retention.Destroy(ctx, j.ID, vault.Task)
}

func pin(p policy.Policy) queue.PolicyRef {
	return queue.PolicyRef{Name: p.Name, Version: p.Version, Digest: p.Digest(), Body: p.Canonical()}
}

// requestKey is the idempotency key of a request: what would give another result, or
// look for the document elsewhere, gives another key.
func (b *batch) requestKey(input document.Digest, order []byte) string {
	code, err := json.Marshal(b.code)
	if err != nil {
		panic("app: " + err.Error()) // strings alone
	}
	pinned := b.req.Policy.Digest()
	return b.vault.Fingerprint(input[:], pinned[:], code, order)
}

// wanted lists the jobs of the batch, each once.
func (b *batch) wanted() []document.ID {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Compact(slices.Sorted(slices.Values(b.jobs)))
}

// work claims the batch's jobs until ctx ends.
func (b *batch) work(ctx context.Context) error {
	again := time.NewTicker(interval)
	defer again.Stop()
	t := b.troubles(claiming)
	for {
		_, err := b.worker.Next(ctx, worker.Want{Only: b.wanted()})
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, queue.ErrNoJob) {
			if err = b.worker.ExpireLeases(ctx); ctx.Err() != nil {
				return nil
			}
		} else if err == nil {
			t.over()
			continue
		}
		if err := t.met(err); err != nil {
			return err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// deliverAll writes the results, in order, and then marks the jobs as delivered.
func (b *batch) deliverAll(ctx context.Context, ended func(Outcome)) error {
	for i := range b.req.Files {
		o, err := b.hand(ctx, i)
		if code := reason.Of(err); code == reason.VaultKeyGone || code == reason.VaultDamaged {
			o, err = b.handAnew(ctx, i)
		}
		if err != nil {
			return err
		}
		ended(o)
	}
	for _, id := range b.wanted() {
		if err := b.delivered(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// hand waits for the end of a file's job and writes its results.
func (b *batch) hand(ctx context.Context, i int) (Outcome, error) {
	j, sealing, err := b.await(ctx, b.jobs[i])
	if err != nil {
		return Outcome{}, err
	}
	if j.State == document.Cancelled {
		return Outcome{}, b.cancelled(ctx, j)
	}
	dir := filepath.Join(b.req.Out, fmt.Sprintf("%04d", i+1))
	result, err := b.export(ctx, dir, j, sealing)
	return Outcome{File: b.req.Files[i], Dir: dir, Result: result}, err
}

// cancelled gives up a file whose job somebody ended meanwhile; given again, the file gets
// a new one.
func (b *batch) cancelled(ctx context.Context, j queue.Job) error {
	return errors.Join(reason.Because(j.Reason, nil), b.store.Deliver(ctx, j.ID))
}

// handAnew works on a file again whose earlier result is gone or damaged: it outlived
// its retention, another command handed it out and destroyed it meanwhile, or the disk
// lost it.
func (b *batch) handAnew(ctx context.Context, i int) (Outcome, error) {
	if err := b.store.Deliver(ctx, b.jobs[i]); err != nil {
		return Outcome{}, err
	}
	id, err := b.enqueue(ctx, b.req.Files[i])
	if err != nil {
		return Outcome{}, err
	}
	b.mu.Lock()
	b.jobs[i] = id
	b.mu.Unlock()
	return b.hand(ctx, i)
}

// delivered closes a job whose result was handed out. Where nobody will review it, its
// originals have served their time (M28).
func (b *batch) delivered(ctx context.Context, id document.ID) error {
	if err := b.store.Deliver(ctx, id); err != nil {
		return err
	}
	j, err := b.store.Job(ctx, id)
	if err != nil || j.State == document.AwaitingReview {
		return err
	}
	return b.retention.Destroy(ctx, id, vault.Original)
}
