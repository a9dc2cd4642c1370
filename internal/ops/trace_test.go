package ops

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"blotter/internal/document"
	"blotter/internal/reason"
)

const secret = "Marianne Canary"

func known() *Routes {
	r := &Routes{}
	r.Learn(route)
	return r
}

// slip makes a span that holds the secret in every place that a span has.
func slip(p trace.TracerProvider, job document.ID) {
	state, _ := trace.ParseTraceState("canary=Marianne.Canary")
	remote := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceState: state, TraceFlags: trace.FlagsSampled, Remote: true})
	ctx := trace.ContextWithRemoteSpanContext(context.Background(), remote)
	_, parent := p.Tracer(secret).Start(ctx, "GET /v1/"+secret)
	parent.End()
	_, s := p.Tracer(secret).Start(ctx, route, trace.WithLinks(trace.Link{SpanContext: remote, Attributes: []attribute.KeyValue{attribute.String("job", secret)}}))
	s.SetAttributes(
		attribute.String("job", string(job)), attribute.Int("attempt", 2), attribute.String("stage", "read"), attribute.String("state", "released"),
		attribute.String("reason", string(reason.CellMemory)), attribute.String("route", route), attribute.Int("status", 202), attribute.String("lane", "bulk"),
		attribute.String("http.route", route), attribute.Int("http.response.status_code", 202), attribute.String("blotter.state", "dead"),
		attribute.String("text", secret), attribute.StringSlice("texts", []string{secret}),
	)
	s.AddEvent(secret, trace.WithAttributes(attribute.String("job", secret)))
	s.RecordError(errors.New(secret))
	s.SetStatus(codes.Error, secret)
	s.End()
	_, odd := p.Tracer("x").Start(ctx, "read")
	for _, key := range []string{"job", "attempt", "stage", "state", "reason", "route", "status", "lane", "http.route", "blotter.job", "url.path", "blotter.text"} {
		odd.SetAttributes(attribute.String(key, secret))
	}
	odd.SetAttributes(attribute.StringSlice("stage", []string{"read", secret}))
	odd.End()
}

func TestSpansLeaveWithoutPayload(t *testing.T) {
	kept := tracetest.NewInMemoryExporter()
	p := newProvider(kept, TraceConfig{Sample: 1, Version: "1.2.3", Routes: known()})
	job := document.NewID()
	slip(p, job)
	if err := p.ForceFlush(t.Context()); err != nil {
		t.Fatal(err)
	}
	spans := kept.GetSpans()
	if len(spans) != 3 {
		t.Fatalf("%d spans", len(spans))
	}
	if spans[0].Name != other || spans[1].Name != route || spans[2].Name != "read" {
		t.Errorf("names %q, %q, %q", spans[0].Name, spans[1].Name, spans[2].Name)
	}
	want := map[attribute.Key]string{"job": string(job), "attempt": "2", "stage": "read", "state": "released", "reason": "cell.memory_limit", "route": route, "status": "202", "lane": "bulk",
		"http.route": route, "http.response.status_code": "202", "blotter.state": "dead"}
	for _, a := range spans[1].Attributes {
		if expected, ok := want[a.Key]; !ok || a.Value.String() != expected {
			t.Errorf("attribute %s=%s", a.Key, a.Value.String())
		}
		delete(want, a.Key)
	}
	if len(want) > 0 {
		t.Errorf("dropped what may stay: %v", want)
	}
	if len(spans[2].Attributes) > 0 {
		t.Errorf("values out of no enumeration left: %v", spans[2].Attributes)
	}
	if s := spans[1]; s.Status.Code != codes.Error || s.Parent.TraceID() != (trace.TraceID{1}) {
		t.Errorf("status %v, parent %v", s.Status, s.Parent)
	}
}

