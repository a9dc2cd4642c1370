package postgres

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/webhook"
	"blotter/receipt"

	"github.com/jackc/pgx/v5"
)

var _ webhook.Store = (*DB)(nil)

// announce leaves a message for each endpoint that wants to know of these jobs' ends.
func (t *tx) announce(jobs []document.ID) error {
	endpoints := t.db.settings.Endpoints
	if endpoints == nil || len(jobs) == 0 {
		return nil
	}
	moved, err := collect(t.ctx, t, scanEnded, sqlDeliveriesEnded, named{"jobs": jobs})
	if err != nil {
		return err
	}
	var messages, names, about []string
	for _, m := range moved {
		if !m.State.Ended() {
			continue
		}
		for _, e := range endpoints(m.Tenant) {
			messages = append(messages, webhook.MessageID(e, m.Job, m.Sequence))
			names, about = append(names, e), append(about, string(m.Job))
		}
	}
	if len(messages) == 0 {
		return nil
	}
	_, err = t.exec(sqlDeliveriesAdd, named{"messages": messages, "endpoints": names, "jobs": about, "now": t.now})
	return err
}

func scanEnded(r pgx.Row) (d webhook.Delivery, err error) {
	return d, r.Scan(&d.Job, &d.Tenant, &d.State, &d.Sequence)
}

// ClaimDelivery implements webhook.Store.
func (db *DB) ClaimDelivery(ctx context.Context, d time.Duration, endpoints []string) (claimed webhook.Delivery, err error) {
	err = db.write(ctx, "claim a delivery", func(t *tx) error {
		claimed, err = scanDelivery(t.QueryRow(t.ctx, sqlDeliveryClaim, named{
			"now": t.now, "until": t.now + d.Milliseconds(), "endpoints": endpoints,
		}))
		if errors.Is(err, pgx.ErrNoRows) {
			return webhook.ErrNone
		}
		return err
	})
	if err != nil {
		return webhook.Delivery{}, err
	}
	return claimed, nil
}

// Delivered implements webhook.Store.
func (db *DB) Delivered(ctx context.Context, d webhook.Delivery) error {
	return db.write(ctx, "forget a delivery", func(t *tx) error {
		return t.must(queue.ErrLeaseLost, sqlDeliveryDone, named{"id": d.ID, "token": d.Token})
	})
}

// Failed implements webhook.Store.
func (db *DB) Failed(ctx context.Context, d webhook.Delivery, why reason.Code, after time.Duration, dead bool) error {
	return db.write(ctx, "give a delivery back", func(t *tx) error {
		return t.must(queue.ErrLeaseLost, sqlDeliveryFailed, named{
			"id": d.ID, "token": d.Token, "why": why, "not_before": t.now + after.Milliseconds(), "dead": dead,
		})
	})
}

// KnowEndpoints implements webhook.Store.
func (db *DB) KnowEndpoints(ctx context.Context, names []string) error {
	return db.write(ctx, "note the endpoints", func(t *tx) error {
		_, err := t.exec(sqlEndpointsKnow, named{"names": slices.Sorted(slices.Values(names)), "now": t.now})
		return err
	})
}

// UnknownEndpoints implements webhook.Store.
func (db *DB) UnknownEndpoints(ctx context.Context, d time.Duration) ([]string, error) {
	out, err := collect(ctx, db.pool, func(r pgx.Row) (name string, err error) { return name, r.Scan(&name) },
		sqlEndpointsUnknown, named{"d": d.Milliseconds(), "offset": db.ahead()})
	return out, failed("look for endpoints that nobody knows", err)
}

// GiveUp implements webhook.Store.
func (db *DB) GiveUp(ctx context.Context, endpoint string, d time.Duration, why reason.Code) (n int, err error) {
	err = db.write(ctx, "give deliveries up", func(t *tx) error {
		gone, err := t.exec(sqlDeliveriesGiveUp, named{"endpoint": endpoint, "before": t.now - d.Milliseconds(), "why": why})
		n = int(gone)
		return err
	})
	return n, err
}

