package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/internal/vault"
	"blotter/receipt"
)

var _ vault.Keys = (*DB)(nil)

// ErrKeyGone is returned for a key that was destroyed, or never made.
var ErrKeyGone = reason.Because(reason.VaultKeyGone, nil)

// orphanAge is how long a key may stand without its job: far longer than the moment
// between a key's making and its job's arrival.
const orphanAge = time.Hour

// handOver is how long past its expiry a key is spared whose result the command line has
// not handed out yet: a result must not vanish because its caller was away for a night or
// a holiday. After 30 days nobody is coming, and short memory counts for more.
const handOver = 30 * 24 * time.Hour

// taskLife is how long a sealed order (source reference, hints about the subject) and the
// document that a client sent with it may wait: for a worker, or as a dead job's for the operator who replays it. Most orders end
// with their job long before; this bounds those that nobody comes back to. It is as long
// as handOver, so that a backlog and a result may wait for the same absence.
const taskLife = handOver

// PutKey implements vault.Keys. A key that was destroyed is not made again. The keys of
// a task and an upload get their expiry at once, since a job that never ends is never dated
// by its end.
func (db *DB) PutKey(ctx context.Context, job document.ID, c vault.Class, wrapped []byte) ([]byte, error) {
	var stored []byte
	err := db.write(ctx, "store a data key", func(t *tx) (err error) {
		expires := int64(0)
		if c == vault.Task || c == vault.Upload {
			expires = t.now + taskLife.Milliseconds()
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
		return nil, ErrKeyGone
	}
	return wrapped, err
}

// ExpiredKeys returns at most n keys that are to be destroyed at the given time: those
// past their expiry, and those of jobs that have ended, or never came, and need them no
// more. The keys of a result of the command line that was not delivered outlast their
// expiry by handOver.
func (db *DB) ExpiredKeys(ctx context.Context, now time.Time, n int) ([]vault.KeyName, error) {
	out, err := collect(ctx, db.reader, func(r row) (k vault.KeyName, err error) {
		return k, r.Scan(&k.Job, &k.Class)
	}, sqlKeysExpired, sql.Named("now", toMillis(now)), sql.Named("orphan", orphanAge.Milliseconds()),
		sql.Named("hand_over", handOver.Milliseconds()), sql.Named("n", n))
	return out, failed("look for expired data keys", err)
}

// DestroyKey deletes a key and appends its `deleted` event in one transaction; with a
// task's key goes the job's sealed order, and with any the job's reservation, so that no
// job is accepted whose data is gone. The row is overwritten in the file, and the
// write-ahead log is cut so that it holds no copy either; where a reader of another
// process stands in the way of that, the next cut does it.
// A key that is not there gives ErrKeyGone and no event.
func (db *DB) DestroyKey(ctx context.Context, job document.ID, c vault.Class, event receipt.Event) error {
	err := db.write(ctx, "destroy a data key", func(t *tx) error {
		if err := t.must(ErrKeyGone, sqlKeyRemove, keyName(job, c)...); err != nil {
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
	var blocked, pages, moved int
	err = db.writer.QueryRowContext(ctx, sqlWALTruncate).Scan(&blocked, &pages, &moved)
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
