package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Error is an answer of the service that is no success. Where something between client
// and service answered, Reason is empty.
type Error struct {
	Problem
	RetryAfter time.Duration // how long to stay away; 0: the service did not say
}

func (e *Error) Error() string {
	if e.Reason == "" {
		return fmt.Sprintf("client: the answer was %d %s", e.Status, http.StatusText(e.Status))
	}
	return fmt.Sprintf("client: %s (%d): %s", e.Reason, e.Status, e.Detail)
}

// Is reports whether err is an answer of the service with a reason code.
func Is(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && e.Reason == code
}

// maxProblem bounds what is read of an error's body, in bytes.
const maxProblem = 64 << 10

func (c *Client) problem(answer *http.Response) error {
	e := &Error{RetryAfter: c.retryAfter(answer.Header.Get("Retry-After"))}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxProblem))
	if err != nil || !strings.HasPrefix(answer.Header.Get("Content-Type"), "application/problem+json") || json.Unmarshal(body, &e.Problem) != nil {
		e.Problem = Problem{}
	}
	e.Status = answer.StatusCode
	return e
}

// retryAfter reads seconds or a date (RFC 9110, section 10.2.3).
func (c *Client) retryAfter(s string) time.Duration {
	if n, err := strconv.Atoi(s); err == nil {
		return max(0, time.Duration(min(n, 1<<30))*time.Second)
	}
	if t, err := http.ParseTime(s); err == nil {
		return max(0, t.Sub(c.now()))
	}
	return 0
}

const (
	firstWait = 250 * time.Millisecond // before the first time that a request is made again
	longest   = 8 * time.Second        // between two times, unless the service asks for more
	patience  = 2 * time.Minute        // the longest that a service may ask for; over it the error is returned
)

// again says whether a request that failed should be made again, and after which time.
// A wait grows twofold and is shortened at random by up to a half, so that clients that
// failed together do not come back together.
func (c *Client) again(err error, attempt int, once bool) (time.Duration, bool) {
	var lost *broken
	var e *Error
	switch {
	case attempt >= c.retries:
		return 0, false
	case errors.As(err, &lost):
		return c.backoff(attempt), !once
	case errors.As(err, &e) && e.passes() && e.RetryAfter <= patience:
		return max(e.RetryAfter, c.backoff(attempt)), true
	}
	return 0, false
}

func (c *Client) backoff(attempt int) time.Duration {
	d := min(longest, firstWait<<min(attempt, 10))
	return d - time.Duration(c.jitter()*float64(d/2))
}

// passes reports whether the same request may succeed later.
func (e *Error) passes() bool {
	switch e.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return e.Class != "operator" && e.Class != "permanent" && e.Reason != "api.deadline" // would cost the same time again
	}
	return e.Class == "transient" && e.RetryAfter > 0
}
