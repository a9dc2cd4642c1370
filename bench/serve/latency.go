package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	// sampleBytes is the size of a timed upload: a page as JPEG. Intake does not look
	// into it; the cell refuses it at once, so that idle workers are idle again soon.
	sampleBytes = 64 << 10
	// rest lies between two samples, so that no answer waits for the one before, and a
	// new cell has started.
	rest = 300 * time.Millisecond
	// load is how many example documents of each lane wait while samples are taken under
	// load. Every worker has one under way, and they last longer than the samples.
	load = 80
)

// answerTimes are those of one phase, sorted.
type answerTimes struct{ blotter, floor []time.Duration }

// latency times uploads one by one, first while no worker has anything to do, then while
// all have.
func latency(ctx context.Context, p plan) (string, error) {
	s, err := newService(ctx, p, "latency")
	if err != nil {
		return "", err
	}
	f, err := startFloor(ctx, p)
	if err != nil {
		return "", err
	}
	defer f.stop()
	if err := s.start(ctx); err != nil {
		return "", err
	}
	said, err := phases(ctx, s, f, p)
	return said, errors.Join(err, s.stop())
}

func phases(ctx context.Context, s *service, f *floor, p plan) (string, error) {
	if _, err := sample(ctx, s, f, 10, true); err != nil { // connections, caches
		return "", err
	}
	idle, err := sample(ctx, s, f, p.samples, true)
	if err != nil {
		return "", err
	}
	if err := saturate(ctx, s, p); err != nil {
		return "", err
	}
	busy, err := sample(ctx, s, f, p.samples, false)
	if err != nil {
		return "", err
	}
	if err := stillSaturated(ctx, s); err != nil {
		return "", err
	}
	return latencyReport(idle, busy), nil
}

// sample takes turns between blotter and the floor, so that a change of the machine's mood
// meets both. With idle, each job ends before the next sample.
func sample(ctx context.Context, s *service, f *floor, n int, idle bool) (answerTimes, error) {
	var t answerTimes
	body := make([]byte, sampleBytes)
	for range n {
		_, _ = rand.Read(body) // never fails
		began := time.Now()
		id, err := s.upload(ctx, body, rand.Text(), "bulk")
		if err != nil {
			return t, err
		}
		t.blotter = append(t.blotter, time.Since(began))
		began = time.Now()
		if err := f.upload(ctx, body); err != nil {
			return t, err
		}
		t.floor = append(t.floor, time.Since(began))
		if idle {
			if _, err := s.await(ctx, id); err != nil {
				return t, err
			}
		}
		if err := pause(ctx, rest); err != nil {
			return t, err
		}
	}
	slices.Sort(t.blotter)
	slices.Sort(t.floor)
	return t, nil
}

// saturate gives every worker, of either lane, more to do than the samples take.
func saturate(ctx context.Context, s *service, p plan) error {
	files, err := filepath.Glob(filepath.Join(p.examples, "*.*"))
	if err != nil || len(files) == 0 {
		return errors.Join(err, errors.New("no documents to saturate the workers with"))
	}
	for i := range load {
		body, err := os.ReadFile(files[i%len(files)])
		if err != nil {
			return err
		}
		for _, lane := range []string{"interactive", "bulk"} {
			if _, err := s.upload(ctx, body, rand.Text(), lane); err != nil {
				return err
			}
		}
	}
	return pause(ctx, 3*time.Second) // until every worker is in the middle of one
}

// stillSaturated checks that work waited in both lanes to the last.
func stillSaturated(ctx context.Context, s *service) error {
	left, err := s.backlog(ctx)
	if err != nil {
		return err
	}
	if left[[2]string{"interactive", "ready"}] == 0 {
		return fmt.Errorf("the workers ran out of work before the samples were taken: %v", left)
	}
	return nil
}

// quantile of sorted times: the smallest that q of all do not exceed.
func quantile(sorted []time.Duration, q float64) float64 {
	at := min(len(sorted)-1, int(q*float64(len(sorted))))
	return sorted[at].Seconds() * 1000
}

func latencyReport(idle, busy answerTimes) string {
	rows := []struct {
		name       string
		idle, busy []time.Duration
	}{{"blotter, `POST /v1/documents`", idle.blotter, busy.blotter}, {"floor: hash, write, sync, answer", idle.floor, busy.floor}}
	text := fmt.Sprintf("**Answer time of intake**, uploads of %d KiB one by one, %d in each phase; saturated: every worker has a document under way and more wait in both lanes.\n\n"+
		"| | idle p50 | idle p99 | saturated p50 | saturated p99 | p99 saturated ÷ idle |\n|---|--:|--:|--:|--:|--:|\n", sampleBytes>>10, len(idle.blotter))
	for _, r := range rows {
		text += fmt.Sprintf("| %s | %.1f ms | %.1f ms | %.1f ms | %.1f ms | **%.2f** |\n", r.name, quantile(r.idle, .5), quantile(r.idle, .99),
			quantile(r.busy, .5), quantile(r.busy, .99), quantile(r.busy, .99)/quantile(r.idle, .99))
	}
	return text + fmt.Sprintf("\nblotter ÷ floor, p50: %.2f idle, %.2f saturated; p99: %.2f idle, %.2f saturated.\n",
		quantile(idle.blotter, .5)/quantile(idle.floor, .5), quantile(busy.blotter, .5)/quantile(busy.floor, .5),
		quantile(idle.blotter, .99)/quantile(idle.floor, .99), quantile(busy.blotter, .99)/quantile(busy.floor, .99))
}
