package storetest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/vault"
	"blotter/receipt"
)

func (s *suite) putKey(job document.ID, c vault.Class) {
	s.Helper()
	_, err := s.Store.PutKey(s.ctx, job, c, []byte("k"))
	s.must(err)
}

func (s *suite) destroy(job document.ID, c vault.Class) {
	s.Helper()
	s.must(s.Store.DestroyKey(s.ctx, job, c, receipt.Event{Kind: receipt.Deleted}))
}

// expired checks the classes of the keys that are to be destroyed now.
func (s *suite) expired(want ...vault.Class) {
	s.Helper()
	var got []vault.Class
	for _, k := range s.expiredKeys() {
		got = append(got, k.Class)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		s.Errorf("expired: %v, want %v", got, want)
	}
}

func (s *suite) expiredKeys() []vault.KeyName {
	s.Helper()
	now, err := s.Other.Now(s.ctx)
	s.must(err)
	keys, err := s.Other.ExpiredKeys(s.ctx, now, 10)
	s.must(err)
	return keys
}

func putKeyKeepsTheFirst(s *suite) {
	job := document.NewID()
	if _, err := s.Store.Key(s.ctx, job, vault.Original); reason.Of(err) != reason.VaultKeyGone {
		s.Errorf("a key that was never made: %v", err)
	}
	for _, wrapped := range []string{"first", "second"} {
		got, err := s.Store.PutKey(s.ctx, job, vault.Original, []byte(wrapped))
		if err != nil || string(got) != "first" {
			s.Errorf("put %s: %s, %v", wrapped, got, err)
		}
	}
	got, err := s.Store.PutKey(s.ctx, job, vault.Derivative, []byte("another class"))
	if err != nil || string(got) != "another class" {
		s.Errorf("%s, %v", got, err)
	}
	if got, err := s.Other.Key(s.ctx, job, vault.Original); err != nil || string(got) != "first" {
		s.Errorf("read %s, %v", got, err)
	}
}

// Whoever makes a key at the same time as others works with the one that is stored.
func putKeyRaceHasOneKey(s *suite) {
	job := document.NewID()
	got := make([]string, 8)
	var calls []func() error
	for i := range got {
		store := []Store{s.Store, s.Other}[i%2]
		calls = append(calls, func() error {
			wrapped, err := store.PutKey(s.ctx, job, vault.Original, fmt.Append(nil, "key ", i))
			got[i] = string(wrapped)
			return err
		})
	}
	s.must(errors.Join(together(calls...)...))
	stored, err := s.Store.Key(s.ctx, job, vault.Original)
	s.must(err)
	for i, one := range got {
		if one != string(stored) {
			s.Errorf("caller %d works with %q, stored is %q", i, one, stored)
		}
	}
}

func keyIsDestroyedOnce(s *suite) {
	job := document.NewID()
	s.putKey(job, vault.Original)
	s.putKey(job, vault.Derivative)
	s.destroy(job, vault.Original)
	s.told(receipt.Deleted)
	deleted := receipt.Event{Kind: receipt.Deleted}
	if err := s.Other.DestroyKey(s.ctx, job, vault.Original, deleted); reason.Of(err) != reason.VaultKeyGone {
		s.Errorf("destroyed twice: %v", err)
	}
	if err := s.Other.DestroyKey(s.ctx, document.NewID(), vault.Original, deleted); reason.Of(err) != reason.VaultKeyGone {
		s.Errorf("what never was is destroyed: %v", err)
	}
	if _, err := s.Other.PutKey(s.ctx, job, vault.Original, []byte("k")); reason.Of(err) != reason.VaultKeyGone {
		s.Errorf("made anew: %v", err)
	}
	if _, err := s.Other.Key(s.ctx, job, vault.Original); reason.Of(err) != reason.VaultKeyGone {
		s.Errorf("read after its destruction: %v", err)
	}
	if _, err := s.Other.Key(s.ctx, job, vault.Derivative); err != nil {
		s.Errorf("the key of another class: %v", err)
	}
	s.told(receipt.Deleted)
}

