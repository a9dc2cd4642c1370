package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/webhook"
	"blotter/receipt"
)

var _ webhook.Store = (*DB)(nil)

// announce leaves a message for each endpoint that wants to know of a job's end.
func (t *tx) announce(job document.ID, state document.State, sequence int64) error {
	if t.settings.Endpoints == nil || !state.Ended() {
		return nil
	}
	var tenant document.Tenant
	if err := t.QueryRowContext(t.ctx, sqlDeliveryTenant, sql.Named("id", string(job))).Scan(&tenant); err != nil {
		return err
	}
	for _, endpoint := range t.settings.Endpoints(tenant) {
		_, err := t.exec(sqlDeliveryAdd, sql.Named("message", webhook.MessageID(endpoint, job, sequence)),
			sql.Named("endpoint", endpoint), sql.Named("id", string(job)), sql.Named("now", t.now))
		if err != nil {
			return err
		}
	}
	return nil
}

// ClaimDelivery implements webhook.Store.
func (db *DB) ClaimDelivery(ctx context.Context, d time.Duration, endpoints []string) (webhook.Delivery, error) {
	known, err := json.Marshal(append([]string{}, endpoints...)) // [] for none
	if err != nil {
		return webhook.Delivery{}, err
	}
	// Idle dispatchers ask often; only one who sees work takes the write lock.
	now, err := db.clock(ctx, db.reader)
	if err == nil {
		_, err = pickDelivery(ctx, db.reader, now, known)
	}
	if err != nil {
		return webhook.Delivery{}, failed("look for a delivery", err)
	}
	var claimed webhook.Delivery
	err = db.write(ctx, "claim a delivery", func(t *tx) error {
		id, err := pickDelivery(ctx, t, t.now, known)
		if err != nil {
			return err
		}
		token, err := t.token()
		if err != nil {
			return err
		}
		_, err = t.exec(sqlDeliveryTake, sql.Named("id", id), sql.Named("token", token), sql.Named("until", t.now+d.Milliseconds()))
		if err != nil {
			return err
		}
		claimed, err = t.delivery(id)
		return err
	})
	if err != nil {
		return webhook.Delivery{}, err
	}
	return claimed, nil
}

func pickDelivery(ctx context.Context, q querier, now int64, endpoints []byte) (id string, err error) {
	err = q.QueryRowContext(ctx, sqlDeliveryPick, sql.Named("now", now), sql.Named("endpoints", string(endpoints))).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", webhook.ErrNone
	}
	return id, err
}

// Delivered implements webhook.Store.
func (db *DB) Delivered(ctx context.Context, d webhook.Delivery) error {
	return db.write(ctx, "forget a delivery", func(t *tx) error {
		return t.must(queue.ErrLeaseLost, sqlDeliveryDone, sql.Named("id", d.ID), sql.Named("token", d.Token))
	})
}

// Failed implements webhook.Store.
func (db *DB) Failed(ctx context.Context, d webhook.Delivery, why reason.Code, after time.Duration, dead bool) error {
	return db.write(ctx, "give a delivery back", func(t *tx) error {
		return t.must(queue.ErrLeaseLost, sqlDeliveryFailed, sql.Named("id", d.ID), sql.Named("token", d.Token),
			sql.Named("why", string(why)), sql.Named("not_before", t.now+after.Milliseconds()), sql.Named("dead", dead))
	})
}

// KnowEndpoints implements webhook.Store.
func (db *DB) KnowEndpoints(ctx context.Context, names []string) error {
	return db.write(ctx, "note the endpoints", func(t *tx) error {
		for _, name := range names {
			if _, err := t.exec(sqlEndpointKnow, sql.Named("name", name), sql.Named("now", t.now)); err != nil {
				return err
			}
		}
		return nil
	})
}

// UnknownEndpoints implements webhook.Store.
func (db *DB) UnknownEndpoints(ctx context.Context, d time.Duration) ([]string, error) {
	now, err := db.clock(ctx, db.reader)
	if err != nil {
		return nil, failed("look for endpoints that nobody knows", err)
	}
	out, err := collect(ctx, db.reader, func(r row) (name string, err error) { return name, r.Scan(&name) },
		sqlEndpointsUnknown, sql.Named("before", now-d.Milliseconds()))
	return out, failed("look for endpoints that nobody knows", err)
}

