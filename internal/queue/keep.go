package queue

import (
	"context"
	"errors"
	"time"
)

// Extender is the part of a Store that a heartbeat needs.
type Extender interface {
	Extend(ctx context.Context, l Lease, d time.Duration) (Lease, error)
}

// Keep sends heartbeats for a lease of length d, one every so often, until stop is
// called. It returns a context that work under the lease runs in: it is cancelled with
// the cause ErrLeaseLost as soon as the store says that the lease is lost, or once no
// heartbeat has succeeded for the whole length of the lease by this process's monotonic
// clock, so that a worker cut off from its store stops about when another may begin.
// That clock only stops work early; what may be written is decided by the store's.
//
// stop ends the heartbeats, cancels the context, and returns when no heartbeat is under
// way any more. It may be called more than once.
func Keep(ctx context.Context, s Extender, l Lease, d, every time.Duration) (kept context.Context, stop func()) {
	kept, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		cancel(beat(kept, s, l, d, every))
	}()
	return kept, func() {
		cancel(context.Canceled)
		<-done
	}
}

// leastWait keeps heartbeats to a busy store from becoming a flood as the end comes near.
const leastWait = 10 * time.Millisecond

// beat returns why the heartbeats ended.
func beat(ctx context.Context, s Extender, l Lease, d, every time.Duration) error {
	deadline := time.Now().Add(d)
	for wait := every; ; {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
		started := time.Now()
		call, cancel := context.WithDeadline(ctx, deadline)
		_, err := s.Extend(call, l, d)
		cancel()
		switch {
		case err == nil:
			deadline, wait = started.Add(d), every
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, ErrLeaseLost), !time.Now().Before(deadline):
			return ErrLeaseLost
		default: // a busy store: try again soon, and at the deadline for the last time
			left := time.Until(deadline)
			wait = min(every, max(left/2, leastWait), left)
		}
	}
}
