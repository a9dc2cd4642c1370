// Package queuetest holds what every store of package queue must do: a conformance suite
// and a model test. A store that passes keeps the promise that nothing is lost and
// nothing happens twice, as far as one store can be asked.
package queuetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/receipt"
)

// Store is everything that the suite asks of a store.
type Store interface {
	queue.Store
	queue.Intake
	queue.Operations
}

// Fixture is an empty store to test, opened with Settings.
type Fixture struct {
	Store Store
	Other Store // the same store, opened a second time as another process would

	// Advance moves the store's clock forwards, for all handles.
	Advance func(d time.Duration)
	// Outbox returns every event that was appended so far, in order.
	Outbox func() ([]Sent, error)
	// Seal does what the sequencer's transaction does: it empties the outbox and moves
	// the waiting jobs to their states.
	Seal func() error
	// Forget destroys what a job needs to be worked on, as the retention does.
	Forget func(job document.ID) error
	// Close releases everything.
	Close func()
}

// Sent is an event in the outbox, with the job that its seal moves and the state it brings.
type Sent struct {
	Event receipt.Event
	Job   document.ID
	State document.State
}

// check is a test of the conformance suite.
type check struct {
	name string
	test func(*suite)
}

// checks are the conformance suite.
var checks = []check{
	{"EnqueueStoresTheJob", enqueueStoresTheJob},
	{"EnqueueIsIdempotent", enqueueIsIdempotent},
	{"EnqueueRaceAddsOne", enqueueRaceAddsOne},
	{"ClaimLendsTheOldest", claimLendsTheOldest},
	{"ClaimOnlyTheNamed", claimOnlyTheNamed},
	{"ClaimWaitsForNotBefore", claimWaitsForNotBefore},
	{"ClaimTakesInteractiveFirst", claimTakesInteractiveFirst},
	{"ClaimStaysInItsLane", claimStaysInItsLane},
	{"ClaimersNeverShare", claimersNeverShare},
	{"ExpiryIsVisible", expiryIsVisible},
	{"HeartbeatHoldsTheLease", heartbeatHoldsTheLease},
	{"StaleWorkerWritesNothing", staleWorkerWritesNothing},
	{"LateWorkerWritesNothing", lateWorkerWritesNothing},
	{"FinishSealsOnce", finishSealsOnce},
	{"FinishForgetsTheTask", finishForgetsTheTask},
	{"ReleaseBacksOff", releaseBacksOff},
	{"StopIsNoAttempt", stopIsNoAttempt},
	{"OutboxKeepsOrder", outboxKeepsOrder},
	{"FailedWriteTellsNothing", failedWriteTellsNothing},
	{"WorkingCopiesAreCounted", workingCopiesAreCounted},
	{"ReserveHoldsTheKey", reserveHoldsTheKey},
	{"ReserveRaceHoldsOne", reserveRaceHoldsOne},
	{"ReserveWithoutAKey", reserveWithoutAKey},
	{"RenewHoldsTheKey", renewHoldsTheKey},
	{"ReservationRunsOut", reservationRunsOut},
	{"AbandonFreesTheKey", abandonFreesTheKey},
	{"AcceptStoresTheJob", acceptStoresTheJob},
	{"AcceptHappensOnce", acceptHappensOnce},
	{"AcceptRefusesAnotherJob", acceptRefusesAnotherJob},
	{"AcceptedIsRemembered", acceptedIsRemembered},
	{"BacklogIsBounded", backlogIsBounded},
	{"TokensAreOneSequence", tokensAreOneSequence},
	{"CancelEndsAJob", cancelEndsAJob},
	{"CancelTakesTheLease", cancelTakesTheLease},
	{"CancelRefusesEndedJobs", cancelRefusesEndedJobs},
	{"ActsNeedAJob", actsNeedAJob},
	{"ReplayBeginsAnew", replayBeginsAnew},
	{"ReplayNeedsTheOrder", replayNeedsTheOrder},
	{"DiscardEndsTheDead", discardEndsTheDead},
	{"TellAppends", tellAppends},
	{"TrailOfAJob", trailOfAJob},
	{"JobsAreListed", jobsAreListed},
	{"ListsAreSlim", listsAreSlim},
	{"JobsAreFiltered", jobsAreFiltered},
	{"PressureCountsWhatWaits", pressureCountsWhatWaits},
	{"SharesFollowTime", sharesFollowTime},
	{"SharesFollowWeights", sharesFollowWeights},
	{"IdleEarnsNoCredit", idleEarnsNoCredit},
	{"NobodySavesUp", nobodySavesUp},
	{"NewcomersGoFirst", newcomersGoFirst},
	{"NewcomersOweNothing", newcomersOweNothing},
	{"EstimatesSpreadClaims", estimatesSpreadClaims},
	{"EstimatesAreSettled", estimatesAreSettled},
	{"TimeIsCharged", timeIsCharged},
	{"DeadTimeIsNotCharged", deadTimeIsNotCharged},
	{"ParkedTimeIsNotCharged", parkedTimeIsNotCharged},
	{"MeansAreLearnt", meansAreLearnt},
	{"NamedClaimsPay", namedClaimsPay},
	{"LanesAreApart", lanesAreApart},
	{"WaitsTellsWhoWaits", waitsTellsWhoWaits},
}

