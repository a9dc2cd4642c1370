package postgres_test

import (
	"context"
	"errors"
	"testing"

	"blotter/internal/document"
	"blotter/internal/postgres"
	"blotter/internal/postgres/pgtest"
	"blotter/internal/queue/queuetest"
	"blotter/internal/storetest"
	"blotter/internal/vault"
	"blotter/receipt"
)

// migrated is a database with our tables, of which tests get copies.
var migrated = pgtest.Template{Prepare: func(ctx context.Context, url string) error {
	db, err := postgres.Open(ctx, url, postgres.Options{})
	if err != nil {
		return err
	}
	return db.Close()
}}

func TestStoreConforms(t *testing.T) {
	queuetest.Run(t, func(t *testing.T) queuetest.Fixture {
		c, url := &clock{}, migrated.New(t)
		o := postgres.Options{Settings: queuetest.Settings(), Offset: c.now}
		store, err := postgres.Open(t.Context(), url, o)
		other, failed := postgres.Open(t.Context(), url, o)
		if err := errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		return queuetest.Fixture{
			Store: store, Other: other, Advance: c.advance,
			Outbox: func() ([]queuetest.Sent, error) { return sent(store) },
			Seal:   func() error { return storetest.Seal(context.Background(), store) },
			Forget: func(job document.ID) error { return forget(store, job) },
			Close: func() {
				if err := errors.Join(store.Close(), other.Close()); err != nil {
					t.Error(err)
				}
			},
		}
	})
}

// The rest of what a store must do.
func TestStoreConformsBesideTheQueue(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Fixture {
		c, url := &clock{}, migrated.New(t)
		store, other := open(t, url, c), open(t, url, c)
		return storetest.Fixture{
			Store: store, Other: other, Advance: c.advance,
			Exec:  func(statement string) error { return postgres.Exec(context.Background(), store, statement) },
			Count: func(query string) (int, error) { return postgres.Count(context.Background(), store, query) },
			Close: func() {}, // with the test
		}
	})
}

// forget destroys the key of a job's order, which it makes first.
func forget(db *postgres.DB, job document.ID) error {
	ctx := context.Background()
	if _, err := db.PutKey(ctx, job, vault.Task, []byte("key")); err != nil {
		return err
	}
	return db.DestroyKey(ctx, job, vault.Task, receipt.Event{Kind: receipt.Deleted})
}

func sent(db *postgres.DB) ([]queuetest.Sent, error) {
	pending, err := db.Pending(context.Background(), 10000)
	out := make([]queuetest.Sent, len(pending))
	for i, p := range pending {
		out[i] = queuetest.Sent{Event: p.Event, Job: p.Job, State: p.State}
	}
	return out, err
}
