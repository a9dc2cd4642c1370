package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"blotter/internal/audit"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"
)

var _ audit.Log = (*DB)(nil)

// Pending implements audit.Log. Events of one job are numbered in the order in which they
// were made; one of another job whose transaction ends late may come after a higher number.
func (db *DB) Pending(ctx context.Context, n int) ([]audit.Pending, error) {
	out, err := collect(ctx, db.pool, scanPending, sqlOutboxOldest, named{"n": n})
	return out, failed("read the outbox", err)
}

// Waiting returns the numbers of the oldest and the newest event in the outbox, both 0
// where it is empty. A number is never given twice.
func (db *DB) Waiting(ctx context.Context) (oldest, newest int64, err error) {
	err = db.pool.QueryRow(ctx, sqlOutboxEnds).Scan(&oldest, &newest)
	return oldest, newest, failed("look at the outbox", err)
}

func scanPending(r pgx.Row) (p audit.Pending, err error) {
	var body []byte
	if err := r.Scan(&p.ID, &body, &p.Job, &p.State); err != nil {
		return p, err
	}
	if err := json.Unmarshal(body, &p.Event); err != nil {
		return p, fmt.Errorf("decode an event of the outbox: %w", err)
	}
	return p, nil
}

// Head implements audit.Log.
func (db *DB) Head(ctx context.Context) (size int64, checkpoint []byte, err error) {
	err = db.pool.QueryRow(ctx, sqlLogHead).Scan(&size, &checkpoint)
	return size, checkpoint, failed("read the head of the log", err)
}

// Append implements audit.Log.
func (db *DB) Append(ctx context.Context, b audit.Batch) error {
	if err := b.Check(); err != nil {
		return err
	}
	return db.write(ctx, "append to the log", func(t *tx) error {
		var size int64
		if err := t.QueryRow(t.ctx, sqlLogLock).Scan(&size); err != nil {
			return err
		}
		if size != b.First {
			return errLogMoved
		}
		return t.append(b)
	})
}

// append writes a batch in one turn to the server, and looks at what it did.
func (t *tx) append(b audit.Batch) error {
	envelopes := make([][]byte, len(b.Entries))
	for i, e := range b.Entries {
		envelopes[i] = e.Envelope
	}
	hashes := make([][]byte, len(b.Hashes))
	for i := range b.Hashes {
		hashes[i] = b.Hashes[i][:]
	}
	ids, sequences := fromOutbox(b)
	var taken, waiting int
	var steps pgx.Batch
	steps.Queue(sqlEntriesAdd, named{"first": b.First, "envelopes": envelopes})
	steps.Queue(sqlHashesAdd, named{"first": tlog.StoredHashIndex(0, b.First), "hashes": hashes})
	steps.Queue(sqlLogAdvance, named{"size": b.First + int64(len(b.Entries)), "checkpoint": b.Checkpoint})
	steps.Queue(sqlSeal, named{"ids": ids, "sequences": sequences, "now": t.now}).QueryRow(func(r pgx.Row) error {
		return r.Scan(&taken, &waiting, &t.hint.jobs)
	})
	if err := t.SendBatch(t.ctx, &steps).Close(); err != nil {
		return err
	}
	switch {
	case taken != len(ids):
		return errLogMoved
	case waiting != len(t.hint.jobs):
		return errors.New("the job of a sealed event does not wait for it")
	}
	return t.announce(t.hint.jobs)
}

// fromOutbox is what a batch takes from the outbox, and the numbers that it gets. The outbox
// id 0 stands for an event that the sequencer made itself.
func fromOutbox(b audit.Batch) (ids, sequences []int64) {
	ids, sequences = make([]int64, 0, len(b.Pending)), make([]int64, 0, len(b.Pending))
	for i, id := range b.Pending {
		if id != 0 {
			ids, sequences = append(ids, id), append(sequences, b.Entries[i].Sequence)
		}
	}
	return ids, sequences
}

// Entry implements audit.Log.
func (db *DB) Entry(ctx context.Context, sequence int64) (audit.Entry, error) {
	e := audit.Entry{Sequence: sequence}
	err := db.pool.QueryRow(ctx, sqlEntry, named{"sequence": sequence}).Scan(&e.Envelope)
	return e, failed("read an entry of the log", err)
}

// ReadHashes implements audit.Log. tlog passes no context.
func (db *DB) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), writeTimeout, errStalled)
	defer cancel()
	out, err := collect(ctx, db.pool, scanHash, sqlHashes, named{"positions": indexes})
	if err == nil && len(out) != len(indexes) {
		err = pgx.ErrNoRows
	}
	return out, failed("read hashes of the log", err)
}

func scanHash(r pgx.Row) (h tlog.Hash, err error) {
	var b []byte
	if err := r.Scan(&b); err != nil {
		return h, err
	}
	if len(b) != len(h) {
		return h, errors.New("a hash has another length")
	}
	return tlog.Hash(b), nil
}

// Trail implements queue.Operations.
func (db *DB) Trail(ctx context.Context, job document.ID, after int64, n int) ([]queue.Sealed, error) {
	out, err := collect(ctx, db.pool, func(r pgx.Row) (s queue.Sealed, err error) {
		return s, r.Scan(&s.Sequence, &s.Envelope)
	}, sqlTrail, named{"job": job, "after": after, "n": n})
	return out, failed("read the trail of a job", err)
}

var (
	errLogMoved = reason.Because(reason.AuditUnavailable, errors.New("the log or its outbox has moved meanwhile"))

	sqlOutboxOldest = query("outbox_oldest")
	sqlOutboxEnds   = query("outbox_ends")
	sqlLogHead      = query("log_head")
	sqlLogLock      = query("log_lock")
	sqlLogAdvance   = query("log_advance")
	sqlEntriesAdd   = query("entries_add")
	sqlHashesAdd    = query("hashes_add")
	sqlSeal         = query("seal")
	sqlEntry        = query("entry")
	sqlHashes       = query("hashes")
	sqlTrail        = query("trail")
)
