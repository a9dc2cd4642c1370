package webhook

import "sync"

// load counts the attempts that are under way.
type load struct {
	mu    sync.Mutex
	total int
	by    map[string]int // by endpoint; those without any have no entry
	freed chan struct{}  // one has ended since somebody looked; holds one signal
}

// now lists the endpoints that have no room for another attempt; full says that nobody has.
func (l *load) now() (busy []string, full bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for endpoint, n := range l.by {
		if n >= perEndpoint {
			busy = append(busy, endpoint)
		}
	}
	return busy, l.total >= atOnce
}

func (l *load) take(endpoint string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.by[endpoint]++
	l.total++
}

func (l *load) give(endpoint string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total--
	if l.by[endpoint]--; l.by[endpoint] == 0 {
		delete(l.by, endpoint)
	}
	select {
	case l.freed <- struct{}{}:
	default:
	}
}
