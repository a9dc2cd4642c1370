package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/sqlite"
	"blotter/internal/storetest"
	"blotter/internal/webhook"
)

const secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="

// long is a pause that no test outlasts but by moving the store's clock.
const long = 24 * time.Hour

// post is a dispatcher on a real store, and what came of it.
type post struct {
	*testing.T
	db       *sqlite.DB
	turn     sync.Mutex // held while anybody claims
	config   webhook.Config
	offset   atomic.Int64
	attempts chan reason.Code // each attempt, as the meter is told
	gaveUp   chan reason.Code
	log      strings.Builder
}

func newPost(t *testing.T) *post {
	t.Helper()
	p := &post{
		T: t, attempts: make(chan reason.Code, 100), gaveUp: make(chan reason.Code, 100),
		config: webhook.Config{AllowPrivate: true, Backoff: queue.Backoff{Base: long, Cap: long, Attempts: 3}},
	}
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "blotter.db"), sqlite.Options{
		Offset:   func() time.Duration { return time.Duration(p.offset.Load()) },
		Settings: queue.Settings{Endpoints: func(t document.Tenant) []string { return p.config.Names()(t) }},
	})
	p.must(err)
	t.Cleanup(func() { db.Close() })
	p.db = db
	return p
}

func (p *post) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// Attempted implements webhook.Meter.
func (p *post) Attempted(why reason.Code, _ time.Duration) { p.attempts <- why }

// GaveUp implements webhook.Meter.
func (p *post) GaveUp(why reason.Code) { p.gaveUp <- why }

// endpoint serves the tenant of its name.
func (p *post) endpoint(name string, answer http.HandlerFunc) {
	p.Helper()
	s := httptest.NewServer(answer)
	p.Cleanup(s.Close)
	e, err := webhook.ParseEndpoint(name + ":" + name + "=" + s.URL + "/canary")
	p.must(err)
	key, err := webhook.ParseSecret(secret)
	p.must(err)
	e.Secrets = []webhook.Secret{key}
	p.config.Endpoints = append(p.config.Endpoints, e)
}

// turns is the store of a dispatcher that claims in turn with the test.
type turns struct {
	*sqlite.DB
	turn *sync.Mutex
}

func (s turns) ClaimDelivery(ctx context.Context, d time.Duration, endpoints []string) (webhook.Delivery, error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	return s.DB.ClaimDelivery(ctx, d, endpoints)
}

// end brings a job of a tenant to its sealed end.
func (p *post) end(tenant document.Tenant) {
	p.Helper()
	_, err := storetest.WriteEnd(p.Context(), p.db, tenant, document.Released)
	p.must(err)
	p.must(storetest.Seal(p.Context(), p.db))
}

// start runs a dispatcher. stop tells it to stop and waits for it; cut also ends what is
// under way.
func (p *post) start() (stop, cut func()) {
	p.Helper()
	p.must(p.config.Validate())
	d := webhook.New(p.config, turns{p.db, &p.turn}, slog.New(slog.NewTextHandler(&p.log, nil)), p)
	ctx, cancel := context.WithCancel(p.Context())
	working, end := context.WithCancel(p.Context())
	over := make(chan error, 1)
	go func() { over <- d.Run(ctx, working, nil, func(err error) error { return err }) }()
	wait := sync.OnceFunc(func() {
		if err := <-over; err != nil {
			p.Error(err)
		}
		end()
	})
	stop = func() { cancel(); wait() }
	p.Cleanup(stop)
	return stop, func() { cancel(); end(); wait() }
}

// attempted runs a dispatcher until it has made the attempts that are wanted, in order.
func (p *post) attempted(want ...reason.Code) {
	p.Helper()
	stop, _ := p.start()
	for _, w := range want {
		if got := <-p.attempts; got != w {
			p.Errorf("an attempt ended with %q, want %q", got, w)
		}
	}
	stop()
	if strings.Contains(p.log.String(), "canary") || strings.Contains(p.log.String(), "127.0.0.1") {
		p.Errorf("the log names an endpoint's URL:\n%s", p.log.String())
	}
}

// left are the deliveries that were not taken.
func (p *post) left(n int) []webhook.Delivery {
	p.Helper()
	all, err := p.db.Deliveries(p.Context(), webhook.Filter{Limit: 1000})
	if err != nil || len(all) != n {
		p.Fatalf("%d deliveries are left, %v, want %d", len(all), err, n)
	}
	return all
}

func (p *post) now() time.Time {
	p.Helper()
	now, err := p.db.Now(p.Context())
	p.must(err)
	return now
}

func answers(codes ...int) http.HandlerFunc {
	n := atomic.Int64{}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(codes[min(int(n.Add(1)), len(codes))-1])
	}
}

// A message that is not taken is made again after a pause, under the same name, until it is.
func TestTriedUntilTaken(t *testing.T) {
	p := newPost(t)
	var ids []string
	answer := answers(500, 503, 200)
	p.endpoint("ward", func(w http.ResponseWriter, r *http.Request) {
		ids = append(ids, r.Header.Get("webhook-id"))
		answer(w, r)
	})
	p.end("ward")
	for attempt := range 2 {
		p.attempted(reason.WebhookRefused)
		d := p.left(1)[0]
		if d.Attempt != attempt+1 || d.Why != reason.WebhookRefused || d.Status != webhook.Pending || !d.NotBefore.After(p.now()) {
			t.Errorf("%+v", d)
		}
		p.offset.Add(int64(long))
	}
	p.attempted("")
	p.left(0)
	if len(ids) != 3 || ids[0] == "" || ids[1] != ids[0] || ids[2] != ids[0] {
		t.Errorf("the message came as %v", ids)
	}
}

