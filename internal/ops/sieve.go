package ops

import (
	"context"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// sieve takes from spans what is not on the list before the next exporter sees them, so
// that no slip of the pen sends a payload out (mission line M32). What stays is numbers,
// times, identifiers that this station made, and words of enumerations.
type sieve struct {
	next   sdktrace.SpanExporter
	who    *resource.Resource
	routes *Routes
	lost   func(int)
}

// ExportSpans implements sdktrace.SpanExporter. It reports losses to its own counter and
// not to OpenTelemetry, which would write the error's text to standard error.
func (s *sieve) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	clean := make([]sdktrace.ReadOnlySpan, len(spans))
	for i, span := range spans {
		clean[i] = sifted{span, s}
	}
	if err := s.next.ExportSpans(ctx, clean); err != nil {
		s.lost(len(spans))
	}
	return nil
}

// Shutdown implements sdktrace.SpanExporter.
func (s *sieve) Shutdown(ctx context.Context) error { return s.next.Shutdown(ctx) }

// sifted is a span of which only the list is seen.
type sifted struct {
	sdktrace.ReadOnlySpan
	by *sieve
}

// The parts of a span that hold free text, or what a client sent, and what is shown of them.

func (s sifted) Name() string { return s.by.name(s.ReadOnlySpan.Name()) }
func (s sifted) Attributes() []attribute.KeyValue {
	return s.by.attributes(s.ReadOnlySpan.Attributes())
}
func (s sifted) Events() []sdktrace.Event                    { return nil }
func (s sifted) Links() []sdktrace.Link                      { return nil }
func (s sifted) Status() sdktrace.Status                     { return sdktrace.Status{Code: s.ReadOnlySpan.Status().Code} }
func (s sifted) SpanContext() trace.SpanContext              { return stateless(s.ReadOnlySpan.SpanContext()) }
func (s sifted) Parent() trace.SpanContext                   { return stateless(s.ReadOnlySpan.Parent()) }
func (s sifted) Resource() *resource.Resource                { return s.by.who }
func (s sifted) InstrumentationScope() instrumentation.Scope { return scope }

// scope stands for whoever made a span: its name tells nothing that the span does not.
var scope = instrumentation.Scope{Name: "blotter"}

// stateless drops the tracestate, in which a client may write what it likes.
func stateless(c trace.SpanContext) trace.SpanContext { return c.WithTraceState(trace.TraceState{}) }

// spanNames are the names that a span may have, beside routes and stages.
var spanNames = []string{"request", "job", "attempt", none}

func (s *sieve) name(n string) string {
	if slices.Contains(spanNames, n) || s.routes.knows(n) || isStage(n) {
		return n
	}
	return other
}

func (s *sieve) attributes(all []attribute.KeyValue) []attribute.KeyValue {
	var kept []attribute.KeyValue
	for _, a := range all {
		if s.passes(a) {
			kept = append(kept, a)
		}
	}
	return kept
}

// passes is the allow-list: each key with the values that it may have. Two keys are
// OpenTelemetry's semantic conventions for HTTP; the others may stand under "blotter.".
func (s *sieve) passes(a attribute.KeyValue) bool {
	text := ""
	if a.Value.Type() == attribute.STRING {
		text = a.Value.AsString()
	}
	switch strings.TrimPrefix(string(a.Key), "blotter.") {
	case "attempt", "status", "http.response.status_code":
		return a.Value.Type() == attribute.INT64
	case "job":
		_, err := document.ParseID(text)
		return err == nil
	case "stage":
		return isStage(text)
	case "state":
		return slices.Contains(document.States(), document.State(text))
	case "lane":
		return slices.Contains(document.Lanes(), document.Lane(text))
	case "reason":
		_, known := reason.Lookup(reason.Code(text))
		return known
	case "route", "http.route":
		return text == none || s.routes.knows(text)
	}
	return false
}

func isStage(name string) bool {
	return slices.ContainsFunc(document.Stages(), func(s document.Stage) bool { return s.String() == name })
}
