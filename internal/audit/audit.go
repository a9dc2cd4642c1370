// Package audit is the trail: what goes from the outbox into the signed log. Workers
// and the queue append events to the outbox in the transaction of what they describe;
// the one sequencer (package sequencer) numbers, signs and integrates them.
package audit

import (
	"context"
	"errors"
	"fmt"

	"blotter/internal/document"
	"blotter/receipt"
	"golang.org/x/mod/sumdb/tlog"
)

// Pending is an event that waits in the outbox.
type Pending struct {
	ID    int64 // order of the outbox; says nothing outside
	Event receipt.Event
	Job   document.ID    // whose state moves when this event is sealed; empty: none
	State document.State // the state it moves to
}

// Entry is a sealed event.
type Entry struct {
	Sequence int64
	Envelope []byte // canonical DSSE envelope: the leaf of the tree
}

// Batch is what one step of the sequencer makes durable.
type Batch struct {
	First      int64   // sequence number of the first entry = size of the tree before
	Pending    []int64 // outbox ids, one for each entry; 0 for an entry that the sequencer made itself (key events)
	Entries    []Entry
	Hashes     []tlog.Hash // to store, from tlog.StoredHashIndex(0, First) on
	Checkpoint []byte      // signed note over the tree after
}

// Check refuses a batch that does not fit together: written, it could not be undone.
func (b Batch) Check() error {
	n := int64(len(b.Entries))
	if int64(len(b.Pending)) != n || len(b.Checkpoint) == 0 {
		return errors.New("audit: a batch needs one outbox id for each entry, and a checkpoint")
	}
	for i, e := range b.Entries {
		if e.Sequence != b.First+int64(i) {
			return errors.New("audit: a batch has a gap in its numbers")
		}
	}
	if want := tlog.StoredHashCount(b.First+n) - tlog.StoredHashCount(b.First); int64(len(b.Hashes)) != want {
		return fmt.Errorf("audit: a batch has %d hashes instead of %d", len(b.Hashes), want)
	}
	return nil
}

// Log keeps the outbox, the entries and the tree. Append is one transaction, on disk
// when it returns nil.
type Log interface {
	// Pending returns at most n events of the outbox, oldest first.
	Pending(ctx context.Context, n int) ([]Pending, error)

	// Head returns the size of the tree and its last checkpoint (nil: empty log).
	Head(ctx context.Context) (size int64, checkpoint []byte, err error)

	// Append stores a batch, empties its part of the outbox, moves each job that waits
	// for one of the entries from Sealing to its state and sets its FinalSeq. It fails
	// and changes nothing unless the log's size equals b.First and every outbox id but 0
	// is there: reason.AuditUnavailable, another sequencer was faster. A batch that fails
	// Check is refused too. Outbox ids start at 1 and are never given twice.
	Append(ctx context.Context, b Batch) error

	// Entry returns one entry. A number beyond the log gives an error that wraps
	// sql.ErrNoRows.
	Entry(ctx context.Context, sequence int64) (Entry, error)

	// ReadHashes implements tlog.HashReader over the stored hashes.
	ReadHashes(indexes []int64) ([]tlog.Hash, error)
}
