package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"time"

	"blotter/internal/reason"
)

// migrate brings the schema up to the newest version, in one transaction. Migrations
// only go forward. Processes that open a new file at the same instant may collide while
// it turns to write-ahead logging, for which SQLite does not wait; so that is tried again.
func (db *DB) migrate(ctx context.Context, o Options) error {
	pause := time.NewTicker(10 * time.Millisecond)
	defer pause.Stop()
	for start := time.Now(); ; {
		err := db.write(ctx, "bring the schema up to date", func(t *tx) error { return migrate(t, o) })
		if !busy(err) || time.Since(start) > busyTimeout {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-pause.C:
		}
	}
}

// afterwards holds what a migration does that SQL cannot, by its number.
var afterwards = map[int]func(*tx) error{3: traceAll}

func migrate(t *tx, o Options) error {
	if _, err := t.exec(sqlSchemaTable); err != nil {
		return err
	}
	var have int
	if err := t.QueryRowContext(t.ctx, sqlSchemaRead).Scan(&have); err != nil {
		return err
	}
	steps, err := fs.Glob(files, "migrations/*.sql") // sorted by name
	if err != nil {
		return err
	}
	if have > len(steps) {
		return reason.Because(reason.QueueSchema, fmt.Errorf("schema %d, known are %d", have, len(steps)))
	}
	if o.Schema != nil {
		o.Schema(have, len(steps))
	}
	if o.NoMigration && have < len(steps) {
		return reason.Because(reason.QueueSchemaOld, fmt.Errorf("schema %d, needed is %d", have, len(steps)))
	}
	for i := have; i < len(steps); i++ {
		text, err := fs.ReadFile(files, steps[i])
		if err != nil {
			return err
		}
		if _, err := t.exec(string(text)); err != nil {
			return fmt.Errorf("migration %d: %w", i+1, err)
		}
		if step := afterwards[i+1]; step != nil {
			if err := step(t); err != nil {
				return fmt.Errorf("migration %d: %w", i+1, err)
			}
		}
	}
	if have == len(steps) {
		return nil
	}
	_, err = t.exec(sqlSchemaWrite, sql.Named("version", len(steps)))
	return err
}

var (
	sqlSchemaTable = query("schema_table")
	sqlSchemaRead  = query("schema_read")
	sqlSchemaWrite = query("schema_write")
)
