package vault

import (
	"context"
	"errors"
	"io"
)

// place is where ciphertexts lie, under the names of Ref.key: a directory or a bucket. Its
// methods may be called concurrently.
type place interface {
	// begin begins a blob, which replaces one of that name once it is put.
	begin(ctx context.Context, key string) (unfinished, error)
	// open reads a blob; errMissing where none is there.
	open(ctx context.Context, key string) (io.ReadCloser, error)
	// walk visits what there is under a prefix, finished or not. What others finish, abort
	// or delete meanwhile may be visited or not; it is no error.
	walk(ctx context.Context, prefix string, visit func(key string) error) error
	// remove deletes what stands under a name, for good when it returns nil.
	remove(ctx context.Context, key string) error
	// forget is told that all blobs of a job's class were removed.
	forget(job, class string) error
	// empty reports whether there is nothing at all.
	empty(ctx context.Context) (bool, error)
	close() error
}

// unfinished is a blob that is being written. Either put or drop is called, once.
type unfinished interface {
	io.Writer
	// put makes the blob stand under its name, on disk, or fails; then drop is called.
	put() error
	// drop throws the blob away, unless put has put it in its place.
	drop()
}

// errMissing says that there is no blob under a name.
var errMissing = errors.New("it is missing")
