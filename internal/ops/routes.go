package ops

import (
	"sync"
)

// Routes is the set of patterns that the API answers, such as "GET /v1/jobs/{id}". Only
// they may label metrics and spans: a path is made by a client, and may name anything.
// Its methods may be called concurrently; a nil set is empty.
type Routes struct {
	mu    sync.RWMutex
	known map[string]bool
}

// Learn adds patterns to the set.
func (r *Routes) Learn(patterns ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = make(map[string]bool, len(patterns))
	}
	for _, p := range patterns {
		r.known[p] = true
	}
}

// knows reports whether a pattern was learnt.
func (r *Routes) knows(pattern string) bool {
	if r == nil {
		return false
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.known[pattern]
}
