package queuetest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

// roomy is a backlog that no test fills by accident.
var roomy = queue.Backlog{Tenant: 1000, Total: 1000}

// request is a fresh reservation that asks for a key of newJob's tenant.
func request(key string) queue.Reservation {
	return queue.Reservation{Tenant: "clinic", Key: key, Job: document.NewID()}
}

func (s *suite) reserve(r queue.Reservation) queue.Reservation {
	s.Helper()
	held, known, err := s.Store.Reserve(s.ctx, r, lease, roomy, event(receipt.Staged, r.Job))
	s.must(err)
	if known != nil {
		s.Fatalf("the key is known for job %s", known.Job)
	}
	return held
}

// refused checks that a reservation is refused, without a trace.
func (s *suite) refused(r queue.Reservation, b queue.Backlog, want error) {
	s.Helper()
	before := len(s.outbox())
	_, known, err := s.Other.Reserve(s.ctx, r, lease, b, event(receipt.Staged, r.Job))
	if known != nil || !errors.Is(err, want) || reason.Of(err) != reason.Of(want) || len(s.outbox()) != before {
		s.Errorf("got %v, %v; want %v", known, err, want)
	}
}

// jobFor is a job for a reservation.
func jobFor(r queue.Reservation) queue.Job {
	j := newJob()
	j.ID, j.Tenant = r.Job, r.Tenant
	return j
}

func (s *suite) accept(r queue.Reservation) queue.Job {
	s.Helper()
	j, err := s.Store.Accept(s.ctx, r, "print", jobFor(r), event(receipt.Received, r.Job))
	s.must(err)
	return j
}

// lost checks that nothing can be done under a reservation any more, without a trace.
func (s *suite) lost(r queue.Reservation) {
	s.Helper()
	before := len(s.outbox())
	_, err := s.Other.Renew(s.ctx, r, lease)
	s.wants(err, queue.ErrLeaseLost)
	_, err = s.Other.Accept(s.ctx, r, "print", jobFor(r), event(receipt.Received, r.Job))
	s.wants(err, queue.ErrLeaseLost)
	s.must(s.Other.Abandon(s.ctx, r))
	if len(s.outbox()) != before {
		s.Error("a lost reservation left an event")
	}
}

func reserveHoldsTheKey(s *suite) {
	now := s.now()
	held := s.reserve(request("k"))
	if d := held.Until.Sub(now); held.Token < 1 || d < lease || d > lease+10*time.Second {
		s.Errorf("held as %+v, for %v", held, d)
	}
	s.told(receipt.Staged)
	s.refused(request("k"), roomy, queue.ErrInProgress)
	other := request("k")
	other.Tenant = "other"
	s.reserve(other) // keys are a tenant's own
	s.reserve(request("another"))
	_, err := s.Store.Job(s.ctx, held.Job)
	s.wants(err, queue.ErrNotFound)
	s.nothingReady()
}

