// Command chaos runs three nodes on one PostgreSQL and one bucket, gives them real
// documents, and does to them for a given time what goes wrong in production: processes
// are killed and stopped, connections cut and frozen, the database and the object store
// fail. Then it lets all jobs end and checks that nothing was lost, nothing happened twice
// and nothing was left behind. See docs/chaos.md.
//
// The seed fixes what is done to whom and in which order, not how the processes take it:
// a second run with the same seed is another run.
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
	"strings"
	"syscall"
	"time"
)

// options are what a run is asked to do.
type options struct {
	binary, examples string
	length           time.Duration // of the faults; the checks come on top
	gap              time.Duration // mean pause between two faults
	seed             uint64
	kills            int  // rounds of the measurement of re-claims; 0: none
	keep             bool // leave the directory with the nodes' logs
	report           string
	out              io.Writer
}

func main() {
	o := options{out: os.Stdout}
	flag.StringVar(&o.binary, "binary", "bin/blotter", "the program")
	flag.StringVar(&o.examples, "examples", "examples", "directory of the example documents")
	flag.DurationVar(&o.length, "for", 10*time.Minute, "how long faults are injected; 0: not at all")
	flag.DurationVar(&o.gap, "gap", 300*time.Millisecond, "mean pause between two faults")
	flag.Uint64Var(&o.seed, "seed", 1, "of the draws of faults, documents and pauses")
	flag.IntVar(&o.kills, "kills", 0, "also kill a node so often, with leases as by default, and measure when others claim its jobs")
	flag.BoolVar(&o.keep, "keep", false, "leave the directory with logs and data")
	flag.StringVar(&o.report, "report", "", "Markdown file whose marked sections are written; empty: none")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

// errViolated is the end of a run in which something happened that must not.
var errViolated = errors.New("promises were broken")

func run(ctx context.Context, o options) error {
	if o.length > 0 {
		c, err := chaos(ctx, o)
		if err != nil {
			return err
		}
		text := c.text(o)
		fmt.Fprintln(o.out, text)
		if o.report != "" {
			if err := replaceSection(o.report, "chaos", text); err != nil {
				return err
			}
		}
		if n := c.violations.print(o.out); n > 0 {
			return fmt.Errorf("%w: %d violations; logs and data are in %s", errViolated, n, c.dir)
		}
	}
	if o.kills == 0 {
		return nil
	}
	r, err := measureReclaims(ctx, o)
	if err != nil {
		return err
	}
	text := r.text(o)
	fmt.Fprintln(o.out, text)
	if o.report == "" {
		return nil
	}
	return replaceSection(o.report, "reclaim", text)
}

// outcome is what a run of faults came to.
type outcome struct {
	began, ended time.Time
	faults       *faults
	load         *load
	checked      checked
	violations   *violations
	dir          string
}

// shortLease is the lease under faults, so that a process can be stopped past it often.
const shortLease = 2 * time.Second

// settle bounds the time from the last fault to the end of the last job.
const settle = 10 * time.Minute

func chaos(ctx context.Context, o options) (out *outcome, err error) {
	f, err := startFleet(ctx, o, []string{
		"BLOTTER_QUEUE_LEASE=" + shortLease.String(),
		// Jobs come back soon, and have more attempts than by default: one that is still
		// dead after so many is replayed, which is an act of its own.
		"BLOTTER_QUEUE_BACKOFF_BASE=200ms", "BLOTTER_QUEUE_BACKOFF_CAP=2s", "BLOTTER_QUEUE_ATTEMPTS=8",
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.close(o.keep || err != nil || f.violations.count() > 0)) }()
	l, err := newLoad(ctx, f, o)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(o.out, "Undisturbed results of %d documents are known; now faults for %v, seed %d. Logs: %s\n", len(l.documents), o.length, o.seed, f.dir)
	out = &outcome{began: time.Now(), load: l, violations: f.violations, dir: f.dir}
	witness := f.watchHeads(ctx)
	l.begin(ctx)
	out.faults = inject(ctx, f, o)
	calm, cancel := context.WithTimeout(ctx, settle)
	defer cancel()
	if err := l.finish(calm); err != nil {
		return nil, err
	}
	out.ended = time.Now()
	heads := witness()
	out.checked, err = check(calm, f, l, heads)
	return out, err
}

// replaceSection puts text between the marks <!-- name:begin --> and <!-- name:end --> of a
// file.
func replaceSection(path, name, text string) error {
	begin, end := "<!-- "+name+":begin -->\n", "<!-- "+name+":end -->"
	body, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(body), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return fmt.Errorf("%s has no marks %s", filepath.Base(path), name)
	}
	return os.WriteFile(path, []byte(before+begin+"\n"+text+"\n"+end+after), 0o644)
}
