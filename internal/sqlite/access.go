package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"blotter/internal/access"
	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/receipt"
)

var _ access.Store = (*DB)(nil)

// AddAccess implements access.Store.
func (db *DB) AddAccess(ctx context.Context, k access.Key, first bool, granted receipt.Event) (added bool, err error) {
	err = db.write(ctx, "store an API key", func(t *tx) error {
		any := false
		if err := t.QueryRowContext(t.ctx, sqlAccessAny).Scan(&any); err != nil || (first && any) {
			return err
		}
		_, err := t.exec(sqlAccessAdd, sql.Named("id", k.ID), sql.Named("tenant", string(k.Tenant)),
			sql.Named("role", string(k.Role)), sql.Named("lanes", joinLanes(k.Lanes)),
			sql.Named("hash", k.Hash[:]), sql.Named("now", t.now))
		if err != nil {
			return err
		}
		added = true
		return t.tell(granted)
	})
	return added && err == nil, err
}

// Access implements access.Store.
func (db *DB) Access(ctx context.Context, id string) (access.Key, error) {
	k, err := scanAccess(db.reader.QueryRowContext(ctx, sqlAccessByID, sql.Named("id", id)))
	if errors.Is(err, sql.ErrNoRows) {
		err = errNoAccess
	}
	return k, failed("read an API key", err)
}

// Accesses implements access.Store.
func (db *DB) Accesses(ctx context.Context) ([]access.Key, error) {
	out, err := collect(ctx, db.reader, scanAccess, sqlAccessAll)
	return out, failed("list API keys", err)
}

// RevokeAccess implements access.Store.
func (db *DB) RevokeAccess(ctx context.Context, id string, revoked receipt.Event) error {
	return db.write(ctx, "revoke an API key", func(t *tx) error {
		n, err := t.exec(sqlAccessRevoke, sql.Named("id", id), sql.Named("now", t.now))
		if err != nil {
			return err
		}
		if n == 1 {
			return t.tell(revoked)
		}
		_, err = scanAccess(t.QueryRowContext(t.ctx, sqlAccessByID, sql.Named("id", id)))
		if errors.Is(err, sql.ErrNoRows) {
			return errNoAccess
		}
		return err
	})
}

func scanAccess(r row) (k access.Key, err error) {
	var (
		lanes            string
		hash             []byte
		created, revoked int64
	)
	if err := r.Scan(&k.ID, &k.Tenant, &k.Role, &lanes, &hash, &created, &revoked); err != nil {
		return access.Key{}, err
	}
	if lanes != "" {
		for l := range strings.SplitSeq(lanes, ",") {
			k.Lanes = append(k.Lanes, document.Lane(l))
		}
	}
	k.Created, k.Revoked = fromMillis(created), fromMillis(revoked)
	return k, setDigest(&k.Hash, hash)
}

func joinLanes(lanes []document.Lane) string {
	names := make([]string, len(lanes))
	for i, l := range lanes {
		names[i] = string(l)
	}
	return strings.Join(names, ",")
}

var (
	errNoAccess = reason.Because(reason.AccessUnknown, nil)

	sqlAccessAny    = query("access_any")
	sqlAccessAdd    = query("access_add")
	sqlAccessByID   = query("access_by_id")
	sqlAccessAll    = query("access_all")
	sqlAccessRevoke = query("access_revoke")
)
