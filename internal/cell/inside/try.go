package inside

import (
	"errors"
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"blotter/internal/cell/wire"
)

// What follows runs only in a cell whose purpose, fixed before its process started, is to
// try its walls: it takes no document, so that nothing hostile is ever near it. The walls
// are those of every other cell.

// scratch is the name of the file that an attempt to write would make, and removes where
// the attempt goes through.
const scratch = "/.blotter-doctor"

// attempts does inside the cell what hostile code would.
func attempts(s wire.Setup) map[wire.Attempt]func() error {
	return map[wire.Attempt]func() error{
		wire.ReadFile:          func() error { return opens("/etc/passwd", unix.O_RDONLY) },
		wire.ReadOwn:           func() error { return firstOpened(s.Try.Read) },
		wire.WriteFile:         func() error { return writes(os.TempDir()) },
		wire.WriteWork:         func() error { return writes(s.Try.Write) },
		wire.MemoryFile:        func() error { fd, err := unix.MemfdCreate("x", 0); return closed(fd, err) },
		wire.TCP:               func() error { return reaches(unix.AF_INET, unix.SOCK_STREAM) },
		wire.UDP:               func() error { return reaches(unix.AF_INET, unix.SOCK_DGRAM) },
		wire.UnixSocket:        func() error { return reaches(unix.AF_UNIX, unix.SOCK_STREAM) },
		wire.Netlink:           func() error { return reaches(unix.AF_NETLINK, unix.SOCK_RAW) },
		wire.PassDescriptor:    func() error { return unix.Sendmsg(wire.SocketFD, nil, unix.UnixRights(wire.BinaryFD), nil, 0) },
		wire.Execute:           func() error { return syscall.Exec("/bin/true", []string{"true"}, nil) },
		wire.ExecuteDescriptor: executeDescriptor,
		wire.Fork:              fork,
		wire.IOUring: func() error {
			var params [120]byte
			return call(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0, 0, 0)
		},
		wire.Trace:        func() error { return call(unix.SYS_PTRACE, unix.PTRACE_TRACEME, 0, 0, 0, 0) },
		wire.ReadMemory:   func() error { return call(unix.SYS_PROCESS_VM_READV, uintptr(s.Parent), 0, 0, 0, 0) },
		wire.SignalParent: func() error { return unix.Kill(s.Parent, 0) },
		wire.Mount:        func() error { return unix.Mount("blotter", "/", "tmpfs", 0, "") },
		wire.NewNamespace: func() error { return unix.Unshare(unix.CLONE_NEWUSER) },
		wire.Outlive:      func() error { return unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0) },
		wire.RaiseLimit: func() error {
			return call(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_FSIZE, uintptr(unsafe.Pointer(&unix.Rlimit{Cur: 1, Max: 1})), 0, 0)
		},
		wire.MapCode: func() error {
			b, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON)
			return unmapped(b, err)
		},
		wire.TurnIntoCode:     turnIntoCode,
		wire.BecomeRoot:       func() error { return call(unix.SYS_SETRESUID, 0, 0, 0, 0, 0) },
		wire.ForeignCalls:     foreignCall,
		wire.OverAddressSpace: func() error { return reserve(s.AddressSpaceBytes) },
		wire.GrowFile:         growFile,
	}
}

// tryEarly are the attempts that Landlock and the unprivileged user must refuse by
// themselves, before the system call filter refuses the same.
var tryEarly = []wire.Attempt{wire.ReadFile, wire.ReadOwn, wire.WriteFile, wire.WriteWork, wire.TCP, wire.Execute, wire.SignalParent, wire.BecomeRoot}

// attemptEarly makes them; a cell that takes a document makes none.
func attemptEarly(s wire.Setup) []wire.Tried {
	if s.Purpose != wire.TryWalls {
		return nil
	}
	var out []wire.Tried
	all := attempts(s)
	for _, a := range tryEarly {
		out = append(out, wire.Tried{Attempt: a, Early: 1, Errno: number(all[a]())})
	}
	return out
}

