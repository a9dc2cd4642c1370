package postgres

import (
	"context"

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
