// Command queue measures blotter's queue on PostgreSQL beside River
// (https://riverqueue.com), on one private cluster, in one run, and writes the figures as
// Markdown. `make bench-queue` runs it. It starts the cluster itself, durable as in
// production (fsync and synchronous_commit on), and ends by itself.
//
//   - enqueue: producers that add one job each call, as an API does;
//   - work: workers that do nothing, at several depths of the backlog: claim to finish, the next
//     job taken when the end of the last is durable, or as soon as it is done, as River does;
//   - life: producers and workers at the same time, on a queue that begins empty;
//   - scale: one to four worker processes whose jobs sleep, against linear.
//
// What differs is said in docs/benchmarks.md: blotter writes an event for the signed trail
// with every enqueue, claim and finish, fences every write and shares by tenant; River
// does none of these.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"blotter/bench/section"
	"blotter/internal/postgres/pgtest"
)

// plan is what the command line asks for.
type plan struct {
	docs                      string
	depths                    []int
	jobs, producers, workers  int
	only                      []string
	scaleJobs, scaleMillis    int
	scaleWorkers, scaleTenant int
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == childCommand {
		fail(scaleChild(os.Args[2:]))
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fail(run(ctx, os.Args[1:]))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-queue:", err)
		os.Exit(1)
	}
}

func parse(args []string) (plan, error) {
	p := plan{scaleTenant: tenants}
	var depths, only string
	f := flag.NewFlagSet("bench-queue", flag.ContinueOnError)
	f.StringVar(&p.docs, "docs", "", "directory whose benchmarks.md and scaling.md get the figures; empty: print only")
	f.StringVar(&depths, "depths", "1000,10000,100000,1000000", "queued jobs at which work is measured")
	f.IntVar(&p.jobs, "jobs", 5000, "jobs that are measured each time")
	f.IntVar(&p.producers, "producers", 32, "producers at once")
	f.IntVar(&p.workers, "workers", 100, "workers at once, in one process")
	f.StringVar(&only, "only", "enqueue,work,life,scale", "parts to run")
	f.IntVar(&p.scaleJobs, "scale-jobs", 4000, "jobs of each measurement of scale, for one process; more processes get more")
	f.IntVar(&p.scaleMillis, "scale-ms", 100, "how long each of them sleeps, milliseconds")
	f.IntVar(&p.scaleWorkers, "scale-workers", 50, "workers of each process of scale")
	if err := f.Parse(args); err != nil {
		return p, err
	}
	for text := range strings.SplitSeq(depths, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return p, fmt.Errorf("depth %q is no number", text)
		}
		p.depths = append(p.depths, n)
	}
	p.only = strings.Split(only, ",")
	return p, nil
}

func run(ctx context.Context, args []string) error {
	p, err := parse(args)
	if err != nil {
		return err
	}
	cluster, err := pgtest.Start(ctx, pgtest.Options{Durable: true, Settings: []string{"shared_buffers = 256MB", "max_wal_size = 2GB"}})
	if err != nil {
		return err
	}
	defer cluster.Close()
	on := "Measured by `make bench-queue` on " + section.Machine() + "; PostgreSQL, producers and workers share the machine, over a Unix socket."
	for _, part := range []struct {
		name, file string
		do         func(context.Context, *pgtest.Cluster, plan) (string, error)
	}{{"enqueue", "benchmarks.md", enqueue}, {"work", "benchmarks.md", work}, {"life", "benchmarks.md", life}, {"scale", "scaling.md", scale}} {
		if !slices.Contains(p.only, part.name) {
			continue
		}
		s, err := part.do(ctx, cluster, p)
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		fmt.Println(s)
		if p.docs == "" {
			continue
		}
		if err := section.Replace(filepath.Join(p.docs, part.file), "bench-"+part.name, on+"\n\n"+s); err != nil {
			return err
		}
	}
	return nil
}