// try is what a cell does that takes no document.
func try(s wire.Setup, early []wire.Tried, out *emitter) error {
	switch s.Purpose {
	case wire.TryMemory:
		fill()
	case wire.TryTime:
		select {}
	}
	for _, t := range early {
		if err := out.send(t); err != nil {
			return err
		}
	}
	all := attempts(s)
	for _, a := range wire.Attempts() {
		if err := out.send(wire.Tried{Attempt: a, Errno: number(all[a]())}); err != nil {
			return err
		}
	}
	if err := out.send(wire.Done{}); err != nil {
		return err
	}
	select {} // until the parent hangs up
}

// notANumber stands for an error that is not the kernel's.
const notANumber = 1 << 20

// number is the kernel's number of an error; 0 for none.
func number(err error) uint32 {
	var errno syscall.Errno
	switch {
	case err == nil:
		return 0
	case errors.As(err, &errno):
		return uint32(errno)
	}
	return notANumber
}

func opens(path string, flags int) error {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o600)
	return closed(fd, err)
}

func closed(fd int, err error) error {
	if err == nil {
		unix.Close(fd)
	}
	return err
}

// firstOpened opens files in turn, and is nil as soon as one opens. Which of them are
// there is for the parent to know, who names only such.
func firstOpened(paths []string) error {
	err := error(unix.ENOENT)
	for _, p := range paths {
		if err = opens(p, unix.O_RDONLY); err == nil {
			return nil
		}
	}
	return err
}

// writes makes a file in a directory, and takes it away where that went well.
func writes(dir string) error {
	if dir == "" {
		return unix.ENOENT
	}
	path := dir + scratch
	err := opens(path, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL)
	if err == nil {
		_ = unix.Unlink(path)
	}
	return err
}

// reaches makes a socket and, for TCP, asks for a connection to a port of this host on
// which nobody need listen: a refusal by the other end is no wall.
func reaches(family, kind int) error {
	fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if family != unix.AF_INET || kind != unix.SOCK_STREAM {
		return nil
	}
	err = unix.Connect(fd, &unix.SockaddrInet4{Port: 9, Addr: [4]byte{127, 0, 0, 1}}) // discard
	if errors.Is(err, unix.ECONNREFUSED) {
		return nil
	}
	return err
}

func executeDescriptor() error {
	empty := [1]byte{}
	return call(unix.SYS_EXECVEAT, wire.BinaryFD, uintptr(unsafe.Pointer(&empty)), 0, 0, unix.AT_EMPTY_PATH)
}

// fork asks for a process that shares this one's memory and ends at once, so that an
// attempt that goes through leaves nothing behind.
func fork() error {
	pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		_, _, _ = unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	return nil
}

func turnIntoCode() error {
	b, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil // without memory nothing was tried, which must not count as refused
	}
	defer func() { _ = unix.Munmap(b) }() // the process ends soon
	return unix.Mprotect(b, unix.PROT_READ|unix.PROT_EXEC)
}

// unmapped gives a mapping back.
func unmapped(b []byte, err error) error {
	if err == nil {
		_ = unix.Munmap(b)
	}
	return err
}

// x32 is the bit that marks calls of the x32 ABI on amd64.
const x32 = 0x40000000

// foreignCall uses a call by the numbers of another ABI, where the machine has one.
func foreignCall() error {
	if runtime.GOARCH != "amd64" {
		return unix.ENOSYS
	}
	return call(x32|unix.SYS_GETPID, 0, 0, 0, 0, 0)
}

// reserve maps so many bytes without touching them.
func reserve(n int64) error {
	b, err := unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	return unmapped(b, err)
}

// growFile writes nothing at all to the files that the cell holds open: the kernel refuses
// even that where a descriptor is open for reading alone.
func growFile() error {
	for fd := wire.BinaryFD; fd < wire.EndFD; fd++ {
		if _, err := unix.Write(fd, nil); err == nil {
			return nil
		}
	}
	return unix.EBADF
}

// fill touches memory until somebody stops it, slowly enough for the parent to see it.
func fill() {
	var kept [][]byte
	for {
		b := make([]byte, 4<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		kept = append(kept, b)
		time.Sleep(time.Millisecond)
		runtime.KeepAlive(kept)
	}
}

func call(number, a, b, c, d, e uintptr) error {
	if _, _, errno := unix.RawSyscall6(number, a, b, c, d, e, 0); errno != 0 {
		return errno
	}
	return nil
}
