package queuetest

import (
	"cmp"
	"math"
	"slices"

	"pgregory.net/rapid"

	"blotter/internal/document"
	"blotter/internal/queue"
)

// The model's part for who goes first. The store's clock runs on while it works, so the
// model knows each instant between two readings only, and so every sum that follows from
// it; the order that it demands is what holds for all of them.

// span is a number of which the bounds are known: milliseconds, or units of virtual time.
type span struct{ lo, hi int64 }

func exactly(n int64) span { return span{n, n} }

func (a span) plus(b span) span    { return span{a.lo + b.lo, a.hi + b.hi} }
func (a span) minus(b span) span   { return span{a.lo - b.hi, a.hi - b.lo} }
func (a span) atLeast(b span) span { return span{max(a.lo, b.lo), max(a.hi, b.hi)} }
func (a span) atMost(b span) span  { return span{min(a.lo, b.lo), min(a.hi, b.hi)} }
func (a span) or(b span) span      { return span{min(a.lo, b.lo), max(a.hi, b.hi)} }
func (a span) wider(n int64) span  { return span{a.lo - n, a.hi + n} }

// modelShare is what a tenant has had of a lane.
type modelShare struct {
	lane    document.Lane
	tenant  document.Tenant
	virtual span
	started span // at claims in its turn
	mean    span
	since   span
	ready   bool // has a ready job
	waking  bool // by its time, and no claim has looked since
	own     span // virtual time before it woke
	unseen  bool // has no ready job any more, which the store may not have noticed
}

func (m *model) share(lane document.Lane, tenant document.Tenant) *modelShare {
	for _, s := range m.shares {
		if s.lane == lane && s.tenant == tenant {
			return s
		}
	}
	s := &modelShare{lane: lane, tenant: tenant, mean: exactly(queue.FirstMean)}
	m.shares = append(m.shares, s)
	return s
}

func (m *model) lane(lane document.Lane) (out []*modelShare) {
	for _, s := range m.shares {
		if s.lane == lane {
			out = append(out, s)
		}
	}
	return out
}

// timed makes a step of the model one whose instant is known.
func (m *model) timed(step func(*rapid.T)) func(*rapid.T) {
	return func(t *rapid.T) {
		m.before = m.milliseconds(t)
		step(t)
		m.follow(t)
		m.checkBound(t)
	}
}

func (m *model) milliseconds(t *rapid.T) int64 {
	now, err := m.Store.Now(m.ctx)
	if err != nil {
		t.Fatal(err)
	}
	return now.UnixMilli()
}

// instant is when the store did what this step asked for, rounded either way.
func (m *model) instant(t *rapid.T) span { return span{m.before, m.milliseconds(t)}.wider(1) }

// follow notes who has a ready job now and who has not.
func (m *model) follow(t *rapid.T) {
	now := m.instant(t)
	for _, j := range m.jobs {
		m.share(j.lane, j.tenant)
	}
	for _, s := range m.shares {
		ready := slices.ContainsFunc(m.jobs, func(j *modelJob) bool {
			return j.lane == s.lane && j.tenant == s.tenant && j.ready(m.clock)
		})
		switch {
		case ready && !s.ready:
			s.waking, s.own = m.advanced, s.virtual
			m.raise(s)
			if s.unseen {
				s.virtual, s.since = s.virtual.or(s.own), s.since.or(now)
			} else {
				s.since = now
			}
			s.ready, s.unseen = true, false
		case ready && s.waking:
			m.raise(s)
			s.since = s.since.or(now)
		case !ready && s.ready:
			s.ready, s.waking, s.unseen = false, false, true
		}
	}
	m.advanced = false
}

// raise brings a share to the level of its lane; one that is waking to any that the lane
// has had since its time.
func (m *model) raise(s *modelShare) {
	raised := s.own.atLeast(m.level(s))
	if s.waking && s.ready {
		raised = raised.or(s.virtual)
	}
	s.virtual = raised
}

// level is where a share starts that had nothing ready.
func (m *model) level(of *modelShare) span {
	level, least := exactly(0), span{math.MaxInt64, math.MaxInt64}
	for _, s := range m.lane(of.lane) {
		level = level.atLeast(s.started)
		if s == of {
			continue
		}
		if s.ready || s.unseen {
			least.lo = min(least.lo, s.virtual.lo)
		}
		if s.ready && !s.waking {
			least.hi = min(least.hi, s.virtual.hi)
		}
	}
	return level.atMost(least)
}

// inTurn checks that a job of this share may be lent now, and notes that it is. A claim
// has looked past all that would have gone before.
func (m *model) inTurn(t *rapid.T, chosen *modelShare) {
	m.looked(chosen.lane)
	for _, s := range m.lane(chosen.lane) {
		if s.ready && s.surelyBefore(chosen) {
			t.Fatalf("in lane %s a job of %+v was lent before one of %+v", chosen.lane, *chosen, *s)
		}
		if s.unseen && s.virtual.hi < chosen.virtual.lo {
			s.unseen = false
		}
	}
	chosen.started = chosen.started.atLeast(chosen.virtual)
}

// looked ends the waking of a lane's shares.
func (m *model) looked(lane document.Lane) {
	for _, s := range m.lane(lane) {
		if s.waking {
			m.raise(s)
			s.waking = false
		}
	}
}

