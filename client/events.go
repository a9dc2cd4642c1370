package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"

	"blotter/receipt"
)

// silence is how long a stream may say nothing before it counts as broken: three
// heartbeats of the service.
const silence = 45 * time.Second

// maxEvent bounds one event, in bytes.
const maxEvent = receipt.MaxReceiptBytes

// Events follows a job's signed events with numbers above after (−1: from the first), until
// the job has ended and no more will come. A stream that breaks is taken up where it
// broke. The error, if any, comes last. Events are read, not verified: receipts prove.
func (c *Client) Events(ctx context.Context, id string, after int64) iter.Seq2[receipt.Event, error] {
	return func(yield func(receipt.Event, error) bool) {
		f := follower{Client: c, path: jobPath(id) + "/events", after: after, yield: yield}
		for fruitless := 0; !f.done; fruitless++ {
			before := f.after
			err := f.once(ctx)
			if f.after != before {
				fruitless = 0
			}
			var e *Error
			if err != nil && (errors.As(err, &e) || ctx.Err() != nil || fruitless >= c.retries) {
				yield(receipt.Event{}, err)
				return
			}
			if !f.done {
				if err := c.sleep(ctx, c.backoff(fruitless)); err != nil {
					yield(receipt.Event{}, err)
					return
				}
			}
		}
	}
}

// follower reads one stream after the other.
type follower struct {
	*Client
	path  string
	after int64
	yield func(receipt.Event, error) bool
	done  bool // the stream ended as it should, or nobody wants more
}

// once reads one stream to its end. It returns nil where the service closed it.
func (f *follower) once(ctx context.Context) error {
	what := call{method: http.MethodGet, path: f.path, header: http.Header{"Accept": {"text/event-stream"}}}
	if f.after >= 0 {
		what.header.Set("Last-Event-ID", strconv.FormatInt(f.after, 10))
	}
	answer, err := f.do(ctx, what)
	if err != nil {
		return err
	}
	defer answer.Body.Close() // only read
	if answer.StatusCode == http.StatusNoContent {
		f.done = true
		return nil
	}
	quiet := time.AfterFunc(silence, func() { answer.Body.Close() })
	defer quiet.Stop()
	return f.read(answer.Body, quiet)
}

// read takes messages apart (HTML standard, section 9.2.6). The service sends each field on one
// line.
func (f *follower) read(body io.Reader, quiet *time.Timer) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxEvent)
	message := map[string]string{}
	for !f.done && lines.Scan() {
		quiet.Reset(silence)
		line := lines.Text()
		if line != "" {
			name, value, _ := strings.Cut(line, ":")
			message[name] = strings.TrimPrefix(value, " ")
			continue
		}
		if err := f.take(message); err != nil {
			return err
		}
		clear(message)
	}
	if f.done {
		return nil
	}
	return lines.Err()
}

func (f *follower) take(message map[string]string) error {
	if message["event"] == "end" {
		f.done = true
		return nil
	}
	if message["data"] == "" {
		return nil // a heartbeat
	}
	var e receipt.Event
	if err := json.Unmarshal([]byte(message["data"]), &e); err != nil {
		f.done = true
		f.yield(receipt.Event{}, fmt.Errorf("client: read an event: %w", err))
		return nil
	}
	f.after = e.Sequence
	f.done = !f.yield(e, nil)
	return nil
}
