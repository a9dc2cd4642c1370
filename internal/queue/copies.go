package queue

import (
	"context"
	"time"

	"blotter/internal/document"
	"blotter/receipt"
)

// WorkingCopy is a private copy of a document that may stand on some worker's disk.
type WorkingCopy struct {
	ID      string // random; names the directory
	Node    string // on whose disk it stands; opaque
	Job     document.ID
	Created time.Time // when it was announced, by the store's clock
	Expires time.Time // when it must be gone at the latest
}

// WorkingCopies keeps account of working copies (mission line M27). A copy is on the
// list from before its directory exists until after it is gone, so that what a killed
// process left is known. Durability, clock and errors are those of Store.
type WorkingCopies interface {
	// Stage puts a copy on the list, with its `staged` event, under the lease. Only then
	// may the directory be made. Of c it takes ID, Node and Expires.
	Stage(ctx context.Context, l Lease, c WorkingCopy, event receipt.Event) error

	// Prolong sets a later expiry of a copy that is on the list, with its `extended` event,
	// under the lease of its job.
	Prolong(ctx context.Context, l Lease, id string, expires time.Time, event receipt.Event) error

	// Unstage takes a copy off the list, with its `unstaged` event, after its directory
	// is gone. It needs no lease, because the janitor may call it. For a copy that is not
	// on the list it does nothing and appends no event, so that each deletion is recorded
	// once even where worker and janitor meet.
	Unstage(ctx context.Context, id string, event receipt.Event) error

	// Staged returns the copies on the list that stand on a node, oldest first. Nobody but
	// that node can remove them.
	Staged(ctx context.Context, node string) ([]WorkingCopy, error)
}
