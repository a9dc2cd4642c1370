package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/receipt"
)

// Claim implements queue.Store.
func (db *DB) Claim(ctx context.Context, c queue.Claim, event func(queue.Job) receipt.Event) (queue.Job, error) {
	p, err := pickingFor(c)
	if err != nil {
		return queue.Job{}, err
	}
	// Idle workers ask often; only one who sees work takes the write lock.
	now, err := db.clock(ctx, db.reader)
	worth := false
	if err == nil {
		worth, err = p.worth(ctx, db.reader, now)
	}
	if err == nil && !worth {
		err = queue.ErrNoJob
	}
	if err != nil {
		return queue.Job{}, failed("look for a job", err)
	}
	var job queue.Job
	err = db.write(ctx, "claim a job", func(t *tx) error {
		s, id, err := p.pick(t)
		if err != nil || id == "" {
			return err // nothing is ready after all, which is worth keeping: see rest
		}
		if job, err = t.lend(s, id, c.Lease, p.only == ""); err != nil {
			return err
		}
		return t.tell(event(job))
	})
	if err == nil && job.ID == "" {
		err = queue.ErrNoJob
	}
	if err != nil {
		return queue.Job{}, err
	}
	return job, nil
}

// picking says where a claim looks for its job.
type picking struct {
	only  string          // JSON list of the jobs that were named; empty: any
	lanes []document.Lane // in this order
}

func pickingFor(c queue.Claim) (picking, error) {
	p := picking{lanes: []document.Lane{c.Lane}}
	if c.Lane == "" {
		p.lanes = document.Lanes()
	}
	if c.Only == nil {
		return p, nil
	}
	only, err := json.Marshal(c.Only)
	if err != nil {
		return picking{}, fmt.Errorf("sqlite: encode the wanted jobs: %w", err)
	}
	p.only = string(only)
	return p, nil
}

// worth reports whether a transaction would find something to do.
func (p picking) worth(ctx context.Context, q querier, now int64) (worth bool, err error) {
	for _, lane := range p.lanes {
		if p.only == "" {
			err = q.QueryRowContext(ctx, sqlShareAny, sql.Named("lane", string(lane)), sql.Named("now", now)).Scan(&worth)
		} else {
			_, id, failed := p.named(ctx, q, lane, now)
			worth, err = id != "", failed
		}
		if worth || err != nil {
			return worth, err
		}
	}
	return false, nil
}

// pick finds the job to lend, in the first lane that has one; none: an empty id.
func (p picking) pick(t *tx) (s share, id string, err error) {
	for _, lane := range p.lanes {
		if p.only == "" {
			s, id, err = t.next(lane)
		} else {
			s, id, err = p.named(t.ctx, t, lane, t.now)
		}
		if id != "" || err != nil {
			return s, id, err
		}
	}
	return s, "", nil
}

// named finds the job of those named that has been ready in a lane for the longest.
func (p picking) named(ctx context.Context, q querier, lane document.Lane, now int64) (s share, id string, err error) {
	s.lane = lane
	err = q.QueryRowContext(ctx, sqlClaimPickOnly, sql.Named("only", p.only), sql.Named("lane", string(lane)), sql.Named("now", now)).
		Scan(&s.tenant, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return s, "", nil
	}
	return s, id, err
}

// lend takes the next token and gives the job out under it. A share whose last ready job it
// was rests at once, so that no claim has to look past it.
func (t *tx) lend(s share, id string, lease time.Duration, inTurn bool) (queue.Job, error) {
	token, err := t.token()
	if err != nil {
		return queue.Job{}, err
	}
	charged, err := t.start(s, inTurn)
	if err != nil {
		return queue.Job{}, err
	}
	err = t.must(queue.ErrNoJob, sqlClaimTake, sql.Named("id", id), sql.Named("token", token), sql.Named("now", t.now),
		sql.Named("until", t.now+lease.Milliseconds()), sql.Named("charged", charged))
	if err != nil {
		return queue.Job{}, err
	}
	if err := t.rest(s); err != nil {
		return queue.Job{}, err
	}
	return t.job(sqlJobByID, sql.Named("id", id))
}

// token takes the next number of the one sequence of fencing tokens.
func (t *tx) token() (token int64, err error) {
	return token, t.QueryRowContext(t.ctx, sqlClaimToken).Scan(&token)
}

var (
	sqlClaimPickOnly = query("claim_pick_only")
	sqlClaimToken    = query("claim_token")
	sqlClaimTake     = query("claim_take")
)
