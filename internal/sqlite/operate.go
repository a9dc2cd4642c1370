package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"math"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

var _ queue.Operations = (*DB)(nil)

// Jobs implements queue.Operations.
func (db *DB) Jobs(ctx context.Context, f queue.Filter) ([]queue.Listed, error) {
	before := f.Before
	if before == 0 {
		before = math.MaxInt64
	}
	out, err := collect(ctx, db.reader, scanListed, listing(f),
		sql.Named("tenant", string(f.Tenant)), sql.Named("state", string(f.State)), sql.Named("lane", string(f.Lane)),
		sql.Named("reason", string(f.Reason)), sql.Named("before", before), sql.Named("n", f.Limit))
	return out, failed("list jobs", err)
}

// listing is the query whose index fits a filter.
func listing(f queue.Filter) string {
	switch {
	case f.Tenant != "" && f.State != "":
		return sqlJobsOfTenantInState
	case f.Tenant != "":
		return sqlJobsOfTenant
	case f.State != "":
		return sqlJobsInState
	}
	return sqlJobsAll
}

// Cancel implements queue.Operations.
func (db *DB) Cancel(ctx context.Context, id document.ID, event func(queue.Job) receipt.Event) (queue.Job, error) {
	return db.act(ctx, "cancel a job", id, func(t *tx) error {
		return t.end(id, sqlJobCancel, reason.JobCancelled, reason.JobEnded, event)
	})
}

// Discard implements queue.Operations.
func (db *DB) Discard(ctx context.Context, id document.ID, event func(queue.Job) receipt.Event) (queue.Job, error) {
	return db.act(ctx, "discard a job", id, func(t *tx) error {
		return t.end(id, sqlJobDiscard, reason.JobDiscarded, reason.JobNotDead, event)
	})
}

// end moves a job towards Cancelled; refused is the code for one that is not in a state
// from which the step leads there.
func (t *tx) end(id document.ID, step string, why, refused reason.Code, event func(queue.Job) receipt.Event) error {
	a, err := t.account(id)
	leased := err == nil
	if err != nil && !errors.Is(err, queue.ErrLeaseLost) {
		return err
	}
	err = t.must(reason.Because(refused, nil), step, sql.Named("id", string(id)), sql.Named("reason", string(why)), sql.Named("now", t.now))
	if err != nil {
		return err
	}
	if leased {
		if err := t.settle(a); err != nil {
			return err
		}
	}
	j, err := t.job(sqlJobByID, sql.Named("id", string(id)))
	if err != nil {
		return err
	}
	return t.outbox(event(j), id, document.Cancelled)
}

// Replay implements queue.Operations.
func (db *DB) Replay(ctx context.Context, id document.ID, event func(queue.Job) receipt.Event) (queue.Job, error) {
	return db.act(ctx, "replay a job", id, func(t *tx) error {
		err := t.must(reason.Because(reason.JobNotDead, nil), sqlJobReplay, sql.Named("id", string(id)), sql.Named("now", t.now))
		if err != nil {
			return err
		}
		whole := false
		if err := t.QueryRowContext(t.ctx, sqlJobReplayable, sql.Named("id", string(id))).Scan(&whole); err != nil {
			return err
		}
		if !whole {
			return reason.Because(reason.JobNoReplay, nil)
		}
		j, err := t.job(sqlJobByID, sql.Named("id", string(id)))
		if err != nil {
			return err
		}
		if err := t.queued(share{j.Lane, j.Tenant}, t.now); err != nil {
			return err
		}
		return t.tell(event(j))
	})
}

// act runs what somebody does with a job, which must be there, and returns the job as it
// stands then.
func (db *DB) act(ctx context.Context, what string, id document.ID, do func(*tx) error) (j queue.Job, err error) {
	err = db.write(ctx, what, func(t *tx) error {
		if _, err := t.job(sqlJobByID, sql.Named("id", string(id))); err != nil {
			return err
		}
		if err := do(t); err != nil {
			return err
		}
		j, err = t.job(sqlJobByID, sql.Named("id", string(id)))
		return err
	})
	if err != nil {
		return queue.Job{}, err
	}
	return j, nil
}

// Tell implements queue.Operations.
func (db *DB) Tell(ctx context.Context, event receipt.Event) error {
	return db.write(ctx, "append an event", func(t *tx) error { return t.tell(event) })
}

// Pressure implements queue.Operations.
func (db *DB) Pressure(ctx context.Context) (queue.Pressure, error) {
	p, err := db.pressure(ctx)
	return p, failed("measure what waits", err)
}

func (db *DB) pressure(ctx context.Context) (p queue.Pressure, err error) {
	now, err := db.clock(ctx, db.reader)
	if err != nil {
		return p, err
	}
	var copied, appended int64
	err = db.reader.QueryRowContext(ctx, sqlPressure).Scan(&p.Dead, &p.Copies, &copied, &p.Outbox, &appended)
	if err != nil {
		return p, err
	}
	p.At, p.OldestCopy, p.OldestOutbox = fromMillis(now), fromMillis(copied), fromMillis(appended)
	p.Depths, err = collect(ctx, db.reader, scanDepth, sqlDepths, sql.Named("now", now))
	return p, err
}

func scanDepth(r row) (d queue.Depth, err error) {
	var oldest int64
	err = r.Scan(&d.Tenant, &d.Lane, &d.Ready, &d.Later, &d.Leased, &d.Parked, &oldest)
	d.Oldest = fromMillis(oldest)
	return d, err
}

var (
	sqlJobsAll             = query("jobs_all")
	sqlJobsOfTenant        = query("jobs_of_tenant")
	sqlJobsInState         = query("jobs_in_state")
	sqlJobsOfTenantInState = query("jobs_of_tenant_in_state")
	sqlJobCancel           = query("job_cancel")
	sqlJobDiscard          = query("job_discard")
	sqlJobReplayable       = query("job_replayable")
	sqlJobReplay           = query("job_replay")
	sqlDepths              = query("depths")
	sqlPressure            = query("pressure")
)
