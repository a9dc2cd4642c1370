package queuetest

import (
	"strings"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

// heavy is the tenant of weight 3; every other has 1.
const heavy document.Tenant = "heavy"

// Settings are those that a store under test must be opened with.
func Settings() queue.Settings {
	return queue.Settings{Weights: map[document.Tenant]int{heavy: 3}}
}

// give adds n bulk jobs of a tenant that are ready, and a second to the clock, so that it
// is known who came first.
func (s *suite) give(tenant document.Tenant, n int) (ids []document.ID) {
	s.Helper()
	for range n {
		j := newJob()
		j.Tenant = tenant
		ids = append(ids, s.enqueue(j).ID)
	}
	s.Advance(time.Second)
	return ids
}

// long outlasts every job of these tests.
const long = 1000 * time.Hour

// lend claims in the bulk lane.
func (s *suite) lend(only ...document.ID) (queue.Job, queue.Lease) {
	s.Helper()
	j, err := s.Store.Claim(s.ctx, queue.Claim{Lane: document.Bulk, Only: only, Lease: long}, claimed)
	s.must(err)
	return j, queue.Lease{Job: j.ID, Token: j.Token, Until: j.LeaseUntil}
}

func (s *suite) finish(l queue.Lease) {
	s.Helper()
	s.must(s.Store.Finish(s.ctx, l, outcome(document.Released, l.Job)))
}

// turn lends a job and finishes it after d, or a fifth more where its tenant's name begins
// with no a, and says whose it was. So no two tenants have had the same but by intent.
func (s *suite) turn(d time.Duration, only ...document.ID) document.Tenant {
	s.Helper()
	j, l := s.lend(only...)
	if !strings.HasPrefix(string(j.Tenant), "a") {
		d += d / 5
	}
	s.Advance(d)
	s.finish(l)
	return j.Tenant
}

// turns takes as many turns as want has words, and checks whose they are.
func (s *suite) turns(d time.Duration, want string) {
	s.Helper()
	var got []string
	for range strings.Fields(want) {
		got = append(got, string(s.turn(d)))
	}
	if strings.Join(got, " ") != want {
		s.Fatalf("the turns went to %q, want %q", strings.Join(got, " "), want)
	}
}

// Neither the number of jobs nor their length makes a share greater.
func sharesFollowTime(s *suite) {
	s.give("a", 40)
	s.give("b", 16)
	length := map[document.Tenant]time.Duration{"a": time.Minute, "b": 4 * time.Minute}
	had := map[document.Tenant]time.Duration{}
	for range 40 {
		j, l := s.lend()
		s.Advance(length[j.Tenant])
		s.finish(l)
		had[j.Tenant] += length[j.Tenant]
		if d := (had["a"] - had["b"]).Abs(); d > 5*time.Minute {
			s.Fatalf("a had %v and b %v", had["a"], had["b"])
		}
	}
	if had["a"] != 32*time.Minute || had["b"] != 32*time.Minute {
		s.Errorf("of 64 minutes, a had %v and b %v", had["a"], had["b"])
	}
}

func sharesFollowWeights(s *suite) {
	s.give("a", 20)
	s.give(heavy, 40)
	had := map[document.Tenant]int{}
	for range 40 {
		had[s.turn(time.Minute)]++
	}
	// a has n minutes and heavy 3n, which are 2.5n turns of 1.2 minutes: 40 turns are 3.5n.
	if had["a"] < 11 || had["a"] > 12 {
		s.Errorf("of 40 turns, the tenant of weight 3 had %d", had[heavy])
	}
}

// Who has been idle is next, and then one of two.
func idleEarnsNoCredit(s *suite) {
	s.give("b", 1)
	s.turns(time.Minute, "b")
	s.give("a", 30)
	s.turns(10*time.Minute, "a a a a a a")
	s.give("b", 9)
	s.turns(10*time.Minute, "b a b a b a")
}

// There are many ways in which a job can become ready, and none brings credit.
func nobodySavesUp(s *suite) {
	ways := map[string]func() func(){
		"enqueued": func() func() { return func() { s.give("b", 1) } },
		"accepted": func() func() {
			return func() {
				r := request("")
				r.Tenant = "b"
				s.accept(s.reserve(r)) // bulk, as newJob makes them
				s.Advance(time.Second)
			}
		},
		"its time came": func() func() {
			j := newJob()
			j.Tenant, j.NotBefore = "b", s.now().Add(55*time.Minute)
			s.enqueue(j)
			return func() {}
		},
		"released": func() func() {
			_, l := s.lend(s.give("b", 1)...)
			s.must(s.Store.Release(s.ctx, l, reason.SourceUnreadable, s.now().Add(55*time.Minute), event(receipt.Retried, l.Job)))
			return func() {}
		},
		"expired": func() func() {
			ids := s.give("b", 1)
			_, err := s.Store.Claim(s.ctx, queue.Claim{Only: ids, Lease: lease}, claimed)
			s.must(err)
			return func() {
				_, err := s.Store.Expire(s.ctx, expired)
				s.must(err)
			}
		},
		"replayed": func() func() {
			_, l := s.lend(s.give("b", 1)...)
			s.must(s.Store.Finish(s.ctx, l, outcome(document.Dead, l.Job)))
			s.must(s.Seal())
			return func() {
				_, err := s.Store.Replay(s.ctx, l.Job, did(receipt.Replayed))
				s.must(err)
			}
		},
	}
	for name, way := range ways {
		ready := way()
		s.give("a", 12)
		for range 6 {
			if got := s.turn(10 * time.Minute); got != "a" {
				s.Fatalf("%s: %s had a turn before it was ready", name, got)
			}
		}
		ready()
		s.give("b", 3)
		s.turns(10*time.Minute, "b a b a b a b a")
		s.turns(10*time.Minute, "a a") // and both lanes are empty again
	}
}

// Who comes goes before all that have had something since, and after those that came
// before and have had nothing.
func newcomersGoFirst(s *suite) {
	s.give("a", 9)
	s.give("b", 9)
	s.turns(time.Minute, "a b a b")
	s.give("z", 2)
	s.give("y", 2)
	s.give("x", 2)
	s.turns(time.Minute, "z y x")
	s.give("w", 1)
	if got := s.turn(time.Minute); got != "w" {
		s.Errorf("%s went before the one that came", got)
	}
}

// What was charged in advance and given back brings nobody behind whom it was given to.
func newcomersOweNothing(s *suite) {
	s.give("a", 20)
	var held []queue.Lease
	for range 9 {
		_, l := s.lend()
		held = append(held, l)
	}
	for _, l := range held {
		s.finish(l)
	}
	s.give("b", 1)
	first, second := s.turn(time.Second), s.turn(time.Second)
	if first != "b" && second != "b" {
		s.Errorf("%s and %s went before the one that came", first, second)
	}
}

// A claim is charged at once: several before any job has ended go to one after the other.
func estimatesSpreadClaims(s *suite) {
	s.give("a", 4)
	s.give("b", 4)
	var got []string
	for range 6 {
		j, _ := s.lend()
		got = append(got, string(j.Tenant))
	}
	if strings.Join(got, " ") != "a b a b a b" {
		s.Errorf("before any job ended, %v were lent", got)
	}
}

// A job that was over at once gives back what was charged for it.
func estimatesAreSettled(s *suite) {
	ends := map[string]func(queue.Lease){
		"finish": s.finish,
		"release": func(l queue.Lease) {
			s.must(s.Store.Release(s.ctx, l, reason.QueueStopped, s.now(), event(receipt.Retried, l.Job)))
		},
		"cancel": func(l queue.Lease) {
			_, err := s.Store.Cancel(s.ctx, l.Job, did(receipt.Cancelled))
			s.must(err)
		},
	}
	for name, end := range ends {
		a, b := document.Tenant("a-"+name), document.Tenant("b-"+name)
		s.give(a, 12)
		s.give(b, 12)
		if j, l := s.lend(); j.Tenant == a {
			s.Advance(50 * time.Millisecond)
			end(l)
		} else {
			s.Fatalf("%s went before %s", j.Tenant, a)
		}
		_, held := s.lend() // b's, which is charged its mean of a second
		for range 5 {
			j, l := s.lend()
			if j.Tenant != a {
				s.Fatalf("%s: the charge was kept", name)
			}
			s.Advance(50 * time.Millisecond)
			end(l)
		}
		s.finish(held)
		s.empty()
	}
}

// empty takes what is left in the queue out of it.
func (s *suite) empty() {
	s.Helper()
	for {
		_, err := s.Store.Claim(s.ctx, queue.Claim{Lease: long}, claimed)
		if isNoJob(err) {
			return
		}
		s.must(err)
	}
}

// What a job took is charged however its lease ends, and while it lasts.
func timeIsCharged(s *suite) {
	ways := map[string]func(queue.Lease){
		"finished": s.finish,
		"extended": func(l queue.Lease) {
			_, err := s.Store.Extend(s.ctx, l, long)
			s.must(err)
		},
		"released": func(l queue.Lease) {
			s.must(s.Store.Release(s.ctx, l, reason.SourceUnreadable, s.now(), event(receipt.Retried, l.Job)))
		},
		"cancelled": func(l queue.Lease) {
			_, err := s.Store.Cancel(s.ctx, l.Job, did(receipt.Cancelled))
			s.must(err)
		},
		"expired": func(l queue.Lease) {
			_, err := s.Store.Extend(s.ctx, l, time.Second)
			s.must(err)
			s.Advance(time.Second)
			_, err = s.Store.Expire(s.ctx, expired)
			s.must(err)
		},
	}
	for name, way := range ways {
		a, b := document.Tenant("a-"+name), document.Tenant("b-"+name)
		s.give(a, 9)
		s.give(b, 9)
		j, l := s.lend()
		s.Advance(10 * time.Minute)
		way(l)
		if j.Tenant != a {
			s.Fatalf("%s went before %s", j.Tenant, a)
		}
		for turn, want := range []document.Tenant{b, b, b, a} {
			if got := s.turn(3 * time.Minute); got != want {
				s.Fatalf("%s after ten minutes: turn %d went to %s", name, turn, got)
			}
		}
		s.empty()
	}
}

// Nobody knows when a worker died; its tenant pays to the end of the lease, not until
// somebody looked.
func deadTimeIsNotCharged(s *suite) {
	s.give("a", 9)
	s.give("b", 9)
	_, err := s.Store.Claim(s.ctx, queue.Claim{Lease: 10 * time.Minute}, claimed) // a's
	s.must(err)
	s.Advance(100 * time.Hour)
	_, err = s.Store.Expire(s.ctx, expired)
	s.must(err)
	s.turns(3*time.Minute, "b b b a")
}

func parkedTimeIsNotCharged(s *suite) {
	s.give("a", 9)
	s.give("b", 9)
	j, l := s.lend()
	s.parks(l, true, true) // twice is once
	s.Advance(10 * time.Minute)
	l, err := s.Other.Extend(s.ctx, l, long)
	s.must(err)
	s.parks(l, true)
	s.Advance(10 * time.Minute)
	s.parks(l, false, false)
	s.Advance(time.Minute)
	s.parks(l, true)
	s.Advance(10 * time.Minute)
	s.finish(l) // after one minute of work
	if got := s.job(j.ID); j.Tenant != "a" || got.Parked || !got.Claimed.IsZero() {
		s.Errorf("the job is %+v", got)
	}
	s.turns(2*time.Minute, "b a")
	again, _ := s.lend()
	if again.Parked || again.Claimed.IsZero() {
		s.Errorf("the next lease begins as %+v", again)
	}
}

// parks says so once for each value, and checks what others see.
func (s *suite) parks(l queue.Lease, values ...bool) {
	s.Helper()
	for _, parked := range values {
		s.must(s.Store.Park(s.ctx, l, parked))
		j := s.job(l.Job)
		p, err := s.Other.Pressure(s.ctx)
		s.must(err)
		if want := map[bool]int{true: 1}[parked]; j.Parked != parked || j.State != document.Leased || p.Depths[0].Parked != want || p.Depths[0].Leased != 1 {
			s.Fatalf("parked %v: the job is %+v, the depth %+v", parked, j, p.Depths[0])
		}
	}
}

// How long a tenant's jobs take is learnt from those that ended, and charged in advance.
func meansAreLearnt(s *suite) {
	ends := map[string]struct {
		end  func(queue.Lease)
		next string
	}{
		"finished": {s.finish, "a b b b"},
		"released": {func(l queue.Lease) {
			s.must(s.Store.Release(s.ctx, l, reason.SourceUnreadable, s.now(), event(receipt.Retried, l.Job)))
		}, "a a a a"},
	}
	for _, name := range []string{"released", "finished"} { // what was learnt stays
		c := ends[name]
		s.give("a", 30)
		for range 16 {
			_, l := s.lend()
			s.Advance(10 * time.Minute)
			c.end(l)
		}
		s.give("b", 9)
		s.turns(10*time.Minute, "b") // now b has had two minutes more
		var got []string
		for range strings.Fields(c.next) {
			j, _ := s.lend()
			got = append(got, string(j.Tenant))
		}
		if strings.Join(got, " ") != c.next {
			s.Errorf("%s: %v were lent", name, got)
		}
		s.empty()
	}
}

// A claim for a named job follows no order, and its tenant pays.
func namedClaimsPay(s *suite) {
	a := s.give("a", 9)
	b := s.give("b", 9)
	s.turn(10*time.Minute, a[5])
	if got := s.turn(time.Minute, b[4], a[4]); got != "a" {
		s.Fatalf("a job of %s was lent, which came later", got)
	}
	s.turns(3*time.Minute, "b b b b a") // 14.4 minutes against 11
}

// That a tenant has had much of one lane makes no difference in the other.
func lanesAreApart(s *suite) {
	for range 3 {
		j := interactive()
		j.Tenant = "a"
		s.enqueue(j)
	}
	s.give("a", 2)
	s.give("b", 2)
	for range 3 {
		_, l := s.claim(s.Store)
		s.Advance(lease / 2)
		s.finish(l)
	}
	s.turns(time.Minute, "a b a b")
	s.nothingReady()
}

func waitsTellsWhoWaits(s *suite) {
	waits := func(lane document.Lane, tenant document.Tenant, want bool) {
		s.Helper()
		got, err := s.Other.Waits(s.ctx, lane, tenant)
		s.must(err)
		if got != want {
			s.Errorf("waits for %s in %s: %v", tenant, lane, got)
		}
	}
	waits(document.Bulk, "a", false)
	s.give("a", 5)
	waits(document.Bulk, "a", false) // they are its own
	_, held := s.lend()
	waits(document.Bulk, "a", false)
	s.Advance(time.Minute)
	_, err := s.Store.Extend(s.ctx, held, long)
	s.must(err)
	s.give("b", 1)
	waits(document.Bulk, "a", true)
	waits(document.Bulk, "b", false) // a has had more
	waits(document.Interactive, "a", false)
	s.turns(time.Second, "b")
	waits(document.Bulk, "a", false)

	later := newJob()
	later.Tenant, later.NotBefore = "b", s.now().Add(time.Hour)
	s.enqueue(later)
	_, err = s.Store.Extend(s.ctx, held, long)
	s.must(err)
	waits(document.Bulk, "a", false)
	s.Advance(time.Hour)
	_, err = s.Store.Extend(s.ctx, held, long)
	s.must(err)
	waits(document.Bulk, "a", true)
	s.turns(time.Second, "b")
	waits(document.Bulk, "a", false)

	fast := interactive()
	fast.Tenant = "a"
	s.enqueue(fast)
	waits(document.Bulk, "a", true) // interactive jobs, its own as well, find a place
	waits(document.Bulk, "nobody", true)
	waits(document.Interactive, "a", false)
	s.told(receipt.Received, receipt.Received, receipt.Received, receipt.Received, receipt.Received, receipt.Claimed, receipt.Received,
		receipt.Claimed, receipt.RedactedKind, receipt.Received, receipt.Claimed, receipt.RedactedKind, receipt.Received)
}
