package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"blotter/internal/document"
	"blotter/internal/policy"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/source"
	"blotter/internal/vault"
	"blotter/internal/worker"
	"blotter/receipt"
)

// Request is what `blotter redact` asks for.
type Request struct {
	Files     []string // in the order of the output directories
	Out       string   // empty or missing; DIR/0001, DIR/0002, … are made in it
	Originals bool     // also hand out each asset as it was before redaction
	Policy    policy.Policy
	Subject   json.RawMessage // hints; empty: none
}

// Outcome is one document's end.
type Outcome struct {
	File   string // as it was asked for
	Dir    string // where its results lie
	Result receipt.Result
}

// Redact redacts files: it enqueues a job for each, works on those jobs alone, and
// writes each one's results once its event stands in a signed checkpoint. ended is
// called for each document in the order given. The error is about the whole; what
// became of a document is in its outcome.
func (s *Station) Redact(ctx context.Context, req Request, ended func(Outcome)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var background sync.WaitGroup
	defer background.Wait()
	defer cancel(nil)
	background.Go(func() { cancelOn(cancel, s.seal(ctx)) })
	if err := s.tidyUp(ctx); err != nil {
		return stopped(ctx, err)
	}
	jobs, err := s.enqueueAll(ctx, req)
	if err != nil {
		return stopped(ctx, err)
	}
	for range s.cfg.Workers {
		background.Go(func() { cancelOn(cancel, s.workOn(ctx, jobs)) })
	}
	if err := s.deliverAll(ctx, req, jobs, ended); err != nil {
		return stopped(ctx, err)
	}
	if err := s.retention.Sweep(ctx); err != nil {
		return stopped(ctx, err)
	}
	return s.drain(ctx)
}

func cancelOn(cancel context.CancelCauseFunc, err error) {
	if err != nil {
		cancel(err)
	}
}

// stopped prefers the reason why everything was stopped to the errors that followed.
func stopped(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// tidyUp puts right what earlier processes left.
func (s *Station) tidyUp(ctx context.Context) error {
	if err := s.worker.Recover(ctx); err != nil {
		return err
	}
	return s.retention.Sweep(ctx)
}

func (s *Station) enqueueAll(ctx context.Context, req Request) ([]document.ID, error) {
	jobs := make([]document.ID, 0, len(req.Files))
	for _, file := range req.Files {
		id, err := s.enqueue(ctx, req, file)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, id)
	}
	return jobs, nil
}

// enqueue adds a job for a file. The same request for the same bytes returns the
// earlier job while its result was not handed out: so a command that was killed can be
// given again, and what was done is not done twice.
func (s *Station) enqueue(ctx context.Context, req Request, file string) (document.ID, error) {
	ref, err := source.File(file)
	if err != nil {
		return "", err
	}
	digest, size, err := source.Digest(ctx, ref, math.MaxInt64)
	if err != nil {
		return "", err
	}
	order, err := worker.Order{Source: ref, Originals: req.Originals, Subject: req.Subject}.Plain()
	if err != nil {
		return "", err
	}
	j := queue.Job{
		ID: document.NewID(), Tenant: document.Local, Lane: document.Interactive, State: document.Queued,
		Input: digest, Bytes: size, Policy: pin(req.Policy), Key: s.requestKey(req, digest),
	}
	if j.Sealed, err = s.vault.Seal(ctx, j.ID, order); err != nil {
		return "", err
	}
	stored, added, err := s.store.Enqueue(ctx, j, worker.Received(j, "cli", s.code))
	if err != nil {
		return "", err
	}
	s.wakeSequencer()
	if added {
		return j.ID, nil
	}
	return stored.ID, s.retention.Destroy(ctx, j.ID, vault.Task)
}

func pin(p policy.Policy) queue.PolicyRef {
	return queue.PolicyRef{Name: p.Name, Version: p.Version, Digest: p.Digest(), Body: p.Canonical()}
}

// requestKey is the idempotency key of a request: what would give another result gives
// another key.
func (s *Station) requestKey(req Request, input document.Digest) string {
	code, err := json.Marshal(s.code)
	if err != nil {
		panic("app: " + err.Error()) // strings alone
	}
	pinned := req.Policy.Digest()
	return s.vault.Fingerprint(input[:], pinned[:], code, req.Subject, fmt.Append(nil, req.Originals))
}

