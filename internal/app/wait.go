package app

import (
	"context"
	"errors"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
)

// interval is how often waiting looks again: for another process's work, for a lease
// that runs out, for the end of a pause.
const interval = 20 * time.Millisecond

// patience is how long a store or a signer may fail, or not answer, before the command
// gives up. A busy neighbour's transactions take milliseconds.
const patience = time.Minute

// errSealing says that a result waited for its signature in vain: the process that
// holds the signing key is frozen, or cannot write.
var errSealing = reason.Because(reason.AuditUnavailable, errors.New("app: no checkpoint came"))

// trouble is a run of failures. Its zero value is none.
type trouble struct {
	since   time.Time
	endless bool // a service does not give up on what passes: readiness and metrics say that it waits

	outages *outages // who is told of it; nil: nobody
	what    string   // is done
}

// troubles is what becomes of failures at something that the process does over and over.
func (s *Station) troubles(what string) trouble {
	return trouble{endless: s.endless, outages: &s.outages, what: what}
}

func (t *trouble) over() {
	t.since = time.Time{}
	t.tell(nil)
}

func (t *trouble) tell(err error) {
	if t.outages != nil {
		t.outages.note(t.what, err)
	}
}

// met notes a failure, or, with nil, that there was none. It returns the error when
// waiting will not help, or has lasted too long.
func (t *trouble) met(err error) error {
	if err == nil {
		t.over()
		return nil
	}
	if t.since.IsZero() {
		t.since = time.Now()
	}
	if reason.Must(reason.Of(err)).Class != reason.Transient || (!t.endless && time.Since(t.since) > patience) {
		return err
	}
	t.tell(err)
	return nil
}

// await waits for a job's end and returns it, with how long its seal took as far as
// this process saw it.
func (s *Station) await(ctx context.Context, id document.ID) (queue.Job, time.Duration, error) {
	again := time.NewTicker(interval)
	defer again.Stop()
	var reading, sealing trouble
	for {
		j, err := s.store.Job(ctx, id)
		if err := reading.met(err); err != nil {
			return queue.Job{}, 0, err
		}
		switch {
		case err == nil && j.State.Ended():
			return j, sealing.lasted(), nil
		case err == nil && j.State == document.Sealing:
			if err := sealing.met(errSealing); err != nil {
				return queue.Job{}, 0, err
			}
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return queue.Job{}, 0, context.Cause(ctx)
		}
	}
}

func (t *trouble) lasted() time.Duration {
	if t.since.IsZero() {
		return 0
	}
	return time.Since(t.since)
}

// drain waits until the events that are in the outbox now are sealed, so that nothing
// that was done before is missing from the trail.
func (s *Station) drain(ctx context.Context) error {
	again := time.NewTicker(interval)
	defer again.Stop()
	s.wakeSequencer()
	last := int64(0) // up to which to wait; 0 before it is known
	var t trouble
	for {
		oldest, newest, err := s.store.Waiting(ctx)
		if err == nil && last == 0 {
			last = newest
		}
		if err == nil && (oldest == 0 || oldest > last) {
			return nil
		}
		if err == nil {
			err = errSealing
		}
		if err := t.met(err); err != nil {
			return err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
