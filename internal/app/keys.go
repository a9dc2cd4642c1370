package app

import (
	"context"

	"blotter/internal/access"
	"blotter/internal/document"
)

// AddKey makes an API key and returns it with its token, which nobody can show again. It
// is on record before it is handed out. Errors: usage.wrong for a combination that cannot
// be.
func (d *Desk) AddKey(ctx context.Context, t document.Tenant, r access.Role, lanes []document.Lane) (key access.Key, token string, err error) {
	err = d.act(ctx, func(ctx context.Context) (err error) {
		key, token, err = d.keyring().Add(ctx, t, r, lanes, actorCLI)
		return err
	})
	if err != nil {
		return access.Key{}, "", err
	}
	return key, token, nil
}

// Keys lists the API keys, the oldest first, revoked ones too.
func (d *Desk) Keys(ctx context.Context) ([]access.Key, error) {
	return d.station.store.Accesses(ctx)
}

// RevokeKey ends an API key for good: no request that begins afterwards is answered
// under it. One that was revoked before stays as it is. Errors: access.no_such_key.
func (d *Desk) RevokeKey(ctx context.Context, id string) (key access.Key, err error) {
	err = d.act(ctx, func(ctx context.Context) (err error) {
		key, err = d.keyring().Revoke(ctx, id, actorCLI)
		return err
	})
	return key, err
}

func (d *Desk) keyring() *access.Keyring { return &access.Keyring{Store: d.station.store} }
