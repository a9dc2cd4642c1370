package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"blotter/internal/postgres"
	"blotter/internal/postgres/pgtest"
	"blotter/internal/queue"
)

// childCommand is the first argument of a worker process.
const childCommand = "worker-process"

// scale measures worker processes whose jobs sleep as a document would compute: what they
// do together against what one does.
func scale(ctx context.Context, c *pgtest.Cluster, p plan) (string, error) {
	text := fmt.Sprintf("**Worker processes**, %d workers each, jobs that sleep %d ms:\n\n"+
		"| processes | jobs a second | what the sleeps alone allow | reached | linear |\n|--:|--:|--:|--:|--:|\n", p.scaleWorkers, p.scaleMillis)
	var one float64
	for _, processes := range []int{1, 2, 4} {
		got, err := scaleTo(ctx, c, processes, p)
		if err != nil {
			return "", err
		}
		if one == 0 {
			one = got
		}
		allowed := float64(processes*p.scaleWorkers) * 1000 / float64(p.scaleMillis)
		text += fmt.Sprintf("| %d | %.0f | %.0f | %.2f | %.2f |\n", processes, got, allowed, got/allowed, got/one/float64(processes))
	}
	return text, nil
}

func scaleTo(ctx context.Context, c *pgtest.Cluster, processes int, p plan) (float64, error) {
	r, forget, err := fresh(ctx, c, rivals[0], fmt.Sprintf("scale%d", processes))
	if err != nil {
		return 0, err
	}
	defer forget()
	jobs := p.scaleJobs * processes
	if err := r.fill(ctx, jobs); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dsn := r.(*blotter).dsn
	var start, work sync.WaitGroup
	errs := make([]error, processes)
	begin := make(chan struct{})
	start.Add(processes)
	for i := range processes {
		work.Go(func() {
			errs[i] = worker(ctx, dsn, p, start.Done, begin)
			if errs[i] != nil {
				cancel()
			}
		})
	}
	start.Wait()
	began := time.Now()
	close(begin)
	work.Wait()
	return rate(jobs, time.Since(began)), errors.Join(errs...)
}

// worker runs one process. It says when it is connected, and begins when it is told.
func worker(ctx context.Context, dsn string, p plan, ready func(), begin <-chan struct{}) error {
	self, err := os.Executable()
	if err != nil {
		ready()
		return err
	}
	cmd := exec.CommandContext(ctx, self, childCommand, "-dsn", dsn, "-workers", fmt.Sprint(p.scaleWorkers), "-ms", fmt.Sprint(p.scaleMillis))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		ready()
		return err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		ready()
		return err
	}
	_, err = bufio.NewReader(out).ReadString('\n')
	ready()
	if err != nil {
		return errors.Join(err, cmd.Wait())
	}
	<-begin
	in.Close()
	return cmd.Wait()
}

// scaleChild is a worker process: it works until nothing is queued.
func scaleChild(args []string) error {
	f := flag.NewFlagSet(childCommand, flag.ContinueOnError)
	dsn := f.String("dsn", "", "")
	workers := f.Int("workers", 1, "")
	ms := f.Int("ms", 0, "")
	if err := f.Parse(args); err != nil {
		return err
	}
	ctx := context.Background()
	db, err := postgres.Open(ctx, *dsn, postgres.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	fmt.Println("ready")
	if _, err := bufio.NewReader(os.Stdin).ReadByte(); err == nil {
		return errors.New("something other than the end was said")
	}
	b := &blotter{db: db}
	errs := make([]error, *workers)
	var work sync.WaitGroup
	for i := range *workers {
		work.Go(func() {
			for errs[i] == nil {
				errs[i] = b.one(ctx, time.Duration(*ms)*time.Millisecond)
			}
			if errors.Is(errs[i], queue.ErrNoJob) {
				errs[i] = nil
			}
		})
	}
	work.Wait()
	return errors.Join(errs...)
}
