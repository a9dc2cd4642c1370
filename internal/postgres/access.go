package postgres

import (
	"context"
	"errors"

	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/receipt"

	"github.com/jackc/pgx/v5"
)

var _ access.Store = (*DB)(nil)

// AddAccess implements access.Store.
func (db *DB) AddAccess(ctx context.Context, k access.Key, first bool, granted receipt.Event) (added bool, err error) {
	err = db.write(ctx, "store an API key", func(t *tx) error {
		if first {
			if any, err := t.anyAccess(); err != nil || any {
				return err
			}
		}
		lanes := make([]string, len(k.Lanes))
		for i, l := range k.Lanes {
			lanes[i] = string(l)
		}
		_, err := t.exec(sqlAccessAdd, named{
			"id": k.ID, "tenant": k.Tenant, "role": k.Role, "lanes": lanes, "hash": k.Hash[:], "now": t.now,
		})
		if err != nil {
			return err
		}
		added = true
		return t.tell(granted)
	})
	return added && err == nil, err
}

// anyAccess reports whether there is a key, and keeps others from adding one meanwhile.
func (t *tx) anyAccess() (any bool, err error) {
	if _, err := t.Exec(t.ctx, sqlAccessLock); err != nil {
		return false, err
	}
	return any, t.QueryRow(t.ctx, sqlAccessAny).Scan(&any)
}

// Access implements access.Store.
func (db *DB) Access(ctx context.Context, id string) (access.Key, error) {
	k, err := readAccess(ctx, db.pool, id)
	return k, failed("read an API key", err)
}

func readAccess(ctx context.Context, q querier, id string) (access.Key, error) {
	k, err := scanAccess(q.QueryRow(ctx, sqlAccessByID, named{"id": id}))
	if errors.Is(err, pgx.ErrNoRows) {
		return access.Key{}, errNoAccess
	}
	return k, err
}

// Accesses implements access.Store.
func (db *DB) Accesses(ctx context.Context) ([]access.Key, error) {
	out, err := collect(ctx, db.pool, scanAccess, sqlAccessAll, named{})
	return out, failed("list API keys", err)
}

// RevokeAccess implements access.Store.
func (db *DB) RevokeAccess(ctx context.Context, id string, revoked receipt.Event) error {
	return db.write(ctx, "revoke an API key", func(t *tx) error {
		n, err := t.exec(sqlAccessRevoke, named{"id": id, "now": t.now})
		if err != nil {
			return err
		}
		if n == 1 {
			return t.tell(revoked)
		}
		_, err = readAccess(t.ctx, t, id) // it was revoked before, or never was
		return err
	})
}

func scanAccess(r pgx.Row) (k access.Key, err error) {
	var (
		lanes            []string
		hash             []byte
		created, revoked int64
	)
	if err := r.Scan(&k.ID, &k.Tenant, &k.Role, &lanes, &hash, &created, &revoked); err != nil {
		return access.Key{}, err
	}
	if len(hash) != len(k.Hash) { // the table's CHECK forbids it
		return access.Key{}, errors.New("a hash has another length")
	}
	for _, l := range lanes {
		k.Lanes = append(k.Lanes, document.Lane(l))
	}
	k.Hash = document.Digest(hash)
	k.Created, k.Revoked = fromMillis(created), fromMillis(revoked)
	return k, nil
}

var (
	errNoAccess = reason.Because(reason.AccessUnknown, nil)

	sqlAccessLock   = query("access_lock")
	sqlAccessAny    = query("access_any")
	sqlAccessAdd    = query("access_add")
	sqlAccessByID   = query("access_by_id")
	sqlAccessAll    = query("access_all")
	sqlAccessRevoke = query("access_revoke")
)
