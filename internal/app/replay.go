package app

import (
	"context"
	"time"

	"blotter/client"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
)

// ReplayAll puts every dead job that f chooses back into the queue, perSecond of them at
// most, so that what recovers is not run over again, and tells each as it stands then.
// One that another operator moved meanwhile, and one whose order was destroyed, is passed
// over. It returns how many were replayed and passed over.
func (d *Desk) ReplayAll(ctx context.Context, f queue.Filter, perSecond int, each func(client.Job) error) (replayed, passed int, err error) {
	f.State = document.Dead
	pace := time.NewTicker(time.Second / time.Duration(perSecond))
	defer pace.Stop()
	_, _, err = d.Jobs(ctx, f, 0, func(j client.Job) error {
		if replayed > 0 {
			select {
			case <-pace.C:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		job, err := d.Replay(ctx, j.ID)
		switch reason.Of(err) {
		case "":
		case reason.JobNotDead, reason.JobNoReplay, reason.JobUnknown:
			passed++
			return nil
		default:
			return err
		}
		replayed++
		return each(job)
	})
	return replayed, passed, err
}
