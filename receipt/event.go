// Package receipt is the public format of blotter's proofs: events, envelopes,
// receipts, and their offline verification. It does no I/O, and imports next to
// nothing, so that a stranger can read all of it before trusting it.
package receipt

// Kind says what happened.
type Kind string

// The kinds of events, over the whole life of a document.
const (
	Received      Kind = "received"
	Claimed       Kind = "claimed"
	LeaseExpired  Kind = "lease_expired"
	Retried       Kind = "retried"
	Staged        Kind = "staged"   // committed before the working copy exists
	Unstaged      Kind = "unstaged" // the working copy is gone
	Extended      Kind = "extended" // committed before the expiry of the working copy of a parked job, which lives for longer
	RedactedKind  Kind = "redacted" // the end of a job with derivatives
	RejectedKind  Kind = "rejected"
	DeadKind      Kind = "dead"
	Deleted       Kind = "deleted"           // a data key was destroyed, and with it the data
	Cancelled     Kind = "cancelled"         // by its caller, or discarded by an operator: the reason tells
	Replayed      Kind = "replayed"          // a dead job went back into the queue
	Resent        Kind = "message_replayed"  // a webhook message that was given up is tried again
	Unsent        Kind = "message_discarded" // a webhook message that was given up was forgotten
	Viewed        Kind = "viewed"            // pixels from before redaction were handed out, to the actor
	AccessGranted Kind = "access_granted"    // an API key was made
	AccessRevoked Kind = "access_revoked"
	KeyCreated    Kind = "key_created"
	KeyRotated    Kind = "key_rotated"
	KeyRevoked    Kind = "key_revoked"
	PolicyPublish Kind = "policy_published"
)

// EventSchema names the format of Event.
const EventSchema = "blotter.event/1"

// Event is one entry of the trail. Its canonical form is RFC 8785 JSON; every number
// is an integer. It never holds text of a document, a name or a path. Pointers and
// omitempty fields are absent where the kind has no such fact.
type Event struct {
	Schema   string `json:"schema"`
	Sequence int64  `json:"sequence"` // given by the sequencer, without gaps, from 0
	Kind     Kind   `json:"kind"`
	Time     string `json:"time"` // RFC 3339, UTC, milliseconds; context, not order
	Job      string `json:"job,omitempty"`
	Tenant   string `json:"tenant,omitempty"`
	Actor    string `json:"actor"` // "worker", "sequencer", "janitor", "cli", or the opaque id of an API key or a person

	Input       *Input           `json:"input,omitempty"`
	Policy      *Policy          `json:"policy,omitempty"`
	Code        *Code            `json:"code,omitempty"`
	State       string           `json:"state,omitempty"`  // the job's state that this event brings about
	Reason      string           `json:"reason,omitempty"` // reason code
	Attempt     int64            `json:"attempt,omitempty"`
	Assets      []Asset          `json:"assets,omitempty"`
	NotCovered  []string         `json:"not_covered,omitempty"`
	TimingsMS   map[string]int64 `json:"timings_ms,omitempty"`
	OverBudget  []string         `json:"over_budget,omitempty"` // stages that took longer than the node's budget
	Pixels      int64            `json:"pixels,omitempty"`      // decoded, summed over both passes
	Protections []string         `json:"protections,omitempty"`
	Artifact    *Artifact        `json:"artifact,omitempty"` // staged, extended, unstaged, deleted
	Key         *Key             `json:"key,omitempty"`      // key events
	Access      *Access          `json:"access,omitempty"`   // access_granted, access_revoked
}

// Input is the document as it came in.
type Input struct {
	SHA256    string `json:"sha256"`
	Bytes     int64  `json:"bytes"`
	MediaType string `json:"media_type,omitempty"`
}

// Policy is the redaction policy that was pinned at intake.
type Policy struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	SHA256  string `json:"sha256"`
}

// Code is the program that ran.
type Code struct {
	Revision string   `json:"revision"` // VCS revision; "+dirty" where the tree was changed
	Module   string   `json:"module"`   // module path and version
	Engines  []Engine `json:"engines,omitempty"`
}

// Engine is a model or native library with its digest.
type Engine struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Asset is one image of the document and what became of it.
type Asset struct {
	Index            int64   `json:"index"`
	Kind             string  `json:"kind"`
	Within           []int64 `json:"within,omitempty"` // the document within the document that it is in
	Page             int64   `json:"page,omitempty"`
	Frame            int64   `json:"frame,omitempty"`
	MediaType        string  `json:"media_type"`
	Width            int64   `json:"width"`
	Height           int64   `json:"height"`
	SHA256           string  `json:"sha256,omitempty"` // of its pixels before redaction
	Status           string  `json:"status"`
	Reason           string  `json:"reason,omitempty"`
	Boxes            []Box   `json:"boxes,omitempty"`
	BoxesSHA256      string  `json:"boxes_sha256,omitempty"`      // of the boxes' canonical JSON, where they stand apart
	DerivativeSHA256 string  `json:"derivative_sha256,omitempty"` // of the PNG's bytes
}

// Box is a redacted rectangle in the asset's own pixels.
type Box struct {
	X        int64  `json:"x"`
	Y        int64  `json:"y"`
	W        int64  `json:"w"`
	H        int64  `json:"h"`
	Type     string `json:"type"`
	PerMille int64  `json:"score_per_mille"`
	Source   string `json:"source"`
}

// Artifact is a temporary or stored thing whose life is on record.
type Artifact struct {
	ID      string `json:"id"`                // opaque
	Class   string `json:"class"`             // "working_copy", "upload", "original", "derivative", "task", "message"
	Expires string `json:"expires,omitempty"` // RFC 3339
}

// Key is a signing key that a key event speaks of.
type Key struct {
	ID        string `json:"id"`
	Algorithm string `json:"algorithm"`
	Public    string `json:"public,omitempty"` // base64 of the raw public key
	LastGood  int64  `json:"last_good,omitempty"`
}

// Access is an API key that was made or revoked: who may do what, never the secret.
type Access struct {
	ID     string   `json:"id"`     // opaque
	Tenant string   `json:"tenant"` // "*": every tenant
	Role   string   `json:"role"`
	Lanes  []string `json:"lanes,omitempty"`
}
