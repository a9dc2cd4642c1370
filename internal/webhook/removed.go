package webhook

import (
	"context"
	"log/slog"
	"time"

	"blotter/internal/reason"
)

// Times of endpoints that were removed.
const (
	// RemovedAfter is how long nobody must have known an endpoint before its messages are
	// given up: long enough to change the configuration of nodes one after the other.
	RemovedAfter = time.Hour

	// knowEvery is how often a dispatcher says which endpoints it knows.
	knowEvery = time.Minute

	// unknown is how long none has said so before an endpoint counts as known to nobody.
	unknown = 5 * knowEvery
)

// Removed gives up the messages of endpoints that no node knows any more. It counts the time
// that it has itself seen pass: where everything stood still over a weekend, who knew the
// endpoint may not have been started again yet. For one goroutine.
type Removed struct {
	Store Store
	Log   *slog.Logger
	Meter Meter
	Now   func() time.Time // nil: time.Now
	Known []string         // the endpoints that this node knows, whether it delivers or not

	since map[string]time.Time // when an endpoint was first seen to be unknown, of those that are
	last  time.Time            // of the looks
}

// Look is to be called every few minutes, by one node at a time.
func (r *Removed) Look(ctx context.Context) error {
	if len(r.Known) > 0 { // nodes that deliver may all be stopped for a while
		if err := r.Store.KnowEndpoints(ctx, r.Known); err != nil {
			return err
		}
	}
	names, err := r.Store.UnknownEndpoints(ctx, unknown)
	if err != nil {
		return err
	}
	now, before := r.now(), r.since
	if now.Sub(r.last) > unknown { // another node looked meanwhile, or none did
		before = nil
	}
	r.since, r.last = map[string]time.Time{}, now
	for _, name := range names {
		since, known := before[name]
		if !known {
			since = now
		}
		r.since[name] = since
		if now.Sub(since) < RemovedAfter {
			continue
		}
		n, err := r.Store.GiveUp(ctx, name, unknown, reason.WebhookRemoved)
		if err != nil {
			return err
		}
		r.Log.Warn("webhook messages of an endpoint that no node knows were given up", "count", n, "reason", reason.WebhookRemoved)
		for range n {
			r.Meter.GaveUp(reason.WebhookRemoved)
		}
	}
	return nil
}

func (r *Removed) now() time.Time {
	if r.Now == nil {
		return time.Now()
	}
	return r.Now()
}
