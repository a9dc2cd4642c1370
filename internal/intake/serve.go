package intake

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"blotter/internal/reason"
)

const (
	// streams is how many requests one HTTP/2 connection may have under way; RFC 9113,
	// section 6.5.2, advises against less.
	streams = 100

	// lastWords is how long handlers may take to clear up behind clients that were cut off
	// at the end of the grace time, a few short transactions each, and how long the last
	// answers may take to leave.
	lastWords = 10 * time.Second
)

// Serve answers requests on l until ctx ends; then it takes no new ones (api.stopping),
// lets those under way finish within the grace time, closes what is left, and returns
// once no handler runs any more. It speaks HTTP/1.1, and HTTP/2 under TLS. A listener
// that fails is the only error. An API serves once.
func (a *API) Serve(ctx context.Context, l net.Listener) error {
	door := newDoorman(l, a.cfg.MaxConnections, hearing, a.cfg.WriteIdle)
	srv := a.server(context.WithoutCancel(ctx))
	failed := make(chan error, 1)
	go func() { failed <- a.listen(srv, door) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	a.flights.stop()
	a.StopWaiting()
	a.farewell(srv)
	return err
}

func (a *API) listen(srv *http.Server, l net.Listener) error {
	if a.cfg.TLSCert != "" {
		return srv.ServeTLS(l, a.cfg.TLSCert, a.cfg.TLSKey)
	}
	return srv.Serve(l)
}

func (a *API) server(base context.Context) *http.Server {
	return &http.Server{
		Handler:           a.handler,
		ReadHeaderTimeout: a.cfg.HeaderTimeout,
		IdleTimeout:       a.cfg.IdleTimeout, // bodies and answers have deadlines of their own
		MaxHeaderBytes:    a.cfg.MaxHeaderBytes,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: streams, WriteByteTimeout: a.cfg.WriteIdle},
		ConnContext:       withGuest,
		BaseContext:       func(net.Listener) context.Context { return base },
		ErrorLog:          log.New(io.Discard, "", 0), // addresses and what clients sent are not for the log
	}
}

// farewell ends what is under way, patiently, then not. Meanwhile newcomers are told that
// the service is stopping; net/http's own Shutdown would hang up on them without a word.
func (a *API) farewell(srv *http.Server) {
	srv.SetKeepAlivesEnabled(false)
	if !a.landed(a.cfg.Grace) {
		a.Log.Warn("requests were cut off at the end of the grace time", "count", a.flights.count())
		_ = srv.Close()
	}
	last, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	_ = srv.Shutdown(last) // until the last answers are on their way
	_ = srv.Close()
	if !a.landed(lastWords) {
		a.Log.Error("requests did not end", "count", a.flights.count())
	}
}

func (a *API) landed(within time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	return a.flights.land(ctx)
}

// flights counts the requests under way, so that a process ends after they have, and
// refuses new ones once it is told to stop.
type flights struct {
	mu      sync.Mutex
	n       int
	stopped bool
	empty   chan struct{} // closed when stopped and none is under way
}

func newFlights() *flights { return &flights{empty: make(chan struct{})} }

// enter begins a request; leave must be called once. The error has the code api.stopping.
func (f *flights) enter() (leave func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped {
		return nil, reason.Because(reason.APIStopping, errors.New("intake: told to stop"))
	}
	f.n++
	return f.leave, nil
}

func (f *flights) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n--
	f.settle()
}

func (f *flights) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.stopped {
		f.stopped = true
		f.settle()
	}
}

func (f *flights) settle() {
	if f.stopped && f.n == 0 {
		close(f.empty)
	}
}

func (f *flights) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

// land waits until none is under way.
func (f *flights) land(ctx context.Context) bool {
	select {
	case <-f.empty:
		return true
	case <-ctx.Done():
		return false
	}
}
