package queuetest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

// memory is a store without a disk: the contract in a few plain lines, so that the suite can
// be tried on what is right, and with one of its faults on what is wrong.
type memory struct {
	fault string // one of faults, or none

	mu       sync.Mutex
	clock    time.Time
	token    int64
	arrivals int64
	jobs     []*memoryJob
	shares   map[memoryShareKey]*memoryShare
	held     []*queue.Reservation
	copies   []queue.WorkingCopy
	outbox   []Sent
	since    []time.Time // when the events of the outbox came
	sealed   []receipt.Event
	forgot   map[document.ID]bool
}

type memoryJob struct {
	queue.Job
	arrival     int64
	fingerprint string
	parkedSince time.Time
	parked      time.Duration
	charged     int64
}

type memoryShareKey struct {
	lane   document.Lane
	tenant document.Tenant
}

type memoryShare struct {
	memoryShareKey
	virtual, started, mean int64
	ready                  bool
	since                  time.Time
}

func newMemory(fault string) *memory {
	return &memory{
		fault: fault, clock: time.UnixMilli(1_700_000_000_000).UTC(), shares: map[memoryShareKey]*memoryShare{}, forgot: map[document.ID]bool{},
	}
}

func (m *memory) fixture() Fixture {
	return Fixture{
		Store: m, Other: m, Close: func() {}, Seal: m.seal,
		Advance: func(d time.Duration) { defer m.lock()(); m.clock = m.clock.Add(d); m.follow() },
		Outbox:  func() ([]Sent, error) { defer m.lock()(); return slices.Clone(m.outbox), nil },
		Forget:  func(id document.ID) error { defer m.lock()(); m.forgot[id] = true; return nil },
	}
}

func (m *memory) lock() (unlock func()) { m.mu.Lock(); return m.mu.Unlock }

func (m *memory) tell(e receipt.Event, id document.ID, state document.State) {
	m.outbox, m.since = append(m.outbox, Sent{e, id, state}), append(m.since, m.clock)
}

func (m *memory) find(id document.ID) *memoryJob {
	for _, j := range m.jobs {
		if j.ID == id {
			return j
		}
	}
	return nil
}

func (m *memory) share(j *memoryJob) *memoryShare {
	key := memoryShareKey{j.Lane, j.Tenant}
	if m.shares[key] == nil {
		m.shares[key] = &memoryShare{memoryShareKey: key, mean: queue.FirstMean}
	}
	return m.shares[key]
}

func (m *memory) ready(j *memoryJob) bool {
	return j.State == document.Queued && !j.NotBefore.After(m.clock)
}

// follow notes after every step who has a ready job.
func (m *memory) follow() {
	ready := map[*memoryShare]time.Time{}
	for _, j := range m.jobs {
		if s := m.share(j); m.ready(j) {
			if since, ok := ready[s]; !ok || j.NotBefore.Before(since) {
				ready[s] = j.NotBefore
			}
		}
	}
	for _, s := range m.shares {
		since, now := ready[s]
		if now && !s.ready {
			if m.fault != "credit for the idle" {
				s.virtual = max(s.virtual, m.level(s.lane))
			}
			s.since = since
		}
		s.ready = now
	}
}

func (m *memory) level(lane document.Lane) int64 {
	started, least := int64(0), int64(math.MaxInt64)
	for _, s := range m.shares {
		if s.lane == lane {
			started = max(started, s.started)
			if s.ready {
				least = min(least, s.virtual)
			}
		}
	}
	switch m.fault {
	case "newcomers last":
		started = math.MaxInt64
		if least == math.MaxInt64 {
			return 0
		}
	case "newcomers behind a debt":
		return started
	}
	return min(started, least)
}

func (m *memory) charge(t document.Tenant, ms int64) int64 {
	if m.fault == "weights ignored" {
		return ms * 1000
	}
	return Settings().Charge(t, ms)
}

func (m *memory) used(j *memoryJob) int64 {
	end := m.clock
	if end.After(j.LeaseUntil) && m.fault != "dead time charged" {
		end = j.LeaseUntil
	}
	parked := j.parked
	if !j.parkedSince.IsZero() {
		parked += max(0, end.Sub(j.parkedSince))
	}
	if m.fault == "parked time charged" {
		parked = 0
	}
	return max(0, end.Sub(j.Claimed)-parked).Milliseconds()
}

// settle ends the lease of a job.
func (m *memory) settle(j *memoryJob, how string) {
	s, used := m.share(j), m.used(j)
	switch m.fault {
	case "no settling", how + " does not settle":
	case "no refunds":
		s.virtual += max(0, m.charge(j.Tenant, used)-m.charge(j.Tenant, j.charged))
	default:
		s.virtual += m.charge(j.Tenant, used) - m.charge(j.Tenant, j.charged)
	}
	if how == "finish" && m.fault != "means never learnt" || m.fault == "failures teach" {
		s.mean = queue.NextMean(s.mean, used)
	}
	j.LeaseUntil, j.Claimed, j.Parked, j.parkedSince, j.parked, j.charged = time.Time{}, time.Time{}, false, time.Time{}, 0, 0
}

