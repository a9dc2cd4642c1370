package queue

import (
	"errors"
	"math/rand/v2"
	"time"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// Backoff says how often and how soon a transient failure is tried again. Pauses grow
// exponentially with full jitter: the pause after attempt n is drawn evenly from zero
// to the lesser of Cap and Base × 2ⁿ⁻¹, so that jobs that failed together do not come
// back together (AWS Architecture Blog, "Exponential Backoff And Jitter", 2015).
type Backoff struct {
	Base     time.Duration // upper bound of the first pause; > 0
	Cap      time.Duration // upper bound of every pause; ≥ Base
	Attempts int           // claims in all, the first included; ≥ 1
}

// DefaultBackoff tries five times within at most 75 seconds: 5 + 10 + 20 + 40 s is the
// longest sum of its pauses. Longer outages are the operator's business, who replays.
var DefaultBackoff = Backoff{Base: 5 * time.Second, Cap: 5 * time.Minute, Attempts: 5}

// Validate reports every value that is out of range.
func (b Backoff) Validate() error {
	var problems []error
	if b.Base <= 0 {
		problems = append(problems, errors.New("the base of the backoff must be positive"))
	}
	if b.Cap < b.Base {
		problems = append(problems, errors.New("the cap of the backoff must not be less than its base"))
	}
	if b.Attempts < 1 {
		problems = append(problems, errors.New("a job needs at least one attempt"))
	}
	return errors.Join(problems...)
}

// Ceiling is the longest pause after the given attempt, counted from 1.
func (b Backoff) Ceiling(attempt int) time.Duration {
	pause := b.Base
	for range attempt - 1 {
		if pause >= b.Cap/2 {
			return b.Cap
		}
		pause *= 2
	}
	return min(pause, b.Cap)
}

// Pause draws the pause after the given attempt. random returns a number in [0, 1);
// nil stands for the process's own source.
func (b Backoff) Pause(attempt int, random func() float64) time.Duration {
	if random == nil {
		random = rand.Float64
	}
	return time.Duration(random() * float64(b.Ceiling(attempt)))
}

// UsedUp reports whether a job that was claimed this many times may not be opened any
// more: leases that ran out count as attempts, so that a document that takes its worker
// down is not lent for ever. A worker that claims such a job ends it as dead with
// reason.QueueAttempts.
func (b Backoff) UsedUp(claims int) bool { return claims > b.Attempts }

// Verdict is what becomes of a failed attempt.
type Verdict struct {
	State document.State // Queued (try again), Rejected or Dead
	After time.Duration  // pause before the next attempt; only with Queued
}

// Decide says what becomes of a job whose given attempt, counted from 1, failed for
// why. The class of the code alone decides (mission line M9): permanent ones reject at
// once; transient ones are tried again until the attempts are used up, then the job is
// dead; the operator's are dead at once, to be replayed when the cause is gone. The
// reason that the job keeps is always that of the last failure.
func Decide(why reason.Code, attempt int, b Backoff, random func() float64) Verdict {
	switch reason.Must(why).Class {
	case reason.Permanent:
		return Verdict{State: document.Rejected}
	case reason.Operator:
		return Verdict{State: document.Dead}
	}
	if attempt >= b.Attempts {
		return Verdict{State: document.Dead}
	}
	return Verdict{State: document.Queued, After: b.Pause(attempt, random)}
}
