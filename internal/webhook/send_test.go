package webhook

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"blotter/internal/document"
	"blotter/internal/reason"
)

func secret(t *testing.T) Secret {
	t.Helper()
	b := make([]byte, 32)
	rand.Read(b)
	s, err := ParseSecret(secretPrefix + base64.StdEncoding.EncodeToString(b))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var delivery = Delivery{
	ID: MessageID("clinic", "j1", 7), Endpoint: "clinic", Tenant: "clinic", Job: "j1",
	State: document.Released, Sequence: 7, Ended: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), Attempt: 1,
}

// got is a request as the endpoint saw it.
type got struct {
	header http.Header
	body   []byte
}

// serve is an endpoint that answers as told and keeps what came.
func serve(t *testing.T, answer func(http.ResponseWriter)) (url string, requests <-chan got) {
	t.Helper()
	ch := make(chan got, 16)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		ch <- got{r.Header.Clone(), body}
		answer(w)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, ch
}

func status(code int) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { w.WriteHeader(code) }
}

// The official library of the receiving side accepts a message under the old secret and
// under the new one, and under no other.
func TestReceiversVerify(t *testing.T) {
	url, requests := serve(t, status(204))
	before, now := secret(t), secret(t)
	e := Endpoint{Name: "clinic", URL: url, Secrets: []Secret{now, before}}
	if err := send(t.Context(), newClient(true), e, delivery, time.Now()); err != nil {
		t.Fatal(err)
	}
	r := <-requests
	for i, s := range []Secret{now, before, secret(t)} {
		w, err := webhooks.NewWebhookRaw(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Verify(r.body, r.header); (err == nil) != (i < 2) {
			t.Errorf("secret %d: %v", i, err)
		}
	}
	want := `{"type":"job.released","timestamp":"2026-03-04T05:06:07.000Z","data":{"job":"j1","tenant":"clinic","state":"released","sequence":7}}`
	if string(r.body) != want {
		t.Errorf("%s, want %s", r.body, want)
	}
	if id := r.header.Get("webhook-id"); id != delivery.ID || !strings.HasPrefix(id, "msg_") {
		t.Errorf("message id %q", id)
	}
}

func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter)
		why    reason.Code
		after  time.Duration
	}{
		"taken":     {status(200), "", 0},
		"accepted":  {status(202), "", 0},
		"gone":      {status(410), reason.WebhookGone, 0},
		"broken":    {status(500), reason.WebhookRefused, 0},
		"not found": {status(404), reason.WebhookRefused, 0},
		"elsewhere": {func(w http.ResponseWriter) { w.Header().Set("Location", "/other"); w.WriteHeader(307) }, reason.WebhookRefused, 0},
		"busy":      {func(w http.ResponseWriter) { w.Header().Set("Retry-After", "17"); w.WriteHeader(429) }, reason.WebhookRefused, 17 * time.Second},
		"endless": {func(w http.ResponseWriter) {
			for {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}, "", 0},
		"hangs up": {func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, reason.WebhookUnreachable, 0},
	} {
		t.Run(name, func(t *testing.T) {
			url, requests := serve(t, c.answer)
			e := Endpoint{Name: "clinic", URL: url + "/canary-path?token=canary", Secrets: []Secret{secret(t)}}
			err := send(t.Context(), newClient(true), e, delivery, time.Now())
			if reason.Of(err) != c.why || reason.After(err) != c.after {
				t.Errorf("%v after %v, want %s after %v", err, reason.After(err), c.why, c.after)
			}
			if err != nil && strings.Contains(err.Error(), "canary") {
				t.Errorf("the error names the URL: %v", err)
			}
			if n := len(requests); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// An endpoint that never answers is given up for the time being.
func TestEndlessWaitEnds(t *testing.T) {
	gone := make(chan struct{})
	defer close(gone)
	url, _ := serve(t, func(http.ResponseWriter) { <-gone })
	c := newClient(true)
	if c.Timeout != attemptTime {
		t.Errorf("an attempt may take %v", c.Timeout)
	}
	c.Timeout = 50 * time.Millisecond
	err := send(t.Context(), c, Endpoint{URL: url, Secrets: []Secret{secret(t)}}, delivery, time.Now())
	if reason.Of(err) != reason.WebhookUnreachable {
		t.Errorf("%v, want %s", err, reason.WebhookUnreachable)
	}
}

// Nothing reaches an inner address unless it is allowed, whatever name leads there.
func TestPrivateAddressesAreRefused(t *testing.T) {
	url, requests := serve(t, status(200))
	for _, address := range []string{url, strings.Replace(url, "127.0.0.1", "localhost", 1), strings.Replace(url, "127.0.0.1", "[::ffff:127.0.0.1]", 1)} {
		err := send(context.Background(), newClient(false), Endpoint{URL: address, Secrets: []Secret{secret(t)}}, delivery, time.Now())
		if reason.Of(err) != reason.WebhookPrivate {
			t.Errorf("%v, want %s", err, reason.WebhookPrivate)
		}
	}
	if len(requests) != 0 {
		t.Error("a request arrived")
	}
}
