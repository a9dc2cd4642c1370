package audit

import (
	"context"
	"fmt"

	"blotter/internal/reason"
	"blotter/receipt"
	"golang.org/x/mod/sumdb/tlog"
)

// Receipt builds the receipt of an entry under the log's last checkpoint. It needs no
// key: everything was signed before. It fails with audit.unavailable where the log
// cannot be read, or has no such entry yet.
func Receipt(ctx context.Context, log Log, sequence int64) ([]byte, error) {
	size, checkpoint, err := log.Head(ctx)
	if err != nil {
		return nil, unavailable("read the head of the log", err)
	}
	if sequence < 0 || sequence >= size {
		return nil, unavailable("build a receipt", fmt.Errorf("event %d is not in the log of %d", sequence, size))
	}
	entry, err := log.Entry(ctx, sequence)
	if err != nil {
		return nil, unavailable("read an entry", err)
	}
	proof, err := tlog.ProveRecord(size, sequence, log)
	if err != nil {
		return nil, unavailable("prove an entry", err)
	}
	out, err := receipt.Build(entry.Envelope, sequence, proof, checkpoint)
	if err != nil {
		return nil, Coded(err)
	}
	return out, nil
}

// Coded gives an error of package receipt, which stands alone, its place in the table
// of reasons.
func Coded(err error) error {
	if code := receipt.CodeOf(err); code != "" {
		return reason.Because(reason.Code(code), err)
	}
	return err
}

// unavailable says what was attempted. An error that has a code keeps it.
func unavailable(doing string, err error) error {
	err = fmt.Errorf("audit: %s: %w", doing, err)
	if reason.Of(err) != reason.Internal {
		return err
	}
	return reason.Because(reason.AuditUnavailable, err)
}
