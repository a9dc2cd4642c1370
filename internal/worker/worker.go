// Package worker takes jobs from the queue and brings each to its end: fetch the
// document into a private working copy, let a cell redact it, put the derivatives into
// the vault, and finish the job with the event that the receipt will prove.
//
// A worker parses nothing and sees no text. Every write it makes is fenced by its
// lease; what it cannot finish, another worker begins anew. The steps are listed in
// pipeline.go, in their order.
package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"go.opentelemetry.io/otel/trace"

	"blotter/internal/cell"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/vault"
	"blotter/internal/worker/workdir"
	"blotter/receipt"
)

// Store is what a worker needs of the store.
type Store interface {
	queue.Store
	queue.WorkingCopies

	// DestroyKey deletes a data key and appends the event of it, in one transaction. A
	// key that is not there is an error with code vault.key_destroyed.
	DestroyKey(ctx context.Context, job document.ID, c vault.Class, event receipt.Event) error
}

// Cells redacts documents, each in a confined process of its own (cell.Pool).
type Cells interface {
	// Run gives a fresh cell the document, open for reading alone, and the sink its
	// assets, until the cell is gone. An error carries the reason why nothing of the
	// document can be released.
	Run(ctx context.Context, doc *os.File, t wire.Task, s cell.Sink) (cell.Report, error)
}

// Config is what an operator may set of a worker.
type Config struct {
	Lease     time.Duration // length of a lease without a heartbeat
	Heartbeat time.Duration // a third of the lease
	Backoff   queue.Backoff
	// ParkedAhead is for how long a job may be parked before the recorded expiry of its
	// working copy is set later: each time costs an event. 0: 10 minutes.
	ParkedAhead time.Duration
	BulkNice    int // how far below this process's the priority of cells with bulk documents is, 0 to 19
}

// Worker processes one job at a time; several goroutines may share one.
type Worker struct {
	Config  Config
	Store   Store
	Vault   *vault.Vault
	Sources Sources // nil: files that the command line was given, and nothing else
	Cells   Cells
	Root    *workdir.Root
	Node    string       // opaque name of this node, whose disk Root is on
	Code    receipt.Code // the program and its engines, for events
	Log     *slog.Logger

	Budgets document.Budgets // stages that take longer are marked on job, event and meter
	Meter   Meter            // nil: nobody watches
	Tracer  trace.Tracer     // nil: no spans

	// Sealed is told after each transaction that put events into the outbox; nil: nobody.
	Sealed func()
	// Progress is told how far a job is; nil: nobody.
	Progress func(job document.ID, stage document.Stage, asset int)

	attempts attempts
}

// Want says which jobs to work on.
type Want struct {
	Only []document.ID // no other job; nil: any
	Lane document.Lane // no other lane; empty: interactive jobs first, then bulk

	// Place is the claimant's, which a bulk job may give on; nil: it computes where no other
	// waits for its place.
	Place *Place
}

// Next claims a job and brings it as far as it gets: to its end, or back into the
// queue. It returns queue.ErrNoJob where nothing is ready, the cause of ctx where the
// process is stopping, and otherwise an error only where the store itself failed.
func (w *Worker) Next(ctx context.Context, want Want) (document.ID, error) {
	got := w.attempts.claim()
	j, err := w.Store.Claim(ctx, queue.Claim{Only: want.Only, Lane: want.Lane, Lease: w.Config.Lease}, w.claimed)
	attempt, end := got(ctx, j.ID)
	defer end()
	if err != nil {
		return "", err
	}
	w.told()
	return j.ID, w.work(ctx, attempt, j, want.Place)
}

// work makes an attempt and tells of it. process ends when this process stops; ctx also
// when the job is dropped.
func (w *Worker) work(process, ctx context.Context, j queue.Job, p *Place) error {
	ctx, span := w.span(ctx, j)
	a := &attempt{
		worker: w, job: j, lease: queue.Lease{Job: j.ID, Token: j.Token, Until: j.LeaseUntil}, bytes: j.Bytes, log: w.Log,
		place: p, computes: time.Now(),
	}
	if c := span.SpanContext(); c.HasTraceID() {
		a.log = w.Log.With("trace", c.TraceID().String())
	}
	a.log.Info("job claimed", "job", j.ID, "attempt", j.Attempt, "token", j.Token)
	err := a.make(process, ctx)
	w.told()
	if errors.Is(err, queue.ErrLeaseLost) {
		a.log.Warn("lease lost", "job", j.ID, "token", j.Token)
		a.why, err = reason.QueueLeaseLost, nil // somebody else has the job; nothing of ours counts
	}
	a.measure()
	a.trace(ctx)
	return err
}

// make runs the pipeline under the lease and writes what came of it.
func (a *attempt) make(process, ctx context.Context) error {
	w := a.worker
	kept, stop := queue.Keep(ctx, w.Store, a.lease, w.Config.Lease, w.Config.Heartbeat)
	err := a.run(kept)
	stop()
	if cause := context.Cause(process); cause != nil && err != nil {
		return errors.Join(cause, a.giveBack())
	}
	if err != nil {
		err = a.fail(ctx, err)
	}
	if err != nil && errors.Is(context.Cause(ctx), queue.ErrLeaseLost) {
		return queue.ErrLeaseLost // dropped: what failed, failed for that
	}
	return err
}

// giveBack returns the job at once when this process is told to stop, so that nobody
// waits for the lease to run out. The context is gone: the call gets its own deadline.
func (a *attempt) giveBack() error {
	ctx, cancel := context.WithTimeout(context.Background(), giveBackTime)
	defer cancel()
	now, err := a.worker.Store.Now(ctx)
	if err == nil {
		err = a.release(ctx, reason.QueueStopped, now)
	}
	if errors.Is(err, queue.ErrLeaseLost) {
		return nil
	}
	return err
}

// release gives the job back into the queue.
func (a *attempt) release(ctx context.Context, why reason.Code, notBefore time.Time) error {
	err := a.worker.Store.Release(ctx, a.lease, why, notBefore, a.worker.retried(a.job, why))
	if err == nil {
		a.ended, a.why = document.Queued, why
	}
	return err
}

// giveBackTime bounds the last write of a process that stops. Past it the lease runs
// out by itself.
const giveBackTime = 5 * time.Second

// fail ends an attempt: the reason's class alone decides whether the job goes back
// into the queue, is rejected, or is dead (mission lines M9, M10).
func (a *attempt) fail(ctx context.Context, cause error) error {
	w := a.worker
	if errors.Is(cause, queue.ErrLeaseLost) {
		return cause
	}
	code := reason.Of(cause)
	v := queue.Decide(code, a.job.Attempt, w.Config.Backoff, nil)
	a.log.Log(ctx, levelOf(v.State), "attempt failed", "job", a.job.ID, "reason", code, "state", v.State, "attempt", a.job.Attempt, "delay", v.After)
	if v.State != document.Queued {
		return a.finish(ctx, v.State, code)
	}
	now, err := w.Store.Now(ctx)
	if err != nil {
		return fmt.Errorf("worker: read the store's clock: %w", err)
	}
	return a.release(ctx, code, now.Add(max(v.After, min(reason.After(cause), w.Config.Backoff.Cap))))
}

// levelOf: that a document was rejected is an ordinary end; all else wants attention.
func levelOf(s document.State) slog.Level {
	if s == document.Rejected {
		return slog.LevelInfo
	}
	return slog.LevelWarn
}

func (w *Worker) told() {
	if w.Sealed != nil {
		w.Sealed()
	}
}
