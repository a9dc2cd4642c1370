package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"blotter/internal/document"
	"blotter/internal/vault"
	"blotter/receipt"
)

var _ vault.Keys = (*DB)(nil)

// PutKey implements vault.Keys.
func (db *DB) PutKey(ctx context.Context, job document.ID, c vault.Class, wrapped []byte) ([]byte, error) {
	var stored []byte
	err := db.write(ctx, "store a data key", func(t *tx) (err error) {
		expires := int64(0)
		if life := c.FirstLife(); life > 0 {
			expires = t.now + life.Milliseconds()
		}
		_, err = t.exec(sqlKeyAdd, append(keyName(job, c),
			sql.Named("wrapped", wrapped), sql.Named("now", t.now), sql.Named("expires", expires))...)
		if err != nil {
			return err
		}
		stored, err = readKey(ctx, t, job, c)
		return err
	})
	return stored, err
}

// Key implements vault.Keys.
func (db *DB) Key(ctx context.Context, job document.ID, c vault.Class) ([]byte, error) {
	wrapped, err := readKey(ctx, db.reader, job, c)
	return wrapped, failed("read a data key", err)
}

func readKey(ctx context.Context, q querier, job document.ID, c vault.Class) (wrapped []byte, err error) {
	err = q.QueryRowContext(ctx, sqlKey, keyName(job, c)...).Scan(&wrapped)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, vault.ErrKeyGone
	}
	return wrapped, err
}

// ExpiredKeys implements retention.Store.
func (db *DB) ExpiredKeys(ctx context.Context, now time.Time, n int) ([]vault.KeyName, error) {
	out, err := collect(ctx, db.reader, func(r row) (k vault.KeyName, err error) {
		return k, r.Scan(&k.Job, &k.Class)
	}, sqlKeysExpired, sql.Named("now", toMillis(now)), sql.Named("orphan", vault.OrphanAge.Milliseconds()),
		sql.Named("hand_over", vault.HandOver.Milliseconds()), sql.Named("n", n))
	return out, failed("look for expired data keys", err)
}

// DestroyKey implements retention.Store. The row is overwritten in the file, and the
// write-ahead log is cut so that it holds no copy either; where a reader of another process
// stands in the way of that, the next Scrub does it.
func (db *DB) DestroyKey(ctx context.Context, job document.ID, c vault.Class, event receipt.Event) error {
	err := db.write(ctx, "destroy a data key", func(t *tx) error {
		if err := t.must(vault.ErrKeyGone, sqlKeyRemove, keyName(job, c)...); err != nil {
			return err
		}
		if _, err := t.exec(sqlKeyTombstone, append(keyName(job, c), sql.Named("now", t.now))...); err != nil {
			return err
		}
		if c == vault.Task {
			if _, err := t.exec(sqlTaskForget, sql.Named("job", string(job))); err != nil {
				return err
			}
		}
		if _, err := t.exec(sqlReserveEnd, sql.Named("job", string(job))); err != nil {
			return err
		}
		return t.tell(event)
	})
	if err != nil {
		return err
	}
	return db.Scrub(ctx)
}

// Scrub implements retention.Store: it cuts the write-ahead log.
func (db *DB) Scrub(ctx context.Context) error {
	var blocked, pages, moved int
	err := db.writer.QueryRowContext(ctx, sqlWALTruncate).Scan(&blocked, &pages, &moved)
	return failed("cut the write-ahead log", err)
}

func keyName(job document.ID, c vault.Class) []any {
	return []any{sql.Named("job", string(job)), sql.Named("class", string(c))}
}

var (
	sqlKeyAdd       = query("key_add")
	sqlKey          = query("key")
	sqlKeysExpired  = query("keys_expired")
	sqlKeyRemove    = query("key_remove")
	sqlKeyTombstone = query("key_tombstone")
	sqlTaskForget   = query("task_forget")
	sqlWALTruncate  = query("wal_truncate")
)
