package app

import (
	"context"
	"errors"

	"blotter/client"
	"blotter/internal/audit"
	"blotter/internal/document"
	"blotter/internal/intake"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

// jobPage is how many jobs are read at once, and trailPage how many events.
const (
	jobPage   = 200
	trailPage = 200
)

// Jobs tells each of the jobs that f chooses, the latest first: at most most of them, or
// all where most is 0; f's own limit and place do not count. It returns how many it told,
// and whether there are more.
func (d *Desk) Jobs(ctx context.Context, f queue.Filter, most int, each func(client.Job) error) (told int, more bool, err error) {
	f.Limit, f.Before = jobPage, 0
	for {
		page, err := d.station.store.Jobs(ctx, f)
		if err != nil {
			return told, false, err
		}
		for _, l := range page {
			if most > 0 && told == most {
				return told, true, nil
			}
			if err := d.tell(l.Job, each); err != nil {
				return told, false, err
			}
			told, f.Before = told+1, l.Arrival
		}
		if len(page) < jobPage {
			return told, false, nil
		}
	}
}

func (d *Desk) tell(j queue.Job, each func(client.Job) error) error {
	view, err := d.view(j)
	if err != nil {
		return err
	}
	return each(view)
}

// JobTrail is a job with its signed events.
type JobTrail struct {
	client.Job
	Trail []receipt.Event `json:"trail"` // in the order of their sequence numbers
}

// Job shows a job as it stands. Errors: job.unknown.
func (d *Desk) Job(ctx context.Context, id string) (JobTrail, error) {
	j, err := d.job(ctx, id)
	if err != nil {
		return JobTrail{}, err
	}
	view, err := d.view(j)
	if err != nil {
		return JobTrail{}, err
	}
	trail, err := d.trail(ctx, j.ID)
	return JobTrail{Job: view, Trail: trail}, err
}

func (d *Desk) trail(ctx context.Context, id document.ID) ([]receipt.Event, error) {
	out, after := []receipt.Event{}, int64(-1)
	for {
		page, err := d.station.store.Trail(ctx, id, after, trailPage)
		if err != nil {
			return nil, err
		}
		for _, s := range page {
			opened, err := receipt.Open(s.Envelope)
			if err != nil {
				return nil, audit.Coded(err)
			}
			out, after = append(out, opened.Event), s.Sequence
		}
		if len(page) < trailPage {
			return out, nil
		}
	}
}

// Replay puts a dead job back into the queue; a service that runs on the data directory
// takes it up. Errors: job.unknown; job.not_dead; job.not_replayable.
func (d *Desk) Replay(ctx context.Context, id string) (client.Job, error) {
	return d.decide(ctx, id, decision{do: d.station.store.Replay, kind: receipt.Replayed, brings: document.Queued})
}

// Discard ends a dead job and destroys what was kept for it. Errors: job.unknown;
// job.not_dead.
func (d *Desk) Discard(ctx context.Context, id string) (client.Job, error) {
	return d.decide(ctx, id, decision{
		do: d.station.store.Discard, kind: receipt.Cancelled, brings: document.Cancelled, why: reason.JobDiscarded,
	})
}

// Cancel ends a job that has not ended and destroys what was kept for it; a worker that
// holds it stops. Errors: job.unknown; job.ended.
func (d *Desk) Cancel(ctx context.Context, id string) (client.Job, error) {
	return d.decide(ctx, id, decision{
		do: d.station.store.Cancel, kind: receipt.Cancelled, brings: document.Cancelled, why: reason.JobCancelled,
	})
}

// decision is an act of an operator on a job, and what its event says.
type decision struct {
	do     func(ctx context.Context, id document.ID, event func(queue.Job) receipt.Event) (queue.Job, error)
	kind   receipt.Kind
	brings document.State
	why    reason.Code
}

// decide acts on a job and returns it as it stands once that is on record.
func (d *Desk) decide(ctx context.Context, name string, c decision) (client.Job, error) {
	id, err := parseJob(name)
	if err != nil {
		return client.Job{}, err
	}
	err = d.act(ctx, func(ctx context.Context) error {
		_, err := c.do(ctx, id, func(j queue.Job) receipt.Event {
			return intake.Acted(c.kind, j, actorCLI, c.brings, c.why)
		})
		if err == nil && c.brings == document.Cancelled {
			d.station.destroyAll(ctx, id)
		}
		return known(err)
	})
	if err != nil {
		return client.Job{}, err
	}
	j, err := d.station.store.Job(ctx, id)
	if err != nil {
		return client.Job{}, err
	}
	return d.view(j)
}

func (d *Desk) job(ctx context.Context, name string) (queue.Job, error) {
	id, err := parseJob(name)
	if err != nil {
		return queue.Job{}, err
	}
	j, err := d.station.store.Job(ctx, id)
	return j, known(err)
}

func (d *Desk) view(j queue.Job) (client.Job, error) { return intake.View(j, d.station.cfg.Budgets) }

// parseJob takes what no job can be called for a job that is not there.
func parseJob(name string) (document.ID, error) {
	id, err := document.ParseID(name)
	if err != nil {
		return "", reason.Because(reason.JobUnknown, err)
	}
	return id, nil
}

// known gives the absence of a job its code.
func known(err error) error {
	if errors.Is(err, queue.ErrNotFound) {
		return reason.Because(reason.JobUnknown, err)
	}
	return err
}
