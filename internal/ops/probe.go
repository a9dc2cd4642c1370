package ops

import (
	"context"
	"errors"
	"sync"
	"time"
)

// errLate is what a question gets that was not answered in time.
var errLate = errors.New("ops: no answer in time")

// probe asks something that may hang. However many ask it, the question runs once at a
// time, its answer is good for a while, and nobody waits longer than the limit: not even
// where the question does not heed its context. A question that hangs is late at once for
// those who come after its limit.
type probe[T any] struct {
	ask   func(context.Context) (T, error)
	limit time.Duration // longest wait for an answer
	fresh time.Duration // how long an answer is good

	mu   sync.Mutex
	last *answer[T]
}

// answer may be read once done is closed, but for asked.
type answer[T any] struct {
	done  chan struct{}
	value T
	err   error
	asked time.Time
	given time.Time
}

func (p *probe[T]) get() (T, error) {
	a := p.asked()
	if !a.within(p.limit) {
		var nothing T
		return nothing, errLate
	}
	return a.value, a.err
}

// within waits for the answer and reports whether it came within the limit or, where that
// is over, is there now.
func (a *answer[T]) within(limit time.Duration) bool {
	late := time.NewTimer(limit - time.Since(a.asked))
	defer late.Stop()
	select {
	case <-a.done:
		return true
	case <-late.C:
	}
	select { // both may have been ready
	case <-a.done:
		return true
	default:
		return false
	}
}

// asked returns the answer that is good or on its way, or asks anew.
func (p *probe[T]) asked() *answer[T] {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last != nil {
		select {
		case <-p.last.done:
			if time.Since(p.last.given) < p.fresh {
				return p.last
			}
		default:
			return p.last
		}
	}
	a := &answer[T]{done: make(chan struct{}), asked: time.Now()}
	p.last = a
	go p.run(a)
	return a
}

// run outlives the one who asked: its answer may serve the next.
func (p *probe[T]) run(a *answer[T]) {
	ctx, cancel := context.WithTimeout(context.Background(), p.limit)
	defer cancel()
	a.value, a.err = p.ask(ctx)
	a.given = time.Now()
	close(a.done)
}
