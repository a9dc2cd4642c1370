// Package simulate works through a queue on a clock of its own: requests arrive, slots
// take jobs and hold them for recorded times, and nobody waits for any of it. What is
// measured is the order in which the queue gives jobs out; how long jobs take was measured
// before. The same scenario gives the same result each time.
package simulate

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/receipt"
)

// Load is what a tenant asks for.
type Load struct {
	Tenant  document.Tenant
	Lane    document.Lane
	Backlog int           // jobs that wait from the beginning
	Every   time.Duration // mean time between arrivals, which know nothing of each other; 0: none
	Stretch float64       // its jobs take so many times what was recorded; 0: 1
}

// Scenario is a service and what it is asked for.
type Scenario struct {
	Loads    []Load
	Slots    int           // that take every job, interactive ones first
	Reserved int           // that take interactive jobs alone
	Arrivals time.Duration // how long requests arrive; it ends when they and what is under way have ended
	Seed     uint64        // of the arrivals
}

// Lent is a job that had its turn. Times count from the beginning.
type Lent struct {
	Tenant  document.Tenant
	Lane    document.Lane
	Backlog bool // it had waited from the beginning
	Ready   time.Duration
	Start   time.Duration
	Took    time.Duration
}

// Wait is how long it waited for its turn.
func (l Lent) Wait() time.Duration { return l.Start - l.Ready }

// Answer is how long it took from request to result.
func (l Lent) Answer() time.Duration { return l.Wait() + l.Took }

// Order gives jobs out in the order that is looked at.
type Order interface {
	// Add takes a job in; several calls may be under way at once.
	Add(ctx context.Context, j queue.Job) error
	// Next gives a job out, of one lane or, where it is empty, of the first that has one.
	// Without one it returns queue.ErrNoJob.
	Next(ctx context.Context, lane document.Lane) (document.ID, error)
	// End takes back a job that is done.
	End(ctx context.Context, id document.ID) error
}

// Clock is the scenario's, to be given to the store.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock stands at a fixed instant.
func NewClock() *Clock { return &Clock{now: time.UnixMilli(1_700_000_000_000).UTC()} }

// Now is the instant.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *Clock) set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

// recorded are the processor seconds that documents of 37 kinds took in all, from
// docs/benchmarks.md ("What a page costs"), pages and all.
var recorded = []float64{
	2.37, 1.51, 3.80, 4.17, 3.19, 1.58, 1.87, 9.14, 7.50, 1.81, 2.93, 3.96, 1.83, 2.09, 1.79, 1.59, 2.24, 3.24, 2.04, 0.98,
	2.87, 3.51, 8.13, 2.65, 3.21, 1.96, 4.20, 1.33, 1.65, 2.22, 3.35, 4.33, 5.65, 6.79, 5.14, 2.28, 0.91,
}

// took is how long the nth job of a tenant takes, in whole milliseconds.
func took(l Load, n int) time.Duration {
	h := fnv.New64a()
	fmt.Fprint(h, l.Tenant, " ", n)
	seconds := recorded[rand.New(rand.NewPCG(h.Sum64(), 0)).IntN(len(recorded))]
	return time.Duration(seconds*cmp.Or(l.Stretch, 1)*1000) * time.Millisecond
}

// event is what happens at an instant: a request arrives, or a job ends.
type event struct {
	at       time.Duration
	serial   int // of those of one instant, the one that was made first
	load     int
	done     document.ID // empty: a request arrives
	reserved bool        // the slot that becomes free
}

type events []event

func (e events) Len() int      { return len(e) }
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e events) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(e[i].at, e[j].at), cmp.Compare(e[i].serial, e[j].serial)) < 0
}
func (e *events) Push(x any) { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}

// run is a scenario under way.
type run struct {
	Scenario
	order  Order
	clock  *Clock
	start  time.Time
	events events
	serial int
	free   map[bool]int        // slots, by whether they are reserved
	known  map[document.ID]job // that were given in
	turns  map[int]int         // jobs lent, by load
	coming int                 // requests that have not ended
	lent   []Lent
}

type job struct {
	load    int
	ready   time.Duration
	backlog bool
}

// Run works through a scenario.
func Run(ctx context.Context, s Scenario, o Order, c *Clock) ([]Lent, error) {
	r := &run{
		Scenario: s, order: o, clock: c, start: c.Now(), free: map[bool]int{false: s.Slots, true: s.Reserved},
		known: map[document.ID]job{}, turns: map[int]int{},
	}
	r.arrivals()
	if err := r.fill(ctx); err != nil {
		return nil, err
	}
	for {
		if err := r.assign(ctx); err != nil {
			return nil, err
		}
		// Once nobody comes any more and all who came had their turn, the rest of a backlog
		// tells nothing.
		if len(r.events) == 0 || r.coming == 0 && r.events[0].at > r.Arrivals {
			return r.lent, nil
		}
		e := heap.Pop(&r.events).(event)
		c.set(r.start.Add(e.at))
		if err := r.happen(ctx, e); err != nil {
			return nil, err
		}
	}
}

func (r *run) push(e event) {
	e.serial = r.serial
	r.serial++
	heap.Push(&r.events, e)
}

// arrivals draws when requests come, in whole milliseconds.
func (r *run) arrivals() {
	for i, l := range r.Loads {
		random := rand.New(rand.NewPCG(r.Seed, uint64(i)))
		for at := time.Duration(0); l.Every > 0; {
			at += time.Duration(-math.Log(1-random.Float64()) * float64(l.Every)).Truncate(time.Millisecond)
			if at > r.Arrivals {
				break
			}
			r.push(event{at: at, load: i})
			r.coming++
		}
	}
}

