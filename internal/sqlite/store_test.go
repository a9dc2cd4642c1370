package sqlite_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"blotter/internal/audit"
	"blotter/internal/document"
	"blotter/internal/queue/queuetest"
	"blotter/internal/sqlite"
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
			Seal:   func() error { return sealAll(store) },
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
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{Offset: c.now})
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

// sealAll is a sequencer without a key: it numbers and integrates, with a checkpoint that
// nobody signed.
func sealAll(db *sqlite.DB) error {
	ctx := context.Background()
	pending, err := db.Pending(ctx, 10000)
	if err != nil || len(pending) == 0 {
		return err
	}
	b, err := batch(db, len(pending))
	if err != nil {
		return err
	}
	for i, p := range pending {
		b.Pending[i] = p.ID
	}
	return db.Append(ctx, b)
}

// batch makes n entries that fit the log as it is.
func batch(db *sqlite.DB, n int) (audit.Batch, error) {
	size, _, err := db.Head(context.Background())
	if err != nil {
		return audit.Batch{}, err
	}
	b := audit.Batch{First: size, Checkpoint: []byte("checkpoint"), Pending: make([]int64, n)}
	for i := range n {
		e := audit.Entry{Sequence: size + int64(i), Envelope: []byte{byte(size), byte(i)}}
		hashes, err := tlog.StoredHashes(e.Sequence, e.Envelope, extended{db, tlog.StoredHashIndex(0, size), b.Hashes})
		if err != nil {
			return audit.Batch{}, err
		}
		b.Entries = append(b.Entries, e)
		b.Hashes = append(b.Hashes, hashes...)
	}
	return b, nil
}

// extended reads hashes of the store and, beyond them, those of the batch in the making.
type extended struct {
	db    *sqlite.DB
	first int64
	more  []tlog.Hash
}

func (e extended) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		if index >= e.first {
			out[i] = e.more[index-e.first]
			continue
		}
		h, err := e.db.ReadHashes([]int64{index})
		if err != nil {
			return nil, err
		}
		out[i] = h[0]
	}
	return out, nil
}
