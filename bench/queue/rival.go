package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"blotter/internal/postgres/pgtest"
)

// rival is a queue on a database of its own.
type rival interface {
	// enqueue adds one job, as a producer's one call does.
	enqueue(ctx context.Context, n int) error
	// fill brings the backlog to depth by statements of SQL.
	fill(ctx context.Context, depth int) error
	// work runs workers that do nothing until n jobs have ended, and returns how long that
	// took and how long each job took from its claim to its written end.
	work(ctx context.Context, n, workers int) (time.Duration, []time.Duration, error)
	close()
}

// rivals are the queues that are measured, each made on a fresh database.
var rivals = []struct {
	name string
	open func(ctx context.Context, dsn string) (rival, error)
}{
	{"blotter", openBlotter},
	{"River", openRiver},
}

// fresh opens a rival on a database of its own; forget removes both.
func fresh(ctx context.Context, c *pgtest.Cluster, i int, name string) (r rival, forget func(), err error) {
	database := fmt.Sprintf("%s_%d", name, i)
	if err := c.Create(ctx, database, "template1"); err != nil {
		return nil, nil, err
	}
	r, err = rivals[i].open(ctx, c.URL(database))
	if err != nil {
		return nil, nil, err
	}
	return r, func() {
		r.close()
		_ = c.Drop(context.WithoutCancel(ctx), database)
	}, nil
}

// enqueue measures producers of single jobs.
func enqueue(ctx context.Context, c *pgtest.Cluster, p plan) (string, error) {
	text := fmt.Sprintf("**Enqueue**, %d producers, one job a call, %d jobs:\n\n| | jobs a second | median | 99 of 100 |\n|---|--:|--:|--:|\n", p.producers, p.jobs)
	var rates []float64
	for i, q := range rivals {
		r, forget, err := fresh(ctx, c, i, "enqueue")
		if err != nil {
			return "", err
		}
		took, each, err := produce(ctx, r, p)
		forget()
		if err != nil {
			return "", fmt.Errorf("%s: %w", q.name, err)
		}
		rates = append(rates, rate(p.jobs, took))
		text += fmt.Sprintf("| %s | %.0f | %s | %s |\n", q.name, rates[i], milliseconds(quantile(each, 0.5)), milliseconds(quantile(each, 0.99)))
	}
	return text + fmt.Sprintf("\nblotter ÷ River: **%.2f**.\n", rates[0]/rates[1]), nil
}

func produce(ctx context.Context, r rival, p plan) (time.Duration, []time.Duration, error) {
	each := make([]time.Duration, p.jobs)
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var work sync.WaitGroup
	began := time.Now()
	for range p.producers {
		work.Go(func() {
			for n := int(next.Add(1)) - 1; n < p.jobs && failed.Load() == nil; n = int(next.Add(1)) - 1 {
				at := time.Now()
				if err := r.enqueue(ctx, n); err != nil {
					failed.Store(&err)
				}
				each[n] = time.Since(at)
			}
		})
	}
	work.Wait()
	took := time.Since(began)
	if err := failed.Load(); err != nil {
		return 0, nil, *err
	}
	return took, each, nil
}

// work measures claim to finish at each depth.
func work(ctx context.Context, c *pgtest.Cluster, p plan) (string, error) {
	text := fmt.Sprintf("**Claim to finish**, %d workers in one process, %d jobs that do nothing:\n\n"+
		"| queued | blotter, jobs a second | River, jobs a second | blotter ÷ River | blotter, median and 99 of 100 | River, median and 99 of 100 |\n|--:|--:|--:|--:|--:|--:|\n", p.workers, p.jobs)
	first := [2]float64{}
	last := first
	for _, depth := range p.depths {
		var rates [2]float64
		var times [2]string
		for i, q := range rivals {
			took, each, err := workAt(ctx, c, i, depth, p)
			if err != nil {
				return "", fmt.Errorf("%s at %d: %w", q.name, depth, err)
			}
			n := min(p.jobs, depth)
			rates[i] = rate(n, took)
			times[i] = milliseconds(quantile(each, 0.5)) + ", " + milliseconds(quantile(each, 0.99))
		}
		if first[0] == 0 {
			first = rates
		}
		last = rates
		text += fmt.Sprintf("| %d | %.0f | %.0f | **%.2f** | %s | %s |\n", depth, rates[0], rates[1], rates[0]/rates[1], times[0], times[1])
	}
	return text + fmt.Sprintf("\nRate at the deepest ÷ at the shallowest: blotter %.2f, River %.2f.\n", last[0]/first[0], last[1]/first[1]), nil
}

func workAt(ctx context.Context, c *pgtest.Cluster, i, depth int, p plan) (time.Duration, []time.Duration, error) {
	r, forget, err := fresh(ctx, c, i, fmt.Sprintf("work%d", depth))
	if err != nil {
		return 0, nil, err
	}
	defer forget()
	if err := r.fill(ctx, depth); err != nil {
		return 0, nil, err
	}
	return r.work(ctx, min(p.jobs, depth), p.workers)
}

// life measures jobs from their producers to their ends, both sides at work.
func life(ctx context.Context, c *pgtest.Cluster, p plan) (string, error) {
	text := fmt.Sprintf("**Enqueue to finish**, %d producers and %d workers at the same time, %d jobs on a queue that begins empty:\n\n| | jobs a second |\n|---|--:|\n", p.producers, p.workers, p.jobs)
	var rates []float64
	for i, q := range rivals {
		r, forget, err := fresh(ctx, c, i, "life")
		if err != nil {
			return "", err
		}
		produced := make(chan error, 1)
		began := time.Now()
		go func() {
			_, _, err := produce(ctx, r, p)
			produced <- err
		}()
		_, _, err = r.work(ctx, p.jobs, p.workers)
		took := time.Since(began)
		err = errors.Join(err, <-produced)
		forget()
		if err != nil {
			return "", fmt.Errorf("%s: %w", q.name, err)
		}
		rates = append(rates, rate(p.jobs, took))
		text += fmt.Sprintf("| %s | %.0f |\n", q.name, rates[i])
	}
	return text + fmt.Sprintf("\nblotter ÷ River: **%.2f**.\n", rates[0]/rates[1]), nil
}

func rate(n int, took time.Duration) float64 { return float64(n) / took.Seconds() }

func quantile(each []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(each))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}
