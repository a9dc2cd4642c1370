package sqlite

import (
	"context"
	"database/sql"
	"errors"

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
	notBefore := max(t.now, ceilMillis(j.NotBefore))
	_, err := t.exec(sqlEnqueueJob,
		sql.Named("id", string(j.ID)), sql.Named("tenant", string(j.Tenant)), sql.Named("lane", string(j.Lane)),
		sql.Named("key", j.Key), sql.Named("now", t.now), sql.Named("not_before", notBefore),
		sql.Named("input", j.Input[:]), sql.Named("bytes", j.Bytes),
		sql.Named("policy_name", j.Policy.Name), sql.Named("policy_version", j.Policy.Version),
		sql.Named("policy_digest", j.Policy.Digest[:]), sql.Named("sealed", j.Sealed),
		sql.Named("trace", j.Trace), sql.Named("fingerprint", fingerprint))
	if err != nil {
		return err
	}
	return t.queued(share{j.Lane, j.Tenant}, notBefore)
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
			if err := t.expire(j); err != nil {
				return err
			}
		}
		for _, j := range expired { // once all is settled: the lane's virtual time follows
			if err := t.queued(share{j.Lane, j.Tenant}, t.now); err != nil {
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

func (t *tx) expire(j queue.Job) error {
	a, err := t.account(j.ID)
	if err != nil {
		return err
	}
	err = t.must(queue.ErrNotFound, sqlExpire, sql.Named("id", string(j.ID)),
		sql.Named("now", t.now), sql.Named("reason", string(reason.QueueLeaseLost)))
	if err != nil {
		return err
	}
	return t.settle(a)
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
	sqlExpiredAny    = query("expired_any")
	sqlExpired       = query("expired")
	sqlExpire        = query("expire")
	sqlDeliverKeep   = query("deliver_keep")
	sqlDeliver       = query("deliver")
)
