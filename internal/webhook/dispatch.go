package webhook

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
)

// Config is what an operator may set.
type Config struct {
	Endpoints    []Endpoint
	Backoff      queue.Backoff
	AllowPrivate bool // addresses that are not public, and http
}

// DefaultBackoff tries for about a day: pauses grow from at most 5 s to at most 4 h, as
// Standard Webhooks recommends, 14 attempts in all.
var DefaultBackoff = queue.Backoff{Base: 5 * time.Second, Cap: 4 * time.Hour, Attempts: 14}

// Validate reports everything that is wrong with the endpoints.
func (c Config) Validate() error {
	var problems []error
	seen := map[string]bool{}
	for _, e := range c.Endpoints {
		if seen[e.Name] {
			problems = append(problems, errors.New("two webhook endpoints are named "+e.Name))
		}
		seen[e.Name] = true
		if len(e.Secrets) == 0 {
			problems = append(problems, errors.New("webhook endpoint "+e.Name+" has no secret: add a line to the secrets file"))
		}
		if !c.AllowPrivate && !isHTTPS(e.URL) {
			problems = append(problems, errors.New("webhook endpoint "+e.Name+" is not https: only webhooks.allow_private permits that"))
		}
	}
	return errors.Join(append(problems, c.Backoff.Validate())...)
}

// Names returns a function that names the endpoints of a tenant (queue.Settings.Endpoints).
func (c Config) Names() func(document.Tenant) []string {
	by := map[document.Tenant][]string{}
	for _, e := range c.Endpoints {
		by[e.Tenant] = append(by[e.Tenant], e.Name)
	}
	return func(t document.Tenant) []string { return by[t] }
}

// Meter is told how deliveries go. It must not block, and may be called concurrently.
type Meter interface {
	// Attempted is one attempt; why is empty for one that was taken.
	Attempted(why reason.Code, took time.Duration)
	// GaveUp is a delivery that is dead now.
	GaveUp(why reason.Code)
}

// Dispatcher makes deliveries. Several, on several nodes, share the work.
type Dispatcher struct {
	Config Config
	Store  Store
	Log    *slog.Logger
	Meter  Meter            // nil: nobody watches
	Now    func() time.Time // for signatures
	client *http.Client
	by     map[string]Endpoint
}

// claimTime is how long a claim lasts: an attempt, and the store's answer.
const claimTime = 2 * attemptTime

// New makes a dispatcher. The configuration was validated.
func New(c Config, s Store, log *slog.Logger, m Meter) *Dispatcher {
	d := &Dispatcher{Config: c, Store: s, Log: log, Meter: m, Now: time.Now, client: newClient(c.AllowPrivate), by: map[string]Endpoint{}}
	for _, e := range c.Endpoints {
		d.by[e.Name] = e
	}
	return d
}

// Next makes one attempt at one delivery. It returns ErrNone where none is ready, and
// otherwise an error only where the store failed.
func (d *Dispatcher) Next(ctx context.Context) error {
	m, err := d.Store.ClaimDelivery(ctx, claimTime)
	if err != nil {
		return err
	}
	began := time.Now()
	failed := d.attempt(ctx, m)
	if cause := context.Cause(ctx); failed != nil && cause != nil {
		return cause // the process stops; the claim runs out
	}
	d.tell(reason.Of(failed), failed != nil, time.Since(began))
	if failed == nil {
		return held(d.Store.Delivered(ctx, m))
	}
	return held(d.giveBack(ctx, m, failed))
}

func (d *Dispatcher) attempt(ctx context.Context, m Delivery) error {
	e, known := d.by[m.Endpoint]
	if !known {
		return reason.Because(reason.WebhookRemoved, errors.New("webhook: the endpoint is not configured any more"))
	}
	return send(ctx, d.client, e, m, d.Now())
}

// giveBack writes what became of a failed attempt: the reason's class decides, as it does
// for jobs.
func (d *Dispatcher) giveBack(ctx context.Context, m Delivery, failed error) error {
	why := reason.Of(failed)
	v := queue.Decide(why, m.Attempt, d.Config.Backoff, nil)
	after := max(v.After, min(reason.After(failed), d.Config.Backoff.Cap))
	dead := v.After == 0 && v.State.Ended()
	d.Log.Warn("webhook failed", "job", m.Job, "reason", why, "attempt", m.Attempt, "dead", dead, "delay", after)
	if dead && d.Meter != nil {
		d.Meter.GaveUp(why)
	}
	return d.Store.Failed(ctx, m, why, after, dead)
}

func (d *Dispatcher) tell(why reason.Code, failed bool, took time.Duration) {
	if d.Meter == nil {
		return
	}
	if !failed {
		why = ""
	}
	d.Meter.Attempted(why, took)
}

// held drops the error of a claim that ran out: another has the delivery.
func held(err error) error {
	if errors.Is(err, queue.ErrLeaseLost) {
		return nil
	}
	return err
}
