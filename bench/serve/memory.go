package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

const (
	// every is how many uploads lie between two looks at memory.
	every = 500
	// senders is how many uploads are under way at once.
	senders = 4
	// warm is the share of the looks after which growth counts: before, caches fill and
	// the heap finds its size.
	warm = 4 // a quarter
)

// memory uploads small documents while the workers work, and watches the parent.
func memory(ctx context.Context, p plan) (string, error) {
	s, err := newService(ctx, p, "memory")
	if err != nil {
		return "", err
	}
	if err := s.start(ctx); err != nil {
		return "", err
	}
	looks, rates, err := watch(ctx, s, p.requests)
	if err = errors.Join(err, s.stop()); err != nil {
		return "", err
	}
	return memoryReport(looks, rates, p.requests), nil
}

// watch returns the memory after each burst, in bytes, and the uploads a second of each.
func watch(ctx context.Context, s *service, requests int) (looks []int64, rates []float64, err error) {
	for sent := 0; sent < requests; sent += every {
		n, began := min(every, requests-sent), time.Now()
		if err := burst(ctx, s, sent, n); err != nil {
			return nil, nil, err
		}
		rates = append(rates, float64(n)/time.Since(began).Seconds())
		now, err := s.resident()
		if err != nil {
			return nil, nil, err
		}
		looks = append(looks, now)
	}
	return looks, rates, nil
}

// burst uploads n documents, several at once.
func burst(ctx context.Context, s *service, first, n int) error {
	return atOnce(senders, n, func(i int) error {
		_, err := s.upload(ctx, small(first+i), rand.Text(), "bulk")
		return err
	})
}

// atOnce does n things, k at a time.
func atOnce(k, n int, do func(i int) error) error {
	var group sync.WaitGroup
	failed := make([]error, k)
	for sender := range k {
		group.Go(func() {
			for i := sender; i < n && failed[sender] == nil; i += k {
				failed[sender] = do(i)
			}
		})
	}
	group.Wait()
	return errors.Join(failed...)
}

// slope is the growth from look to look, in bytes, by least squares.
func slope(looks []int64) float64 {
	n := float64(len(looks))
	var sx, sy, sxx, sxy float64
	for i, y := range looks {
		x := float64(i)
		sx, sy, sxx, sxy = sx+x, sy+float64(y), sxx+x*x, sxy+x*float64(y)
	}
	if d := n*sxx - sx*sx; d > 0 {
		return (n*sxy - sx*sy) / d
	}
	return 0
}

func memoryReport(looks []int64, rates []float64, requests int) string {
	var shown strings.Builder
	for i, l := range looks {
		if i > 0 {
			shown.WriteString(", ")
		}
		fmt.Fprintf(&shown, "%.0f", float64(l)/(1<<20))
	}
	settled := looks[len(looks)/warm:]
	per := slope(settled) * 1000 / every
	return fmt.Sprintf("**Memory of the parent** over %d uploads of small documents (%d at once, %.0f a second in the first %d, %.0f in the last, when the others waited; workers busy): resident MiB every %d uploads: %s. "+
		"Growth after the first quarter, by least squares: **%.1f KiB per 1,000 uploads**; last ÷ first look of that time: **%.2f**.\n",
		requests, senders, rates[0], every, rates[len(rates)-1], every, shown.String(), per/1024, float64(settled[len(settled)-1])/float64(settled[0]))
}
