package worker

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"blotter/internal/document"
	"blotter/internal/queue"
)

// Keys of span attributes; internal/ops lets these through and no others.
const (
	keyJob     = attribute.Key("blotter.job")
	keyAttempt = attribute.Key("blotter.attempt")
	keyStage   = attribute.Key("blotter.stage")
	keyState   = attribute.Key("blotter.state")
	keyReason  = attribute.Key("blotter.reason")
)

// span begins the span of an attempt, in the trace of the request that made the job.
func (w *Worker) span(ctx context.Context, j queue.Job) (context.Context, trace.Span) {
	tracer := w.Tracer
	if tracer == nil {
		tracer = noop.NewTracerProvider().Tracer("")
	}
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": j.Trace})
	return tracer.Start(ctx, "job", trace.WithSpanKind(trace.SpanKindConsumer),
		trace.WithAttributes(keyJob.String(string(j.ID)), keyAttempt.Int(j.Attempt)))
}

// trace writes the attempt's stages as spans and ends its own. The queue's lies before the
// attempt. The cell tells sums over its two passes: its stages stand one after the other
// from where it began, in the order of their first time. What was stored was stored in
// between; its sum stands where the first of it began.
func (a *attempt) trace(ctx context.Context) {
	span := trace.SpanFromContext(ctx)
	defer span.End()
	if !span.IsRecording() {
		return
	}
	if a.ended != "" {
		span.SetAttributes(keyState.String(string(a.ended)))
	}
	if a.why != "" {
		span.SetAttributes(keyReason.String(string(a.why)))
	}
	tracer := span.TracerProvider().Tracer("")
	for _, s := range document.Stages() {
		if a.began[s].IsZero() || a.timings[s] == 0 {
			continue
		}
		_, child := tracer.Start(ctx, s.String(), trace.WithTimestamp(a.began[s]), trace.WithAttributes(keyStage.String(s.String())))
		child.End(trace.WithTimestamp(a.began[s].Add(a.timings[s])))
	}
}

// beganCell lays the cell's stages end to end from the given time.
func (a *attempt) beganCell(at time.Time) {
	for s := document.StageSniff; s <= document.StageVerify; s++ {
		a.began[s] = at
		at = at.Add(a.timings[s])
	}
}
