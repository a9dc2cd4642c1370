package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"blotter/internal/queue"
)

var (
	_ queue.Leaders = (*DB)(nil)
	_ queue.Marks   = (*DB)(nil)
)

// Lead implements queue.Leaders.
func (db *DB) Lead(ctx context.Context, role, node string, d time.Duration) (token int64, ok bool, err error) {
	err = db.write(ctx, "take the lead", func(t *tx) error {
		err := t.QueryRowContext(t.ctx, sqlLead, sql.Named("role", role), sql.Named("node", node),
			sql.Named("now", t.now), sql.Named("until", t.now+d.Milliseconds())).Scan(&token)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		ok = err == nil
		return err
	})
	if err != nil {
		return 0, false, err
	}
	return token, ok, nil
}

// Resign implements queue.Leaders.
func (db *DB) Resign(ctx context.Context, role, node string) error {
	return db.write(ctx, "resign", func(t *tx) error {
		_, err := t.exec(sqlLeadResign, sql.Named("role", role), sql.Named("node", node))
		return err
	})
}

// Mark implements queue.Marks.
func (db *DB) Mark(ctx context.Context, name, value string) (string, error) {
	var kept string
	err := db.reader.QueryRowContext(ctx, sqlMark, sql.Named("name", name)).Scan(&kept)
	if err != nil || kept != "" || value == "" {
		return kept, failed("read a mark", err)
	}
	err = db.write(ctx, "set a mark", func(t *tx) error {
		if _, err := t.exec(sqlMarkSet, sql.Named("name", name), sql.Named("value", value)); err != nil {
			return err
		}
		return t.QueryRowContext(t.ctx, sqlMark, sql.Named("name", name)).Scan(&kept)
	})
	if err != nil {
		return "", err
	}
	return kept, nil
}

var (
	sqlLead       = query("lead")
	sqlLeadResign = query("lead_resign")
	sqlMark       = query("mark")
	sqlMarkSet    = query("mark_set")
)
