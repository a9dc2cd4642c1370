package inside_test

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"blotter/internal/cell"
	"blotter/internal/cell/wire"
)

// Every attempt is made inside a real cell; what must come back is the kernel's refusal.
func TestWallsRefuse(t *testing.T) {
	for name, want := range map[string]unix.Errno{
		"read a file": unix.EPERM, "read a library": unix.EPERM, "openat2": unix.EPERM,
		"reopen own descriptor": unix.EPERM, "write a file": unix.EPERM, "make a memory file": unix.EPERM,
		"tcp": unix.EPERM, "udp": unix.EPERM, "unix socket": unix.EPERM, "netlink": unix.EPERM,
		"pass a descriptor": unix.EPERM, "execute": unix.EPERM, "execute a descriptor": unix.EPERM,
		"fork": unix.EPERM, "vfork": unix.EPERM, "clone3": unix.ENOSYS, "io_uring": unix.EPERM,
		"ptrace": unix.EPERM, "read memory": unix.EPERM, "kill the parent": unix.EPERM,
		"signal a thread of the parent": unix.EPERM, "mount": unix.EPERM, "unshare": unix.EPERM,
		"outlive": unix.EPERM, "raise limit": unix.EPERM, "map code": unix.EPERM,
		"turn data into code": unix.EPERM, "become root": unix.EPERM, "x32": unix.ENOSYS,
		"nothing": 0,
	} {
		t.Run(name, func(t *testing.T) {
			r, err := probe(t, cell.Config{}, wire.Task{Limits: limits}, name)
			if err != nil {
				t.Fatal(err)
			}
			if got := unix.Errno(r.Pixels); got != want {
				t.Errorf("%d (%v), want %d (%v)", got, got, want, want)
			}
		})
	}
}

func TestEveryWallStands(t *testing.T) {
	r, err := probe(t, cell.Config{}, wire.Task{Limits: limits}, "nothing")
	if err != nil {
		t.Fatal(err)
	}
	if r.Protections != wire.AllProtections {
		t.Errorf("only %v", r.Protections.Names())
	}
}

// Landlock alone, before seccomp hides it: each bit set is an attempt that went through.
func TestLandlockRefusesByItself(t *testing.T) {
	r, err := probe(t, cell.Config{}, wire.Task{Limits: limits}, "landlock")
	if err != nil || r.Pixels != 0 {
		t.Errorf("holes %b, %v", r.Pixels, err)
	}
}

// The kernel's own account of a waiting cell, seen from outside.
func TestKernelSeesTheWalls(t *testing.T) {
	c := start(t, cell.Config{Nice: 5})
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.PID()))
	if err != nil {
		t.Fatal(err)
	}
	status := string(b)
	if sid, err := unix.Getsid(c.PID()); sid != c.PID() || err != nil {
		t.Errorf("the cell shares a session with its parent: %d, %v", sid, err)
	}
	if os.Getuid() == 0 && !strings.Contains(status, "Uid:\t65534\t65534\t65534\t65534\nGid:\t65534\t65534\t65534\t65534\n") {
		t.Errorf("the cell is not nobody:\n%s", status)
	}
	for _, line := range []string{
		"CapInh:\t0000000000000000", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000",
		"CapAmb:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2", "Groups:\t \n",
	} {
		if os.Getuid() != 0 && strings.HasPrefix(line, "Groups") {
			continue // only root can give up groups
		}
		if !strings.Contains(status, line) {
			t.Errorf("%q is not in the kernel's account:\n%s", line, status)
		}
	}
}

// Whoever runs blotter at a low priority ("nice blotter") gets cells that run as low, and
// not none.
func TestCellStartsUnderANicedParent(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("the test's own process must come forward again, which only root may")
	}
	const low = 7
	setNice(t, low)
	t.Cleanup(func() { setNice(t, 0) })
	c := start(t, cell.Config{})
	if raw, err := unix.Getpriority(unix.PRIO_PROCESS, c.PID()); err != nil || 20-raw != low {
		t.Errorf("the cell runs at nice %d, %v", 20-raw, err)
	}
}

// setNice gives every thread of this process a priority: any of them may start a cell.
func setNice(t *testing.T, nice int) {
	t.Helper()
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range threads {
		tid, err := strconv.Atoi(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if err := unix.Setpriority(unix.PRIO_PROCESS, tid, nice); err != nil && !errors.Is(err, unix.ESRCH) {
			t.Fatal(err)
		}
	}
}

func TestThreadsAreAllowed(t *testing.T) {
	if _, err := probe(t, cell.Config{}, wire.Task{Limits: limits}, "threads"); err != nil {
		t.Fatal(err)
	}
}
