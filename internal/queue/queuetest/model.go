package queuetest

import (
	"context"
	"errors"
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
	ended            int // how often its end was sealed since it began
	trail            int // events of it that were sealed
}

func runModel(t *testing.T, open func(t *testing.T) Fixture) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{Fixture: open(t), ctx: t.Context()}
		defer m.Close()
		rt.Repeat(map[string]func(*rapid.T){
			"enqueue": m.enqueue, "claim": m.claim, "extend": m.extend, "finish": m.finish,
			"release": m.release, "expire": m.expire, "deliver": m.deliver, "seal": m.seal, "advance": m.advance,
			"reserve": m.reserve, "renew": m.renew, "abandon": m.abandon, "accept": m.accept,
			"cancel": m.cancel, "discard": m.discard, "replay": m.replay,
			"": m.check,
		})
	})
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
	return rapid.SampledFrom([]document.Tenant{"clinic", "other"}).Draw(t, "tenant")
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

func (m *model) advance(t *rapid.T) {
	d := minutes(t, "by")
	m.Advance(d)
	m.clock += d
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

func (m *model) queued(j queue.Job) *modelJob {
	k := &modelJob{id: j.ID, tenant: j.Tenant, lane: j.Lane, key: j.Key, state: document.Queued, notBefore: m.clock}
	m.jobs = append(m.jobs, k)
	return k
}

func (m *model) claim(t *rapid.T) {
	c := queue.Claim{Lease: minutes(t, "lease"), Lane: rapid.SampledFrom([]document.Lane{"", "interactive", "bulk"}).Draw(t, "lane")}
	if len(m.jobs) > 0 && rapid.Bool().Draw(t, "only") {
		c.Only = []document.ID{rapid.SampledFrom(m.jobs).Draw(t, "which").id}
	}
	var e receipt.Event
	got, err := m.store(t).Claim(m.ctx, c, func(j queue.Job) receipt.Event { e = m.event(receipt.Claimed, j.ID); return e })
	oldest := m.oldestReady(c)
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
	if j == nil || j.state != document.Queued || (c.Only == nil && !m.firstOfTenant(j)) || j.lane != oldest.lane {
		t.Fatalf("claimed %+v; the oldest ready is %+v", got, oldest)
	}
	m.grew(t, got.Token)
	m.sent(e)
	j.state, j.token, j.until = document.Leased, got.Token, m.clock+c.Lease
	j.attempt++
	m.leases = append(m.leases, queue.Lease{Job: j.id, Token: got.Token})
}

// firstOfTenant reports whether no other job of its tenant and lane was ready before it.
func (m *model) firstOfTenant(j *modelJob) bool {
	return !slices.ContainsFunc(m.jobs, func(k *modelJob) bool {
		return k.tenant == j.tenant && k.lane == j.lane && k.ready(m.clock) && k.notBefore < j.notBefore
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

// fenced draws a lease, living or stale, and the job where it is in force.
func (m *model) fenced(t *rapid.T) (queue.Lease, *modelJob) {
	if len(m.leases) == 0 {
		t.Skip("no lease was given yet")
	}
	l := rapid.SampledFrom(m.leases).Draw(t, "lease")
	j := m.find(l.Job)
	if j.state != document.Leased || j.token != l.Token || j.until <= m.clock {
		return l, nil
	}
	return l, j
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
	_, err := m.store(t).Extend(m.ctx, l, d)
	if agrees(t, j, err) {
		j.until = m.clock + d
	}
}

func (m *model) finish(t *rapid.T) {
	l, j := m.fenced(t)
	target := rapid.SampledFrom([]document.State{document.Released, document.Rejected, document.Dead}).Draw(t, "target")
	o := queue.Outcome{Target: target, Result: []byte(fmt.Sprint("result ", m.serial)), Event: m.event(receipt.RedactedKind, l.Job)}
	if agrees(t, j, m.store(t).Finish(m.ctx, l, o)) {
		m.sent(o.Event)
		j.state, j.target, j.why, j.result = document.Sealing, target, "", string(o.Result)
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
