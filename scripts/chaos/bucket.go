package main

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"blotter/internal/objectstore/objectstoretest"
)

// trouble is what a bucket does to requests.
type trouble int

const (
	well      trouble = iota
	refusing          // 503, and nothing was done
	forgetful         // done, and answered with 503
	breaking          // the connection is reset, and nothing was done
	vanishing         // done, and the connection is reset
	slow              // done, after a while
)

// slowest is how long a request to a slow bucket may wait.
const slowest = 2 * time.Second

// bucket is an object store in memory that fails as it is told to.
type bucket struct {
	url    string
	server *httptest.Server
	store  http.Handler

	mu       sync.Mutex
	now      trouble
	share    float64 // of requests that meet it
	random   *rand.Rand
	troubled int // requests that met trouble
}

func newBucket(seed uint64) (*bucket, error) {
	store, err := objectstoretest.Handler()
	if err != nil {
		return nil, err
	}
	b := &bucket{store: store, random: rand.New(rand.NewPCG(seed, 3))}
	b.server = httptest.NewServer(b)
	b.url = objectstoretest.URL(b.server.URL)
	return b, nil
}

func (b *bucket) set(t trouble, share float64) {
	b.mu.Lock()
	b.now, b.share = t, share
	b.mu.Unlock()
}

// met is how many requests met trouble so far.
func (b *bucket) met() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.troubled
}

// draw says what happens to a request, and how long it waits.
func (b *bucket) draw() (trouble, time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.now == well || b.random.Float64() >= b.share {
		return well, 0
	}
	b.troubled++
	return b.now, time.Duration(b.random.Float64() * float64(slowest))
}

// ServeHTTP implements http.Handler.
func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t, pause := b.draw()
	switch t {
	case refusing:
		http.Error(w, "slow down", http.StatusServiceUnavailable)
		return
	case breaking:
		panic(http.ErrAbortHandler)
	case forgetful, vanishing:
		b.store.ServeHTTP(httptest.NewRecorder(), r)
		if t == vanishing {
			panic(http.ErrAbortHandler)
		}
		http.Error(w, "slow down", http.StatusServiceUnavailable)
		return
	case slow:
		_ = wait(r.Context(), pause) // a client that has gone is met by what it asked for
	}
	b.store.ServeHTTP(w, r)
}
