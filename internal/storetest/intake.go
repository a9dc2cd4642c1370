package storetest

import (
	"errors"
	"time"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/vault"
	"blotter/receipt"
)

// Wide bounds no backlog.
var Wide = queue.Backlog{Tenant: 1 << 20, Total: 1 << 20}

// again asks for a key as a client does.
func (s *suite) again(key string) (queue.Reservation, *queue.Accepted, error) {
	r := queue.Reservation{Tenant: document.Local, Key: key, Job: document.NewID()}
	return s.Other.Reserve(s.ctx, r, time.Minute, Wide, receipt.Event{})
}

// reserve takes a key for a minute.
func (s *suite) reserve(key string) queue.Reservation {
	s.Helper()
	held, known, err := s.again(key)
	if err != nil || known != nil {
		s.Fatalf("known as %+v, %v", known, err)
	}
	return held
}

// upload reserves a key and makes the data keys that a request makes.
func (s *suite) upload(key string) queue.Reservation {
	s.Helper()
	r := s.reserve(key)
	s.putKey(r.Job, vault.Upload)
	s.putKey(r.Job, vault.Task)
	return r
}

func (s *suite) accept(r queue.Reservation) document.ID {
	s.Helper()
	j := NewJob()
	j.ID, j.Tenant, j.Sealed = r.Job, r.Tenant, []byte("order")
	_, err := s.Store.Accept(s.ctx, r, "print", j, receipt.Event{})
	s.must(err)
	return j.ID
}

// A request that is repeated gets its first answer; one whose upload was cut gets its turn
// as soon as the reservation has run out.
func intakeIsRemembered(s *suite) {
	id := s.accept(s.reserve("done"))
	cut := s.reserve("cut")
	if _, known, err := s.again("done"); err != nil || known == nil || known.Job != id || known.Fingerprint != "print" {
		s.Errorf("known as %+v, %v", known, err)
	}
	if _, _, err := s.again("cut"); !errors.Is(err, queue.ErrInProgress) {
		s.Errorf("before it ran out: %v", err)
	}
	s.Advance(time.Minute)
	if r, _, err := s.again("cut"); err != nil || r.Token <= cut.Token {
		s.Errorf("after it ran out: %+v, %v", r, err)
	}
}

// What a request made is not touched while its reservation holds, and is the retention's
// the moment it does not: there is nothing to wait for.
func keysLiveWithTheirReservation(s *suite) {
	for name, end := range map[string]func(*suite, queue.Reservation){
		"ran out":   func(s *suite, _ queue.Reservation) { s.Advance(time.Minute) },
		"abandoned": func(s *suite, r queue.Reservation) { s.must(s.Store.Abandon(s.ctx, r)) },
		"ended":     func(s *suite, r queue.Reservation) { s.must(s.Other.EndReservation(s.ctx, r.Job)) },
		"taken over": func(s *suite, r queue.Reservation) {
			s.Advance(time.Minute)
			s.accept(s.reserve(r.Key))
		},
	} {
		s.each(name, func(s *suite) {
			r := s.upload("k")
			for range 100 { // longer than the grace of a key without a reservation
				s.Advance(50 * time.Second)
				_, err := s.Store.Renew(s.ctx, r, time.Minute)
				s.must(err)
			}
			s.expired()
			end(s, r)
			s.expired(vault.Task, vault.Upload)
		})
	}
}

// An ended reservation is remembered until its keys are destroyed, and not longer; a
// living one is never forgotten.
func endedReservationsAreForgotten(s *suite) {
	lost := s.upload("lost")
	s.reserve("bare")
	s.Advance(time.Minute)
	living := s.reserve("living")
	forget := func(left int) {
		s.Helper()
		s.must(s.Store.ForgetReservations(s.ctx, deletedUpload))
		if n, err := s.Count("SELECT count(*) FROM reservations"); n != left || err != nil {
			s.Errorf("%d reservations are left, %v; want %d", n, err, left)
		}
	}
	for _, class := range []vault.Class{vault.Upload, vault.Task} {
		forget(2)
		s.destroy(lost.Job, class)
	}
	forget(1)
	s.accept(living)
	forget(0)
	s.must(s.Store.EndReservation(s.ctx, living.Job)) // one that is not there is no error
}

