package intake

import "sync"

// Answered remembers what the tests of this package were answered, for statuses_test.go.
var Answered = &answered{by: map[string]map[int]bool{}}

type answered struct {
	mu sync.Mutex
	by map[string]map[int]bool // statuses by route
}

// Note remembers one answer. A route that is none is nobody's.
func (a *answered) Note(route string, status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.by[route] == nil {
		a.by[route] = map[int]bool{}
	}
	a.by[route][status] = true
}

// With reports whether a route answered with a status.
func (a *answered) With(route string, status int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.by[route][status]
}
