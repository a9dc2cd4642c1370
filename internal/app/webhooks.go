package app

import (
	"context"
	"errors"
	"time"

	"blotter/internal/ops"
	"blotter/internal/webhook"
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
			f.Before = m.Sequence
		}
		if len(page) < jobPage {
			return nil
		}
	}
}

// ReplayWebhook has a delivery that was given up tried again. Errors:
// webhook.no_such_delivery.
func (d *Desk) ReplayWebhook(ctx context.Context, id string) (webhook.Delivery, error) {
	return d.station.store.ReplayDelivery(ctx, id)
}

// DiscardWebhook forgets a delivery that was given up. Errors: webhook.no_such_delivery.
func (d *Desk) DiscardWebhook(ctx context.Context, id string) (webhook.Delivery, error) {
	return d.station.store.DiscardDelivery(ctx, id)
}

// undelivered counts the messages that were not taken.
func (s *Service) undelivered(ctx context.Context) (ops.Undelivered, error) {
	c, err := s.store.DeliveryCounts(ctx)
	return ops.Undelivered{Pending: c.Pending, Dead: c.Dead, Oldest: c.Oldest}, err
}

// tellEvery is how often a dispatcher that found nothing looks again without having been
// woken: another node may have sealed a job's end, or a pause may be over.
const tellEvery = time.Second

// dispatch makes deliveries until ctx ends.
func (s *Service) dispatch(ctx context.Context) error {
	d := webhook.New(s.cfg.Webhooks, s.store, s.log, s.meter)
	again := time.NewTicker(tellEvery)
	defer again.Stop()
	t := trouble{endless: true}
	for ctx.Err() == nil {
		err := d.Next(ctx)
		if err == nil {
			t.over()
			continue
		}
		if ctx.Err() != nil {
			return nil
		}
		if !errors.Is(err, webhook.ErrNone) {
			if err := t.met(err); err != nil {
				return err
			}
		}
		select {
		case <-s.ended:
		case <-again.C:
		case <-ctx.Done():
		}
	}
	return nil
}
