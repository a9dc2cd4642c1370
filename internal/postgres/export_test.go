package postgres

import (
	"context"
	"testing"

	"blotter/internal/document"
	"blotter/internal/queue"
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

// Read runs a query that answers with one value.
func Read(ctx context.Context, db *DB, out any, query string) error {
	return db.pool.QueryRow(ctx, query).Scan(out)
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

// HoldWork keeps every Claim and Finish of the handle waiting, so that those that come
// meanwhile are made together.
func HoldWork(db *DB) (waiting func() int, release func()) { return hold(db.work) }

// HoldEnqueues does so with Enqueue.
func HoldEnqueues(db *DB) (waiting func() int, release func()) { return hold(db.enqueues) }

func hold[I, O any](c *combiner[I, O]) (waiting func() int, release func()) {
	c.lead <- struct{}{}
	return func() int {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.waiting)
	}, func() { <-c.lead }
}

// Failed gives an error its reason as every method does.
func Failed(err error) error { return failed("do something", err) }

// EnqueueSlowly adds a job in a transaction that stays open, after its last statement, until
// commit is called.
func EnqueueSlowly(ctx context.Context, db *DB, j queue.Job) (commit func() error) {
	written, goOn, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- db.transact(ctx, func(t *tx) error {
			_, err := t.arrive([]arriving{{job: j}})
			close(written)
			<-goOn
			return err
		})
	}()
	<-written
	return func() error { close(goOn); return <-done }
}

// Transact runs statements in a transaction that stays open until commit is called.
func Transact(t testing.TB, db *DB, statements string) (commit func() error) {
	t.Helper()
	open, err := db.pool.Begin(t.Context())
	if err == nil {
		_, err = open.Exec(t.Context(), statements)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() error { return open.Commit(context.WithoutCancel(t.Context())) }
}
