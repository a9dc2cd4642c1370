// Package workdir makes the worker's working copies: a document streamed into a
// private directory that lives as long as the work on it. A directory is created
// exclusively, mode 0700, under a random name; inside stands one file whose name is
// always the same, so that no name is ever built from what a caller supplied.
//
// A copy's directory is locked (flock) for as long as its process lives. The janitor
// removes what killed processes left: directories that nobody holds.
//
// The order that makes each copy an audited artifact (mission line M27): Reserve holds
// the janitor off; the caller commits the `staged` event; Create makes the directory.
// On the way out Remove deletes it, and only then the caller records `unstaged`.
package workdir

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"blotter/internal/reason"
)

// fileName is the one name inside a working directory.
const fileName = "source"

// gateName is the lock that creators share and the janitor takes alone.
const gateName = ".gate"

// Root is the directory under which working copies live. It should be on a file system
// that is private to blotter; tmpfs keeps copies off the disk.
type Root struct{ dir string }

// OpenRoot makes the directory where it is missing (mode 0700). It refuses one that
// others can enter or that is a link: workdir.unavailable.
func OpenRoot(dir string) (*Root, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, reason.Because(reason.WorkdirFailed, err)
	}
	st, err := os.Lstat(dir)
	if err != nil {
		return nil, reason.Because(reason.WorkdirFailed, err)
	}
	if !st.IsDir() || st.Mode().Perm()&0o077 != 0 {
		return nil, reason.Because(reason.WorkdirFailed, errors.New("workdir: the root must be a directory of mode 0700"))
	}
	return &Root{dir}, nil
}

// NewID returns a fresh name for a working copy: 32 hexadecimal digits, 128 random bits.
func NewID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

// validID reports whether NewID could have made id, so that a name that came back
// from elsewhere cannot point out of the root.
func validID(id string) bool {
	b, err := hex.DecodeString(id)
	return err == nil && len(b) == 16
}

// Gate keeps the janitor away while it is held, so that no copy is taken for a leftover
// between its event, its directory and its lock.
type Gate struct{ f *os.File }

// Reserve takes the gate together with other creators. A janitor that is at work is
// waited for, but not for ever: a process can be frozen with the gate in its hand.
func (r *Root) Reserve() (*Gate, error) {
	tick := time.NewTicker(gateInterval)
	defer tick.Stop()
	for deadline := time.Now().Add(gatePatience); ; <-tick.C {
		g, err := r.gate(unix.LOCK_SH)
		if !errors.Is(err, unix.EWOULDBLOCK) || time.Now().After(deadline) {
			return g, err
		}
	}
}

// A sweep takes milliseconds; a creator looks often, and gives up where one takes
// this long.
const (
	gateInterval = 5 * time.Millisecond
	gatePatience = 10 * time.Second
)

// Release lets the janitor in again.
func (g *Gate) Release() { g.f.Close() }

func (r *Root) gate(how int) (*Gate, error) {
	f, err := os.OpenFile(filepath.Join(r.dir, gateName), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, reason.Because(reason.WorkdirFailed, err)
	}
	if err := flock(f, how|unix.LOCK_NB); err != nil {
		return nil, reason.Because(reason.WorkdirFailed, errors.Join(err, f.Close()))
	}
	return &Gate{f}, nil
}

// Copy is a working copy.
type Copy struct {
	root *Root
	id   string
	dir  string
	lock *os.File // the directory itself, flocked

	once sync.Once
	gone error
}

// Create makes and locks the directory of that id. The gate must be held; an id that
// stands already is an error.
func (r *Root) Create(id string) (*Copy, error) {
	if !validID(id) {
		return nil, reason.Because(reason.WorkdirFailed, errors.New("workdir: not an id of a working copy"))
	}
	dir := filepath.Join(r.dir, id)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, reason.Because(reason.WorkdirFailed, err)
	}
	c := &Copy{root: r, id: id, dir: dir}
	lock, err := os.Open(dir)
	if err == nil {
		c.lock = lock
		err = flock(lock, unix.LOCK_EX|unix.LOCK_NB)
	}
	if err != nil {
		return nil, reason.Because(reason.WorkdirFailed, errors.Join(err, c.Remove()))
	}
	return c, nil
}

// Writer creates the copy's file, once. The caller closes it before Reader.
func (c *Copy) Writer() (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(c.dir, fileName), os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, reason.Because(reason.WorkdirFailed, err)
	}
	return f, nil
}

// Reader opens the copy's file for reading alone: what the cell is given.
func (c *Copy) Reader() (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(c.dir, fileName), os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, reason.Because(reason.WorkdirFailed, err)
	}
	return f, nil
}

// Remove deletes the copy and gives up its lock. Calling it again returns the same.
func (c *Copy) Remove() error {
	c.once.Do(func() {
		err := os.RemoveAll(c.dir)
		if c.lock != nil {
			err = errors.Join(err, c.lock.Close())
		}
		if err != nil {
			c.gone = reason.Because(reason.WorkdirFailed, err)
		}
	})
	return c.gone
}

// Sweep removes the copies that nobody holds, on record or not. known are the ids on
// record as staged; for each of them that now has no directory, because the sweep
// removed it or because it was gone before, it calls gone, still holding creators off. An
// error of gone ends the sweep. While somebody creates a copy there is nothing to sweep:
// it returns at once.
func (r *Root) Sweep(known func() ([]string, error), gone func(id string) error) error {
	gate, err := r.gate(unix.LOCK_EX)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil
	}
	if err != nil {
		return err
	}
	defer gate.Release()
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return reason.Because(reason.WorkdirFailed, err)
	}
	held := map[string]bool{}
	for _, e := range entries {
		if !validID(e.Name()) {
			continue
		}
		alive, err := r.removeAbandoned(e.Name())
		if err != nil {
			return reason.Because(reason.WorkdirFailed, err)
		}
		held[e.Name()] = alive
	}
	ids, err := known()
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !held[id] {
			if err := gone(id); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeAbandoned deletes a directory unless its lock is held.
func (r *Root) removeAbandoned(id string) (alive bool, err error) {
	dir := filepath.Join(r.dir, id)
	f, err := os.OpenFile(dir, os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("workdir: look at a leftover: %w", err)
	}
	defer f.Close()
	switch err := flock(f, unix.LOCK_EX|unix.LOCK_NB); {
	case errors.Is(err, unix.EWOULDBLOCK):
		return true, nil
	case err != nil:
		return false, err
	}
	return false, os.RemoveAll(dir)
}

// flock waits out interruptions by signals.
func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
