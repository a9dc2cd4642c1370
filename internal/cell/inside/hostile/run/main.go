// Command run gives hostile files to the cells of the built program and writes a report of
// how each ended. With -only it attacks with some of them, with -files with the files of a
// directory instead.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"blotter/internal/cell"
	"blotter/internal/cell/engine"
	"blotter/internal/cell/inside/hostile"
	"blotter/internal/cell/wire"
	"blotter/internal/policy"
)

func main() {
	binary := flag.String("binary", "bin/blotter", "the program under attack")
	files := flag.String("files", "", "attack with the files of this directory, at any depth")
	only := flag.String("only", "", "attack with the files alone whose kind and name, as in \"loop, EMF that ends where it begins\", have this in them")
	to := flag.String("report", "", "write the report to this file; standard output without it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *binary, *files, *only, *to)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, binary, files, only, to string) (err error) {
	dir, err := engine.Dir()
	if err != nil {
		return err
	}
	if binary, err = filepath.Abs(binary); err != nil {
		return err
	}
	cells := cell.NewPool(cell.Config{Binary: binary, Purpose: wire.Inspect, Engines: engine.Openers(dir), Threads: 1}, workers)
	defer func() { err = errors.Join(err, cells.Close()) }()
	list := hostile.All()
	if files != "" {
		list = within(files)
	}
	outcomes, err := attack(ctx, cells, named(list, only), only != "")
	if err != nil {
		return err
	}
	out := os.Stdout
	if to != "" {
		if out, err = os.Create(to); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, out.Close()) }()
	}
	if _, err := out.WriteString(report(outcomes)); err != nil {
		return err
	}
	var bad []error
	for _, o := range outcomes {
		if o.Problem != "" {
			bad = append(bad, fmt.Errorf("%s, %s: %s", o.Kind, o.Name, o.Problem))
		}
	}
	return errors.Join(bad...)
}

// workers is how many cells are attacked at once.
const workers = 2

// attack gives every file to a cell, and tells of each where so asked, else of those that
// fail. The outcomes are in the order of their ends.
func attack(ctx context.Context, cells *cell.Pool, list iter.Seq[hostile.File], tell bool) (out []hostile.Outcome, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := policy.Default()
	p.Limits.Seconds = hostile.Seconds
	next, ended := make(chan hostile.File), make(chan hostile.Outcome)
	var busy sync.WaitGroup
	for range workers {
		dir, err := os.MkdirTemp("", "hostile-*")
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		d := hostile.Driver{Cells: cells, Dir: dir, Task: wire.Task{Rules: p.Rules, Limits: p.Limits, Decode: true}}
		busy.Go(func() {
			for f := range next {
				o, err := d.Inspect(ctx, f)
				if err != nil {
					cancel(fmt.Errorf("%s, %s: %w", f.Kind, f.Name, err))
					return
				}
				ended <- o
			}
		})
	}
	go func() {
		defer close(ended)
		defer busy.Wait()
		defer close(next)
		for f := range list {
			select {
			case next <- f:
			case <-ctx.Done():
				return
			}
		}
	}()
	for o := range ended {
		if out = append(out, o); tell || o.Problem != "" || len(out)%100 == 0 {
			fmt.Fprintf(os.Stderr, "%d: %s, %s: %s after %v, %d MiB %s\n", len(out), o.Kind, o.Name, o.Result(), o.Wall.Round(time.Millisecond), o.Peak>>20, o.Problem)
		}
	}
	return out, context.Cause(ctx)
}

// named yields the files of a list that have part in their kind and name.
func named(list iter.Seq[hostile.File], part string) iter.Seq[hostile.File] {
	return func(yield func(hostile.File) bool) {
		for f := range list {
			if strings.Contains(f.Kind+", "+f.Name, part) && !yield(f) {
				return
			}
		}
	}
}

// within yields the files of a directory that can be read.
func within(dir string) iter.Seq[hostile.File] {
	return func(yield func(hostile.File) bool) {
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return nil //nolint:nilerr // what cannot be read attacks nobody
			}
			if b, err := os.ReadFile(path); err == nil && !yield(hostile.File{Kind: "given", Name: e.Name(), Make: func() []byte { return b }}) {
				return fs.SkipAll
			}
			return nil
		})
	}
}
