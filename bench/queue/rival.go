package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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

// contender is a queue that is measured, made on a fresh database.
type contender struct {
	name string
	open func(ctx context.Context, dsn string) (rival, error)
}

var (
	rivals = []contender{{"blotter", openBlotter}, {"River", openRiver}}

	// River is the last, against which the others are held.
	working = []contender{{"blotter", openBlotter}, {"blotter, ends behind", openBehind}, {"River", openRiver}}
)

// fresh opens a rival on a database of its own; forget removes both.
func fresh(ctx context.Context, c *pgtest.Cluster, q contender, database string) (r rival, forget func(), err error) {
	if err := c.Create(ctx, database, "template1"); err != nil {
		return nil, nil, err
	}
	r, err = q.open(ctx, c.URL(database))
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
		r, forget, err := fresh(ctx, c, q, fmt.Sprint("enqueue_", i))
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
		"| queued | | jobs a second | ÷ River | processor time a job | median | 99 of 100 |\n|--:|---|--:|--:|--:|--:|--:|\n", p.workers, p.jobs)
	var first, last []float64
	for _, depth := range p.depths {
		at := make([]figures, len(working))
		last = nil
		for i, q := range working {
			var err error
			if at[i], err = workAt(ctx, c, q, fmt.Sprintf("work%d_%d", depth, i), depth, p); err != nil {
				return "", fmt.Errorf("%s at %d: %w", q.name, depth, err)
			}
			last = append(last, at[i].rate)
		}
		if first == nil {
			first = last
		}
		for i, q := range working {
			f := at[i]
			text += fmt.Sprintf("| %d | %s | %.0f | **%.2f** | %d µs | %s | %s |\n", depth, q.name, f.rate, f.rate/at[len(at)-1].rate,
				f.processor.Microseconds(), milliseconds(quantile(f.each, 0.5)), milliseconds(quantile(f.each, 0.99)))
		}
	}
	text += "\nRate at the deepest ÷ at the shallowest:"
	for i, q := range working {
		text += fmt.Sprintf(" %s %.2f;", q.name, last[i]/first[i])
	}
	return strings.TrimSuffix(text, ";") + ".\n", nil
}

// figures are what one measurement of work came to.
type figures struct {
	rate      float64       // jobs a second
	processor time.Duration // of this process and the server, for a job
	each      []time.Duration
}

func workAt(ctx context.Context, c *pgtest.Cluster, q contender, database string, depth int, p plan) (f figures, err error) {
	r, forget, err := fresh(ctx, c, q, database)
	if err != nil {
		return f, err
	}
	defer forget()
	if err := r.fill(ctx, depth); err != nil {
		return f, err
	}
	n := min(p.jobs, depth)
	before, err := spent(ctx, c)
	if err != nil {
		return f, err
	}
	took, each, err := r.work(ctx, n, p.workers)
	if err != nil {
		return f, err
	}
	after, err := spent(ctx, c)
	return figures{rate(n, took), (after - before) / time.Duration(n), each}, err
}

// life measures jobs from their producers to their ends, both sides at work.
func life(ctx context.Context, c *pgtest.Cluster, p plan) (string, error) {
	text := fmt.Sprintf("**Enqueue to finish**, %d producers and %d workers at the same time, %d jobs on a queue that begins empty:\n\n| | jobs a second |\n|---|--:|\n", p.producers, p.workers, p.jobs)
	var rates []float64
	for i, q := range rivals {
		r, forget, err := fresh(ctx, c, q, fmt.Sprint("life_", i))
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
