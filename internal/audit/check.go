package audit

import (
	"bytes"
	"context"
	"fmt"

	"blotter/internal/reason"
	"blotter/receipt"
	"golang.org/x/mod/sumdb/tlog"
)

// Check walks a whole log from its first entry and believes nothing that is stored
// beside the entries: numbers without gaps, every signature, every stored hash, and
// the root of the last checkpoint are computed again. It returns the number of entries
// that it walked. Its memory does not grow with the log.
func Check(ctx context.Context, log Log, trust receipt.TrustList) (int64, error) {
	size, signed, err := log.Head(ctx)
	if err != nil {
		return 0, unavailable("read the head of the log", err)
	}
	if size == 0 {
		if len(signed) != 0 {
			return 0, reason.Because(reason.ReceiptCheckpoint, fmt.Errorf("audit: an empty log has a checkpoint"))
		}
		return 0, nil
	}
	checkpoint, err := receipt.VerifyCheckpoint(signed, trust)
	if err != nil {
		return 0, Coded(err)
	}
	if checkpoint.Size != size {
		return 0, reason.Because(reason.ReceiptCheckpoint, fmt.Errorf("audit: the checkpoint covers %d of %d entries", checkpoint.Size, size))
	}
	var t tree
	for n := range size {
		if err := checkEntry(ctx, log, trust, n, &t); err != nil {
			return n, err
		}
	}
	if t.root() != checkpoint.Root {
		return size, reason.Because(reason.ReceiptInconsistent, fmt.Errorf("audit: the entries do not lead to the checkpoint"))
	}
	return size, nil
}

func checkEntry(ctx context.Context, log Log, trust receipt.TrustList, n int64, t *tree) error {
	entry, err := log.Entry(ctx, n)
	if err != nil {
		return unavailable("read an entry", err)
	}
	env, err := receipt.VerifyEnvelope(entry.Envelope, trust)
	if err != nil {
		return Coded(err)
	}
	if entry.Sequence != n || env.Event.Sequence != n {
		return reason.Because(reason.ReceiptInconsistent, fmt.Errorf("audit: entry %d says that it is %d", n, env.Event.Sequence))
	}
	if n == 0 && env.Event.Kind != receipt.KeyCreated {
		return reason.Because(reason.ReceiptInconsistent, fmt.Errorf("audit: the log does not begin with its key"))
	}
	first := tlog.StoredHashIndex(0, n)
	for i, want := range t.add(tlog.RecordHash(entry.Envelope)) {
		got, err := log.ReadHashes([]int64{first + int64(i)})
		if err != nil {
			return unavailable("read a stored hash", err)
		}
		if len(got) != 1 || !bytes.Equal(got[0][:], want[:]) {
			return reason.Because(reason.ReceiptInconsistent, fmt.Errorf("audit: stored hash %d is not that of the entries", first+int64(i)))
		}
	}
	return nil
}

// tree computes a Merkle tree of RFC 6962 from its leaves, keeping only the roots of
// the complete subtrees, largest first.
type tree struct {
	size  int64
	roots []tlog.Hash
}

// add takes the next leaf and returns the hashes that it completes, leaf first: what
// tlog stores for it.
func (t *tree) add(leaf tlog.Hash) []tlog.Hash {
	done := []tlog.Hash{leaf}
	h := leaf
	for n := t.size; n&1 == 1; n >>= 1 {
		last := len(t.roots) - 1
		h = tlog.NodeHash(t.roots[last], h)
		t.roots = t.roots[:last]
		done = append(done, h)
	}
	t.roots = append(t.roots, h)
	t.size++
	return done
}

// root folds the subtrees, smallest first.
func (t *tree) root() tlog.Hash {
	last := len(t.roots) - 1
	h := t.roots[last]
	for i := last - 1; i >= 0; i-- {
		h = tlog.NodeHash(t.roots[i], h)
	}
	return h
}
