package sequencer

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"blotter/internal/audit"
	"blotter/internal/durable"
	"blotter/internal/reason"
	"blotter/receipt"
)

const keySchema = "blotter.key/1"

// storedKey is the key file. The origin stands in it so that the trust list can be
// made again where a crash came between the two.
type storedKey struct {
	Schema    string `json:"schema"`
	Origin    string `json:"origin"`
	Algorithm string `json:"algorithm"`
	Seed      []byte `json:"seed"`
}

// loadKeys reads the signing key and the trust list, and makes them the first time.
func (s *Sequencer) loadKeys(ctx context.Context) error {
	if err := s.removeLeftovers(); err != nil {
		return err
	}
	origin, key, err := readKey(s.keyPath())
	if errors.Is(err, fs.ErrNotExist) {
		origin, key, err = s.firstKey(ctx)
	}
	if err != nil {
		return unusable("read the signing key", err)
	}
	s.key = key
	if s.cfg.Identify != nil {
		if err := s.cfg.Identify(ctx, identityOf(origin)); err != nil {
			return err
		}
	}
	return s.loadTrust(ctx, origin)
}

// Identity names the log that a key file is of, and says nothing else of the key: it stays
// when the key is replaced. Empty: there is no file.
func Identity(path string) (string, error) {
	origin, _, err := readKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", unusable("read the signing key", err)
	}
	return identityOf(origin), nil
}

func identityOf(origin string) string {
	sum := sha256.Sum256([]byte(keySchema + "\n" + origin))
	return hex.EncodeToString(sum[:])
}

// KeyPath is where the signing key of a directory lies, unless it is said otherwise.
func KeyPath(dir string) string { return filepath.Join(dir, keyFile) }

func (s *Sequencer) keyPath() string {
	if s.cfg.Key != "" {
		return s.cfg.Key
	}
	return KeyPath(s.cfg.Dir)
}

// nextKeyPath lies beside the key, which it will replace.
func (s *Sequencer) nextKeyPath() string {
	return filepath.Join(filepath.Dir(s.keyPath()), nextKeyFile)
}

func (s *Sequencer) firstKey(ctx context.Context) (string, ed25519.PrivateKey, error) {
	if err := s.nothingSigned(ctx); err != nil {
		return "", nil, err
	}
	var id [8]byte
	rand.Read(id[:]) // never fails since Go 1.24
	origin := "blotter.local/" + hex.EncodeToString(id[:])
	if err := writeNewKey(s.keyPath(), origin); err != nil {
		return "", nil, err
	}
	return readKey(s.keyPath())
}

// nothingSigned refuses to make a key or a trust list for a log that has one: the old
// one was lost, and a person must know.
func (s *Sequencer) nothingSigned(ctx context.Context) error {
	r, err := s.lastRecord(ctx)
	if err == nil && r.size() > 0 {
		err = reason.Because(reason.AuditKey, errors.New("sequencer: the signing key or the trust list of this log is missing"))
	}
	return err
}

