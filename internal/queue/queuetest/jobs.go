package queuetest

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

func enqueueStoresTheJob(s *suite) {
	j := newJob()
	j.Key, j.Bytes = "k", 12
	before := s.now()
	got := s.enqueue(j)
	if got.Created.Before(before) || got.Created.After(s.now()) || !got.NotBefore.Equal(got.Created) {
		s.Errorf("created %v, not before %v, by a clock that says %v", got.Created, got.NotBefore, before)
	}
	want := j
	want.State, want.FinalSeq, want.Created, want.NotBefore = document.Queued, -1, got.Created, got.NotBefore
	if d := cmp.Diff(want, got); d != "" {
		s.Error(d)
	}
	if d := cmp.Diff(want, s.job(j.ID)); d != "" {
		s.Error(d)
	}
	s.told(receipt.Received)
	_, err := s.Store.Job(s.ctx, document.NewID())
	s.wants(err, queue.ErrNotFound)
	s.wants(s.Store.Deliver(s.ctx, document.NewID()), queue.ErrNotFound)
}

func enqueueIsIdempotent(s *suite) {
	first := newJob()
	first.Key = "k"
	s.enqueue(first)

	again := newJob()
	again.Key = "k"
	got, added, err := s.Other.Enqueue(s.ctx, again, event(receipt.Received, again.ID))
	s.must(err)
	if added || got.ID != first.ID || got.Input != first.Input {
		s.Errorf("the same key gave %s (added %v), not the first job", got.ID, added)
	}
	s.told(receipt.Received)

	foreign := newJob()
	foreign.Key, foreign.Tenant = "k", "other"
	s.enqueue(foreign) // keys are a tenant's own

	for range 2 { // without a key, every job is new
		s.enqueue(newJob())
	}

	s.must(s.Store.Deliver(s.ctx, first.ID))
	s.enqueue(again) // the key is free once its job was handed over
}

func enqueueRaceAddsOne(s *suite) {
	const racers = 6
	ids := make([]document.ID, racers)
	var wg sync.WaitGroup
	for i := range racers {
		wg.Go(func() {
			j := newJob()
			j.Key = "k"
			got, _, err := s.handle(i).Enqueue(s.ctx, j, event(receipt.Received, j.ID))
			if err != nil {
				s.Error(err)
			}
			ids[i] = got.ID
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			s.Fatalf("one key gave %s and %s", ids[0], id)
		}
	}
	s.told(receipt.Received)
}

func (s *suite) handle(i int) Store {
	if i%2 == 0 {
		return s.Store
	}
	return s.Other
}

func claimLendsTheOldest(s *suite) {
	s.nothingReady()
	a, b := newJob(), newJob()
	s.enqueue(a)
	s.Advance(time.Second)
	s.enqueue(b)
	now := s.now()
	first, l := s.claim(s.Store)
	if first.ID != a.ID || first.Attempt != 1 || first.State != document.Leased || string(first.Policy.Body) != "policy" {
		s.Errorf("got %+v", first)
	}
	if d := first.LeaseUntil.Sub(now); d < lease || d > lease+10*time.Second {
		s.Errorf("the lease lasts %v", d)
	}
	if d := cmp.Diff(first, s.job(a.ID)); d != "" {
		s.Error(d)
	}
	second, m := s.claim(s.Other)
	if second.ID != b.ID || m.Token <= l.Token {
		s.Errorf("got %s with token %d after %d", second.ID, m.Token, l.Token)
	}
	s.nothingReady()
	s.told(receipt.Received, receipt.Received, receipt.Claimed, receipt.Claimed)
}

func claimOnlyTheNamed(s *suite) {
	a, b := newJob(), newJob()
	s.enqueue(a)
	s.enqueue(b)
	for _, only := range [][]document.ID{{}, {document.NewID()}} {
		_, err := s.Store.Claim(s.ctx, queue.Claim{Only: only, Lease: lease}, claimed)
		s.wants(err, queue.ErrNoJob)
	}
	got, err := s.Store.Claim(s.ctx, queue.Claim{Only: []document.ID{document.NewID(), b.ID}, Lease: lease}, claimed)
	s.must(err)
	if got.ID != b.ID {
		s.Errorf("got %s, asked for %s", got.ID, b.ID)
	}
	s.state(a.ID, document.Queued)
}

// An interactive job overtakes every bulk job, however long that has waited.
func claimTakesInteractiveFirst(s *suite) {
	old, young := newJob(), newJob()
	s.enqueue(old)
	s.Advance(time.Minute)
	first, second := interactive(), interactive()
	s.enqueue(first)
	s.Advance(time.Second)
	s.enqueue(second)
	s.enqueue(young)
	for _, want := range []queue.Job{first, second, old, young} {
		if got, _ := s.claim(s.Store); got.ID != want.ID || got.Lane != want.Lane {
			s.Errorf("got a job of lane %s, want one of %s", got.Lane, want.Lane)
		}
	}
}

func interactive() queue.Job {
	j := newJob()
	j.Lane = document.Interactive
	return j
}

// A claim for one lane leaves the other alone, even where a job of it was asked for by name.
func claimStaysInItsLane(s *suite) {
	bulk, fast := newJob(), interactive()
	s.enqueue(bulk)
	for _, only := range [][]document.ID{nil, {bulk.ID}} {
		_, err := s.Store.Claim(s.ctx, queue.Claim{Only: only, Lane: document.Interactive, Lease: lease}, claimed)
		s.wants(err, queue.ErrNoJob)
	}
	s.enqueue(fast)
	for lane, want := range map[document.Lane]queue.Job{document.Interactive: fast, document.Bulk: bulk} {
		got, err := s.Other.Claim(s.ctx, queue.Claim{Lane: lane, Lease: lease}, claimed)
		s.must(err)
		if got.ID != want.ID {
			s.Errorf("lane %s gave a job of lane %s", lane, got.Lane)
		}
	}
}

func claimWaitsForNotBefore(s *suite) {
	j := newJob()
	j.NotBefore = s.now().Add(time.Hour)
	s.enqueue(j)
	s.nothingReady()
	s.Advance(time.Hour)
	s.claim(s.Store)
}

func claimersNeverShare(s *suite) {
	const jobs, claimers = 24, 6
	for range jobs {
		s.enqueue(newJob())
	}
	got := make(chan queue.Job, jobs*2)
	var wg sync.WaitGroup
	for i := range claimers {
		wg.Go(func() {
			for {
				j, err := s.handle(i).Claim(s.ctx, queue.Claim{Lease: time.Hour}, claimed)
				switch reason.Of(err) {
				case "":
					got <- j
				case reason.QueueBusy: // allowed; asking again is the worker's part
				default:
					s.wantsNoJob(err)
					return
				}
			}
		})
	}
	wg.Wait()
	close(got)
	ids, tokens := map[document.ID]bool{}, map[int64]bool{}
	for j := range got {
		if ids[j.ID] || tokens[j.Token] {
			s.Errorf("job %s or token %d was lent twice", j.ID, j.Token)
		}
		ids[j.ID], tokens[j.Token] = true, true
	}
	if len(ids) != jobs {
		s.Errorf("%d of %d jobs were lent", len(ids), jobs)
	}
}

// wantsNoJob is for goroutines, which must not call Fatal.
func (s *suite) wantsNoJob(err error) {
	if !isNoJob(err) {
		s.Error(err)
	}
}

var _ testing.TB = (*suite)(nil)
