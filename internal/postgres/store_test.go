package postgres_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"blotter/internal/postgres"
	"blotter/internal/postgres/pgtest"
	"blotter/internal/queue"
	"blotter/internal/storetest"
)

// clock is the offset that several handles share.
type clock struct{ offset atomic.Int64 }

func (c *clock) advance(d time.Duration) { c.offset.Add(int64(d)) }
func (c *clock) now() time.Duration      { return time.Duration(c.offset.Load()) }

// open opens a store that the test's end closes.
func open(t testing.TB, url string, c *clock) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), url, postgres.Options{Offset: c.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func TestLeadersConform(t *testing.T) {
	storetest.RunLeaders(t, func(t *testing.T) (one, other queue.Leaders, advance func(time.Duration)) {
		c, url := &clock{}, pgtest.New(t)
		return open(t, url, c), open(t, url, c), c.advance
	})
}

func TestServerSaysWhatItIs(t *testing.T) {
	db := open(t, pgtest.New(t), &clock{})
	if got, err := db.Server(t.Context()); err != nil || !strings.HasPrefix(got, "PostgreSQL 1") {
		t.Errorf("%q, %v", got, err)
	}
}
