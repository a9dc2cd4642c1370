package queuetest

import (
	"errors"
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

// The model's part for those who hold leases, or held them.

// fenced draws a lease, living or stale, and the job where it is in force.
func (m *model) fenced(t *rapid.T) (queue.Lease, *modelJob) {
	if len(m.leases) == 0 {
		t.Skip("no lease was given yet")
	}
	leases := m.leases
	if living := m.living(); len(living) > 0 && rapid.IntRange(0, 3).Draw(t, "of") > 0 {
		leases = living
	}
	l := rapid.SampledFrom(leases).Draw(t, "lease")
	return l, m.inForce(l)
}

// inForce returns the job of a lease in force.
func (m *model) inForce(l queue.Lease) *modelJob {
	j := m.find(l.Job)
	if j.state != document.Leased || j.token != l.Token || j.until <= m.clock {
		return nil
	}
	return j
}

func (m *model) living() (out []queue.Lease) {
	for _, l := range m.leases {
		if m.inForce(l) != nil {
			out = append(out, l)
		}
	}
	return out
}

// agrees checks a fenced write's error and reports whether it took effect.
func agrees(t *rapid.T, j *modelJob, err error) bool {
	if j == nil {
		if !errors.Is(err, queue.ErrLeaseLost) {
			t.Fatalf("a lost lease gave %v", err)
		}
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	return true
}

func (m *model) extend(t *rapid.T) {
	l, j := m.fenced(t)
	d := minutes(t, "by")
	got, err := m.store(t).Extend(m.ctx, l, d)
	if agrees(t, j, err) {
		j.until = m.clock + d
		m.beat(t, j, got.Until.UnixMilli())
	}
}

func (m *model) park(t *rapid.T) {
	l, j := m.fenced(t)
	parked := rapid.Bool().Draw(t, "parked")
	if agrees(t, j, m.store(t).Park(m.ctx, l, parked)) {
		j.lease.park(parked, m.instant(t))
	}
}

// crash makes a worker forget its lease.
func (m *model) crash(t *rapid.T) {
	if len(m.leases) == 0 {
		t.Skip("no lease was given yet")
	}
	i := rapid.IntRange(0, len(m.leases)-1).Draw(t, "whose")
	m.leases = slices.Delete(m.leases, i, i+1)
}

func (m *model) finish(t *rapid.T) {
	l, j := m.fenced(t)
	target := rapid.SampledFrom([]document.State{document.Released, document.Rejected, document.Dead}).Draw(t, "target")
	o := queue.Outcome{Target: target, Result: []byte(fmt.Sprint("result ", m.serial)), Event: m.event(receipt.RedactedKind, l.Job)}
	if agrees(t, j, m.store(t).Finish(m.ctx, l, o)) {
		m.sent(o.Event)
		j.state, j.target, j.why, j.result = document.Sealing, target, "", string(o.Result)
		m.settled(t, j, true)
	}
}

func (m *model) release(t *rapid.T) {
	l, j := m.fenced(t)
	d := minutes(t, "pause")
	now, err := m.Store.Now(m.ctx)
	if err != nil {
		t.Fatal(err)
	}
	why := rapid.SampledFrom([]reason.Code{reason.SourceUnreadable, reason.QueueStopped}).Draw(t, "why")
	e := m.event(receipt.Retried, l.Job)
	if agrees(t, j, m.store(t).Release(m.ctx, l, why, now.Add(d), e)) {
		m.sent(e)
		j.state, j.why, j.notBefore = document.Queued, why, m.clock+d
		m.settled(t, j, false)
		if why == reason.QueueStopped {
			j.attempt--
		}
	}
}

func (m *model) expire(t *rapid.T) {
	var made []receipt.Event
	got, err := m.store(t).Expire(m.ctx, func(j queue.Job) receipt.Event {
		e := m.event(receipt.LeaseExpired, j.ID)
		made = append(made, e)
		return e
	})
	if err != nil {
		t.Fatal(err)
	}
	due := 0
	for _, j := range m.jobs {
		if j.state == document.Leased && j.until <= m.clock {
			due++
			j.state, j.why, j.notBefore = document.Queued, reason.QueueLeaseLost, m.clock
			m.settled(t, j, false)
			if !slices.ContainsFunc(got, func(k queue.Job) bool { return k.ID == j.id && k.Token == j.token }) {
				t.Fatalf("the lease on %s did not expire", j.id)
			}
		}
	}
	if len(got) != due || len(made) != due {
		t.Fatalf("%d leases expired with %d events; %d were due", len(got), len(made), due)
	}
	for _, e := range made {
		m.sent(e)
	}
}

// modelLease is the account of a claim.
type modelLease struct {
	claimed, until int64
	parked         span // how long
	parkedSince    *span
	charged        span
}

// used is what a leased job has taken at an instant.
func (l *modelLease) used(now span) span {
	end := now.atMost(exactly(l.until).wider(1))
	parked := l.parked
	if l.parkedSince != nil {
		parked = parked.plus(end.minus(*l.parkedSince).atLeast(exactly(0)))
	}
	return end.minus(exactly(l.claimed).wider(1)).minus(parked).atLeast(exactly(0))
}

func (l *modelLease) park(parked bool, now span) {
	switch {
	case parked && l.parkedSince == nil:
		l.parkedSince = &now
	case !parked && l.parkedSince != nil:
		l.parked = l.parked.plus(now.minus(*l.parkedSince).atLeast(exactly(0)))
		l.parkedSince = nil
	}
}
