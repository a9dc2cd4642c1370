package main_test

import (
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	otlp "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracing "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"blotter/client"
	"blotter/internal/document"
)

// collector is a receiver of OTLP/HTTP on loopback that keeps all it is sent, unpacked.
type collector struct {
	t         *testing.T
	url       string
	complaint string // what each answer says; empty: nothing

	mu   sync.Mutex
	head []http.Header
	sent [][]byte
}

func newCollector(t *testing.T) *collector {
	c := &collector{t: t}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	c.url = server.URL + "/v1/traces"
	return c
}

// env is the setting under which a service sends its traces here.
func (c *collector) env() string { return "BLOTTER_TELEMETRY_OTLP_ENDPOINT=" + c.url }

// ServeHTTP implements http.Handler.
func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := unpacked(r)
	if err != nil {
		c.t.Errorf("what was sent cannot be read: %v", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.head, c.sent = append(c.head, r.Header), append(c.sent, body)
	w.Header().Set("Content-Type", "application/x-protobuf")
	if c.complaint != "" {
		answer, _ := proto.Marshal(&otlp.ExportTraceServiceResponse{
			PartialSuccess: &otlp.ExportTracePartialSuccess{ErrorMessage: c.complaint},
		})
		w.Write(answer)
	}
}

func unpacked(r *http.Request) ([]byte, error) {
	if r.Header.Get("Content-Encoding") != "gzip" {
		return io.ReadAll(r.Body)
	}
	z, err := gzip.NewReader(r.Body)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// spans are all that came, in the order of their sending.
func (c *collector) spans() []*tracing.Span {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []*tracing.Span
	for _, body := range c.sent {
		var got otlp.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &got); err != nil {
			c.t.Fatal(err)
		}
		for _, r := range got.ResourceSpans {
			for _, scope := range r.ScopeSpans {
				out = append(out, scope.Spans...)
			}
		}
	}
	return out
}

// attribute is the value of a span's attribute; "" where it has none.
func attribute(s *tracing.Span, key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.GetStringValue()
		}
	}
	return ""
}

// under is a transport whose requests belong to a trace that was begun elsewhere.
type under string

// RoundTrip implements http.RoundTripper.
func (u under) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("traceparent", string(u))
	return http.DefaultTransport.RoundTrip(r)
}

// logged reads the log of a service: one JSON object a line, and nothing else.
func logged(t *testing.T, text string) []map[string]any {
	t.Helper()
	var out []map[string]any
	for line := range strings.Lines(text) {
		record := map[string]any{}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Errorf("standard error holds what is no record: %q", line)
		}
		out = append(out, record)
	}
	return out
}

// TestServeTraces follows one trace from a client's request through the queue to the
// stages of the worker: each span is the child of the one before.
func TestServeTraces(t *testing.T) {
	t.Parallel()
	const trace, begun = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	const unsampled = "0af7651916cd43dd8448eb211c80319c"
	s, c := newStation(t), newCollector(t)
	v := s.serve(c.env())
	ctx, body, jobs := limited(t), read(t, tiny(t)), map[string]client.Job{}
	for name, o := range map[string][]client.Option{
		"traced":   {client.WithHTTPClient(&http.Client{Transport: under("00-" + trace + "-" + begun + "-01")})},
		"untraced": {client.WithHTTPClient(&http.Client{Transport: under("00-" + unsampled + "-" + begun + "-00")})},
		"alone":    nil,
	} {
		took := upload(t, ctx, v.client("", o...), body, client.UploadOptions{})
		j, err := v.client("").Wait(ctx, took.ID)
		if err != nil || j.State != "released" {
			t.Fatalf("the job is %+v, %v", j, err)
		}
		jobs[name] = j
	}
	v.stop()
	spans, log := c.spans(), logged(t, v.err.String())
	ours := wantTrace(t, spans, jobs["traced"], trace)
	if parent := hex.EncodeToString(ours.ParentSpanId); parent != begun {
		t.Errorf("the request's span hangs under %q, the client's was %s", parent, begun)
	}
	wantLogged(t, log, jobs["traced"].ID, trace)
	// What the client's tracer decided not to keep is not sent, but the log still says where
	// it belongs.
	wantLogged(t, log, jobs["untraced"].ID, unsampled)
	for _, s := range spans {
		if hex.EncodeToString(s.TraceId) == unsampled {
			t.Errorf("the span %q was sent, which its client did not want", s.Name)
		}
	}
	// Without a client's trace a request begins one of its own.
	at := slices.IndexFunc(spans, isJobSpan(jobs["alone"]))
	if at < 0 {
		t.Fatal("no span of the job that came alone")
	}
	own := hex.EncodeToString(spans[at].TraceId)
	if alone := wantTrace(t, spans, jobs["alone"], own); len(alone.ParentSpanId) != 0 || own == trace {
		t.Errorf("a request that came alone is under %x in the trace %s", alone.ParentSpanId, own)
	}
	wantLogged(t, log, jobs["alone"].ID, own)
}

