package postgres

import (
	"context"
	"fmt"
	"io/fs"

	"blotter/internal/reason"

	"github.com/jackc/pgx/v5/pgxpool"
)

// migrate brings the schema up to the newest version, in one transaction under a lock, so
// that nodes that start at once take turns. Migrations only go forward.
func (db *DB) migrate(ctx context.Context, o Options) error {
	return failed("bring the schema up to date", db.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		if _, err := c.Exec(ctx, sqlBegin); err != nil {
			return err
		}
		if err := migrate(ctx, c, o); err != nil {
			_ = rollback(ctx, c)
			return err
		}
		_, err := c.Exec(ctx, sqlCommit)
		return err
	}))
}

func migrate(ctx context.Context, c querier, o Options) error {
	for _, step := range []string{sqlMigrationPatience, sqlMigrationLock, sqlSchemaTable} {
		if _, err := c.Exec(ctx, step); err != nil {
			return err
		}
	}
	var have int
	if err := c.QueryRow(ctx, sqlSchemaRead).Scan(&have); err != nil {
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
	if have == len(steps) {
		return nil
	}
	for i, step := range steps[have:] {
		text, err := fs.ReadFile(files, step)
		if err != nil {
			return err
		}
		if _, err := c.Exec(ctx, string(text)); err != nil { // without arguments it may be several statements
			return fmt.Errorf("migration %d: %w", have+i+1, err)
		}
	}
	_, err = c.Exec(ctx, sqlSchemaWrite, named{"version": len(steps)})
	return err
}

var (
	sqlMigrationPatience = query("migration_patience")
	sqlMigrationLock     = query("migration_lock")
	sqlSchemaTable       = query("schema_table")
	sqlSchemaRead        = query("schema_read")
	sqlSchemaWrite       = query("schema_write")
)
