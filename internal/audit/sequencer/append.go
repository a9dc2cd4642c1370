package sequencer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"blotter/internal/audit"
	"blotter/internal/durable"
	"blotter/receipt"
	"golang.org/x/mod/sumdb/tlog"
)

// append seals events as the log's next entries: record first, then the database. The
// sequencer is unsettled until all has succeeded: a failure, even of a read, may mean
// that the database is no longer the one that was there before.
func (s *Sequencer) append(ctx context.Context, pending []audit.Pending) error {
	s.settled = false
	r := record{Schema: recordSchema, Base: s.last.size(), Before: s.last.After}
	for i, p := range pending {
		envelope, err := receipt.Seal(s.numbered(p.Event, r.Base+int64(i)), s.key)
		if err != nil {
			return audit.Coded(fmt.Errorf("sequencer: seal outbox event %d: %w", p.ID, err))
		}
		r.Pending = append(r.Pending, p.ID)
		r.Envelopes = append(r.Envelopes, envelope)
	}
	b, root, err := s.batch(r)
	if err != nil {
		return err
	}
	r.After, err = receipt.SignCheckpoint(receipt.Checkpoint{Origin: s.trust.Origin, Size: r.size(), Root: root}, s.key)
	if err != nil {
		return audit.Coded(err)
	}
	b.Checkpoint = r.After
	return s.commit(ctx, r, b)
}

// commit makes a signed batch durable, outside the database and then inside.
func (s *Sequencer) commit(ctx context.Context, r record, b audit.Batch) error {
	if err := s.putRecord(ctx, r); err != nil {
		return err
	}
	err := durable.Around("log_append", func() error { return s.cfg.Log.Append(ctx, b) })
	if err != nil {
		return unavailable("append to the log", err)
	}
	s.last, s.settled = r, true
	return nil
}

// numbered completes an event of the outbox.
func (s *Sequencer) numbered(e receipt.Event, sequence int64) receipt.Event {
	e.Schema, e.Sequence = receipt.EventSchema, sequence
	if e.Time == "" {
		e.Time = receipt.FormatTime(s.cfg.Now())
	}
	return e
}

// batch computes what a record adds to the tree, and its root. It fails with
// audit.log_rolled_back unless the new tree extends the one of r.Before.
func (s *Sequencer) batch(r record) (audit.Batch, tlog.Hash, error) {
	b := audit.Batch{First: r.Base, Pending: r.Pending, Checkpoint: r.After}
	grown := overlay{log: s.cfg.Log, first: tlog.StoredHashCount(r.Base)}
	for i, envelope := range r.Envelopes {
		n := r.Base + int64(i)
		hashes, err := tlog.StoredHashes(n, envelope, &grown)
		if err != nil {
			return b, tlog.Hash{}, unavailable("hash an entry", err)
		}
		grown.added = append(grown.added, hashes...)
		b.Entries = append(b.Entries, audit.Entry{Sequence: n, Envelope: envelope})
	}
	b.Hashes = grown.added
	root, err := tlog.TreeHash(r.size(), &grown)
	if err != nil {
		return b, root, unavailable("compute the root", err)
	}
	return b, root, extends(r, root, &grown)
}

// extends proves that the tree of a record's base, as it was signed, is a prefix of
// the tree about to be signed, as a stranger would check it.
func extends(r record, root tlog.Hash, hashes tlog.HashReader) error {
	if r.Base == 0 {
		return nil
	}
	before, err := receipt.ParseCheckpoint(r.Before)
	if err != nil {
		return audit.Coded(err)
	}
	proof, err := tlog.ProveTree(r.size(), r.Base, hashes)
	if err != nil {
		return unavailable("prove the new tree", err)
	}
	if before.Size != r.Base || tlog.CheckTree(proof, r.size(), root, r.Base, before.Root) != nil {
		return rolledBack("the tree of %d entries does not extend the signed tree of %d", r.size(), r.Base)
	}
	return nil
}

// overlay reads stored hashes of the log and, from first on, those of the batch.
type overlay struct {
	log   audit.Log
	first int64
	added []tlog.Hash
}

func (o *overlay) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	var stored []int64
	for _, i := range indexes {
		if i < o.first {
			stored = append(stored, i)
		}
	}
	var old []tlog.Hash
	if len(stored) > 0 {
		var err error
		if old, err = o.log.ReadHashes(stored); err != nil {
			return nil, err
		}
	}
	if len(old) != len(stored) {
		return nil, errors.New("the log returned fewer hashes than asked for")
	}
	out := make([]tlog.Hash, 0, len(indexes))
	for _, i := range indexes {
		switch {
		case i < o.first:
			out, old = append(out, old[0]), old[1:]
		case i-o.first < int64(len(o.added)):
			out = append(out, o.added[i-o.first])
		default:
			return nil, fmt.Errorf("stored hash %d is beyond the tree", i)
		}
	}
	return out, nil
}

// looks is how often settle reads anew where another sequencer signs meanwhile.
const looks = 5

