package postgres_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/postgres"
	"blotter/internal/postgres/pgtest"
	"blotter/internal/queue"
	"blotter/receipt"
)

// ear is somebody who watches.
type ear struct {
	heard chan queue.Notice
	stop  func()
}

// watch watches until the test ends, and has heard the beginning when it returns.
func watch(t *testing.T, db *postgres.DB) ear {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	e := ear{heard: make(chan queue.Notice, 1000)}
	var done sync.WaitGroup
	done.Go(func() {
		if err := db.Watch(ctx, func(n queue.Notice) { e.heard <- n }); err != nil {
			t.Error(err)
		}
	})
	e.stop = func() { cancel(); done.Wait() }
	t.Cleanup(e.stop)
	e.hears(t, "")
	return e
}

// hears waits for a notice of a job, whatever else comes before.
func (e ear) hears(t *testing.T, job document.ID) {
	t.Helper()
	giveUp := time.After(30 * time.Second)
	for {
		select {
		case n := <-e.heard:
			if n.Job == job {
				return
			}
		case <-giveUp:
			t.Fatalf("no notice of %q came", job)
		}
	}
}

func addKey(t *testing.T, db *postgres.DB) {
	t.Helper()
	k := access.Key{ID: string(document.NewID()), Tenant: "t", Role: access.Client}
	if _, err := db.AddAccess(t.Context(), k, false, receipt.Event{Kind: receipt.AccessGranted}); err != nil {
		t.Fatal(err)
	}
}

// A node hears that another has put an event into the outbox.
func TestWatchHearsOtherNodes(t *testing.T) {
	url := pgtest.New(t)
	here, there := open(t, url, &clock{}), open(t, url, &clock{})
	e := watch(t, here)
	for range 3 {
		addKey(t, there)
		e.hears(t, "")
	}
	if err := postgres.Notify(t.Context(), there, "j1"); err != nil {
		t.Fatal(err)
	}
	e.hears(t, "j1")
}

// A watcher whose connection was cut, or whose server was away, hears again, and learns
// that it may have missed something.
func TestWatchComesBack(t *testing.T) {
	c := pgtest.Own(t, pgtest.Options{})
	db := open(t, c.URL("postgres"), &clock{})
	e := watch(t, db)
	if n, err := c.Cut(t.Context(), "postgres"); n == 0 || err != nil {
		t.Fatalf("cut %d connections, %v", n, err)
	}
	e.hears(t, "")
	for _, down := range []func() error{c.Stop, c.Kill} {
		if err := down(); err != nil {
			t.Fatal(err)
		}
		if err := c.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		e.hears(t, "")
	}
	there := open(t, c.URL("postgres"), &clock{}) // whose connections never were cut
	if err := postgres.Notify(t.Context(), there, "j2"); err != nil {
		t.Fatal(err)
	}
	e.hears(t, "j2")
}

// Watching ends with its context, also while the server is away.
func TestWatchEnds(t *testing.T) {
	c := pgtest.Own(t, pgtest.Options{})
	db := open(t, c.URL("postgres"), &clock{})
	e := watch(t, db)
	e.stop()
	e = watch(t, db)
	if err := c.Kill(); err != nil {
		t.Fatal(err)
	}
	e.stop()
}
