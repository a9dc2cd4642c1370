// Package access says who may do what: API keys, each with a tenant, a role and lanes.
// A key is shown once, when it is made, and stored as a hash. Comparing takes the same
// time whatever is wrong.
package access

import (
	"context"
	"slices"
	"time"

	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/receipt"
)

// Everyone stands for every tenant; only operators and admins may have it.
const Everyone document.Tenant = "*"

// Role is what the holder of a key is there for.
type Role string

// The roles.
const (
	Client   Role = "client"   // sends documents, reads its tenant's jobs and results, cancels
	Reader   Role = "reader"   // reads its tenant's jobs and results
	Reviewer Role = "reviewer" // a reader who also sees images as they were before redaction
	Operator Role = "operator" // reads jobs (no results), cancels, replays, discards
	Admin    Role = "admin"    // all of the above
)

// Right is one thing that a role allows.
type Right uint8

// The rights.
const (
	Submit    Right = 1 << iota // send documents
	Read                        // see jobs
	Fetch                       // fetch results, receipts and derivatives
	Originals                   // fetch images as they were before redaction
	Cancel                      // cancel jobs that have not ended
	Operate                     // replay and discard dead jobs
)

var rights = map[Role]Right{
	Client: Submit | Read | Fetch | Cancel, Reader: Read | Fetch, Reviewer: Read | Fetch | Originals,
	Operator: Read | Cancel | Operate, Admin: Submit | Read | Fetch | Originals | Cancel | Operate,
}

// Roles lists the roles, from the least powerful on.
func Roles() []Role { return []Role{Reader, Client, Reviewer, Operator, Admin} }

// Key is an API key without its secret.
type Key struct {
	ID      string // opaque, "k" and 26 characters; the actor of events
	Tenant  document.Tenant
	Role    Role
	Lanes   []document.Lane // in which the key may submit; sorted
	Hash    document.Digest // SHA-256 of the secret
	Created time.Time
	Revoked time.Time // zero while the key is valid
}

// May reports whether the key allows r.
func (k Key) May(r Right) bool { return rights[k.Role]&r == r }

// Sees reports whether jobs of t are the key's business. Another tenant's jobs do not
// exist for it.
func (k Key) Sees(t document.Tenant) bool { return k.Tenant == Everyone || k.Tenant == t }

// MayUse reports whether the key may submit in a lane.
func (k Key) MayUse(l document.Lane) bool { return slices.Contains(k.Lanes, l) }

// ErrUnauthorised is returned for every key that is not valid, whatever is wrong with it.
var ErrUnauthorised = &reason.Error{Code: reason.APIUnauthorised}

// Store keeps keys. Each method is one transaction, on disk when it returns nil.
type Store interface {
	// AddAccess stores a key with its `access_granted` event. Created is set by the
	// store's clock. With first it does so only where the store has no key at all, and
	// reports whether it did.
	AddAccess(ctx context.Context, k Key, first bool, granted receipt.Event) (bool, error)
	// Access returns a key, revoked ones too; access.no_such_key where there is none.
	Access(ctx context.Context, id string) (Key, error)
	// Accesses lists all keys, the oldest first.
	Accesses(ctx context.Context) ([]Key, error)
	// RevokeAccess ends a key with its `access_revoked` event; one that was revoked before
	// stays as it is, without an event. access.no_such_key where there is none.
	RevokeAccess(ctx context.Context, id string, revoked receipt.Event) error
}
