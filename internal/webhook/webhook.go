// Package webhook tells clients that their jobs have ended, as Standard Webhooks
// (https://www.standardwebhooks.com) says: a small signed POST, made again until it is
// taken. What it says is what the client could ask for anyway; it holds no result.
//
// A delivery comes into being in the transaction that moves its job to the end, so that
// none is lost; it is leased like a job, so that nodes share the work; and it may be made
// twice where a node dies between the answer and the store: the message's id is the same.
package webhook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/receipt"
)

// Status is where a delivery stands. One that was taken is forgotten.
type Status string

// The statuses.
const (
	Pending Status = "pending"
	Dead    Status = "dead" // given up; an operator decides
)

// Delivery is what one endpoint is to be told of one job's end.
type Delivery struct {
	ID       string // of the message, the same with every attempt (MessageID)
	Endpoint string // name of the endpoint in the configuration; never its URL
	Tenant   document.Tenant
	Job      document.ID
	State    document.State // the end that is told
	Reason   reason.Code
	Sequence int64 // of the event that proves the end
	Ended    time.Time

	Status    Status
	Attempt   int         // claims so far
	Token     int64       // fencing token of the last claim
	NotBefore time.Time   // not tried earlier
	Why       reason.Code // of the last failure; empty before
}

// MessageID names the message that tells an endpoint of an event. It is made of nothing
// else, so that a receiver knows the message again however often it comes.
func MessageID(endpoint string, job document.ID, sequence int64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d", endpoint, job, sequence))
	return "msg_" + hex.EncodeToString(sum[:16])
}

// Filter chooses deliveries for a list. Zero fields choose all.
type Filter struct {
	Tenant   document.Tenant
	Endpoint string
	Status   Status
	Before   int64  // only those after this place in the list: with a lower sequence number,
	Past     string // or with the same one and a later endpoint; 0: from the newest on
	Limit    int    // ≥ 1
}

// Counts are what an operator watches.
type Counts struct {
	Pending, Dead int
	Oldest        time.Time // since when the oldest pending one waits; zero where none does
}

// ErrNone is returned by ClaimDelivery where none is ready.
var ErrNone = errors.New("webhook: no delivery is ready")

// Store keeps deliveries. Each method is one transaction, on disk when it returns nil; the
// clock is the store's.
type Store interface {
	// ClaimDelivery lends the delivery that has been ready the longest, of those for these
	// endpoints, for d: Attempt and Token grow. One whose claim ran out is ready again.
	ClaimDelivery(ctx context.Context, d time.Duration, endpoints []string) (Delivery, error)
	// Delivered forgets a delivery that was taken. queue.lease_lost: another claimed it.
	Delivered(ctx context.Context, d Delivery) error
	// Failed gives a delivery back, to be tried after a pause, or, where dead, for an
	// operator. queue.lease_lost: another claimed it.
	Failed(ctx context.Context, d Delivery, why reason.Code, after time.Duration, dead bool) error

	// KnowEndpoints notes that a node knows these endpoints now.
	KnowEndpoints(ctx context.Context, names []string) error
	// UnknownEndpoints names the endpoints with pending deliveries that no node has said to
	// know for d.
	UnknownEndpoints(ctx context.Context, d time.Duration) ([]string, error)
	// GiveUp makes the pending deliveries of such an endpoint dead and returns how many there
	// were: none where a node has said to know it within d.
	GiveUp(ctx context.Context, endpoint string, d time.Duration, why reason.Code) (int, error)

	// Deliveries lists those that were not taken, the newest first.
	Deliveries(ctx context.Context, f Filter) ([]Delivery, error)
	// ReplayDelivery makes a dead one pending again, ready at once, with no attempts, with the
	// event that event makes of it as it was. webhook.no_such_delivery for one that is not
	// there or not dead.
	ReplayDelivery(ctx context.Context, id string, event func(Delivery) receipt.Event) (Delivery, error)
	// DiscardDelivery forgets a dead one and returns it as it was, with its event and the
	// errors of ReplayDelivery.
	DiscardDelivery(ctx context.Context, id string, event func(Delivery) receipt.Event) (Delivery, error)
	// DeliveryCounts counts what waits.
	DeliveryCounts(ctx context.Context) (Counts, error)
}

// Acted is the event of what an actor did with a delivery that was given up: which message,
// and why it had been given up.
func Acted(kind receipt.Kind, d Delivery, actor string, at time.Time) receipt.Event {
	return receipt.Event{
		Schema: receipt.EventSchema, Kind: kind, Time: receipt.FormatTime(at), Job: string(d.Job), Tenant: string(d.Tenant),
		Actor: actor, Reason: string(d.Why), Artifact: &receipt.Artifact{ID: d.ID, Class: "message"},
	}
}
