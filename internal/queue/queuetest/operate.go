package queuetest

import (
	"fmt"
	"slices"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

// did makes the event of an operator's act from the job that the store hands over.
func did(kind receipt.Kind) func(queue.Job) receipt.Event {
	return func(j queue.Job) receipt.Event {
		e := event(kind, j.ID)
		e.State, e.Reason = string(j.State), string(j.Reason)
		return e
	}
}

// refuses checks that nothing can be done to a job, without a trace.
func (s *suite) refuses(id document.ID) {
	s.Helper()
	before := len(s.outbox())
	_, err := s.Store.Cancel(s.ctx, id, did(receipt.Cancelled))
	s.code(err, reason.JobEnded)
	_, err = s.Store.Replay(s.ctx, id, did(receipt.Replayed))
	s.code(err, reason.JobNotDead)
	_, err = s.Store.Discard(s.ctx, id, did(receipt.Cancelled))
	s.code(err, reason.JobNotDead)
	if len(s.outbox()) != before {
		s.Error("a refused act left an event")
	}
}

func (s *suite) code(err error, want reason.Code) {
	s.Helper()
	if reason.Of(err) != want {
		s.Fatalf("got %v, want %s", err, want)
	}
}

// lastSent is the newest event of the outbox.
func (s *suite) lastSent() Sent {
	s.Helper()
	sent := s.outbox()
	return sent[len(sent)-1]
}

// ended is a job that ended in a state, sealed.
func (s *suite) ended(target document.State) queue.Job {
	s.Helper()
	s.enqueue(newJob())
	j, l := s.claim(s.Store)
	o := outcome(target, j.ID)
	o.Reason = reason.CellEngines
	s.must(s.Store.Finish(s.ctx, l, o))
	s.must(s.Seal())
	s.state(j.ID, target)
	return s.job(j.ID)
}

// cancelled checks a job that waits for the seal of its cancellation, and seals it.
func (s *suite) cancelled(got queue.Job, why reason.Code) {
	s.Helper()
	stored := s.job(got.ID)
	for _, j := range []queue.Job{got, stored} {
		if j.State != document.Sealing || j.Target != document.Cancelled || j.Reason != why || j.FinalSeq != -1 ||
			j.Sealed != nil || j.Result != nil || !j.LeaseUntil.IsZero() {
			s.Errorf("the job is %+v", j)
		}
	}
	last := s.lastSent()
	if last.Job != got.ID || last.State != document.Cancelled || last.Event.Kind != receipt.Cancelled ||
		last.Event.State != string(document.Sealing) || last.Event.Reason != string(why) {
		s.Errorf("the last event is %+v", last)
	}
	s.nothingReady()
	s.must(s.Seal())
	if j := s.job(got.ID); j.State != document.Cancelled || j.Target != "" || j.Reason != why || j.FinalSeq < 0 {
		s.Errorf("after sealing the job is %+v", j)
	}
}

func cancelEndsAJob(s *suite) {
	queued, later := newJob(), newJob()
	later.NotBefore = s.now().Add(time.Hour)
	for _, j := range []queue.Job{queued, later} {
		s.enqueue(j)
		got, err := s.Other.Cancel(s.ctx, j.ID, did(receipt.Cancelled))
		s.must(err)
		s.cancelled(got, reason.JobCancelled)
	}
}

// The fence falls with a cancellation: the worker that holds the job can write nothing.
func cancelTakesTheLease(s *suite) {
	s.enqueue(newJob())
	j, l := s.claim(s.Store)
	got, err := s.Other.Cancel(s.ctx, j.ID, did(receipt.Cancelled))
	s.must(err)
	s.writesNothing(l)
	s.cancelled(got, reason.JobCancelled)
	s.writesNothing(l)
	s.Advance(lease)
	expiredJobs, err := s.Store.Expire(s.ctx, expired)
	s.must(err)
	if len(expiredJobs) != 0 {
		s.Errorf("expired: %+v", expiredJobs)
	}
}

func cancelRefusesEndedJobs(s *suite) {
	s.enqueue(newJob())
	j, l := s.claim(s.Store)
	s.must(s.Store.Finish(s.ctx, l, outcome(document.Released, j.ID)))
	s.refuses(j.ID)
	for _, target := range []document.State{document.Released, document.AwaitingReview, document.Rejected} {
		s.refuses(s.ended(target).ID)
	}
	_, err := s.Store.Cancel(s.ctx, s.ended(document.Dead).ID, did(receipt.Cancelled))
	s.code(err, reason.JobEnded)

	s.enqueue(newJob())
	j, _ = s.claim(s.Store)
	_, err = s.Store.Cancel(s.ctx, j.ID, did(receipt.Cancelled))
	s.must(err)
	s.refuses(j.ID)
	s.must(s.Seal())
	s.refuses(j.ID)
}

func actsNeedAJob(s *suite) {
	_, err := s.Store.Cancel(s.ctx, document.NewID(), did(receipt.Cancelled))
	s.wants(err, queue.ErrNotFound)
	_, err = s.Store.Replay(s.ctx, document.NewID(), did(receipt.Replayed))
	s.wants(err, queue.ErrNotFound)
	_, err = s.Store.Discard(s.ctx, document.NewID(), did(receipt.Cancelled))
	s.wants(err, queue.ErrNotFound)
	s.told()
}

// A dead job that is replayed begins anew and may end a second time.
func replayBeginsAnew(s *suite) {
	dead := s.ended(document.Dead)
	s.Advance(time.Hour)
	s.must(s.Store.Deliver(s.ctx, dead.ID))
	now := s.now()
	got, err := s.Other.Replay(s.ctx, dead.ID, did(receipt.Replayed))
	s.must(err)
	for _, j := range []queue.Job{got, s.job(dead.ID)} {
		if j.State != document.Queued || j.Reason != "" || j.Attempt != 0 || j.Result != nil || j.FinalSeq != -1 || j.Delivered ||
			j.NotBefore.Before(now) || string(j.Sealed) != string(dead.Sealed) || !j.Created.Equal(dead.Created) || j.Token != dead.Token {
			s.Errorf("replayed, the job is %+v", j)
		}
	}
	if last := s.lastSent(); last.Job != "" || last.Event.Kind != receipt.Replayed || last.Event.State != string(document.Queued) {
		s.Errorf("the last event is %+v", last)
	}
	_, err = s.Store.Replay(s.ctx, dead.ID, did(receipt.Replayed))
	s.code(err, reason.JobNotDead)

	again, l := s.claim(s.Store)
	if again.ID != dead.ID || again.Attempt != 1 || again.Token <= dead.Token {
		s.Errorf("claimed again, the job is %+v", again)
	}
	s.must(s.Store.Finish(s.ctx, l, outcome(document.Released, dead.ID)))
	s.must(s.Seal())
	if j := s.job(dead.ID); j.State != document.Released || j.Reason != "" || j.Result == nil || j.FinalSeq <= dead.FinalSeq {
		s.Errorf("at its second end the job is %+v", j)
	}
}

func replayNeedsTheOrder(s *suite) {
	dead := s.ended(document.Dead)
	s.must(s.Forget(dead.ID))
	before := len(s.outbox())
	_, err := s.Store.Replay(s.ctx, dead.ID, did(receipt.Replayed))
	s.code(err, reason.JobNoReplay)
	s.state(dead.ID, document.Dead)
	if len(s.outbox()) != before {
		s.Error("a refused replay left an event")
	}
	for _, target := range []document.State{document.Released, document.Rejected} {
		_, err := s.Store.Replay(s.ctx, s.ended(target).ID, did(receipt.Replayed))
		s.code(err, reason.JobNotDead)
	}
}

func discardEndsTheDead(s *suite) {
	s.enqueue(newJob())
	j, l := s.claim(s.Store)
	_, err := s.Store.Discard(s.ctx, j.ID, did(receipt.Cancelled))
	s.code(err, reason.JobNotDead)
	s.must(s.Store.Finish(s.ctx, l, outcome(document.Dead, j.ID)))
	_, err = s.Store.Discard(s.ctx, j.ID, did(receipt.Cancelled))
	s.code(err, reason.JobNotDead) // not before its death is on record
	s.must(s.Seal())
	got, err := s.Other.Discard(s.ctx, j.ID, did(receipt.Cancelled))
	s.must(err)
	s.cancelled(got, reason.JobDiscarded)
}

func tellAppends(s *suite) {
	s.enqueue(newJob())
	s.must(s.Other.Tell(s.ctx, event(receipt.Viewed, "")))
	s.told(receipt.Received, receipt.Viewed)
	if last := s.lastSent(); last.Job != "" || last.State != "" {
		s.Errorf("it moves job %s", last.Job)
	}
}

func (s *suite) trail(id document.ID, after int64, n int) (numbers []int64) {
	s.Helper()
	sealed, err := s.Other.Trail(s.ctx, id, after, n)
	s.must(err)
	for _, e := range sealed {
		if len(e.Envelope) == 0 {
			s.Errorf("entry %d is empty", e.Sequence)
		}
		numbers = append(numbers, e.Sequence)
	}
	return numbers
}

func trailOfAJob(s *suite) {
	a, b := newJob(), newJob()
	s.enqueue(a)
	s.enqueue(b)
	s.must(s.Store.Tell(s.ctx, event(receipt.KeyCreated, ""))) // speaks of no job
	if got := s.trail(a.ID, -1, 10); len(got) != 0 {
		s.Errorf("before any seal the trail holds %v", got)
	}
	s.must(s.Seal())
	s.claim(s.Store)
	s.claim(s.Store)
	s.must(s.Seal())
	for _, c := range []struct {
		id    document.ID
		after int64
		n     int
		want  []int64
	}{
		{a.ID, -1, 10, []int64{0, 3}}, {b.ID, -1, 10, []int64{1, 4}}, {a.ID, 0, 10, []int64{3}}, {a.ID, -1, 1, []int64{0}},
		{a.ID, 3, 10, nil}, {document.NewID(), -1, 10, nil}, {"", -1, 10, nil},
	} {
		if got := s.trail(c.id, c.after, c.n); !slices.Equal(got, c.want) {
			s.Errorf("after %d, at most %d: %v, want %v", c.after, c.n, got, c.want)
		}
	}
}

func (s *suite) list(f queue.Filter) (ids []document.ID, last int64) {
	s.Helper()
	list, err := s.Other.Jobs(s.ctx, f)
	s.must(err)
	for _, j := range list {
		if len(ids) > 0 && j.Arrival >= last {
			s.Errorf("arrival %d after %d", j.Arrival, last)
		}
		ids, last = append(ids, j.ID), j.Arrival
	}
	return ids, last
}

func jobsAreListed(s *suite) {
	var want []document.ID
	for range 7 {
		want = append(want, s.enqueue(newJob()).ID)
	}
	slices.Reverse(want)
	var got []document.ID
	var before int64
	for range 3 { // 3 + 3 + 1, whatever comes meanwhile
		page, last := s.list(queue.Filter{Before: before, Limit: 3})
		got, before = append(got, page...), last
		s.enqueue(newJob())
	}
	if !slices.Equal(got, want) {
		s.Errorf("listed %v, want %v", got, want)
	}
	if page, _ := s.list(queue.Filter{Before: before, Limit: 3}); len(page) != 0 {
		s.Errorf("after the end: %v", page)
	}
	list, err := s.Store.Jobs(s.ctx, queue.Filter{Limit: 1})
	s.must(err)
	if stored := s.job(list[0].ID); stored.Trace != list[0].Trace || stored.Input != list[0].Input {
		s.Errorf("listed %+v, stored %+v", list[0].Job, stored)
	}
}

// A list holds no images, however many the jobs in it have: a page of them is in memory
// at once.
func listsAreSlim(s *suite) {
	s.enqueue(newJob())
	j, l := s.claim(s.Store)
	o := outcome(document.Dead, j.ID)
	o.Result = []byte(`{"pixels":7,"assets":[{"index":1}],"job":"x"}`)
	s.must(s.Store.Finish(s.ctx, l, o))
	list, err := s.Store.Jobs(s.ctx, queue.Filter{Limit: 1})
	s.must(err)
	if got := list[0]; string(got.Result) != `{"pixels":7,"job":"x"}` || got.Sealed != nil || got.Policy.Body != nil || got.Policy.Digest != j.Policy.Digest {
		s.Errorf("listed %+v", got)
	}
	if stored := s.job(j.ID); string(stored.Result) != string(o.Result) || stored.Sealed == nil || stored.Policy.Body == nil {
		s.Errorf("stored %+v", stored)
	}
}

func jobsAreFiltered(s *suite) {
	dead := s.ended(document.Dead)
	queued, fast, foreign := newJob(), interactive(), newJob()
	foreign.Tenant = "other"
	for _, j := range []queue.Job{queued, fast, foreign} {
		s.enqueue(j)
	}
	all := []document.ID{foreign.ID, fast.ID, queued.ID, dead.ID}
	for _, c := range []struct {
		f    queue.Filter
		want []document.ID
	}{
		{queue.Filter{}, all},
		{queue.Filter{Tenant: "clinic"}, all[1:]},
		{queue.Filter{State: document.Queued}, all[:3]},
		{queue.Filter{Tenant: "clinic", State: document.Queued}, all[1:3]},
		{queue.Filter{Tenant: "clinic", State: document.Queued, Lane: document.Interactive}, all[1:2]},
		{queue.Filter{Lane: document.Bulk, Tenant: "other"}, all[:1]},
		{queue.Filter{Reason: reason.CellEngines}, all[3:]},
		{queue.Filter{State: document.Dead, Reason: reason.CellEngines}, all[3:]},
		{queue.Filter{State: document.Dead, Reason: reason.CellMemory}, nil},
		{queue.Filter{Tenant: "nobody"}, nil},
	} {
		c.f.Limit = 10
		if got, _ := s.list(c.f); !slices.Equal(got, c.want) {
			s.Errorf("%+v: %v, want %v", c.f, got, c.want)
		}
	}
}

func pressureCountsWhatWaits(s *suite) {
	s.ended(document.Dead)
	s.ended(document.Released)
	first := s.enqueue(newJob())
	s.Advance(time.Minute)
	later := newJob()
	later.NotBefore = s.now().Add(time.Hour)
	s.enqueue(later)
	s.enqueue(newJob())
	fast, foreign := interactive(), newJob()
	foreign.Tenant = "other"
	s.enqueue(fast)
	s.enqueue(foreign)
	s.claim(s.Store) // the interactive one
	now := s.now()
	p, err := s.Other.Pressure(s.ctx)
	s.must(err)
	var got []string
	for _, d := range p.Depths {
		got = append(got, fmt.Sprintf("%s %s %d %d %d %v", d.Tenant, d.Lane, d.Ready, d.Later, d.Leased, d.Oldest.Equal(first.NotBefore)))
	}
	want := []string{"clinic bulk 2 1 0 true", "clinic interactive 0 0 1 false", "other bulk 1 0 0 false"}
	if !slices.Equal(got, want) {
		s.Errorf("depths %q, want %q", got, want)
	}
	if !p.Depths[1].Oldest.IsZero() {
		s.Errorf("nothing is ready, and the oldest is of %v", p.Depths[1].Oldest)
	}
	if p.Dead != 1 || p.Copies != 0 || !p.OldestCopy.IsZero() || p.Outbox != 6 || p.At.Before(now) {
		s.Errorf("got %+v", p)
	}
	if age := p.At.Sub(p.OldestOutbox); age < time.Minute || age > time.Minute+10*time.Second {
		s.Errorf("the oldest event waits for %v", age)
	}
	s.must(s.Seal())
	if p, err = s.Store.Pressure(s.ctx); err != nil || p.Outbox != 0 || !p.OldestOutbox.IsZero() {
		s.Errorf("sealed: %+v, %v", p, err)
	}
}
