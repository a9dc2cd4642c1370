package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"blotter/internal/queue"
	"blotter/internal/sqlite"
	"blotter/internal/storetest"
)

func TestDeliveriesConform(t *testing.T) {
	storetest.RunWebhooks(t, func(t *testing.T, s queue.Settings) (one, other storetest.WebhookStore, advance func(time.Duration)) {
		c, path := &clock{}, filepath.Join(t.TempDir(), "blotter.db")
		open := func() *sqlite.DB {
			db, err := sqlite.Open(t.Context(), path, sqlite.Options{Settings: s, Offset: c.now})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			return db
		}
		return open(), open(), c.advance
	})
}