// fillers is how many jobs of a backlog are given in at once. Their order is nothing that
// the result depends on: how long a job takes is told by its turn.
const fillers = 64

func (r *run) fill(ctx context.Context) error {
	var mu sync.Mutex
	var failed error
	for i, l := range r.Loads {
		todo := make(chan queue.Job)
		var wg sync.WaitGroup
		for range fillers {
			wg.Go(func() {
				for j := range todo {
					if err := r.order.Add(ctx, j); err != nil {
						mu.Lock()
						failed = errors.Join(failed, err)
						mu.Unlock()
					}
				}
			})
		}
		for n := range l.Backlog {
			id := document.ID(fmt.Sprintf("backlog-%s-%d", l.Tenant, n))
			r.known[id] = job{load: i, backlog: true}
			todo <- queue.Job{ID: id, Tenant: l.Tenant, Lane: l.Lane}
		}
		close(todo)
		wg.Wait()
	}
	return failed
}

func (r *run) happen(ctx context.Context, e event) error {
	if e.done != "" {
		r.free[e.reserved]++
		if j := r.known[e.done]; !j.backlog {
			r.coming--
		}
		return r.order.End(ctx, e.done)
	}
	l := r.Loads[e.load]
	id := document.ID(fmt.Sprintf("request-%d", e.serial))
	r.known[id] = job{load: e.load, ready: e.at}
	return r.order.Add(ctx, queue.Job{ID: id, Tenant: l.Tenant, Lane: l.Lane})
}

// assign gives every free slot a job, the reserved ones first.
func (r *run) assign(ctx context.Context) error {
	for _, reserved := range []bool{true, false} {
		lane := map[bool]document.Lane{true: document.Interactive}[reserved]
		for r.free[reserved] > 0 {
			id, err := r.order.Next(ctx, lane)
			if errors.Is(err, queue.ErrNoJob) {
				break
			}
			if err != nil {
				return err
			}
			j := r.known[id]
			l, now := r.Loads[j.load], r.clock.Now().Sub(r.start)
			t := took(l, r.turns[j.load])
			r.turns[j.load]++
			r.free[reserved]--
			r.lent = append(r.lent, Lent{Tenant: l.Tenant, Lane: l.Lane, Backlog: j.backlog, Ready: j.ready, Start: now, Took: t})
			r.push(event{at: now + t, done: id, reserved: reserved})
		}
	}
	return nil
}

// ByStore is the order of a store, which must run by the scenario's clock.
func ByStore(s queue.Store) Order { return &byStore{store: s, leases: map[document.ID]queue.Lease{}} }

type byStore struct {
	store  queue.Store
	leases map[document.ID]queue.Lease
}

func (o *byStore) Add(ctx context.Context, j queue.Job) error {
	j.Policy = queue.PolicyRef{Name: "stub", Version: "1"}
	_, _, err := o.store.Enqueue(ctx, j, receipt.Event{Kind: receipt.Received, Job: string(j.ID)})
	return err
}

func (o *byStore) Next(ctx context.Context, lane document.Lane) (document.ID, error) {
	event := func(j queue.Job) receipt.Event { return receipt.Event{Kind: receipt.Claimed, Job: string(j.ID)} }
	j, err := o.store.Claim(ctx, queue.Claim{Lane: lane, Lease: time.Hour}, event)
	if err != nil {
		return "", err
	}
	o.leases[j.ID] = queue.Lease{Job: j.ID, Token: j.Token}
	return j.ID, nil
}

func (o *byStore) End(ctx context.Context, id document.ID) error {
	l := o.leases[id]
	delete(o.leases, id)
	return o.store.Finish(ctx, l, queue.Outcome{Target: document.Released, Event: receipt.Event{Kind: receipt.RedactedKind, Job: string(id)}})
}

// ByAge is what queues do that know nothing of tenants: who came first goes first, in
// each lane.
func ByAge() Order { return &byAge{waiting: map[document.Lane][]document.ID{}} }

type byAge struct {
	mu      sync.Mutex
	waiting map[document.Lane][]document.ID
}

func (o *byAge) Add(_ context.Context, j queue.Job) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting[j.Lane] = append(o.waiting[j.Lane], j.ID)
	return nil
}

func (o *byAge) Next(_ context.Context, lane document.Lane) (document.ID, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, l := range document.Lanes() {
		if w := o.waiting[l]; (lane == "" || lane == l) && len(w) > 0 {
			o.waiting[l] = w[1:]
			return w[0], nil
		}
	}
	return "", queue.ErrNoJob
}

func (o *byAge) End(context.Context, document.ID) error { return nil }

// Quantile is the least value that a share q of all does not exceed; 0 without any.
func Quantile(values []time.Duration, q float64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(0, min(len(sorted)-1, int(math.Ceil(q*float64(len(sorted))))-1))]
}

// Had sums the time that each tenant had of the slots in a stretch of the run.
func Had(lent []Lent, from, to time.Duration) map[document.Tenant]time.Duration {
	had := map[document.Tenant]time.Duration{}
	for _, l := range lent {
		had[l.Tenant] += max(0, min(to, l.Start+l.Took)-max(from, l.Start))
	}
	return had
}
