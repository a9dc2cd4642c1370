package inside

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"blotter/internal/cell/inside/onnx"
	"blotter/internal/cell/wire"
	"blotter/internal/reason"
)

// confine is the first stage. It builds, on this thread alone, the walls that an
// executed program inherits, and executes the second stage. It returns only if that
// fails.
func confine(s wire.Setup) error {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return reason.Because(reason.CellStart, fmt.Errorf("inside: no_new_privs: %w", err))
	}
	walls, err := landlock()
	if err != nil {
		return reason.Because(reason.CellStart, err)
	}
	s.InForce = walls
	// Where this fails the second stage finds itself privileged, says so, and the parent
	// judges: no document comes before that.
	_ = dropPrivileges(s.UID, s.GID)
	if err := stepBack(s.Nice); err != nil {
		return reason.Because(reason.CellStart, err)
	}
	// Taking another user has undone an earlier request, so it comes last.
	if err := dieWithParent(s.Parent); err != nil {
		return reason.Because(reason.CellStart, err)
	}
	args := append([]string{"blotter"}, s.Args(wire.Stage2)...)
	err = syscall.Exec(wire.Path(wire.BinaryFD), args, []string{"GOTRACEBACK=none", onnx.OneHeap})
	return reason.Because(reason.CellStart, fmt.Errorf("inside: second stage: %w", err))
}

// stepBack gives the process the priority nice, 0–19, or leaves it where its parent
// already runs later than that: only a privileged process may come forward again, and
// this one no longer is.
func stepBack(nice int) error {
	// The system call answers 20 minus the nice value (getpriority(2), C library/kernel differences).
	now, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err == nil && 20-now < nice {
		err = unix.Setpriority(unix.PRIO_PROCESS, 0, nice)
	}
	if err != nil {
		return fmt.Errorf("inside: priority: %w", err)
	}
	return nil
}

// dieWithParent asks for SIGKILL at the parent's end, and finds out whether that end
// came before the asking.
func dieWithParent(parent int) error {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("inside: parent's death: %w", err)
	}
	if unix.Getppid() != parent {
		return errors.New("inside: the parent has gone")
	}
	return nil
}

// dropPrivileges makes this thread an unprivileged user where it is root, and gives up
// every capability where it is not. The functions of package syscall would change all
// threads, which a binary that links native code cannot do; the thread's own state is
// what the executed program inherits.
func dropPrivileges(uid, gid int) error {
	if unix.Geteuid() == 0 {
		dropBounding()
		for _, call := range [][4]uintptr{
			{unix.SYS_SETGROUPS, 0, 0, 0},
			{unix.SYS_SETRESGID, uintptr(gid), uintptr(gid), uintptr(gid)},
			{unix.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid)},
		} {
			if _, _, errno := unix.Syscall(call[0], call[1], call[2], call[3]); errno != 0 {
				return fmt.Errorf("inside: become an unprivileged user: %w", errno)
			}
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("inside: ambient capabilities: %w", err)
	}
	var none [2]unix.CapUserData
	if err := unix.Capset(capHeader(), &none[0]); err != nil {
		return fmt.Errorf("inside: capabilities: %w", err)
	}
	return nil
}

// dropBounding empties the bounding set, up to the last capability the kernel knows.
// Without CAP_SETPCAP it stays; no_new_privs makes it of no use then.
func dropBounding() {
	for c := uintptr(0); unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0) == nil; c++ {
	}
}

func capHeader() *unix.CapUserHeader {
	return &unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
}

// unprivileged reports whether this process is neither root nor holds a capability.
func unprivileged() bool {
	var caps [2]unix.CapUserData
	if err := unix.Capget(capHeader(), &caps[0]); err != nil {
		return false
	}
	var ruid, euid, suid uint32
	if _, _, errno := unix.RawSyscall(unix.SYS_GETRESUID, uintptr(unsafe.Pointer(&ruid)),
		uintptr(unsafe.Pointer(&euid)), uintptr(unsafe.Pointer(&suid))); errno != 0 {
		return false
	}
	return caps == [2]unix.CapUserData{} && ruid != 0 && euid != 0 && suid != 0
}
