package intake

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"go.opentelemetry.io/otel/trace"

	"blotter/internal/access"
	"blotter/internal/document"
)

// Deps are the rooms that the API works with. Every field must be set.
type Deps struct {
	Store    Store
	Uploads  Uploads
	Orders   Orders
	Results  Results
	Runner   Runner
	Policies Policies
	Changes  Changes
	Meter    Meter
	Keys     *access.Keyring

	// Admit says whether anything new may be taken in: nil, or an error with the code that
	// the client is to see (host.disk_full, api.stopping).
	Admit func(context.Context) error
	// Moved is told of every job that this process made or changed; it must not block.
	Moved func(document.ID)

	Budgets document.Budgets
	Log     *slog.Logger
	Tracer  trace.Tracer
}

// API serves HTTP.
type API struct {
	cfg Config
	Deps
	handler   http.Handler
	routes    []string // every pattern that is served, for the description to be held against
	waiting   *waiters
	heartbeat time.Duration
	rates     *rates
	uploads   *places
	flights   *flights
}

// New makes the API. cfg must be valid.
func New(cfg Config, d Deps) *API {
	a := &API{
		cfg: cfg, Deps: d, waiting: newWaiters(cfg.Waiters), heartbeat: heartbeat,
		rates: newRates(cfg.RatePerSecond, cfg.RateBurst), uploads: newPlaces(cfg.UploadsPerKey, cfg.UploadsTotal), flights: newFlights(),
	}
	mux := http.NewServeMux()
	a.documents(mux)
	a.jobs(mux)
	a.manual(mux)
	a.handler = a.around(mux)
	return a
}

// Handler is the whole API, middleware included.
func (a *API) Handler() http.Handler { return a.handler }

// Routes lists the patterns that are served: what may label a metric or a span.
func (a *API) Routes() []string { return slices.Clone(a.routes) }

// serve is a handler that may fail: an error becomes a problem (RFC 9457), unless the
// answer was begun. The caller is the valid key that the request carried.
type serve func(w http.ResponseWriter, r *http.Request, caller access.Key) error

// route registers a handler under a pattern of net/http's ServeMux, such as
// "GET /v1/jobs/{id}", for keys that have the right.
func (a *API) route(mux *http.ServeMux, pattern string, right access.Right, h serve) {
	a.routes = append(a.routes, pattern)
	mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		key, err := a.authorise(r, right)
		if err == nil {
			err = h(w, r, key)
		}
		if err != nil && !errors.Is(err, errAnswered) {
			a.problem(w, r, err)
		}
	})
}

// errAnswered is returned by a handler that has begun its answer and cannot go on.
var errAnswered = errors.New("intake: the answer was begun")
