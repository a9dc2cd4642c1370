package queue_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
)

var backoff = queue.Backoff{Base: time.Second, Cap: 10 * time.Second, Attempts: 4}

func TestCeilingDoublesUpToTheCap(t *testing.T) {
	for attempt, want := range map[int]time.Duration{
		1: time.Second, 2: 2 * time.Second, 3: 4 * time.Second, 4: 8 * time.Second, 5: 10 * time.Second, 1000: 10 * time.Second,
	} {
		if got := backoff.Ceiling(attempt); got != want {
			t.Errorf("attempt %d: %v, want %v", attempt, got, want)
		}
	}
}

func TestPauseIsDrawnFromTheWholeRange(t *testing.T) {
	for share, want := range map[float64]time.Duration{0: 0, 0.5: 2 * time.Second, 0.999: 3996 * time.Millisecond} {
		if got := backoff.Pause(3, func() float64 { return share }); got != want {
			t.Errorf("%v of the range gave %v, want %v", share, got, want)
		}
	}
}

func TestPauseStaysInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := queue.Backoff{Base: time.Duration(rapid.Int64Range(1, 1<<62).Draw(t, "base")), Attempts: 1}
		b.Cap = time.Duration(rapid.Int64Range(int64(b.Base), 1<<62).Draw(t, "cap"))
		attempt := rapid.IntRange(1, 10000).Draw(t, "attempt")
		if c := b.Ceiling(attempt); c < b.Base || c > b.Cap {
			t.Fatalf("the ceiling is %v", c)
		}
		if p := b.Pause(attempt, nil); p < 0 || p > b.Cap {
			t.Fatalf("the pause is %v", p)
		}
	})
}

func TestDecide(t *testing.T) {
	half := func() float64 { return 0.5 }
	for _, c := range []struct {
		why     reason.Code
		attempt int
		want    queue.Verdict
	}{
		{reason.SourceUnreadable, 1, queue.Verdict{State: document.Queued, After: 500 * time.Millisecond}},
		{reason.SourceUnreadable, 3, queue.Verdict{State: document.Queued, After: 2 * time.Second}},
		{reason.SourceUnreadable, 4, queue.Verdict{State: document.Dead}},
		{reason.SourceUnreadable, 9, queue.Verdict{State: document.Dead}},
		{reason.SniffUnsupported, 1, queue.Verdict{State: document.Rejected}},
		{reason.CellMemory, 1, queue.Verdict{State: document.Rejected}},
		{reason.CellCrashed, 1, queue.Verdict{State: document.Rejected}},
		{reason.CellKilled, 1, queue.Verdict{State: document.Queued, After: 500 * time.Millisecond}},
		{reason.CellEngines, 1, queue.Verdict{State: document.Dead}},
		{"no.such_code", 1, queue.Verdict{State: document.Queued, After: 500 * time.Millisecond}},
	} {
		if got := queue.Decide(c.why, c.attempt, backoff, half); got != c.want {
			t.Errorf("%s at attempt %d: %+v, want %+v", c.why, c.attempt, got, c.want)
		}
	}
}

// What is the document's own fault is never tried again,
// and nothing is tried for ever.
func TestEveryCodeComesToAnEnd(t *testing.T) {
	for _, e := range reason.Table() {
		first := queue.Decide(e.Code, 1, backoff, nil).State
		if retried := first == document.Queued; retried != (e.Class == reason.Transient) {
			t.Errorf("%s, which is %s, becomes %s", e.Code, e.Class, first)
		}
		if last := queue.Decide(e.Code, backoff.Attempts, backoff, nil).State; !last.Ended() {
			t.Errorf("%s becomes %s after the last attempt", e.Code, last)
		}
	}
}

func TestUsedUp(t *testing.T) {
	if backoff.UsedUp(4) || !backoff.UsedUp(5) {
		t.Error("four attempts are four claims")
	}
}

func TestBackoffValidate(t *testing.T) {
	if err := queue.DefaultBackoff.Validate(); err != nil {
		t.Error(err)
	}
	for _, b := range []queue.Backoff{{}, {Base: 2, Cap: 1, Attempts: 1}, {Base: 1, Cap: 1}, {Cap: 1, Attempts: 1}} {
		if b.Validate() == nil {
			t.Errorf("%+v was accepted", b)
		}
	}
}
