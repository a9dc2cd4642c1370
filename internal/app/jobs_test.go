package app_test

import (
	"io"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"blotter/client"
	"blotter/internal/app"
	"blotter/internal/audit/sequencer"
	"blotter/internal/config"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/sqlite"
	"blotter/receipt"
)

// desk opens a fresh data directory, and its store beside it.
func desk(t *testing.T) (*app.Desk, *sqlite.DB, string) {
	t.Helper()
	cfg := config.Config{Data: filepath.Join(t.TempDir(), "data")}
	d, err := app.MakeDesk(t.Context(), cfg, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	db, err := sqlite.Open(t.Context(), filepath.Join(cfg.Data, "blotter.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return d, db, cfg.Data
}

func enqueue(t *testing.T, db *sqlite.DB, tenant document.Tenant) document.ID {
	t.Helper()
	id := document.NewID()
	j := queue.Job{
		ID: id, Tenant: tenant, Lane: document.Bulk, Input: document.Sum([]byte(id)), Sealed: []byte("sealed"),
		Policy: queue.PolicyRef{Name: "default", Version: "1", Digest: document.Sum(nil)},
	}
	if _, _, err := db.Enqueue(t.Context(), j, told(receipt.Received, id)); err != nil {
		t.Fatal(err)
	}
	return id
}

func told(kind receipt.Kind, id document.ID) receipt.Event {
	return receipt.Event{
		Schema: receipt.EventSchema, Kind: kind, Actor: "cli", Job: string(id), Time: receipt.FormatTime(time.Now()),
	}
}

// A list longer than a page comes whole, in order, each job once, and stops where asked.
func TestJobsOverSeveralPages(t *testing.T) {
	d, db, _ := desk(t)
	const n = 401 // two full pages and one job
	var want []string
	for i := range n {
		tenant := document.Tenant("ward")
		if i%4 == 0 {
			tenant = "other"
		}
		want = append([]string{string(enqueue(t, db, tenant))}, want...)
	}
	for _, c := range []struct {
		filter     queue.Filter
		most, told int
		more       bool
	}{
		{queue.Filter{}, 0, n, false}, {queue.Filter{}, 1, 1, true}, {queue.Filter{}, 200, 200, true}, {queue.Filter{}, 400, 400, true},
		{queue.Filter{}, n, n, false}, {queue.Filter{}, n + 1, n, false},
		{queue.Filter{Tenant: "other"}, 0, 101, false}, {queue.Filter{Tenant: "other"}, 100, 100, true},
		{queue.Filter{State: document.Dead}, 0, 0, false},
	} {
		var got []string
		count, more, err := d.Jobs(t.Context(), c.filter, c.most, func(j client.Job) error {
			got = append(got, j.ID)
			return nil
		})
		if err != nil || count != c.told || len(got) != c.told || more != c.more {
			t.Errorf("%+v, at most %d: told %d of %d, more: %v, %v", c.filter, c.most, count, c.told, more, err)
			continue
		}
		for i := range got {
			if c.filter == (queue.Filter{}) && got[i] != want[i] {
				t.Fatalf("job %d of the list is %s, want %s", i, got[i], want[i])
			}
		}
	}
}

// A trail longer than a page comes whole and in order; what is not signed yet is not shown.
func TestTrailOverSeveralPages(t *testing.T) {
	d, db, data := desk(t)
	id := enqueue(t, db, "ward")
	const n = 400 // with the arrival: two full pages and one event
	for range n {
		if err := db.Tell(t.Context(), told(receipt.Viewed, id)); err != nil {
			t.Fatal(err)
		}
	}
	if j, err := d.Job(t.Context(), string(id)); err != nil || len(j.Trail) != 0 || j.State != "queued" {
		t.Fatalf("before anything was signed: %s with %d events, %v", j.State, len(j.Trail), err)
	}
	seq, err := sequencer.Open(t.Context(), sequencer.Config{Dir: filepath.Dir(app.TrustFile(data)), Log: db, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer seq.Close()
	for sealed := 1; sealed > 0; {
		if sealed, err = seq.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	j, err := d.Job(t.Context(), string(id))
	if err != nil || len(j.Trail) != n+1 {
		t.Fatalf("%d of %d events, %v", len(j.Trail), n+1, err)
	}
	for i, e := range j.Trail {
		if e.Sequence != int64(i)+1 { // 0 is the key's
			t.Fatalf("event %d has the number %d", i, e.Sequence)
		}
	}
}

// What operators do to a job that is not there, or not in the state for it, has its code.
func TestDecisionsOnTheWrongJob(t *testing.T) {
	d, db, _ := desk(t)
	queued := string(enqueue(t, db, "ward"))
	for _, c := range []struct {
		id   string
		act  func(id string) (client.Job, error)
		want reason.Code
	}{
		{"report.docx", func(id string) (client.Job, error) { return d.Cancel(t.Context(), id) }, reason.JobUnknown},
		{string(document.NewID()), func(id string) (client.Job, error) { return d.Cancel(t.Context(), id) }, reason.JobUnknown},
		{string(document.NewID()), func(id string) (client.Job, error) { return d.Replay(t.Context(), id) }, reason.JobUnknown},
		{string(document.NewID()), func(id string) (client.Job, error) { return d.Discard(t.Context(), id) }, reason.JobUnknown},
		{queued, func(id string) (client.Job, error) { return d.Replay(t.Context(), id) }, reason.JobNotDead},
		{queued, func(id string) (client.Job, error) { return d.Discard(t.Context(), id) }, reason.JobNotDead},
	} {
		if _, err := c.act(c.id); reason.Of(err) != c.want {
			t.Errorf("%s: %v, want %s", c.id, err, c.want)
		}
	}
	if j, err := d.Cancel(t.Context(), queued); err != nil || j.State != "cancelled" || j.Event < 0 {
		t.Errorf("cancelled: %+v, %v", j, err)
	}
	if _, err := d.Cancel(t.Context(), queued); reason.Of(err) != reason.JobEnded {
		t.Errorf("cancelled twice: %v", err)
	}
}
