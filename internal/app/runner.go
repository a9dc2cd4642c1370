package app

import (
	"context"
	"errors"

	"blotter/internal/cell"
	"blotter/internal/document"
	"blotter/internal/intake"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/worker"
)

// runner is the synchronous path's own pool: a few cells and slots apart from the
// workers', so that neither waits for the other.
type runner struct {
	worker *worker.Worker
	store  interface {
		Job(context.Context, document.ID) (queue.Job, error)
	}
	changes intake.Changes
	cells   *cell.Pool
	slots   chan struct{} // holds one token for each image that is worked on
}

// Slot implements intake.Runner.
func (r *runner) Slot() (func(), error) {
	select {
	case r.slots <- struct{}{}:
		return func() { <-r.slots }, nil
	default:
		return nil, reason.Because(reason.APIBusy, nil)
	}
}

// Run implements intake.Runner. The work does not end with ctx: whoever gives up cancels
// the job, and with its lease its cell goes.
func (r *runner) Run(ctx context.Context, id document.ID) (queue.Job, error) {
	changed, stop := r.changes.Watch(id)
	defer stop()
	failed := make(chan error, 1)
	go func() {
		_, err := r.worker.Next(context.WithoutCancel(ctx), worker.Want{Only: []document.ID{id}})
		if !errors.Is(err, queue.ErrNoJob) { // else another worker was faster, and there is only the end to wait for
			failed <- err
		}
	}()
	for {
		j, err := r.store.Job(ctx, id)
		if err != nil || j.State.Ended() {
			return j, err
		}
		select {
		case <-changed:
		case err := <-failed:
			if err != nil {
				return queue.Job{}, err
			}
			failed = nil
		case <-ctx.Done():
			return queue.Job{}, context.Cause(ctx)
		}
	}
}
