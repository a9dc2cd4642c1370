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
	jobs   []*modelJob
	leases []queue.Lease // every lease ever given, living and stale
	events []string      // actors of the events in the outbox; each event has its own
	serial int
}

type modelJob struct {
	id               document.ID
	key              string
	state, target    document.State
	why              reason.Code
	attempt          int
	token            int64
	notBefore, until time.Duration
	delivered        bool
	result           string
}

func runModel(t *testing.T, open func(t *testing.T) Fixture) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{Fixture: open(t), ctx: t.Context()}
		defer m.Close()
		rt.Repeat(map[string]func(*rapid.T){
			"enqueue": m.enqueue, "claim": m.claim, "extend": m.extend, "finish": m.finish,
			"release": m.release, "expire": m.expire, "deliver": m.deliver, "seal": m.seal, "advance": m.advance,
			"": m.check,
		})
	})
}

func (m *model) store(t *rapid.T) queue.Store {
	if rapid.Bool().Draw(t, "other handle") {
		return m.Other
	}
	return m.Store
}

func (m *model) event(kind receipt.Kind) receipt.Event {
	m.serial++
	return receipt.Event{Schema: receipt.EventSchema, Kind: kind, Actor: fmt.Sprint("e", m.serial)}
}

func (m *model) sent(e receipt.Event) { m.events = append(m.events, e.Actor) }

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
	j := newJob()
	j.Key = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "key")
	e := m.event(receipt.Received)
	got, added, err := m.store(t).Enqueue(m.ctx, j, e)
	if err != nil {
		t.Fatal(err)
	}
	known := slices.IndexFunc(m.jobs, func(k *modelJob) bool { return j.Key != "" && k.key == j.Key && !k.delivered })
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
	m.jobs = append(m.jobs, &modelJob{id: j.ID, key: j.Key, state: document.Queued, notBefore: m.clock})
}

func (m *model) claim(t *rapid.T) {
	c := queue.Claim{Lease: minutes(t, "lease")}
	if len(m.jobs) > 0 && rapid.Bool().Draw(t, "only") {
		c.Only = []document.ID{rapid.SampledFrom(m.jobs).Draw(t, "which").id}
	}
	var e receipt.Event
	got, err := m.store(t).Claim(m.ctx, c, func(queue.Job) receipt.Event { e = m.event(receipt.Claimed); return e })
	oldest := m.oldestReady(c.Only)
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
	if j == nil || j.state != document.Queued || j.notBefore != oldest.notBefore {
		t.Fatalf("claimed %+v; the oldest ready is %+v", got, oldest)
	}
	if got.Token <= m.token {
		t.Fatalf("token %d after %d", got.Token, m.token)
	}
	m.sent(e)
	m.token = got.Token
	j.state, j.token, j.until = document.Leased, got.Token, m.clock+c.Lease
	j.attempt++
	m.leases = append(m.leases, queue.Lease{Job: j.id, Token: got.Token})
}

// oldestReady is a job that became ready first; those of the same minute are equals.
func (m *model) oldestReady(only []document.ID) *modelJob {
	var oldest *modelJob
	for _, j := range m.jobs {
		wanted := only == nil || slices.Contains(only, j.id)
		if wanted && j.state == document.Queued && j.notBefore <= m.clock && (oldest == nil || j.notBefore < oldest.notBefore) {
			oldest = j
		}
	}
	return oldest
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
	o := queue.Outcome{Target: target, Result: []byte(fmt.Sprint("result ", m.serial)), Event: m.event(receipt.RedactedKind)}
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
	e := m.event(receipt.Retried)
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
	got, err := m.store(t).Expire(m.ctx, func(queue.Job) receipt.Event {
		e := m.event(receipt.LeaseExpired)
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

func (m *model) deliver(t *rapid.T) {
	if len(m.jobs) == 0 {
		t.Skip("no job yet")
	}
	j := rapid.SampledFrom(m.jobs).Draw(t, "job")
	if err := m.store(t).Deliver(m.ctx, j.id); err != nil {
		t.Fatal(err)
	}
	j.delivered = true
}

func (m *model) seal(t *rapid.T) {
	if err := m.Seal(); err != nil {
		t.Fatal(err)
	}
	m.events = nil
	for _, j := range m.jobs {
		if j.state == document.Sealing {
			j.state, j.target = j.target, ""
		}
	}
}

// check compares everything after each step.
func (m *model) check(t *rapid.T) {
	for _, want := range m.jobs {
		got, err := m.Store.Job(m.ctx, want.id)
		if err != nil {
			t.Fatal(err)
		}
		if got.State != want.state || got.Target != want.target || got.Reason != want.why || got.Attempt != want.attempt ||
			got.Token != want.token || got.Delivered != want.delivered || string(got.Result) != want.result {
			t.Fatalf("the store has %+v, the model %+v", got, *want)
		}
	}
	sent, err := m.Outbox()
	if err != nil {
		t.Fatal(err)
	}
	var actors []string
	for _, e := range sent {
		actors = append(actors, e.Event.Actor)
	}
	if !slices.Equal(actors, m.events) {
		t.Fatalf("the outbox holds %v, the model %v", actors, m.events)
	}
}
