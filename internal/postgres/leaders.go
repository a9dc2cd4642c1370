package postgres

import (
	"context"
	"errors"
	"time"

	"blotter/internal/queue"

	"github.com/jackc/pgx/v5"
)

var _ queue.Leaders = (*DB)(nil)

// Lead implements queue.Leaders.
func (db *DB) Lead(ctx context.Context, role, node string, d time.Duration) (token int64, ok bool, err error) {
	err = db.write(ctx, "take the lead", func(t *tx) error {
		err := t.QueryRow(t.ctx, sqlLead, named{
			"role": role, "node": node, "now": t.now, "until": t.now + d.Milliseconds(),
		}).Scan(&token)
		if errors.Is(err, pgx.ErrNoRows) { // another node leads
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
	return db.write(ctx, "give up the lead", func(t *tx) error {
		_, err := t.exec(sqlResign, named{"role": role, "node": node})
		return err
	})
}

var (
	sqlLead   = query("lead")
	sqlResign = query("resign")
)
