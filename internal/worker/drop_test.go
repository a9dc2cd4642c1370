package worker_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"blotter/internal/cell"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/sqlite"
	"blotter/internal/vault"
	"blotter/internal/worker"
	"blotter/receipt"
)

// cancel takes a job from whoever holds it, as the API does.
func (s *station) cancel(id document.ID) {
	s.Helper()
	_, err := s.db.Cancel(s.Context(), id, func(j queue.Job) receipt.Event {
		return receipt.Event{Kind: receipt.Cancelled, Job: string(j.ID), State: string(document.Cancelled), Reason: string(reason.JobCancelled)}
	})
	s.must(err)
}

// wroteNothing holds for a job that was cancelled while an attempt was under way.
func (s *station) wroteNothing(id document.ID) {
	s.Helper()
	if j := s.job(id); j.State != document.Sealing || j.Target != document.Cancelled || j.Reason != reason.JobCancelled || j.Result != nil {
		s.Errorf("the job is %+v", j)
	}
	blobs, err := s.vault.List(s.Context(), id)
	s.must(err)
	if n := s.count(receipt.RedactedKind) + s.count(receipt.RejectedKind) + s.count(receipt.Retried) + s.count(receipt.Deleted); n != 0 || len(blobs) != 0 {
		s.Errorf("it told %v and left %d blobs", s.kinds(), len(blobs))
	}
	s.noCopyLeft()
}

// A job that is cancelled while its cell works: the cell is told at once, and when wait
// returns the working copy is gone and nothing more is written. A blob under way is
// thrown away.
func TestDropEndsTheAttemptAtOnce(t *testing.T) {
	s := newStation(t)
	id, other := s.enqueue(nil), document.NewID()
	working := make(chan struct{})
	s.play = func(ctx context.Context, sink cell.Sink) error {
		w, err := sink.Blob(1, false)
		s.must(err)
		_, err = w.Write(picture)
		s.must(err)
		close(working)
		<-ctx.Done() // as a cell that is killed
		if cause := context.Cause(ctx); !errors.Is(cause, queue.ErrLeaseLost) {
			t.Errorf("it was stopped for %v", cause)
		}
		return errors.Join(ctx.Err(), w.Close())
	}
	ended := make(chan error)
	go func() {
		_, err := s.Next(t.Context(), worker.Want{})
		ended <- err
	}()
	<-working
	s.Drop(other)() // of a job that is not worked on: nothing happens
	s.cancel(id)
	s.Drop(id)()
	s.wroteNothing(id)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	s.Drop(id)()
}

// claiming is a store that does something as soon as a claim is on disk.
type claiming struct {
	*sqlite.DB
	then func(document.ID)
}

func (c claiming) Claim(ctx context.Context, q queue.Claim, event func(queue.Job) receipt.Event) (queue.Job, error) {
	j, err := c.DB.Claim(ctx, q, event)
	c.then(j.ID)
	return j, err
}

// A job that is cancelled between its claim and its attempt is found too.
func TestDropMeetsAClaim(t *testing.T) {
	s := newStation(t)
	id := s.enqueue(nil)
	var waits []func()
	s.Store = claiming{s.db, func(document.ID) {
		s.cancel(id)
		waits = append(waits, s.Drop(id), s.Drop(document.NewID())) // the second for a job that nobody claims
	}}
	s.play = func(context.Context, cell.Sink) error {
		t.Error("a cell was started")
		return nil
	}
	s.must(s.next())
	for _, wait := range waits {
		wait()
	}
	s.wroteNothing(id)
	if s.count(receipt.Staged) != 0 {
		t.Errorf("told %v", s.kinds())
	}
}

// The worker goes on with the next job, and a job that was dropped without being
// cancelled is the next one's once its lease has run out.
func TestDroppedJobIsAnothers(t *testing.T) {
	s := newStation(t)
	id := s.enqueue(nil)
	s.play = func(ctx context.Context, sink cell.Sink) error {
		s.Drop(id)
		<-ctx.Done()
		return ctx.Err()
	}
	s.must(s.next())
	if j := s.job(id); j.State != document.Leased || slices.Contains(s.kinds(), receipt.Retried) {
		t.Errorf("the job is %+v, told %v", j, s.kinds())
	}
	s.play = redacts
	s.offset += leaseTime
	s.must(s.ExpireLeases(t.Context()))
	s.must(s.next())
	s.ended(id, document.Released, "")
	if !s.hasKey(id, vault.Derivative) {
		t.Error("no derivative")
	}
}
