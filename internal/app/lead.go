package app

import (
	"context"
	"errors"
	"sync"
	"time"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// errNotElected says that another process has a role.
var errNotElected = errors.New("app: another process has this role")

// leadingTerm is how long a role stays with a node that says nothing more: how long nothing
// is sealed when the sequencer's node dies. It is extended at a third of it.
const leadingTerm = 6 * time.Second

// holder names this process in elections. Two of one node are two.
func (s *Station) newHolder() string { return s.cfg.Node + "/" + string(document.NewID()) }

// leading runs do while this process has a role, and gives the role up afterwards. It
// returns errNotElected where another has it, or took it because this process could not be
// heard for a whole term by its own monotonic clock. What do may still write then is safe
// by itself (queue.Leaders).
func (s *Station) leading(ctx context.Context, role string, do func(context.Context) error) error {
	asked := time.Now()
	if _, ok, err := s.store.Lead(ctx, role, s.holder, leadingTerm); err != nil {
		return err
	} else if !ok {
		return errNotElected
	}
	kept, cancel := context.WithCancelCause(ctx)
	extending := make(chan struct{})
	go func() {
		defer close(extending)
		cancel(s.extend(kept, role, asked.Add(leadingTerm)))
	}()
	err := do(kept)
	lost := errors.Is(context.Cause(kept), errNotElected)
	cancel(nil)
	<-extending
	if lost {
		return errors.Join(err, errNotElected)
	}
	s.resign(role)
	return err
}

// extend keeps the role, which is this process's until deadline, and returns why it is no
// more.
func (s *Station) extend(ctx context.Context, role string, deadline time.Time) error {
	again := time.NewTicker(leadingTerm / 3)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-again.C:
		}
		asked := time.Now()
		call, done := context.WithDeadline(ctx, deadline)
		_, ok, err := s.store.Lead(call, role, s.holder, leadingTerm)
		done()
		switch {
		case err == nil && ok:
			deadline = asked.Add(leadingTerm)
		case err == nil, !time.Now().Before(deadline):
			return errNotElected
		}
	}
}

// leads notes that this process has a role now, or has it no more, and tells of the change.
func (s *Station) leads(role string, has bool) {
	s.roles.mu.Lock()
	defer s.roles.mu.Unlock()
	if s.roles.has[role] == has {
		return
	}
	if s.roles.has == nil {
		s.roles.has = map[string]bool{}
	}
	s.roles.has[role] = has
	if has {
		s.log.Info("role gained", "role", role)
	} else {
		s.log.Info("role lost", "role", role)
	}
	if s.roles.tell != nil {
		s.roles.tell(role, has)
	}
}

// roles are those that this process has, of queue.Roles.
type roles struct {
	mu   sync.Mutex
	has  map[string]bool
	tell func(role string, has bool) // of each change; nil: nobody
}

// resign lets others take over at once. Where it fails they wait for the term's end.
func (s *Station) resign(role string) {
	ctx, done := context.WithTimeout(context.Background(), lastWords)
	defer done()
	if err := s.store.Resign(ctx, role, s.holder); err != nil {
		s.log.Warn("a role was not given up", "role", role, "reason", reason.Of(err))
	}
}
