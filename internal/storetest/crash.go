package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/vault"
	"blotter/receipt"
)

// Way is a series of writes, each of which is one transaction, for tests that kill whoever
// makes them: what stands afterwards is what one of the steps left, never a part of one.
type Way struct {
	Steps []Step
	// again has the client whose answer was lost come again, and checks what it gets.
	again func(t testing.TB, s Store, stands Standing)
}

// Step is one write, and what stands once it was made.
type Step struct {
	Do     func(context.Context, Store) error
	Stands Standing
}

// Standing is what the two ways leave, as far as it can be looked at without a change.
type Standing struct {
	State  document.State // of the job; "": there is none
	Events int            // appended so far, sealed or not
	Copies int            // working copies
	Keys   int            // data keys
	Access string         // of the API key: "", "valid" or "revoked"
	Held   bool           // the idempotency key, by a reservation; looked at by coming again
}

const (
	wayJob  = document.ID("j00000000000000000000000000")
	wayKey  = "k"
	wayNode = "node"
)

// Run makes all steps, and calls done after each.
func (w Way) Run(ctx context.Context, s Store, done func(steps int)) error {
	for i, step := range w.Steps {
		if err := step.Do(ctx, s); err != nil {
			return err
		}
		done(i + 1)
	}
	return nil
}

// Check looks at what a killed process left: it must be what one of these numbers of steps
// leaves.
func (w Way) Check(t testing.TB, s Store, steps ...int) {
	t.Helper()
	got := look(t, s)
	for _, n := range steps {
		want := Standing{}
		if n > 0 {
			want = w.Steps[n-1].Stands
		}
		got.Held = want.Held
		if got == want {
			w.again(t, s, want)
			return
		}
	}
	t.Errorf("what stands is %+v; that is not what %v steps leave", got, steps)
}

func look(t testing.TB, s Store) (got Standing) {
	t.Helper()
	ctx := t.Context()
	j, err := s.Job(ctx, wayJob)
	if err != nil && !errors.Is(err, queue.ErrNotFound) {
		t.Fatal(err)
	}
	got.State = j.State
	pending, err := s.Pending(ctx, 100)
	if err != nil {
		t.Fatal(err)
	}
	size, _, err := s.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	CheckTree(t, s, size)
	got.Events = len(pending) + int(size)
	copies, err := s.Staged(ctx, wayNode)
	if err != nil {
		t.Fatal(err)
	}
	got.Copies = len(copies)
	for _, c := range vault.Classes() {
		if _, err := s.Key(ctx, wayJob, c); err == nil {
			got.Keys++
		} else if reason.Of(err) != reason.VaultKeyGone {
			t.Fatal(err)
		}
	}
	k, err := s.Access(ctx, "k1")
	switch {
	case err == nil && k.Revoked.IsZero():
		got.Access = "valid"
	case err == nil:
		got.Access = "revoked"
	case reason.Of(err) != reason.AccessUnknown:
		t.Fatal(err)
	}
	return got
}

func say(k receipt.Kind) func(queue.Job) receipt.Event {
	return func(queue.Job) receipt.Event { return receipt.Event{Kind: k} }
}

// OneJob is the way of a job of the command line.
func OneJob() Way {
	var l queue.Lease
	return Way{again: enqueuedAgain, Steps: []Step{
		{func(ctx context.Context, s Store) error {
			j := NewJob()
			j.ID, j.Key = wayJob, wayKey
			_, _, err := s.Enqueue(ctx, j, receipt.Event{Kind: receipt.Received})
			return err
		}, Standing{State: document.Queued, Events: 1}},
		{func(ctx context.Context, s Store) (err error) { l, err = claimAny(ctx, s); return err },
			Standing{State: document.Leased, Events: 2}},
		{func(ctx context.Context, s Store) error {
			c := queue.WorkingCopy{ID: "copy", Node: wayNode, Expires: time.Now()}
			return s.Stage(ctx, l, c, receipt.Event{Kind: receipt.Staged})
		}, Standing{State: document.Leased, Events: 3, Copies: 1}},
		{func(ctx context.Context, s Store) error {
			return s.Unstage(ctx, "copy", receipt.Event{Kind: receipt.Unstaged})
		}, Standing{State: document.Leased, Events: 4}},
		{func(ctx context.Context, s Store) error {
			return s.Finish(ctx, l, queue.Outcome{Target: document.Released, Event: receipt.Event{Kind: receipt.RedactedKind}})
		}, Standing{State: document.Sealing, Events: 5}},
		{func(ctx context.Context, s Store) error { return Seal(ctx, s) },
			Standing{State: document.Released, Events: 5}},
	}}
}

