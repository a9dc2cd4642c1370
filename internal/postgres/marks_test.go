package postgres_test

import (
	"testing"

	"blotter/internal/postgres"
	"blotter/internal/postgres/pgtest"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/storetest"
)

func openWith(t *testing.T, url string, o postgres.Options) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestMarksConform(t *testing.T) {
	storetest.RunMarks(t, func(t *testing.T) (one, other queue.Marks) {
		url := pgtest.New(t)
		return openWith(t, url, postgres.Options{}), openWith(t, url, postgres.Options{})
	})
}

// A node that may not change the schema says so, and leaves it.
func TestOldSchemaIsRefusedWhereAsked(t *testing.T) {
	url := pgtest.New(t)
	asItIs := postgres.Options{NoMigration: true}
	for range 2 {
		if _, err := postgres.Open(t.Context(), url, asItIs); reason.Of(err) != reason.QueueSchemaOld {
			t.Fatalf("got %v", err)
		}
	}
	have, want := -1, 0
	openWith(t, url, postgres.Options{Schema: func(h, w int) { have, want = h, w }})
	if have != 0 || want < 3 {
		t.Errorf("from %d to %d", have, want)
	}
	asItIs.Schema = func(h, w int) { have, want = h, w }
	openWith(t, url, asItIs)
	if have != want {
		t.Errorf("from %d to %d", have, want)
	}
}
