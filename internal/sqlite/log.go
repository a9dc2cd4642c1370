package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"blotter/internal/audit"
	"blotter/internal/document"
	"blotter/internal/reason"

	"golang.org/x/mod/sumdb/tlog"
)

var _ audit.Log = (*DB)(nil)

// Pending implements audit.Log.
func (db *DB) Pending(ctx context.Context, n int) ([]audit.Pending, error) {
	out, err := collect(ctx, db.reader, scanPending, sqlOutboxOldest, sql.Named("n", n))
	return out, failed("read the outbox", err)
}

// Waiting returns the numbers of the oldest and the newest event in the outbox, both 0
// where it is empty. A number is never given twice.
func (db *DB) Waiting(ctx context.Context) (oldest, newest int64, err error) {
	err = db.reader.QueryRowContext(ctx, sqlOutboxEnds).Scan(&oldest, &newest)
	return oldest, newest, failed("look at the outbox", err)
}

func scanPending(r row) (audit.Pending, error) {
	var (
		p          audit.Pending
		body       []byte
		job, state string
	)
	if err := r.Scan(&p.ID, &body, &job, &state); err != nil {
		return p, err
	}
	p.Job, p.State = document.ID(job), document.State(state)
	if err := json.Unmarshal(body, &p.Event); err != nil {
		return p, fmt.Errorf("decode an event of the outbox: %w", err)
	}
	return p, nil
}

// Head implements audit.Log.
func (db *DB) Head(ctx context.Context) (size int64, checkpoint []byte, err error) {
	err = db.reader.QueryRowContext(ctx, sqlLogHead).Scan(&size, &checkpoint)
	return size, checkpoint, failed("read the head of the log", err)
}

// Append implements audit.Log. A log that has grown meanwhile, and an outbox that lacks
// one of the events, give reason.AuditUnavailable: another sequencer was faster.
func (db *DB) Append(ctx context.Context, b audit.Batch) error {
	if err := b.Check(); err != nil {
		return err
	}
	return db.write(ctx, "append to the log", func(t *tx) error {
		var size int64
		var checkpoint []byte
		if err := t.QueryRowContext(t.ctx, sqlLogHead).Scan(&size, &checkpoint); err != nil {
			return err
		}
		if size != b.First {
			return errLogMoved
		}
		for i := range b.Entries {
			if err := t.seal(b.Pending[i], b.Entries[i]); err != nil {
				return err
			}
		}
		if err := t.addHashes(tlog.StoredHashIndex(0, b.First), b.Hashes); err != nil {
			return err
		}
		return t.must(errLogMoved, sqlLogAdvance,
			sql.Named("size", b.First+int64(len(b.Entries))), sql.Named("checkpoint", b.Checkpoint))
	})
}

// seal moves one event from the outbox into the log, and the job that waits for it on.
// The outbox id 0 stands for an event that the sequencer made itself.
func (t *tx) seal(pending int64, e audit.Entry) error {
	if _, err := t.exec(sqlEntryAdd, sql.Named("sequence", e.Sequence), sql.Named("envelope", e.Envelope)); err != nil {
		return err
	}
	if pending == 0 {
		return nil
	}
	var job, state, about string
	err := t.QueryRowContext(t.ctx, sqlOutboxTake, sql.Named("id", pending)).Scan(&job, &state, &about)
	if errors.Is(err, sql.ErrNoRows) {
		return errLogMoved
	}
	if err != nil {
		return err
	}
	if err := t.trace(about, e.Sequence); err != nil || job == "" {
		return err
	}
	err = t.must(errors.New("the job of a sealed event does not wait for it"), sqlJobSealed,
		sql.Named("id", job), sql.Named("state", state), sql.Named("sequence", e.Sequence), sql.Named("now", t.now))
	if err != nil {
		return err
	}
	return t.announce(document.ID(job), document.State(state), e.Sequence)
}

func (t *tx) addHashes(first int64, hashes []tlog.Hash) error {
	for i, h := range hashes {
		if _, err := t.exec(sqlHashAdd, sql.Named("position", first+int64(i)), sql.Named("hash", h[:])); err != nil {
			return err
		}
	}
	return nil
}

// Entry implements audit.Log. A number beyond the log gives an error that wraps
// sql.ErrNoRows.
func (db *DB) Entry(ctx context.Context, sequence int64) (audit.Entry, error) {
	e := audit.Entry{Sequence: sequence}
	err := db.reader.QueryRowContext(ctx, sqlEntry, sql.Named("sequence", sequence)).Scan(&e.Envelope)
	return e, failed("read an entry of the log", err)
}

// ReadHashes implements audit.Log. tlog passes no context.
func (db *DB) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, position := range indexes {
		var b []byte
		err := db.reader.QueryRowContext(context.Background(), sqlHash, sql.Named("position", position)).Scan(&b)
		if err != nil {
			return nil, failed("read a hash of the log", err)
		}
		copy(out[i][:], b)
	}
	return out, nil
}

var (
	errLogMoved = reason.Because(reason.AuditUnavailable, errors.New("the log or its outbox has moved meanwhile"))

	sqlOutboxOldest = query("outbox_oldest")
	sqlOutboxEnds   = query("outbox_ends")
	sqlOutboxTake   = query("outbox_take")
	sqlLogHead      = query("log_head")
	sqlLogAdvance   = query("log_advance")
	sqlEntryAdd     = query("entry_add")
	sqlEntry        = query("entry")
	sqlHashAdd      = query("hash_add")
	sqlHash         = query("hash")
	sqlJobSealed    = query("job_sealed")
)
