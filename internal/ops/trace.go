package ops

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"blotter/internal/reason"
)

// TraceConfig says where traces go. The zero value sends none.
type TraceConfig struct {
	Endpoint string          // URL of an OTLP/HTTP collector's traces, such as http://127.0.0.1:4318/v1/traces; empty: no traces
	Sample   float64         // share of traces that is sent, 0 to 1, where the caller's traceparent does not decide
	Version  string          // of this build
	Routes   *Routes         // the patterns that a span may name; nil: none
	Lost     func(spans int) // told of spans that the collector did not take (Metrics.SpansLost); may be nil
}

// Validate reports every problem.
func (c TraceConfig) Validate() error {
	var problems []error
	u, err := url.Parse(c.Endpoint)
	if c.Endpoint != "" && (err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "") {
		problems = append(problems, errors.New("the trace endpoint is no http or https URL"))
	}
	if !(c.Sample >= 0 && c.Sample <= 1) { // NaN too
		problems = append(problems, errors.New("the trace sample is not between 0 and 1"))
	}
	return errors.Join(problems...)
}

// exportLimit is how long one batch may take to reach the collector, tries included.
const exportLimit = 10 * time.Second

// Tracing makes the provider of tracers. Spans are sent in batches, in the background; a
// collector that is slow or away costs spans, never a request. Every span passes the
// allow-list of sift on its way out. shutdown sends what waits, until its context ends.
// Error: config.invalid.
func Tracing(ctx context.Context, c TraceConfig) (provider trace.TracerProvider, shutdown func(context.Context) error, err error) {
	if err := c.Validate(); err != nil {
		return nil, nil, reason.Because(reason.ConfigInvalid, err)
	}
	if c.Endpoint == "" {
		return noop.NewTracerProvider(), func(context.Context) error { return nil }, nil
	}
	silence()
	otlp, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(c.Endpoint), otlptracehttp.WithTimeout(exportLimit))
	if err != nil {
		return nil, nil, reason.Because(reason.ConfigInvalid, err)
	}
	p := newProvider(otlp, c)
	return p, p.Shutdown, nil
}

// silence keeps OpenTelemetry from writing to standard error by itself, past the list of
// internal/logs: it would show settings of the environment that it cannot read, such as a
// header for the collector with a credential in it, and what a collector answers. That
// spans do not arrive shows in TraceConfig.Lost.
func silence() {
	otel.SetLogger(logr.Discard())
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {}))
}

func newProvider(e sdktrace.SpanExporter, c TraceConfig) *sdktrace.TracerProvider {
	who := resource.NewSchemaless(attribute.String("service.name", "blotter"), attribute.String("service.version", c.Version))
	if c.Lost == nil {
		c.Lost = func(int) {}
	}
	return sdktrace.NewTracerProvider(
		sdktrace.WithResource(who),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(c.Sample))),
		sdktrace.WithBatcher(&sieve{next: e, who: who, routes: c.Routes, lost: c.Lost}, sdktrace.WithExportTimeout(exportLimit)),
	)
}
