// Package storetest holds what every store of blotter must do beside lending jobs, which
// package queuetest holds: the outbox and the log that only grows, a job's trail, data keys
// and their destruction, API keys, what the retention asks for. Both stores run the one
// suite.
package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"blotter/internal/access"
	"blotter/internal/audit"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/retention"
	"blotter/internal/vault"
	"blotter/receipt"
)

// Store is everything that the suite asks of a store.
type Store interface {
	queue.Store
	queue.Intake
	queue.Operations
	queue.WorkingCopies
	audit.Log
	access.Store
	vault.Keys
	retention.Store

	// Waiting returns the numbers of the oldest and the newest event in the outbox, both 0
	// where it is empty. A number is never given twice.
	Waiting(ctx context.Context) (oldest, newest int64, err error)
}

// Fixture is an empty store to test.
type Fixture struct {
	Store Store
	Other Store // the same store, opened a second time as another process would

	// Advance moves the store's clock, for all handles.
	Advance func(d time.Duration)
	// Exec runs a statement of SQL on the database.
	Exec func(statement string) error
	// Count runs a query that answers with one number.
	Count func(query string) (int, error)
	// Close releases everything.
	Close func()
}

// Run puts a kind of store through the suite. open returns a fresh, empty one.
func Run(t *testing.T, open func(t *testing.T) Fixture) {
	for _, c := range []struct {
		name string
		test func(*suite)
	}{
		{"LogGrows", logGrows},
		{"LogTakesManyAtOnce", logTakesManyAtOnce},
		{"AppendTakesEntriesOfTheSequencer", appendTakesEntriesOfTheSequencer},
		{"AppendRefuses", appendRefuses},
		{"AppendNeedsTheJobToWait", appendNeedsTheJobToWait},
		{"AppendRaceHasOneWinner", appendRaceHasOneWinner},
		{"AppendMovesJobs", appendMovesJobs},
		{"LogCannotBeChanged", logCannotBeChanged},
		{"WaitingEvents", waitingEvents},
		{"TrailFollowsTheLog", trailFollowsTheLog},
		{"PutKeyKeepsTheFirst", putKeyKeepsTheFirst},
		{"PutKeyRaceHasOneKey", putKeyRaceHasOneKey},
		{"KeyIsDestroyedOnce", keyIsDestroyedOnce},
		{"DestroyedKeyNeverComesBack", destroyedKeyNeverComesBack},
		{"KeysExpire", keysExpire},
		{"UndeliveredResultIsSpared", undeliveredResultIsSpared},
		{"DeliveryDatesAnew", deliveryDatesAnew},
		{"OrdersDoNotWaitForEver", ordersDoNotWaitForEver},
		{"StaleWorkerDatesNoKey", staleWorkerDatesNoKey},
		{"KeysOfEndedJobs", keysOfEndedJobs},
		{"KeysOfCancelledJobs", keysOfCancelledJobs},
		{"UploadsAreDated", uploadsAreDated},
		{"IntakeIsRemembered", intakeIsRemembered},
		{"KeysLiveWithTheirReservation", keysLiveWithTheirReservation},
		{"EndedReservationsAreForgotten", endedReservationsAreForgotten},
		{"AnnouncedUploadsEndOnRecord", announcedUploadsEndOnRecord},
		{"NoJobIsAcceptedWithoutItsKeys", noJobIsAcceptedWithoutItsKeys},
		{"ReplayNeedsTheDocument", replayNeedsTheDocument},
		{"ReplayGivesUpAFreedKey", replayGivesUpAFreedKey},
		{"AccessKeysAreKept", accessKeysAreKept},
		{"FirstAccessKeyIsOne", firstAccessKeyIsOne},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.test((&suite{open: open}).on(t))
		})
	}
}

// suite is one test's fixture with what the tests say all the time.
type suite struct {
	*testing.T
	Fixture
	ctx  context.Context
	open func(t *testing.T) Fixture
}

// on is the suite with a fresh store that ends with t.
func (s *suite) on(t *testing.T) *suite {
	f := s.open(t)
	t.Cleanup(f.Close)
	return &suite{T: t, Fixture: f, ctx: t.Context(), open: s.open}
}

// each runs a part of a test on a fresh store of its own.
func (s *suite) each(name string, test func(*suite)) {
	s.T.Run(name, func(t *testing.T) { test(s.on(t)) })
}

func (s *suite) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// NewJob returns a job that differs from every other.
func NewJob() queue.Job {
	return queue.Job{
		ID: document.NewID(), Tenant: document.Local, Lane: document.Bulk,
		Policy: queue.PolicyRef{Name: "p", Version: "1"},
	}
}

func (s *suite) enqueue() document.ID {
	s.Helper()
	j, _, err := s.Store.Enqueue(s.ctx, NewJob(), receipt.Event{Kind: receipt.Received})
	s.must(err)
	return j.ID
}

func tellNothing(queue.Job) receipt.Event { return receipt.Event{} }

// lend claims a job for an hour.
func (s *suite) lend(id document.ID) queue.Lease {
	s.Helper()
	j, err := s.Store.Claim(s.ctx, queue.Claim{Only: []document.ID{id}, Lease: time.Hour}, tellNothing)
	s.must(err)
	return queue.Lease{Job: id, Token: j.Token}
}

// end claims a job and finishes it; keep says how long its keys live, by class.
func (s *suite) end(id document.ID, target document.State, keep map[string]time.Duration) {
	s.Helper()
	s.must(s.Store.Finish(s.ctx, s.lend(id), queue.Outcome{Target: target, Keep: keep}))
}

func (s *suite) seal() {
	s.Helper()
	s.must(Seal(s.ctx, s.Store))
}

// pending returns what waits in the outbox, as the other handle sees it.
func (s *suite) pending() []audit.Pending {
	s.Helper()
	out, err := s.Other.Pending(s.ctx, 10000)
	s.must(err)
	return out
}

// told checks the kinds of the events that wait.
func (s *suite) told(want ...receipt.Kind) {
	s.Helper()
	var got []receipt.Kind
	for _, p := range s.pending() {
		got = append(got, p.Event.Kind)
	}
	if !slices.Equal(got, want) {
		s.Errorf("the outbox holds %v, not %v", got, want)
	}
}
