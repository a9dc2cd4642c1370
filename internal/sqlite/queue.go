package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

var (
	_ queue.Store         = (*DB)(nil)
	_ queue.WorkingCopies = (*DB)(nil)
)

// Enqueue implements queue.Store.
func (db *DB) Enqueue(ctx context.Context, j queue.Job, received receipt.Event) (queue.Job, bool, error) {
	var stored queue.Job
	added := false
	err := db.write(ctx, "enqueue a job", func(t *tx) (err error) {
		stored, err = t.job(sqlEnqueueKnown, sql.Named("tenant", string(j.Tenant)), sql.Named("key", j.Key))
		if !errors.Is(err, queue.ErrNotFound) {
			return err
		}
		if err := t.insert(j, ""); err != nil {
			return err
		}
		if err := t.tell(received); err != nil {
			return err
		}
		added = true
		stored, err = t.job(sqlJobByID, sql.Named("id", string(j.ID)))
		return err
	})
	if err != nil {
		return queue.Job{}, false, err
	}
	return stored, added, nil
}

// insert adds a job; fingerprint is empty for one that came without a reservation.
func (t *tx) insert(j queue.Job, fingerprint string) error {
	body := j.Policy.Body
	if body == nil {
		body = []byte{}
	}
	if _, err := t.exec(sqlEnqueuePolicy, sql.Named("digest", j.Policy.Digest[:]), sql.Named("body", body)); err != nil {
		return err
	}
	_, err := t.exec(sqlEnqueueJob,
		sql.Named("id", string(j.ID)), sql.Named("tenant", string(j.Tenant)), sql.Named("lane", string(j.Lane)),
		sql.Named("key", j.Key), sql.Named("now", t.now), sql.Named("not_before", max(t.now, ceilMillis(j.NotBefore))),
		sql.Named("input", j.Input[:]), sql.Named("bytes", j.Bytes),
		sql.Named("policy_name", j.Policy.Name), sql.Named("policy_version", j.Policy.Version),
		sql.Named("policy_digest", j.Policy.Digest[:]), sql.Named("sealed", j.Sealed),
		sql.Named("trace", j.Trace), sql.Named("fingerprint", fingerprint))
	return err
}

// Job implements queue.Store.
func (db *DB) Job(ctx context.Context, id document.ID) (queue.Job, error) {
	j, err := scanJob(db.reader.QueryRowContext(ctx, sqlJobByID, sql.Named("id", string(id))))
	return j, failed("read a job", err)
}

// Deliver implements queue.Store.
func (db *DB) Deliver(ctx context.Context, id document.ID) error {
	return db.write(ctx, "mark a job as delivered", func(t *tx) error {
		if _, err := t.exec(sqlDeliverKeep, sql.Named("id", string(id)), sql.Named("now", t.now)); err != nil {
			return err
		}
		return t.must(queue.ErrNotFound, sqlDeliver, sql.Named("id", string(id)))
	})
}

// Claim implements queue.Store.
func (db *DB) Claim(ctx context.Context, c queue.Claim, event func(queue.Job) receipt.Event) (queue.Job, error) {
	look, err := pickingFor(c)
	if err != nil {
		return queue.Job{}, err
	}
	// Idle workers ask often; only one who sees work takes the write lock.
	now, err := db.clock(ctx, db.reader)
	if err == nil {
		_, err = look.pick(ctx, db.reader, now)
	}
	if err != nil {
		return queue.Job{}, failed("look for a job", err)
	}
	var job queue.Job
	err = db.write(ctx, "claim a job", func(t *tx) error {
		id, err := look.pick(ctx, t, t.now)
		if err != nil {
			return err
		}
		if job, err = t.lend(id, c.Lease); err != nil {
			return err
		}
		return t.tell(event(job))
	})
	if err != nil {
		return queue.Job{}, err
	}
	return job, nil
}

// picking says where a claim looks for its job.
type picking struct {
	query string
	args  []any
	lanes []document.Lane // in this order
}

func pickingFor(c queue.Claim) (picking, error) {
	p := picking{query: sqlClaimPick, lanes: []document.Lane{c.Lane}}
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
	p.query, p.args = sqlClaimPickOnly, []any{sql.Named("only", string(only))}
	return p, nil
}

// pick finds the oldest ready job of the first lane that has one.
func (p picking) pick(ctx context.Context, q querier, now int64) (id string, err error) {
	for _, lane := range p.lanes {
		args := append(slices.Clip(p.args), sql.Named("lane", string(lane)), sql.Named("now", now))
		err = q.QueryRowContext(ctx, p.query, args...).Scan(&id)
		if !errors.Is(err, sql.ErrNoRows) {
			return id, err
		}
	}
	return "", queue.ErrNoJob
}

// lend takes the next token and gives the job out under it.
func (t *tx) lend(id string, lease time.Duration) (queue.Job, error) {
	token, err := t.token()
	if err != nil {
		return queue.Job{}, err
	}
	err = t.must(queue.ErrNoJob, sqlClaimTake,
		sql.Named("id", id), sql.Named("token", token), sql.Named("until", t.now+lease.Milliseconds()))
	if err != nil {
		return queue.Job{}, err
	}
	return t.job(sqlJobByID, sql.Named("id", id))
}

// token takes the next number of the one sequence of fencing tokens.
func (t *tx) token() (token int64, err error) {
	return token, t.QueryRowContext(t.ctx, sqlClaimToken).Scan(&token)
}

// Expire implements queue.Store.
func (db *DB) Expire(ctx context.Context, event func(queue.Job) receipt.Event) ([]queue.Job, error) {
	if any, err := db.anyExpired(ctx); err != nil || !any {
		return nil, failed("look for expired leases", err)
	}
	var expired []queue.Job
	err := db.write(ctx, "expire leases", func(t *tx) (err error) {
		if expired, err = t.expired(); err != nil {
			return err
		}
		for _, j := range expired {
			err := t.must(queue.ErrNotFound, sqlExpire, sql.Named("id", string(j.ID)),
				sql.Named("now", t.now), sql.Named("reason", string(reason.QueueLeaseLost)))
			if err != nil {
				return err
			}
			if err := t.tell(event(j)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return expired, nil
}

func (db *DB) anyExpired(ctx context.Context) (bool, error) {
	now, err := db.clock(ctx, db.reader)
	if err != nil {
		return false, err
	}
	var one int
	err = db.reader.QueryRowContext(ctx, sqlExpiredAny, sql.Named("now", now)).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

func (t *tx) expired() ([]queue.Job, error) {
	return collect(t.ctx, t, scanJob, sqlExpired, sql.Named("now", t.now))
}

func (t *tx) job(query string, args ...any) (queue.Job, error) {
	return scanJob(t.QueryRowContext(t.ctx, query, args...))
}

var (
	sqlEnqueueKnown  = query("enqueue_known")
	sqlEnqueuePolicy = query("enqueue_policy")
	sqlEnqueueJob    = query("enqueue_job")
	sqlJobByID       = query("job_by_id")
	sqlClaimPick     = query("claim_pick")
	sqlClaimPickOnly = query("claim_pick_only")
	sqlClaimToken    = query("claim_token")
	sqlClaimTake     = query("claim_take")
	sqlExpiredAny    = query("expired_any")
	sqlExpired       = query("expired")
	sqlExpire        = query("expire")
	sqlDeliverKeep   = query("deliver_keep")
	sqlDeliver       = query("deliver")
)
