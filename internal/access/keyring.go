package access

import (
	"context"
	"crypto/subtle"
	"time"

	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/receipt"
)

// Keyring makes, checks and revokes keys. It remembers nothing: a key that was revoked,
// by whatever process, is refused from the next request on.
type Keyring struct{ Store Store }

// Check returns the valid key that a token ("blotter_" …) is; ErrUnauthorised otherwise,
// the same for a token that is none, an unknown key, a wrong secret and a revoked key.
// An error of the store stays what it is: who cannot look must not say no.
func (k *Keyring) Check(ctx context.Context, token string) (Key, error) {
	id, hash, ok := parse(token)
	if !ok {
		return Key{}, ErrUnauthorised
	}
	key, err := k.Store.Access(ctx, id)
	known := err == nil
	if err != nil && reason.Of(err) != reason.AccessUnknown {
		return Key{}, err
	}
	// An unknown key is compared as well, with the hash of nothing.
	same := subtle.ConstantTimeCompare(key.Hash[:], hash[:]) == 1
	if !known || !same || !key.Revoked.IsZero() {
		return Key{}, ErrUnauthorised
	}
	return key, nil
}

// Add makes a key, stores it with its event, and returns its token. The errors are those
// of New and of the store.
func (k *Keyring) Add(ctx context.Context, t document.Tenant, r Role, lanes []document.Lane, actor string) (Key, string, error) {
	key, token, err := New(t, r, lanes)
	if err != nil {
		return Key{}, "", err
	}
	if _, err := k.Store.AddAccess(ctx, key, false, Granted(key, actor)); err != nil {
		return Key{}, "", err
	}
	key, err = k.Store.Access(ctx, key.ID)
	return key, token, err
}

// FirstTenant is whose documents the first key sends.
const FirstTenant document.Tenant = "default"

// First makes the first key of a store, an admin's for one tenant with every lane, so
// that a service can be tried without further ado. It does nothing where the store ever
// had a key; of several processes that start at once, one makes it.
func (k *Keyring) First(ctx context.Context) (token string, made bool, err error) {
	key, token, err := New(FirstTenant, Admin, document.Lanes())
	if err != nil {
		return "", false, err
	}
	made, err = k.Store.AddAccess(ctx, key, true, Granted(key, "cli"))
	if err != nil || !made {
		return "", false, err
	}
	return token, true, nil
}

// Revoke ends a key for good and returns it as it stands then. One that was revoked
// before stays as it is. Errors: access.no_such_key; those of the store.
func (k *Keyring) Revoke(ctx context.Context, id, actor string) (Key, error) {
	key, err := k.Store.Access(ctx, id)
	if err != nil {
		return Key{}, err
	}
	if err := k.Store.RevokeAccess(ctx, id, Revoked(key, actor)); err != nil {
		return Key{}, err
	}
	return k.Store.Access(ctx, id)
}

// Granted is the event of a key's making.
func Granted(k Key, actor string) receipt.Event { return event(receipt.AccessGranted, k, actor) }

// Revoked is the event of a key's end.
func Revoked(k Key, actor string) receipt.Event { return event(receipt.AccessRevoked, k, actor) }

func event(kind receipt.Kind, k Key, actor string) receipt.Event {
	a := &receipt.Access{ID: k.ID, Tenant: string(k.Tenant), Role: string(k.Role)}
	for _, l := range k.Lanes {
		a.Lanes = append(a.Lanes, string(l))
	}
	return receipt.Event{
		Schema: receipt.EventSchema, Kind: kind, Actor: actor, Time: receipt.FormatTime(time.Now()), Access: a,
	}
}
