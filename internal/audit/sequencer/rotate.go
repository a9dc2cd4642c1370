package sequencer

import (
	"context"
	"crypto/ed25519"
	"errors"
	"io/fs"
	"slices"

	"blotter/internal/audit"
	"blotter/internal/durable"
	"blotter/receipt"
)

// Rotate replaces the signing key. The old key signs one last entry, key_rotated, that
// names the new one, and the checkpoint over it; then the trust list bounds the old key
// by that number and lists the new one; then the old private key is destroyed. What
// the old key signed stays valid. A crash on the way is finished at the next Open: the
// rotation has happened exactly when its entry is in the log.
func (s *Sequencer) Rotate(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ready(ctx); err != nil {
		return err
	}
	if err := writeNewKey(s.nextKeyPath(), s.trust.Origin); err != nil {
		return unavailable("make the next key", err)
	}
	_, next, err := readKey(s.nextKeyPath())
	if err != nil {
		return unavailable("read the next key", err)
	}
	e := s.keyEvent(receipt.KeyRotated, next.Public().(ed25519.PublicKey))
	if err := s.append(ctx, []audit.Pending{{Event: e}}); err != nil {
		return err
	}
	s.settled = false // the old key signs nothing more, whatever happens to the files below
	return s.ready(ctx)
}

// finishRotation brings trust list and key file in line with the log's last entry.
func (s *Sequencer) finishRotation(ctx context.Context) error {
	_, next, err := readKey(s.nextKeyPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unavailable("read the next key", err)
	}
	if s.last.size() == 0 {
		return s.abandonRotation()
	}
	public := receipt.NewTrustedKey(next.Public().(ed25519.PublicKey))
	number := s.last.size() - 1
	entry, err := s.cfg.Log.Entry(ctx, number)
	if err != nil {
		return unavailable("read the last entry", err)
	}
	env, err := receipt.Open(entry.Envelope)
	if err != nil {
		return audit.Coded(err)
	}
	if env.Event.Kind != receipt.KeyRotated || env.Event.Key == nil || env.Event.Key.ID != public.ID {
		return s.abandonRotation()
	}
	if err := s.trustNext(public, number); err != nil {
		return err
	}
	if err := durable.Rename(s.nextKeyPath(), s.keyPath()); err != nil {
		return unavailable("replace the signing key", err)
	}
	clear(s.key)
	s.key = next
	return nil
}

// abandonRotation forgets a key that no entry names.
func (s *Sequencer) abandonRotation() error {
	if err := durable.Remove(s.nextKeyPath()); err != nil {
		return unavailable("remove an unused key", err)
	}
	return nil
}

// trustNext adds the new key and bounds the others by the number of the entry that
// replaced them. It does nothing where an interrupted rotation had come that far.
func (s *Sequencer) trustNext(next receipt.TrustedKey, number int64) error {
	if _, done := s.trust.Key(next.ID); done {
		return nil
	}
	t := s.trust
	t.Keys = slices.Clone(t.Keys)
	for i := range t.Keys {
		if t.Keys[i].LastGood == nil {
			t.Keys[i].LastGood = &number
		}
	}
	t.Keys = append(t.Keys, next)
	return s.storeTrust(t)
}
