package intake

import (
	"container/list"
	"crypto/sha256"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"blotter/internal/reason"
)

// maxKnown bounds how many API keys are remembered at once, for their rates and as keys
// that were valid. One that is forgotten begins with a full burst again.
const maxKnown = 4096

// Failed authentications of all callers together. A key has 128 bits or more and is not
// guessed; this bounds what trying costs the store.
const (
	failuresPerSecond = 10
	failuresAtOnce    = 100
)

// rates bounds how fast requests come: those of each key, and those whose key is not
// valid. It may be used concurrently.
type rates struct {
	mu       sync.Mutex
	each     rate.Limit
	burst    int
	keys     *recent[string, *rate.Limiter]
	tokens   *recent[[sha256.Size]byte, struct{}] // hashes of tokens that were valid
	failures *rate.Limiter
}

func newRates(perSecond float64, burst int) *rates {
	return &rates{
		each: rate.Limit(perSecond), burst: burst,
		keys:     newRecent[string, *rate.Limiter](maxKnown),
		tokens:   newRecent[[sha256.Size]byte, struct{}](maxKnown),
		failures: rate.NewLimiter(failuresPerSecond, failuresAtOnce),
	}
}

// take is a request of a valid key. The error has the code api.rate_limited and says
// when the next one is due.
func (l *rates) take(key string, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	limiter, ok := l.keys.get(key)
	if !ok {
		limiter = rate.NewLimiter(l.each, l.burst)
		l.keys.put(key, limiter)
	}
	return due(limiter, now)
}

// due takes a token, or says when there is one.
func due(l *rate.Limiter, now time.Time) error {
	r := l.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait <= 0 {
		return nil
	}
	r.CancelAt(now)
	return &refusal{code: reason.APIRate, after: wait}
}

// mayTry says whether a token may be looked up. One that was valid always may, so that
// whoever guesses keeps nobody out who was in before.
func (l *rates) mayTry(token [sha256.Size]byte, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.tokens.get(token); ok || l.failures.TokensAt(now) >= 1 {
		return nil
	}
	return &refusal{code: reason.APIRate}
}

// tried remembers whether a token was valid.
func (l *rates) tried(token [sha256.Size]byte, valid bool, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if valid {
		l.tokens.put(token, struct{}{})
		return
	}
	l.tokens.drop(token)
	l.failures.AllowN(now, 1)
}

// recent is a map that forgets what was not used for the longest time.
type recent[K comparable, V any] struct {
	most  int
	order *list.List // of entries, the latest used first
	by    map[K]*list.Element
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

func newRecent[K comparable, V any](most int) *recent[K, V] {
	return &recent[K, V]{most: most, order: list.New(), by: map[K]*list.Element{}}
}

func (m *recent[K, V]) get(k K) (v V, ok bool) {
	e, ok := m.by[k]
	if !ok {
		return v, false
	}
	m.order.MoveToFront(e)
	return e.Value.(entry[K, V]).value, true
}

func (m *recent[K, V]) put(k K, v V) {
	m.drop(k)
	m.by[k] = m.order.PushFront(entry[K, V]{k, v})
	if m.order.Len() > m.most {
		m.drop(m.order.Back().Value.(entry[K, V]).key)
	}
}

func (m *recent[K, V]) drop(k K) {
	if e, ok := m.by[k]; ok {
		m.order.Remove(e)
		delete(m.by, k)
	}
}

// places bounds how many uploads are under way: of each key, and in total.
type places struct {
	mu            sync.Mutex
	perKey, total int
	held          map[string]int
	all           int
}

func newPlaces(perKey, total int) *places {
	return &places{perKey: perKey, total: total, held: map[string]int{}}
}

// take takes a place for an upload of the key, or returns an error with the code
// api.too_many_uploads. The place must be given back, once.
func (p *places) take(key string) (giveBack func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all >= p.total || p.held[key] >= p.perKey {
		return nil, &refusal{code: reason.APIUploads}
	}
	p.all++
	p.held[key]++
	return func() { p.free(key) }, nil
}

func (p *places) free(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all--
	if p.held[key]--; p.held[key] == 0 {
		delete(p.held, key)
	}
}
