package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"blotter/internal/policy"
	"blotter/internal/reason"
	"blotter/internal/source"
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
	defer cancel(nil)
	// Sealing outlives everything else, so that the trail ends with what was done, also
	// where this process is told to stop.
	sealing, stopSealing := context.WithCancel(context.WithoutCancel(ctx))
	var sealer sync.WaitGroup
	defer sealer.Wait()
	defer stopSealing()
	sealer.Go(func() {
		if err := s.seal(sealing); err != nil {
			cancel(err)
			stopSealing()
		}
	})
	err := s.process(ctx, cancel, req, ended)
	if err == nil {
		return s.drain(sealing)
	}
	last, enough := context.WithTimeout(sealing, lastWords)
	defer enough()
	if drained := s.drain(last); drained != nil {
		s.log.Warn("events wait for the next start", "reason", reason.Of(drained))
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause // why all was stopped, rather than what that led to
	}
	return err
}

// lastWords bounds the sealing of a process that stops.
const lastWords = 3 * time.Second

// process does everything but sealing. No worker is left when it returns.
func (s *Station) process(ctx context.Context, cancel context.CancelCauseFunc, req Request, ended func(Outcome)) error {
	if err := s.tidyUp(ctx); err != nil {
		return err
	}
	b := &batch{Station: s, req: req}
	if err := b.enqueueAll(ctx); err != nil {
		return err
	}
	s.cells.Last(len(req.Files))
	working, stop := context.WithCancel(ctx)
	var workers sync.WaitGroup
	defer workers.Wait()
	defer stop()
	for range s.cfg.Workers {
		workers.Go(func() {
			if err := b.work(working); err != nil {
				cancel(err)
			}
		})
	}
	if err := b.deliverAll(ctx, ended); err != nil {
		return err
	}
	return s.retention.Sweep(ctx)
}

// tidyUp puts right what earlier processes left.
func (s *Station) tidyUp(ctx context.Context) error {
	if err := s.worker.Recover(ctx); err != nil {
		return err
	}
	return s.retention.Sweep(ctx)
}

// CheckRequest finds what is wrong with a request before anything is done: files that
// cannot be read, an output directory that cannot be made (it makes it) or holds
// something. What a killed command had begun to write there is removed. The error has
// the code usage.wrong. data is the data directory, which must not hold the output: a
// sweep would meet it.
func CheckRequest(req Request, data string) error {
	for _, file := range req.Files {
		if err := readable(file); err != nil {
			return reason.Because(reason.UsageWrong, fmt.Errorf("%q is not a file that can be read", file))
		}
	}
	if err := os.MkdirAll(req.Out, 0o700); err != nil {
		return reason.Because(reason.UsageWrong, fmt.Errorf("--out %q cannot be made", req.Out))
	}
	if within(req.Out, data) {
		return reason.Because(reason.UsageWrong, fmt.Errorf("--out %q lies in the data directory", req.Out))
	}
	entries, err := os.ReadDir(req.Out)
	if err != nil {
		return reason.Because(reason.UsageWrong, fmt.Errorf("--out %q cannot be read", req.Out))
	}
	if err := emptied(req.Out, entries); err != nil {
		return err
	}
	probe := filepath.Join(req.Out, partPrefix+"probe"+partSuffix)
	if err := errors.Join(os.Mkdir(probe, 0o700), os.Remove(probe)); err != nil {
		return reason.Because(reason.UsageWrong, fmt.Errorf("--out %q cannot be written to", req.Out))
	}
	return nil
}

// within reports whether a directory is, or lies in, another, links resolved.
func within(dir, outer string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	if outer, err = filepath.EvalSymlinks(outer); err != nil {
		return false // not made yet
	}
	rel, err := filepath.Rel(outer, dir)
	return err == nil && filepath.IsLocal(rel)
}

// readable opens a file as the worker will, without waiting where it is none.
func readable(file string) error {
	ref, err := source.File(file)
	if err != nil {
		return err
	}
	f, err := ref.Open()
	if err != nil {
		return err
	}
	return f.Close()
}

// emptied removes unfinished parts and refuses all else.
func emptied(dir string, entries []fs.DirEntry) error {
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), partPrefix) || !strings.HasSuffix(e.Name(), partSuffix) {
			return reason.Because(reason.UsageWrong, fmt.Errorf("--out %q is not empty: name a new directory, or empty it", dir))
		}
	}
	var errs []error
	for _, e := range entries {
		errs = append(errs, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return errors.Join(errs...)
}
