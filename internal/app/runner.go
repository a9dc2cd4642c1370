package app

import (
	"context"
	"errors"
	"sync"

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

	work  sync.WaitGroup  // on images, however many still wait for them
	until <-chan struct{} // closed when all work must end; set before the first Run
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
// the job, and with its lease its cell goes. At the end of the grace time it goes too.
func (r *runner) Run(ctx context.Context, id document.ID) (queue.Job, error) {
	changed, stop := r.changes.Watch(id)
	defer stop()
	failed := make(chan error, 1)
	r.work.Go(func() {
		err := r.next(context.WithoutCancel(ctx), id)
		if !errors.Is(err, queue.ErrNoJob) { // else another worker was faster, and there is only the end to wait for
			failed <- err
		}
	})
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

// next works on a job as far as it gets in the time of this process.
func (r *runner) next(ctx context.Context, id document.ID) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-r.until:
			cancel()
		case <-ctx.Done():
		}
	}()
	_, err := r.worker.Next(ctx, worker.Want{Only: []document.ID{id}})
	return err
}
