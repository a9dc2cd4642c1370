package worker_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"blotter/internal/cell"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/worker"
	"blotter/receipt"
)

// watched is a store that tells of each expiry that is set later, or refuses to.
type watched struct {
	worker.Store
	refuse  error
	expires chan time.Time // of every copy that was staged or prolonged
}

func (w watched) Stage(ctx context.Context, l queue.Lease, c queue.WorkingCopy, e receipt.Event) error {
	w.expires <- c.Expires
	return w.Store.Stage(ctx, l, c, e)
}

func (w watched) Prolong(ctx context.Context, l queue.Lease, id string, expires time.Time, e receipt.Event) error {
	if w.refuse != nil {
		return w.refuse
	}
	err := w.Store.Prolong(ctx, l, id, expires, e)
	if err == nil {
		select {
		case w.expires <- expires:
		default: // the test has seen enough
		}
	}
	return err
}

// parks has a bulk job park, with the time that its copy's expiry leaves for it.
func parks(t *testing.T, ahead time.Duration, refuse error) (s *station, w watched, slots *worker.Slots, id document.ID, ended <-chan error) {
	s = newStation(t)
	w = watched{s.db, refuse, make(chan time.Time, 4)}
	s.Store, s.Config.ParkedAhead = w, ahead
	slots = worker.NewSlots(1, 1, 0)
	s.play = func(ctx context.Context, k cell.Sink) error {
		s.enqueue(bulkOf("other"))
		s.play = redacts
		return givesWay(nil)(ctx, k)
	}
	id = s.enqueue(bulkOf("importer"))
	return s, w, slots, id, s.claim(slots)
}

// The working copy of a parked job is never older than its record says: the expiry moves
// on, on record, as long as the job is parked.
func TestParkedJobsCopyExpiresLater(t *testing.T) {
	const ahead = 20 * time.Millisecond
	s, w, slots, id, ended := parks(t, ahead, nil)
	last := <-w.expires
	for range 3 {
		next := <-w.expires
		if next.Sub(last) != ahead {
			t.Errorf("the expiry moved by %v, not %v", next.Sub(last), ahead)
		}
		last = next
	}
	copies, err := s.db.Staged(t.Context(), "")
	s.must(err)
	if len(copies) != 1 || copies[0].Expires.Before(last) {
		t.Errorf("on the list are %+v, not one until %v", copies, last)
	}
	s.must(<-s.claim(slots)) // the other's
	place, err := slots.Take(t.Context())
	s.must(err)
	if !s.Resume(t.Context(), place) {
		t.Fatal("the parked job did not go on")
	}
	s.must(<-ended)
	if j := s.job(id); j.State != document.Sealing || j.Attempt != 1 {
		t.Errorf("the job is %s at attempt %d", j.State, j.Attempt)
	}
	if n := s.count(receipt.Extended); n < 3 {
		t.Errorf("%d extensions are in the trail", n)
	}
	s.noCopyLeft()
}

// Where the expiry cannot be set later in time, the attempt ends before it, and takes the
// copy with it.
func TestParkedJobEndsBeforeItsCopyExpires(t *testing.T) {
	for name, refuse := range map[string]error{
		"a store that stays away": reason.Because(reason.QueueBusy, errors.New("away")), "a lost lease": queue.ErrLeaseLost,
	} {
		t.Run(name, func(t *testing.T) {
			s, w, _, id, ended := parks(t, 20*time.Millisecond, refuse)
			expires := <-w.expires
			s.must(<-ended)
			now, err := s.db.Now(t.Context())
			s.must(err)
			if !now.Before(expires) {
				t.Error("it ended after the copy's expiry")
			}
			if j := s.job(id); j.State == document.Sealing {
				t.Error("the job came to its end")
			}
			s.noCopyLeft()
		})
	}
}
