package queue

import (
	"context"

	"blotter/internal/document"
)

// Notice is a hint that something may have changed. It can be lost, doubled and late, so
// whoever waits for something polls as well.
type Notice struct {
	Job document.ID // the job that changed; empty: there may be work, or events to seal
}

// Watcher passes hints on between processes.
type Watcher interface {
	// Watch calls tell, one call at a time, for each hint of other processes, until ctx
	// ends: then it returns nil. An error means that hints have stopped coming; the caller
	// may watch again. A store that gives no hints only waits for ctx.
	Watch(ctx context.Context, tell func(Notice)) error
}
