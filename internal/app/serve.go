package app

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"blotter/internal/config"
	"blotter/internal/document"
	"blotter/internal/ops"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/worker"
)

// Listeners are where a service listens.
type Listeners struct {
	API net.Listener // nil where the node has not that role
	Ops net.Listener // nil: none
}

// Serve runs the service until ctx ends: of API, workers, janitor and sealing what the node
// has the role of, and the private listener. Then nothing new is claimed or taken in;
// requests and documents under way may finish within the grace time, after which jobs go
// back into the queue; the trail is sealed last. The error is nil after an ordinary stop.
func (s *Service) Serve(ctx context.Context, l Listeners) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	context.AfterFunc(ctx, func() { close(s.stopped) })
	sealing, stopSealing := context.WithCancel(context.WithoutCancel(ctx))
	defer stopSealing()
	following, stopFollowing := context.WithCancel(context.WithoutCancel(ctx))
	defer stopFollowing()
	var sealer, follower, others sync.WaitGroup
	run := func(wg *sync.WaitGroup, ctx context.Context, do func(context.Context) error) {
		wg.Go(func() {
			if err := do(ctx); err != nil {
				cancel(err)
			}
		})
	}
	has := s.cfg.Serve.Has
	if has(config.RoleAudit) {
		run(&sealer, sealing, s.seal)
	}
	run(&others, ctx, s.holdName)
	if err := s.tidyUpFirst(ctx); err != nil {
		cancel(err)
		others.Wait()
		stopSealing()
		sealer.Wait()
		return err
	}
	working, stopWorking := s.graceful(ctx)
	defer stopWorking()
	s.runner.until = working.Done()
	if has(config.RoleWorker) {
		for range s.slots.Claimants() {
			run(&others, ctx, s.shares(working))
		}
		for range s.cfg.Serve.InteractiveWorkers {
			run(&others, ctx, s.claims(working, worker.Want{Lane: document.Interactive}))
		}
	}
	run(&others, ctx, s.tend)
	run(&others, ctx, s.tendLeases)
	run(&others, ctx, s.comb)
	run(&follower, following, s.listen)
	run(&follower, following, s.follow)
	if has(config.RoleAPI) {
		if len(s.cfg.Webhooks.Endpoints) > 0 {
			run(&others, ctx, s.dispatch(working))
		}
		run(&others, ctx, func(ctx context.Context) error { return s.api.Serve(ctx, l.API) })
	}
	if l.Ops != nil { // whoever watches sees the service until it has stopped
		run(&follower, following, func(ctx context.Context) error { return ops.Serve(ctx, l.Ops, s.ops) })
	}
	others.Wait()
	s.runner.work.Wait() // requests were cut off, but what they began is winding up
	stopFollowing()
	follower.Wait()
	err := s.lastSeal(sealing)
	stopSealing()
	sealer.Wait()
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause // why all was stopped
	}
	return err
}

// graceful returns a context that outlives ctx by the grace time.
func (s *Service) graceful(ctx context.Context) (context.Context, context.CancelFunc) {
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() { time.AfterFunc(s.cfg.API.Grace, stop) })
	return working, stop
}

// lastSeal seals what the stopping process still has to say.
func (s *Service) lastSeal(sealing context.Context) error {
	if !s.cfg.Serve.Has(config.RoleAudit) {
		return nil // other nodes seal it
	}
	last, enough := context.WithTimeoutCause(sealing, lastWords, errSealing)
	defer enough()
	if err := s.drain(last); err != nil {
		s.log.Warn("events wait for the next start", "reason", reason.Of(err))
	}
	return nil
}

// idle is how often a worker that found nothing looks again without having been woken:
// another process may have enqueued, or a pause may be over.
const idle = 250 * time.Millisecond

// claims returns the loop of one worker with a place of its own: it claims while its
// context lives, and works under the other, which lives longer.
func (s *Service) claims(working context.Context, want worker.Want) func(context.Context) error {
	return s.repeat(func(context.Context) error {
		_, err := s.worker.Next(working, want)
		return err
	}, working)
}

