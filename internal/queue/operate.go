package queue

import (
	"context"
	"time"

	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/receipt"
)

// Filter chooses jobs for a list. Zero fields choose all.
type Filter struct {
	Tenant document.Tenant
	State  document.State
	Lane   document.Lane
	Reason reason.Code
	Before int64 // arrival number: only jobs that came earlier; 0: from the latest on
	Limit  int   // most jobs to return, ≥ 1
}

// Listed is a job in a list, without what is large, with its number of arrival, from which a next page goes on.
type Listed struct {
	Job
	Arrival int64
}

// Depth is how much waits for a tenant in a lane.
type Depth struct {
	Tenant document.Tenant
	Lane   document.Lane
	Ready  int       // jobs in Queued that may be claimed now
	Later  int       // jobs in Queued that wait for a time
	Leased int       // jobs that are lent
	Parked int       // of those, the ones that gave their slot on
	Oldest time.Time // since when the longest waiting ready job is ready; zero where none is
}

// Pressure is what an operator watches of the store.
type Pressure struct {
	Depths       []Depth // by tenant and lane, sorted
	Dead         int     // jobs that wait for an operator
	Copies       int     // working copies on the list, of all nodes
	OldestCopy   time.Time
	Outbox       int // events that wait to be signed
	OldestOutbox time.Time
	At           time.Time // the store's clock
}

// Operations are what people do with jobs, and what they watch. Each act is one
// transaction with its event, or an error and nothing. Durability, clock and errors are
// those of Store.
type Operations interface {
	// Jobs lists jobs, the latest first, without what is large: Policy.Body and Sealed are
	// nil, and Result has no assets.
	Jobs(ctx context.Context, f Filter) ([]Listed, error)

	// Cancel ends a job that has not ended: Queued or Leased to Sealing with the target
	// Cancelled and the reason job.cancelled. The fence falls with it: a worker that holds
	// the job finds its lease lost. Errors: ErrNotFound; job.ended for a job in Sealing or
	// at its end, a cancelled one included.
	Cancel(ctx context.Context, id document.ID, event func(Job) receipt.Event) (Job, error)

	// Replay puts a dead job back into the queue, ready at once, with no attempts, reason
	// or result. Errors: ErrNotFound; job.not_dead; job.not_replayable where its order was
	// destroyed.
	Replay(ctx context.Context, id document.ID, event func(Job) receipt.Event) (Job, error)

	// Discard ends a dead job as Cancel does, with the reason job.discarded. Errors:
	// ErrNotFound; job.not_dead.
	Discard(ctx context.Context, id document.ID, event func(Job) receipt.Event) (Job, error)

	// Tell appends an event that changes no job to the outbox (viewed, access_granted).
	Tell(ctx context.Context, event receipt.Event) error

	// Trail returns at most n sealed events of a job with sequence numbers above after (−1:
	// from the first), in their order: the canonical envelopes.
	Trail(ctx context.Context, job document.ID, after int64, n int) ([]Sealed, error)

	// Pressure is measured anew with each call; its cost grows with what waits, not with
	// what has ended.
	Pressure(ctx context.Context) (Pressure, error)
}

// Sealed is an entry of the log that speaks of a job.
type Sealed struct {
	Sequence int64
	Envelope []byte // canonical DSSE envelope
}
