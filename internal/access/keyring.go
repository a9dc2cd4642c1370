package access

import "context"

// Keyring checks keys against the store.
type Keyring struct{ Store Store }

// Check returns the valid key that a token ("blotter_" …) is; ErrUnauthorised otherwise.
func (k *Keyring) Check(ctx context.Context, token string) (Key, error) {
	return Key{}, ErrUnauthorised
}