// shares returns the loop of a worker that shares the node's places: before it claims, a
// parked job may be the one whose turn it is. When the node stops, those that are parked
// come to their end first.
func (s *Service) shares(working context.Context) func(context.Context) error {
	loop := s.repeat(func(ctx context.Context) error {
		place, err := s.slots.Take(ctx)
		if err != nil {
			return nil // the loop is over
		}
		defer place.Give()
		if s.worker.Resume(ctx, place) {
			return nil
		}
		_, err = s.worker.Next(working, worker.Want{Place: place})
		return err
	}, working)
	return func(ctx context.Context) error {
		err := loop(ctx)
		s.slots.Close()
		s.slots.Drain(working)
		return err
	}
}

// repeat returns the loop around one claim: again at once after a job, and otherwise when
// there may be work.
func (s *Service) repeat(claim func(context.Context) error, working context.Context) func(context.Context) error {
	return func(ctx context.Context) error {
		again := time.NewTicker(idle)
		defer again.Stop()
		t := s.troubles(claiming)
		for ctx.Err() == nil {
			err := claim(ctx)
			if err == nil {
				t.over()
				continue
			}
			if working.Err() != nil {
				return nil
			}
			if errors.Is(err, queue.ErrNoJob) {
				t.over()
			} else if err := t.met(err); err != nil {
				return err
			}
			select {
			case <-s.work:
			case <-again.C:
			case <-ctx.Done():
			}
		}
		return nil
	}
}

// sweepEvery is how often what is over is destroyed.
const sweepEvery = time.Minute

// tend looks after this node's disk and, where it is the janitor, after what all nodes
// share.
func (s *Service) tend(ctx context.Context) error { return s.every(ctx, tidying, sweepEvery, s.tidyUp) }

// tendLeases has a loop of its own, because looking through all that is stored may take
// longer than a lease.
func (s *Service) tendLeases(ctx context.Context) error {
	defer s.retire()
	return s.every(ctx, expiring, s.cfg.Lease/4, s.expire)
}

// failedAgain is the longest pause after a failure of what is done now and then.
const failedAgain = 5 * time.Second

// every does something again and again, until ctx ends or a failure that will not pass.
func (s *Service) every(ctx context.Context, what string, d time.Duration, do func(context.Context) error) error {
	again := time.NewTimer(d)
	defer again.Stop()
	t := s.troubles(what)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-again.C:
		}
		err := do(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err := t.met(err); err != nil {
			return err
		}
		if err != nil {
			again.Reset(min(d, failedAgain))
		} else {
			again.Reset(d)
		}
	}
}

// follow looks at jobs that moved: a cancelled one takes its cell with it, and all that was
// kept for it; of one that has ended the time of its seal is told, which nobody knows
// before. It goes on while requests and documents under way finish, and looks at those
// that are left when ctx ends.
func (s *Service) follow(ctx context.Context) error {
	going := context.WithoutCancel(ctx)
	for {
		select {
		case m := <-s.moved:
			s.look(going, m)
			continue
		default:
		}
		select {
		case m := <-s.moved:
			s.look(going, m)
		case <-ctx.Done():
			return nil
		}
	}
}

func (s *Service) look(ctx context.Context, m move) {
	j, err := s.store.Job(ctx, m.job)
	switch {
	case err != nil: // a cancelled job is met by its worker's next heartbeat, and by the janitor
	case j.State == document.Cancelled || j.Target == document.Cancelled:
		s.bury(ctx, m.job)
	case m.sealed:
		s.meter.Stage(document.StageSeal, j.State, j.SealTime, s.cfg.Budgets.Exceeded(document.StageSeal, j.SealTime))
	}
}

// bury ends the work on a cancelled job and destroys its data.
func (s *Service) bury(ctx context.Context, id document.ID) {
	for _, w := range []*worker.Worker{s.worker, s.runner.worker} {
		w.Drop(id)()
	}
	s.destroyAll(ctx, id)
}
