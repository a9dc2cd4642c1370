package postgres

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
)

// Calls of one process that wait for the same kind of write are made together: one
// transaction of a few statements over sets costs about what one call's costs alone.
// Whoever finds nobody writing writes at once, for all who wait by then, so that a single
// call waits for nobody. Each call gets its own result, and none learns of its success
// before the commit. Where a call makes the whole fail (a value that the server refuses),
// each is made again alone, but for those that are written by then.

const (
	// mostTogether bounds how long a call waits for those that are made with it.
	mostTogether = 128

	// attempts is how often a write is made that the server ended for others' sake
	// (deadlock, serialization), which it may do to any.
	attempts = 3
)

// call is one caller's part. What became of it is set before finished is closed.
type call[I, O any] struct {
	in       I
	out      O
	err      error
	done     bool // it is durable, whatever becomes of those beside it
	panicked any  // goes on in the caller
	finished chan struct{}
}

// combiner is the queue in front of one kind of write.
type combiner[I, O any] struct {
	mu      sync.Mutex
	waiting []*call[I, O]
	lead    chan struct{} // of one place: who has put something in writes

	// write makes calls in transactions of its own, and sets out and err of each. An error
	// that it returns is of all that are not done: nothing of theirs was written, or nobody
	// knows.
	write func(ctx context.Context, calls []*call[I, O]) error
}

func newCombiner[I, O any](write func(context.Context, []*call[I, O]) error) *combiner[I, O] {
	return &combiner[I, O]{lead: make(chan struct{}, 1), write: write}
}

var errAbandoned = errors.New("the write was abandoned")

// do makes one call and returns once it is durable.
func (c *combiner[I, O]) do(ctx context.Context, in I) (O, error) {
	var none O
	if err := ctx.Err(); err != nil {
		return none, err
	}
	w := &call[I, O]{in: in, finished: make(chan struct{})}
	c.join(w)
	select {
	case c.lead <- struct{}{}:
		c.leadUntil(ctx, w)
	case <-w.finished:
	case <-ctx.Done():
		if c.leave(w) {
			return none, ctx.Err()
		}
		<-w.finished // too late: it is being written
	}
	if w.panicked != nil {
		panic(w.panicked)
	}
	if w.err != nil {
		return none, w.err
	}
	return w.out, nil
}

func (c *combiner[I, O]) join(w *call[I, O]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.waiting, w)
}

// leave takes a call back and reports whether it was still waiting.
func (c *combiner[I, O]) leave(w *call[I, O]) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.waiting, w)
	if i >= 0 {
		c.waiting = slices.Delete(c.waiting, i, i+1)
	}
	return i >= 0
}

// take returns those who have waited the longest.
func (c *combiner[I, O]) take() []*call[I, O] {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := min(len(c.waiting), mostTogether)
	taken := slices.Clone(c.waiting[:n])
	c.waiting = slices.Delete(c.waiting, 0, n)
	return taken
}

// leadUntil writes what waits until w is written, then lets the next one lead. It keeps
// the values of the leader's context but not its end: the others' writes hang on it too.
func (c *combiner[I, O]) leadUntil(ctx context.Context, w *call[I, O]) {
	defer func() { <-c.lead }()
	for {
		select {
		case <-w.finished:
			return
		default:
			runtime.Gosched() // those who were just served may come with their next call
			c.together(context.WithoutCancel(ctx), c.take())
		}
	}
}

// together makes calls, and each alone where they could not be made as one.
func (c *combiner[I, O]) together(ctx context.Context, calls []*call[I, O]) {
	defer func() {
		for _, w := range calls {
			close(w.finished)
		}
	}()
	err := c.try(ctx, calls)
	if err == nil || len(calls) == 1 || unavailable(err) {
		return
	}
	for i := range calls {
		if !calls[i].done {
			_ = c.try(ctx, calls[i:i+1]) // each call has its own error
		}
	}
}

// try writes, again where the server asks for it, and gives an error of all to each that is
// not done.
func (c *combiner[I, O]) try(ctx context.Context, calls []*call[I, O]) (err error) {
	err = errAbandoned
	defer func() { // even where a callback of a call ends this goroutine or panics
		p := recover()
		if err == nil {
			return
		}
		for _, w := range undone(calls) {
			w.err, w.panicked = err, p // with others beside it, each is tried alone first
		}
	}()
	for range attempts {
		left := undone(calls)
		for _, w := range left {
			var none O
			w.out, w.err, w.panicked = none, nil, nil
		}
		if err = c.write(ctx, left); !conflicted(err) {
			return err
		}
	}
	return err
}

func undone[I, O any](calls []*call[I, O]) (left []*call[I, O]) {
	for _, w := range calls {
		if !w.done {
			left = append(left, w)
		}
	}
	return left
}
