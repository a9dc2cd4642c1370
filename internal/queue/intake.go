package queue

import (
	"context"
	"time"

	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/receipt"
)

// ErrFull is returned by Reserve where as many jobs wait as may wait.
var ErrFull = &reason.Error{Code: reason.QueueFull}

// ErrInProgress is returned by Reserve while another request holds the same key.
var ErrInProgress = &reason.Error{Code: reason.APIInProgress}

// Reservation holds a tenant's idempotency key, and the place of one job in the backlog,
// while a request's body is received. It is a lease: it runs out unless it is renewed, so
// that a killed upload pins neither key nor place.
type Reservation struct {
	Tenant document.Tenant
	Key    string      // fingerprint of the client's idempotency key; never the key itself
	Job    document.ID // the job that it becomes, under which an upload is stored
	Token  int64       // fencing token, from the same sequence as those of claims
	Until  time.Time   // by the store's clock
}

// Accepted is a request that the store remembers.
type Accepted struct {
	Job         document.ID
	Fingerprint string // of payload and settings; another one under the same key is an error
}

// Backlog bounds what may wait: jobs in Queued, and reservations.
type Backlog struct {
	Tenant int // of one tenant; ≥ 1
	Total  int // of all tenants; ≥ Tenant
}

// Intake is what receiving needs of a store. Durability, clock and errors are those of
// Store.
type Intake interface {
	// Reserve takes a tenant's key for d, with a `staged` event of class "upload" for the
	// blob that may now be written. Where the key was accepted before, it returns what was
	// accepted and no reservation: known is not nil. ErrInProgress: another reservation
	// of the key is in force (one that ran out is taken over, with a new job and token, and
	// what it left is the retention's to delete). ErrFull: the backlog of the tenant or the
	// total is full; a known key is never refused for that.
	Reserve(ctx context.Context, r Reservation, d time.Duration, b Backlog, staged receipt.Event) (held Reservation, known *Accepted, err error)

	// Renew moves the end of a reservation to now + d. ErrLeaseLost: it is no longer held.
	Renew(ctx context.Context, r Reservation, d time.Duration) (Reservation, error)

	// Abandon ends a reservation that became no job: the key is free at once. What was
	// stored for it is the caller's to destroy. One that is no longer held is no error.
	Abandon(ctx context.Context, r Reservation) error

	// Accept turns a reservation into a queued job, with its `received` event, and keeps
	// the key with the fingerprint for as long as the job is remembered. ErrLeaseLost: the
	// reservation is no longer held, and nothing was added.
	Accept(ctx context.Context, r Reservation, fingerprint string, j Job, received receipt.Event) (Job, error)
}
