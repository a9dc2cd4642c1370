package worker

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"blotter/internal/document"
)

// waits is a store that knows only who has used less than whom.
type waits struct {
	Store
	others map[document.Tenant]bool // tenants behind others that wait
	err    error
}

func (w waits) Waits(_ context.Context, _ document.Lane, t document.Tenant) (bool, error) {
	return w.others[t], w.err
}

// taken takes a place or fails at once: in a bubble, waiting for ever is an error.
func taken(t *testing.T, s *Slots) *Place {
	t.Helper()
	p, err := s.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// rests parks a job of a tenant on a place and returns the channel of what came of it.
func rests(t *testing.T, ctx context.Context, p *Place, tenant document.Tenant) <-chan error {
	t.Helper()
	if !p.slots.seat() {
		t.Fatal("no seat")
	}
	out := make(chan error, 1)
	go func() { out <- p.rest(ctx, document.Bulk, tenant) }()
	synctest.Wait()
	return out
}

func TestParkedJobGivesItsPlaceOnAndGetsOneBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(1, 1, time.Second)
		w := &Worker{Store: waits{others: map[document.Tenant]bool{"importer": true}}}
		first := taken(t, s)
		out := rests(t, t.Context(), first, "importer")
		second := taken(t, s) // else the test would hang: the place was given on
		if s.Busy() != 1 || s.Parked() != 1 || s.seat() {
			t.Errorf("%d busy, %d parked", s.Busy(), s.Parked())
		}
		if w.Resume(t.Context(), second) {
			t.Error("a parked job went before one that had used less")
		}
		w.Store = waits{}
		if !w.Resume(t.Context(), second) || <-out != nil || !first.held || second.held {
			t.Error("the parked job did not get its place back")
		}
		second.Give() // holds nothing any more
		if s.Busy() != 1 {
			t.Errorf("%d busy", s.Busy())
		}
		first.Give()
		if s.Busy() != 0 || s.Parked() != 0 {
			t.Errorf("%d busy, %d parked at the end", s.Busy(), s.Parked())
		}
	})
}

func TestParkedJobWaitsOnlySoLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(1, 1, time.Second)
		w := &Worker{Store: waits{others: map[document.Tenant]bool{"importer": true}}}
		out := rests(t, t.Context(), taken(t, s), "importer")
		p := taken(t, s)
		time.Sleep(overdue * time.Second) // the bubble's clock
		if w.Resume(t.Context(), p) {
			t.Error("resumed at the bound, not past it")
		}
		time.Sleep(time.Millisecond)
		if !w.Resume(t.Context(), p) || <-out != nil {
			t.Error("an overdue job was not resumed")
		}
	})
}

func TestStoreThatDoesNotAnswerKeepsNobodyParked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(1, 1, time.Second)
		w := &Worker{Store: waits{err: errors.New("no answer")}}
		out := rests(t, t.Context(), taken(t, s), "importer")
		if !w.Resume(t.Context(), taken(t, s)) || <-out != nil {
			t.Error("still parked")
		}
	})
}

// The one whose tenant has used the least goes first; among equals, who has waited longest.
func TestResumesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(2, 2, time.Second)
		w := &Worker{Store: waits{others: map[document.Tenant]bool{"heavy": true}}}
		heavy := rests(t, t.Context(), taken(t, s), "heavy")
		light := rests(t, t.Context(), taken(t, s), "light")
		if !w.Resume(t.Context(), taken(t, s)) {
			t.Fatal("nobody resumed")
		}
		if err := <-light; err != nil || s.Parked() != 1 {
			t.Errorf("%v, %d parked", err, s.Parked())
		}
		w.Store = waits{}
		if !w.Resume(t.Context(), taken(t, s)) || <-heavy != nil {
			t.Error("the other was not resumed")
		}
	})
}

func TestParkedJobWhoseContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(1, 1, time.Second)
		lost := errors.New("lease lost")
		ctx, cancel := context.WithCancelCause(t.Context())
		first := taken(t, s)
		out := rests(t, ctx, first, "importer")
		cancel(lost)
		if err := <-out; !errors.Is(err, lost) || first.held {
			t.Errorf("%v, held %v", err, first.held)
		}
		if s.Parked() != 0 || s.Busy() != 0 || !s.seat() {
			t.Errorf("%d parked, %d busy", s.Parked(), s.Busy())
		}
	})
}

// When the node stops, parked jobs come to their end one after the other, and then the
// claimants do.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(1, 2, time.Second)
		places := []*Place{taken(t, s)}
		outs := []<-chan error{rests(t, t.Context(), places[0], "a")}
		places = append(places, taken(t, s))
		outs = append(outs, rests(t, t.Context(), places[1], "b"))
		s.Close()
		if s.seat() {
			t.Error("a job may park on a node that stops")
		}
		drained := make(chan struct{})
		go func() { s.Drain(t.Context()); close(drained) }()
		for i, out := range outs {
			if err := <-out; err != nil {
				t.Fatal(err)
			}
			places[i].Give()
		}
		<-drained
		if s.Busy() != 0 || s.Parked() != 0 {
			t.Errorf("%d busy, %d parked", s.Busy(), s.Parked())
		}
	})
}

// A seat that is reserved counts: its job is about to park, and must not be left behind.
func TestDrainWaitsForWhoIsAboutToPark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSlots(1, 1, time.Second)
		p := taken(t, s)
		if !s.seat() {
			t.Fatal("no seat")
		}
		s.Close()
		drained := make(chan struct{})
		go func() { s.Drain(t.Context()); close(drained) }()
		synctest.Wait()
		select {
		case <-drained:
			t.Fatal("left a job behind")
		default:
		}
		if err := p.rest(t.Context(), document.Bulk, "late"); err != nil {
			t.Fatal(err)
		}
		p.Give()
		<-drained
	})
}

func TestTakeEndsWithItsContext(t *testing.T) {
	s := NewSlots(1, 0, time.Second)
	taken(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Take(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if s.seat() {
		t.Error("a job may park where none may")
	}
}
