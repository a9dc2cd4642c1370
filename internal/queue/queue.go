// Package queue holds jobs and lends them to workers: claim, heartbeat, fence, back
// off, give up. A claim is a lease with a deadline by the store's clock and a fencing
// token that grows with every claim; every write of a worker names its token, and a
// worker whose lease was lost can write nothing. Every transition is one transaction
// that also appends its events to the audit outbox.
//
//	queued ──claim──▶ leased ──finish──▶ sealing ──checkpoint──▶ released │ awaiting_review │ rejected │ dead
//	   ▲                 │
//	   └──lease expired, transient failure (not before …)
//
//	queued │ leased │ dead ──cancel, discard──▶ sealing ──checkpoint──▶ cancelled
//	dead ──replay──▶ queued
//
// The clock is the store's (Store.Now), never a worker's.
//
// # Who goes first
//
// Lanes are apart: each has its own order. Within a lane the tenant goes first that has had
// the least processing time for its weight (start-time fair queuing, Goyal, Vin and Cheng,
// 1996), and of its jobs the one that has been ready the longest. How many jobs a tenant has
// queued, and how long each is, makes no difference to its share. For every lane and tenant
// a store keeps a virtual time in microseconds at weight 1 (Settings.Charge) and a mean of
// how long a job takes (FirstMean, NextMean); both begin with the tenant's first job.
//
//   - Claim lends the ready job of the tenant with the least virtual time; of tenants with
//     the same, of the one that has had a ready job for longer; then of the one whose name
//     sorts first. It charges the tenant's mean at once, so that claims spread before any
//     job has ended.
//   - A job's processing time runs from its claim to its end, to its return into the queue
//     or, where nobody ended it, to the end of its lease; the time it stood parked does not
//     count. Extend charges what goes beyond what was charged; Finish, Release, Expire and
//     Cancel settle: they charge the rest or give back what was too much. Finish alone moves
//     the mean.
//   - Nobody saves up. A tenant that has no ready job in a lane waits for nothing there,
//     whether it has none at all or only some for later. When one becomes ready (by coming
//     in, by its time, by return or replay), the tenant's virtual time is raised to that of
//     the lane, unless it is further on. The lane's is the greatest virtual time that a
//     tenant had when a job of it was lent in its turn, but no more than that of any
//     tenant that has a ready job. So a tenant that comes goes before all that have had
//     something since, and those that come together go in the order in which they came.
//     A store may be late to notice that a tenant has nothing ready, but not later than a
//     claim of the lane that would have lent it a job.
//   - A claim for named jobs (Claim.Only) pays like others; it follows no order of tenants
//     and does not move the lane's virtual time.
//
// Of two tenants that have ready jobs throughout, neither gets further ahead of the other,
// counted in time over weight, than by what the jobs cost that the two have under way at
// once; where several processes claim at the same instant, by a mean more for each.
//
// What a claim costs does not depend on how many jobs wait.
package queue

import (
	"context"
	"errors"
	"time"

	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/receipt"
)

// ErrLeaseLost is returned by every fenced write whose token is no longer the job's,
// or whose deadline has passed by the store's clock.
var ErrLeaseLost = &reason.Error{Code: reason.QueueLeaseLost}

// ErrNoJob is returned by Claim when nothing is ready for the asker.
var ErrNoJob = errors.New("queue: no job is ready")

// ErrNotFound is returned for a job that the store does not remember.
var ErrNotFound = errors.New("queue: no such job")

// Job is a request to process a document under a policy.
type Job struct {
	ID         document.ID
	Tenant     document.Tenant
	Lane       document.Lane
	State      document.State
	Target     document.State // while Sealing: the state that the checkpoint brings
	Reason     reason.Code    // of the last failure, or of the end
	Key        string         // idempotency key, opaque; unique per tenant while the job is remembered; may be empty
	Attempt    int            // claims so far, but for those that a stopping worker gave back
	Token      int64          // fencing token of the last claim; grows over the whole store
	Created    time.Time
	NotBefore  time.Time // not claimed earlier
	LeaseUntil time.Time // while Leased
	Claimed    time.Time // when the present lease was given; zero unless Leased
	Parked     bool      // its slot was given on (Store.Park); only while Leased

	Input     document.Digest // promised by the caller, checked while fetching
	Bytes     int64           // as fetched; 0 before
	Policy    PolicyRef
	Sealed    []byte        // source reference and subject hints, encrypted under the job's key; nil once ended
	Result    []byte        // blotter.result/1 without file names; nil before the end
	FinalSeq  int64         // sequence number of the event that ended the job; -1 before
	SealTime  time.Duration // from the written end to its signed checkpoint, by the store's clock; 0 before
	Trace     string        // W3C traceparent of the request that made the job; may be empty
	Delivered bool          // the result was handed to who asked for it
}

