package webhook

import "sync"

// load counts the attempts that are under way.
type load struct {
	mu    sync.Mutex
	total int
	by    map[string]int // by endpoint; those without any have no entry
	freed chan struct{}  // one has ended since somebody looked; holds one signal
}

// free lists those of the endpoints that have room for another attempt: none where this
// process makes as many as it may.
func (l *load) free(endpoints []string) (out []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.total >= atOnce {
		return nil
	}
	for _, e := range endpoints {
		if l.by[e] < perEndpoint {
			out = append(out, e)
		}
	}
	return out
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