// After the last attempt, and at once where trying again is no use, the message waits for an
// operator.
func TestGivenUp(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		tries  int
		why    reason.Code
	}{
		"attempts used up": {answers(500), 3, reason.WebhookRefused},
		"gone":             {answers(410), 1, reason.WebhookGone},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPost(t)
			p.endpoint("ward", c.answer)
			p.end("ward")
			for range c.tries {
				if len(p.gaveUp) != 0 {
					t.Fatal("given up too soon")
				}
				p.attempted(c.why)
				p.offset.Add(int64(long))
			}
			if d := p.left(1)[0]; d.Status != webhook.Dead || d.Why != c.why || d.Attempt != c.tries || <-p.gaveUp != c.why {
				t.Errorf("%+v", d)
			}
		})
	}
}

// An endpoint may ask for more time than the backoff would give it, up to the cap.
func TestRetryAfterIsCapped(t *testing.T) {
	for asked, want := range map[string]time.Duration{"30": 30 * time.Second, "86400": time.Minute} {
		p := newPost(t)
		p.config.Backoff = queue.Backoff{Base: time.Nanosecond, Cap: time.Minute, Attempts: 3}
		p.endpoint("ward", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", asked)
			w.WriteHeader(http.StatusTooManyRequests)
		})
		p.end("ward")
		before := p.now()
		p.attempted(reason.WebhookRefused)
		if at := p.left(1)[0].NotBefore; at.Before(before.Add(want)) || at.After(p.now().Add(want)) {
			t.Errorf("asked for %s s, tried again at %v, want %v after %v", asked, at, want, before)
		}
	}
}

// Who was so slow that another borrowed the delivery meanwhile changes nothing any more.
func TestLostClaim(t *testing.T) {
	for name, code := range map[string]int{"taken": 200, "refused": 410} {
		t.Run(name, func(t *testing.T) {
			p := newPost(t)
			var others webhook.Delivery
			p.endpoint("ward", func(w http.ResponseWriter, _ *http.Request) {
				p.turn.Lock() // else the dispatcher may be the first that sees what the time made ready
				defer p.turn.Unlock()
				p.offset.Add(int64(time.Hour))
				var err error
				if others, err = p.db.ClaimDelivery(t.Context(), time.Hour, []string{"ward"}); err != nil {
					t.Error(err)
				}
				w.WriteHeader(code)
			})
			p.end("ward")
			stop, _ := p.start()
			<-p.attempts
			stop()
			if d := p.left(1)[0]; d.Status != webhook.Pending || d.Token != others.Token || d.Attempt != 2 || d.Why != "" {
				t.Errorf("%+v, claimed as %+v", d, others)
			}
			if len(p.gaveUp) != 0 {
				t.Error("what was not stored counts as given up")
			}
			p.must(p.db.Delivered(t.Context(), others))
		})
	}
}

// However much waits for an endpoint that does not answer, the others are told meanwhile,
// and no more than its share waits for its answer.
func TestHangingEndpointHoldsUpNobody(t *testing.T) {
	p := newPost(t)
	release := make(chan struct{})
	letGo := sync.OnceFunc(func() { close(release) })
	defer letGo()
	hanging, most, answered := atomic.Int64{}, atomic.Int64{}, atomic.Int64{}
	p.endpoint("deaf", func(http.ResponseWriter, *http.Request) {
		now := hanging.Add(1)
		defer hanging.Add(-1)
		for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
		}
		<-release
		answered.Add(1)
	})
	p.endpoint("ward", answers(200))
	const each = 10
	for range each {
		p.end("deaf")
	}
	for range each {
		p.end("ward")
	}
	stop, _ := p.start()
	for range each {
		if why := <-p.attempts; why != "" {
			t.Errorf("an attempt ended with %s", why)
		}
	}
	if n := answered.Load(); n != 0 {
		t.Errorf("%d of the attempts were at the endpoint that hangs", n)
	}
	letGo()
	for range each {
		<-p.attempts
	}
	stop()
	p.left(0)
	if n := most.Load(); n != 2 {
		t.Errorf("%d attempts at one endpoint at once", n)
	}
}

// What is under way when the process is told to stop may end; what is cut off comes again.
func TestStopping(t *testing.T) {
	p := newPost(t)
	asked, release := make(chan string), make(chan struct{})
	p.endpoint("ward", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the end of the client is seen
		asked <- r.Header.Get("webhook-id")
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	p.end("ward")
	_, cut := p.start()
	first := <-asked
	cut()
	if d := p.left(1)[0]; d.Status != webhook.Pending || d.Attempt != 1 || len(p.attempts) != 0 {
		t.Errorf("%+v after %d attempts", d, len(p.attempts))
	}
	p.offset.Add(int64(time.Hour))
	stop, _ := p.start()
	if again := <-asked; again != first {
		t.Errorf("%s came again as %s", first, again)
	}
	stopped := make(chan struct{})
	go func() { stop(); close(stopped) }()
	close(release)
	<-stopped
	p.left(0)
}

// A store that cannot lend is asked about; what the answer is ends the run.
func TestStoreFails(t *testing.T) {
	p := newPost(t)
	p.endpoint("ward", answers(200))
	d := webhook.New(p.config, turns{p.db, &p.turn}, slog.New(slog.DiscardHandler), nil)
	p.must(p.db.Close())
	end := fmt.Errorf("enough")
	if err := d.Run(t.Context(), t.Context(), nil, func(err error) error {
		if err == nil {
			return nil
		}
		return end
	}); !errors.Is(err, end) {
		t.Errorf("%v", err)
	}
}
