package postgres

import (
	"context"
	"testing"

	"blotter/internal/document"
)

// What the tests look at from outside.

// Exec runs statements as one transaction.
func Exec(ctx context.Context, db *DB, statements string) error {
	_, err := db.pool.Exec(ctx, statements)
	return err
}

// Count runs a query that answers with one number.
func Count(ctx context.Context, db *DB, query string) (n int, err error) {
	return n, db.pool.QueryRow(ctx, query).Scan(&n)
}

// Notify gives hints.
func Notify(ctx context.Context, db *DB, jobs ...document.ID) error {
	_, err := db.pool.Exec(ctx, sqlHint, named{"work": false, "jobs": jobs})
	return err
}

// HoldTable reads a table in a transaction that stays open until release.
func HoldTable(t testing.TB, db *DB, table string) (release func()) {
	t.Helper()
	held, err := db.pool.Begin(t.Context())
	if err == nil {
		_, err = held.Exec(t.Context(), "LOCK TABLE "+table+" IN ACCESS SHARE MODE")
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := held.Rollback(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