// settle makes record and database agree, or refuses. It reads both afresh: after a
// failed write nothing in memory says what became of it.
//
// Where other sequencers sign meanwhile, the order of the reads decides. A record is put
// before its batch is appended, and after the one before it was. So a database that is
// read after a record has at least its base, and a record that is read after the database
// covers at least what was there: what contradicts that is no other sequencer's work.
func (s *Sequencer) settle(ctx context.Context) error {
	r, err := s.lastRecord(ctx)
	if err != nil {
		return err
	}
	for range looks {
		size, checkpoint, err := s.cfg.Log.Head(ctx)
		if err != nil {
			return unavailable("read the head of the log", err)
		}
		switch {
		case size == r.size():
			return s.settleOn(ctx, r, size, checkpoint)
		case size == r.Base:
			if err := s.matches(size, checkpoint, r.Before); err != nil {
				return err
			}
			return s.replay(ctx, r)
		}
		known := r.size()
		if size > known {
			if r, err = s.lastRecord(ctx); err != nil {
				return err
			}
		}
		if size < r.Base || size > r.size() {
			return rolledBack("the database holds %d entries, the record says %d", size, known)
		}
	}
	return unavailable("settle", errMoved)
}

func (s *Sequencer) settleOn(ctx context.Context, r record, size int64, checkpoint []byte) error {
	if err := s.matches(size, checkpoint, r.After); err != nil {
		return err
	}
	s.last, s.settled = r, true
	return nil
}

// errMoved says that another sequencer signs; the next step looks again.
var errMoved = errors.New("another sequencer signs meanwhile")

// matches checks that the database holds exactly the tree that was signed.
func (s *Sequencer) matches(size int64, checkpoint, signed []byte) error {
	if !bytes.Equal(checkpoint, signed) {
		return rolledBack("the database's checkpoint is not the recorded one")
	}
	if size == 0 {
		return nil
	}
	c, err := receipt.VerifyCheckpoint(signed, s.trust)
	if err != nil {
		return audit.Coded(err)
	}
	root, err := tlog.TreeHash(size, s.cfg.Log)
	if err != nil {
		return unavailable("compute the root", err)
	}
	if c.Size != size || c.Root != root {
		return rolledBack("the database's tree is not the signed one")
	}
	return nil
}

// replay appends the recorded batch, byte for byte. The outbox must still hold the
// events that were sealed: in a restored database the same ids may name others.
func (s *Sequencer) replay(ctx context.Context, r record) error {
	if err := s.sameEvents(ctx, r); err != nil {
		return s.unlessMoved(ctx, r.Base, err)
	}
	b, root, err := s.batch(r)
	if err != nil {
		return err
	}
	c, err := receipt.VerifyCheckpoint(r.After, s.trust)
	if err != nil {
		return audit.Coded(err)
	}
	if c.Size != r.size() || c.Root != root {
		return rolledBack("the recorded batch does not lead to its checkpoint")
	}
	return s.commit(ctx, r, b) // puts the record again: the last time may not have been synced
}

// unlessMoved returns why a batch cannot be appended, unless another sequencer has
// appended it meanwhile.
func (s *Sequencer) unlessMoved(ctx context.Context, base int64, why error) error {
	size, _, err := s.cfg.Log.Head(ctx)
	switch {
	case err != nil:
		return unavailable("read the head of the log", err)
	case size != base:
		return unavailable("replay a batch", errMoved)
	}
	return why
}

// sameEvents looks for a record's events in the outbox.
func (s *Sequencer) sameEvents(ctx context.Context, r record) error {
	wanted := map[int64]bool{}
	for _, id := range r.Pending {
		if id != 0 {
			wanted[id] = true
		}
	}
	events, err := s.waiting(ctx, wanted)
	if err != nil {
		return err
	}
	for i, id := range r.Pending {
		if id == 0 {
			continue
		}
		e, ok := events[id]
		if !ok || !sealedAs(e, r.Envelopes[i]) {
			return rolledBack("the outbox no longer holds what was signed as event %d", r.Base+int64(i))
		}
	}
	return nil
}

// waiting returns the wanted events, as far as they wait. They need not be the oldest: a
// transaction that was given an earlier number may have ended later.
func (s *Sequencer) waiting(ctx context.Context, wanted map[int64]bool) (map[int64]receipt.Event, error) {
	events := map[int64]receipt.Event{}
	for n := len(wanted); len(wanted) > 0; n *= 4 {
		oldest, err := s.cfg.Log.Pending(ctx, n)
		if err != nil {
			return nil, unavailable("read the outbox", err)
		}
		for _, p := range oldest {
			if wanted[p.ID] {
				events[p.ID] = p.Event
			}
		}
		if len(events) == len(wanted) || len(oldest) < n {
			break
		}
	}
	return events, nil
}

// sealedAs reports whether an envelope holds an event of the outbox.
func sealedAs(e receipt.Event, envelope []byte) bool {
	env, err := receipt.Open(envelope)
	if err != nil {
		return false
	}
	e.Schema, e.Sequence = env.Event.Schema, env.Event.Sequence
	if e.Time == "" {
		e.Time = env.Event.Time
	}
	waiting, err1 := json.Marshal(e)
	sealed, err2 := json.Marshal(env.Event)
	return err1 == nil && err2 == nil && bytes.Equal(waiting, sealed)
}
