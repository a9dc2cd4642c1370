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

// busy is a tenant that has more documents waiting than there is time for.
type busy struct {
	name   string
	weight int
	queued int
	body   func(n int) []byte
	*service

	jobs   int
	worked time.Duration
}

// shares lets tenants compete for two places and compares what each has had with its weight.
func shares(ctx context.Context, p plan) (string, error) {
	s, err := newService(ctx, p, "shares")
	if err != nil {
		return "", err
	}
	card, err := os.ReadFile(filepath.Join(p.examples, "insurance-card.jpg"))
	if err != nil {
		return "", err
	}
	long := func(int) []byte { return card }
	tenants := []*busy{
		{name: "longer-documents", weight: 1, queued: 400, body: long}, {name: "small-documents", weight: 1, queued: 800, body: small},
		{name: "weight-2", weight: 2, queued: 800, body: small},
	}
	weights := ""
	for _, t := range tenants {
		if t.service, err = s.as(ctx, t.name); err != nil {
			return "", err
		}
		weights += fmt.Sprintf(",%s=%d", t.name, t.weight)
	}
	// Nothing parks, so that from claim to end a job has its place.
	if err := s.start(ctx, "BLOTTER_WORKERS=2", "BLOTTER_SERVE_INTERACTIVE_WORKERS=0", "BLOTTER_QUEUE_PARKED=0", "BLOTTER_QUEUE_WEIGHTS="+weights[1:]); err != nil {
		return "", err
	}
	err = compete(ctx, tenants, p.share)
	return sharesReport(tenants, p.share), errors.Join(err, s.stop())
}

// compete queues everything, waits, and adds up what has ended.
func compete(ctx context.Context, tenants []*busy, long time.Duration) error {
	// In turn, so that all have something waiting from the first moment on.
	err := atOnce(senders, 800*len(tenants), func(i int) error {
		t, n := tenants[i%len(tenants)], i/len(tenants)
		if n >= t.queued {
			return nil
		}
		_, err := t.upload(ctx, t.body(n), rand.Text(), "bulk")
		return err
	})
	if err != nil {
		return err
	}
	if err := pause(ctx, long); err != nil {
		return err
	}
	for _, t := range tenants {
		jobs, err := t.service.jobs(ctx)
		if err != nil {
			return err
		}
		for _, j := range jobs {
			if !j.Ended {
				continue
			}
			trail, err := t.trail(ctx, j.ID)
			if err != nil {
				return err
			}
			t.jobs, t.worked = t.jobs+1, t.worked+held(trail)
		}
		if t.jobs == t.queued {
			return fmt.Errorf("%s ran out of documents", t.name)
		}
	}
	return nil
}

// held is how long a job had a place: from its claim to its end, cell included.
func held(trail []event) time.Duration {
	var claimed time.Time
	for _, e := range trail {
		if e.Kind == "claimed" {
			claimed = e.Time
		}
		if slices.Contains(endings, e.Kind) {
			return e.Time.Sub(claimed)
		}
	}
	return 0
}

func sharesReport(tenants []*busy, long time.Duration) string {
	var all time.Duration
	weights := 0
	for _, t := range tenants {
		all, weights = all+t.worked, weights+t.weight
	}
	text := fmt.Sprintf("**Shares.** Three tenants with more documents waiting than there is time for, two places, %v after the last upload: the time from claim to end of all documents that had ended, by their signed events.\n\n"+
		"| tenant | weight | documents | mean length | processing time | of all | by weight | share ÷ weight |\n|---|--:|--:|--:|--:|--:|--:|--:|\n", long)
	for _, t := range tenants {
		had, due := t.worked.Seconds()/all.Seconds(), float64(t.weight)/float64(weights)
		text += fmt.Sprintf("| %s | %d | %d | %.1f s | %.0f s | %.1f %% | %.1f %% | **%.2f** |\n",
			t.name, t.weight, t.jobs, t.worked.Seconds()/float64(max(1, t.jobs)), t.worked.Seconds(), 100*had, 100*due, had/due)
	}
	return text
}
