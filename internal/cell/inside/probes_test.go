package inside_test

import (
	"errors"
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"blotter/internal/cell/inside"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// probes do inside a real cell what hostile code would. An attempt answers with its
// errno in Done.Pixels: refused is what a test hopes for, 0 is a hole.
var probes = map[string]func(wire.Task, *inside.Emitter){
	"nothing": attempt(func() error { return nil }),
	"read a file": attempt(func() error {
		_, err := unix.Open("/etc/passwd", unix.O_RDONLY, 0)
		return err
	}),
	"read a library": attempt(func() error {
		_, err := unix.Open("/lib64/ld-linux-x86-64.so.2", unix.O_RDONLY, 0)
		return err
	}),
	"openat2": attempt(func() error {
		_, err := unix.Openat2(unix.AT_FDCWD, "/etc/passwd", &unix.OpenHow{Flags: unix.O_RDONLY})
		return err
	}),
	"reopen own descriptor": attempt(func() error {
		_, err := unix.Open("/proc/self/fd/4", unix.O_RDONLY, 0)
		return err
	}),
	"write a file": attempt(func() error {
		_, err := unix.Open("/tmp/cell-was-here", unix.O_WRONLY|unix.O_CREAT, 0o600)
		return err
	}),
	"make a memory file": attempt(func() error {
		_, err := unix.MemfdCreate("x", 0)
		return err
	}),
	"tcp":         attempt(func() error { return newSocket(unix.AF_INET, unix.SOCK_STREAM) }),
	"udp":         attempt(func() error { return newSocket(unix.AF_INET, unix.SOCK_DGRAM) }),
	"unix socket": attempt(func() error { return newSocket(unix.AF_UNIX, unix.SOCK_STREAM) }),
	"netlink":     attempt(func() error { return newSocket(unix.AF_NETLINK, unix.SOCK_RAW) }),
	"pass a descriptor": attempt(func() error {
		return unix.Sendmsg(wire.SocketFD, []byte{0}, unix.UnixRights(wire.BinaryFD), nil, 0)
	}),
	"execute": attempt(func() error {
		return syscall.Exec("/bin/true", []string{"true"}, nil)
	}),
	"execute a descriptor": attempt(func() error {
		empty := [1]byte{}
		return raw(unix.SYS_EXECVEAT, wire.BinaryFD, uintptr(unsafe.Pointer(&empty)), 0, 0, unix.AT_EMPTY_PATH)
	}),
	"fork": attempt(func() error { return raw(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0) }),
	"vfork": attempt(func() error {
		return raw(unix.SYS_CLONE, unix.CLONE_VM|unix.CLONE_VFORK|uintptr(unix.SIGCHLD), 0, 0, 0, 0)
	}),
	"clone3": attempt(func() error { return raw(unix.SYS_CLONE3, 0, 0, 0, 0, 0) }),
	"io_uring": attempt(func() error {
		var params [120]byte
		return raw(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0, 0, 0)
	}),
	"ptrace":          attempt(func() error { return raw(unix.SYS_PTRACE, unix.PTRACE_TRACEME, 0, 0, 0, 0) }),
	"read memory":     attempt(func() error { return raw(unix.SYS_PROCESS_VM_READV, uintptr(os.Getppid()), 0, 0, 0, 0) }),
	"kill the parent": attempt(func() error { return unix.Kill(os.Getppid(), 0) }),
	"signal a thread of the parent": attempt(func() error {
		return unix.Tgkill(os.Getppid(), os.Getppid(), 0)
	}),
	"mount":   attempt(func() error { return unix.Mount("x", "/", "tmpfs", 0, "") }),
	"unshare": attempt(func() error { return unix.Unshare(unix.CLONE_NEWUSER) }),
	"outlive": attempt(func() error { return unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0) }),
	"raise limit": attempt(func() error {
		return raw(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_FSIZE, uintptr(unsafe.Pointer(&unix.Rlimit{Cur: 1, Max: 1})), 0, 0)
	}),
	"map code": attempt(func() error {
		_, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON)
		return err
	}),
	"turn data into code": attempt(func() error {
		b, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			return nil
		}
		return unix.Mprotect(b, unix.PROT_READ|unix.PROT_EXEC)
	}),
	"x32":         attempt(func() error { return raw(0x40000000|unix.SYS_GETPID, 0, 0, 0, 0, 0) }),
	"become root": attempt(func() error { return raw(unix.SYS_SETUID, 0, 0, 0, 0, 0) }),

	"one asset": func(_ wire.Task, out *inside.Emitter) {
		opened(out)
		out.Send(wire.Chunk{Bytes: []byte("\x89PNG\r\n\x1a\n")})
	},
	"two assets": twoAssets,
	"landlock":   func(_ wire.Task, out *inside.Emitter) { answer(out, holes) },
	"threads":    threads,
	"hang":       func(wire.Task, *inside.Emitter) { select {} },
	"hang up":    func(wire.Task, *inside.Emitter) { unix.Close(wire.SocketFD); select {} },
	"crash":      func(wire.Task, *inside.Emitter) { os.Exit(3) },
	"fault":      func(wire.Task, *inside.Emitter) { var p *int; *p = 1 },
	"eat":        eat,
	"wait":       func(_ wire.Task, out *inside.Emitter) { out.Send(wire.Progress{Stage: document.StageRead}); select {} },
}

