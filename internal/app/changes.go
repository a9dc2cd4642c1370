package app

import (
	"sync"
	"time"

	"blotter/internal/document"
)

// lookAgain is how often whoever watches a job looks at it without having been told:
// another process on the same data directory may have moved it.
const lookAgain = time.Second

// changes tells those who wait for a job in this process that it may have moved. It
// carries no state: whoever is told reads the store.
type changes struct {
	mu       sync.Mutex
	watchers map[document.ID]map[chan struct{}]struct{}
}

func newChanges() *changes {
	return &changes{watchers: map[document.ID]map[chan struct{}]struct{}{}}
}

// Watch implements intake.Changes.
func (c *changes) Watch(id document.ID) (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	c.mu.Lock()
	if c.watchers[id] == nil {
		c.watchers[id] = map[chan struct{}]struct{}{}
	}
	c.watchers[id][ch] = struct{}{}
	c.mu.Unlock()
	again := time.NewTicker(lookAgain)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-again.C:
				signal(ch)
			case <-done:
				return
			}
		}
	}()
	return ch, sync.OnceFunc(func() {
		again.Stop()
		close(done)
		c.forget(id, ch)
	})
}

func (c *changes) forget(id document.ID, ch chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.watchers[id], ch)
	if len(c.watchers[id]) == 0 {
		delete(c.watchers, id)
	}
}

// moved tells the watchers of a job.
func (c *changes) moved(id document.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for ch := range c.watchers[id] {
		signal(ch)
	}
}

// signal leaves one signal in a channel that holds one.
func signal(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default: // one is enough
	}
}
