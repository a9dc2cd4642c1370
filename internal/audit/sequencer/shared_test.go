package sequencer_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"blotter/internal/audit"
	"blotter/internal/objectstore/objectstoretest"
	"blotter/internal/reason"
)

// pause is where one is paused amid its work.
type pause struct {
	name, what string
	before     bool
}

var pauses = []pause{{"before its record", "put", true}, {"between record and log", "append", true}, {"after the log", "append", false}}

// One is paused amid its work, at each point and from the log's first entry on; another
// takes over and signs a little or, so that records are pruned, a lot; then the first one
// goes on as if nothing had been.
func TestPausedSequencerIsResurrected(t *testing.T) {
	for _, point := range pauses {
		for _, batches := range []int{0, 1, 3, 100} {
			for _, first := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s, %d batches, first start %v", point.name, batches, first), func(t *testing.T) {
					newFleet(t).resurrect(point, batches, first)
				})
			}
		}
	}
}

func TestPausedSequencerOnARealStore(t *testing.T) {
	for _, point := range pauses {
		url, ok := objectstoretest.Real(t)
		if !ok {
			t.Skip("set " + objectstoretest.Variable + " to try a real store")
		}
		newFleetAt(t, url).resurrect(point, 3, true)
	}
}

func (f *fleet) resurrect(point pause, batches int, first bool) {
	f.t.Helper()
	a, b := f.host(), f.host()
	if !first {
		a.mustOpen()
		f.receive(1)
		a.seal()
	}
	takeOver := func() {
		b.mustOpen()
		for range batches {
			f.receive(1)
			b.seal()
		}
	}
	paused := false
	a.around = func(what string, write func() error) error {
		if what != point.what || paused {
			return write()
		}
		paused = true
		if point.before {
			takeOver()
			return write()
		}
		defer takeOver()
		return write()
	}
	f.receive(2)
	if first {
		for range 3 { // finds the numbers taken, or the log moved
			if a.open() == nil {
				break
			}
		}
	}
	a.step()
	f.receive(2)
	a.seal()
	f.receive(1)
	b.seal()
	if !paused {
		f.t.Fatal("never paused")
	}
	f.whole(a.seq.Trust())
	f.whole(b.seq.Trust())
}

// Writes fail at random, done or not, or another host works amid them, which may meet the
// same. Whatever the order, all events are sealed once.
func TestRandomTroubleAmongThree(t *testing.T) {
	for seed := range uint64(25) {
		f := newFleet(t)
		r := rand.New(rand.NewPCG(seed, 0))
		hosts := []*host{f.host(), f.host(), f.host()}
		depth := 0
		for _, h := range hosts {
			h.mustOpen()
			h.around = func(what string, write func() error) error {
				if what == "pending" {
					return write()
				}
				switch r.IntN(6) {
				case 0:
					return errInjected
				case 1:
					return errors.Join(write(), errInjected)
				case 2, 3:
					other := hosts[r.IntN(3)]
					if other == h || depth > 0 { // one that waits for itself would wait for ever
						return write()
					}
					depth++
					for range 1 + r.IntN(3) {
						f.receive(1)
						other.step()
					}
					depth--
				}
				return write()
			}
		}
		for range 30 {
			f.receive(r.IntN(3))
			hosts[r.IntN(3)].step()
		}
		for _, h := range hosts {
			h.around = nil
			h.seal()
		}
		f.whole(hosts[0].seq.Trust())
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// All at once, as two processes do that both take themselves for the elected one.
func TestSequencersAtOnce(t *testing.T) {
	f := newFleet(t)
	var hosts [3]*host
	for i := range hosts {
		hosts[i] = f.host()
		hosts[i].mustOpen()
	}
	f.receive(300)
	var wg sync.WaitGroup
	for _, h := range hosts {
		wg.Go(func() {
			for {
				waiting, err := f.log.Pending(t.Context(), 1)
				if err != nil || len(waiting) == 0 {
					return
				}
				if _, err := h.seq.Step(t.Context()); reason.Of(err) == reason.AuditRollback {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	f.whole(hosts[0].seq.Trust())
}

// A database that was restored is refused by every host, whether it ran meanwhile or not.
func TestRestoredBackupIsRefusedByAll(t *testing.T) {
	f := newFleet(t)
	a, b := f.host(), f.host()
	a.mustOpen()
	b.mustOpen()
	f.receive(1)
	a.seal()
	backup := f.log.copy()
	for range 3 {
		f.receive(1)
		a.seal()
	}
	newest := f.log.copy()
	f.log.restore(backup)
	f.log.put(event("fork"))
	for name, h := range map[string]*host{"the one that signed": a, "another": b} {
		_, err := h.seq.Step(t.Context())
		if err == nil {
			t.Fatalf("%s signed on an older log", name)
		}
		_, err = h.seq.Step(t.Context())
		wantRollback(t, name, err)
	}
	wantRollback(t, "a third", f.host().open())
	if len(f.log.entries) != len(backup.entries) {
		t.Error("something was appended to the older log")
	}
	f.log.restore(newest)
	f.receive(1)
	b.seal()
	f.whole(b.seq.Trust())
}

// The records lost, or another bucket: nothing is signed, by nobody.
func TestAnotherBucketIsRefused(t *testing.T) {
	f := newFleet(t)
	a := f.host()
	a.mustOpen()
	f.receive(1)
	a.seal()
	f.objects = f.objects.Under("elsewhere")
	wantRollback(t, "without records", f.host().open())
}

// In a restored database the same number may name another event than the one that was
// signed and not appended.
func TestSignedEventThatIsGone(t *testing.T) {
	f := newFleet(t)
	a := f.host()
	a.mustOpen()
	f.receive(1)
	a.around = func(what string, write func() error) error {
		if what == "append" {
			return errInjected
		}
		return write()
	}
	a.step()
	f.log.outbox[0].Event = event("other")
	wantRollback(t, "another event under the number", f.host().open())
}

// The events of a signed batch need not be the oldest by the time it is taken over.
func TestEarlierEventsThatCameLater(t *testing.T) {
	f := newFleet(t)
	a, b := f.host(), f.host()
	a.mustOpen()
	late := audit.Pending{ID: 1, Event: event("late")}
	f.log.lastID = 1
	f.log.put(event("early"))
	a.around = func(what string, write func() error) error {
		if what == "append" {
			return errInjected
		}
		return write()
	}
	a.step()
	f.log.outbox = append([]audit.Pending{late}, f.log.outbox...)
	b.mustOpen()
	b.seal()
	if got := check(t, f.log, b.seq.Trust()); !slices.Equal(got, []string{"early", "late"}) {
		t.Errorf("sealed %v", got)
	}
}

// While one takes up what another has signed, the other goes on after all.
func TestPausedSequencerGoesOnDuringTheReplay(t *testing.T) {
	f := newFleet(t)
	a, b := f.host(), f.host()
	a.mustOpen()
	f.receive(2)
	met := false
	a.around = func(what string, write func() error) error {
		if what != "append" {
			return write()
		}
		var appended error
		b.around = func(what string, look func() error) error {
			if what == "pending" && !met {
				met, appended = true, write()
			}
			return look()
		}
		if err := b.open(); err == nil || reason.Of(err) == reason.AuditRollback {
			t.Errorf("b met %v", err)
		}
		return appended
	}
	if a.step() == 0 || !met {
		t.Errorf("a sealed nothing, or b never looked: %v", met)
	}
	b.mustOpen()
	f.receive(1)
	b.seal()
	f.whole(b.seq.Trust())
}
