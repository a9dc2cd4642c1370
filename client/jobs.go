package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

func jobPath(id string) string { return "/v1/jobs/" + url.PathEscape(id) }

// Job shows a job as it stands now.
func (c *Client) Job(ctx context.Context, id string) (Job, error) {
	return c.job(ctx, call{method: http.MethodGet, path: jobPath(id)})
}

// maxWait is the longest wait that the service grants.
const maxWait = "wait=30"

// crowded is how long Wait stays away where no more clients may wait, or where the service
// answers at once.
const crowded = 2 * time.Second

// Wait returns the job once it has ended, or an error once ctx has.
func (c *Client) Wait(ctx context.Context, id string) (Job, error) {
	for {
		began := c.now()
		j, err := c.job(ctx, call{method: http.MethodGet, path: jobPath(id), header: http.Header{"Prefer": {maxWait}}})
		switch {
		case err == nil && j.Ended:
			return j, nil
		case err != nil && !Is(err, "api.too_many_waiters"):
			return j, err
		}
		if c.now().Sub(began) < crowded {
			if err := c.sleep(ctx, crowded); err != nil {
				return j, err
			}
		}
	}
}

// Cancel ends a job that has not ended. An *Error with the reason job.ended says that it
// had.
func (c *Client) Cancel(ctx context.Context, id string) (Job, error) {
	return c.job(ctx, call{method: http.MethodDelete, path: jobPath(id), once: true})
}

// Replay puts a dead job back into the queue.
func (c *Client) Replay(ctx context.Context, id string) (Job, error) {
	return c.job(ctx, call{method: http.MethodPost, path: jobPath(id) + "/replay", once: true})
}

// ReplayAll puts dead jobs with the reason that f names back into the queue, the latest
// first, f.Page of them at most (1 to 100; 0: the service's default). f.State does not
// count. What it returns has a Next where there are more: give it as cursor, which is empty
// at first.
func (c *Client) ReplayAll(ctx context.Context, f Filter, cursor string) (Replayed, error) {
	f.State = ""
	query := f.query()
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	var out Replayed
	err := c.json(ctx, call{method: http.MethodPost, path: "/v1/jobs/replay", query: query, once: true}, &out)
	return out, err
}

// Discard ends a dead job for good.
func (c *Client) Discard(ctx context.Context, id string) (Job, error) {
	return c.job(ctx, call{method: http.MethodPost, path: jobPath(id) + "/discard", once: true})
}

func (c *Client) job(ctx context.Context, what call) (Job, error) {
	var j Job
	return j, c.json(ctx, what, &j)
}

// Filter chooses jobs for a list. Empty fields choose all.
type Filter struct {
	State, Lane, Reason string
	Tenant              string // only for keys of every tenant
	Page                int    // jobs fetched at once, 1 to 200; 0: the service's default
}

func (f Filter) query() url.Values {
	query := url.Values{}
	for name, value := range map[string]string{"state": f.State, "lane": f.Lane, "reason": f.Reason, "tenant": f.Tenant} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if f.Page != 0 {
		query.Set("limit", strconv.Itoa(f.Page))
	}
	return query
}

// Jobs lists jobs, the latest first, page by page. The error, if any, comes last.
func (c *Client) Jobs(ctx context.Context, f Filter) iter.Seq2[Job, error] {
	query := f.query()
	return func(yield func(Job, error) bool) {
		for {
			var page Jobs
			if err := c.json(ctx, call{method: http.MethodGet, path: "/v1/jobs", query: query}, &page); err != nil {
				yield(Job{}, err)
				return
			}
			for _, j := range page.Jobs {
				if !yield(j, nil) {
					return
				}
			}
			if page.Next == "" {
				return
			}
			query.Set("cursor", page.Next)
		}
	}
}

// maxJSON bounds what is read into memory of an answer, in bytes: a job with thousands of
// images, each with its boxes, comes under it.
const maxJSON = 256 << 20

// json makes a call and reads its answer into out.
func (c *Client) json(ctx context.Context, what call, out any) error {
	body, _, err := c.whole(ctx, what)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("client: read an answer: %w", err)
	}
	return nil
}

// whole makes a call and returns the body of its answer.
func (c *Client) whole(ctx context.Context, what call) ([]byte, http.Header, error) {
	answer, err := c.do(ctx, what)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close() // only read
	var body bytes.Buffer
	n, err := io.Copy(&body, io.LimitReader(answer.Body, maxJSON+1))
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("client: read an answer: %w", err)
	case n > maxJSON:
		return nil, nil, errors.New("client: the answer is too long")
	}
	return body.Bytes(), answer.Header, nil
}
