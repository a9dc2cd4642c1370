// Package intake is the HTTP API: it receives documents, stores them encrypted, makes
// jobs, and shows what became of them. It answers at once (mission line M1) and parses
// no document: the bytes are counted, hashed and encrypted on the way to the vault, and
// the cell finds out what they are.
//
// It trusts nothing that a client sends. What a client names (tenant, policy, lane) is
// looked up, what it promises (digest, length) is checked, what it calls a file is thrown
// away.
package intake

import (
	"context"
	"io"
	"time"

	"blotter/internal/document"
	"blotter/internal/policy"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/receipt"
)

// Store is what the API needs of the store.
type Store interface {
	Now(ctx context.Context) (time.Time, error)
	Job(ctx context.Context, id document.ID) (queue.Job, error)
	queue.Intake
	queue.Operations
}

// Uploads takes the bytes of documents that clients send (vault.Vault).
type Uploads interface {
	// Upload begins the blob of a job's document, encrypted under the job's key. Either
	// Close or Abort of what it returns must be called.
	Upload(ctx context.Context, job document.ID) (Upload, error)
	// Seal encrypts a small message under the job's task key.
	Seal(ctx context.Context, job document.ID, plain []byte) ([]byte, error)
	// Fingerprint names what must not be guessed from its name.
	Fingerprint(parts ...[]byte) string
	// DropUpload destroys what was stored for a reservation that became no job: the keys
	// first, each with its signed event, then the blob.
	DropUpload(ctx context.Context, job document.ID) error
}

// Upload is a document on its way into the vault.
type Upload interface {
	io.Writer
	Close() error // makes it durable
	Abort()       // throws it away, unless it was closed
}

// Orders makes the sealed order of a job (worker.Order), which this package must not
// know: where the document lies and whom it is about.
type Orders interface {
	// Uploaded is the order for a document in the vault.
	Uploaded(o Options) ([]byte, error)
	// Referenced is the order for a document in a governed store. Errors:
	// source.bad_reference, source.outside_prefixes (also where the prefix is another
	// tenant's). It opens nothing.
	Referenced(tenant document.Tenant, url string, o Options) ([]byte, error)
	// Received is the event of a job's intake.
	Received(j queue.Job, actor string) receipt.Event
}

// Options are what a request may ask of a job.
type Options struct {
	Originals bool
	Hints     []byte // JSON of client.Hints; empty: none
	Small     bool   // hold the job to the limits of the synchronous path
}

// Results hands out what a job brought, each part only where it is what the signed event
// says. Errors: job.not_ended; job.no_result; vault.key_destroyed; vault.damaged.
type Results interface {
	Receipt(ctx context.Context, j queue.Job) ([]byte, error)
	Result(ctx context.Context, j queue.Job) ([]byte, error)
	// Derivative opens a redacted image. digest is that of its bytes.
	Derivative(ctx context.Context, j queue.Job, asset int) (r io.ReadCloser, size int64, digest document.Digest, err error)
	// Original opens an image as it was before redaction, once the `viewed` event of the
	// actor is on record.
	Original(ctx context.Context, j queue.Job, asset int, actor string) (r io.ReadCloser, size int64, err error)
	// Trust is the trust list under which receipts verify.
	Trust(ctx context.Context) ([]byte, error)
}

// Runner works on a job at once, in a pool of its own: the synchronous path.
type Runner interface {
	// Slot takes a place in the pool without waiting; api.busy where none is free.
	Slot() (release func(), err error)
	// Run works on the job under a slot and returns it at its end, sealed. Where ctx ends
	// first it returns the cause of ctx, and the job is the caller's to cancel.
	Run(ctx context.Context, id document.ID) (queue.Job, error)
}

// Policies finds the policies of this node by name; "" is the node's own.
type Policies interface {
	Policy(name string) (policy.Policy, bool)
}

// Meter is told what the API does. It must not block.
type Meter interface {
	// Answered is one request: route is the pattern it matched, never its path.
	Answered(route string, status int, code reason.Code, d time.Duration)
	// Took is a document that was taken in.
	Took(tenant document.Tenant, lane document.Lane, bytes int64)
}

// Changes tells those who wait for a job that it may have changed.
type Changes interface {
	// Watch returns a channel that gets a signal after each change of the job, or without
	// one, at least once a second; stop must be called.
	Watch(id document.ID) (changed <-chan struct{}, stop func())
}