// However destruction meets late workers that make the key, and a second destruction: it
// is told once, and afterwards there is no key.
func destroyedKeyNeverComesBack(s *suite) {
	const rounds = 20
	for n := range rounds {
		job := document.NewID()
		s.putKey(job, vault.Original)
		put := func(store Store) func() error {
			return func() error {
				_, err := store.PutKey(s.ctx, job, vault.Original, []byte("k"))
				if reason.Of(err) == reason.VaultKeyGone {
					return nil // late, and told so
				}
				return err
			}
		}
		destroyed := 0
		destroy := func() error {
			return s.Other.DestroyKey(s.ctx, job, vault.Original, receipt.Event{Kind: receipt.Deleted})
		}
		errs := together(put(s.Store), put(s.Other), put(s.Store), destroy, destroy)
		s.must(errors.Join(errs[:3]...))
		for _, err := range errs[3:] {
			if err == nil {
				destroyed++
			} else if reason.Of(err) != reason.VaultKeyGone {
				s.Fatal(err)
			}
		}
		if destroyed != 1 {
			s.Fatalf("destroyed %d times", destroyed)
		}
		if _, err := s.Store.Key(s.ctx, job, vault.Original); reason.Of(err) != reason.VaultKeyGone {
			s.Fatalf("round %d: the key came back: %v", n, err)
		}
	}
	if told := len(s.pending()); told != rounds {
		s.Errorf("told %d times, want %d", told, rounds)
	}
}

func keysExpire(s *suite) {
	kept, due := s.enqueue(), s.enqueue()
	s.putKey(kept, vault.Original)
	s.putKey(due, vault.Original)
	s.putKey(document.NewID(), vault.Task) // its job may still be on its way
	s.end(due, document.Released, map[string]time.Duration{"original": time.Hour})
	s.must(s.Store.Deliver(s.ctx, due))
	s.expired()
	s.Advance(59 * time.Minute)
	s.expired()
	orphan := document.NewID()
	s.putKey(orphan, vault.Derivative)
	s.Advance(2 * time.Minute)
	of := func(job document.ID) func(vault.KeyName) bool {
		return func(k vault.KeyName) bool { return k.Job == job }
	}
	if got := s.expiredKeys(); len(got) != 2 || !slices.ContainsFunc(got, of(due)) || slices.ContainsFunc(got, of(orphan)) {
		s.Errorf("expired: %v; want that of %s and the first orphan", got, due)
	}
	s.Advance(2 * time.Hour)
	if got := s.expiredKeys(); len(got) != 3 || slices.ContainsFunc(got, of(kept)) {
		s.Errorf("expired: %v", got)
	}
	now, err := s.Store.Now(s.ctx)
	s.must(err)
	if got, err := s.Store.ExpiredKeys(s.ctx, now, 2); len(got) != 2 || err != nil {
		s.Errorf("at most two: %v, %v", got, err)
	}
}

// A result that nobody has fetched yet outlasts its expiry, but not for ever.
func undeliveredResultIsSpared(s *suite) {
	for _, target := range []document.State{document.Released, document.AwaitingReview} {
		s.each(string(target), func(s *suite) {
			id := s.enqueue()
			s.putKey(id, vault.Derivative)
			s.putKey(id, vault.Original)
			s.end(id, target, map[string]time.Duration{"derivative": time.Hour, "original": 0})
			s.expired() // while it is being sealed
			s.seal()
			s.Advance(30*24*time.Hour - time.Minute)
			s.expired()
			s.Advance(time.Minute)
			s.expired(vault.Original)
			s.Advance(time.Hour)
			s.expired(vault.Derivative, vault.Original)
		})
	}
}

// A delivery counts what is kept anew, once; a second one prolongs nothing.
func deliveryDatesAnew(s *suite) {
	id := s.enqueue()
	s.putKey(id, vault.Derivative)
	s.putKey(id, vault.Original)
	s.end(id, document.Released, map[string]time.Duration{"derivative": time.Hour, "original": 30 * time.Minute})
	s.seal()
	s.Advance(7 * 24 * time.Hour)
	s.must(s.Store.Deliver(s.ctx, id))
	s.Advance(29 * time.Minute)
	s.expired()
	s.must(s.Store.Deliver(s.ctx, id))
	s.Advance(2 * time.Minute)
	s.expired(vault.Original)
	s.Advance(30 * time.Minute)
	s.expired(vault.Derivative, vault.Original)
}

