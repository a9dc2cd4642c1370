package queuetest

import (
	"errors"
	"slices"
	"time"

	"pgregory.net/rapid"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

// The model's part for intake and operators.

type modelReservation struct {
	queue.Reservation
	until time.Duration
}

// held reports whether a reservation is in force.
func (r *modelReservation) held(now time.Duration) bool { return r.until > now }

// full counts what waits as the contract says: queued jobs and living reservations.
func (m *model) full(of document.Tenant, b queue.Backlog) bool {
	tenant, total := 0, 0
	count := func(waits bool, t document.Tenant) {
		if waits {
			total++
			if t == of {
				tenant++
			}
		}
	}
	for _, j := range m.jobs {
		count(j.state == document.Queued, j.tenant)
	}
	for _, r := range m.held {
		count(r.held(m.clock), r.Tenant)
	}
	return tenant >= b.Tenant || total >= b.Total
}

// accepted finds the job that a key was accepted for.
func (m *model) accepted(of document.Tenant, key string) *modelJob {
	for _, j := range m.jobs {
		if key != "" && j.key == key && j.tenant == of && j.fingerprint != "" {
			return j
		}
	}
	return nil
}

func (m *model) reserve(t *rapid.T) {
	r := queue.Reservation{Tenant: tenant(t), Key: key(t), Job: document.NewID()}
	b := queue.Backlog{Tenant: rapid.IntRange(1, 4).Draw(t, "tenant's"), Total: rapid.IntRange(4, 6).Draw(t, "total")}
	d, e := minutes(t, "for"), m.event(receipt.Staged, r.Job)
	got, known, err := m.store(t).Reserve(m.ctx, r, d, b, e)
	want := m.accepted(r.Tenant, r.Key)
	taken := slices.ContainsFunc(m.held, func(h *modelReservation) bool {
		return r.Key != "" && h.Key == r.Key && h.Tenant == r.Tenant && h.held(m.clock)
	})
	switch {
	case want != nil:
		if err != nil || known == nil || known.Job != want.id || known.Fingerprint != want.fingerprint {
			t.Fatalf("key %q of %s is known as %+v, %v; the model has %+v", r.Key, r.Tenant, known, err, *want)
		}
	case taken:
		m.refuses(t, known, err, queue.ErrInProgress)
	case m.full(r.Tenant, b):
		m.refuses(t, known, err, queue.ErrFull)
	default:
		if err != nil || known != nil {
			t.Fatalf("nothing stands against it, and it gave %+v, %v", known, err)
		}
		m.grew(t, got.Token)
		m.sent(e)
		m.held = append(m.held, &modelReservation{got, m.clock + d})
	}
}

func (m *model) refuses(t *rapid.T, known *queue.Accepted, err, want error) {
	if known != nil || !errors.Is(err, want) {
		t.Fatalf("got %+v, %v; want %v", known, err, want)
	}
}

// reservation draws one, living or lost.
func (m *model) reservation(t *rapid.T) *modelReservation {
	if len(m.held) == 0 {
		t.Skip("nothing was reserved yet")
	}
	return rapid.SampledFrom(m.held).Draw(t, "reservation")
}

// holds checks the error of a step under a reservation and reports whether it took effect.
func (m *model) holds(t *rapid.T, r *modelReservation, err error) bool {
	if !r.held(m.clock) {
		if !errors.Is(err, queue.ErrLeaseLost) {
			t.Fatalf("a lost reservation gave %v", err)
		}
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	return true
}

func (m *model) renew(t *rapid.T) {
	r, d := m.reservation(t), minutes(t, "for")
	_, err := m.store(t).Renew(m.ctx, r.Reservation, d)
	if m.holds(t, r, err) {
		r.until = m.clock + d
	}
}

func (m *model) abandon(t *rapid.T) {
	r := m.reservation(t)
	if err := m.store(t).Abandon(m.ctx, r.Reservation); err != nil {
		t.Fatal(err)
	}
	if r.held(m.clock) {
		r.until = 0
	}
}

func (m *model) accept(t *rapid.T) {
	r, j := m.reservation(t), fresh(t)
	j.ID, j.Tenant = r.Job, r.Tenant
	e := m.event(receipt.Received, j.ID)
	fingerprint := rapid.SampledFrom([]string{"one", "two"}).Draw(t, "fingerprint")
	got, err := m.store(t).Accept(m.ctx, r.Reservation, fingerprint, j, e)
	if m.holds(t, r, err) {
		m.sent(e)
		k := m.queued(got)
		k.fingerprint, k.trail = fingerprint, m.sealedBefore(t, j.ID)
		r.until = 0
	}
}

// sealedBefore counts the events of a job that were sealed before it was one: those of its
// reservation, of which the model keeps no account.
func (m *model) sealedBefore(t *rapid.T, id document.ID) int {
	sealed, err := m.Store.Trail(m.ctx, id, -1, 1000)
	if err != nil || len(sealed) > 1 {
		t.Fatalf("before it came, a job has %d sealed events, %v", len(sealed), err)
	}
	return len(sealed)
}

// act does something with a job that is only done in some states.
func (m *model) act(t *rapid.T, refused reason.Code, from []document.State, act func(Store, document.ID) (queue.Job, error)) *modelJob {
	j := m.job(t)
	got, err := act(m.store(t), j.id)
	if !slices.Contains(from, j.state) {
		if reason.Of(err) != refused {
			t.Fatalf("a job in %s gave %v, want %s", j.state, err, refused)
		}
		return nil
	}
	if err != nil || got.ID != j.id {
		t.Fatalf("a job in %s gave %+v, %v", j.state, got, err)
	}
	return j
}

func (m *model) cancel(t *rapid.T) {
	var e receipt.Event
	from := []document.State{document.Queued, document.Leased}
	j := m.act(t, reason.JobEnded, from, func(s Store, id document.ID) (queue.Job, error) {
		return s.Cancel(m.ctx, id, func(queue.Job) receipt.Event { e = m.event(receipt.Cancelled, id); return e })
	})
	if j != nil && j.lease != nil {
		m.settled(t, j, false)
	}
	m.ending(j, reason.JobCancelled, e)
}

func (m *model) discard(t *rapid.T) {
	var e receipt.Event
	j := m.act(t, reason.JobNotDead, []document.State{document.Dead}, func(s Store, id document.ID) (queue.Job, error) {
		return s.Discard(m.ctx, id, func(queue.Job) receipt.Event { e = m.event(receipt.Cancelled, id); return e })
	})
	m.ending(j, reason.JobDiscarded, e)
}

func (m *model) ending(j *modelJob, why reason.Code, e receipt.Event) {
	if j == nil {
		return
	}
	m.sent(e)
	j.state, j.target, j.why, j.result, j.ended = document.Sealing, document.Cancelled, why, "", 0
}

func (m *model) replay(t *rapid.T) {
	var e receipt.Event
	j := m.act(t, reason.JobNotDead, []document.State{document.Dead}, func(s Store, id document.ID) (queue.Job, error) {
		return s.Replay(m.ctx, id, func(queue.Job) receipt.Event { e = m.event(receipt.Replayed, id); return e })
	})
	if j == nil {
		return
	}
	m.sent(e)
	if j.delivered && j.fingerprint == "" { // its key was free again
		j.key = ""
	}
	j.state, j.why, j.attempt, j.result, j.ended = document.Queued, "", 0, "", 0
	j.notBefore, j.delivered = m.clock, false
}
