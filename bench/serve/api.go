package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// job is the part of a job that is used here.
type job struct {
	ID     string `json:"id"`
	State  string `json:"state"`
	Ended  bool   `json:"ended"`
	Event  int64  `json:"event"`
	Reason *struct {
		Code string `json:"code"`
	} `json:"reason"`
	Attempt int              `json:"attempt"`
	Timings map[string]int64 `json:"timings_ms"` // by stage
}

// waited is how long the job stood in the queue.
func (j job) waited() time.Duration { return time.Duration(j.Timings["queue"]) * time.Millisecond }

// refused is an answer that is not 2xx.
type refused struct {
	status int
	said   string
}

func (r *refused) Error() string { return fmt.Sprintf("status %d: %s", r.status, r.said) }

// ask makes one request of the API and returns the body of an answer of 2xx.
func (s *service) ask(ctx context.Context, method, path string, body []byte, header ...string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+s.api+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode/100 != 2 {
		return nil, fmt.Errorf("%s %s: %w", method, path, &refused{answer.StatusCode, string(said)})
	}
	return said, err
}

// upload sends a document and returns its job.
func (s *service) upload(ctx context.Context, body []byte, key, lane string) (id string, err error) {
	said, err := s.ask(ctx, http.MethodPost, "/v1/documents?lane="+lane, body, "Idempotency-Key", key, "Content-Type", "application/octet-stream")
	if err != nil {
		return "", err
	}
	var accepted job
	err = json.Unmarshal(said, &accepted)
	return accepted.ID, err
}

// await waits for the end of a job.
func (s *service) await(ctx context.Context, id string) (job, error) {
	for {
		said, err := s.ask(ctx, http.MethodGet, "/v1/jobs/"+id, nil, "Prefer", "wait=30")
		if err != nil {
			return job{}, err
		}
		var j job
		if err := json.Unmarshal(said, &j); err != nil || j.Ended {
			return j, err
		}
	}
}

// jobs lists all jobs of the key's tenant.
func (s *service) jobs(ctx context.Context) ([]job, error) {
	var all []job
	for next := ""; ; {
		said, err := s.ask(ctx, http.MethodGet, "/v1/jobs?limit=200"+next, nil)
		if err != nil {
			return nil, err
		}
		var page struct {
			Jobs []job  `json:"jobs"`
			Next string `json:"next"`
		}
		if err := json.Unmarshal(said, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Jobs...)
		if page.Next == "" {
			return all, nil
		}
		next = "&cursor=" + url.QueryEscape(page.Next)
	}
}

// event is the part of a signed event that is used here.
type event struct {
	Kind string    `json:"kind"`
	Time time.Time `json:"time"`
}

// trail lists a job's signed events. The job must have ended, so that the stream does.
func (s *service) trail(ctx context.Context, id string) ([]event, error) {
	said, err := s.ask(ctx, http.MethodGet, "/v1/jobs/"+id+"/events", nil)
	if err != nil {
		return nil, err
	}
	var out []event
	for line := range strings.Lines(string(said)) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			var e event
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				return nil, err
			}
			out = append(out, e)
		}
	}
	return out, nil
}

// pause waits, unless ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