// Now implements queue.Store.
func (m *memory) Now(context.Context) (time.Time, error) { defer m.lock()(); return m.clock, nil }

// Enqueue implements queue.Store.
func (m *memory) Enqueue(ctx context.Context, j queue.Job, e receipt.Event) (queue.Job, bool, error) {
	defer m.lock()()
	for _, k := range m.jobs {
		if j.Key != "" && k.Key == j.Key && k.Tenant == j.Tenant && k.fingerprint == "" && !k.Delivered {
			return k.Job, false, nil
		}
	}
	got, err := m.add(ctx, j, "", e)
	return got, err == nil, err
}

func (m *memory) add(ctx context.Context, j queue.Job, fingerprint string, e receipt.Event) (queue.Job, error) {
	if ctx.Err() != nil || m.find(j.ID) != nil {
		return queue.Job{}, errors.New("not added")
	}
	j.State, j.FinalSeq, j.Created = document.Queued, -1, m.clock
	if j.NotBefore.Before(m.clock) {
		j.NotBefore = m.clock
	}
	m.arrivals++
	k := &memoryJob{Job: j, arrival: m.arrivals, fingerprint: fingerprint}
	m.jobs = append(m.jobs, k)
	m.tell(e, "", "")
	m.follow()
	return k.Job, nil
}

// Claim implements queue.Store.
func (m *memory) Claim(_ context.Context, c queue.Claim, event func(queue.Job) receipt.Event) (queue.Job, error) {
	defer m.lock()()
	for _, lane := range document.Lanes() {
		if c.Lane != "" && c.Lane != lane {
			continue
		}
		if j := m.pick(lane, c.Only); j != nil {
			m.lend(j, c)
			m.tell(event(j.Job), "", "")
			m.follow()
			return j.Job, nil
		}
	}
	return queue.Job{}, queue.ErrNoJob
}

func (m *memory) pick(lane document.Lane, only []document.ID) (first *memoryJob) {
	for _, j := range m.jobs {
		stranded := m.fault == "a job is stranded" && j.Reason == reason.QueueLeaseLost && j.Attempt == 2
		if j.Lane != lane || !m.ready(j) || stranded || only != nil && !slices.Contains(only, j.ID) {
			continue
		}
		if first == nil || m.before(j, first, only != nil) < 0 {
			first = j
		}
	}
	return first
}

func (m *memory) before(a, b *memoryJob, named bool) int {
	byAge := a.NotBefore.Compare(b.NotBefore)
	if named && m.fault != "named claims in turn" || m.fault == "by age alone" {
		return byAge
	}
	s, r := m.share(a), m.share(b)
	since := s.since.Compare(r.since)
	if m.fault == "names before waiting" {
		since = 0
	}
	return cmp.Or(cmp.Compare(s.virtual, r.virtual), since, cmp.Compare(s.tenant, r.tenant), byAge)
}

func (m *memory) lend(j *memoryJob, c queue.Claim) {
	if m.fault != "tokens do not grow" || j.Attempt == 0 {
		m.token++
	}
	j.State, j.Token, j.Claimed, j.LeaseUntil = document.Leased, m.token, m.clock, m.clock.Add(c.Lease)
	j.Attempt++
	s := m.share(j)
	if c.Only == nil {
		s.started = max(s.started, s.virtual)
	} else if m.fault == "named claims are charged late" {
		return
	}
	if j.charged = s.mean; m.fault == "no estimates" {
		j.charged = 0
	}
	s.virtual += m.charge(j.Tenant, j.charged)
}

// fenced returns the job of a lease in force.
func (m *memory) fenced(l queue.Lease) (*memoryJob, error) {
	j := m.find(l.Job)
	if j == nil || j.State != document.Leased || j.Token != l.Token && m.fault != "stale writes accepted" || !j.LeaseUntil.After(m.clock) && m.fault != "late writes accepted" {
		return nil, queue.ErrLeaseLost
	}
	return j, nil
}

// Extend implements queue.Store.
func (m *memory) Extend(_ context.Context, l queue.Lease, d time.Duration) (queue.Lease, error) {
	defer m.lock()()
	j, err := m.fenced(l)
	if err != nil {
		return queue.Lease{}, err
	}
	if used := m.used(j); used > j.charged && m.fault != "heartbeats free" {
		m.share(j).virtual += m.charge(j.Tenant, used) - m.charge(j.Tenant, j.charged)
		j.charged = used
	}
	j.LeaseUntil = m.clock.Add(d)
	l.Until = j.LeaseUntil
	return l, nil
}

// Park implements queue.Store.
func (m *memory) Park(_ context.Context, l queue.Lease, parked bool) error {
	defer m.lock()()
	j, err := m.fenced(l)
	if err != nil || j.Parked == parked {
		return err
	}
	if j.Parked = parked; parked {
		j.parkedSince = m.clock
	} else {
		j.parked, j.parkedSince = j.parked+m.clock.Sub(j.parkedSince), time.Time{}
	}
	return nil
}