// GiveUp implements webhook.Store.
func (db *DB) GiveUp(ctx context.Context, endpoint string, d time.Duration, why reason.Code) (n int, err error) {
	err = db.write(ctx, "give deliveries up", func(t *tx) error {
		gone, err := t.exec(sqlDeliveriesGiveUp, sql.Named("endpoint", endpoint), sql.Named("before", t.now-d.Milliseconds()),
			sql.Named("why", string(why)))
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
	out, err := collect(ctx, db.reader, scanDelivery, sqlDeliveries, sql.Named("tenant", string(f.Tenant)),
		sql.Named("endpoint", f.Endpoint), sql.Named("status", string(f.Status)), sql.Named("before", before),
		sql.Named("past", f.Past), sql.Named("n", f.Limit))
	return out, failed("list deliveries", err)
}

// ReplayDelivery implements webhook.Store.
func (db *DB) ReplayDelivery(ctx context.Context, id string, event func(webhook.Delivery) receipt.Event) (webhook.Delivery, error) {
	return db.actOnDelivery(ctx, "replay a delivery", id, event, func(t *tx, _ webhook.Delivery) (webhook.Delivery, error) {
		if err := t.must(errNoDelivery, sqlDeliveryReplay, sql.Named("id", id), sql.Named("now", t.now)); err != nil {
			return webhook.Delivery{}, err
		}
		return t.delivery(id)
	})
}

// DiscardDelivery implements webhook.Store.
func (db *DB) DiscardDelivery(ctx context.Context, id string, event func(webhook.Delivery) receipt.Event) (webhook.Delivery, error) {
	return db.actOnDelivery(ctx, "discard a delivery", id, event, func(t *tx, d webhook.Delivery) (webhook.Delivery, error) {
		return d, t.must(errNoDelivery, sqlDeliveryDiscard, sql.Named("id", id))
	})
}

// actOnDelivery does something with a dead delivery, on record.
func (db *DB) actOnDelivery(ctx context.Context, what, id string, event func(webhook.Delivery) receipt.Event,
	do func(*tx, webhook.Delivery) (webhook.Delivery, error)) (d webhook.Delivery, err error) {
	err = db.write(ctx, what, func(t *tx) error {
		dead, err := t.delivery(id)
		if err == nil {
			d, err = do(t, dead) // which refuses one that is not dead
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
	err = db.reader.QueryRowContext(ctx, sqlDeliveryCounts).Scan(&c.Pending, &c.Dead, &oldest)
	c.Oldest = fromMillis(oldest)
	return c, failed("count deliveries", err)
}

func (t *tx) delivery(id string) (webhook.Delivery, error) {
	d, err := scanDelivery(t.QueryRowContext(t.ctx, sqlDeliveryByID, sql.Named("id", id)))
	if errors.Is(err, sql.ErrNoRows) {
		return d, errNoDelivery
	}
	return d, err
}

func scanDelivery(r row) (d webhook.Delivery, err error) {
	var ended, notBefore int64
	err = r.Scan(&d.ID, &d.Endpoint, &d.Tenant, &d.Job, &d.State, &d.Reason, &d.Sequence, &ended, &d.Status,
		&d.Attempt, &d.Token, &notBefore, &d.Why)
	d.Ended, d.NotBefore = fromMillis(ended), fromMillis(notBefore)
	return d, err
}

var (
	errNoDelivery = reason.Because(reason.WebhookUnknown, nil)

	sqlDeliveryTenant   = query("delivery_tenant")
	sqlDeliveryAdd      = query("delivery_add")
	sqlDeliveryPick     = query("delivery_pick")
	sqlDeliveryTake     = query("delivery_take")
	sqlDeliveryByID     = query("delivery_by_id")
	sqlDeliveryDone     = query("delivery_done")
	sqlDeliveryFailed   = query("delivery_failed")
	sqlEndpointKnow     = query("endpoint_know")
	sqlEndpointsUnknown = query("endpoints_unknown")
	sqlDeliveriesGiveUp = query("deliveries_give_up")
	sqlDeliveries       = query("deliveries")
	sqlDeliveryReplay   = query("delivery_replay")
	sqlDeliveryDiscard  = query("delivery_discard")
	sqlDeliveryCounts   = query("delivery_counts")
)
