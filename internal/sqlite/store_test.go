package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue/queuetest"
	"blotter/internal/sqlite"
	"blotter/internal/storetest"
	"blotter/internal/vault"
	"blotter/receipt"
)

func TestStoreConforms(t *testing.T) {
	queuetest.Run(t, func(t *testing.T) queuetest.Fixture {
		c := &clock{}
		path := filepath.Join(t.TempDir(), "state", "blotter.db")
		store, other := open(t, path, c), open(t, path, c)
		return queuetest.Fixture{
			Store: store, Other: other, Advance: c.advance,
			Outbox: func() ([]queuetest.Sent, error) { return sent(store) },
			Seal:   func() error { return storetest.Seal(context.Background(), store) },
			Forget: func(job document.ID) error { return forget(store, job) },
			Close: func() {
				for _, db := range []*sqlite.DB{store, other} {
					if err := db.Close(); err != nil {
						t.Error(err)
					}
				}
			},
		}
	})
}

// The rest of what a store must do.
func TestStoreConformsBesideTheQueue(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Fixture {
		c := &clock{}
		path := filepath.Join(t.TempDir(), "blotter.db")
		store, other := open(t, path, c), open(t, path, c)
		return storetest.Fixture{
			Store: store, Other: other, Advance: c.advance,
			Exec:  func(statement string) error { _, err := sqlite.Writer(store).Exec(statement); return err },
			Count: func(query string) (n int, err error) { return n, sqlite.Reader(store).QueryRow(query).Scan(&n) },
			Close: func() {
				if err := errors.Join(store.Close(), other.Close()); err != nil {
					t.Error(err)
				}
			},
		}
	})
}

// forget destroys the key of a job's order, which it makes first.
func forget(db *sqlite.DB, job document.ID) error {
	ctx := context.Background()
	if _, err := db.PutKey(ctx, job, vault.Task, []byte("key")); err != nil {
		return err
	}
	return db.DestroyKey(ctx, job, vault.Task, receipt.Event{Kind: receipt.Deleted})
}

// clock is the offset that several handles share.
type clock struct{ offset atomic.Int64 }

func (c *clock) advance(d time.Duration) { c.offset.Add(int64(d)) }
func (c *clock) now() time.Duration      { return time.Duration(c.offset.Load()) }

func open(t *testing.T, path string, c *clock) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{Settings: queuetest.Settings(), Offset: c.now})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// openNew opens a new store that the test's end closes.
func openNew(t *testing.T) (*sqlite.DB, string, *clock) {
	t.Helper()
	c := &clock{}
	path := filepath.Join(t.TempDir(), "blotter.db")
	db := open(t, path, c)
	t.Cleanup(func() { db.Close() })
	return db, path, c
}

func sent(db *sqlite.DB) ([]queuetest.Sent, error) {
	pending, err := db.Pending(context.Background(), 10000)
	out := make([]queuetest.Sent, len(pending))
	for i, p := range pending {
		out[i] = queuetest.Sent{Event: p.Event, Job: p.Job, State: p.State}
	}
	return out, err
}