func deletedUpload(id document.ID) receipt.Event {
	return receipt.Event{Kind: receipt.Deleted, Job: string(id), Artifact: &receipt.Artifact{ID: string(id), Class: "upload"}}
}

// Every upload that the trail announces ends there too, also one that was never begun.
func announcedUploadsEndOnRecord(s *suite) {
	staged := func(key string) queue.Reservation {
		r := queue.Reservation{Tenant: document.Local, Key: key, Job: document.NewID()}
		held, _, err := s.Store.Reserve(s.ctx, r, time.Minute, Wide, receipt.Event{Kind: receipt.Staged, Job: string(r.Job)})
		s.must(err)
		return held
	}
	never, begun := staged("never"), staged("begun")
	s.reserve("a reference announces nothing")
	s.putKey(begun.Job, vault.Upload)
	s.Advance(2 * time.Minute)
	s.must(s.Store.DestroyKey(s.ctx, begun.Job, vault.Upload, deletedUpload(begun.Job)))
	forget := func(store Store) func() error {
		return func() error { return store.ForgetReservations(s.ctx, deletedUpload) }
	}
	// Two janitors at once, and a second time when there is nothing to tell.
	s.must(errors.Join(together(forget(s.Store), forget(s.Other))...))
	s.must(forget(s.Store)())
	ends := map[string]int{}
	for _, p := range s.pending() {
		if p.Event.Kind == receipt.Deleted {
			ends[p.Event.Job]++
		}
	}
	if len(ends) != 2 || ends[string(never.Job)] != 1 || ends[string(begun.Job)] != 1 {
		s.Errorf("the ends on record are %v", ends)
	}
}

// Whoever destroys a key of a request ends its reservation in the same step, so that no
// job is accepted whose document or order is gone.
func noJobIsAcceptedWithoutItsKeys(s *suite) {
	for _, class := range []vault.Class{vault.Upload, vault.Task} {
		r := s.upload("k")
		s.destroy(r.Job, class)
		j := NewJob()
		j.ID = r.Job
		if _, err := s.Other.Accept(s.ctx, r, "print", j, receipt.Event{}); !errors.Is(err, queue.ErrLeaseLost) {
			s.Errorf("without its %s key: %v", class, err)
		}
	}
	s.reserve("k") // and its key is free
}

// A job whose document was destroyed is not replayed.
func replayNeedsTheDocument(s *suite) {
	id := s.accept(s.upload(""))
	s.end(id, document.Dead, nil)
	s.seal()
	s.destroy(id, vault.Upload)
	if _, err := s.Store.Replay(s.ctx, id, tellNothing); reason.Of(err) != reason.JobNoReplay {
		s.Errorf("replayed: %v", err)
	}
}

// A key that a delivery set free belongs to the next job, even where the first is replayed.
func replayGivesUpAFreedKey(s *suite) {
	add := func(j queue.Job, want document.ID) {
		s.Helper()
		j.Key = "k"
		if got, _, err := s.Store.Enqueue(s.ctx, j, receipt.Event{}); err != nil || got.ID != want {
			s.Fatalf("the key gave %s, %v; want %s", got.ID, err, want)
		}
	}
	first, second := NewJob(), NewJob()
	first.Sealed = []byte("order")
	add(first, first.ID)
	s.end(first.ID, document.Dead, nil)
	s.seal()
	s.must(s.Store.Deliver(s.ctx, first.ID))
	add(second, second.ID)
	_, err := s.Store.Replay(s.ctx, first.ID, tellNothing)
	s.must(err)
	add(NewJob(), second.ID)
}
