package intake

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"time"

	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/policy"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

// reception is one request on its way to become a job.
//
//	Reserve ─▶ begin ─▶ read, hash, encrypt ─▶ end ─▶ Seal ─▶ Accept
//	   │
//	   └─ known key: begin ─▶ read, hash ─▶ end ─▶ compare
//
// Whatever ends it before Accept, a panic included, leaves nothing behind: the key of what
// was stored is destroyed, then the blob, then the idempotency key is free again.
type reception struct {
	*API
	request  *http.Request
	caller   access.Key
	delivery delivery
	promises *promises
	key      string // fingerprint of the idempotency key; "": none
	most     int64  // bytes of the document, whatever the policy says
	small    bool   // the synchronous path

	lane    document.Lane // of the job
	held    queue.Reservation
	renewed time.Time // by this process's clock
}

const (
	// settleTime bounds the last steps of a reception, a few short transactions and the
	// sync of a file. They go on when the client has gone.
	settleTime = 20 * time.Second

	// renewals is how often a reservation is renewed in its time, while bytes come.
	renewals = 4
)

// acceptance is what a request became.
type acceptance struct {
	job   queue.Job
	bytes int64 // of the document; 0 for a reference
	anew  bool  // by this very request
}

// receive makes the reception of a request from its line and header.
func (a *API) receive(r *http.Request, caller access.Key, d delivery, key string) (*reception, error) {
	if caller.Tenant == access.Everyone {
		return nil, fault(reason.APIForbidden, "API key: it stands for every tenant, and a document has one")
	}
	p, err := promisesOf(r)
	if err != nil {
		return nil, err
	}
	return &reception{API: a, request: r, caller: caller, delivery: d, promises: p, key: key, most: a.cfg.MaxBodyBytes}, nil
}

// take reads the request and returns the job that it became, or had become before.
func (c *reception) take(ctx context.Context) (acceptance, error) {
	job := document.NewID()
	r := queue.Reservation{Tenant: c.caller.Tenant, Key: c.key, Job: job}
	held, known, err := c.Store.Reserve(ctx, r, c.cfg.ReserveFor, c.cfg.Backlog, c.staged(job))
	if err != nil {
		return acceptance{}, err
	}
	if known != nil {
		return c.repeat(ctx, *known)
	}
	c.held, c.renewed = held, time.Now()
	return c.fill(ctx)
}

// staged is the event of an upload that may now be written. A reference stores nothing,
// and has none.
func (c *reception) staged(job document.ID) receipt.Event {
	if _, ok := c.delivery.(*reference); ok {
		return receipt.Event{}
	}
	now := time.Now()
	return receipt.Event{
		Schema: receipt.EventSchema, Kind: receipt.Staged, Time: receipt.FormatTime(now),
		Job: string(job), Tenant: string(c.caller.Tenant), Actor: c.caller.ID,
		Artifact: &receipt.Artifact{ID: string(job), Class: "upload", Expires: receipt.FormatTime(now.Add(c.cfg.ReserveFor))},
	}
}

// fill takes the document in under the reservation.
func (c *reception) fill(ctx context.Context) (t acceptance, err error) {
	defer func() {
		if !t.anew {
			c.abandon(ctx)
		}
	}()
	if b, ok := c.request.Body.(*body); ok {
		b.flowing = func() error { return c.renew(ctx) }
	}
	s, doc, err := c.delivery.begin()
	if err != nil {
		return acceptance{}, err
	}
	if c.lane, err = laneOf(c.caller, s.lane); err != nil {
		return acceptance{}, err
	}
	p, ok := c.Policies.Policy(s.policy)
	if !ok {
		return acceptance{}, fault(reason.PolicyUnknown)
	}
	if doc == nil {
		return c.refer(ctx, s, p)
	}
	return c.store(ctx, s, p, doc)
}

// laneOf is the lane of a job: the one asked for, if the key may use it; where none was,
// the first of bulk and interactive that it may.
func laneOf(caller access.Key, asked document.Lane) (document.Lane, error) {
	for _, l := range []document.Lane{document.Bulk, document.Interactive} {
		if caller.MayUse(l) && (asked == l || asked == "") {
			return l, nil
		}
	}
	return "", fault(reason.APIForbidden, "API key: its lanes")
}

// refer makes the job of a document that is fetched later.
func (c *reception) refer(ctx context.Context, s settings, p policy.Policy) (acceptance, error) {
	order, err := c.Orders.Referenced(c.caller.Tenant, s.source, c.options(s))
	if err == nil {
		err = errors.Join(c.delivery.end(), c.promises.kept())
	}
	if err != nil {
		return acceptance{}, err
	}
	return c.accept(ctx, s, p, order, s.sha256, 0)
}

