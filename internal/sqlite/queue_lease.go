package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/vault"
	"blotter/receipt"
)

// fenced runs a step of a lease's holder: the query changes its row only while the
// token is the job's and the deadline lies ahead by the store's clock.
func (t *tx) fenced(l queue.Lease, query string, args ...any) error {
	return t.must(queue.ErrLeaseLost, query, append(t.fence(l), args...)...)
}

func (t *tx) fence(l queue.Lease) []any {
	return []any{sql.Named("id", string(l.Job)), sql.Named("token", l.Token), sql.Named("now", t.now)}
}

// holds returns queue.ErrLeaseLost unless the lease is in force.
func (t *tx) holds(l queue.Lease) error {
	var one int
	err := t.QueryRowContext(t.ctx, sqlLeaseCheck, t.fence(l)...).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return queue.ErrLeaseLost
	}
	return err
}

// heldAccount returns what the job of a lease has cost; queue.ErrLeaseLost unless the lease is in
// force.
func (t *tx) heldAccount(l queue.Lease) (account, error) {
	if err := t.holds(l); err != nil {
		return account{}, err
	}
	return t.account(l.Job)
}

// Extend implements queue.Store.
func (db *DB) Extend(ctx context.Context, l queue.Lease, d time.Duration) (queue.Lease, error) {
	err := db.write(ctx, "extend a lease", func(t *tx) error {
		a, err := t.heldAccount(l)
		if err != nil {
			return err
		}
		until, charged := t.now+d.Milliseconds(), max(a.used, a.charged)
		l.Until, a.used = fromMillis(until), charged
		if err := t.fenced(l, sqlLeaseExtend, sql.Named("until", until), sql.Named("charged", charged)); err != nil {
			return err
		}
		return t.settle(a)
	})
	if err != nil {
		return queue.Lease{}, err
	}
	return l, nil
}

// Finish implements queue.Store.
func (db *DB) Finish(ctx context.Context, l queue.Lease, o queue.Outcome) error {
	if !o.Target.Ended() {
		return fmt.Errorf("sqlite: finish a job: %q is no end", o.Target)
	}
	return db.write(ctx, "finish a job", func(t *tx) error {
		a, err := t.heldAccount(l)
		if err != nil {
			return err
		}
		err = t.fenced(l, sqlLeaseFinish, sql.Named("target", string(o.Target)),
			sql.Named("reason", string(o.Reason)), sql.Named("bytes", o.Bytes), sql.Named("result", o.Result))
		if err != nil {
			return err
		}
		if err := errors.Join(t.settle(a), t.learn(a), t.keep(l.Job, o.Keep)); err != nil {
			return err
		}
		return t.outbox(o.Event, l.Job, o.Target)
	})
}

// Park implements queue.Store.
func (db *DB) Park(ctx context.Context, l queue.Lease, parked bool) error {
	step := sqlLeaseUnpark
	if parked {
		step = sqlLeasePark
	}
	return db.write(ctx, "park a job", func(t *tx) error { return t.fenced(l, step) })
}

// keep dates the keys of a job that ends, by class. A class without a key has no row.
func (t *tx) keep(job document.ID, by map[string]time.Duration) error {
	for class, d := range by {
		_, err := t.exec(sqlKeyKeep, append(keyName(job, vault.Class(class)),
			sql.Named("now", t.now), sql.Named("keep", d.Milliseconds()))...)
		if err != nil {
			return err
		}
	}
	return nil
}

// Release implements queue.Store.
func (db *DB) Release(ctx context.Context, l queue.Lease, why reason.Code, notBefore time.Time, event receipt.Event) error {
	givenBack := 0
	if why == reason.QueueStopped {
		givenBack = 1
	}
	return db.write(ctx, "release a job", func(t *tx) error {
		a, err := t.heldAccount(l)
		if err != nil {
			return err
		}
		ready := max(t.now, ceilMillis(notBefore))
		err = t.fenced(l, sqlLeaseRelease, sql.Named("reason", string(why)), sql.Named("given_back", givenBack), sql.Named("not_before", ready))
		if err != nil {
			return err
		}
		if err := errors.Join(t.settle(a), t.queued(a.share, ready)); err != nil {
			return err
		}
		return t.tell(event)
	})
}

// Stage implements queue.WorkingCopies.
func (db *DB) Stage(ctx context.Context, l queue.Lease, c queue.WorkingCopy, event receipt.Event) error {
	return db.write(ctx, "announce a working copy", func(t *tx) error {
		if err := t.holds(l); err != nil {
			return err
		}
		_, err := t.exec(sqlCopyAdd, sql.Named("id", c.ID), sql.Named("node", c.Node), sql.Named("job", string(l.Job)),
			sql.Named("now", t.now), sql.Named("expires", toMillis(c.Expires)))
		if err != nil {
			return err
		}
		return t.tell(event)
	})
}

// Prolong implements queue.WorkingCopies.
func (db *DB) Prolong(ctx context.Context, l queue.Lease, id string, expires time.Time, event receipt.Event) error {
	return db.write(ctx, "extend a working copy", func(t *tx) error {
		if err := t.holds(l); err != nil {
			return err
		}
		err := t.must(queue.ErrLeaseLost, sqlCopyProlong, sql.Named("id", id), sql.Named("job", string(l.Job)), sql.Named("expires", toMillis(expires)))
		if err != nil {
			return err
		}
		return t.tell(event)
	})
}

// Unstage implements queue.WorkingCopies.
func (db *DB) Unstage(ctx context.Context, id string, event receipt.Event) error {
	return db.write(ctx, "strike off a working copy", func(t *tx) error {
		n, err := t.exec(sqlCopyRemove, sql.Named("id", id))
		if err != nil || n == 0 {
			return err
		}
		return t.tell(event)
	})
}

// Staged implements queue.WorkingCopies.
func (db *DB) Staged(ctx context.Context, node string) ([]queue.WorkingCopy, error) {
	out, err := collect(ctx, db.reader, scanCopy, sqlCopies, sql.Named("node", node))
	return out, failed("list working copies", err)
}

func scanCopy(r row) (queue.WorkingCopy, error) {
	var (
		c                queue.WorkingCopy
		job              string
		created, expires int64
	)
	err := r.Scan(&c.ID, &c.Node, &job, &created, &expires)
	c.Job, c.Created, c.Expires = document.ID(job), fromMillis(created), fromMillis(expires)
	return c, err
}

var (
	sqlLeaseCheck   = query("lease_check")
	sqlLeaseExtend  = query("lease_extend")
	sqlLeasePark    = query("lease_park")
	sqlLeaseUnpark  = query("lease_unpark")
	sqlLeaseFinish  = query("lease_finish")
	sqlLeaseRelease = query("lease_release")
	sqlKeyKeep      = query("key_keep")
	sqlCopyAdd      = query("copy_add")
	sqlCopyProlong  = query("copy_prolong")
	sqlCopyRemove   = query("copy_remove")
	sqlCopies       = query("copies")
)
