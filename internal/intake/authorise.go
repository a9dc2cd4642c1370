package intake

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"
	"time"

	"blotter/internal/access"
	"blotter/internal/reason"
)

// authorise finds the key of a request and checks that it may go on: the key is valid,
// does not come too fast, and has the right. Whoever has no valid key learns nothing
// else. Errors: api.unauthorized, api.rate_limited, api.forbidden; the store's.
func (a *API) authorise(r *http.Request, right access.Right) (access.Key, error) {
	token, ok := tokenOf(r.Header)
	if !ok {
		return access.Key{}, access.ErrUnauthorised
	}
	key, err := a.check(r, token)
	if err != nil {
		return access.Key{}, err
	}
	if err := a.rates.take(key.ID, time.Now()); err != nil {
		return access.Key{}, err
	}
	if !key.May(right) {
		return access.Key{}, fault(reason.APIForbidden, "API key: its role")
	}
	return key, nil
}

// check looks a token up, unless too many failed.
func (a *API) check(r *http.Request, token string) (access.Key, error) {
	hash := sha256.Sum256([]byte(token))
	if err := a.rates.mayTry(hash, time.Now()); err != nil {
		return access.Key{}, err
	}
	key, err := a.Keys.Check(r.Context(), token)
	if err == nil || errors.Is(err, access.ErrUnauthorised) {
		a.rates.tried(hash, err == nil, time.Now())
	}
	return key, err
}

// tokenOf reads `Authorization: Bearer TOKEN` (RFC 6750, section 2.1), which must stand there
// once.
func tokenOf(h http.Header) (string, bool) {
	lines := h.Values("Authorization")
	if len(lines) != 1 {
		return "", false
	}
	scheme, token, ok := strings.Cut(lines[0], " ")
	token = strings.TrimSpace(token)
	return token, ok && strings.EqualFold(scheme, "Bearer") && token != ""
}

// stillValid looks again at the key of a request that lasts: one that was revoked
// meanwhile sees no more.
func (a *API) stillValid(ctx context.Context, caller access.Key) error {
	now, err := a.Keys.Store.Access(ctx, caller.ID)
	if err == nil && !now.Revoked.IsZero() {
		return access.ErrUnauthorised
	}
	return err
}
