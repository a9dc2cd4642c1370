package storetest

import (
	"context"

	"golang.org/x/mod/sumdb/tlog"

	"blotter/internal/audit"
)

// Seal is a sequencer without a key: it numbers and integrates all that waits, with a
// checkpoint that nobody signed.
func Seal(ctx context.Context, log audit.Log) error {
	pending, err := log.Pending(ctx, 10000)
	if err != nil || len(pending) == 0 {
		return err
	}
	b, err := Batch(ctx, log, len(pending))
	if err != nil {
		return err
	}
	for i, p := range pending {
		b.Pending[i] = p.ID
	}
	return log.Append(ctx, b)
}

// Batch makes n entries of the sequencer's own that fit the log as it is.
func Batch(ctx context.Context, log audit.Log, n int) (audit.Batch, error) {
	size, _, err := log.Head(ctx)
	if err != nil {
		return audit.Batch{}, err
	}
	b := audit.Batch{First: size, Checkpoint: []byte("checkpoint"), Pending: make([]int64, n)}
	for i := range n {
		e := audit.Entry{Sequence: size + int64(i), Envelope: []byte{byte(size), byte(i), byte(i >> 8)}}
		hashes, err := tlog.StoredHashes(e.Sequence, e.Envelope, extended{log, tlog.StoredHashIndex(0, size), b.Hashes})
		if err != nil {
			return audit.Batch{}, err
		}
		b.Entries = append(b.Entries, e)
		b.Hashes = append(b.Hashes, hashes...)
	}
	return b, nil
}

// extended reads hashes of the store and, beyond them, those of the batch in the making.
type extended struct {
	log   audit.Log
	first int64
	more  []tlog.Hash
}

func (e extended) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	out := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		if index >= e.first {
			out[i] = e.more[index-e.first]
			continue
		}
		h, err := e.log.ReadHashes([]int64{index})
		if err != nil {
			return nil, err
		}
		out[i] = h[0]
	}
	return out, nil
}
