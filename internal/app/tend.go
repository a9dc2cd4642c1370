package app

import (
	"context"
	"errors"
	"time"

	"blotter/internal/config"
	"blotter/internal/queue"
)

// tidyUp puts right what earlier processes left: working copies on this node's disk and,
// where this process is the janitor, leases that ran out and what is stored past its time.
func (s *Service) tidyUp(ctx context.Context) error {
	if meetsDocuments(s.cfg) {
		owns, err := s.ownsName(ctx)
		if err == nil && owns {
			err = s.worker.SweepCopies(ctx)
		}
		if err != nil {
			return err
		}
	}
	if err := s.expire(ctx); err != nil {
		return err
	}
	if leads, err := s.janitor(ctx); err != nil || !leads {
		return err
	}
	if err := errors.Join(s.retention.Expire(ctx), s.removed.Look(ctx)); err != nil {
		return err
	}
	if s.fleet() { // a bucket may hold a million: comb looks through it meanwhile
		return nil
	}
	return s.retention.DeleteUnreferenced(ctx)
}

// Pauses of who looks through all blobs of a fleet for those that nothing refers to.
const (
	// combEvery is the pause between two looks. What a killed worker left there is ciphertext
	// of a job that is under way or of which the key is gone.
	combEvery = time.Hour
	// combAsked is the pause between two questions whether one is due: it is when a process
	// becomes the janitor that never looked.
	combAsked = 5 * time.Second
)

// comb looks through the bucket of a fleet while everything else goes on. One that was cut
// off or failed is begun anew: it deletes as it goes, so that it has less to do then.
func (s *Service) comb(ctx context.Context) error {
	if !s.fleet() {
		return nil
	}
	return s.every(ctx, combing, combAsked, s.combWhereDue)
}

func (s *Service) combWhereDue(ctx context.Context) error {
	if !s.combed.IsZero() && time.Since(s.combed) < combEvery {
		return nil
	}
	if leads, err := s.janitor(ctx); err != nil || !leads {
		return err
	}
	began := time.Now()
	if err := s.retention.DeleteUnreferenced(ctx); err != nil {
		return err
	}
	s.combed = began
	s.log.Info("the bucket was looked through", "duration", time.Since(began))
	return nil
}

// tidyUpFirst tidies up before anything is taken in. What passes is waited out, as later: a
// node that starts beside a database that fails for a moment need not end for it. Once ctx
// has ended there is no error: the rest ends by itself.
func (s *Service) tidyUpFirst(ctx context.Context) error {
	again := time.NewTicker(idle)
	defer again.Stop()
	t := s.troubles(tidying)
	for {
		err := s.tidyUp(ctx)
		if err == nil || ctx.Err() != nil {
			t.over()
			return nil
		}
		if err := t.met(err); err != nil {
			return err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func (s *Service) expire(ctx context.Context) error {
	if leads, err := s.janitor(ctx); err != nil || !leads {
		return err
	}
	return s.worker.ExpireLeases(ctx)
}

// janitor reports whether this process is to expire leases and what is stored. On a
// database that one host has, each does: two do no harm, and nobody waits for a term.
func (s *Service) janitor(ctx context.Context) (bool, error) {
	if !s.cfg.Serve.Has(config.RoleRetention) {
		return false, nil
	}
	if !s.fleet() {
		s.leads(queue.RoleJanitor, true)
		return true, nil
	}
	// A dead janitor's term ends before the leases of its node do. It is extended at half
	// of it, because tendLeases asks at a quarter of a lease.
	_, ok, err := s.store.Lead(ctx, queue.RoleJanitor, s.holder, s.cfg.Lease/2)
	if ctx.Err() == nil { // who is told to stop has retired, or is about to
		s.leads(queue.RoleJanitor, err == nil && ok)
	}
	return ok, err
}

// retire lets another node be the janitor at once.
func (s *Service) retire() {
	if s.fleet() && s.cfg.Serve.Has(config.RoleRetention) {
		s.resign(queue.RoleJanitor)
	}
	s.leads(queue.RoleJanitor, false)
}

// listenAgain is the pause after hints have stopped coming; everybody polls meanwhile.
const listenAgain = time.Second

// listen passes the hints of other nodes on to those who wait here.
func (s *Service) listen(ctx context.Context) error {
	again := time.NewTicker(listenAgain)
	defer again.Stop()
	for {
		came := time.AfterFunc(2*listenAgain, func() { s.outages.note(listening, nil) })
		err := s.store.Watch(ctx, s.heard)
		came.Stop()
		if ctx.Err() != nil {
			return nil
		}
		s.outages.note(listening, err)
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func (s *Service) heard(n queue.Notice) {
	if n.Job == "" {
		s.wakeSequencer()
		signal(s.work)
		return
	}
	s.changes.moved(n.Job)
	signal(s.ended)
}
