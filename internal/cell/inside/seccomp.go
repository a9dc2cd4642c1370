package inside

import (
	"fmt"
	"runtime"
	"unsafe"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// allowed are the system calls of a cell at work: memory, threads, time, and reading
// and writing what is open. Names that an architecture lacks are left out. What is not
// here fails with EPERM: opening, executing, forking, sockets, tracing, io_uring,
// signals to others, and all that nobody thought of.
var allowed = []string{
	// memory
	"munmap", "madvise", "brk", "mincore", "mremap",
	// threads
	"futex", "set_robust_list", "rseq", "membarrier", "sched_yield", "sched_getaffinity", "gettid", "getpid",
	"set_tid_address", "exit", "exit_group", "getcpu",
	// signals to itself
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall",
	// time
	"clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "timer_create",
	"timer_settime", "timer_delete", "setitimer",
	// what is open
	"read", "pread64", "readv", "write", "writev", "lseek", "close", "fstat", "recvmsg",
	// the runtime's poller
	"epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "eventfd2", "poll", "ppoll",
	// the rest
	"getrandom", "uname", "getrusage", "sysinfo", "getrlimit",
}

// threadFlags are set whenever a thread is made and never when a process is.
var threadFlags = []uint64{unix.CLONE_VM, unix.CLONE_SIGHAND, unix.CLONE_THREAD}

// restricted are the calls that are allowed with some arguments only.
func restricted(pid int) []seccomp.NameWithConditions {
	clone := seccomp.NameWithConditions{Name: "clone"}
	for _, flag := range threadFlags {
		clone.Conditions = append(clone.Conditions, seccomp.Condition{Argument: 0, Operation: seccomp.BitsSet, Value: flag})
	}
	return []seccomp.NameWithConditions{
		clone,
		// Nothing becomes code any more: the engines are compiled and loaded.
		when("mmap", 2, seccomp.BitsNotSet, unix.PROT_EXEC),
		when("mprotect", 2, seccomp.BitsNotSet, unix.PROT_EXEC),
		// The runtime interrupts its own threads.
		when("tgkill", 0, seccomp.Equal, uint64(pid)),
		when("fcntl", 1, seccomp.Equal, unix.F_GETFL),
		// Limits may be read.
		when("prlimit64", 2, seccomp.Equal, 0),
	}
}

func when(name string, argument uint32, op seccomp.Operation, value uint64) seccomp.NameWithConditions {
	return seccomp.NameWithConditions{Name: name, Conditions: seccomp.ArgumentConditions{
		{Argument: argument, Operation: op, Value: value},
	}}
}

// policy is the allow-list for this process.
func policy(info *arch.Info, pid int) seccomp.Policy {
	var names []string
	for _, n := range allowed {
		if _, ok := info.SyscallNames[n]; ok {
			names = append(names, n)
		}
	}
	return seccomp.Policy{
		DefaultAction: seccomp.ActionErrno, // EPERM
		Syscalls: []seccomp.SyscallGroup{
			// The C library asks for threads with clone3, whose flags a filter cannot see, and
			// falls back to clone where the kernel has none.
			{Names: []string{"clone3"}, Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS)},
			{Names: names, NamesWithCondtions: restricted(pid), Action: seccomp.ActionAllow},
		},
	}
}

// filterSyscalls puts every thread of this process behind the allow-list.
func filterSyscalls() error {
	info, err := arch.GetInfo(runtime.GOARCH)
	if err != nil {
		return fmt.Errorf("inside: seccomp: %w", err)
	}
	program, err := filterProgram(info, unix.Getpid())
	if err != nil {
		return fmt.Errorf("inside: seccomp: %w", err)
	}
	raw, err := bpf.Assemble(program)
	if err != nil {
		return fmt.Errorf("inside: seccomp: %w", err)
	}
	return install(raw)
}

// filterProgram assembles the allow-list. A call by the numbers of another
// architecture, which mean other calls, kills the process.
func filterProgram(info *arch.Info, pid int) ([]bpf.Instruction, error) {
	p := policy(info, pid)
	program, err := p.Assemble()
	if err != nil {
		return nil, err
	}
	const offsetOfArch = 4 // in struct seccomp_data
	return append([]bpf.Instruction{
		bpf.LoadAbsolute{Off: offsetOfArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(info.ID), SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS},
	}, program...), nil
}

func install(raw []bpf.RawInstruction) error {
	filter := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		filter[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	var pin runtime.Pinner
	pin.Pin(&filter[0])
	defer pin.Unpin()
	left, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return fmt.Errorf("inside: seccomp: %w", errno)
	}
	if left != 0 {
		return fmt.Errorf("inside: seccomp: thread %d stays outside", left)
	}
	return nil
}
