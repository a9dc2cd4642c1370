package queuetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

// model is the reference: the same queue in memory, in a few obvious lines. Its clock
// counts only what Advance moved; the real one runs on by the moments that the test
// takes, which no step here depends on: times are whole minutes.
type model struct {
	Fixture
	ctx    context.Context
	clock  time.Duration
	token  int64
	jobs   []*modelJob         // in the order of their arrival
	leases []queue.Lease       // every lease ever given, living and stale
	held   []*modelReservation // every reservation ever made
	events []receipt.Event     // in the outbox; each has an actor of its own
	serial int

	shares   []*modelShare
	pairs    map[twoShares]*pair
	before   int64 // the store's clock before this step, milliseconds
	advanced bool  // this step moved the clock
}

type modelJob struct {
	id               document.ID
	tenant           document.Tenant
	lane             document.Lane
	key              string
	fingerprint      string // of a job that was accepted; empty for one that was enqueued
	state, target    document.State
	why              reason.Code
	attempt          int
	token            int64
	notBefore, until time.Duration
	delivered        bool
	result           string
	ended            int         // how often its end was sealed since it began
	trail            int         // events of it that were sealed
	lease            *modelLease // while leased
}

func runModel(t testing.TB, open func() Fixture) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{Fixture: open(), ctx: t.Context(), pairs: map[twoShares]*pair{}}
		defer m.Close()
		steps := map[string]func(*rapid.T){
			"enqueue": m.enqueue, "enqueue many": m.enqueueMany, "claim": m.claim, "claim again": m.claim, "claim more": m.claim,
			"extend": m.extend, "extend again": m.extend,
			"finish": m.finish, "release": m.release, "park": m.park, "expire": m.expire, "crash": m.crash,
			"deliver": m.deliver, "seal": m.seal, "advance": m.advance, "jump": m.jump, "waits": m.waits,
			"reserve": m.reserve, "renew": m.renew, "abandon": m.abandon, "accept": m.accept,
			"cancel": m.cancel, "discard": m.discard, "replay": m.replay,
		}
		for name, step := range steps {
			steps[name] = m.timed(step)
		}
		steps[""] = m.check
		rt.Repeat(steps)
		m.drain(rt)
	})
}

