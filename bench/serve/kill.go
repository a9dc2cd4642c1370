package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// endLimit is how long all documents may take.
const endLimit = 2 * time.Hour

// kill sends documents, kills the service twice, and checks that each ended once.
func kill(ctx context.Context, p plan) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, endLimit)
	defer cancel()
	s, err := newService(ctx, p, "kill")
	if err != nil {
		return "", err
	}
	if err := s.start(ctx); err != nil {
		return "", err
	}
	defer func() { _ = s.kill() }() // where it still runs
	began := time.Now()
	ids, err := arrive(ctx, s, p.documents)
	if err != nil {
		return "", err
	}
	if err := work(ctx, s, p.documents); err != nil {
		return "", err
	}
	took := time.Since(began)
	ends, err := checkOnce(ctx, s, ids)
	if err != nil {
		return "", err
	}
	if err := s.stop(); err != nil {
		return "", err
	}
	verified, err := verify(ctx, s, p)
	if err != nil {
		return "", err
	}
	return killReport(p.documents, ends, verified, took), nil
}

// key of the n-th document, the same for every attempt to send it.
func key(n int) string { return fmt.Sprintf("bench-kill-%06d", n) }

// arrive sends n documents and kills the service in the middle of it. A sender that hears
// nothing sends again under the same key; in the end all are sent once more, to see that
// the service remembers them.
func arrive(ctx context.Context, s *service, n int) ([]string, error) {
	ids := make([]string, n)
	var accepted atomic.Int64
	middle, restarted := make(chan struct{}), make(chan error, 1)
	go func() {
		<-middle
		restarted <- errors.Join(s.kill(), s.start(ctx))
	}()
	err := atOnce(senders, n, func(i int) (err error) {
		if ids[i], err = s.insist(ctx, i); err == nil && accepted.Add(1) == int64(n/2) {
			close(middle)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := <-restarted; err != nil {
		return nil, err
	}
	return ids, atOnce(senders, n, func(i int) error {
		again, err := s.insist(ctx, i)
		if err == nil && again != ids[i] {
			err = fmt.Errorf("document %d became two jobs", i)
		}
		return err
	})
}

// insist uploads a document until there is an answer. No answer, one from a server that
// starts or stops, and a key that is still held by the killed upload are tried again.
func (s *service) insist(ctx context.Context, i int) (string, error) {
	for {
		id, err := s.upload(ctx, small(i), key(i), "bulk")
		var no *refused
		if err == nil || errors.As(err, &no) && no.status < 500 && no.status != http.StatusConflict {
			return id, err
		}
		if pause(ctx, 100*time.Millisecond) != nil {
			return "", err
		}
	}
}

// work waits for the end of all jobs, and kills the service once half of them have ended.
func work(ctx context.Context, s *service, n int) error {
	killed := false
	for {
		waiting, err := s.waiting(ctx)
		if err != nil {
			return err
		}
		if waiting == 0 {
			return nil
		}
		if !killed && waiting < n/2 {
			killed = true
			if err := errors.Join(s.kill(), s.start(ctx)); err != nil {
				return err
			}
		}
		if err := pause(ctx, time.Second); err != nil {
			return err
		}
	}
}

// waiting counts the jobs that have not ended. The metrics cost little while there are
// some, and leave out those that wait for a signature; the list decides.
func (s *service) waiting(ctx context.Context) (int, error) {
	n := 0
	backlog, err := s.backlog(ctx)
	for _, jobs := range backlog {
		n += jobs
	}
	if err != nil || n > 0 {
		return n, err
	}
	jobs, err := s.jobs(ctx)
	for _, j := range jobs {
		if !j.Ended {
			n++
		}
	}
	return n, err
}

// checkOnce holds what the service lists against what was sent: no job more or less, each
// ended with one signed end of its own and a receipt.
func checkOnce(ctx context.Context, s *service, ids []string) (map[string]int, error) {
	jobs, err := s.jobs(ctx)
	if err != nil {
		return nil, err
	}
	if len(jobs) != len(ids) {
		return nil, fmt.Errorf("%d documents became %d jobs", len(ids), len(jobs))
	}
	ends, events := make(map[string]int), make(map[int64]bool)
	for _, j := range jobs {
		if !slices.Contains(ids, j.ID) || !j.Ended || j.Event < 0 || events[j.Event] {
			return nil, fmt.Errorf("job %s: unknown, not ended, or ended by the event of another", j.ID)
		}
		events[j.Event] = true
		ends[j.State]++
		if err := s.endedOnce(ctx, j); err != nil {
			return nil, err
		}
	}
	return ends, nil
}

// endings are the kinds of events that end a job.
var endings = []string{"redacted", "rejected", "dead", "cancelled"}

// endedOnce looks for a second end in the job's trail, and stores its receipt.
func (s *service) endedOnce(ctx context.Context, j job) error {
	trail, err := s.trail(ctx, j.ID)
	if err != nil {
		return err
	}
	ends := slices.DeleteFunc(trail, func(e event) bool { return !slices.Contains(endings, e.Kind) })
	if len(ends) != 1 {
		return fmt.Errorf("job %s ended %d times: %v", j.ID, len(ends), ends)
	}
	receipt, err := s.ask(ctx, http.MethodGet, "/v1/jobs/"+j.ID+"/receipt", nil)
	if err != nil {
		return err
	}
	dir := s.data + "-receipts"
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, j.ID+".json"), receipt, 0o600)
}

// verify lets `blotter verify` check every receipt, offline.
func verify(ctx context.Context, s *service, p plan) (string, error) {
	receipts, err := filepath.Glob(filepath.Join(s.data+"-receipts", "*.json"))
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, p.binary, append([]string{"verify", "--data", s.data}, receipts...)...)
	said, err := cmd.Output()
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	last := lines[len(lines)-1]
	if err != nil {
		return "", fmt.Errorf("blotter verify: %w: %s", err, last)
	}
	return last, nil
}

func killReport(n int, ends map[string]int, verified string, took time.Duration) string {
	return fmt.Sprintf("**%d small documents with two kill -9**, one while they arrived, one while they were worked on, each followed by a start: every document became one job and ended once "+
		"(%s), every repeated upload got its first job, no event ended two jobs; %s. %.0f s in all, %.1f documents a minute.\n",
		n, states(ends), verified, took.Seconds(), float64(n)/took.Minutes())
}

func states(ends map[string]int) string {
	var out []string
	for state, n := range ends {
		out = append(out, fmt.Sprintf("%s: %d", state, n))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
