package postgres_test

import (
	"testing"
	"time"

	"blotter/internal/postgres"
	"blotter/internal/postgres/pgtest"
	"blotter/internal/queue"
	"blotter/internal/storetest"
)

func TestDeliveriesConform(t *testing.T) {
	storetest.RunWebhooks(t, func(t *testing.T, s queue.Settings) (one, other storetest.WebhookStore, advance func(time.Duration)) {
		c, url := &clock{}, pgtest.New(t)
		open := func() *postgres.DB {
			db, err := postgres.Open(t.Context(), url, postgres.Options{Settings: s, Offset: c.now})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			return db
		}
		return open(), open(), c.advance
	})
}