// drain takes every job that is left to its end: none was lost, and none is stranded.
func (m *model) drain(t *rapid.T) {
	left := 0
	for _, j := range m.jobs {
		if j.state == document.Queued || j.state == document.Leased {
			left++
		}
	}
	m.Advance(long)
	m.clock += long
	m.expire(t)
	for range left {
		got, err := m.store(t).Claim(m.ctx, queue.Claim{Lease: lease}, claimed)
		if err != nil {
			t.Fatalf("%d jobs were left, and then %v", left, err)
		}
		l := queue.Lease{Job: got.ID, Token: got.Token}
		if err := m.store(t).Finish(m.ctx, l, outcome(document.Released, got.ID)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := m.Store.Claim(m.ctx, queue.Claim{Lease: lease}, claimed); !isNoJob(err) {
		t.Fatalf("after the last, %s was lent, %v", got.ID, err)
	}
}

func (m *model) store(t *rapid.T) Store {
	if rapid.Bool().Draw(t, "other handle") {
		return m.Other
	}
	return m.Store
}

func (m *model) event(kind receipt.Kind, job document.ID) receipt.Event {
	m.serial++
	return receipt.Event{Schema: receipt.EventSchema, Kind: kind, Job: string(job), Actor: fmt.Sprint("e", m.serial)}
}

func (m *model) sent(e receipt.Event) { m.events = append(m.events, e) }

func tenant(t *rapid.T) document.Tenant {
	return rapid.SampledFrom([]document.Tenant{"clinic", heavy, "other"}).Draw(t, "tenant")
}

func key(t *rapid.T) string { return rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "key") }

// fresh is a new job of some tenant and lane.
func fresh(t *rapid.T) queue.Job {
	j := newJob()
	j.Tenant, j.Lane = tenant(t), rapid.SampledFrom(document.Lanes()).Draw(t, "lane")
	return j
}

func minutes(t *rapid.T, label string) time.Duration {
	return time.Duration(rapid.IntRange(1, 4).Draw(t, label)) * time.Minute
}

func (m *model) advance(t *rapid.T) { m.pass(minutes(t, "by")) }

// jump is what a clock does that was wrong, or a fleet that was switched off.
func (m *model) jump(*rapid.T) { m.pass(long) }

func (m *model) pass(d time.Duration) {
	m.Advance(d)
	m.clock += d
	m.advanced = true
}

func (m *model) find(id document.ID) *modelJob {
	i := slices.IndexFunc(m.jobs, func(j *modelJob) bool { return j.id == id })
	if i < 0 {
		return nil
	}
	return m.jobs[i]
}

func (m *model) enqueue(t *rapid.T) {
	j := fresh(t)
	j.Key = key(t)
	e := m.event(receipt.Received, j.ID)
	got, added, err := m.store(t).Enqueue(m.ctx, j, e)
	if err != nil {
		t.Fatal(err)
	}
	known := slices.IndexFunc(m.jobs, func(k *modelJob) bool {
		return j.Key != "" && k.key == j.Key && k.tenant == j.Tenant && k.fingerprint == "" && !k.delivered
	})
	if known >= 0 {
		if added || got.ID != m.jobs[known].id {
			t.Fatalf("key %q gave %s, added %v", j.Key, got.ID, added)
		}
		return
	}
	if !added || got.ID != j.ID {
		t.Fatalf("a new job gave %s, added %v", got.ID, added)
	}
	m.sent(e)
	m.queued(j)
}

// enqueueMany makes a backlog.
func (m *model) enqueueMany(t *rapid.T) {
	j := fresh(t)
	for range rapid.IntRange(2, 5).Draw(t, "n") {
		j.ID = document.NewID()
		e := m.event(receipt.Received, j.ID)
		if _, added, err := m.store(t).Enqueue(m.ctx, j, e); err != nil || !added {
			t.Fatalf("a job was not added: %v", err)
		}
		m.sent(e)
		m.queued(j)
	}
}

func (m *model) queued(j queue.Job) *modelJob {
	k := &modelJob{id: j.ID, tenant: j.Tenant, lane: j.Lane, key: j.Key, state: document.Queued, notBefore: m.clock}
	m.jobs = append(m.jobs, k)
	return k
}

func (m *model) claim(t *rapid.T) {
	c := queue.Claim{Lease: 3 * minutes(t, "lease"), Lane: rapid.SampledFrom([]document.Lane{"", "interactive", "bulk"}).Draw(t, "lane")}
	if len(m.jobs) > 0 && rapid.Bool().Draw(t, "only") {
		c.Only = []document.ID{rapid.SampledFrom(m.jobs).Draw(t, "which").id, rapid.SampledFrom(m.jobs).Draw(t, "or").id}
	}
	var e receipt.Event
	got, err := m.store(t).Claim(m.ctx, c, func(j queue.Job) receipt.Event { e = m.event(receipt.Claimed, j.ID); return e })
	oldest := m.oldestReady(c)
	m.lookedPast(c, oldest)
	if oldest == nil {
		if !isNoJob(err) {
			t.Fatalf("nothing is ready, and the claim gave %s, %v", got.ID, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	j := m.find(got.ID)
	if j == nil || !j.ready(m.clock) || !m.first(j, c) || j.lane != oldest.lane {
		t.Fatalf("claimed %+v; the oldest ready is %+v", got, oldest)
	}
	m.grew(t, got.Token)
	m.sent(e)
	j.state, j.token, j.until = document.Leased, got.Token, m.clock+c.Lease
	j.attempt++
	m.leases = append(m.leases, queue.Lease{Job: j.id, Token: got.Token})
	if at := m.instant(t); got.Claimed.UnixMilli() < at.lo || got.Claimed.UnixMilli() > at.hi || got.Parked {
		t.Fatalf("claimed at %v: %+v", at, got)
	}
	s := m.share(j.lane, j.tenant)
	if c.Only == nil {
		m.inTurn(t, s)
		m.lent(j, got)
		m.turn(s)
	} else {
		m.lent(j, got)
		m.named(s)
	}
}

// lookedPast notes the lanes in which a claim saw that nothing is ready.
func (m *model) lookedPast(c queue.Claim, lent *modelJob) {
	if c.Only != nil {
		return
	}
	for _, lane := range document.Lanes() {
		if lent != nil && lane == lent.lane {
			return
		}
		if c.Lane == "" || c.Lane == lane {
			m.looked(lane)
			m.foundNone(lane)
		}
	}
}

// first reports whether no job that the claim might have lent as well was ready before:
// none of the same tenant, or of those that were named.
func (m *model) first(j *modelJob, c queue.Claim) bool {
	return !slices.ContainsFunc(m.jobs, func(k *modelJob) bool {
		rival := k.tenant == j.tenant
		if c.Only != nil {
			rival = slices.Contains(c.Only, k.id)
		}
		return rival && k.lane == j.lane && k.ready(m.clock) && k.notBefore < j.notBefore
	})
}

// grew checks that tokens grow, whatever they are for.
func (m *model) grew(t *rapid.T, token int64) {
	if token <= m.token {
		t.Fatalf("token %d after %d", token, m.token)
	}
	m.token = token
}

// oldestReady is a job that became ready first, of the first lane that has one; those of
// the same minute are equals.
func (m *model) oldestReady(c queue.Claim) *modelJob {
	lanes := document.Lanes()
	if c.Lane != "" {
		lanes = []document.Lane{c.Lane}
	}
	for _, lane := range lanes {
		var oldest *modelJob
		for _, j := range m.jobs {
			wanted := j.lane == lane && (c.Only == nil || slices.Contains(c.Only, j.id))
			if wanted && j.ready(m.clock) && (oldest == nil || j.notBefore < oldest.notBefore) {
				oldest = j
			}
		}
		if oldest != nil {
			return oldest
		}
	}
	return nil
}

func (j *modelJob) ready(now time.Duration) bool {
	return j.state == document.Queued && j.notBefore <= now
}

// job draws one of the jobs.
func (m *model) job(t *rapid.T) *modelJob {
	if len(m.jobs) == 0 {
		t.Skip("no job yet")
	}
	return rapid.SampledFrom(m.jobs).Draw(t, "job")
}

func (m *model) deliver(t *rapid.T) {
	j := m.job(t)
	if err := m.store(t).Deliver(m.ctx, j.id); err != nil {
		t.Fatal(err)
	}
	j.delivered = true
}

// seal also compares how many events of each job stand in the trail.
func (m *model) seal(t *rapid.T) {
	if err := m.Seal(); err != nil {
		t.Fatal(err)
	}
	for _, e := range m.events {
		if j := m.find(document.ID(e.Job)); j != nil {
			j.trail++
		}
	}
	m.events = nil
	for _, j := range m.jobs {
		if j.state == document.Sealing {
			j.state, j.target = j.target, ""
			j.ended++
		}
		sealed, err := m.store(t).Trail(m.ctx, j.id, -1, 1000)
		if err != nil || len(sealed) != j.trail {
			t.Fatalf("the trail of %s holds %d events, %v; the model's %d", j.id, len(sealed), err, j.trail)
		}
	}
}

// check compares everything after each step.
func (m *model) check(t *rapid.T) {
	list, err := m.Other.Jobs(m.ctx, queue.Filter{Limit: 1000})
	if err != nil || len(list) != len(m.jobs) {
		t.Fatalf("the store lists %d jobs, %v; the model has %d", len(list), err, len(m.jobs))
	}
	for i, want := range m.jobs {
		got := list[len(list)-1-i]
		if got.ID != want.id || got.State != want.state || got.Target != want.target || got.Reason != want.why ||
			got.Attempt != want.attempt || got.Token != want.token || got.Delivered != want.delivered ||
			string(got.Result) != want.result || got.Key != want.key || (got.FinalSeq >= 0) != (want.ended > 0) {
			t.Fatalf("the store has %+v, the model %+v", got, *want)
		}
		if parked := want.lease != nil && want.lease.parkedSince != nil; got.Parked != parked || got.Claimed.IsZero() != (want.lease == nil) {
			t.Fatalf("the store has %+v, the model's lease is %+v", got, want.lease)
		}
	}
	m.checkOutbox(t)
	m.checkPressure(t)
}

func (m *model) checkOutbox(t *rapid.T) {
	sent, err := m.Outbox()
	if err != nil {
		t.Fatal(err)
	}
	same := func(s Sent, e receipt.Event) bool { return s.Event.Actor == e.Actor }
	if !slices.EqualFunc(sent, m.events, same) {
		t.Fatalf("the outbox holds %v, the model %v", sent, m.events)
	}
}

func (m *model) checkPressure(t *rapid.T) {
	p, err := m.Store.Pressure(m.ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := queue.Pressure{Outbox: len(m.events)}
	var ready, later, leased int
	for _, j := range m.jobs {
		switch {
		case j.ready(m.clock):
			ready++
		case j.state == document.Queued:
			later++
		case j.state == document.Leased:
			leased++
		case j.state == document.Dead:
			want.Dead++
		}
	}
	for _, d := range p.Depths {
		ready, later, leased = ready-d.Ready, later-d.Later, leased-d.Leased
	}
	if p.Dead != want.Dead || p.Outbox != want.Outbox || ready != 0 || later != 0 || leased != 0 {
		t.Fatalf("the store measures %+v; off by %d ready, %d later, %d leased, or %+v", p, ready, later, leased, want)
	}
}
