package main_test

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"blotter/client"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/sqlite"
)

// crossing is a service with one place, on which two tenants meet with bulk documents.
type crossing struct {
	*testing.T
	ctx          context.Context
	v            *service
	db           *sqlite.DB
	long, shorts *client.Client
}

func newCrossing(t *testing.T) *crossing {
	s := newStation(t, "BLOTTER_WORKERS=1", "BLOTTER_SERVE_INTERACTIVE_WORKERS=0", "BLOTTER_API_SYNC_SLOTS=0",
		"BLOTTER_QUEUE_QUANTUM=200ms", "BLOTTER_QUEUE_PARKED=2", "BLOTTER_CELL_BULK_NICE=7")
	c := &crossing{T: t, ctx: limited(t), v: s.serve("BLOTTER_SERVE_GRACE=2m")}
	c.long, c.shorts = c.v.client(""), c.v.client(s.addKey("--tenant", "others", "--role", "client"))
	db, err := sqlite.Open(t.Context(), filepath.Join(s.data, "blotter.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	c.db = db
	return c
}

// send brings in a document of several images, each of which takes a second or so, or a
// small one.
func (c *crossing) send(by *client.Client, path string) string {
	c.Helper()
	return upload(c.T, c.ctx, by, read(c.T, path), client.UploadOptions{Lane: "bulk"}).ID
}

func (c *crossing) await(what string, holds func() bool) {
	c.Helper()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-c.ctx.Done():
			c.Fatal("it never came to be: ", what)
		}
	}
}

func (c *crossing) awaitJob(id, what string, want func(queue.Job) bool) {
	c.Helper()
	c.await(what, func() bool {
		j, err := c.db.Job(c.ctx, document.ID(id))
		if err == nil && j.State.Ended() && !want(j) {
			c.Fatalf("the job has ended as %s and never was %s", j.State, what)
		}
		return err == nil && want(j)
	})
}

func isParked(j queue.Job) bool { return j.State == document.Leased && j.Parked }

// working counts the cells that work on bulk documents: they are nicer than others.
func (c *crossing) working() (n int) {
	for _, p := range processes(c.T) {
		if p.parent == c.v.Process.Pid && p.state != "Z" && p.nice >= 7 {
			n++
		}
	}
	return n
}

const letter = "../../examples/referral-letter.pdf"

// A long bulk document gives its place to another tenant's between two images and goes on
// afterwards in the same attempt. Cancelled while it is parked, it takes its cell with it at
// once; when the service stops, it comes to its end.
func TestServeParks(t *testing.T) {
	t.Parallel()
	c := newCrossing(t)
	long := c.send(c.long, letter)
	c.awaitJob(long, "leased", isLeased)
	c.await("a nice cell", func() bool { return c.working() == 1 })
	short := c.send(c.shorts, tiny(t))
	c.awaitJob(long, "parked", isParked)
	ended := map[string]client.Job{}
	for id, by := range map[string]*client.Client{long: c.long, short: c.shorts} {
		j, err := by.Wait(c.ctx, id)
		if err != nil || j.State != "released" || j.Attempt != 1 {
			t.Fatalf("%+v, %v", j, err)
		}
		ended[id] = j
	}
	if ended[short].Event > ended[long].Event {
		t.Errorf("the long one ended first")
	}
	if _, metrics := get(t, c.v.ops+"/metrics"); !strings.Contains(metrics, "\nblotter_yields_total ") || strings.Contains(metrics, "\nblotter_yields_total 0\n") {
		t.Error("no yield in the metrics")
	}

	long = c.send(c.long, letter)
	c.awaitJob(long, "leased", isLeased)
	second := c.send(c.shorts, letter)
	c.awaitJob(long, "parked", isParked)
	if _, err := c.long.Cancel(c.ctx, long); err != nil {
		t.Fatal(err)
	}
	c.await("the end of the parked cell", func() bool { return c.working() < 2 })
	if j, err := c.long.Wait(c.ctx, long); err != nil || j.State != "cancelled" {
		t.Errorf("cancelled while parked: %+v, %v", j, err)
	}
	if j, err := c.db.Job(c.ctx, document.ID(second)); err != nil || j.State != document.Leased {
		t.Errorf("the cell was gone only once the other document was %s, %v", j.State, err)
	}

	third := c.send(c.v.client(c.v.s.addKey("--tenant", "third", "--role", "client")), letter) // who has had nothing yet
	c.awaitJob(second, "parked", isParked)
	c.v.signal(t, syscall.SIGTERM)
	if code := c.v.exit(t); code != 0 {
		t.Errorf("the service ended with %d:\n%s", code, c.v.err.String())
	}
	for _, id := range []string{second, third} {
		if j, err := c.db.Job(c.ctx, document.ID(id)); err != nil || j.State != document.Released || j.Attempt != 1 {
			t.Errorf("what was under way at the stop is %s in attempt %d, %v", j.State, j.Attempt, err)
		}
	}
}
