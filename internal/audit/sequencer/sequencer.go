// Package sequencer alone holds the signing key. It takes events out of the outbox in
// their order, numbers them without gaps, signs them, integrates them into a Merkle
// tree (RFC 6962) and signs a checkpoint over it.
//
// Guarantees:
//
//   - One sequencer at a time in a directory: it holds a lock on a file there. On several
//     hosts, who is elected is decided elsewhere and does not matter to the log: records
//     that are shared are made once for each base, so that of two who sign the same
//     numbers one finds them taken, and takes up what the other signed.
//   - One history. Before a batch goes into the database it is written, with its
//     checkpoint, to a record outside the database (Records). A crash in between is
//     settled at the next start by appending the very same bytes. A database that is
//     older than the record (a restored backup), newer, or different is refused with
//     audit.log_rolled_back: nothing is ever signed beside what was signed before.
//   - Every new tree is proven to extend the last signed one before it is signed.
//
// It does not defend against somebody who holds the directory: he has the key.
package sequencer

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"blotter/internal/audit"
	"blotter/internal/document"
	"blotter/internal/durable"
	"blotter/internal/reason"
	"blotter/receipt"
	"golang.org/x/sys/unix"
)

// Names of the files in the sequencer's directory.
const (
	TrustFile   = "trust.json" // public: the trust list, for whoever verifies
	keyFile     = "signing.key"
	nextKeyFile = "next.key" // of a rotation under way
	recordFile  = "log.record"
	lockFile    = "sequencer.lock"
)

const (
	// maxBatch bounds the events of one step. A batch is held in memory and written
	// twice; an event is mostly a few KiB, so a full batch stays under a MiB or so.
	maxBatch = 128

	// pollInterval is how often Run looks for events of other processes, which cannot
	// wake it. It bounds the wait of a command beside a running service.
	pollInterval = 500 * time.Millisecond
)

// ErrNotElected is returned by Open where another process is the sequencer.
var ErrNotElected = errors.New("sequencer: another process holds the signing key")

// Config says where the sequencer lives and what it signs.
type Config struct {
	Dir string           // private directory, made with mode 0700 where missing
	Log audit.Log        // outbox, entries and tree
	Now func() time.Time // time of key events, and of events that came without one

	Key     string  // path of the signing key; empty: in Dir
	Records Records // what was signed last, shared with other hosts; nil: a file in Dir
	// Identify is asked, before anything is signed, whether the key that calls itself so may
	// sign here (see Identity); nil: every key may.
	Identify func(ctx context.Context, identity string) error

	// Stepped is told of every step of Run: of one that failed, and will be tried again, its
	// error; nil: nobody is.
	Stepped func(error)
	// Sealed is told of the job of each event that was sealed, and of the state that the
	// job moved to with it, if it did; nil: nobody is. It must not block.
	Sealed func(document.ID, document.State)
}

// Sequencer numbers and signs. Its methods may be called concurrently.
type Sequencer struct {
	cfg  Config
	lock *os.File

	mu      sync.Mutex
	key     ed25519.PrivateKey
	trust   receipt.TrustList
	last    record // what the record file holds, once settled
	settled bool   // record, database and keys are known to agree
}

// Open becomes the sequencer of a directory. The first time it makes the signing key
// (mode 0600), the trust list and the log's first entry, key_created. It settles what
// an earlier process left half done, and checks that the stored tree is the one that
// was signed last. Errors: ErrNotElected; audit.log_rolled_back; audit.unavailable.
func Open(ctx context.Context, cfg Config) (*Sequencer, error) {
	if err := durable.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, unavailable("make the directory", err)
	}
	lock, err := elect(filepath.Join(cfg.Dir, lockFile))
	if err != nil {
		return nil, err
	}
	s := &Sequencer{cfg: cfg, lock: lock}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close gives up the election. The sequencer must not be used afterwards.
func (s *Sequencer) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.key)
	s.key, s.settled = nil, false
	return s.lock.Close() // releases the lock
}

// Trust returns the trust list under which the log verifies.
func (s *Sequencer) Trust() receipt.TrustList {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.trust
}

// elect takes the lock without waiting. The system releases it when the process ends,
// however it ends.
func elect(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, unavailable("open the lock", err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, errors.Join(ErrNotElected, f.Close())
	}
	if err != nil {
		return nil, unavailable("take the lock", errors.Join(err, f.Close()))
	}
	return f, nil
}

func (s *Sequencer) start(ctx context.Context) error {
	if err := s.loadKeys(ctx); err != nil {
		return err
	}
	if err := s.ready(ctx); err != nil {
		return err
	}
	if s.last.size() > 0 {
		return s.markBegun()
	}
	if was, err := s.begun(); err != nil {
		return unavailable("look at the log's mark", err)
	} else if was {
		return rolledBack("log and record are empty, though events were signed here")
	}
	first := []audit.Pending{{Event: s.keyEvent(receipt.KeyCreated, s.publicKey())}}
	if err := s.append(ctx, first); err != nil {
		return err
	}
	return s.markBegun()
}

// ready makes sure that record, database and keys agree before anything is signed.
func (s *Sequencer) ready(ctx context.Context) error {
	if s.key == nil {
		return reason.Because(reason.AuditUnavailable, errors.New("sequencer: closed"))
	}
	if s.settled {
		return nil
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	err := s.finishRotation(ctx)
	s.settled = err == nil
	return err
}

// Step seals at most one batch of waiting events and returns how many. After a failure
// the next step first finds out what became of the batch.
func (s *Sequencer) Step(ctx context.Context) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ready(ctx); err != nil {
		return 0, err
	}
	pending, err := s.cfg.Log.Pending(ctx, maxBatch)
	if err != nil {
		return 0, unavailable("read the outbox", err)
	}
	if len(pending) == 0 {
		return 0, nil
	}
	if err := s.append(ctx, pending); err != nil {
		return 0, err
	}
	s.tell(pending)
	return len(pending), nil
}

func (s *Sequencer) tell(sealed []audit.Pending) {
	if s.cfg.Sealed == nil {
		return
	}
	for _, p := range sealed {
		if p.Event.Job != "" {
			s.cfg.Sealed(document.ID(p.Event.Job), p.State)
		}
	}
}

// Run seals events as they come, until ctx ends (nil) or the log was rolled back
// (audit.log_rolled_back: nothing may be signed until an operator has looked). wake
// says that there may be something to do; it may be nil.
func (s *Sequencer) Run(ctx context.Context, wake <-chan struct{}) error {
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	for {
		n, err := s.Step(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case reason.Of(err) == reason.AuditRollback:
			return err
		case s.cfg.Stepped != nil:
			s.cfg.Stepped(err)
		}
		if n > 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-wake:
		case <-poll.C:
		}
	}
}

// unavailable says what was attempted. An error that has a code keeps it.
func unavailable(doing string, err error) error {
	err = fmt.Errorf("sequencer: %s: %w", doing, err)
	if reason.Of(err) != reason.Internal {
		return err
	}
	return reason.Because(reason.AuditUnavailable, err)
}

func rolledBack(format string, args ...any) error {
	return reason.Because(reason.AuditRollback, fmt.Errorf("sequencer: "+format, args...))
}
