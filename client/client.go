package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client calls one blotter service with one API key. Its methods may be called
// concurrently. Answers that say that trying again helps are tried again, as Option says;
// every other error of the service is an *Error.
type Client struct {
	base    string // without a slash at its end
	key     string
	http    *http.Client
	retries int
	now     func() time.Time
	sleep   func(context.Context, time.Duration) error
	jitter  func() float64 // 0 ≤ j < 1
}

// Option changes how a Client works.
type Option func(*Client)

// DefaultRetries is how often a request is made again without WithRetries. With the waits
// between them that is about 4 s, or what the service asks for.
const DefaultRetries = 4

// WithHTTPClient uses h for every request; its Timeout must leave room for waits of 30 s
// and for streams of events. Redirects are never followed: the service makes none.
func WithHTTPClient(h *http.Client) Option { return func(c *Client) { c.http = h } }

// WithRetries makes a request again at most n times; 0: never.
func WithRetries(n int) Option { return func(c *Client) { c.retries = n } }

// WithClock replaces the clock and the waiting, for tests. sleep returns the error of a
// context that ends before.
func WithClock(now func() time.Time, sleep func(context.Context, time.Duration) error) Option {
	return func(c *Client) { c.now, c.sleep, c.jitter = now, sleep, func() float64 { return 0 } }
}

// New makes a client of the service at baseURL, such as "https://blotter.example:8443". The key
// is sent with every request, so the URL should be https unless it is on this host.
func New(baseURL, key string, options ...Option) (*Client, error) {
	u, err := url.Parse(baseURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, errors.New("client: the address must be http:// or https:// with a host, and neither user, query nor fragment")
	}
	c := &Client{
		base: strings.TrimSuffix(u.String(), "/"), key: key, http: &http.Client{Transport: transport()},
		retries: DefaultRetries, now: time.Now, sleep: sleep, jitter: rand.Float64,
	}
	for _, o := range options {
		o(c)
	}
	own := *c.http
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &own
	return c, nil
}

// headerTimeout is how long an answer may take to begin: longer than a wait of 30 s.
const headerTimeout = time.Minute

func transport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = headerTimeout
	return t
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// call is one request, which may be made several times.
type call struct {
	method, path string
	query        url.Values
	header       http.Header
	body         func() (io.Reader, int64, error) // anew for each time; nil: no body
	once         bool                             // the outcome of a lost answer is unknown, so a broken connection ends it
	never        bool                             // the body cannot be sent again
}

// do makes a call, again where that helps, and returns an answer of 2xx, 304 or 204. Its body
// must be closed.
func (c *Client) do(ctx context.Context, what call) (*http.Response, error) {
	for attempt := 0; ; attempt++ {
		answer, err := c.try(ctx, what)
		if err == nil {
			return answer, nil
		}
		wait, again := c.again(err, attempt, what.once)
		if !again || what.never || ctx.Err() != nil {
			return nil, err
		}
		if stopped := c.sleep(ctx, wait); stopped != nil {
			return nil, errors.Join(stopped, err)
		}
	}
}

func (c *Client) try(ctx context.Context, what call) (*http.Response, error) {
	r, err := c.request(ctx, what)
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, &broken{err}
	}
	if answer.StatusCode < 300 {
		return answer, nil
	}
	defer answer.Body.Close() // only read
	return nil, c.problem(answer)
}

func (c *Client) request(ctx context.Context, what call) (*http.Request, error) {
	var body io.Reader
	var size int64
	if what.body != nil {
		var err error
		if body, size, err = what.body(); err != nil {
			return nil, err
		}
	}
	at := c.base + what.path
	if len(what.query) > 0 {
		at += "?" + what.query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, what.method, at, body)
	if err != nil {
		return nil, fmt.Errorf("client: make a request: %w", err)
	}
	if body != nil {
		r.ContentLength = size
	}
	for name, values := range what.header {
		r.Header[name] = values
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	return r, nil
}

// broken is a request that got no answer.
type broken struct{ error }

func (b *broken) Unwrap() error { return b.error }
