package queue_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"blotter/internal/queue"
	"blotter/internal/reason"
)

// extender answers heartbeats by a script; the clock is that of the synctest bubble.
type extender struct {
	beats  int
	answer func(ctx context.Context, beat int) error
}

func (e *extender) Extend(ctx context.Context, l queue.Lease, d time.Duration) (queue.Lease, error) {
	e.beats++
	if err := e.answer(ctx, e.beats); err != nil {
		return queue.Lease{}, err
	}
	return l, nil
}

const (
	length = 9 * time.Second
	every  = 3 * time.Second
)

// keepUntil runs Keep for the given time or until it gives up, and returns after how
// long that was and why.
func keepUntil(e *extender, atMost time.Duration) (took time.Duration, cause error) {
	start := time.Now()
	ctx, stop := queue.Keep(context.Background(), e, queue.Lease{}, length, every)
	defer stop()
	select {
	case <-ctx.Done():
	case <-time.After(atMost):
	}
	return time.Since(start), context.Cause(ctx)
}

func TestKeepBeatsUntilStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &extender{answer: func(context.Context, int) error { return nil }}
		took, cause := keepUntil(e, time.Minute+time.Second)
		if cause != nil || took != time.Minute+time.Second || e.beats != 20 {
			t.Errorf("%d beats in %v, ended by %v", e.beats, took, cause)
		}
	})
}

func TestKeepStopsAtOnceWhenLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &extender{answer: func(_ context.Context, beat int) error {
			if beat == 3 {
				return fmt.Errorf("wrapped: %w", queue.ErrLeaseLost)
			}
			return nil
		}}
		took, cause := keepUntil(e, time.Hour)
		if took != 3*every || !errors.Is(cause, queue.ErrLeaseLost) || reason.Of(cause) != reason.QueueLeaseLost {
			t.Errorf("ended after %v by %v", took, cause)
		}
	})
}

func TestKeepOutlivesABusyStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &extender{answer: func(_ context.Context, beat int) error {
			if beat%3 != 0 {
				return reason.Because(reason.QueueBusy, nil)
			}
			return nil
		}}
		if took, cause := keepUntil(e, time.Minute); cause != nil {
			t.Errorf("ended after %v by %v", took, cause)
		}
	})
}

func TestKeepGivesUpWithTheLease(t *testing.T) {
	for name, answer := range map[string]func(context.Context, int) error{
		"store refuses": func(context.Context, int) error { return errors.New("no") },
		"store hangs":   func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				took, cause := keepUntil(&extender{answer: answer}, time.Hour)
				if took < length-every || took > length || !errors.Is(cause, queue.ErrLeaseLost) {
					t.Errorf("ended after %v by %v; the lease was %v long", took, cause, length)
				}
			})
		})
	}
}

func TestKeepStopWaitsForTheLastBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := false
		e := &extender{answer: func(ctx context.Context, _ int) error {
			<-ctx.Done()
			time.Sleep(time.Second) // in the bubble's time: a store that is slow to let go
			over = true
			return ctx.Err()
		}}
		ctx, stop := queue.Keep(context.Background(), e, queue.Lease{}, length, every)
		time.Sleep(every + time.Millisecond)
		stop()
		stop()
		if !over || !errors.Is(context.Cause(ctx), context.Canceled) {
			t.Errorf("stopped with a heartbeat under way, cause %v", context.Cause(ctx))
		}
	})
}

func TestKeepFollowsItsParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithCancelCause(context.Background())
		ctx, stop := queue.Keep(parent, &extender{}, queue.Lease{}, length, every)
		defer stop()
		want := errors.New("shutting down")
		cancel(want)
		<-ctx.Done()
		if got := context.Cause(ctx); !errors.Is(got, want) {
			t.Errorf("cause %v", got)
		}
	})
}
