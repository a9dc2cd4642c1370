// Package retention ends the lives of stored things. A data key whose time is over is
// destroyed, in one transaction with the signed event that says so, and with it
// everything that was encrypted under it; then the useless blobs are deleted. Blobs that
// no result counts, because the worker that wrote them died, go too.
//
// A document that a client sent lives with its key, and the key with the reservation that
// it was made under and the job that this became: once neither is there, both go.
package retention

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/vault"
	"blotter/receipt"
)

// Store is what the retention needs of the store.
type Store interface {
	Now(ctx context.Context) (time.Time, error)
	Job(ctx context.Context, id document.ID) (queue.Job, error)
	// ExpiredKeys returns at most n keys that are to be destroyed at the given time: those
	// past their expiry, and those of jobs that have ended, or never came, and need them no
	// more. The keys of a result of the command line that was not delivered outlast their
	// expiry by vault.HandOver; a key without a job waits for it as long as the reservation
	// that it was made under, or for vault.OrphanAge.
	ExpiredKeys(ctx context.Context, now time.Time, n int) ([]vault.KeyName, error)
	// DestroyKey deletes a key and appends its `deleted` event in one transaction; with a
	// task's key goes the job's sealed order, and with any the job's reservation, so that no
	// job is accepted whose data is gone. vault.ErrKeyGone, and no event: it is not there.
	DestroyKey(ctx context.Context, job document.ID, c vault.Class, event receipt.Event) error
	Key(ctx context.Context, job document.ID, c vault.Class) ([]byte, error)
	// Scrub clears the store's own files of what they still hold of destroyed keys, as far
	// as DestroyKey could not, and where there is something to clear. It may leave it to a
	// later call.
	Scrub(ctx context.Context) error
	// EndReservation ends the reservation of a job, whoever holds it: nothing is accepted
	// under it any more. One that is not there, or ended before, is no error.
	EndReservation(ctx context.Context, job document.ID) error
	// ForgetReservations removes reservations that ended without becoming a job and have no
	// data key left. Of an upload that was announced and never begun it tells the end: event
	// makes the `deleted` event, because there was no key whose destruction told it.
	ForgetReservations(ctx context.Context, event func(document.ID) receipt.Event) error
}

// Retention sweeps a vault. It may run beside working workers.
type Retention struct {
	Store Store
	Vault *vault.Vault
	Log   *slog.Logger
	// Sealed is told when events were put into the outbox; nil: nobody.
	Sealed func()
}

// batch is how many keys are looked up at once: a look can cost as much as there are keys.
const batch = 1000

// Sweep destroys what is over, clears the store of what was destroyed and deletes what
// nothing refers to.
func (r *Retention) Sweep(ctx context.Context) error {
	if err := r.Expire(ctx); err != nil {
		return err
	}
	return r.DeleteUnreferenced(ctx)
}

// Expire destroys what is over and clears the store of what was destroyed.
func (r *Retention) Expire(ctx context.Context) error {
	if err := r.destroyExpired(ctx); err != nil {
		return err
	}
	neverBegun := func(job document.ID) receipt.Event { return destroyed(job, vault.Upload) }
	if err := r.Store.ForgetReservations(ctx, neverBegun); err != nil {
		return err
	}
	return r.Store.Scrub(ctx)
}

func (r *Retention) destroyExpired(ctx context.Context) error {
	for {
		now, err := r.Store.Now(ctx)
		if err != nil {
			return err
		}
		keys, err := r.Store.ExpiredKeys(ctx, now, batch)
		if err != nil || len(keys) == 0 {
			return err
		}
		for _, k := range keys {
			if err := r.Destroy(ctx, k.Job, k.Class); err != nil {
				return err
			}
		}
	}
}

// Destroy destroys one data key and what it opened. That there is none is no error.
func (r *Retention) Destroy(ctx context.Context, job document.ID, c vault.Class) error {
	had, err := r.Vault.Destroy(ctx, vault.KeyName{Job: job, Class: c}, func() error {
		return r.Store.DestroyKey(ctx, job, c, destroyed(job, c))
	})
	if had {
		r.Log.Info("data key destroyed", "job", job, "class", c)
		if r.Sealed != nil {
			r.Sealed()
		}
	}
	return err
}

// DropUpload destroys what was stored for a reservation that became no job: the keys, each
// with its event, then the blob. The reservation ends with it. Where it has become a job
// after all (the answer to its caller was lost), nothing is touched. What fails here is
// done by the next Sweep.
func (r *Retention) DropUpload(ctx context.Context, job document.ID) error {
	if err := r.Store.EndReservation(ctx, job); err != nil {
		return err
	}
	if _, err := r.Store.Job(ctx, job); !errors.Is(err, queue.ErrNotFound) {
		return err
	}
	return errors.Join(r.Destroy(ctx, job, vault.Task), r.Destroy(ctx, job, vault.Upload))
}

func destroyed(job document.ID, c vault.Class) receipt.Event {
	return receipt.Event{
		Schema: receipt.EventSchema, Kind: receipt.Deleted, Actor: "retention", Job: string(job),
		Time:     receipt.FormatTime(time.Now()),
		Artifact: &receipt.Artifact{ID: string(job), Class: string(c)},
	}
}

// DeleteUnreferenced removes blobs of attempts that did not end their job, and those
// that nobody can read any more. It looks at every blob, and asks the store about each.
func (r *Retention) DeleteUnreferenced(ctx context.Context) error {
	var fault error
	gone, err := r.Vault.Sweep(ctx, func(ref vault.Ref) bool {
		keep, err := r.counts(ctx, ref)
		fault = errors.Join(fault, err)
		return keep || err != nil // what cannot be judged stays
	})
	if len(gone) > 0 {
		r.Log.Info("unreferenced blobs deleted", "count", len(gone))
	}
	return errors.Join(err, fault)
}

// counts reports whether a blob is worth keeping. One whose key is gone counts for
// nothing: a process died between the two halves of its destruction. No blob is begun
// before its key is stored, so what is being written in another process has one. That is
// all that a document which a client sent needs: its key goes with its reservation or job.
func (r *Retention) counts(ctx context.Context, ref vault.Ref) (bool, error) {
	if ref.Class != vault.Upload {
		if needed, err := r.needed(ctx, ref); !needed || err != nil {
			return false, err
		}
	}
	_, err := r.Store.Key(ctx, ref.Job, ref.Class)
	if reason.Of(err) == reason.VaultKeyGone {
		return false, nil
	}
	return err == nil, err
}

// needed reports whether what a worker wrote belongs to a result, or to an attempt that
// may still write: one under the last token that the job was claimed with.
func (r *Retention) needed(ctx context.Context, ref vault.Ref) (bool, error) {
	j, err := r.Store.Job(ctx, ref.Job)
	if errors.Is(err, queue.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if ref.Token != j.Token {
		return false, nil
	}
	switch j.State {
	case document.Rejected, document.Dead, document.Queued, document.Cancelled:
		return false, nil
	}
	return true, nil
}
