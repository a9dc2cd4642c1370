// Package survey measures a directory of sample documents: how large they are, what they
// hold, and what decoding it costs. Each document is opened in a cell that reads no text,
// and its images are decoded there one at a time and dropped.
//
// A report holds numbers alone. Documents are known by their place in the order of the
// walk, from 1; names stand in it only where they were asked for.
package survey

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"blotter/internal/cell"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/inspect"
	"blotter/internal/reason"
	"blotter/internal/source"
)

// Config is one survey.
type Config struct {
	Dir         string
	Cells       inspect.Cells
	Workers     int             // documents at once; 0: 1
	Limits      document.Limits // of the policy that the proposal starts from
	MemoryBytes int64           // that a cell may take, resident
	Names       bool            // name the documents that were refused
	Readers     inspect.Cells   // cells that read and redact; nil where Read is 0
	Rules       document.Rules  // what readers do
	Read        int             // about how many documents are read as well, spread over the sample
	Told        func(done, total int)
}

// Run surveys every regular file below the directory. The error is about the whole; what
// became of a document is in the report.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	total := 0
	if err := walk(ctx, cfg.Dir, func(string) error { total++; return nil }); err != nil {
		return nil, err
	}
	if total == 0 {
		return nil, reason.Because(reason.UsageWrong, fmt.Errorf("there is no file in %q", cfg.Dir))
	}
	s := &survey{cfg: cfg, total: total, sample: newSample()}
	if err := s.all(ctx); err != nil {
		return nil, err
	}
	return s.sample.report(cfg), nil
}

// walk calls f for each regular file, in the order of names. Links are not followed, and a
// directory that may not be entered is passed over.
func walk(ctx context.Context, dir string, f func(path string) error) error {
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return reason.Because(reason.UsageWrong, fmt.Errorf("%q is not a directory that can be read", dir))
	}
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			if errors.Is(err, fs.ErrPermission) {
				return nil
			}
			return reason.Because(reason.SourceUnreadable, err)
		case !e.Type().IsRegular():
			return nil
		}
		return f(path)
	})
}

// survey hands documents to its workers and collects what they find.
type survey struct {
	cfg   Config
	total int

	mu     sync.Mutex
	done   int
	sample *sample
}

type numbered struct {
	number int // of the document, from 1
	path   string
}

func (s *survey) all(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan numbered)
	var workers sync.WaitGroup
	for range max(1, s.cfg.Workers) {
		workers.Go(func() {
			for d := range next {
				if err := s.one(ctx, d); err != nil {
					cancel(err)
				}
			}
		})
	}
	n := 0
	err := walk(ctx, s.cfg.Dir, func(path string) error {
		n++
		select {
		case next <- numbered{n, path}:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	close(next)
	workers.Wait()
	return errors.Join(context.Cause(ctx), err)
}

// one surveys a document. Its error ends the whole: the caller gave up, or a person must
// first change something about the host.
func (s *survey) one(ctx context.Context, d numbered) error {
	seen, size, err := s.look(ctx, d.path)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil && reason.Must(reason.Of(err)).Class == reason.Operator {
		return err
	}
	var times reading
	if err == nil && s.reads(d.number) {
		if times, err = s.read(ctx, d.path); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sample.add(d, seen, size, reason.Of(err))
	s.sample.time(times)
	s.done++
	if s.cfg.Told != nil {
		s.cfg.Told(s.done, s.total)
	}
	return nil
}

// look opens a document in a cell and decodes its images. Where that takes too long or too
// much, its headers are looked at once more, so that it still counts.
func (s *survey) look(ctx context.Context, path string) (cell.Inspection, int64, error) {
	doc, err := source.OpenFile(path)
	if err != nil {
		return cell.Inspection{}, 0, err
	}
	defer doc.Close()
	st, err := doc.Stat()
	if err != nil {
		return cell.Inspection{}, 0, reason.Because(reason.SourceUnreadable, err)
	}
	task := wire.Task{Limits: Wide(s.cfg.Limits, s.cfg.MemoryBytes), Decode: true}
	seen, err := s.give(ctx, doc, st.Size(), task)
	switch reason.Of(err) {
	case reason.CellTimeout, reason.CellMemory, reason.CellCrashed:
		task.Decode = false
		if again, err := s.give(ctx, doc, st.Size(), task); err == nil {
			seen.Images, seen.Format = again.Images, again.Format
		}
	}
	return seen, st.Size(), err
}

func (s *survey) give(ctx context.Context, doc *os.File, size int64, task wire.Task) (cell.Inspection, error) {
	if size > task.Limits.SourceBytes {
		return cell.Inspection{}, reason.Because(reason.SourceBytes, nil)
	}
	c, err := s.cfg.Cells.Get(ctx)
	if err != nil {
		return cell.Inspection{}, err
	}
	return c.Inspect(ctx, doc, task)
}

// Wide are the limits of a survey: far above any policy's, so that what a policy would
// refuse is measured too. What is decoded must still fit into the memory, and pages are
// sized as the policy says.
func Wide(l document.Limits, memory int64) document.Limits {
	l.SourceBytes = max(l.SourceBytes, 1<<30)
	l.Assets, l.Pages, l.Frames = max(l.Assets, 100_000), max(l.Pages, 100_000), max(l.Frames, 100_000)
	l.AssetPixels = max(l.AssetPixels, fitting(memory, wire.PixelBytes))
	l.TotalPixels = max(l.TotalPixels, 1<<40)
	l.TotalObjects, l.DrawnPixels = max(l.TotalObjects, 1<<32), max(l.DrawnPixels, 1<<40) // a page's are bounded by memory
	l.Entries, l.UnpackedBytes, l.Ratio = max(l.Entries, 1<<20), max(l.UnpackedBytes, 2<<30), max(l.Ratio, 1<<16)
	l.Depth, l.Filters = document.MaxDepth-1, max(l.Filters, 32)
	l.Seconds = 120 // of decoding alone
	return l
}
