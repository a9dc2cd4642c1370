//go:build crashpoints

package sqlite_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/sqlite"
	"blotter/internal/storetest"
	"blotter/internal/vault"
	"blotter/receipt"
)

var requested = queue.Reservation{Tenant: document.Local, Key: "k", Job: document.ID("j00000000000000000000000000")}

// oneRequest is what the service does with a document: taken in, it dies, is replayed and
// cancelled while it is worked on; then its keys go.
func oneRequest(ctx context.Context, db *sqlite.DB) error {
	say := func(k receipt.Kind) func(queue.Job) receipt.Event {
		return func(queue.Job) receipt.Event { return receipt.Event{Kind: k} }
	}
	var r queue.Reservation
	lend := func() (queue.Lease, error) {
		j, err := db.Claim(ctx, queue.Claim{Lease: time.Hour}, say(receipt.Claimed))
		return queue.Lease{Job: j.ID, Token: j.Token}, err
	}
	for _, step := range []func() error{
		func() error {
			_, err := db.AddAccess(ctx, storetest.AccessKey("k1"), true, receipt.Event{Kind: receipt.AccessGranted})
			return err
		},
		func() (err error) {
			r, _, err = db.Reserve(ctx, requested, time.Hour, storetest.Wide, receipt.Event{Kind: receipt.Staged})
			return err
		},
		func() error { _, err := db.PutKey(ctx, r.Job, vault.Upload, []byte("k")); return err },
		func() error { _, err := db.PutKey(ctx, r.Job, vault.Task, []byte("k")); return err },
		func() error { _, err := db.Renew(ctx, r, time.Hour); return err },
		func() error {
			j := newJob()
			j.ID, j.Sealed = r.Job, []byte("order")
			_, err := db.Accept(ctx, r, "print", j, receipt.Event{Kind: receipt.Received})
			return err
		},
		func() error {
			l, err := lend()
			o := queue.Outcome{Target: document.Dead, Event: receipt.Event{Kind: receipt.DeadKind}}
			return errors.Join(err, db.Finish(ctx, l, o))
		},
		func() error { return storetest.Seal(ctx, db) },
		func() error { _, err := db.Replay(ctx, r.Job, say(receipt.Replayed)); return err },
		func() error { _, err := lend(); return err },
		func() error { _, err := db.Cancel(ctx, r.Job, say(receipt.Cancelled)); return err },
		func() error { return storetest.Seal(ctx, db) },
		func() error { return db.DestroyKey(ctx, r.Job, vault.Upload, receipt.Event{Kind: receipt.Deleted}) },
		func() error { return db.DestroyKey(ctx, r.Job, vault.Task, receipt.Event{Kind: receipt.Deleted}) },
		func() error { return db.RevokeAccess(ctx, "k1", receipt.Event{Kind: receipt.AccessRevoked}) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// The commits of oneRequest, the schema's first, and what stands after each.
var requestCommits = []struct {
	state  document.State // "": there is no job
	held   bool           // by a reservation
	events int            // appended so far, sealed or not
	keys   int            // data keys
	access string         // of the API key: "", "valid" or "revoked"
}{
	{}, {"", false, 1, 0, "valid"},
	{"", true, 2, 0, "valid"}, {"", true, 2, 1, "valid"}, {"", true, 2, 2, "valid"}, {"", true, 2, 2, "valid"},
	{document.Queued, false, 3, 2, "valid"}, {document.Leased, false, 4, 2, "valid"},
	{document.Sealing, false, 5, 2, "valid"}, {document.Dead, false, 5, 2, "valid"},
	{document.Queued, false, 6, 2, "valid"}, {document.Leased, false, 7, 2, "valid"},
	{document.Sealing, false, 8, 2, "valid"}, {document.Cancelled, false, 8, 2, "valid"},
	{document.Cancelled, false, 9, 1, "valid"}, {document.Cancelled, false, 10, 0, "valid"},
	{document.Cancelled, false, 11, 0, "revoked"},
}

// Reservation, job, events, data keys and API keys always agree, at whichever commit the
// process dies.
func TestServiceKilledAtEachCommit(t *testing.T) {
	t.Setenv("BLOTTER_TEST_WAY", "service")
	killAtEach(t, len(requestCommits), checkRequestAfterKill)
}

func checkRequestAfterKill(t *testing.T, db *sqlite.DB, stands int) {
	t.Helper()
	want := requestCommits[stands]
	pending, err := db.Pending(t.Context(), 100)
	size, _, err2 := db.Head(t.Context())
	if err := errors.Join(err, err2); err != nil || len(pending)+int(size) != want.events {
		t.Errorf("%d events wait and %d are sealed, %v; want %d in all", len(pending), size, err, want.events)
	}
	storetest.CheckTree(t, db, size)
	keys := 0
	for _, c := range []vault.Class{vault.Upload, vault.Task} {
		if _, err := db.Key(t.Context(), requested.Job, c); err == nil {
			keys++
		}
	}
	access := ""
	if k, err := db.Access(t.Context(), "k1"); err == nil && k.Revoked.IsZero() {
		access = "valid"
	} else if err == nil {
		access = "revoked"
	}
	if keys != want.keys || access != want.access {
		t.Errorf("%d data keys and an API key that is %q; want %d and %q", keys, access, want.keys, want.access)
	}
	checkClientComesAgain(t, db, stands)
}

// The client whose answer was lost asks again with its key.
func checkClientComesAgain(t *testing.T, db *sqlite.DB, stands int) {
	t.Helper()
	want := requestCommits[stands]
	r := requested
	r.Job = document.NewID()
	_, known, err := db.Reserve(t.Context(), r, time.Minute, storetest.Wide, receipt.Event{})
	if got := reason.Of(err) == reason.APIInProgress; got != want.held {
		t.Errorf("in progress: %v, %v", got, err)
	}
	if (known != nil) != (want.state != "") {
		t.Fatalf("known as %+v, %v", known, err)
	}
	if known == nil {
		return
	}
	if j, err := db.Job(t.Context(), known.Job); err != nil || j.ID != requested.Job || j.State != want.state {
		t.Errorf("the job is %+v, %v; want %s", j, err, want.state)
	}
}
