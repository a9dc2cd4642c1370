package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"blotter/internal/document"
	"blotter/internal/vault"
	"blotter/receipt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

var _ vault.Keys = (*DB)(nil)

// PutKey implements vault.Keys.
func (db *DB) PutKey(ctx context.Context, job document.ID, c vault.Class, wrapped []byte) ([]byte, error) {
	var stored []byte
	err := db.write(ctx, "store a data key", func(t *tx) error {
		expires := int64(0)
		if life := c.FirstLife(); life > 0 {
			expires = t.now + life.Milliseconds()
		}
		var steps pgx.Batch
		steps.Queue(sqlKeyAdd, named{"job": job, "class": c, "wrapped": wrapped, "now": t.now, "expires": expires})
		steps.Queue(sqlKeyAdded, named{"job": job, "class": c}).QueryRow(func(r pgx.Row) error { return gone(r.Scan(&stored)) })
		return t.SendBatch(t.ctx, &steps).Close()
	})
	return stored, err
}

// Key implements vault.Keys.
func (db *DB) Key(ctx context.Context, job document.ID, c vault.Class) (wrapped []byte, err error) {
	err = gone(db.pool.QueryRow(ctx, sqlKey, named{"job": job, "class": c}).Scan(&wrapped))
	return wrapped, failed("read a data key", err)
}

// gone is what it means that no row is there.
func gone(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return vault.ErrKeyGone
	}
	return err
}

// expiredTimeout bounds the look at every key that there is: measured, a million keys of
// half a million jobs took half a minute on a busy machine with two cores.
const expiredTimeout = 5 * time.Minute

// ExpiredKeys implements retention.Store. Keys whose time is over are read from an index;
// only where they are fewer than asked for it looks at all keys, for those that a dead
// process or an ended job left.
func (db *DB) ExpiredKeys(ctx context.Context, now time.Time, n int) ([]vault.KeyName, error) {
	args := named{"now": toMillis(now), "hand_over": vault.HandOver.Milliseconds(), "n": n}
	out, err := collect(ctx, db.pool, scanKeyName, sqlKeysDue, args)
	if err == nil && len(out) < n {
		args["orphan"] = vault.OrphanAge.Milliseconds()
		out, err = db.allExpiredKeys(ctx, args)
	}
	return out, failed("look for expired data keys", err)
}

// allExpiredKeys asks in a transaction, for a patience of its own.
func (db *DB) allExpiredKeys(ctx context.Context, args named) (out []vault.KeyName, err error) {
	err = pgx.BeginTxFunc(ctx, db.pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(t pgx.Tx) error {
		if _, err := t.Exec(ctx, sqlKeysPatience, named{"statement": fmt.Sprint(expiredTimeout.Milliseconds())}); err != nil {
			return err
		}
		out, err = collect(ctx, t, scanKeyName, sqlKeysExpired, args)
		return err
	})
	return out, err
}

func scanKeyName(r pgx.Row) (k vault.KeyName, err error) {
	return k, r.Scan(&k.Job, &k.Class)
}

// DestroyKey implements retention.Store. Locks are taken in the order of every write:
// reservation, job, key. What the server's files still hold of the key is left to Scrub.
func (db *DB) DestroyKey(ctx context.Context, job document.ID, c vault.Class, event receipt.Event) error {
	body, err := encode(event)
	if err != nil {
		return err
	}
	return db.write(ctx, "destroy a data key", func(t *tx) error {
		removed := int64(0)
		key := named{"job": job, "class": c}
		var steps pgx.Batch
		steps.Queue(sqlReserveEnd, named{"job": job})
		if c == vault.Task {
			steps.Queue(sqlTaskForget, named{"job": job})
		}
		steps.Queue(sqlKeyRemove, key).Exec(func(tag pgconn.CommandTag) error { removed = tag.RowsAffected(); return nil })
		steps.Queue(sqlKeyTombstone, named{"job": job, "class": c, "now": t.now})
		steps.Queue(sqlOutboxAdd, named{"event": body, "job": "", "state": "", "now": t.now})
		if err := t.SendBatch(t.ctx, &steps).Close(); err != nil {
			return err
		}
		if removed == 0 {
			return vault.ErrKeyGone
		}
		t.hint.work = true
		return nil
	})
}

// EndReservation implements retention.Store.
func (db *DB) EndReservation(ctx context.Context, job document.ID) error {
	return db.write(ctx, "end a reservation", func(t *tx) error {
		_, err := t.exec(sqlReserveEnd, named{"job": job})
		return err
	})
}

// ForgetReservations implements retention.Store.
func (db *DB) ForgetReservations(ctx context.Context, event func(document.ID) receipt.Event) error {
	var any bool
	err := db.pool.QueryRow(ctx, sqlReserveAnyForgettable, named{"offset": db.ahead()}).Scan(&any)
	if err != nil || !any {
		return failed("look for ended reservations", err)
	}
	return db.write(ctx, "forget ended reservations", func(t *tx) error {
		unwritten, err := collect(t.ctx, t, func(r pgx.Row) (id document.ID, err error) { return id, r.Scan(&id) },
			sqlReserveForget, named{"now": t.now})
		if err != nil {
			return err
		}
		for _, id := range unwritten {
			if err := t.tell(event(id)); err != nil {
				return err
			}
		}
		return nil
	})
}

var (
	sqlKeyAdd                = query("key_add")
	sqlKeyAdded              = query("key_added")
	sqlKey                   = query("key")
	sqlKeysDue               = query("keys_due")
	sqlKeysPatience          = query("keys_patience")
	sqlKeysExpired           = query("keys_expired")
	sqlTaskForget            = query("task_forget")
	sqlKeyRemove             = query("key_remove")
	sqlKeyTombstone          = query("key_tombstone")
	sqlReserveEnd            = query("reserve_end")
	sqlReserveAnyForgettable = query("reserve_any_forgettable")
	sqlReserveForget         = query("reserve_forget")
)