// receiver is an OTLP/HTTP collector on loopback that keeps what it is sent, as it came.
type receiver struct {
	mu   sync.Mutex
	sent []byte
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	var body io.Reader = q.Body
	if q.Header.Get("Content-Encoding") == "gzip" {
		body, _ = gzip.NewReader(q.Body)
	}
	b, _ := io.ReadAll(body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, b...) // messages one after another merge into one
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func TestTracesReachACollector(t *testing.T) {
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "host.name="+strings.ReplaceAll(secret, " ", ""))
	r := &receiver{}
	server := httptest.NewServer(r)
	defer server.Close()
	p, shutdown, err := Tracing(t.Context(), TraceConfig{Endpoint: server.URL + "/v1/traces", Sample: 1, Version: "1.2.3", Routes: known()})
	if err != nil {
		t.Fatal(err)
	}
	slip(p, document.NewID())
	if err := shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(r.sent, []byte("Canary")) {
		t.Error("the canary is in what the collector got")
	}
	var got collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(r.sent, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.ResourceSpans) != 1 || len(got.ResourceSpans[0].ScopeSpans) != 1 || len(got.ResourceSpans[0].ScopeSpans[0].Spans) != 3 {
		t.Fatalf("the collector got %v", &got)
	}
	who := got.ResourceSpans[0].Resource.Attributes
	if len(who) != 2 || who[0].Value.GetStringValue() != "blotter" || who[1].Value.GetStringValue() != "1.2.3" {
		t.Errorf("resource %v", who)
	}
}

// OpenTelemetry reads the environment by itself, and would tell standard error what it
// could not read of it.
func TestMisspeltCredentialIsNotShown(t *testing.T) {
	said := ""
	otel.SetLogger(funcr.New(func(_, args string) { said += args }, funcr.Options{}))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { said += err.Error() }))
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization="+secret+"%zz")
	_, shutdown, err := Tracing(t.Context(), TraceConfig{Endpoint: "http://127.0.0.1:1/v1/traces", Sample: 1})
	if err != nil {
		t.Fatal(err)
	}
	otel.Handle(errors.New(secret))
	if err := shutdown(t.Context()); err != nil || said != "" {
		t.Errorf("OpenTelemetry said %q, %v", said, err)
	}
}

func TestWithoutEndpointNothingIsTraced(t *testing.T) {
	p, shutdown, err := Tracing(t.Context(), TraceConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if _, s := p.Tracer("x").Start(t.Context(), "x"); s.IsRecording() {
		t.Error("a span is recorded without an endpoint")
	}
	if err := shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// The share counts where the caller has not decided; what the request decided holds for
// its job, whose spans are made by another process, later.
func TestSampleYieldsToTheCaller(t *testing.T) {
	parent := func(flags trace.TraceFlags) context.Context {
		return trace.ContextWithRemoteSpanContext(context.Background(), trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: flags}))
	}
	for _, c := range []struct {
		sample float64
		ctx    context.Context
		want   bool
	}{
		{0, context.Background(), false}, {1, context.Background(), true},
		{0, parent(trace.FlagsSampled), true}, {1, parent(0), false},
	} {
		p := newProvider(tracetest.NewInMemoryExporter(), TraceConfig{Sample: c.sample})
		if _, s := p.Tracer("").Start(c.ctx, "job"); s.IsRecording() != c.want {
			t.Errorf("share %v, parent %v: recording %v", c.sample, trace.SpanContextFromContext(c.ctx).TraceFlags(), !c.want)
		}
		if err := p.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestTraceConfigIsChecked(t *testing.T) {
	for _, c := range []TraceConfig{{Endpoint: "127.0.0.1:4318"}, {Endpoint: "ftp://x/"}, {Endpoint: "http://"}, {Sample: -1}, {Sample: 2}, {Sample: math.NaN()}} {
		if _, _, err := Tracing(t.Context(), c); reason.Of(err) != reason.ConfigInvalid {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// failing is a collector that takes nothing.
type failing struct{ sdktrace.SpanExporter }

func (failing) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return errors.New(secret) }

func TestLostSpansAreCounted(t *testing.T) {
	lost := 0
	p := newProvider(failing{tracetest.NewInMemoryExporter()}, TraceConfig{Sample: 1, Lost: func(n int) { lost += n }})
	slip(p, document.NewID())
	if err := p.ForceFlush(t.Context()); err != nil || lost != 3 {
		t.Errorf("%d lost, %v", lost, err)
	}
}

// A collector that nobody runs holds up neither spans nor the end of the process.
func TestTracingWithoutACollectorEnds(t *testing.T) {
	p, shutdown, err := Tracing(t.Context(), TraceConfig{Endpoint: "http://127.0.0.1:1/v1/traces", Sample: 1})
	if err != nil {
		t.Fatal(err)
	}
	slip(p, document.NewID())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	began := time.Now()
	_ = shutdown(ctx) // that spans were lost is no news
	if took := time.Since(began); took > exportLimit/2 {
		t.Errorf("the end took %s", took)
	}
}