// Deliveries implements webhook.Store.
func (db *DB) Deliveries(ctx context.Context, f webhook.Filter) ([]webhook.Delivery, error) {
	before := f.Before
	if before == 0 {
		before = math.MaxInt64
	}
	out, err := collect(ctx, db.pool, scanDelivery, sqlDeliveries, named{
		"tenant": f.Tenant, "endpoint": f.Endpoint, "status": f.Status, "before": before, "past": f.Past, "n": f.Limit,
	})
	return out, failed("list deliveries", err)
}

// ReplayDelivery implements webhook.Store.
func (db *DB) ReplayDelivery(ctx context.Context, id string, event func(webhook.Delivery) receipt.Event) (webhook.Delivery, error) {
	return db.actOnDelivery(ctx, "replay a delivery", id, event, func(t *tx, _ webhook.Delivery) (webhook.Delivery, error) {
		return scanDelivery(t.QueryRow(t.ctx, sqlDeliveryReplay, named{"id": id, "now": t.now}))
	})
}

// DiscardDelivery implements webhook.Store.
func (db *DB) DiscardDelivery(ctx context.Context, id string, event func(webhook.Delivery) receipt.Event) (webhook.Delivery, error) {
	return db.actOnDelivery(ctx, "discard a delivery", id, event, func(t *tx, d webhook.Delivery) (webhook.Delivery, error) {
		_, err := t.exec(sqlDeliveryDiscard, named{"id": id})
		return d, err
	})
}

// actOnDelivery does something with a dead delivery, on record.
func (db *DB) actOnDelivery(ctx context.Context, what, id string, event func(webhook.Delivery) receipt.Event,
	do func(*tx, webhook.Delivery) (webhook.Delivery, error)) (d webhook.Delivery, err error) {
	err = db.write(ctx, what, func(t *tx) error {
		dead, err := scanDelivery(t.QueryRow(t.ctx, sqlDeliveryDead, named{"id": id}))
		if errors.Is(err, pgx.ErrNoRows) {
			return reason.Because(reason.WebhookUnknown, nil)
		}
		if err == nil {
			d, err = do(t, dead)
		}
		if err != nil {
			return err
		}
		return t.tell(event(dead))
	})
	if err != nil {
		return webhook.Delivery{}, err
	}
	return d, nil
}

// DeliveryCounts implements webhook.Store.
func (db *DB) DeliveryCounts(ctx context.Context) (c webhook.Counts, err error) {
	var oldest int64
	err = db.pool.QueryRow(ctx, sqlDeliveryCounts).Scan(&c.Pending, &c.Dead, &oldest)
	c.Oldest = fromMillis(oldest)
	return c, failed("count deliveries", err)
}

func scanDelivery(r pgx.Row) (d webhook.Delivery, err error) {
	var ended, notBefore int64
	err = r.Scan(&d.ID, &d.Endpoint, &d.Tenant, &d.Job, &d.State, &d.Reason, &d.Sequence, &ended, &d.Status,
		&d.Attempt, &d.Token, &notBefore, &d.Why)
	d.Ended, d.NotBefore = fromMillis(ended), fromMillis(notBefore)
	return d, err
}

var (
	sqlDeliveriesEnded  = query("deliveries_ended")
	sqlDeliveriesAdd    = query("deliveries_add")
	sqlDeliveryClaim    = query("delivery_claim")
	sqlDeliveryDone     = query("delivery_done")
	sqlDeliveryFailed   = query("delivery_failed")
	sqlEndpointsKnow    = query("endpoints_know")
	sqlEndpointsUnknown = query("endpoints_unknown")
	sqlDeliveriesGiveUp = query("deliveries_give_up")
	sqlDeliveries       = query("deliveries")
	sqlDeliveryDead     = query("delivery_dead")
	sqlDeliveryReplay   = query("delivery_replay")
	sqlDeliveryDiscard  = query("delivery_discard")
	sqlDeliveryCounts   = query("delivery_counts")
)
