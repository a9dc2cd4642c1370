package queuetest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

// The store in memory: reservations, working copies and operators.

// Reserve implements queue.Intake.
func (m *memory) Reserve(_ context.Context, r queue.Reservation, d time.Duration, b queue.Backlog, staged receipt.Event) (queue.Reservation, *queue.Accepted, error) {
	defer m.lock()()
	tenant, total := 0, 0
	count := func(t document.Tenant) {
		total++
		if t == r.Tenant {
			tenant++
		}
	}
	for _, j := range m.jobs {
		if r.Key != "" && j.Key == r.Key && j.Tenant == r.Tenant && j.fingerprint != "" {
			return r, &queue.Accepted{Job: j.ID, Fingerprint: j.fingerprint}, nil
		}
		if j.State == document.Queued {
			count(j.Tenant)
		}
	}
	for _, h := range m.held {
		if r.Key != "" && h.Key == r.Key && h.Tenant == r.Tenant && h.Until.After(m.clock) {
			return r, nil, queue.ErrInProgress
		}
		if h.Until.After(m.clock) {
			count(h.Tenant)
		}
	}
	if tenant >= b.Tenant || total >= b.Total {
		return r, nil, queue.ErrFull
	}
	m.token++
	r.Token, r.Until = m.token, m.clock.Add(d)
	held := r
	m.held = append(m.held, &held)
	if staged.Kind != "" {
		m.tell(staged, "", "")
	}
	return r, nil, nil
}

func (m *memory) reserved(r queue.Reservation) *queue.Reservation {
	for _, h := range m.held {
		if h.Job == r.Job && h.Token == r.Token && h.Until.After(m.clock) {
			return h
		}
	}
	return nil
}

// Renew implements queue.Intake.
func (m *memory) Renew(_ context.Context, r queue.Reservation, d time.Duration) (queue.Reservation, error) {
	defer m.lock()()
	h := m.reserved(r)
	if h == nil {
		return r, queue.ErrLeaseLost
	}
	h.Until = m.clock.Add(d)
	return *h, nil
}

// Abandon implements queue.Intake.
func (m *memory) Abandon(_ context.Context, r queue.Reservation) error {
	defer m.lock()()
	if h := m.reserved(r); h != nil {
		h.Until = time.Time{}
	}
	return nil
}

// Accept implements queue.Intake.
func (m *memory) Accept(ctx context.Context, r queue.Reservation, fingerprint string, j queue.Job, e receipt.Event) (queue.Job, error) {
	defer m.lock()()
	if j.ID != r.Job || j.Tenant != r.Tenant || fingerprint == "" {
		return j, errors.New("not what was reserved")
	}
	h := m.reserved(r)
	if h == nil {
		return j, queue.ErrLeaseLost
	}
	j.Key = r.Key
	got, err := m.add(ctx, j, fingerprint, e)
	if err == nil {
		h.Until = time.Time{}
	}
	return got, err
}

// Stage implements queue.WorkingCopies.
func (m *memory) Stage(_ context.Context, l queue.Lease, c queue.WorkingCopy, e receipt.Event) error {
	defer m.lock()()
	if _, err := m.fenced(l); err != nil {
		return err
	}
	if slices.ContainsFunc(m.copies, func(have queue.WorkingCopy) bool { return have.ID == c.ID }) {
		return errors.New("staged twice")
	}
	c.Job, c.Created = l.Job, m.clock
	m.copies = append(m.copies, c)
	m.tell(e, "", "")
	return nil
}

// Prolong implements queue.WorkingCopies.
func (m *memory) Prolong(_ context.Context, l queue.Lease, id string, expires time.Time, e receipt.Event) error {
	defer m.lock()()
	if _, err := m.fenced(l); err != nil {
		return err
	}
	i := slices.IndexFunc(m.copies, func(c queue.WorkingCopy) bool { return c.ID == id && c.Job == l.Job })
	if i < 0 {
		return queue.ErrLeaseLost
	}
	m.copies[i].Expires = expires
	m.tell(e, "", "")
	return nil
}

// Unstage implements queue.WorkingCopies.
func (m *memory) Unstage(_ context.Context, id string, e receipt.Event) error {
	defer m.lock()()
	n := len(m.copies)
	if m.copies = slices.DeleteFunc(m.copies, func(c queue.WorkingCopy) bool { return c.ID == id }); len(m.copies) < n {
		m.tell(e, "", "")
	}
	return nil
}

// Staged implements queue.WorkingCopies.
func (m *memory) Staged(_ context.Context, node string) (out []queue.WorkingCopy, err error) {
	defer m.lock()()
	for _, c := range m.copies {
		if c.Node == node || m.fault == "copies of every node" {
			out = append(out, c)
		}
	}
	return out, nil
}

