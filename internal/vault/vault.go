// Package vault keeps blobs (derivatives, extracted originals) encrypted under a key
// of their own per job and class, so that destroying the key destroys the data.
// Underneath is gocloud.dev/blob; on top are streaming encryption (tink) and the
// promise that what Put has returned is on disk.
package vault

import (
	"context"

	"blotter/internal/document"
)

// Class is why a blob is kept; each class of a job has its own data key and expiry.
type Class string

// The classes.
const (
	Derivative Class = "derivative"
	Original   Class = "original"
	Task       Class = "task" // source reference and hints; destroyed with the job's end
)

// Keys keeps the wrapped data keys, beside the jobs and in their transactions.
type Keys interface {
	// PutKey stores a wrapped key for the job and class unless there is one, and returns
	// the one that is stored.
	PutKey(ctx context.Context, job document.ID, c Class, wrapped []byte) ([]byte, error)
	// Key returns the wrapped key; an error with code vault.key_destroyed where there is none.
	Key(ctx context.Context, job document.ID, c Class) ([]byte, error)
}
