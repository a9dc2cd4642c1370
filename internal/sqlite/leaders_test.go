package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/sqlite"
	"blotter/internal/storetest"
)

func TestLeadersConform(t *testing.T) {
	storetest.RunLeaders(t, func(t *testing.T) (one, other queue.Leaders, advance func(time.Duration)) {
		c, path := &clock{}, filepath.Join(t.TempDir(), "blotter.db")
		a, b := open(t, path, c), open(t, path, c)
		t.Cleanup(func() { a.Close(); b.Close() })
		return a, b, c.advance
	})
}

func TestMarksConform(t *testing.T) {
	storetest.RunMarks(t, func(t *testing.T) (one, other queue.Marks) {
		path := filepath.Join(t.TempDir(), "blotter.db")
		a, b := open(t, path, &clock{}), open(t, path, &clock{})
		t.Cleanup(func() { a.Close(); b.Close() })
		return a, b
	})
}

// A node that may not change the schema says so, and leaves it.
func TestOldSchemaIsRefusedWhereAsked(t *testing.T) {
	path, _ := schema2(t)
	asItIs := sqlite.Options{NoMigration: true}
	for range 2 {
		if _, err := sqlite.Open(t.Context(), path, asItIs); reason.Of(err) != reason.QueueSchemaOld {
			t.Fatalf("got %v", err)
		}
	}
	var have, want int
	db, err := sqlite.Open(t.Context(), path, sqlite.Options{Schema: func(h, w int) { have, want = h, w }})
	if err != nil || have != 2 || want <= have {
		t.Fatalf("from %d to %d, %v", have, want, err)
	}
	db.Close()
	asItIs.Schema = func(h, w int) { have, want = h, w }
	db, err = sqlite.Open(t.Context(), path, asItIs)
	if err != nil || have != want {
		t.Errorf("from %d to %d, %v", have, want, err)
	}
	db.Close()
}
