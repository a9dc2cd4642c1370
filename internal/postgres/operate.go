package postgres

import (
	"context"
	"errors"
	"math"
	"strings"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"

	"github.com/jackc/pgx/v5"
)

// Jobs implements queue.Operations.
func (db *DB) Jobs(ctx context.Context, f queue.Filter) ([]queue.Listed, error) {
	query, args := listing(f)
	if query == "" {
		return nil, nil // no job is ever in a state that we do not know
	}
	out, err := collect(ctx, db.pool, scanListed, query, args)
	return out, failed("list jobs", err)
}

// listing is the query whose index fits a filter.
func listing(f queue.Filter) (query string, args named) {
	args = named{"lane": f.Lane, "reason": f.Reason, "before": f.Before, "n": f.Limit}
	if f.Before == 0 {
		args["before"] = int64(math.MaxInt64)
	}
	if f.Tenant != "" {
		args["tenant"] = f.Tenant
	}
	switch {
	case f.Tenant != "" && f.State != "":
		return sqlJobsOfTenantInState[f.State], args
	case f.Tenant != "":
		return sqlJobsOfTenant, args
	case f.State != "":
		return sqlJobsInState[f.State], args
	}
	return sqlJobsAll, args
}

// byState makes a query for each state, with the condition that finds its jobs by an index.
func byState(query string) map[document.State]string {
	out := map[document.State]string{}
	for _, s := range document.States() {
		condition := "final = '" + string(s) + "'"
		switch s {
		case document.Queued:
			condition = "state = 'queued' AND seq IN (SELECT seq FROM waiting)"
		case document.Leased:
			condition = "state = 'leased' AND seq IN (SELECT seq FROM lent)"
		case document.Sealing: // each waits for an event in the outbox
			condition = "state = 'sealing' AND id IN (SELECT job FROM outbox WHERE job <> '')"
		}
		out[s] = strings.ReplaceAll(query, "STATE", condition)
	}
	return out
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
	err := t.must(reason.Because(refused, nil), step, named{"id": id, "reason": why, "now": t.now})
	if err != nil {
		return err
	}
	j, err := t.job(id)
	if err != nil {
		return err
	}
	return t.outbox(event(j), id, document.Cancelled)
}

// Replay implements queue.Operations.
func (db *DB) Replay(ctx context.Context, id document.ID, event func(queue.Job) receipt.Event) (queue.Job, error) {
	return db.act(ctx, "replay a job", id, func(t *tx) error {
		err := t.must(reason.Because(reason.JobNotDead, nil), sqlJobReplay, named{"id": id, "now": t.now})
		if err != nil {
			return err
		}
		whole := false
		if err := t.QueryRow(t.ctx, sqlJobReplayable, named{"id": id}).Scan(&whole); err != nil {
			return err
		}
		if !whole {
			return reason.Because(reason.JobNoReplay, nil)
		}
		j, err := t.job(id)
		if err != nil {
			return err
		}
		t.queued(share{j.Lane, j.Tenant}, t.now)
		return t.tell(event(j))
	})
}

// act runs what somebody does with a job, which must be there, and returns the job as it
// stands then. What a leased job cost is settled, since every act takes its lease.
func (db *DB) act(ctx context.Context, what string, id document.ID, do func(*tx) error) (j queue.Job, err error) {
	err = db.write(ctx, what, func(t *tx) error {
		var a account
		var state document.State
		if _, err := t.exec(sqlJobLine, named{"id": id}); err != nil {
			return err
		}
		err := t.QueryRow(t.ctx, sqlJobHold, named{"id": id, "now": t.now}).Scan(&state, &a.lane, &a.tenant, &a.charged, &a.used)
		if errors.Is(err, pgx.ErrNoRows) {
			return queue.ErrNotFound
		}
		if err != nil {
			return err
		}
		if err := do(t); err != nil {
			return err
		}
		if state == document.Leased {
			t.settle(a)
		}
		t.moved(id)
		j, err = t.job(id)
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
	var copied, appended, now int64
	err = db.pool.QueryRow(ctx, sqlPressure, named{"offset": db.ahead()}).Scan(&p.Dead, &p.Copies, &copied, &p.Outbox, &appended, &now)
	if err != nil {
		return p, err
	}
	p.At, p.OldestCopy, p.OldestOutbox = fromMillis(now), fromMillis(copied), fromMillis(appended)
	p.Depths, err = collect(ctx, db.pool, scanDepth, sqlDepths, named{"now": now})
	return p, err
}

func scanDepth(r pgx.Row) (d queue.Depth, err error) {
	var oldest int64
	err = r.Scan(&d.Tenant, &d.Lane, &d.Ready, &d.Later, &d.Leased, &d.Parked, &oldest)
	d.Oldest = fromMillis(oldest)
	return d, err
}

var (
	sqlJobsAll             = query("jobs_all")
	sqlJobsOfTenant        = query("jobs_of_tenant")
	sqlJobsInState         = byState(query("jobs_in_state"))
	sqlJobsOfTenantInState = byState(query("jobs_of_tenant_in_state"))
	sqlJobLine             = query("job_line")
	sqlJobHold             = query("job_hold")
	sqlJobCancel           = query("job_cancel")
	sqlJobDiscard          = query("job_discard")
	sqlJobReplayable       = query("job_replayable")
	sqlJobReplay           = query("job_replay")
	sqlDepths              = query("depths")
	sqlPressure            = query("pressure")
)
