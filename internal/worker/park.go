package worker

import (
	"cmp"
	"context"
	"errors"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
)

// askEvery is how often an attempt that is over its quantum asks the store whether others
// wait: assets can be small and many.
const askEvery = 500 * time.Millisecond

// Nice implements cell.Background: bulk documents compute with what others leave.
func (s *sink) Nice() int {
	if s.attempt.job.Lane == document.Bulk {
		return s.attempt.worker.Config.BulkNice
	}
	return 0
}

// Between implements cell.Background.
func (s *sink) Between() (rest func(context.Context) error) {
	a := s.attempt
	if !a.givesWay(s.ctx) {
		return nil
	}
	return a.park
}

// givesWay reports whether the job is to park now. It reserves nothing: the cell may die
// before it stands still, and then park is never called.
func (a *attempt) givesWay(ctx context.Context) bool {
	now := time.Now()
	if a.place == nil || a.job.Lane != document.Bulk || now.Sub(a.computes) < a.place.slots.quantum || now.Sub(a.asked) < askEvery {
		return false
	}
	a.asked = now
	waits, err := a.worker.Store.Waits(ctx, a.job.Lane, a.job.Tenant)
	if err != nil { // what it says matters little; the heartbeat will meet the same trouble
		return false
	}
	return waits && a.place.slots.room()
}

// park gives the place on and waits for another, on record in the store, so that the time
// is not charged to the tenant. Where others took the last seat meanwhile, it goes on.
func (a *attempt) park(ctx context.Context) error {
	if !a.place.slots.seat() {
		return nil
	}
	w := a.worker
	if err := w.Store.Park(ctx, a.lease, true); err != nil {
		a.place.slots.unseat()
		return err
	}
	w.meter().Yielded()
	a.log.Info("job parked", "job", a.job.ID, "token", a.lease.Token)
	if err := a.rest(ctx); err != nil {
		return err
	}
	if err := w.Store.Park(ctx, a.lease, false); err != nil {
		return err
	}
	a.computes = time.Now()
	a.log.Info("job goes on", "job", a.job.ID, "token", a.lease.Token)
	return nil
}

// rest waits for a place. It ends, and with it the attempt, where the working copy would
// outlive the expiry on record.
func (a *attempt) rest(ctx context.Context) error {
	resting, end := context.WithCancelCause(ctx)
	prolonged := make(chan struct{})
	go func() {
		defer close(prolonged)
		if err := a.prolong(resting); err != nil {
			end(err)
		}
	}()
	err := a.place.rest(resting, a.job.Lane, a.job.Tenant)
	end(nil)
	<-prolonged
	return err
}

// held is what the record says of an attempt's working copy.
type held struct {
	id      string
	expires time.Time     // by the store's clock
	spare   time.Duration // of it, for how long the job may still be parked
}

// parkedAhead is the default of Config.ParkedAhead.
const parkedAhead = 10 * time.Minute

// spare is the part of an expiry that is there for a job to be parked in.
func (a *attempt) spare() time.Duration {
	if a.place == nil || a.job.Lane != document.Bulk {
		return 0
	}
	return cmp.Or(a.worker.Config.ParkedAhead, parkedAhead)
}

// prolong sets the expiry of a parked job's copy later, before the time is used up that it
// leaves for that, until ctx ends. The error is the store's, where it could not be set in
// time.
func (a *attempt) prolong(ctx context.Context) error {
	ahead := a.spare()
	began := time.Now()
	defer func() { a.held.spare -= time.Since(began) }()
	left := func() time.Duration { return a.held.spare - time.Since(began) }
	due := time.NewTimer(left() - ahead/5)
	defer due.Stop()
	for {
		select {
		case <-due.C:
		case <-ctx.Done():
			return nil
		}
		err := a.setLater(ctx, ahead)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			due.Reset(left() - ahead/5)
		case errors.Is(err, queue.ErrLeaseLost) || left() <= 0:
			return err
		default: // what passes may pass in time
			due.Reset(ahead / 50)
		}
	}
}

func (a *attempt) setLater(ctx context.Context, by time.Duration) error {
	expires := a.held.expires.Add(by)
	err := a.worker.Store.Prolong(ctx, a.lease, a.held.id, expires, a.worker.extended(a.job.ID, a.held.id, expires))
	if err == nil {
		a.held.expires, a.held.spare = expires, a.held.spare+by
		a.worker.told()
	}
	return err
}