func claimAny(ctx context.Context, s Store) (queue.Lease, error) {
	j, err := s.Claim(ctx, queue.Claim{Lease: time.Hour}, say(receipt.Claimed))
	return queue.Lease{Job: j.ID, Token: j.Token}, err
}

func enqueuedAgain(t testing.TB, s Store, stands Standing) {
	t.Helper()
	j := NewJob()
	j.Key = wayKey
	got, added, err := s.Enqueue(t.Context(), j, receipt.Event{})
	if err != nil || added != (stands.State == "") || (!added && got.State != stands.State) {
		t.Errorf("the job is %q (new: %v), %v; want %q", got.State, added, err, stands.State)
	}
}

// OneRequest is what the service does with a document: taken in, it dies, is replayed and
// cancelled while it is worked on; then its keys go.
func OneRequest() Way {
	asked := queue.Reservation{Tenant: document.Local, Key: wayKey, Job: wayJob}
	var r queue.Reservation
	put := func(c vault.Class) func(context.Context, Store) error {
		return func(ctx context.Context, s Store) error { _, err := s.PutKey(ctx, wayJob, c, []byte("k")); return err }
	}
	destroy := func(c vault.Class) func(context.Context, Store) error {
		return func(ctx context.Context, s Store) error {
			return s.DestroyKey(ctx, wayJob, c, receipt.Event{Kind: receipt.Deleted})
		}
	}
	seal := func(ctx context.Context, s Store) error { return Seal(ctx, s) }
	var l queue.Lease
	claim := func(ctx context.Context, s Store) (err error) { l, err = claimAny(ctx, s); return err }
	held := func(events, keys int) Standing {
		return Standing{Held: true, Events: events, Keys: keys, Access: "valid"}
	}
	stands := func(state document.State, events, keys int) Standing {
		return Standing{State: state, Events: events, Keys: keys, Access: "valid"}
	}
	return Way{again: requestedAgain, Steps: []Step{
		{func(ctx context.Context, s Store) error {
			_, err := s.AddAccess(ctx, AccessKey("k1"), true, receipt.Event{Kind: receipt.AccessGranted})
			return err
		}, stands("", 1, 0)},
		{func(ctx context.Context, s Store) (err error) {
			r, _, err = s.Reserve(ctx, asked, time.Hour, Wide, receipt.Event{Kind: receipt.Staged})
			return err
		}, held(2, 0)},
		{put(vault.Upload), held(2, 1)},
		{put(vault.Task), held(2, 2)},
		{func(ctx context.Context, s Store) error { _, err := s.Renew(ctx, r, time.Hour); return err }, held(2, 2)},
		{func(ctx context.Context, s Store) error {
			j := NewJob()
			j.ID, j.Sealed = wayJob, []byte("order")
			_, err := s.Accept(ctx, r, "print", j, receipt.Event{Kind: receipt.Received})
			return err
		}, stands(document.Queued, 3, 2)},
		{claim, stands(document.Leased, 4, 2)},
		{func(ctx context.Context, s Store) error {
			return s.Finish(ctx, l, queue.Outcome{Target: document.Dead, Event: receipt.Event{Kind: receipt.DeadKind}})
		}, stands(document.Sealing, 5, 2)},
		{seal, stands(document.Dead, 5, 2)},
		{func(ctx context.Context, s Store) error {
			_, err := s.Replay(ctx, wayJob, say(receipt.Replayed))
			return err
		}, stands(document.Queued, 6, 2)},
		{claim, stands(document.Leased, 7, 2)},
		{func(ctx context.Context, s Store) error {
			_, err := s.Cancel(ctx, wayJob, say(receipt.Cancelled))
			return err
		}, stands(document.Sealing, 8, 2)},
		{seal, stands(document.Cancelled, 8, 2)},
		{destroy(vault.Upload), stands(document.Cancelled, 9, 1)},
		{destroy(vault.Task), stands(document.Cancelled, 10, 0)},
		{func(ctx context.Context, s Store) error {
			return s.RevokeAccess(ctx, "k1", receipt.Event{Kind: receipt.AccessRevoked})
		}, Standing{State: document.Cancelled, Events: 11, Access: "revoked"}},
	}}
}

// requestedAgain asks again with the client's key.
func requestedAgain(t testing.TB, s Store, stands Standing) {
	t.Helper()
	r := queue.Reservation{Tenant: document.Local, Key: wayKey, Job: document.NewID()}
	_, known, err := s.Reserve(t.Context(), r, time.Minute, Wide, receipt.Event{})
	if got := reason.Of(err) == reason.APIInProgress; got != stands.Held {
		t.Errorf("in progress: %v, %v", got, err)
	}
	if (known != nil) != (stands.State != "") {
		t.Fatalf("known as %+v, %v", known, err)
	}
	if known != nil && known.Job != wayJob {
		t.Errorf("the key was accepted for %s", known.Job)
	}
}
