package survey

import (
	"context"
	"io"
	"time"

	"blotter/internal/cell"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/internal/source"
)

// reads reports whether a document is one of those that are read: they are spread evenly
// over the walk.
func (s *survey) reads(number int) bool {
	return s.cfg.Read > 0 && number*s.cfg.Read/s.total != (number-1)*s.cfg.Read/s.total
}

// reading is how long a document took that was read and redacted; zero for none.
type reading struct {
	passes []time.Duration // of each image in turn, first read, then redacted
	all    time.Duration
}

// time counts what reading took.
func (s *sample) time(r reading) {
	for _, p := range r.passes {
		s.put(passOf, p.Seconds())
	}
	if r.all > 0 {
		s.put(readOf, r.all.Seconds())
	}
}

// read has a cell read and redact a document, and throws away what comes of it. One that
// fails took as long as it took. Its error ends the whole, as that of one does.
func (s *survey) read(ctx context.Context, path string) (reading, error) {
	doc, err := source.OpenFile(path)
	if err != nil {
		return reading{}, err
	}
	defer doc.Close()
	c, err := s.cfg.Readers.Get(ctx)
	if err != nil {
		return reading{}, err
	}
	limits := Wide(s.cfg.Limits, s.cfg.MemoryBytes)
	limits.Seconds = max(s.cfg.Limits.Seconds, limits.Seconds)
	w := &stopwatch{began: time.Now()}
	_, err = c.Run(ctx, doc, wire.Task{Rules: s.cfg.Rules, Limits: limits}, w)
	w.lap()
	switch {
	case ctx.Err() != nil:
		return reading{}, context.Cause(ctx)
	case err != nil && reason.Must(reason.Of(err)).Class == reason.Operator:
		return reading{}, err
	}
	return reading{w.passes, time.Since(w.began)}, nil
}

// stopwatch is a sink that keeps times and nothing else.
type stopwatch struct {
	began, last time.Time // last: when the image at hand was begun; zero before the first
	passes      []time.Duration
}

// Progress implements cell.Watcher: one image ends where the next begins.
func (w *stopwatch) Progress(_ document.Stage, index int) {
	if index > 0 {
		w.lap()
		w.last = time.Now()
	}
}

func (w *stopwatch) lap() {
	if !w.last.IsZero() {
		w.passes = append(w.passes, time.Since(w.last))
	}
}

// Blob implements cell.Sink.
func (*stopwatch) Blob(int, bool) (io.WriteCloser, error) { return nowhere{}, nil }

// Asset implements cell.Sink.
func (*stopwatch) Asset(cell.Asset) error { return nil }

type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (nowhere) Close() error                { return nil }