// store takes the bytes of a document into the vault and makes its job.
func (c *reception) store(ctx context.Context, s settings, p policy.Policy, doc io.Reader) (acceptance, error) {
	order, err := c.Orders.Uploaded(c.options(s))
	if err != nil {
		return acceptance{}, err
	}
	up, err := c.Uploads.Upload(context.WithoutCancel(ctx), c.held.Job)
	if err != nil {
		return acceptance{}, err
	}
	defer up.Abort() // without effect once it is closed
	sum, n, err := c.read(up, doc, s, min(c.most, p.Limits.SourceBytes))
	if err != nil {
		return acceptance{}, err
	}
	if err := c.renew(ctx); err != nil {
		return acceptance{}, err
	}
	if err := up.Close(); err != nil {
		return acceptance{}, err
	}
	return c.accept(ctx, s, p, order, sum, n)
}

func (c *reception) options(s settings) Options {
	return Options{Originals: s.originals, Hints: s.hints, Small: c.small}
}

// copyBytes is how much of a document is in memory at once, besides the vault's buffers.
const copyBytes = 32 << 10

// read copies a document to its end, counts and hashes it, and checks what the client
// promised.
func (c *reception) read(to io.Writer, doc io.Reader, s settings, most int64) (sum document.Digest, n int64, err error) {
	if c.request.ContentLength > most+c.delivery.around() {
		return sum, 0, c.tooLarge(most)
	}
	h := sha256.New()
	// One byte over the limit tells that the document goes on.
	n, err = io.CopyBuffer(onlyWriter{io.MultiWriter(h, to)}, io.LimitReader(doc, most+1), make([]byte, copyBytes))
	switch {
	case err != nil:
		return sum, n, err
	case n > most:
		return sum, n, c.tooLarge(most)
	case n == 0:
		return sum, n, fault(reason.SniffEmpty)
	}
	sum = document.Digest(h.Sum(nil))
	if err := c.delivery.end(); err != nil {
		return sum, n, err
	}
	if s.promised && s.sha256 != sum {
		return sum, n, fault(reason.SourceDigest, "form field sha256")
	}
	return sum, n, c.promises.kept()
}

// onlyWriter keeps io.CopyBuffer to its buffer.
type onlyWriter struct{ io.Writer }

// tooLarge says which bound it was: the synchronous path's, or the document's.
func (c *reception) tooLarge(most int64) error {
	if c.small && most == c.most {
		return fault(reason.APITooLarge)
	}
	return fault(reason.SourceBytes)
}

// accept seals the order and makes the job. Whether it was made is asked again where the
// answer was lost: a job must not be told of as one that failed.
func (c *reception) accept(ctx context.Context, s settings, p policy.Policy, order []byte, sum document.Digest, n int64) (acceptance, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	sealed, err := c.Uploads.Seal(ctx, c.held.Job, order)
	if err != nil {
		return acceptance{}, err
	}
	j := queue.Job{
		ID: c.held.Job, Tenant: c.caller.Tenant, Lane: c.lane, Input: sum, Bytes: n,
		Policy: queue.PolicyRef{Name: p.Name, Version: p.Version, Digest: p.Digest(), Body: p.Canonical()},
		Sealed: sealed, Trace: traceparent(ctx),
	}
	made, err := c.Store.Accept(ctx, c.held, c.fingerprint(s, sum), j, c.Orders.Received(j, c.caller.ID))
	if errors.Is(err, queue.ErrLeaseLost) {
		return acceptance{}, reason.Because(reason.APIInProgress, err)
	}
	if err != nil {
		var lost error
		if made, lost = c.Store.Job(ctx, j.ID); lost != nil {
			return acceptance{}, err
		}
	}
	c.Moved(made.ID)
	c.Meter.Took(made.Tenant, made.Lane, n)
	return acceptance{made, n, true}, nil
}

// abandon destroys what was stored and frees the key. What fails here the retention does
// once the reservation has run out.
func (c *reception) abandon(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	err := c.Uploads.DropUpload(ctx, c.held.Job)
	if err == nil {
		err = c.Store.Abandon(ctx, c.held)
	}
	if err != nil {
		c.Log.Warn("an upload that came to nothing waits for the retention", "job", c.held.Job, "reason", reason.Of(err))
	}
}