func isJobSpan(j client.Job) func(*tracing.Span) bool {
	return func(s *tracing.Span) bool { return s.Name == "job" && attribute(s, "blotter.job") == j.ID }
}

// wantTrace wants one trace of one upload and its job, and nothing else in it: request,
// under it the job, under that a span for each stage that took time. It returns the
// request's.
func wantTrace(t *testing.T, all []*tracing.Span, j client.Job, trace string) *tracing.Span {
	t.Helper()
	var in []*tracing.Span
	for _, s := range all {
		if hex.EncodeToString(s.TraceId) == trace {
			in = append(in, s)
		}
	}
	request := slices.IndexFunc(in, func(s *tracing.Span) bool { return s.Name == "POST /v1/documents" })
	job := slices.IndexFunc(in, isJobSpan(j))
	if request < 0 || job < 0 {
		t.Fatalf("the trace of %s holds %v", j.ID, in)
	}
	wantSpan(t, in[request], "", tracing.Span_SPAN_KIND_SERVER)
	wantSpan(t, in[job], string(in[request].SpanId), tracing.Span_SPAN_KIND_CONSUMER)
	if state := attribute(in[job], "blotter.state"); state != j.State {
		t.Errorf("the job's span says %q, the job is %s", state, j.State)
	}
	stages := map[string]bool{}
	for i, s := range in {
		if i != request && i != job {
			wantSpan(t, s, string(in[job].SpanId), tracing.Span_SPAN_KIND_INTERNAL)
			stages[attribute(s, "blotter.stage")] = true
		}
	}
	if len(stages) != len(in)-2 {
		t.Errorf("%d spans of the stages %v", len(in)-2, stages)
	}
	for _, stage := range document.Stages() { // the seal comes after the attempt, from another room
		if name := stage.String(); j.TimingsMS[name] > 0 && !stages[name] && stage != document.StageSeal {
			t.Errorf("no span for %s, which took %d ms", name, j.TimingsMS[name])
		}
	}
	for _, name := range []string{"read", "redact", "verify", "store"} {
		if !stages[name] {
			t.Errorf("no span for %s", name)
		}
	}
	return in[request]
}

// wantSpan wants a span to hang where it should; parent "" is not looked at.
func wantSpan(t *testing.T, s *tracing.Span, parent string, kind tracing.Span_SpanKind) {
	t.Helper()
	if parent != "" && string(s.ParentSpanId) != parent {
		t.Errorf("the span %q hangs under %x, not under %x", s.Name, s.ParentSpanId, parent)
	}
	if s.Kind != kind || s.EndTimeUnixNano < s.StartTimeUnixNano || s.StartTimeUnixNano == 0 {
		t.Errorf("the span %q is %v from %d to %d", s.Name, s.Kind, s.StartTimeUnixNano, s.EndTimeUnixNano)
	}
}

// wantLogged wants the log's lines about an attempt to name the trace.
func wantLogged(t *testing.T, log []map[string]any, job, trace string) {
	t.Helper()
	for _, message := range []string{"job claimed", "job ended"} {
		if !slices.ContainsFunc(log, func(r map[string]any) bool {
			return r["msg"] == message && r["job"] == job && fmt.Sprint(r["trace"]) == trace
		}) {
			t.Errorf("no line %q of %s names the trace %s", message, job, trace)
		}
	}
}
