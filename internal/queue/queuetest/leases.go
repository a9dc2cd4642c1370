package queuetest

import (
	"context"
	"errors"
	"slices"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

func isNoJob(err error) bool { return errors.Is(err, queue.ErrNoJob) }

func expiryIsVisible(s *suite) {
	a, b := newJob(), newJob()
	s.enqueue(a)
	held, l := s.claim(s.Store)
	s.Advance(lease / 2)
	s.enqueue(b)
	s.claim(s.Store)

	got, err := s.Other.Expire(s.ctx, expired)
	s.must(err)
	if len(got) != 0 {
		s.Fatalf("a living lease expired: %+v", got)
	}
	s.Advance(lease / 2)
	got, err = s.Other.Expire(s.ctx, expired)
	s.must(err)
	if len(got) != 1 || got[0].ID != a.ID || got[0].State != document.Leased || got[0].Token != l.Token {
		s.Fatalf("expired: %+v; want job %s as it was", got, held.ID)
	}
	s.told(receipt.Received, receipt.Claimed, receipt.Received, receipt.Claimed, receipt.LeaseExpired)
	if j := s.job(a.ID); j.State != document.Queued || j.Reason != reason.QueueLeaseLost || !j.LeaseUntil.IsZero() {
		s.Errorf("the job is %+v", j)
	}
	again, m := s.claim(s.Other)
	if again.ID != a.ID || again.Attempt != 2 || m.Token <= l.Token {
		s.Errorf("the next claim gave %+v", again)
	}
}

func heartbeatHoldsTheLease(s *suite) {
	s.enqueue(newJob())
	j, l := s.claim(s.Store)
	for range 4 {
		s.Advance(lease * 3 / 4)
		var err error
		l, err = s.Other.Extend(s.ctx, l, lease)
		s.must(err)
		if d := l.Until.Sub(s.now()); d > lease || d < lease-10*time.Second || !s.job(j.ID).LeaseUntil.Equal(l.Until) {
			s.Fatalf("the lease lasts %v more, and the job says until %v", d, s.job(j.ID).LeaseUntil)
		}
	}
	s.must(s.Store.Finish(s.ctx, l, outcome(document.Released, j.ID)))
}

// A worker that slept through its lease finds its job with another and can write nothing.
func staleWorkerWritesNothing(s *suite) {
	s.enqueue(newJob())
	j, stale := s.claim(s.Store)
	s.Advance(lease)
	_, err := s.Store.Expire(s.ctx, expired)
	s.must(err)
	_, fresh := s.claim(s.Other)
	s.writesNothing(stale)
	s.must(s.Other.Finish(s.ctx, fresh, outcome(document.Released, j.ID)))
	s.writesNothing(stale)
	s.writesNothing(fresh)
}

// A lease whose time is over is lost even before anyone noticed.
func lateWorkerWritesNothing(s *suite) {
	s.enqueue(newJob())
	_, l := s.claim(s.Store)
	s.Advance(lease)
	s.writesNothing(l)
	wrong := l
	wrong.Token++
	s.writesNothing(wrong)
}

func (s *suite) writesNothing(l queue.Lease) {
	s.Helper()
	before, job := s.outbox(), s.job(l.Job)
	for name, err := range fencedWrites(s.ctx, s.Store, l, s.now()) {
		if !errors.Is(err, queue.ErrLeaseLost) {
			s.Errorf("%s with a lost lease gave %v", name, err)
		}
		if reason.Of(err) != reason.QueueLeaseLost {
			s.Errorf("%s gave the code %s", name, reason.Of(err))
		}
	}
	after := s.job(l.Job)
	if len(s.outbox()) != len(before) || after.State != job.State || after.Reason != job.Reason ||
		!after.LeaseUntil.Equal(job.LeaseUntil) || string(after.Result) != string(job.Result) {
		s.Errorf("a stale worker changed the job from %+v to %+v", job, after)
	}
}

func (s *suite) outbox() []Sent {
	s.Helper()
	sent, err := s.Outbox()
	s.must(err)
	return sent
}

func finishSealsOnce(s *suite) {
	for _, target := range []document.State{document.Released, document.AwaitingReview, document.Rejected, document.Dead} {
		s.enqueue(newJob())
		j, l := s.claim(s.Store)
		o := outcome(target, j.ID)
		o.Reason = reason.SniffEmpty
		s.must(s.Store.Finish(s.ctx, l, o))
		got := s.job(j.ID)
		if got.State != document.Sealing || got.Target != target || got.Reason != o.Reason || got.Bytes != o.Bytes ||
			string(got.Result) != string(o.Result) || got.FinalSeq != -1 {
			s.Errorf("the job is %+v", got)
		}
		sent := s.outbox()
		last := sent[len(sent)-1]
		if last.Job != j.ID || last.State != target || last.Event.Kind != receipt.RedactedKind {
			s.Errorf("the final event moves %s to %s", last.Job, last.State)
		}
		s.writesNothing(l)
		s.nothingReady()
		s.must(s.Seal())
		if got := s.job(j.ID); got.State != target || got.Target != "" || got.FinalSeq < 0 {
			s.Errorf("after sealing the job is %+v", got)
		}
	}
	s.enqueue(newJob())
	j, l := s.claim(s.Store)
	if err := s.Store.Finish(s.ctx, l, outcome(document.Queued, j.ID)); err == nil {
		s.Error("a job was finished into the queue")
	}
	s.state(j.ID, document.Leased)
}

func finishForgetsTheTask(s *suite) {
	for target, kept := range map[document.State]bool{document.Released: false, document.Rejected: false, document.Dead: true} {
		s.enqueue(newJob())
		j, l := s.claim(s.Store)
		s.must(s.Store.Finish(s.ctx, l, outcome(target, j.ID)))
		if got := s.job(j.ID).Sealed; (got != nil) != kept {
			s.Errorf("%s: the sealed task is %q", target, got)
		}
	}
}

func releaseBacksOff(s *suite) {
	s.enqueue(newJob())
	j, l := s.claim(s.Store)
	until := s.now().Add(90 * time.Second)
	s.must(s.Store.Release(s.ctx, l, reason.SourceUnreadable, until, event(receipt.Retried, j.ID)))
	if got := s.job(j.ID); got.State != document.Queued || got.Reason != reason.SourceUnreadable || !got.NotBefore.Equal(until) {
		s.Errorf("the job is %+v", got)
	}
	s.writesNothing(l)
	s.nothingReady()
	s.Advance(80 * time.Second)
	s.nothingReady()
	s.Advance(10 * time.Second)
	if again, _ := s.claim(s.Store); again.ID != j.ID || again.Attempt != 2 {
		s.Errorf("got %+v", again)
	}
	s.told(receipt.Received, receipt.Claimed, receipt.Retried, receipt.Claimed)
}

// Restarts during one long document must not use its attempts up.
func stopIsNoAttempt(s *suite) {
	s.enqueue(newJob())
	var last int64
	for range 7 {
		j, l := s.claim(s.Store)
		if j.Attempt != 1 || l.Token <= last {
			s.Fatalf("claimed as attempt %d with token %d after %d", j.Attempt, l.Token, last)
		}
		last = l.Token
		s.must(s.Store.Release(s.ctx, l, reason.QueueStopped, s.now(), event(receipt.Retried, j.ID)))
		if got := s.job(j.ID); got.Attempt != 0 || got.Reason != reason.QueueStopped {
			s.Fatalf("given back, the job is %+v", got)
		}
		s.writesNothing(l)
	}
}

func outboxKeepsOrder(s *suite) {
	s.enqueue(newJob())
	want := []receipt.Kind{receipt.Received}
	for i := range 6 {
		j, l := s.claim(s.handle(i))
		e := event(receipt.Retried, j.ID)
		s.must(s.handle(i+1).Release(s.ctx, l, reason.SourceUnreadable, s.now(), e))
		want = append(want, receipt.Claimed, e.Kind)
	}
	s.told(want...)
	for _, e := range s.outbox() {
		if e.Job != "" {
			s.Errorf("a %s event moves a job", e.Event.Kind)
		}
	}
}

// A write that the caller gave up on must be wholly there or not at all.
func failedWriteTellsNothing(s *suite) {
	j := newJob()
	ended, cancel := context.WithCancel(s.ctx)
	cancel()
	if _, _, err := s.Store.Enqueue(ended, j, event(receipt.Received, j.ID)); err == nil {
		s.Fatal("a job was taken in though the caller had gone")
	}
	s.told()
	_, err := s.Store.Job(s.ctx, j.ID)
	s.wants(err, queue.ErrNotFound)

	s.enqueue(j)
	if _, _, err := s.Store.Enqueue(s.ctx, j, event(receipt.Received, j.ID)); err == nil {
		s.Fatal("one id was taken in twice")
	}
	s.told(receipt.Received)
}

func workingCopiesAreCounted(s *suite) {
	copies, ok := s.Store.(queue.WorkingCopies)
	if !ok {
		s.Skip("the store keeps no account of working copies")
	}
	s.enqueue(newJob())
	j, l := s.claim(s.Store)
	expires := s.now().Add(time.Hour)
	stage := func(id, node string) error {
		c := queue.WorkingCopy{ID: id, Node: node, Expires: expires}
		return copies.Stage(s.ctx, l, c, event(receipt.Staged, j.ID))
	}
	s.must(stage("first", "here"))
	s.Advance(time.Second)
	s.must(stage("second", "here"))
	s.must(stage("third", "there"))
	if err := stage("first", "there"); err == nil {
		s.Error("one name was staged twice")
	}
	other := s.Other.(queue.WorkingCopies)
	if got := s.staged(other); !slices.Equal(got, []string{"first", "second"}) {
		s.Errorf("staged: %v", got)
	}
	expires = expires.Add(time.Hour)
	s.must(copies.Prolong(s.ctx, l, "third", expires, event(receipt.Extended, j.ID)))
	for name, lost := range map[string]queue.Lease{"third": {Job: j.ID, Token: l.Token + 1}, "nowhere": l} {
		err := copies.Prolong(s.ctx, lost, name, expires.Add(time.Hour), event(receipt.Extended, j.ID))
		if !errors.Is(err, queue.ErrLeaseLost) {
			s.Errorf("%s was prolonged under token %d: %v", name, lost.Token, err)
		}
	}
	s.Advance(lease) // the janitor needs no lease
	for range 2 {    // and a second one changes nothing and says nothing
		s.must(other.Unstage(s.ctx, "first", event(receipt.Unstaged, j.ID)))
	}
	if got := s.staged(copies); !slices.Equal(got, []string{"second"}) {
		s.Errorf("staged: %v", got)
	}
	p, err := s.Store.Pressure(s.ctx)
	s.must(err)
	if p.Copies != 2 {
		s.Errorf("%d copies are counted on all nodes, want 2", p.Copies)
	}
	s.told(receipt.Received, receipt.Claimed, receipt.Staged, receipt.Staged, receipt.Staged, receipt.Extended, receipt.Unstaged)
	list, err := copies.Staged(s.ctx, "there")
	s.must(err)
	if c := list[0]; len(list) != 1 || c.ID != "third" || c.Node != "there" || c.Job != j.ID || !c.Expires.Equal(expires) || c.Created.IsZero() {
		s.Errorf("got %+v", c)
	}
}

func (s *suite) staged(c queue.WorkingCopies) []string {
	s.Helper()
	list, err := c.Staged(s.ctx, "here")
	s.must(err)
	var ids []string
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids
}
