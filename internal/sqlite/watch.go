package sqlite

import (
	"context"

	"blotter/internal/queue"
)

var _ queue.Watcher = (*DB)(nil)

// Watch implements queue.Watcher. Processes that share a file give each other no hints.
func (db *DB) Watch(ctx context.Context, _ func(queue.Notice)) error {
	<-ctx.Done()
	return nil
}
