package postgres

import (
	"context"

	"blotter/internal/queue"
)

var _ queue.Marks = (*DB)(nil)

// Mark implements queue.Marks.
func (db *DB) Mark(ctx context.Context, name, value string) (string, error) {
	kept, err := db.mark(ctx, name)
	if err != nil || kept != "" || value == "" {
		return kept, failed("read a mark", err)
	}
	err = db.write(ctx, "set a mark", func(t *tx) error {
		_, err := t.exec(sqlMarkSet, named{"name": name, "value": value})
		return err
	})
	if err == nil {
		kept, err = db.mark(ctx, name) // whoever set it has committed by now
	}
	return kept, failed("set a mark", err)
}

func (db *DB) mark(ctx context.Context, name string) (kept string, err error) {
	err = db.pool.QueryRow(ctx, sqlMark, named{"name": name}).Scan(&kept)
	return kept, err
}

var (
	sqlMark    = query("mark")
	sqlMarkSet = query("mark_set")
)