// holes counts what Landlock let through between the two stages' walls, before seccomp
// refuses the same.
var holes uint64

// tryLandlock runs before seccomp stands, when only the first stage's walls do.
func tryLandlock() {
	for i, f := range []func() error{
		func() error { _, err := unix.Open("/etc/passwd", unix.O_RDONLY, 0); return err },
		func() error { _, err := unix.Open("/tmp/cell-was-here", unix.O_WRONLY|unix.O_CREAT, 0o600); return err },
		func() error { _, err := unix.Open("/proc/self/environ", unix.O_RDONLY, 0); return err },
		func() error { return syscall.Exec("/bin/true", []string{"true"}, nil) },
		func() error { return connect(unix.SOCK_STREAM) },
		func() error { return unix.Kill(os.Getppid(), 0) },
		func() error { return unix.Setuid(0) },
	} {
		// The binary itself may be read; anything else must be refused for want of a right.
		if err := f(); !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.EPERM) {
			holes |= 1 << i
		}
	}
	if _, err := unix.Open("/lib64/ld-linux-x86-64.so.2", unix.O_RDONLY, 0); err != nil && !errors.Is(err, unix.ENOENT) {
		holes |= 1 << 32 // the tests above would prove nothing
	}
}

// connect tries a port on which nobody listens.
func connect(kind int) error {
	fd, err := unix.Socket(unix.AF_INET, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	return unix.Connect(fd, &unix.SockaddrInet4{Port: 9, Addr: [4]byte{127, 0, 0, 1}})
}

// lies are what a captured cell might say; the parent must end each with
// cell.protocol.
var lies = map[string]func(*inside.Emitter){
	"noise":           func(out *inside.Emitter) { out.Raw([]byte("\xff\xff\xff\xff\xff\xff\xff\xff")) },
	"a long frame":    func(out *inside.Emitter) { out.Raw([]byte{9, 0, 0, 0, 0x7f}) },
	"a task":          func(out *inside.Emitter) { out.Raw([]byte{11, 0, 0, 0, 0}) },
	"ready again":     func(out *inside.Emitter) { out.Send(wire.Ready{}) },
	"done at once":    func(out *inside.Emitter) { out.Send(wire.Done{}) },
	"too many assets": func(out *inside.Emitter) { out.Send(wire.Sniffed{Format: document.PDF, Assets: 1 << 31}) },
	"speaks for the queue": func(out *inside.Emitter) {
		out.Send(wire.Failed{Reason: reason.NumberOf(reason.QueueFull)})
	},
	"a box outside": func(out *inside.Emitter) {
		opened(out)
		out.Send(wire.Burned{X: 4, Y: 4, W: 7, H: 1, Type: document.Name, Source: document.ByName})
	},
	"a box that wraps": func(out *inside.Emitter) {
		opened(out)
		out.Send(wire.Burned{X: 1<<32 - 1, W: 2, H: 1, Type: document.Name, Source: document.ByName})
	},
	"no derivative": func(out *inside.Emitter) {
		opened(out)
		out.Send(wire.AssetDone{Index: 1, Status: document.Redacted})
	},
	"text as a PNG": func(out *inside.Emitter) {
		opened(out)
		out.Send(wire.Chunk{Bytes: []byte("Jane Roe, born 3 March 1984")})
	},
	"an original unasked": func(out *inside.Emitter) {
		opened(out)
		out.Send(wire.Chunk{Original: true, Bytes: []byte("\x89PNG\r\n\x1a\n")})
	},
	"endless pauses": func(out *inside.Emitter) {
		out.Send(wire.Sniffed{Format: document.PNG, Assets: 1})
		for out.Send(wire.Progress{Stage: document.StageRead, Index: 1}) == nil {
		}
	},
	"trickle": func(out *inside.Emitter) {
		for out.Send(wire.Progress{Stage: document.StageRead}) == nil {
		}
	},
}

// twoAssets goes through two assets twice, as a document does, and withholds both.
func twoAssets(_ wire.Task, out *inside.Emitter) {
	out.Send(wire.Sniffed{Format: document.PNG, Assets: 2})
	for i := range 2 {
		out.Next(document.StageRead, i+1)
	}
	for i := range 2 {
		out.Next(document.StageRedact, i+1)
		out.Send(wire.AssetFound{Index: uint32(i + 1), Kind: document.Frame, Frame: 1, Format: document.PNG, Width: 10, Height: 10})
		out.Send(wire.AssetDone{Index: uint32(i + 1), Status: document.Withheld, Reason: reason.NumberOf(reason.ExtractMalformed)})
	}
	out.Send(wire.Done{})
}

// opened says that there is one asset of 10×10 pixels.
func opened(out *inside.Emitter) {
	out.Send(wire.Sniffed{Format: document.PNG, Assets: 1})
	out.Send(wire.AssetFound{
		Index: 1, Kind: document.Frame, Frame: 1, Format: document.PNG, Width: 10, Height: 10, Digest: document.Sum(nil),
	})
}

func attempt(f func() error) func(wire.Task, *inside.Emitter) {
	return func(_ wire.Task, out *inside.Emitter) {
		var errno syscall.Errno
		if err := f(); err != nil && !errors.As(err, &errno) {
			errno = 1 << 20 // an error without a number: not the kernel's refusal
		}
		answer(out, uint64(errno))
	}
}

// answer ends the document with a number.
func answer(out *inside.Emitter, n uint64) {
	out.Send(wire.Sniffed{Format: document.PDF})
	out.Send(wire.Done{Pixels: n})
}

func newSocket(family, kind int) error {
	_, err := unix.Socket(family, kind, 0)
	return err
}

func raw(call, a, b, c, d, e uintptr) error {
	if _, _, errno := unix.RawSyscall6(call, a, b, c, d, e, 0); errno != 0 {
		return errno
	}
	return nil
}

// threads needs more operating system threads than a cell starts with.
func threads(_ wire.Task, out *inside.Emitter) {
	const n = 32
	running, release := make(chan bool), make(chan bool)
	for range n {
		go func() {
			runtime.LockOSThread()
			running <- true
			<-release
		}()
	}
	for range n {
		<-running
	}
	close(release)
	answer(out, n)
}

// eat touches memory until somebody stops it.
func eat(wire.Task, *inside.Emitter) {
	var kept [][]byte
	for {
		b := make([]byte, 16<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		kept = append(kept, b)
		time.Sleep(time.Millisecond) // a cell that is caught by the watch, not by the backstop
		_ = kept
	}
}
