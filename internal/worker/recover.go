package worker

import (
	"context"

	"blotter/internal/document"
	"blotter/internal/queue"
)

// Recover puts right what killed processes left: leases that ran out go back into the
// queue, and working copies that nobody holds are removed, each with its event. It may
// run at any time beside living workers.
func (w *Worker) Recover(ctx context.Context) error {
	if err := w.ExpireLeases(ctx); err != nil {
		return err
	}
	return w.SweepCopies(ctx)
}

// ExpireLeases makes abandoned claims visible: to the next worker, in the log of the
// process and in the trail.
func (w *Worker) ExpireLeases(ctx context.Context) error {
	expired, err := w.Store.Expire(ctx, leaseExpired)
	for _, j := range expired {
		w.Log.Warn("lease expired", "job", j.ID, "attempt", j.Attempt, "token", j.Token)
		w.meter().LeaseExpired(j.Lane)
	}
	if len(expired) > 0 {
		w.told()
	}
	return err
}

// SweepCopies removes the working copies of this node that nobody holds.
func (w *Worker) SweepCopies(ctx context.Context) error {
	jobs := map[string]document.ID{}
	known := func() ([]string, error) {
		copies, err := w.Store.Staged(ctx, w.Node)
		return idsOf(copies, jobs), err
	}
	return w.Root.Sweep(known, func(id string) error {
		w.Log.Warn("working copy removed", "job", jobs[id])
		err := w.Store.Unstage(ctx, id, unstagedBy(actorJanitor, jobs[id], id))
		w.told()
		return err
	})
}

func idsOf(copies []queue.WorkingCopy, jobs map[string]document.ID) []string {
	ids := make([]string, 0, len(copies))
	for _, c := range copies {
		ids = append(ids, c.ID)
		jobs[c.ID] = c.Job
	}
	return ids
}