// Waits implements queue.Store.
func (m *memory) Waits(_ context.Context, lane document.Lane, tenant document.Tenant) (bool, error) {
	defer m.lock()()
	own, known := m.shares[memoryShareKey{lane, tenant}]
	for _, s := range m.shares {
		less := s.lane == lane && s.tenant != tenant && known && (s.virtual < own.virtual || m.fault == "everybody waits")
		if s.ready && (less || s.lane == document.Interactive && lane == document.Bulk && m.fault != "nobody waits") {
			return true, nil
		}
	}
	return false, nil
}

// Finish implements queue.Store.
func (m *memory) Finish(_ context.Context, l queue.Lease, o queue.Outcome) error {
	defer m.lock()()
	if !o.Target.Ended() {
		return errors.New("no end")
	}
	j, err := m.fenced(l)
	if err != nil {
		return err
	}
	m.settle(j, "finish")
	j.State, j.Target, j.Reason, j.Bytes, j.Result = document.Sealing, o.Target, o.Reason, o.Bytes, o.Result
	if m.fault == "finished twice" {
		j.State, j.LeaseUntil, j.Claimed = document.Leased, m.clock.Add(lease), m.clock
	}
	if o.Target != document.Dead {
		j.Sealed = nil
	}
	m.tell(o.Event, j.ID, o.Target)
	return nil
}

// Release implements queue.Store.
func (m *memory) Release(_ context.Context, l queue.Lease, why reason.Code, notBefore time.Time, e receipt.Event) error {
	defer m.lock()()
	j, err := m.fenced(l)
	if err != nil {
		return err
	}
	m.settle(j, "release")
	j.State, j.Reason, j.NotBefore = document.Queued, why, notBefore
	if notBefore.Before(m.clock) {
		j.NotBefore = m.clock
	}
	if why == reason.QueueStopped {
		j.Attempt--
	}
	m.tell(e, "", "")
	m.follow()
	return nil
}

// Expire implements queue.Store.
func (m *memory) Expire(_ context.Context, event func(queue.Job) receipt.Event) (out []queue.Job, err error) {
	defer m.lock()()
	for _, j := range m.jobs {
		if j.State == document.Leased && !j.LeaseUntil.After(m.clock) {
			out = append(out, j.Job)
			m.tell(event(j.Job), "", "")
			m.settle(j, "expire")
			j.State, j.Reason, j.NotBefore = document.Queued, reason.QueueLeaseLost, m.clock
		}
	}
	if m.fault == "an expired job is lost" && len(out) > 1 {
		m.jobs = slices.DeleteFunc(m.jobs, func(j *memoryJob) bool { return j.ID == out[0].ID })
	}
	m.follow()
	return out, nil
}

// Job implements queue.Store.
func (m *memory) Job(_ context.Context, id document.ID) (queue.Job, error) {
	defer m.lock()()
	if j := m.find(id); j != nil {
		return j.Job, nil
	}
	return queue.Job{}, queue.ErrNotFound
}

// Deliver implements queue.Store.
func (m *memory) Deliver(_ context.Context, id document.ID) error {
	defer m.lock()()
	j := m.find(id)
	if j == nil {
		return queue.ErrNotFound
	}
	j.Delivered = true
	return nil
}

// seal does what the sequencer does.
func (m *memory) seal() error {
	defer m.lock()()
	for _, s := range m.outbox {
		if j := m.find(s.Job); j != nil {
			j.State, j.Target, j.FinalSeq = s.State, "", int64(len(m.sealed))
		}
		m.sealed = append(m.sealed, s.Event)
	}
	m.outbox, m.since = nil, nil
	return nil
}

// Jobs implements queue.Operations.
func (m *memory) Jobs(_ context.Context, f queue.Filter) (out []queue.Listed, err error) {
	defer m.lock()()
	for _, j := range slices.Backward(m.jobs) {
		fits := (f.Tenant == "" || f.Tenant == j.Tenant) && (f.State == "" || f.State == j.State) && (f.Lane == "" || f.Lane == j.Lane) &&
			(f.Reason == "" || f.Reason == j.Reason) && (f.Before == 0 || j.arrival < f.Before)
		if fits && len(out) < f.Limit {
			l := queue.Listed{Job: j.Job, Arrival: j.arrival}
			l.Sealed, l.Policy.Body, l.Result = nil, nil, slim(l.Result)
			out = append(out, l)
		}
	}
	return out, nil
}

// slim takes the assets out of a result, which stand in the middle of it.
func slim(result []byte) []byte {
	var whole struct{ Assets json.RawMessage }
	if json.Unmarshal(result, &whole) != nil || whole.Assets == nil {
		return result
	}
	return []byte(strings.Replace(string(result), `"assets":`+string(whole.Assets)+`,`, "", 1))
}

var (
	_ Store               = (*memory)(nil)
	_ queue.WorkingCopies = (*memory)(nil)
)
