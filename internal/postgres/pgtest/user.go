package pgtest

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// owner is who the server runs as; nil: as this process.
type owner struct{ uid, gid uint32 }

// unprivileged picks the owner: PostgreSQL refuses root, so that root's clusters belong to
// nobody.
func unprivileged() (*owner, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("nobody")
	if err != nil {
		return nil, fmt.Errorf("pgtest: PostgreSQL refuses root, and there is nobody else: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &owner{uint32(uid), uint32(gid)}, nil
}

// process says how a child starts: as the owner, and in a session of its own, so that an
// interrupt at the terminal reaches the tests alone, whose end then ends the child.
func (o *owner) process() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if o != nil {
		attr.Credential = &syscall.Credential{Uid: o.uid, Gid: o.gid}
	}
	return attr
}

// longestSocket is the room for a socket's path (sun_path, with its end), less the name
// that PostgreSQL gives it.
const longestSocket = 108 - 1 - len("/.s.PGSQL.5432")

// directory makes the cluster's directory, which is also its socket's: in the directory for
// temporary files if the owner can get there and the path is short enough, else in /tmp.
func (o *owner) directory() (string, error) {
	parent := os.TempDir()
	if !o.reaches(parent) || len(parent)+len("/pgtest-0123456789") > longestSocket {
		parent = "/tmp"
	}
	dir, err := os.MkdirTemp(parent, "pgtest-") // mode 0700
	if err != nil || o == nil {
		return dir, err
	}
	return dir, os.Chown(dir, int(o.uid), int(o.gid))
}

// reaches reports whether others than their owner may pass through all directories of a path.
func (o *owner) reaches(dir string) bool {
	if o == nil {
		return true
	}
	for {
		st, err := os.Stat(dir)
		if err != nil || st.Mode().Perm()&0o001 == 0 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return filepath.IsAbs(dir)
		}
		dir = filepath.Dir(dir)
	}
}
