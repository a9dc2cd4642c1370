package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"blotter/internal/audit/sequencer"
	"blotter/internal/config"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/vault"
)

// What a database was begun with, all who use it later must have: the key that wraps data
// keys, the log's signing key, and the place of the blobs. It remembers an identity of each
// from the first use.

// expect refuses, before anything is made, a node without the station key that the database
// knows, with another log's signing key, or with another place of blobs; and, while no node
// has made the keys, one that is not to sign: what it made would have to be carried to the
// others, which nobody would look for there.
func (s *Station) expect(ctx context.Context) error {
	known, err := s.store.Mark(ctx, queue.MarkStationKey, "")
	if err != nil {
		return err
	}
	if s.fleet() && !there(s.cfg.StationKey) {
		if known != "" {
			return otherKeys("the station key is missing: copy it from a node that has it")
		}
		if !s.cfg.Serve.Has(config.RoleAudit) {
			return otherKeys("no node has made the keys yet: start one with the role audit first, then copy its station key")
		}
	}
	if err := s.agreeOnVault(ctx, ""); err != nil {
		return err
	}
	if known, err = s.store.Mark(ctx, queue.MarkSigningKey, ""); err != nil || known == "" {
		return err
	}
	own, err := sequencer.Identity(s.cfg.AuditKey)
	if err != nil {
		return err
	}
	if own != "" && own != known {
		return otherKeys("the signing key is of another log: copy it from a node that signs")
	}
	return nil
}

// expectSigningKey refuses a node that is to sign a log that another node has begun, and has
// no key.
func (s *Station) expectSigningKey(ctx context.Context) error {
	has, err := s.hasSigningKey(ctx)
	if err == nil && !has {
		err = otherKeys("the signing key is missing: copy it from a node that signs, or take the role audit from this one")
	}
	return err
}

func there(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

func otherKeys(what string) error {
	return reason.Because(reason.StationKeys, errors.New(what))
}

// hasSigningKey reports whether this node may sign: it has the key, or may make it, because
// nobody has one and it is to sign.
func (s *Station) hasSigningKey(ctx context.Context) (bool, error) {
	if !s.fleet() || there(s.cfg.AuditKey) {
		return true, nil
	}
	known, err := s.store.Mark(ctx, queue.MarkSigningKey, "")
	return known == "" && s.cfg.Serve.Has(config.RoleAudit), err
}

// agree refuses a node whose station key, or place of blobs, is not the database's.
func (s *Station) agree(ctx context.Context) error {
	own := s.vault.Fingerprint([]byte("identity of the station key"))
	known, err := s.store.Mark(ctx, queue.MarkStationKey, own)
	if err != nil {
		return err
	}
	if known != own {
		return otherKeys("the station key is another one: copy it from a node of this database")
	}
	return s.agreeOnVault(ctx, placeOf(s.cfg.Vault, s.cfg.Node))
}

// agreeOnVault sets the mark of the place of blobs, unless value is empty, and refuses a node
// that has another one. With SQLite the directory moves with its vault.
func (s *Station) agreeOnVault(ctx context.Context, value string) error {
	if s.cfg.Database == "" {
		return nil
	}
	known, err := s.store.Mark(ctx, queue.MarkVault, value)
	if err != nil || known == "" || known == placeOf(s.cfg.Vault, s.cfg.Node) {
		return err
	}
	return reason.Because(reason.ConfigInvalid, errors.New(
		"vault: this database's documents and images are kept elsewhere: give each node the bucket and prefix of the others; in a directory one node alone can keep them"))
}

// placeOf names where blobs are kept, and says no more of it. How a node reaches a bucket
// does not matter; a directory is the node's own.
func placeOf(where, node string) string {
	place := "directory of " + node
	if u, err := url.Parse(where); vault.IsBucket(where) && err == nil {
		place = "bucket " + u.Host + "/" + strings.Trim(u.Path, "/")
	}
	sum := sha256.Sum256([]byte(place))
	return hex.EncodeToString(sum[:])
}

// maySign implements sequencer.Config.Identify.
func (s *Station) maySign(ctx context.Context, own string) error {
	known, err := s.store.Mark(ctx, queue.MarkSigningKey, own)
	if err == nil && known != own {
		err = otherKeys("the signing key is of another log: copy it from a node that signs")
	}
	return err
}