// An order that nobody comes for is destroyed, key and ciphertext: of a job that still
// waits, and of a dead one. What an earlier attempt left is then of no use either.
func ordersDoNotWaitForEver(s *suite) {
	for _, dead := range []bool{false, true} {
		s.each(fmt.Sprint("dead ", dead), func(s *suite) {
			j := NewJob()
			j.Sealed = []byte("sealed order")
			s.putKey(j.ID, vault.Task)
			s.putKey(j.ID, vault.Derivative)
			s.Advance(time.Minute)
			_, _, err := s.Store.Enqueue(s.ctx, j, receipt.Event{})
			s.must(err)
			if dead {
				s.end(j.ID, document.Dead, nil)
				s.seal()
			}
			s.Advance(30*24*time.Hour - 2*time.Minute)
			s.expired()
			s.Advance(time.Minute)
			s.expired(vault.Task)
			if got, err := s.Other.Job(s.ctx, j.ID); err != nil || string(got.Sealed) != "sealed order" {
				s.Errorf("the order is %q, %v", got.Sealed, err)
			}
			s.destroy(j.ID, vault.Task)
			if got, err := s.Other.Job(s.ctx, j.ID); err != nil || got.Sealed != nil {
				s.Errorf("without its key, the order is still %q, %v", got.Sealed, err)
			}
			s.expired(vault.Derivative)
		})
	}
}

// Only who holds the lease dates keys: a stale worker would cut the life of what the
// job's holder makes.
func staleWorkerDatesNoKey(s *suite) {
	id := s.enqueue()
	s.putKey(id, vault.Derivative)
	stale := s.lend(id)
	s.Advance(time.Hour)
	_, err := s.Store.Expire(s.ctx, tellNothing)
	s.must(err)
	s.lend(id)
	o := queue.Outcome{Target: document.Released, Keep: map[string]time.Duration{"derivative": 0}}
	if err := s.Store.Finish(s.ctx, stale, o); !errors.Is(err, queue.ErrLeaseLost) {
		s.Errorf("a stale worker ended the job: %v", err)
	}
	s.Advance(365 * 24 * time.Hour)
	s.expired()
}

// A process that died between a job's end and the destruction of its keys leaves them to
// the retention: all of a rejected job, the task of a released one, none of a dead one.
func keysOfEndedJobs(s *suite) {
	for state, want := range map[document.State][]vault.Class{
		document.Rejected: {vault.Derivative, vault.Task}, document.Released: {vault.Task}, document.Dead: nil,
	} {
		s.each(string(state), func(s *suite) {
			id := s.enqueue()
			s.putKey(id, vault.Task)
			s.putKey(id, vault.Derivative)
			s.expired()
			s.end(id, state, nil)
			s.expired() // not before its end is on record
			s.seal()
			s.expired(want...)
		})
	}
}

// Every key of a cancelled job is to be destroyed once its end is on record; so are those
// of a dead job that was discarded. What a replayed one has, it needs.
func keysOfCancelledJobs(s *suite) {
	cancel := func(s *suite, id document.ID) {
		_, err := s.Store.Cancel(s.ctx, id, tellNothing)
		s.must(err)
	}
	for name, act := range map[string]func(*suite, document.ID){
		"queued": cancel,
		"leased": func(s *suite, id document.ID) {
			s.lend(id)
			cancel(s, id)
		},
		"discarded": func(s *suite, id document.ID) {
			s.end(id, document.Dead, nil)
			s.seal()
			s.expired()
			_, err := s.Store.Replay(s.ctx, id, tellNothing)
			s.must(err)
			s.expired()
			s.end(id, document.Dead, nil)
			s.seal()
			_, err = s.Store.Discard(s.ctx, id, tellNothing)
			s.must(err)
		},
	} {
		s.each(name, func(s *suite) {
			id := s.accept(s.upload(""))
			s.putKey(id, vault.Derivative)
			s.putKey(id, vault.Original)
			act(s, id)
			s.expired()
			s.seal()
			s.expired(vault.Derivative, vault.Original, vault.Task, vault.Upload)
		})
	}
}

// A document lives as long as its policy says after the job's end, or a month where it
// says nothing or the job never ends. So does its result: the service calls none delivered.
func uploadsAreDated(s *suite) {
	id := s.accept(s.upload(""))
	s.putKey(id, vault.Derivative)
	s.end(id, document.Released, map[string]time.Duration{"upload": time.Hour, "derivative": time.Hour})
	s.seal()
	s.destroy(id, vault.Task)
	s.Advance(59 * time.Minute)
	s.expired()
	s.Advance(time.Minute)
	s.expired(vault.Derivative, vault.Upload)

	for _, state := range []document.State{document.Queued, document.Dead} {
		s.each(string(state), func(s *suite) {
			id := s.accept(s.upload(""))
			if state == document.Dead {
				s.end(id, state, nil)
				s.seal()
			}
			s.Advance(30*24*time.Hour - time.Minute)
			s.expired()
			s.Advance(time.Minute)
			s.expired(vault.Task, vault.Upload)
			// Without its document a job cannot be worked on: the order is of no use either.
			s.destroy(id, vault.Upload)
			s.Advance(-time.Hour)
			s.expired(vault.Task)
		})
	}
}
