package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
)

// A node signs that working copies under its name are gone when they are not on its disk, so
// no two disks may go by one name. On a shared database a name is therefore leased, to a
// working directory of a running system rather than to a process: a process that takes the
// place of a killed one in its directory has the name at once, and two in one directory
// share it, as they share its copies (workdir's locks tell whose is alive).

// nameTerm is how long a name stays with a node that says nothing more: how long another
// directory waits for the name of a host that is gone.
const nameTerm = 15 * time.Second

// Pauses of the holder of a name and of who waits for it.
const (
	nameKept  = nameTerm / 3
	nameAsked = 500 * time.Millisecond
)

// named is this process's hold on its node's name.
type named struct {
	taken  chan struct{} // closed when another node took the name
	cancel func()        // ends the heartbeats
	ended  chan struct{} // closed once they have ended
	stop   func()        // gives the name up, where no other process in the directory has it
}

// takeName leases the node's name, and keeps it until Close. It waits no longer than the
// lease of a node that is gone lasts; a name that is held longer has a living holder.
// Errors: station.name_taken.
func (s *Station) takeName(ctx context.Context) error {
	if s.cfg.Database == "" {
		return nil // one host, one name, one directory
	}
	where, err := identityOf(s.cfg.WorkDir)
	if err != nil {
		return reason.Because(reason.WorkdirFailed, err)
	}
	dir, err := os.Open(s.cfg.WorkDir)
	if err != nil {
		return reason.Because(reason.WorkdirFailed, err)
	}
	if err := s.awaitName(ctx, queue.RoleNode(s.cfg.Node), where, dir); err != nil {
		return errors.Join(err, dir.Close())
	}
	s.keepName(queue.RoleNode(s.cfg.Node), where, dir)
	return nil
}

func (s *Station) awaitName(ctx context.Context, role, where string, dir *os.File) error {
	again := time.NewTicker(nameAsked)
	defer again.Stop()
	for began := time.Now(); ; {
		ok, err := free(dir, unix.LOCK_SH), error(nil) // not while another process gives the name up
		if ok {
			_, ok, err = s.store.Lead(ctx, role, where, nameTerm)
		}
		if ok || err != nil {
			return err
		}
		waited := time.Since(began)
		if waited > nameTerm+nameAsked {
			return s.nameTaken()
		}
		if waited < nameAsked {
			s.log.Warn("waiting for the name of a node that may be gone")
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (s *Station) nameTaken() error {
	return reason.Because(reason.StationName, fmt.Errorf("the name is %s", s.cfg.Node))
}

// keepName extends the lease until it is told to stop, or finds that another directory got
// the name: this process was not heard for a whole term.
func (s *Station) keepName(role, where string, dir *os.File) {
	ctx, cancel := context.WithCancel(context.Background())
	n := &named{taken: make(chan struct{}), cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(n.ended)
		again := time.NewTicker(nameKept)
		defer again.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-again.C:
			}
			call, done := context.WithTimeout(ctx, nameKept)
			_, ok, err := s.store.Lead(call, role, where, nameTerm)
			done()
			if err == nil && !ok { // a failure that passes leaves the name as it is
				close(n.taken)
				return
			}
		}
	}()
	n.stop = func() {
		cancel()
		<-n.ended
		defer dir.Close()
		if !free(dir, unix.LOCK_EX) {
			return // a process beside this one goes on under the name
		}
		last, done := context.WithTimeout(context.Background(), lastWords)
		defer done()
		if err := s.store.Resign(last, role, where); err != nil {
			s.log.Warn("the node's name was not given up", "reason", reason.Of(err))
		}
	}
	s.name = n
}

// free locks the directory, which those who have its name share, and reports whether others
// let it. Where a file system has no such locks, each goes by itself.
func free(dir *os.File, how int) bool {
	for {
		err := unix.Flock(int(dir.Fd()), how|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			return !errors.Is(err, unix.EWOULDBLOCK)
		}
	}
}

// holdName returns nil once ctx ends, and station.name_taken as soon as another node took
// the name.
func (s *Station) holdName(ctx context.Context) error {
	if s.name == nil {
		return nil
	}
	select {
	case <-s.name.taken:
		return s.nameTaken()
	case <-ctx.Done():
		return nil
	}
}

// ownsName asks whether what lies under the node's name is this disk's at this moment: a
// process that was stopped for long may find that it is another's. Until the answer is used
// a term passes.
func (s *Station) ownsName(ctx context.Context) (bool, error) {
	if s.name == nil {
		return true, nil
	}
	where, err := identityOf(s.cfg.WorkDir)
	if err != nil {
		return false, reason.Because(reason.WorkdirFailed, err)
	}
	_, ok, err := s.store.Lead(ctx, queue.RoleNode(s.cfg.Node), where, nameTerm)
	return ok, err
}

// identityOf names a directory of this system as it runs now: whatever was copied, restored
// or started again elsewhere is another one. It says nothing of the host.
func identityOf(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return "", errors.Join(errors.New("app: look at the working directory"), err)
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil { // then no two processes are known to be on one system
		boot = []byte(document.NewID())
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d\n%d", boot, st.Dev, st.Ino))
	return hex.EncodeToString(sum[:16]), nil
}
