package intake

import (
	"context"
	"errors"
	"net/http"
	"path"
	"runtime"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	otelcodes "go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// visit is what is learned of a request while it is served.
type visit struct {
	began time.Time
	code  reason.Code // why it was refused; "" while it was not
}

type visitKey struct{}

// visitOf returns the visit of a request; one that nobody reads where it passed no
// middleware.
func visitOf(r *http.Request) *visit {
	if v, ok := r.Context().Value(visitKey{}).(*visit); ok {
		return v
	}
	return &visit{}
}

// around puts what every request passes through around the API's handlers: a bound on
// its body, a span, headers, the end of a panic, the count of what is under way, and one
// line in the log. Neither path nor query of a request enters any of them.
func (a *API) around(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer guestOf(r.Context()).requested()()
		v := &visit{began: time.Now()}
		ctx, span := a.begin(r)
		r = r.WithContext(context.WithValue(ctx, visitKey{}, v))
		r.Body = newBody(w, r, a.cfg.BodyIdle, a.cfg.BodyTimeout)
		out := &answer{ResponseWriter: w}
		defer a.tell(out, r, v, span)
		defer a.recovered(out, r)
		harden(out.Header())
		leave, err := a.flights.enter()
		if err != nil {
			a.problem(out, r, err)
			return
		}
		defer leave()
		a.dispatch(mux, out, r)
	})
}

// begin starts the span of a request under the trace that its client is in. Of the
// client's headers only traceparent is taken: tracestate could carry anything.
func (a *API) begin(r *http.Request) (context.Context, trace.Span) {
	carrier := propagation.MapCarrier{"traceparent": r.Header.Get("traceparent")}
	ctx := propagation.TraceContext{}.Extract(r.Context(), carrier)
	return a.Tracer.Start(ctx, "request", trace.WithSpanKind(trace.SpanKindServer))
}

// traceparent is the W3C form of the span that ctx is in; "" where there is none.
func traceparent(ctx context.Context) string {
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier["traceparent"]
}

// harden sets the headers of every answer. A handler that knows better changes them.
func harden(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
}

// dispatch serves a request that matches a route, and answers all others with a problem.
// A path that is not in its plain form matches nothing: net/http would redirect it.
func (a *API) dispatch(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) {
	if !plainPath(r) {
		a.problem(w, r, fault(reason.APINotFound))
		return
	}
	if _, pattern := mux.Handler(r); pattern != "" {
		mux.ServeHTTP(w, r)
		return
	}
	p := &probe{header: http.Header{}}
	mux.ServeHTTP(p, r)
	if p.status != http.StatusMethodNotAllowed {
		a.problem(w, r, fault(reason.APINotFound))
		return
	}
	w.Header()["Allow"] = p.header["Allow"]
	a.problem(w, r, fault(reason.APIMethod))
}

func plainPath(r *http.Request) bool {
	p := r.URL.EscapedPath()
	return strings.HasPrefix(p, "/") && path.Clean(p) == p
}

// probe learns what net/http would answer.
type probe struct {
	header http.Header
	status int
}

func (p *probe) Header() http.Header         { return p.header }
func (p *probe) Write(b []byte) (int, error) { return len(b), nil }
func (p *probe) WriteHeader(status int)      { p.status = status }

// recovered ends a panic of a handler. Its client learns nothing but the code, and the
// log nothing but the place: what the panic says may hold anything.
func (a *API) recovered(w *answer, r *http.Request) {
	failure := recover()
	if failure == nil {
		return
	}
	if err, ok := failure.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
		a.Log.Error("a handler panicked", "at", panicked())
	}
	visitOf(r).code = reason.Internal
	if w.status != 0 {
		panic(http.ErrAbortHandler) // what the client has so far must not look whole
	}
	a.problem(w, r, reason.Because(reason.Internal, nil))
}

// panicked names the place in this program where a panic began, as file and line.
func panicked() string {
	calls := make([]uintptr, 32)
	frames := runtime.CallersFrames(calls[:runtime.Callers(0, calls)])
	for past := false; ; {
		f, more := frames.Next()
		if past && strings.HasPrefix(f.Function, "blotter/") {
			return path.Base(f.File) + "." + strconv.Itoa(f.Line)
		}
		past = past || f.Function == "runtime.gopanic"
		if !more {
			return "unknown"
		}
	}
}

// tell accounts for a request that was answered.
func (a *API) tell(w *answer, r *http.Request, v *visit, span trace.Span) {
	route, status, took := r.Pattern, w.status, time.Since(v.began)
	if route == "" {
		route = "none"
	}
	if status == 0 {
		status = http.StatusOK
	}
	a.Meter.Answered(route, status, v.code, took)
	span.SetName(route)
	span.SetAttributes(attribute.String("http.route", route), attribute.Int("http.response.status_code", status), attribute.String("blotter.reason", string(v.code)))
	if status >= http.StatusInternalServerError {
		span.SetStatus(otelcodes.Error, string(v.code))
	}
	span.End()
	line := []any{"route", routeWord(route), "status", status, "ms", took, "bytes", w.bytes}
	if v.code != "" {
		line = append(line, "reason", v.code)
	}
	if id, err := document.ParseID(r.PathValue("id")); err == nil {
		line = append(line, "job", id)
	}
	a.Log.Info("request answered", line...)
}

// routeWord writes a pattern in the alphabet of the log: "GET /v1/jobs/{id}" becomes
// "GET.v1.jobs.id".
func routeWord(pattern string) string {
	return strings.NewReplacer(" /", ".", "/", ".", "{", "", "}", "", "$", "").Replace(pattern)
}

// answer remembers what was answered.
type answer struct {
	http.ResponseWriter
	status int   // 0 before the header was written
	bytes  int64 // of the body
}

// Unwrap lets http.ResponseController through.
func (w *answer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w *answer) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *answer) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}