// foundNone notes that a claim saw that nothing in a lane is ready.
func (m *model) foundNone(lane document.Lane) {
	for _, s := range m.lane(lane) {
		s.unseen = false
	}
}

func (s *modelShare) surelyBefore(b *modelShare) bool {
	if s == b || s.virtual.hi != b.virtual.lo || s.virtual.lo != b.virtual.hi {
		return s != b && s.virtual.hi < b.virtual.lo
	}
	if s.since.hi == b.since.lo && s.since.lo == b.since.hi {
		return cmp.Less(s.tenant, b.tenant)
	}
	return s.since.hi < b.since.lo
}

// charge is what a number of milliseconds costs a share.
func (s *modelShare) charge(ms span) span {
	return span{Settings().Charge(s.tenant, ms.lo), Settings().Charge(s.tenant, ms.hi)}
}

// lent charges for a job that was claimed.
func (m *model) lent(j *modelJob, got queue.Job) {
	s := m.share(j.lane, j.tenant)
	j.lease = &modelLease{claimed: got.Claimed.UnixMilli(), until: got.LeaseUntil.UnixMilli(), charged: s.mean}
	s.virtual = s.virtual.plus(s.charge(s.mean))
}

// beat charges what goes beyond what was charged.
func (m *model) beat(t *rapid.T, j *modelJob, until int64) {
	s, used := m.share(j.lane, j.tenant), j.lease.used(m.instant(t))
	s.virtual = s.virtual.plus(s.charge(used.minus(j.lease.charged).atLeast(exactly(0))).wider(1))
	j.lease.charged, j.lease.until = j.lease.charged.atLeast(used), until
}

// settled charges for the whole of a lease that ends; learn: its job ended too.
func (m *model) settled(t *rapid.T, j *modelJob, learn bool) {
	s, used := m.share(j.lane, j.tenant), j.lease.used(m.instant(t))
	s.virtual = s.virtual.plus(s.charge(used).minus(s.charge(j.lease.charged)))
	if learn {
		s.mean = span{queue.NextMean(s.mean.lo, used.lo), queue.NextMean(s.mean.hi, used.hi)}
	}
	j.lease.charged = used // for the bound
	j.lease = nil
}

// waits asks who waits for a tenant's place.
func (m *model) waits(t *rapid.T) {
	lane, who := rapid.SampledFrom(document.Lanes()).Draw(t, "lane"), tenant(t)
	got, err := m.store(t).Waits(m.ctx, lane, who)
	if err != nil {
		t.Fatal(err)
	}
	own := m.share(lane, who)
	surely, maybe := false, false
	for _, s := range m.shares {
		if s.ready && s.lane == document.Interactive && lane == document.Bulk {
			surely = true
		}
		if s.ready && s.lane == lane && s != own {
			surely = surely || s.virtual.hi < own.virtual.lo
			maybe = maybe || s.virtual.lo < own.virtual.hi
		}
	}
	if got && !surely && !maybe || !got && surely {
		t.Fatalf("in lane %s somebody waits for %s: %v, with %+v", lane, who, got, m.shares)
	}
}

// pair is how far one share may be ahead of another while both have ready jobs.
type pair struct {
	allow  int64         // it was ahead so far, or the other's refunds bring it there
	flight []*modelLease // of the first, under way when it last had a turn
}

type twoShares [2]*modelShare

// inFlight are the leases of a share.
func (m *model) inFlight(s *modelShare) (out []*modelLease, charged int64) {
	for _, j := range m.jobs {
		if j.lane == s.lane && j.tenant == s.tenant && j.lease != nil {
			out = append(out, j.lease)
			charged += s.charge(j.lease.charged).hi
		}
	}
	return out, charged
}

// turn begins the account of a share's lead anew, and named drops it: a job that was lent
// by name follows no order.
func (m *model) turn(s *modelShare) {
	for two, p := range m.pairs {
		if two[0] == s {
			_, refund := m.inFlight(two[1])
			p.flight, _ = m.inFlight(s)
			p.allow = refund
		}
	}
}

func (m *model) named(s *modelShare) {
	for two := range m.pairs {
		if two[0] == s {
			delete(m.pairs, two)
		}
	}
}

// checkBound checks the promise of fairness for every two shares that have ready jobs
// throughout.
func (m *model) checkBound(t *rapid.T) {
	for _, a := range m.shares {
		for _, b := range m.shares {
			if a == b || a.lane != b.lane {
				continue
			}
			two := twoShares{a, b}
			p := m.pairs[two]
			if !a.ready || !b.ready || a.waking || b.waking {
				delete(m.pairs, two)
				continue
			}
			if p == nil {
				_, refund := m.inFlight(b)
				p = &pair{allow: max(0, a.virtual.hi-b.virtual.lo) + refund}
				p.flight, _ = m.inFlight(a)
				m.pairs[two] = p
			}
			bound := p.allow
			for _, l := range p.flight {
				bound += a.charge(l.charged).hi
			}
			if ahead := a.virtual.lo - b.virtual.hi; ahead > bound {
				t.Fatalf("%+v is %d ahead of %+v; the bound is %d", *a, ahead, *b, bound)
			}
		}
	}
}
