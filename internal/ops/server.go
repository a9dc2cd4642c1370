package ops

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"blotter/internal/reason"
)

const (
	// checkLimit is how long a check may take before it counts as failed.
	checkLimit = 2 * time.Second
	// checkFresh is how long its answer serves further questions, so that a load balancer
	// that asks often costs the store little.
	checkFresh = time.Second
)

// Check is something that must hold for this process to do its work.
type Check struct {
	Name string // a constant of the program, such as "store"
	// Run returns nil, or an error whose reason code is shown. It runs once at a time.
	Run func(context.Context) error
}

// Handler is the private listener's: /metrics, /healthz (the process lives), /readyz (all
// checks hold; else 503 with the reasons) and /debug/pprof/. It has no authentication:
// bind it to an address that only operators reach.
func Handler(m *Metrics, checks ...Check) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.Handler())
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { answer200(w) })
	mux.Handle("GET /readyz", newReadiness(checks))
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	// The command line holds paths: it is not shown.
	mux.Handle("GET /debug/pprof/cmdline", http.NotFoundHandler())
	return mux
}

func answer200(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n"))
}

// readiness runs the checks side by side.
type readiness struct {
	names  []string
	probes []*probe[struct{}]
}

func newReadiness(checks []Check) *readiness {
	r := &readiness{}
	for _, c := range checks {
		ask := func(ctx context.Context) (struct{}, error) { return struct{}{}, c.Run(ctx) }
		r.names = append(r.names, c.Name)
		r.probes = append(r.probes, &probe[struct{}]{ask: ask, limit: checkLimit, fresh: checkFresh})
	}
	return r
}

// verdict is the answer of /readyz.
type verdict struct {
	Ready  bool          `json:"ready"`
	Checks []checkResult `json:"checks"`
}

// checkResult is one check of a verdict. It says what the reason table says, and nothing
// of the error's own words, which may hold a path.
type checkResult struct {
	Name   string       `json:"name"`
	OK     bool         `json:"ok"`
	Late   bool         `json:"late,omitempty"` // did not answer in time
	Reason reason.Code  `json:"reason,omitempty"`
	Owner  reason.Owner `json:"owner,omitempty"`
	Text   string       `json:"text,omitempty"`
}

// ServeHTTP answers with 200 or 503 and the verdict.
func (r *readiness) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	v := r.verdict()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if !v.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(v)
}

func (r *readiness) verdict() verdict {
	for _, p := range r.probes {
		p.asked() // all are on their way before the first is waited for
	}
	v := verdict{Ready: true, Checks: make([]checkResult, len(r.probes))}
	for i, p := range r.probes {
		_, err := p.get()
		v.Checks[i] = result(r.names[i], err)
		v.Ready = v.Ready && err == nil
	}
	return v
}

func result(name string, err error) checkResult {
	if err == nil {
		return checkResult{Name: name, OK: true}
	}
	late := errors.Is(err, errLate) || errors.Is(err, context.DeadlineExceeded)
	e := reason.Must(reason.Of(err))
	return checkResult{Name: name, Late: late, Reason: e.Code, Owner: e.Owner, Text: e.Text}
}

// Serve answers on l until ctx ends, then lets what is under way finish for a moment. It
// closes l. nil means that it ended because ctx did.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	s := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      2 * time.Minute, // a profile takes 30 s, longer where asked
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(io.Discard, "", 0), // what clients sent, and what a panic says, is not for standard error
	}
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), serveGrace)
	defer cancel()
	if s.Shutdown(last) != nil {
		_ = s.Close() // a profile in the making does not hold the process up
	}
	return nil
}

// serveGrace is how long answers under way have at the end.
const serveGrace = 2 * time.Second
