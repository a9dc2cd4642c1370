package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"blotter/internal/audit"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/receipt"
)

// Trail implements queue.Operations.
func (db *DB) Trail(ctx context.Context, job document.ID, after int64, n int) ([]queue.Sealed, error) {
	out, err := collect(ctx, db.reader, func(r row) (s queue.Sealed, err error) {
		return s, r.Scan(&s.Sequence, &s.Envelope)
	}, sqlTrail, sql.Named("job", string(job)), sql.Named("after", after), sql.Named("n", n))
	return out, failed("read the trail of a job", err)
}

// trace notes which job a sealed entry speaks of.
func (t *tx) trace(job string, sequence int64) error {
	if job == "" {
		return nil
	}
	_, err := t.exec(sqlTrailAdd, sql.Named("job", job), sql.Named("sequence", sequence))
	return err
}

// traceAll notes it for the entries that were sealed before the trail was kept. A log that
// holds what cannot be read is not upgraded: it has to be mended first.
func traceAll(t *tx) error {
	const page = 1000
	for after := int64(-1); ; {
		entries, err := collect(t.ctx, t, func(r row) (e audit.Entry, err error) {
			return e, r.Scan(&e.Sequence, &e.Envelope)
		}, sqlEntriesAfter, sql.Named("after", after), sql.Named("n", page))
		if err != nil || len(entries) == 0 {
			return err
		}
		for _, e := range entries {
			read, err := receipt.Open(e.Envelope)
			if err != nil {
				return fmt.Errorf("entry %d of the log: %w", e.Sequence, err)
			}
			if err := t.trace(read.Event.Job, e.Sequence); err != nil {
				return err
			}
			after = e.Sequence
		}
	}
}

var (
	sqlTrail        = query("trail")
	sqlTrailAdd     = query("trail_add")
	sqlEntriesAfter = query("entries_after")
)