// patience is how often waiting looks again: for another process's work, for a lease
// that runs out, for the end of a pause.
const patience = 20 * time.Millisecond

// workOn claims the given jobs until ctx ends.
func (s *Station) workOn(ctx context.Context, jobs []document.ID) error {
	again := time.NewTicker(patience)
	defer again.Stop()
	for {
		_, err := s.worker.Next(ctx, jobs)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			continue
		case errors.Is(err, queue.ErrNoJob):
			if err := s.worker.ExpireLeases(ctx); err != nil && reason.Of(err) != reason.QueueBusy {
				return err
			}
		case reason.Must(reason.Of(err)).Class != reason.Transient:
			return err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// deliverAll writes the results, in order, and then marks the jobs as delivered.
func (s *Station) deliverAll(ctx context.Context, req Request, jobs []document.ID, ended func(Outcome)) error {
	for i, id := range jobs {
		j, sealing, err := s.await(ctx, id)
		if err != nil {
			return err
		}
		dir := filepath.Join(req.Out, fmt.Sprintf("%04d", i+1))
		result, err := s.export(ctx, dir, j, sealing)
		if err != nil {
			return err
		}
		ended(Outcome{File: req.Files[i], Dir: dir, Result: result})
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(jobs))) {
		if err := s.delivered(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// delivered closes a job whose result was handed out. Where nobody will review it, its
// originals have served their time (M28).
func (s *Station) delivered(ctx context.Context, id document.ID) error {
	if err := s.store.Deliver(ctx, id); err != nil {
		return err
	}
	j, err := s.store.Job(ctx, id)
	if err != nil || j.State == document.AwaitingReview {
		return err
	}
	return s.retention.Destroy(ctx, id, vault.Original)
}

// await waits for a job's end and returns it, with how long its seal took as far as
// this process saw it.
func (s *Station) await(ctx context.Context, id document.ID) (queue.Job, time.Duration, error) {
	again := time.NewTicker(patience)
	defer again.Stop()
	var sealing time.Time
	for {
		j, err := s.store.Job(ctx, id)
		if err != nil && reason.Of(err) != reason.QueueBusy {
			return queue.Job{}, 0, err
		}
		if err == nil && j.State.Ended() {
			return j, sinceIfSet(sealing), nil
		}
		if err == nil && j.State == document.Sealing && sealing.IsZero() {
			sealing = time.Now()
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return queue.Job{}, 0, context.Cause(ctx)
		}
	}
}

func sinceIfSet(t time.Time) time.Duration {
	if t.IsZero() {
		return 0
	}
	return time.Since(t)
}

// drain waits until every event of this process is sealed, so that nothing that
// happened is missing from the trail when the command ends.
func (s *Station) drain(ctx context.Context) error {
	again := time.NewTicker(patience)
	defer again.Stop()
	for {
		waiting, err := s.store.Pending(ctx, 1)
		if err == nil && len(waiting) == 0 {
			return nil
		}
		if err != nil && reason.Of(err) != reason.QueueBusy {
			return err
		}
		s.wakeSequencer()
		select {
		case <-again.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// CheckRequest finds what is wrong with a request before anything is done: files that
// are not there, an output directory that cannot be made (it makes it) or holds
// something. The error has the code usage.wrong.
func CheckRequest(req Request) error {
	for _, file := range req.Files {
		st, err := os.Stat(file)
		if err != nil || !st.Mode().IsRegular() {
			return reason.Because(reason.UsageWrong, fmt.Errorf("%q is not a file that can be read", file))
		}
	}
	if err := os.MkdirAll(req.Out, 0o700); err != nil {
		return reason.Because(reason.UsageWrong, fmt.Errorf("--out %q cannot be made", req.Out))
	}
	entries, err := os.ReadDir(req.Out)
	switch {
	case err != nil:
		return reason.Because(reason.UsageWrong, fmt.Errorf("--out %q is not a directory that can be read", req.Out))
	case len(entries) > 0:
		return reason.Because(reason.UsageWrong, fmt.Errorf("--out %q is not empty: name a new directory, or empty it", req.Out))
	}
	return nil
}
