package app

import (
	"context"
	"time"

	"blotter/internal/ops"
	"blotter/internal/webhook"
	"blotter/receipt"
)

// Webhooks tells each delivery that f chooses, the newest first.
func (d *Desk) Webhooks(ctx context.Context, f webhook.Filter, each func(webhook.Delivery) error) error {
	f.Limit = jobPage
	for {
		page, err := d.station.store.Deliveries(ctx, f)
		if err != nil {
			return err
		}
		for _, m := range page {
			if err := each(m); err != nil {
				return err
			}
			f.Before, f.Past = m.Sequence, m.Endpoint
		}
		if len(page) < jobPage {
			return nil
		}
	}
}

// ReplayWebhook has a delivery that was given up tried again, on record. Errors:
// webhook.no_such_delivery.
func (d *Desk) ReplayWebhook(ctx context.Context, id string) (webhook.Delivery, error) {
	return d.actOnWebhook(ctx, id, receipt.Resent, d.station.store.ReplayDelivery)
}

// DiscardWebhook forgets a delivery that was given up, on record. Errors:
// webhook.no_such_delivery.
func (d *Desk) DiscardWebhook(ctx context.Context, id string) (webhook.Delivery, error) {
	return d.actOnWebhook(ctx, id, receipt.Unsent, d.station.store.DiscardDelivery)
}

func (d *Desk) actOnWebhook(ctx context.Context, id string, kind receipt.Kind,
	do func(context.Context, string, func(webhook.Delivery) receipt.Event) (webhook.Delivery, error)) (m webhook.Delivery, err error) {
	err = d.act(ctx, func(ctx context.Context) error {
		m, err = do(ctx, id, func(m webhook.Delivery) receipt.Event { return webhook.Acted(kind, m, actorCLI, time.Now()) })
		return err
	})
	return m, err
}

// undelivered counts the messages that were not taken.
func (s *Service) undelivered(ctx context.Context) (ops.Undelivered, error) {
	c, err := s.store.DeliveryCounts(ctx)
	return ops.Undelivered{Pending: c.Pending, Dead: c.Dead, Oldest: c.Oldest}, err
}

// dispatch returns what makes deliveries: new ones while its context lives, those under way
// under the other, which lives longer.
func (s *Service) dispatch(working context.Context) func(context.Context) error {
	return func(ctx context.Context) error {
		t := s.troubles(telling)
		return webhook.New(s.cfg.Webhooks, s.store, s.log, s.meter).Run(ctx, working, s.ended, t.met)
	}
}
