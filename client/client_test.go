package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"blotter/client"
	"blotter/receipt"
)

// service plays answers one after the other, the last again and again, and remembers
// what it was asked. The service itself is tried with this client in internal/intake.
type service struct {
	*testing.T
	url string

	mu      sync.Mutex
	answers []http.HandlerFunc
	asked   []string // "METHOD /path body"
	keys    []string // Idempotency-Key of each request
	slept   []time.Duration
	now     time.Time
}

func play(t *testing.T, answers ...http.HandlerFunc) *service {
	s := &service{T: t, answers: answers, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	s.url = srv.URL
	return s
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.asked = append(s.asked, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
	s.keys = append(s.keys, r.Header.Get("Idempotency-Key"))
	answer := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	s.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer secret" {
		s.Errorf("authorization %q", r.Header.Get("Authorization"))
	}
	answer(w, r)
}

// requests are those that came so far.
func (s *service) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func (s *service) client(o ...client.Option) *client.Client {
	s.Helper()
	now := func() time.Time { return s.now }
	sleep := func(ctx context.Context, d time.Duration) error {
		s.slept, s.now = append(s.slept, d), s.now.Add(d)
		return ctx.Err()
	}
	c, err := client.New(s.url+"/", "secret", append([]client.Option{client.WithClock(now, sleep)}, o...)...)
	if err != nil {
		s.Fatal(err)
	}
	return c
}

// says answers with a body; header lines as "Name: value".
func says(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, h := range header {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func refuses(status int, code, class string, header ...string) http.HandlerFunc {
	body := fmt.Sprintf(`{"type":"urn:blotter:reason:%s","status":%d,"detail":"what to do","reason":%q,"class":%q}`, code, status, code, class)
	return says(status, body, append(header, "Content-Type: application/problem+json")...)
}

// breaks closes the connection without an answer.
func breaks(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func TestWhatPassesIsTriedAgain(t *testing.T) {
	job := says(200, `{"id":"j1","state":"queued"}`)
	const (
		ms     = time.Millisecond
		second = time.Second
	)
	for name, c := range map[string]struct {
		answers []http.HandlerFunc
		slept   []time.Duration
		fails   string // empty: it succeeds
	}{
		"at once":             {[]http.HandlerFunc{job}, nil, ""},
		"backoff":             {[]http.HandlerFunc{says(502, "<html>"), says(503, ""), says(504, ""), job}, []time.Duration{250 * ms, 500 * ms, second}, ""},
		"connection lost":     {[]http.HandlerFunc{breaks, job}, []time.Duration{250 * ms}, ""},
		"asked to wait":       {[]http.HandlerFunc{refuses(429, "api.rate_limited", "transient", "Retry-After: 7"), job}, []time.Duration{7 * second}, ""},
		"asked until a date":  {[]http.HandlerFunc{refuses(503, "queue.store_busy", "transient", "Retry-After: Thu, 01 Jan 2026 00:00:09 GMT"), job}, []time.Duration{9 * second}, ""},
		"in progress":         {[]http.HandlerFunc{refuses(409, "api.in_progress", "transient", "Retry-After: 1"), job}, []time.Duration{second}, ""},
		"asked too much":      {[]http.HandlerFunc{refuses(503, "api.busy", "transient", "Retry-After: 121"), job}, nil, "api.busy"},
		"not for an operator": {[]http.HandlerFunc{refuses(503, "cell.engines_missing", "operator"), job}, nil, "cell.engines_missing"},
		"not what stays":      {[]http.HandlerFunc{refuses(404, "api.not_found", "permanent"), job}, nil, "api.not_found"},
		"not without a time":  {[]http.HandlerFunc{refuses(409, "job.not_ended", "transient"), job}, nil, "job.not_ended"},
		"not for ever": {[]http.HandlerFunc{refuses(503, "queue.store_busy", "transient")},
			[]time.Duration{250 * ms, 500 * ms, second, 2 * second}, "queue.store_busy"},
	} {
		t.Run(name, func(t *testing.T) {
			s := play(t, c.answers...)
			j, err := s.client().Job(t.Context(), "j1")
			if (c.fails == "" && (err != nil || j.ID != "j1")) || (c.fails != "" && !client.Is(err, c.fails)) {
				t.Errorf("%+v, %v", j, err)
			}
			if !slices.Equal(s.slept, c.slept) {
				t.Errorf("slept %v, want %v", s.slept, c.slept)
			}
		})
	}
}

func TestUploadsAreSentAgainWithTheSameKey(t *testing.T) {
	accepted := says(202, `{"id":"j1"}`)
	s := play(t, breaks, says(503, ""), accepted)
	if _, err := s.client().Upload(t.Context(), strings.NewReader("document"), client.UploadOptions{Lane: "bulk"}); err != nil {
		t.Fatal(err)
	}
	want := "POST /v1/documents?lane=bulk document"
	if !slices.Equal(s.requests(), []string{want, want, want}) || s.keys[0] == "" || s.keys[0] != s.keys[1] || s.keys[1] != s.keys[2] {
		t.Errorf("asked %q with the keys %q", s.requests(), s.keys)
	}
	if _, err := s.client().Upload(t.Context(), strings.NewReader("document"), client.UploadOptions{}); err != nil || s.keys[3] == s.keys[0] {
		t.Errorf("another upload under the key %q, %v", s.keys[3], err)
	}
}

func TestWhatCannotBeReadAgainIsSentOnce(t *testing.T) {
	s := play(t, says(503, ""), says(202, `{"id":"j1"}`))
	var refused *client.Error
	_, err := s.client().Upload(t.Context(), io.MultiReader(strings.NewReader("document")), client.UploadOptions{})
	if !errors.As(err, &refused) || refused.Status != 503 || refused.Reason != "" || len(s.requests()) != 1 {
		t.Errorf("%v after %q", err, s.requests())
	}
}

func TestActsAreNotRepeatedBlindly(t *testing.T) {
	s := play(t, breaks, says(200, `{"id":"j1"}`))
	if _, err := s.client().Cancel(t.Context(), "j1"); err == nil || len(s.requests()) != 1 {
		t.Errorf("whether the job was cancelled is not known, and it was asked again: %v, %q", err, s.requests())
	}
	s = play(t, says(503, ""), says(200, `{"id":"j1"}`))
	if _, err := s.client().Cancel(t.Context(), "j1"); err != nil || len(s.requests()) != 2 {
		t.Errorf("a refusal that passes: %v, %q", err, s.requests())
	}
}

func TestNothingIsTriedAgainOnceTheCallerHasGone(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	s := play(t, func(w http.ResponseWriter, r *http.Request) { stop(); w.WriteHeader(503) })
	if _, err := s.client().Job(ctx, "j1"); err == nil || len(s.requests()) != 1 {
		t.Errorf("%v after %q", err, s.requests())
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	s := play(t, says(302, "", "Location: http://127.0.0.1:1/"))
	var refused *client.Error
	if _, err := s.client().Job(t.Context(), "j1"); !errors.As(err, &refused) || refused.Status != 302 {
		t.Errorf("%v", err)
	}
}

func TestAddresses(t *testing.T) {
	for _, wrong := range []string{"", "blotter.example", "ftp://x", "http://", "https://u:p@x", "https://x?a=b", "https://x#f", "://"} {
		if _, err := client.New(wrong, "secret"); err == nil {
			t.Errorf("%q was taken", wrong)
		}
	}
	s := play(t, says(200, `{}`))
	c, err := client.New(s.url+"/under/it/", "secret")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Job(t.Context(), "j/../1"); err != nil || s.requests()[0] != "GET /under/it/v1/jobs/j%2F..%2F1" {
		t.Errorf("%v, asked %q", err, s.requests())
	}
}

func TestWaitGoesOnUntilTheEnd(t *testing.T) {
	s := play(t, refuses(503, "api.too_many_waiters", "transient", "Retry-After: 1"), says(200, `{"state":"leased"}`), says(200, `{"state":"released","ended":true}`))
	j, err := s.client(client.WithRetries(0)).Wait(t.Context(), "j1")
	if err != nil || j.State != "released" || len(s.requests()) != 3 {
		t.Errorf("%+v, %v after %q", j, err, s.requests())
	}
	if !slices.Equal(s.slept, []time.Duration{2 * time.Second, 2 * time.Second}) {
		t.Errorf("a service that answers at once was asked again after %v", s.slept)
	}
}

func TestEventsAreTakenUpWhereTheStreamBroke(t *testing.T) {
	event := func(n int) string { return fmt.Sprintf("id: %d\nevent: claimed\ndata: {\"sequence\":%d}\n\n", n, n) }
	var resumed []string
	stream := func(body string, then http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			resumed = append(resumed, r.Header.Get("Last-Event-ID"))
			says(200, body, "Content-Type: text/event-stream")(w, r)
			if then != nil {
				w.(http.Flusher).Flush()
				then(w, r)
			}
		}
	}
	s := play(t, stream(event(3)+": \n\n"+event(5), breaks), stream("", nil), stream(event(9)+"event: end\ndata: {}\n\n", nil))
	var got []int64
	for e, err := range s.client().Events(t.Context(), "j1", -1) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Sequence)
	}
	if !slices.Equal(got, []int64{3, 5, 9}) || !slices.Equal(resumed, []string{"", "5", "5"}) {
		t.Errorf("events %v, resumed after %q", got, resumed)
	}
}

func TestEventsThatFail(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"refused": refuses(404, "api.not_found", "permanent"),
		"no JSON": says(200, "id: 1\ndata: {\n\n"),
		"broken":  breaks,
	} {
		s := play(t, answer)
		var failed []error
		for _, err := range s.client().Events(t.Context(), "j1", -1) {
			failed = append(failed, err)
		}
		if len(failed) != 1 || failed[0] == nil {
			t.Errorf("%s: %v", name, failed)
		}
	}
	s := play(t, says(200, strings.Repeat("data: {\"sequence\":1}\n\n", 3)))
	for e := range s.client().Events(t.Context(), "j1", -1) {
		if e.Kind != receipt.Kind("") {
			t.Error(e)
		}
		break // and nobody is asked again
	}
	if len(s.requests()) != 1 {
		t.Errorf("asked %q", s.requests())
	}
}

func TestDamagedFilesAreNoticed(t *testing.T) {
	s := play(t, says(200, "other bytes", "Content-Digest: sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"))
	if err := s.client().Derivative(t.Context(), "j1", 1, io.Discard); err == nil {
		t.Error("a file with another digest than announced was taken")
	}
	s = play(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = io.WriteString(w, "short")
	})
	if err := s.client().Result(t.Context(), "j1", io.Discard); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that is cut off: %v", err)
	}
}