// act does something with a job that is in one of some states.
func (m *memory) act(id document.ID, refused reason.Code, from []document.State, do func(*memoryJob) (receipt.Event, document.State)) (queue.Job, error) {
	defer m.lock()()
	j := m.find(id)
	if j == nil {
		return queue.Job{}, queue.ErrNotFound
	}
	if !slices.Contains(from, j.State) {
		return queue.Job{}, reason.Because(refused, nil)
	}
	if e, state := do(j); state != "" {
		m.tell(e, id, state)
	} else {
		m.tell(e, "", "")
	}
	m.follow()
	return j.Job, nil
}

func (m *memory) cancelled(j *memoryJob, why reason.Code) {
	if j.State == document.Leased {
		m.settle(j, "cancel")
	}
	j.State, j.Target, j.Reason, j.Sealed, j.Result, j.FinalSeq = document.Sealing, document.Cancelled, why, nil, nil, -1
}

// Cancel implements queue.Operations.
func (m *memory) Cancel(_ context.Context, id document.ID, event func(queue.Job) receipt.Event) (queue.Job, error) {
	from := []document.State{document.Queued, document.Leased}
	return m.act(id, reason.JobEnded, from, func(j *memoryJob) (receipt.Event, document.State) {
		m.cancelled(j, reason.JobCancelled)
		return event(j.Job), document.Cancelled
	})
}

// Discard implements queue.Operations.
func (m *memory) Discard(_ context.Context, id document.ID, event func(queue.Job) receipt.Event) (queue.Job, error) {
	return m.act(id, reason.JobNotDead, []document.State{document.Dead}, func(j *memoryJob) (receipt.Event, document.State) {
		m.cancelled(j, reason.JobDiscarded)
		return event(j.Job), document.Cancelled
	})
}

// Replay implements queue.Operations.
func (m *memory) Replay(ctx context.Context, id document.ID, event func(queue.Job) receipt.Event) (queue.Job, error) {
	if j, err := m.Job(ctx, id); err == nil && j.State == document.Dead && m.forgot[id] {
		return j, reason.Because(reason.JobNoReplay, nil)
	}
	return m.act(id, reason.JobNotDead, []document.State{document.Dead}, func(j *memoryJob) (receipt.Event, document.State) {
		if j.Delivered && j.fingerprint == "" {
			j.Key = ""
		}
		j.State, j.Reason, j.Attempt, j.Result, j.FinalSeq, j.NotBefore, j.Delivered = document.Queued, "", 0, nil, -1, m.clock, false
		return event(j.Job), ""
	})
}

// Tell implements queue.Operations.
func (m *memory) Tell(_ context.Context, e receipt.Event) error {
	defer m.lock()()
	m.tell(e, "", "")
	return nil
}

// Trail implements queue.Operations.
func (m *memory) Trail(_ context.Context, job document.ID, after int64, n int) (out []queue.Sealed, err error) {
	defer m.lock()()
	for i, e := range m.sealed {
		if job != "" && e.Job == string(job) && int64(i) > after && len(out) < n {
			out = append(out, queue.Sealed{Sequence: int64(i), Envelope: []byte("envelope")})
		}
	}
	return out, nil
}

// Pressure implements queue.Operations.
func (m *memory) Pressure(context.Context) (queue.Pressure, error) {
	defer m.lock()()
	p := queue.Pressure{At: m.clock, Copies: len(m.copies), Outbox: len(m.outbox)}
	if len(m.since) > 0 {
		p.OldestOutbox = m.since[0]
	}
	if len(m.copies) > 0 {
		p.OldestCopy = m.copies[0].Created
	}
	depths := map[memoryShareKey]*queue.Depth{}
	for _, j := range m.jobs {
		key := memoryShareKey{j.Lane, j.Tenant}
		if depths[key] == nil {
			depths[key] = &queue.Depth{Tenant: j.Tenant, Lane: j.Lane}
		}
		d := depths[key]
		switch {
		case j.State == document.Dead:
			p.Dead++
		case m.ready(j):
			d.Ready++
			if d.Oldest.IsZero() || j.NotBefore.Before(d.Oldest) {
				d.Oldest = j.NotBefore
			}
		case j.State == document.Queued:
			d.Later++
		case j.State == document.Leased:
			d.Leased++
			if j.Parked {
				d.Parked++
			}
		}
	}
	for _, d := range depths {
		if d.Ready+d.Later+d.Leased > 0 {
			p.Depths = append(p.Depths, *d)
		}
	}
	slices.SortFunc(p.Depths, func(a, b queue.Depth) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Lane, b.Lane))
	})
	return p, nil
}
