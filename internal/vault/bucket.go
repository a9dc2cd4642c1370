package vault

import (
	"context"
	"errors"
	"io"

	"blotter/internal/objectstore"
)

// bucket is a place in a store that speaks the S3 protocol. A blob appears when the store
// has taken its last byte. One that is put while its class is being destroyed may appear
// afterwards: it has no key any more, and the next sweep deletes it.
type bucket struct{ *objectstore.Store }

func (b bucket) close() error { return b.Close() }

func (b bucket) begin(ctx context.Context, key string) (unfinished, error) {
	w, err := b.Writer(ctx, key)
	if err != nil {
		return nil, err
	}
	return object{w}, nil
}

// object is a blob that is being written into a bucket.
type object struct{ *objectstore.Writer }

func (o object) put() error { return o.Close() }
func (o object) drop()      { o.Abort() }

func (b bucket) open(ctx context.Context, key string) (io.ReadCloser, error) {
	r, err := b.Reader(ctx, key)
	if errors.Is(err, objectstore.ErrMissing) {
		return nil, errMissing
	}
	return r, err
}

func (b bucket) walk(ctx context.Context, prefix string, visit func(key string) error) error {
	return b.List(ctx, prefix, visit)
}

func (b bucket) remove(ctx context.Context, key string) error { return b.Delete(ctx, key) }

// forget has nothing to do: a bucket has no directories.
func (b bucket) forget(string, string) error { return nil }

func (b bucket) empty(ctx context.Context) (bool, error) {
	err := b.List(ctx, "", func(string) error { return errFound })
	if errors.Is(err, errFound) {
		return false, nil
	}
	return err == nil, err
}

var errFound = errors.New("there is something")
