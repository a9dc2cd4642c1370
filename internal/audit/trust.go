package audit

import (
	"context"
	"errors"
	"fmt"

	"blotter/internal/reason"
	"blotter/receipt"
)

// FirstTrust reads the trust list of a log from the log itself: the key that its first
// entry names, which signed that entry and the last checkpoint. It is for a node that has
// no list: whoever asks the node believes the node. The log of a key that was replaced
// cannot be read so: audit.key_unusable. An empty log gives audit.unavailable.
func FirstTrust(ctx context.Context, log Log) (receipt.TrustList, error) {
	size, signed, err := log.Head(ctx)
	if err != nil {
		return receipt.TrustList{}, unavailable("read the head of the log", err)
	}
	if size == 0 {
		return receipt.TrustList{}, unavailable("read the trust list", errors.New("nothing was signed yet"))
	}
	entry, err := log.Entry(ctx, 0)
	if err != nil {
		return receipt.TrustList{}, unavailable("read the first entry", err)
	}
	list, err := trustOf(entry.Envelope, signed)
	if err != nil {
		return receipt.TrustList{}, reason.Because(reason.AuditKey, fmt.Errorf("audit: the log does not say whom to trust: %w", err))
	}
	return list, nil
}

func trustOf(first, signed []byte) (receipt.TrustList, error) {
	env, err := receipt.Open(first)
	if err != nil {
		return receipt.TrustList{}, err
	}
	k := env.Event.Key
	if env.Event.Kind != receipt.KeyCreated || k == nil {
		return receipt.TrustList{}, errors.New("it does not begin with its key")
	}
	head, err := receipt.ParseCheckpoint(signed)
	if err != nil {
		return receipt.TrustList{}, err
	}
	list := receipt.TrustList{
		Schema: receipt.TrustSchema, Origin: head.Origin,
		Keys: []receipt.TrustedKey{{ID: k.ID, Algorithm: k.Algorithm, Public: k.Public}},
	}
	if err := list.Validate(); err != nil {
		return receipt.TrustList{}, err
	}
	if _, err := receipt.VerifyEnvelope(first, list); err != nil {
		return receipt.TrustList{}, err
	}
	_, err = receipt.VerifyCheckpoint(signed, list)
	return list, err
}
