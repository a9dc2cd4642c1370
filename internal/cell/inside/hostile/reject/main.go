// Command reject measures how long a file that its headers alone refuse takes to be
// refused, from handing it to a cell that has started until its reason is known and the
// cell is gone, and writes a report. A second part asks a service to take an upload that
// is too long by its own length.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"blotter/internal/cell"
	"blotter/internal/cell/engine"
	"blotter/internal/cell/inside/hostile"
	"blotter/internal/cell/wire"
	"blotter/internal/policy"
	"blotter/internal/reason"
)

func main() {
	binary := flag.String("binary", "bin/blotter", "the program to measure")
	runs := flag.Int("runs", 5, "how often each file is refused")
	only := flag.String("only", "", "measure the files whose group or name is this")
	to := flag.String("report", "", "write the report to this file; standard output without it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *binary, *runs, *only, *to)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, binary string, runs int, only, to string) (err error) {
	if binary, err = filepath.Abs(binary); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "reject-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	files, failed, err := refuseAll(ctx, binary, dir, runs, only)
	if err != nil {
		return err
	}
	var uploads []time.Duration
	if only == "" {
		if uploads, err = tooLong(ctx, binary, filepath.Join(dir, "data"), 20*runs); err != nil {
			return err
		}
	}
	out := os.Stdout
	if to != "" {
		if out, err = os.Create(to); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, out.Close()) }()
	}
	if _, err := io.WriteString(out, report(files, uploads, runs)); err != nil {
		return err
	}
	return errors.Join(failed...)
}

// measured is what one file came to.
type measured struct {
	hostile.Refusal
	bytes     int
	cpu, wall []time.Duration
}

// refuseAll gives every file to cells of the program, which are as a document meets them.
// A file that ends otherwise than it should, or is over its time, is in failed.
func refuseAll(ctx context.Context, binary, dir string, runs int, only string) (out []measured, failed []error, err error) {
	where, err := engine.Dir()
	if err != nil {
		return nil, nil, err
	}
	engines, err := engine.Open(where)
	if err != nil {
		return nil, nil, err
	}
	cells := cell.NewPool(cell.Config{Binary: binary, Engines: engines, Threads: 1}, 1)
	defer func() { err = errors.Join(err, cells.Close()) }()
	for _, f := range hostile.Refusals() {
		if only != "" && only != f.Kind && only != f.Name {
			continue
		}
		m, err := refuse(ctx, cells, dir, f, runs)
		switch {
		case ctx.Err() != nil:
			return nil, nil, context.Cause(ctx)
		case err != nil:
			failed = append(failed, fmt.Errorf("%s, %s: %w", f.Kind, f.Name, err))
		case percentile(m.cpu, 50) > hostile.RefusedWithin:
			failed = append(failed, fmt.Errorf("%s, %s: %v of processor time", f.Kind, f.Name, percentile(m.cpu, 50)))
		}
		out = append(out, m)
		fmt.Fprintf(os.Stderr, "%s, %s: %v of processor time, %v in all\n", f.Kind, f.Name, percentile(m.cpu, 50), percentile(m.wall, 50))
	}
	return out, failed, nil
}

func refuse(ctx context.Context, cells *cell.Pool, dir string, f hostile.Refusal, runs int) (m measured, err error) {
	m.Refusal = f
	whole := f.Make()
	m.bytes = len(whole)
	path := filepath.Join(dir, "document")
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		return m, err
	}
	p := policy.Default()
	for range runs {
		doc, err := os.Open(path)
		if err != nil {
			return m, err
		}
		c, err := cells.Get(ctx)
		if err != nil {
			return m, errors.Join(err, doc.Close())
		}
		var ends sink
		began := time.Now()
		r, err := c.Run(ctx, doc, wire.Task{Rules: p.Rules, Limits: p.Limits}, &ends)
		m.wall = append(m.wall, time.Since(began))
		m.cpu = append(m.cpu, r.CPU)
		if err := errors.Join(ends.judge(err, f.Want), doc.Close()); err != nil {
			return m, err
		}
	}
	return m, nil
}

// sink takes what a cell says of a file; there must be no pixels.
type sink struct{ assets []cell.Asset }

// Blob implements cell.Sink.
func (*sink) Blob(int, bool) (io.WriteCloser, error) {
	return nil, errors.New("a picture of a file that must be refused")
}

// Asset implements cell.Sink.
func (s *sink) Asset(a cell.Asset) error { s.assets = append(s.assets, a); return nil }

// judge demands that the document was refused for the reason, or each picture that is
// not a page.
func (s *sink) judge(err error, want reason.Code) error {
	if code := reason.Of(err); err != nil && code != want {
		return fmt.Errorf("refused with %s, not with %s: %w", code, want, err)
	}
	for _, a := range s.assets {
		if a.Reason != want {
			return fmt.Errorf("%s %d ends as %q, not %q", a.Kind, a.Index, a.Reason, want)
		}
	}
	if err == nil && len(s.assets) == 0 {
		return errors.New("neither refused nor any picture of it")
	}
	return nil
}
