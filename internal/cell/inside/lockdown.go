package inside

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"blotter/internal/cell/wire"
)

// openFiles is how many descriptors a cell may have: what it inherits, the standard
// streams, the document, the runtime's poller, and room.
const openFiles = 64

// lockDown takes the walls that loading engines did not allow, on every thread, and
// returns all that stand. A wall that cannot be built is left out of the set, and the
// parent judges; the error is for what no host refuses.
func lockDown(s wire.Setup) (wire.Protection, error) {
	// The parent's death signal, capabilities and no_new_privs are a thread's own: what is
	// set and then asked for, and what seccomp demands of its caller, must be one thread's.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	walls := s.InForce
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("inside: dumpable: %w", err)
	}
	if err := dieWithParent(s.Parent); err != nil {
		return 0, err
	}
	for _, l := range []struct {
		resource int
		max      uint64
		wall     wire.Protection
	}{
		{unix.RLIMIT_CORE, 0, 0},
		{unix.RLIMIT_NOFILE, openFiles, 0},
		{unix.RLIMIT_FSIZE, 0, wire.FileSize},
		{unix.RLIMIT_AS, uint64(s.AddressSpaceBytes), wire.AddressSpace},
	} {
		err := unix.Setrlimit(l.resource, &unix.Rlimit{Cur: l.max, Max: l.max})
		if err == nil {
			walls |= l.wall
		}
	}
	walls |= standing()
	// Last, because it forbids the calls above.
	if err := filterSyscalls(); err == nil {
		walls |= wire.Seccomp
	}
	return walls, nil
}

// standing asks the kernel for the walls that were built earlier.
func standing() wire.Protection {
	var walls wire.Protection
	if on, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err == nil && on == 1 {
		walls |= wire.NoNewPrivs
	}
	var signal int32
	if err := unix.Prctl(unix.PR_GET_PDEATHSIG, uintptr(unsafe.Pointer(&signal)), 0, 0, 0); err == nil && signal == int32(unix.SIGKILL) {
		walls |= wire.DiesWithUs
	}
	if unprivileged() {
		walls |= wire.Unprivileged
	}
	return walls
}
