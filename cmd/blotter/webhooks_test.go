package main_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"blotter/client"
	"blotter/internal/document"
	"blotter/receipt"
)

// told is a message as an endpoint got it.
type told struct {
	ID   string `json:"-"`
	Type string
	Data struct {
		Job, Tenant, State, Reason string
		Sequence                   int64
	}
}

// ear is a webhook endpoint that checks each signature with the library of the receiving
// side, by both secrets of a rotation.
type ear struct {
	*testing.T
	secrets  [2]string
	url      string
	messages chan told
	known    map[string]bool // messages that were heard

	mu     sync.Mutex
	answer int
}

// Words that are in an endpoint's URL and stand nowhere else.
const (
	hookPath  = root + "hook"
	hookToken = root + "token"
)

func newEar(t *testing.T) *ear {
	e := &ear{T: t, messages: make(chan told, 1000), known: map[string]bool{}, answer: http.StatusNoContent}
	for i := range e.secrets {
		e.secrets[i] = "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(string(rune('a'+i)), 8)+root+"-secret-of-a-hook"))
	}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	e.url = server.URL + "/" + hookPath + "?token=" + hookToken
	return e
}

// answers sets what is answered from now on.
func (e *ear) answers(code int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answer = code
}

// ServeHTTP implements http.Handler.
func (e *ear) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.URL.Path != "/"+hookPath || r.URL.Query().Get("token") != hookToken {
		e.Errorf("asked for %s, %v", r.URL.Path, err)
	}
	for _, s := range e.secrets {
		if verifier, err := webhooks.NewWebhook(s); err != nil {
			e.Error(err)
		} else if err := verifier.Verify(body, r.Header); err != nil {
			e.Errorf("a signature does not verify: %v", err)
		}
	}
	m := told{ID: r.Header.Get("webhook-id")}
	if err := json.Unmarshal(body, &m); err != nil {
		e.Error(err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	w.WriteHeader(e.answer)
	e.messages <- m
}

// hear waits for the next message, which must be of a job; of another one a message may come
// once more.
func (e *ear) hear(job, kind, why string) told {
	e.Helper()
	select {
	case m := <-e.messages:
		if m.Data.Job != job && e.known[m.ID] {
			return e.hear(job, kind, why)
		}
		e.known[m.ID] = true
		if m.Data.Job != job || m.Type != "job."+kind || m.Data.State != kind || m.Data.Reason != why || m.Data.Tenant != "default" || m.ID == "" {
			e.Fatalf("told %+v, want that job %s is %s (%s)", m, job, kind, why)
		}
		return m
	case <-limited(e.T).Done():
		e.Fatalf("nobody told that job %s is %s", job, kind)
	}
	return told{}
}

// env are the settings under which a service tells this ear.
func (e *ear) env() []string {
	file := filepath.Join(e.TempDir(), "secrets")
	write(e.T, file, []byte("ehr "+e.secrets[0]+"\nehr "+e.secrets[1]+"\n"))
	return []string{
		"BLOTTER_WEBHOOKS_ENDPOINTS=ehr:default=" + e.url, "BLOTTER_WEBHOOKS_SECRETS_FILE=" + file, "BLOTTER_WEBHOOKS_ALLOW_PRIVATE=true",
		"BLOTTER_WEBHOOKS_BACKOFF_BASE=50ms", "BLOTTER_WEBHOOKS_BACKOFF_CAP=100ms", "BLOTTER_WEBHOOKS_ATTEMPTS=100",
	}
}

// TestServeTellsEndpoints: each end of a tenant's job is told, signed, until it is taken,
// through refusals and a kill; nothing of endpoint or secret is left anywhere.
func TestServeTellsEndpoints(t *testing.T) {
	t.Parallel()
	e, spans, gone := newEar(t), newCollector(t), filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(gone, 0o700); err != nil {
		t.Fatal(err)
	}
	s := newStation(t, append(e.env(), spans.env(), "BLOTTER_QUEUE_ATTEMPTS=1", "BLOTTER_SERVE_SOURCES=default=file://"+gone+"/")...)
	h := &hunt{t: t, needles: []string{root}}
	for _, secret := range e.secrets {
		raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			t.Fatal(err)
		}
		h.bytes("a secret", raw)
		h.needles = append(h.needles, strings.TrimPrefix(secret, "whsec_"))
	}
	v := s.serve()
	ctx, c := limited(t), v.client("")

	e.answers(http.StatusInternalServerError)
	other := v.client(s.addKey("--tenant", "other", "--role", "client"))
	untold := upload(t, ctx, other, []byte("#!/bin/sh\n"), client.UploadOptions{})
	if j, err := other.Wait(ctx, untold.ID); err != nil || j.State != "rejected" {
		t.Errorf("another tenant's job is %+v, %v", j, err)
	}
	released := upload(t, ctx, c, read(t, tiny(t)), client.UploadOptions{}).ID
	first := e.hear(released, "released", "")
	if again := e.hear(released, "released", ""); again != first {
		t.Errorf("%+v came again as %+v", first, again)
	}
	if j, err := c.Job(ctx, released); err != nil || j.Event != first.Data.Sequence {
		t.Errorf("told event %d, the job's is %d, %v", first.Data.Sequence, j.Event, err)
	}

	v.Process.Kill() // the job has ended and nobody was told
	v.Wait()
	s.noCellLeft(v.Process.Pid)
	log, key := v.err.String(), v.key
	for len(e.messages) > 0 {
		<-e.messages
	}
	e.answers(http.StatusNoContent)
	v = s.serve()
	c = v.client(key)
	if again := e.hear(released, "released", ""); again != first {
		t.Errorf("after the kill %+v came as %+v", first, again)
	}

	rejected := upload(t, ctx, c, []byte("#!/bin/sh\n"), client.UploadOptions{}).ID
	e.hear(rejected, "rejected", "sniff.script")
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	dead, err := c.Refer(ctx, client.Reference{Source: "file://" + gone + "/a.png", SHA256: document.Sum(nil).String()}, "")
	if err != nil {
		t.Fatal(err)
	}
	e.hear(dead.ID, "dead", "source.unavailable")
	if _, err := c.Discard(ctx, dead.ID); err != nil {
		t.Error(err)
	}
	e.hear(dead.ID, "cancelled", "job.discarded")

	e.answers(http.StatusGone)
	for _, act := range []string{"replay", "discard"} {
		id := upload(t, ctx, c, []byte("#!/bin/sh\n"), client.UploadOptions{}).ID
		message := e.hear(id, "rejected", "sniff.script").ID
		s.givenUp(ctx, message)
		r := s.run(program(t), "webhooks", act, message)
		if r.exit != 0 || !strings.HasPrefix(r.out, message) {
			t.Errorf("webhooks %s ended with %d: %s%s", act, r.exit, r.out, r.err)
		}
		if act == "replay" {
			e.hear(id, "rejected", "sniff.script")
			s.givenUp(ctx, message)
			e.answers(http.StatusOK)
			s.run(program(t), "webhooks", act, message)
			e.hear(id, "rejected", "sniff.script")
			e.answers(http.StatusGone)
		}
		if r := s.run(program(t), "webhooks", act, message); r.exit == 0 || !strings.Contains(r.err, "webhook.no_such_delivery") {
			t.Errorf("webhooks %s of what is over ended with %d: %s%s", act, r.exit, r.out, r.err)
		}
		log += r.out + r.err
	}
	_, metrics := get(t, v.ops+"/metrics")
	for _, want := range []string{`blotter_webhook_attempts_total{reason="none"}`, `blotter_webhooks_given_up_total{reason="webhook.gone"}`} {
		if !strings.Contains(metrics, want) {
			t.Errorf("no %s in the metrics", want)
		}
	}
	v.stop()
	for len(e.messages) > 0 {
		if m := <-e.messages; !e.known[m.ID] {
			t.Errorf("told besides: %+v", m)
		}
	}
	h.search("metrics", []byte(metrics))
	h.search("the log", []byte(log+v.err.String()+v.out.String()))
	if !strings.Contains(log, "webhook failed") {
		t.Error("the log does not tell of failures")
	}
	for _, body := range spans.sent {
		h.search("a trace", body)
	}
	h.files(s.data)
	h.tables(filepath.Join(s.data, "blotter.db"))
	if len(spans.sent) == 0 || h.searched < 50 {
		t.Errorf("%d batches of spans, %d pieces searched", len(spans.sent), h.searched)
	}
	db, _ := s.open()
	all := s.events(db) // the log verifies as a whole
	if len(all) < 10 {
		t.Errorf("only %d events", len(all))
	}
	acts := map[receipt.Kind]int{}
	for _, e := range all {
		if e.Kind == receipt.Resent || e.Kind == receipt.Unsent {
			acts[e.Kind]++
			if e.Actor != "cli" || e.Reason != "webhook.gone" || !strings.HasPrefix(e.Artifact.ID, "msg_") {
				t.Errorf("%+v", e)
			}
		}
	}
	if acts[receipt.Resent] != 2 || acts[receipt.Unsent] != 1 {
		t.Errorf("the acts on record are %v", acts)
	}
}

// givenUp waits until a message is on the list of those that were given up.
func (s *station) givenUp(ctx context.Context, message string) {
	s.t.Helper()
	for ctx.Err() == nil { // each look is a process of its own, which is pause enough
		r := s.run(program(s.t), "webhooks", "list", "--dead", "--json")
		if r.exit != 0 {
			s.t.Fatalf("webhooks list ended with %d: %s%s", r.exit, r.out, r.err)
		}
		if strings.Contains(r.out, message) {
			if !strings.Contains(r.out, `"reason":"webhook.gone"`) || !strings.Contains(r.out, `"endpoint":"ehr"`) {
				s.t.Errorf("listed as %s", r.out)
			}
			return
		}
	}
	s.t.Fatalf("%s was never given up", message)
}
