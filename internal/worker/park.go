package worker

import (
	"context"
	"time"

	"blotter/internal/document"
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
	err := a.place.rest(ctx, a.job.Lane, a.job.Tenant)
	if err != nil {
		return err
	}
	if err := w.Store.Park(ctx, a.lease, false); err != nil {
		return err
	}
	a.computes = time.Now()
	a.log.Info("job goes on", "job", a.job.ID, "token", a.lease.Token)
	return nil
}
