package intake

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

func TestEveryAnswerIsHardened(t *testing.T) {
	o := newOffice(t, testConfig())
	for _, r := range []reply{o.post("k", letter, nil), o.post("", letter, nil), o.send("GET", "/nowhere", nil, nil)} {
		h := r.Header
		if h.Get("Cache-Control") != "no-store" || h.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(h.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%d: %v", r.StatusCode, h)
		}
	}
}

func TestWhatMatchesNoRoute(t *testing.T) {
	o := newOffice(t, testConfig())
	o.refused(o.send("GET", "/v1/nothing", nil, nil), reason.APINotFound)
	o.refused(o.send("POST", "/v1//documents", nil, nil), reason.APINotFound)
	o.refused(o.send("POST", "/v1/x/../documents", nil, nil), reason.APINotFound)
	o.refused(o.send("POST", "/v1/documents/", nil, nil), reason.APINotFound)
	r := o.send("GET", "/v1/documents", nil, nil)
	o.refused(r, reason.APIMethod)
	if r.Header.Get("Allow") != "POST" {
		t.Errorf("headers %v", r.Header)
	}
	o.notes.mu.Lock()
	defer o.notes.mu.Unlock()
	if got := o.notes.answered[0]; got != "none Not Found api.not_found" {
		t.Errorf("metered as %q", got)
	}
}

func TestWhoMayComeIn(t *testing.T) {
	o := newOffice(t, testConfig())
	ctx := context.Background()
	k, revoked := o.newKey("alpha", access.Client, document.Lanes())
	o.must(o.db.RevokeAccess(ctx, k.ID, receipt.Event{Schema: receipt.EventSchema, Kind: receipt.AccessRevoked, Actor: "test", Time: receipt.FormatTime(time.Now())}))
	for name, header := range map[string]string{
		"none": "", "other scheme": "Basic " + o.key, "no token": "Bearer ", "no key": "Bearer x", "wrong secret": "Bearer " + o.key[:len(o.key)-1] + "_", "revoked": "Bearer " + revoked,
	} {
		r := o.post("k", letter, map[string]string{"Authorization": header})
		if p := o.refused(r, reason.APIUnauthorised); r.Header.Get("WWW-Authenticate") != "Bearer" || len(p.Faults) > 0 {
			t.Errorf("%s: %v", name, r.Header)
		}
	}
	o.accepted(o.post("k", letter, map[string]string{"Authorization": "bearer " + o.key}))
}

func TestEachKeyHasItsRate(t *testing.T) {
	cfg := testConfig()
	cfg.RatePerSecond, cfg.RateBurst = 0.01, 2
	o := newOffice(t, cfg)
	_, other := o.newKey("alpha", access.Client, document.Lanes())
	o.accepted(o.post("k", letter, nil))
	o.accepted(o.post("k", letter, nil))
	r := o.post("k", letter, nil)
	o.refused(r, reason.APIRate)
	if r.Header.Get("Retry-After") != "100" {
		t.Errorf("headers %v", r.Header)
	}
	o.accepted(o.post("k", letter, map[string]string{"Authorization": "Bearer " + other}))
}

// Whoever guesses keys is soon not even looked at; a key that was valid before is.
func TestGuessing(t *testing.T) {
	o := newOffice(t, testConfig())
	_, late := o.newKey("alpha", access.Client, document.Lanes())
	o.accepted(o.post("k", letter, nil))
	refused := 0
	for range failuresAtOnce + 50 {
		r := o.post("k", letter, map[string]string{"Authorization": "Bearer guess"})
		if r.StatusCode == http.StatusTooManyRequests {
			o.refused(r, reason.APIRate)
			refused++
		}
	}
	if refused == 0 {
		t.Fatal("guessing goes on for ever")
	}
	o.accepted(o.post("k", letter, nil))
	r := o.post("k", letter, map[string]string{"Authorization": "Bearer " + late})
	if r.StatusCode != http.StatusTooManyRequests && r.StatusCode != http.StatusAccepted {
		t.Errorf("answered %d", r.StatusCode)
	}
}

// What a client sends enters neither log nor span, wherever it stands.
func TestLogAndSpansAreSparse(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	o := newOffice(t, testConfig(), func(d *Deps) { d.Tracer = provider.Tracer("") })
	const canary = "Qwyzzer"
	o.send("POST", documentsPath+"?policy="+canary, strings.NewReader(canary), map[string]string{
		keyHeader: canary, "User-Agent": canary, "Tracestate": "x=" + canary, "Content-Type": "x/" + canary,
		"Traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
	})
	o.send("GET", "/v1/jobs/"+canary, nil, nil)
	o.send("GET", "/"+canary, nil, nil)
	o.accepted(o.post(canary, canary, nil))
	o.untilAnswered(4)
	o.stop()
	for _, s := range spans.Ended() {
		text := s.Name() + s.SpanContext().TraceState().String()
		for _, a := range s.Attributes() {
			text += string(a.Key) + a.Value.String()
		}
		if strings.Contains(text, canary) {
			t.Errorf("span %s", text)
		}
	}
	first := spans.Ended()[0]
	if first.Name() != "POST /v1/documents" || first.Parent().TraceID().String() != "0af7651916cd43dd8448eb211c80319c" {
		t.Errorf("span %q under %s", first.Name(), first.Parent().TraceID())
	}
	log := o.log.String()
	if strings.Contains(log, canary) || strings.Contains(log, o.key) {
		t.Errorf("log: %s", log)
	}
	for _, want := range []string{`"route":"POST.v1.documents","status":422`, `"reason":"policy.unknown"`, `"route":"GET.v1.jobs.id","status":404`, `"route":"none"`, `"status":202`} {
		if !strings.Contains(log, want) {
			t.Errorf("no %s in the log: %s", want, log)
		}
	}
}

// torn is an image whose reading panics.
type torn struct{}

func (torn) Read([]byte) (int, error) { panic("pretended") }

type tornResults struct{ Results }

func (tornResults) Derivative(context.Context, queue.Job, int) (io.ReadCloser, int64, document.Digest, error) {
	return io.NopCloser(torn{}), 1000, document.Sum(nil), nil
}

// A panic behind a half answer must not look like an answer.
func TestAPanicInAnAnswer(t *testing.T) {
	o := newOffice(t, testConfig(), func(d *Deps) { d.Results = tornResults{} })
	o.ends(document.Released, "")
	if r, err := o.try("POST", "/v1/redact", strings.NewReader("x"), nil); err == nil {
		t.Errorf("answered %d %s", r.StatusCode, r.body)
	}
	o.untilAnswered(1)
	if !strings.Contains(o.log.String(), "a handler panicked") {
		t.Error("the log does not tell")
	}
}

func TestAPanicBeforeAnAnswer(t *testing.T) {
	o := newOffice(t, testConfig(), func(d *Deps) { d.Runner = pretender{} })
	r, err := o.try("POST", "/v1/redact", strings.NewReader("x"), nil)
	o.must(err)
	o.refused(r, reason.Internal)
	if !strings.Contains(o.log.String(), "a handler panicked") {
		t.Error("the log does not tell")
	}
}

type pretender struct{}

func (pretender) Slot() (func(), error) { return func() {}, nil }
func (pretender) Run(context.Context, document.ID) (queue.Job, error) {
	panic("pretended")
}