// Run puts a kind of store through the suite. open returns a fresh, empty one.
func Run(t *testing.T, open func(t *testing.T) Fixture) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			f := open(t)
			t.Cleanup(f.Close)
			c.test(&suite{TB: t, Fixture: f, ctx: t.Context()})
		})
	}
	t.Run("Model", func(t *testing.T) { runModel(t, func() Fixture { return open(t) }) })
}

const lease = time.Minute

// suite is one test's fixture with what the tests say all the time.
type suite struct {
	testing.TB
	Fixture
	ctx context.Context
}

// newJob returns a job that differs from every other.
func newJob() queue.Job {
	id := document.NewID()
	return queue.Job{
		ID: id, Tenant: "clinic", Lane: document.Bulk, Input: document.Sum([]byte(id)),
		Policy: queue.PolicyRef{Name: "default", Version: "1", Digest: document.Sum([]byte("policy")), Body: []byte("policy")},
		Sealed: []byte("sealed task of " + id), Trace: "00-" + string(id) + "-01",
	}
}

func event(kind receipt.Kind, j document.ID) receipt.Event {
	return receipt.Event{Schema: receipt.EventSchema, Kind: kind, Job: string(j), Actor: "test"}
}

func claimed(j queue.Job) receipt.Event {
	e := event(receipt.Claimed, j.ID)
	e.Attempt = int64(j.Attempt)
	return e
}

func expired(j queue.Job) receipt.Event { return event(receipt.LeaseExpired, j.ID) }

func (s *suite) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *suite) wants(err, want error) {
	s.Helper()
	if !errors.Is(err, want) {
		s.Fatalf("got %v, want %v", err, want)
	}
}

func (s *suite) enqueue(j queue.Job) queue.Job {
	s.Helper()
	got, added, err := s.Store.Enqueue(s.ctx, j, event(receipt.Received, j.ID))
	s.must(err)
	if !added {
		s.Fatal("a new job was taken for a known one")
	}
	return got
}

func (s *suite) claim(from Store) (queue.Job, queue.Lease) {
	s.Helper()
	j, err := from.Claim(s.ctx, queue.Claim{Lease: lease}, claimed)
	s.must(err)
	return j, queue.Lease{Job: j.ID, Token: j.Token, Until: j.LeaseUntil}
}

func (s *suite) nothingReady() {
	s.Helper()
	_, err := s.Store.Claim(s.ctx, queue.Claim{Lease: lease}, claimed)
	s.wants(err, queue.ErrNoJob)
}

func (s *suite) now() time.Time {
	s.Helper()
	now, err := s.Store.Now(s.ctx)
	s.must(err)
	return now
}

// job reads a job through the other handle, which must see what the first has written.
func (s *suite) job(id document.ID) queue.Job {
	s.Helper()
	j, err := s.Other.Job(s.ctx, id)
	s.must(err)
	return j
}

func (s *suite) state(id document.ID, want document.State) {
	s.Helper()
	if got := s.job(id).State; got != want {
		s.Fatalf("the job is %s, not %s", got, want)
	}
}

// told checks the kinds of all events in the outbox.
func (s *suite) told(want ...receipt.Kind) {
	s.Helper()
	sent, err := s.Outbox()
	s.must(err)
	var got []receipt.Kind
	for _, e := range sent {
		got = append(got, e.Event.Kind)
	}
	if !slices.Equal(got, want) {
		s.Fatalf("the outbox holds %v, not %v", got, want)
	}
}

func outcome(target document.State, id document.ID) queue.Outcome {
	return queue.Outcome{Target: target, Bytes: 7, Result: []byte(`{"x":1}`), Event: event(receipt.RedactedKind, id)}
}

// fencedWrites are all the ways in which a worker can write, by name.
func fencedWrites(ctx context.Context, s queue.Store, l queue.Lease, now time.Time) map[string]error {
	_, extend := s.Extend(ctx, l, lease)
	out := map[string]error{
		"park":    s.Park(ctx, l, true),
		"unpark":  s.Park(ctx, l, false),
		"extend":  extend,
		"finish":  s.Finish(ctx, l, outcome(document.Released, l.Job)),
		"release": s.Release(ctx, l, "source.unavailable", now, event(receipt.Retried, l.Job)),
	}
	if c, ok := s.(queue.WorkingCopies); ok {
		out["stage"] = c.Stage(ctx, l, queue.WorkingCopy{ID: fmt.Sprintf("stale-%d", l.Token), Node: "here", Expires: now}, event(receipt.Staged, l.Job))
		out["prolong"] = c.Prolong(ctx, l, "here", now, event(receipt.Extended, l.Job))
	}
	return out
}