func reserveRaceHoldsOne(s *suite) {
	const racers = 6
	errs := make([]error, racers)
	var wg sync.WaitGroup
	for i := range racers {
		wg.Go(func() {
			r := request("k")
			_, _, errs[i] = s.handle(i).Reserve(s.ctx, r, lease, roomy, event(receipt.Staged, r.Job))
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !errors.Is(err, queue.ErrInProgress) {
			s.Error(err)
		}
	}
	if won != 1 {
		s.Errorf("%d requests hold the key", won)
	}
	s.told(receipt.Staged)
}

// Without a key requests do not know each other, and without an event none is told.
func reserveWithoutAKey(s *suite) {
	for range 2 {
		r := request("")
		held, known, err := s.Store.Reserve(s.ctx, r, lease, roomy, receipt.Event{})
		s.must(err)
		if known != nil {
			s.Fatal("no key is known")
		}
		s.accept(held)
	}
	s.told(receipt.Received, receipt.Received)
}

func renewHoldsTheKey(s *suite) {
	r := s.reserve(request("k"))
	for range 3 {
		s.Advance(lease * 3 / 4)
		var err error
		r, err = s.Other.Renew(s.ctx, r, lease)
		s.must(err)
		if d := r.Until.Sub(s.now()); d > lease || d < lease-10*time.Second {
			s.Fatalf("renewed for %v", d)
		}
		s.refused(request("k"), roomy, queue.ErrInProgress)
	}
	s.accept(r)
}

// A killed upload pins its key no longer than its lease; who then comes back finds its
// place taken.
func reservationRunsOut(s *suite) {
	first := s.reserve(request("k"))
	s.Advance(lease)
	s.lost(first)
	second := s.reserve(request("k"))
	if second.Token <= first.Token || second.Job == first.Job {
		s.Errorf("taken over as %+v after %+v", second, first)
	}
	s.lost(first) // and did not take the key from the one who holds it now
	s.refused(request("k"), roomy, queue.ErrInProgress)
	forged := second
	forged.Token = first.Token
	s.lost(forged)
	if j := s.accept(second); j.ID != second.Job {
		s.Errorf("accepted as %s", j.ID)
	}
	_, err := s.Store.Job(s.ctx, first.Job)
	s.wants(err, queue.ErrNotFound)
}

func abandonFreesTheKey(s *suite) {
	first := s.reserve(request("k"))
	s.must(s.Other.Abandon(s.ctx, first))
	s.lost(first)
	second := s.reserve(request("k"))
	s.lost(first)
	s.accept(second)
}

func acceptStoresTheJob(s *suite) {
	r := s.reserve(request("k"))
	j := jobFor(r)
	j.Bytes, j.Lane = 12, document.Interactive
	got, err := s.Other.Accept(s.ctx, r, "print", j, event(receipt.Received, j.ID))
	s.must(err)
	want := j
	want.Key, want.State, want.FinalSeq, want.Created, want.NotBefore = "k", document.Queued, -1, got.Created, got.NotBefore
	if d := cmp.Diff(want, got); d != "" {
		s.Error(d)
	}
	if d := cmp.Diff(want, s.job(j.ID)); d != "" {
		s.Error(d)
	}
	s.told(receipt.Staged, receipt.Received)
	s.lost(r)
	if claimed, _ := s.claim(s.Store); claimed.ID != j.ID || claimed.Trace != j.Trace {
		s.Errorf("claimed %+v", claimed)
	}
}

func acceptHappensOnce(s *suite) {
	r := s.reserve(request("k"))
	const racers = 4
	errs := make([]error, racers)
	var wg sync.WaitGroup
	for i := range racers {
		wg.Go(func() {
			_, errs[i] = s.handle(i).Accept(s.ctx, r, "print", jobFor(r), event(receipt.Received, r.Job))
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !errors.Is(err, queue.ErrLeaseLost) {
			s.Error(err)
		}
	}
	if won != 1 {
		s.Errorf("accepted %d times", won)
	}
	s.told(receipt.Staged, receipt.Received)
}

// A mistake of the caller's, or a caller who has gone, costs nobody the reservation.
func acceptRefusesAnotherJob(s *suite) {
	r := s.reserve(request("k"))
	another, foreign := jobFor(r), jobFor(r)
	another.ID, foreign.Tenant = document.NewID(), "other"
	for _, j := range []queue.Job{another, foreign} {
		if _, err := s.Store.Accept(s.ctx, r, "print", j, event(receipt.Received, j.ID)); err == nil {
			s.Error("a job that was not reserved was accepted")
		}
	}
	if _, err := s.Store.Accept(s.ctx, r, "", jobFor(r), event(receipt.Received, r.Job)); err == nil {
		s.Error("a job without a fingerprint was accepted")
	}
	ended, cancel := context.WithCancel(s.ctx)
	cancel()
	if _, err := s.Store.Accept(ended, r, "print", jobFor(r), event(receipt.Received, r.Job)); err == nil {
		s.Error("a job was accepted though the caller had gone")
	}
	s.told(receipt.Staged)
	s.accept(r)
}

// A key stays known through everything that may happen to its job, even where nothing new
// is taken in, and even where the same key was used without a reservation.
func acceptedIsRemembered(s *suite) {
	j := s.accept(s.reserve(request("k")))
	known := func() {
		s.Helper()
		r := request("k")
		_, got, err := s.Other.Reserve(s.ctx, r, lease, queue.Backlog{Tenant: 0, Total: 0}, event(receipt.Staged, r.Job))
		s.must(err)
		if got == nil || *got != (queue.Accepted{Job: j.ID, Fingerprint: "print"}) {
			s.Fatalf("the key is known as %+v", got)
		}
	}
	known()
	enqueued := newJob()
	enqueued.Key = "k"
	s.enqueue(enqueued)
	s.must(s.Store.Deliver(s.ctx, j.ID))
	known()
	_, l := s.claim(s.Store)
	s.must(s.Store.Finish(s.ctx, l, outcome(document.Released, j.ID)))
	s.must(s.Seal())
	s.Advance(48 * time.Hour)
	known()
	s.told()
}

// What waits is counted by tenant and in total: queued jobs and living reservations, and
// nothing else.
func backlogIsBounded(s *suite) {
	b := queue.Backlog{Tenant: 3, Total: 4}
	foreign := func() queue.Reservation { return queue.Reservation{Tenant: "other", Job: document.NewID()} }
	fits := func(r queue.Reservation) queue.Reservation {
		s.Helper()
		held, _, err := s.Store.Reserve(s.ctx, r, lease, b, event(receipt.Staged, r.Job))
		s.must(err)
		return held
	}
	s.enqueue(newJob())
	s.accept(fits(request("")))
	third := fits(request("third"))
	s.refused(request(""), b, queue.ErrFull)
	s.refused(request("third"), b, queue.ErrInProgress)
	fits(foreign())
	s.refused(foreign(), b, queue.ErrFull)

	s.must(s.Store.Abandon(s.ctx, third))
	fits(request("")) // the place is free at once
	s.refused(request(""), b, queue.ErrFull)
	s.claim(s.Store)
	fits(request("")) // so is that of a job that is worked on
	s.refused(request(""), b, queue.ErrFull)
	s.Advance(lease)
	fits(request("")) // and those of uploads that died
	fits(request(""))
	s.refused(request(""), b, queue.ErrFull)
	fits(foreign())
	s.refused(foreign(), b, queue.ErrFull)
}

func tokensAreOneSequence(s *suite) {
	last := int64(0)
	for i := range 6 {
		var token int64
		if i%2 == 0 {
			token = s.reserve(request("")).Token
		} else {
			s.enqueue(newJob())
			_, l := s.claim(s.handle(i / 2))
			token = l.Token
		}
		if token <= last {
			s.Fatalf("token %d after %d", token, last)
		}
		last = token
	}
}
