package worker

import (
	"context"
	"sync"

	"blotter/internal/document"
	"blotter/internal/queue"
)

// Drop ends the attempt that this process makes at a job, if there is one, as if its
// lease were lost: the cell is killed, the working copy removed, nothing written. It is
// for who has taken the lease away already, by cancelling the job in the store; without
// Drop the next heartbeat finds out. wait returns when the attempt is gone; it need not
// be called.
func (w *Worker) Drop(job document.ID) (wait func()) {
	gone := w.attempts.drop(job)
	return func() {
		for _, c := range gone {
			<-c
		}
	}
}

// attempts are those of this process that are under way. A job may have two: one that
// lost its lease and is winding up, and the next.
type attempts struct {
	mu       sync.Mutex
	running  map[*running]bool
	claiming int                               // claims whose job is not known yet
	dropped  map[document.ID][]chan<- struct{} // jobs dropped meanwhile, each with who waits
}

type running struct {
	job  document.ID
	drop context.CancelCauseFunc
	gone []chan<- struct{} // closed at its end
}

func (a *attempts) drop(job document.ID) (gone []<-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for r := range a.running {
		if r.job == job {
			r.drop(queue.ErrLeaseLost)
			c := make(chan struct{})
			r.gone, gone = append(r.gone, c), append(gone, c)
		}
	}
	if a.claiming > 0 { // a claim under way may have got the job before it was taken away
		c := make(chan struct{})
		a.dropped[job], gone = append(a.dropped[job], c), append(gone, c)
	}
	return gone
}

// claim announces a claim. got must be called with what it brought; where that is a job,
// it returns the context of the attempt, and end must be called at its end.
func (a *attempts) claim() (got func(context.Context, document.ID) (attempt context.Context, end func())) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running == nil {
		a.running, a.dropped = map[*running]bool{}, map[document.ID][]chan<- struct{}{}
	}
	a.claiming++
	return a.got
}

func (a *attempts) got(ctx context.Context, job document.ID) (attempt context.Context, end func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := &running{job: job}
	attempt, r.drop = context.WithCancelCause(ctx)
	if job != "" {
		a.running[r] = true
		if waiters, ok := a.dropped[job]; ok {
			r.drop(queue.ErrLeaseLost)
			r.gone = waiters
			delete(a.dropped, job)
		}
	}
	if a.claiming--; a.claiming == 0 {
		for _, waiters := range a.dropped {
			release(waiters)
		}
		clear(a.dropped)
	}
	return attempt, func() { a.end(r) }
}

func (a *attempts) end(r *running) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r.drop(nil)
	delete(a.running, r)
	release(r.gone)
	r.gone = nil
}

func release(waiters []chan<- struct{}) {
	for _, c := range waiters {
		close(c)
	}
}
