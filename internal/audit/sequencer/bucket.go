package sequencer

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"blotter/internal/objectstore"
	"blotter/internal/reason"
)

const (
	// keptRecords is how many records stay in a bucket. One would do for what is promised;
	// the others tell what happened.
	keptRecords = 16

	// pruneEvery is after how many records older ones are deleted.
	pruneEvery = 64

	// maxRecord bounds a record that is read, in bytes: a batch whose events all have as
	// many boxes as an event holds stays under a quarter of it.
	maxRecord = 64 << 20
)

// bucket keeps one object for each record, made only where there is none of its base.
type bucket struct {
	objects *objectstore.Store

	mu  sync.Mutex
	put int // since the last pruning
}

// Shared returns records in a bucket, for sequencers on several hosts. A store that ignores
// that an object is to be created only, never replaced, gives vault.no_create_only: with it
// two sequencers could sign the same number.
func Shared(ctx context.Context, objects *objectstore.Store) (Records, error) {
	unsafe, err := objects.Probe(ctx)
	if unsafe {
		return nil, reason.Because(reason.VaultOverwrites, err)
	}
	if err != nil {
		return nil, unavailable("try the bucket", err)
	}
	return &bucket{objects: objects}, nil
}

// recordName sorts as its base does.
func recordName(base int64) string { return fmt.Sprintf("%019d", base) }

// Last looks again where the record that it found was pruned meanwhile.
func (b *bucket) Last(ctx context.Context) (body []byte, err error) {
	for range 3 {
		names, err := b.list(ctx)
		if err != nil || len(names) == 0 {
			return nil, err
		}
		body, err = b.objects.Get(ctx, names[len(names)-1], maxRecord)
		if !errors.Is(err, objectstore.ErrMissing) {
			return body, err
		}
	}
	return nil, err
}

func (b *bucket) list(ctx context.Context) (names []string, err error) {
	err = b.objects.List(ctx, "", func(name string) error {
		var base int64
		if _, err := fmt.Sscanf(name, "%d", &base); err == nil && name == recordName(base) {
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

func (b *bucket) Put(ctx context.Context, base int64, body []byte) error {
	err := b.objects.Create(ctx, recordName(base), body)
	if errors.Is(err, objectstore.ErrTaken) {
		return errTaken
	}
	if err == nil {
		b.prune(ctx)
	}
	return err
}

// prune deletes old records now and then. What fails is deleted the next time.
func (b *bucket) prune(ctx context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.put++; b.put < pruneEvery {
		return
	}
	b.put = 0
	names, err := b.list(ctx)
	if err != nil {
		return
	}
	for _, name := range names[:max(0, len(names)-keptRecords)] {
		_ = b.objects.Delete(ctx, name)
	}
}
