package worker_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"blotter/internal/audit"
	"blotter/internal/cell"
	"blotter/internal/document"
	"blotter/internal/logs"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

// meter writes down what it is told, but for times that depend on the machine.
type meter struct{ told []string }

func (m *meter) note(format string, args ...any) {
	m.told = append(m.told, fmt.Sprintf(format, args...))
}

func (m *meter) Waited(l document.Lane, d time.Duration) {
	m.note("waited %s %v", l, d.Truncate(time.Minute))
}
func (m *meter) Stage(s document.Stage, end document.State, d time.Duration, over bool) {
	m.note("%s of %s over=%v", s, end, over)
}
func (m *meter) Decoded(pixels int64, d time.Duration)   { m.note("decoded %d in %v", pixels, d) }
func (m *meter) Ended(s document.State, why reason.Code) { m.note("ended %s %s", s, why) }
func (m *meter) Retried(why reason.Code)                 { m.note("retried %s", why) }
func (m *meter) LeaseExpired(l document.Lane)            { m.note("expired %s", l) }
func (m *meter) Yielded()                                { m.note("yielded") }

func (m *meter) CellKilled(why reason.Code) { m.note("killed %s", why) }

// measured is a station whose cells report times.
func measured(t *testing.T) (*station, *meter) {
	s, m := newStation(t), &meter{}
	s.Meter = m
	s.report = cell.Report{Pixels: 5_000_000}
	s.report.Timings[document.StageExtract], s.report.Timings[document.StageRead] = time.Second, 3*time.Second
	return s, m
}

// What took longer than its budget is marked on the result, on the signed event and on the
// meter, the queue's wait among it, and each only there.
func TestOverBudget(t *testing.T) {
	s, m := measured(t)
	s.Budgets[document.StageQueue], s.Budgets[document.StageExtract] = 4*time.Minute, time.Second
	s.Budgets[document.StageRead], s.Budgets[document.StageFetch] = 2*time.Second, time.Hour
	id := s.enqueue(nil)
	s.offset += 5 * time.Minute
	s.must(s.next())
	var r receipt.Result
	s.must(json.Unmarshal(s.job(id).Result, &r))
	pending, err := s.db.Pending(t.Context(), 100)
	s.must(err)
	e := pending[slices.IndexFunc(pending, func(p audit.Pending) bool { return p.Event.Kind == receipt.RedactedKind })].Event
	if want := []string{"queue", "read"}; !slices.Equal(r.OverBudget, want) || !slices.Equal(e.OverBudget, want) {
		t.Errorf("over budget: %v, the event says %v", r.OverBudget, e.OverBudget)
	}
	if r.Pixels != 5_000_000 || e.Pixels != r.Pixels {
		t.Errorf("%d pixels, the event says %d", r.Pixels, e.Pixels)
	}
	want := []string{
		"waited bulk 5m0s", "ended released ", "queue of released over=true", "fetch of released over=false",
		"extract of released over=false", "read of released over=true", "store of released over=false", "decoded 5000000 in 4s",
	}
	if !slices.Equal(m.told, want) {
		t.Errorf("told\n%s\nwant\n%s", strings.Join(m.told, "\n"), strings.Join(want, "\n"))
	}
}

func TestMeterIsToldOfFailures(t *testing.T) {
	s, m := measured(t)
	s.report = cell.Report{}
	id := s.enqueue(nil)
	s.play = fails(reason.CellKilled)
	s.must(s.next())
	s.offset += s.Config.Backoff.Cap
	s.play = fails(reason.CellMemory)
	s.must(s.next())
	s.enqueue(func(j *queue.Job) { j.Lane = document.Interactive })
	s.loseOneLease(id)
	m.told = slices.DeleteFunc(m.told, func(line string) bool { return strings.Contains(line, " of ") || strings.Contains(line, "waited") })
	want := []string{
		"killed cell.killed", "retried cell.killed", "killed cell.memory_limit", "ended rejected cell.memory_limit", "expired interactive",
	}
	if !slices.Equal(m.told, want) {
		t.Errorf("told %q", m.told)
	}
}

// The spans of an attempt stand in the trace of the request that made the job, and say
// nothing but identifiers and codes; the log names the trace.
func TestTrace(t *testing.T) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	s, _ := measured(t)
	recorder := tracetest.NewSpanRecorder()
	s.Tracer = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("")
	var log bytes.Buffer
	s.Log = logs.New(&log, slog.LevelInfo)
	id := s.enqueue(func(j *queue.Job) { j.Trace = parent })
	s.offset += time.Minute
	s.must(s.next())
	spans := map[string]sdktrace.ReadOnlySpan{}
	for _, span := range recorder.Ended() {
		spans[span.Name()] = span
	}
	job := spans["job"]
	if job == nil || job.Parent().SpanID().String() != parent[36:52] || !job.Parent().IsRemote() {
		t.Fatalf("spans %v", spans)
	}
	for name, want := range map[string]time.Duration{"queue": time.Minute, "fetch": 0, "extract": time.Second, "read": 3 * time.Second, "store": 0} {
		span := spans[name]
		if span == nil || span.Parent().SpanID() != job.SpanContext().SpanID() || span.SpanContext().TraceID().String() != parent[3:35] {
			t.Errorf("%s: %v", name, span)
			continue
		}
		if got := span.EndTime().Sub(span.StartTime()); got < want || got > want+time.Minute { // the machine may be slow
			t.Errorf("%s took %v", name, got)
		}
		if got := attribute.NewSet(span.Attributes()...); !got.Equals(set("blotter.stage", name)) {
			t.Errorf("%s: attributes %v", name, span.Attributes())
		}
	}
	if !spans["read"].StartTime().Equal(spans["extract"].EndTime()) || spans["queue"].EndTime().After(spans["fetch"].StartTime()) {
		t.Error("the stages do not follow each other")
	}
	if len(spans) != 6 {
		t.Errorf("%d spans", len(spans))
	}
	want := attribute.NewSet(attribute.String("blotter.job", string(id)), attribute.Int("blotter.attempt", 1),
		attribute.String("blotter.state", "released"))
	if got := attribute.NewSet(job.Attributes()...); !got.Equals(&want) {
		t.Errorf("attributes %v", job.Attributes())
	}
	if lines := strings.Split(strings.TrimSpace(log.String()), "\n"); len(lines) < 2 ||
		slices.ContainsFunc(lines, func(l string) bool { return !strings.Contains(l, `"trace":"`+parent[3:35]+`"`) }) {
		t.Errorf("the log does not name the trace:\n%s", log.String())
	}
}

func set(key, value string) *attribute.Set {
	out := attribute.NewSet(attribute.String(key, value))
	return &out
}

// A trace that the client made up badly is no trace.
func TestMalformedTrace(t *testing.T) {
	s, _ := measured(t)
	recorder := tracetest.NewSpanRecorder()
	s.Tracer = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("")
	s.enqueue(func(j *queue.Job) { j.Trace = "00-Eleanor Rigby-01" })
	s.must(s.next())
	for _, span := range recorder.Ended() {
		if span.Name() == "job" && span.Parent().IsValid() {
			t.Errorf("parent %v", span.Parent())
		}
	}
}