func (s *Sequencer) loadTrust(ctx context.Context, origin string) error {
	data, err := os.ReadFile(s.path(TrustFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s.firstTrust(ctx, origin)
	}
	if err != nil {
		return unavailable("read the trust list", err)
	}
	if s.trust, err = receipt.ParseTrustList(data); err != nil {
		return unusable("read the trust list", err)
	}
	if s.trust.Origin != origin {
		return unusable("read the trust list", errors.New("it is of another log than the signing key"))
	}
	return nil
}

// firstTrust makes the trust list of a new log. Where records are shared it also makes that
// of a host that joins: the key that it was given is the log's first and only one.
func (s *Sequencer) firstTrust(ctx context.Context, origin string) error {
	own := receipt.TrustList{
		Schema: receipt.TrustSchema,
		Origin: origin,
		Keys:   []receipt.TrustedKey{receipt.NewTrustedKey(s.publicKey())},
	}
	if s.cfg.Records == nil {
		if err := s.nothingSigned(ctx); err != nil {
			return err
		}
		return s.storeTrust(own)
	}
	size, _, err := s.cfg.Log.Head(ctx)
	if err != nil {
		return unavailable("read the head of the log", err)
	}
	if size > 0 {
		list, err := audit.FirstTrust(ctx, s.cfg.Log)
		if err != nil {
			return err
		}
		if _, ours := list.Key(own.Keys[0].ID); !ours || list.Origin != origin {
			return unusable("make the trust list", errors.New("the log is of another key: give this node the key and the trust list of the others"))
		}
	}
	return s.storeTrust(own)
}

// unusable is for what only a person can put right.
func unusable(doing string, err error) error {
	return reason.Because(reason.AuditKey, fmt.Errorf("sequencer: %s: %w", doing, err))
}

// begunFile marks that events were signed here, so that the loss of database and record
// together is not taken for a first start.
const begunFile = "log.begun"

func (s *Sequencer) begun() (bool, error) {
	_, err := os.Stat(s.path(begunFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (s *Sequencer) markBegun() error {
	if was, err := s.begun(); was || err != nil {
		return err
	}
	if err := writeFile(s.path(begunFile), nil, 0o600); err != nil {
		return unavailable("mark the log as begun", err)
	}
	return nil
}

func (s *Sequencer) storeTrust(t receipt.TrustList) error {
	data, err := t.Encode()
	if err != nil {
		return audit.Coded(err)
	}
	if err := writeFile(s.path(TrustFile), data, 0o644); err != nil {
		return unavailable("write the trust list", err)
	}
	s.trust = t
	return nil
}

// removeLeftovers deletes temporary files of a process that was killed while it wrote
// one; they may hold a key.
func (s *Sequencer) removeLeftovers() error {
	left, err := filepath.Glob(s.path(".tmp-*"))
	if err != nil {
		return unavailable("look for leftovers", err)
	}
	for _, path := range left {
		if err := durable.Remove(path); err != nil {
			return unavailable("remove leftovers", err)
		}
	}
	return nil
}

// keyEvent describes a key of this log.
func (s *Sequencer) keyEvent(kind receipt.Kind, pub ed25519.PublicKey) receipt.Event {
	k := receipt.NewTrustedKey(pub)
	return receipt.Event{
		Kind:  kind,
		Time:  receipt.FormatTime(s.cfg.Now()),
		Actor: "sequencer",
		Key:   &receipt.Key{ID: k.ID, Algorithm: k.Algorithm, Public: k.Public},
	}
}

func (s *Sequencer) publicKey() ed25519.PublicKey { return s.key.Public().(ed25519.PublicKey) }

func (s *Sequencer) path(name string) string { return filepath.Join(s.cfg.Dir, name) }

// writeNewKey makes a key on disk, readable by its owner only.
func writeNewKey(path, origin string) error {
	seed := make([]byte, ed25519.SeedSize)
	rand.Read(seed) // never fails since Go 1.24
	data, err := json.Marshal(storedKey{Schema: keySchema, Origin: origin, Algorithm: receipt.Ed25519, Seed: seed})
	if err != nil {
		return err
	}
	return writeFile(path, data, 0o600)
}

// readKey refuses a key that others than its owner may read.
func readKey(path string) (origin string, key ed25519.PrivateKey, err error) {
	st, err := os.Stat(path)
	if err != nil {
		return "", nil, err
	}
	if st.Mode().Perm()&0o077 != 0 {
		return "", nil, errors.New("others may read it: its mode must be 0600")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", nil, err
	}
	var k storedKey
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if dec.Decode(&k) != nil || k.Schema != keySchema || k.Algorithm != receipt.Ed25519 || len(k.Seed) != ed25519.SeedSize {
		return "", nil, errors.New("it is damaged") // the decoder's words could quote the seed
	}
	return k.Origin, ed25519.NewKeyFromSeed(k.Seed), nil
}
