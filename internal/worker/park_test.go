package worker_test

import (
	"context"
	"errors"
	"testing"

	"blotter/internal/cell"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/worker"
)

// givesWay is a cell that asks between two images whether it may go on, as a real one does.
func givesWay(rested chan<- struct{}) cells {
	return func(ctx context.Context, s cell.Sink) error {
		if rest := s.(cell.Background).Between(); rest != nil {
			if rested != nil {
				close(rested)
			}
			if err := rest(ctx); err != nil {
				return err
			}
		}
		return redacts(ctx, s)
	}
}

func bulkOf(tenant document.Tenant) func(*queue.Job) {
	return func(j *queue.Job) { j.Tenant = tenant }
}

// claim claims with a place of the slots, as a claimant does, and has given it back when it
// tells how that ended.
func (s *station) claim(slots *worker.Slots) <-chan error {
	out := make(chan error, 1)
	go func() {
		place, err := slots.Take(s.Context())
		if err == nil {
			_, err = s.Next(s.Context(), worker.Want{Place: place})
			place.Give()
		}
		out <- err
	}()
	return out
}

// A bulk job over its quantum lets another tenant's job go first, in its own place, and
// comes to its end afterwards without a second attempt.
func TestBulkJobParksForAnother(t *testing.T) {
	s := newStation(t)
	slots := worker.NewSlots(1, 1, 0)
	rested := make(chan struct{})
	var other document.ID
	s.play = func(ctx context.Context, k cell.Sink) error {
		other = s.enqueue(bulkOf("other"))
		s.play = redacts
		return givesWay(rested)(ctx, k)
	}
	importer := s.enqueue(bulkOf("importer"))
	imported := s.claim(slots)
	<-rested
	s.must(<-s.claim(slots)) // would wait for ever if the place had not been given on
	if j := s.job(other); j.State != document.Sealing {
		t.Errorf("the other's job is %s", j.State)
	}
	if j := s.job(importer); j.State != document.Leased || !j.Parked {
		t.Errorf("the importer's job is %s, parked %v", j.State, j.Parked)
	}
	place, err := slots.Take(t.Context())
	s.must(err)
	if !s.Resume(t.Context(), place) {
		t.Fatal("the parked job did not go on although nobody waits")
	}
	s.must(<-imported)
	if j := s.job(importer); j.State != document.Sealing || j.Attempt != 1 || j.Parked {
		t.Errorf("the importer's job is %s at attempt %d, parked %v", j.State, j.Attempt, j.Parked)
	}
	if slots.Busy() != 0 || slots.Parked() != 0 {
		t.Errorf("%d busy, %d parked at the end", slots.Busy(), slots.Parked())
	}
}

func TestWhoDoesNotPark(t *testing.T) {
	for name, c := range map[string]struct {
		job   func(*queue.Job)
		other func(*queue.Job) // nil: nobody waits
		slots *worker.Slots
	}{
		"an interactive job":      {func(j *queue.Job) { j.Lane = document.Interactive }, bulkOf("other"), worker.NewSlots(1, 1, 0)},
		"nobody waits":            {bulkOf("importer"), nil, worker.NewSlots(1, 1, 0)},
		"within its quantum":      {bulkOf("importer"), bulkOf("other"), worker.NewSlots(1, 1, leaseTime)},
		"no room for another one": {bulkOf("importer"), bulkOf("other"), worker.NewSlots(1, 0, 0)},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStation(t)
			s.play = func(ctx context.Context, k cell.Sink) error {
				if c.other != nil {
					s.enqueue(c.other)
				}
				if k.(cell.Background).Between() != nil {
					t.Error("it parks")
				}
				return redacts(ctx, k)
			}
			s.enqueue(c.job)
			s.must(<-s.claim(c.slots))
		})
	}
}

// A parked job whose lease is lost ends like one that computes.
func TestParkedJobIsDropped(t *testing.T) {
	s := newStation(t)
	slots := worker.NewSlots(1, 1, 0)
	rested := make(chan struct{})
	var id document.ID
	s.play = func(ctx context.Context, k cell.Sink) error {
		s.enqueue(bulkOf("other"))
		return givesWay(rested)(ctx, k)
	}
	id = s.enqueue(bulkOf("importer"))
	ended := s.claim(slots)
	<-rested
	for slots.Parked() == 0 { // it has said so to the store by now, or is about to
		place, err := slots.Take(t.Context())
		s.must(err)
		place.Give()
	}
	s.Drop(id)()
	s.must(<-ended)
	if slots.Busy() != 0 || slots.Parked() != 0 {
		t.Errorf("%d busy, %d parked", slots.Busy(), slots.Parked())
	}
}

// A cell that dies before it stands still leaves no seat taken, which the places would wait
// for when the node stops.
func TestCellThatDiesBeforeItRestsLeavesNoSeat(t *testing.T) {
	s := newStation(t)
	slots := worker.NewSlots(1, 1, 0)
	s.play = func(_ context.Context, k cell.Sink) error {
		s.enqueue(bulkOf("other"))
		if k.(cell.Background).Between() == nil {
			t.Error("it does not give way")
		}
		return reason.Because(reason.CellCrashed, nil)
	}
	s.enqueue(bulkOf("importer"))
	s.must(<-s.claim(slots))
	slots.Close()
	slots.Drain(t.Context()) // would last as long as the test
	if t.Context().Err() != nil || slots.Busy() != 0 {
		t.Errorf("%d busy at the end", slots.Busy())
	}
}

func TestBulkComputesAtALowerPriority(t *testing.T) {
	for lane, want := range map[document.Lane]int{document.Bulk: 7, document.Interactive: 0} {
		s := newStation(t)
		s.Config.BulkNice = 7
		s.play = func(ctx context.Context, k cell.Sink) error {
			if got := k.(cell.Background).Nice(); got != want {
				t.Errorf("%s: nice %d, want %d", lane, got, want)
			}
			return redacts(ctx, k)
		}
		s.enqueue(func(j *queue.Job) { j.Lane = lane })
		s.must(<-s.claim(worker.NewSlots(1, 0, 0)))
	}
}

// A store that asks to be left alone is left alone that long, up to the cap.
func TestRetryAfterIsHonoured(t *testing.T) {
	s := newStation(t)
	s.Config.Backoff = queue.Backoff{Base: 1, Cap: 2 * leaseTime, Attempts: 2}
	s.play = func(context.Context, cell.Sink) error {
		return &reason.Error{Code: reason.SourceUnreadable, Err: errors.New("busy"), After: leaseTime}
	}
	id := s.enqueue(nil)
	now, err := s.db.Now(t.Context())
	s.must(err)
	_, err = s.Next(t.Context(), worker.Want{})
	s.must(err)
	if j := s.job(id); j.State != document.Queued || j.NotBefore.Sub(now) < leaseTime {
		t.Errorf("%s, not before %v from now", j.State, j.NotBefore.Sub(now))
	}
}
