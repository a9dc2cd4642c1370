package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"time"

	"blotter/internal/postgres/pgtest"
)

// kind is a way in which something fails.
type kind struct {
	name   string
	weight int // share of the draws
	do     func(ctx context.Context, f *fleet, d draw) bool
}

// draw is what the seed decided about a fault; not every kind uses all of it.
type draw struct {
	node  int
	long  float64 // 0 to 1: how long it lasts within what the kind allows
	which int     // a kind's own choice
}

// between spreads a draw over a span.
func (d draw) between(least, most time.Duration) time.Duration {
	return least + time.Duration(d.long*float64(most-least))
}

// kinds are the faults. do returns false where it found nothing to do anything to: that
// counts as no fault. What is cheap comes often, what costs a machine its breath now and
// then, so that work goes on.
var kinds = []kind{
	{"connections of a node to the database cut", 30, cutLine},
	{"answers of the database held back, then the connections cut", 16, loseAnswers},
	{"connections of a node to the database frozen, then let go", 14, freezeLine},
	{"every connection ended by the database", 4, cutAll},
	{"bucket fails for a while: 503, resets, lost answers, slowness", 18, failBucket},
	{"node stopped (SIGSTOP) past its lease, then continued", 9, pauseNode},
	{"node killed (SIGKILL), then started again", 6, killNode},
	{"node told to stop (SIGTERM), then started again", 2, rollNode},
	{"database shut down at once, then started again", 1, crashDatabase},
}

// faults counts what was done.
type faults struct {
	mu    sync.Mutex
	count map[string]int
	hits  int // requests to the bucket that met trouble
}

func (f *faults) total() int {
	n := 0
	for _, c := range f.count {
		n += c
	}
	return n
}

// inject does faults until the time is over, and then heals everything: processes run,
// lines pass, database and bucket work. Several faults may be in force at once, but one
// process meets one at a time.
func inject(ctx context.Context, f *fleet, o options) *faults {
	out := &faults{count: map[string]int{}}
	random := rand.New(rand.NewPCG(o.seed, 1))
	over, cancel := context.WithTimeout(ctx, o.length)
	defer cancel()
	var running sync.WaitGroup
	for wait(over, time.Duration(random.ExpFloat64()*float64(o.gap))) == nil {
		k, d := pick(random), draw{random.IntN(size), random.Float64(), random.IntN(1 << 16)}
		running.Go(func() {
			if k.do(ctx, f, d) {
				out.mu.Lock()
				out.count[k.name]++
				out.mu.Unlock()
			}
		})
	}
	running.Wait()
	out.hits = f.bucket.met()
	return out
}

func pick(random *rand.Rand) kind {
	all := 0
	for _, k := range kinds {
		all += k.weight
	}
	at := random.IntN(all)
	for _, k := range kinds {
		if at -= k.weight; at < 0 {
			return k
		}
	}
	panic("the weights do not add up")
}

func cutLine(_ context.Context, f *fleet, d draw) bool { return f.nodes[d.node].line.cut() > 0 }

// loseAnswers lets the database do what it is asked for a moment, and nobody hear of it.
func loseAnswers(ctx context.Context, f *fleet, d draw) bool {
	l := f.nodes[d.node].line
	l.hold(false, true)
	_ = wait(ctx, d.between(20*time.Millisecond, 400*time.Millisecond))
	n := l.cut()
	l.hold(false, false)
	return n > 0
}

// freezeLine lets nothing pass: for less than a lease, or for more.
func freezeLine(ctx context.Context, f *fleet, d draw) bool {
	l := f.nodes[d.node].line
	n := l.open()
	l.hold(true, true)
	_ = wait(ctx, d.between(shortLease/4, 2*shortLease))
	l.hold(false, false)
	return n > 0
}

func cutAll(ctx context.Context, f *fleet, _ draw) bool {
	n, err := f.cluster.Cut(ctx, database)
	return err == nil && n > 0
}

// bucketBusy and databaseBusy keep faults of one kind from overlapping.
var bucketBusy, databaseBusy sync.Mutex

// failBucket counts only where a request met it.
func failBucket(ctx context.Context, f *fleet, d draw) bool {
	if !bucketBusy.TryLock() {
		return false
	}
	defer bucketBusy.Unlock()
	troubles := []trouble{refusing, forgetful, breaking, vanishing, slow}
	before := f.bucket.met()
	f.bucket.set(troubles[d.which%len(troubles)], []float64{0.3, 0.7, 1}[d.which/8%3])
	_ = wait(ctx, d.between(300*time.Millisecond, 3*time.Second))
	f.bucket.set(well, 0)
	return f.bucket.met() > before
}

// pauseNode stops a process for longer than its lease lasts. Its cells go on.
func pauseNode(ctx context.Context, f *fleet, d draw) bool {
	n := f.nodes[d.node]
	if !n.fault.TryLock() {
		return false
	}
	defer n.fault.Unlock()
	if n.signal(syscall.SIGSTOP, false) == nil {
		return false
	}
	_ = wait(ctx, d.between(shortLease+shortLease/4, 3*shortLease))
	n.signal(syscall.SIGCONT, false)
	return true
}

func killNode(ctx context.Context, f *fleet, d draw) bool {
	n := f.nodes[d.node]
	if !n.fault.TryLock() {
		return false
	}
	defer n.fault.Unlock()
	killed := n.kill()
	n.again(ctx)
	return killed
}

func rollNode(ctx context.Context, f *fleet, d draw) bool {
	n := f.nodes[d.node]
	if !n.fault.TryLock() {
		return false
	}
	defer n.fault.Unlock()
	_, stopped := n.stop()
	n.again(ctx)
	return stopped
}

// again starts a node after its end.
func (n *node) again(ctx context.Context) {
	if err := n.start(ctx); err != nil && ctx.Err() == nil {
		n.fleet.violations.add("%v", err)
	}
}

// crashDatabase ends the server so that it has to recover, or, every third time, in order.
func crashDatabase(ctx context.Context, f *fleet, d draw) bool {
	if !databaseBusy.TryLock() {
		return false
	}
	defer databaseBusy.Unlock()
	end := (*pgtest.Cluster).Kill
	if d.which%3 == 0 {
		end = (*pgtest.Cluster).Stop
	}
	if err := end(f.cluster); err != nil {
		f.violations.add("the database could not be ended: %v", err)
		return false
	}
	_ = wait(ctx, d.between(0, time.Second))
	if err := f.cluster.Resume(context.WithoutCancel(ctx)); err != nil {
		f.violations.add("the database did not start again: %v", err)
		return false
	}
	return true
}

// table is what was done, for the report.
func (f *faults) table() string {
	out := "| fault | times |\n|---|--:|\n"
	for _, k := range kinds {
		out += fmt.Sprintf("| %s | %d |\n", k.name, f.count[k.name])
	}
	return out + fmt.Sprintf("| all | %d |\n", f.total())
}