// PolicyRef pins the policy of a job by digest (M20).
type PolicyRef struct {
	Name, Version string
	Digest        document.Digest
	Body          []byte // the policy's canonical text, so that the pinned version can be run later
}

// Lease is a claim on a job.
type Lease struct {
	Job   document.ID
	Token int64
	Until time.Time // by the store's clock
}

// Claim asks for work.
type Claim struct {
	Only  []document.ID // claim no other job; nil: any
	Lane  document.Lane // claim from no other lane; empty: interactive jobs first, then bulk
	Lease time.Duration // how long the lease lasts without a heartbeat
}

// Outcome ends a job: it writes the result and moves the job to Sealing.
type Outcome struct {
	Target document.State
	Reason reason.Code
	Bytes  int64
	Result []byte
	Event  receipt.Event // redacted, rejected or dead; its sequence number becomes Job.FinalSeq when sealed

	// Keep says how long the blobs of a class live from now on, by class: the data keys
	// that the job has get this expiry with the same write, and a delivery counts it anew.
	// Keys of other classes stay as they are.
	Keep map[string]time.Duration
}

// Store keeps jobs durably. Each method is one transaction that is on disk when it
// returns nil (SQLite: synchronous=FULL). Methods are safe for concurrent use by
// several processes. Events passed in are appended to the audit outbox in the same
// transaction, in order, or not at all. A busy or unreachable database gives an error
// whose code is reason.QueueBusy; it may be tried again.
type Store interface {
	// Now is the store's clock.
	Now(ctx context.Context) (time.Time, error)

	// Enqueue adds j as Queued with a `received` event, or, where j.Key is set and
	// known for the tenant and not yet Delivered, returns the earlier job and false
	// and adds nothing.
	Enqueue(ctx context.Context, j Job, received receipt.Event) (Job, bool, error)

	// Claim lends a ready job of the first of the lanes that c asks for in which there is
	// one, in the order that the package describes, or, where c names jobs, the one of them
	// that has been ready the longest. Attempt and Token grow, State becomes Leased. event
	// makes the `claimed` event from the job as it will be stored.
	Claim(ctx context.Context, c Claim, event func(Job) receipt.Event) (Job, error)

	// Extend is the heartbeat: it moves the deadline to now + d, and charges the tenant for
	// what the job has taken by now.
	Extend(ctx context.Context, l Lease, d time.Duration) (Lease, error)

	// Park says under the lease that the job's slot was given on (parked), or that the job
	// has one again. While it is parked its time is not charged; heartbeats go on. To say
	// it twice changes nothing.
	Park(ctx context.Context, l Lease, parked bool) error

	// Waits reports whether somebody waits for whom a job of this tenant and lane should
	// make room: whether an interactive job is ready, where the lane is bulk, or a job of
	// another tenant in the lane that Claim would lend before one of this tenant. It only
	// reads; the answer may be old when it arrives.
	Waits(ctx context.Context, lane document.Lane, tenant document.Tenant) (bool, error)

	// Finish writes the outcome under the lease.
	Finish(ctx context.Context, l Lease, o Outcome) error

	// Release gives the job back under the lease: Queued, not before the given time. With
	// reason.QueueStopped the claim does not count as an attempt: that a worker was told
	// to stop says nothing about the job, and restarts must not use its attempts up.
	Release(ctx context.Context, l Lease, why reason.Code, notBefore time.Time, event receipt.Event) error

	// Expire returns every Leased job whose deadline has passed to Queued, each with the
	// event made for it, and returns them as they were.
	Expire(ctx context.Context, event func(Job) receipt.Event) ([]Job, error)

	// Job returns one job.
	Job(ctx context.Context, id document.ID) (Job, error)

	// Deliver marks a job as handed over. The first time, what Outcome.Keep said counts
	// from now on anew, so that who fetched a result late has it as long as who fetched
	// it at once.
	Deliver(ctx context.Context, id document.ID) error
}
