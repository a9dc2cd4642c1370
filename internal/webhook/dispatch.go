package webhook

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
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

// All names all endpoints.
func (c Config) All() (names []string) {
	for _, e := range c.Endpoints {
		names = append(names, e.Name)
	}
	return names
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
	names  []string // of all endpoints
}

// claimTime is how long a claim lasts: an attempt, the store's answer, and some for a
// process that was stopped for a while.
const claimTime = 2 * attemptTime

// New makes a dispatcher. The configuration was validated.
func New(c Config, s Store, log *slog.Logger, m Meter) *Dispatcher {
	d := &Dispatcher{Config: c, Store: s, Log: log, Meter: m, Now: time.Now, client: newClient(c.AllowPrivate), by: map[string]Endpoint{}, names: c.All()}
	for _, e := range c.Endpoints {
		d.by[e.Name] = e
	}
	return d
}

// Bounds of the attempts that are under way at once, in this process.
const (
	atOnce      = 32 // in all; each waits for an answer and costs little else
	perEndpoint = 2  // so that one which does not answer leaves the others' to them
)

// lookEvery is how often a dispatcher that found nothing looks again without having been
// woken: another node may have sealed a job's end, or a pause may be over.
const lookEvery = time.Second

// storeTime is how long the store has to take note of an attempt's outcome.
const storeTime = 5 * time.Second

// Run makes deliveries until ctx ends, several at once, and looks for more when wake says
// so. Attempts under way then may end while working lives; one that is cut off is made
// again once its claim has run out. failed is asked what to do about a store that cannot
// lend (nil: it could): its error ends Run.
func (d *Dispatcher) Run(ctx, working context.Context, wake <-chan struct{}, failed func(error) error) error {
	l := load{by: map[string]int{}, freed: make(chan struct{}, 1)}
	var under sync.WaitGroup
	defer under.Wait()
	again := time.NewTicker(lookEvery)
	defer again.Stop()
	var told time.Time // when the store was told last which endpoints this node knows
	for ctx.Err() == nil {
		var m Delivery
		err := d.know(ctx, &told)
		if err == nil {
			m, err = d.claim(ctx, &l)
		}
		if err == nil {
			l.take(m.Endpoint)
			under.Go(func() {
				defer l.give(m.Endpoint)
				d.deliver(working, m)
			})
			continue
		}
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, ErrNone) {
			err = nil
		}
		if err := failed(err); err != nil {
			return err
		}
		select {
		case <-wake:
		case <-l.freed:
		case <-again.C:
		case <-ctx.Done():
		}
	}
	return nil
}

// claim borrows a delivery for an endpoint that has room for one.
func (d *Dispatcher) claim(ctx context.Context, l *load) (Delivery, error) {
	free := l.free(d.names)
	if len(free) == 0 {
		return Delivery{}, ErrNone
	}
	return d.Store.ClaimDelivery(ctx, claimTime, free)
}

// know tells the store now and then which endpoints there are.
func (d *Dispatcher) know(ctx context.Context, told *time.Time) error {
	if len(d.names) == 0 || !told.IsZero() && time.Since(*told) < knowEvery {
		return nil
	}
	if err := d.Store.KnowEndpoints(ctx, d.names); err != nil {
		return err
	}
	*told = time.Now()
	return nil
}

// deliver makes one attempt and has the store take note of what came of it. Where it cannot,
// the claim runs out and the message is sent again.
func (d *Dispatcher) deliver(working context.Context, m Delivery) {
	began := time.Now()
	failed := d.attempt(working, m)
	if failed != nil && working.Err() != nil {
		return // the process stops
	}
	d.tell(reason.Of(failed), failed != nil, time.Since(began))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(working), storeTime)
	defer cancel()
	var err error
	if failed == nil {
		err = d.Store.Delivered(ctx, m)
	} else {
		err = d.giveBack(ctx, m, failed)
	}
	if err != nil {
		d.Log.Warn("webhook outcome not stored", "job", m.Job, "reason", reason.Of(err))
	}
}

func (d *Dispatcher) attempt(ctx context.Context, m Delivery) error {
	return send(ctx, d.client, d.by[m.Endpoint], m, d.Now())
}

// giveBack writes what became of a failed attempt: the reason's class decides, as it does
// for jobs.
func (d *Dispatcher) giveBack(ctx context.Context, m Delivery, failed error) error {
	why := reason.Of(failed)
	v := queue.Decide(why, m.Attempt, d.Config.Backoff, nil)
	after := max(v.After, min(reason.After(failed), d.Config.Backoff.Cap))
	dead := v.After == 0 && v.State.Ended()
	d.Log.Warn("webhook failed", "job", m.Job, "reason", why, "attempt", m.Attempt, "dead", dead, "delay", after)
	err := d.Store.Failed(ctx, m, why, after, dead)
	if err == nil && dead && d.Meter != nil {
		d.Meter.GaveUp(why)
	}
	return err
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
