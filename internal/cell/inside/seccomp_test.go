package inside

import (
	"encoding/binary"
	"runtime"
	"testing"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// The filter, run as a program over calls that no Go program could make: of another
// architecture, by the x32 numbers, and with flags of processes instead of threads.
func TestFilterJudgesCalls(t *testing.T) {
	info, err := arch.GetInfo(runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	const pid = 4711
	program, err := filterProgram(info, pid)
	if err != nil {
		t.Fatal(err)
	}
	vm, err := bpf.NewVM(program)
	if err != nil {
		t.Fatal(err)
	}
	const (
		allow = uint32(unix.SECCOMP_RET_ALLOW)
		kill  = uint32(unix.SECCOMP_RET_KILL_PROCESS)
		perm  = uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.EPERM)
		nosys = uint32(unix.SECCOMP_RET_ERRNO) | uint32(unix.ENOSYS)
	)
	native := uint32(info.ID)
	thread := uint64(unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_SYSVSEM | unix.CLONE_THREAD)
	for _, c := range []struct {
		name string
		arch uint32
		call int
		args [6]uint64
		want uint32
	}{
		{"read", native, unix.SYS_READ, [6]uint64{}, allow},
		{"open", native, unix.SYS_OPENAT, [6]uint64{}, perm},
		{"read of a foreign architecture", native ^ 1, unix.SYS_READ, [6]uint64{}, kill},
		{"open of a foreign architecture", native ^ 1, unix.SYS_OPENAT, [6]uint64{}, kill},
		{"clone3", native, unix.SYS_CLONE3, [6]uint64{}, nosys},
		{"a thread", native, unix.SYS_CLONE, [6]uint64{thread}, allow},
		{"a process", native, unix.SYS_CLONE, [6]uint64{uint64(unix.SIGCHLD)}, perm},
		{"a process that shares memory", native, unix.SYS_CLONE, [6]uint64{thread &^ unix.CLONE_THREAD}, perm},
		{"data", native, unix.SYS_MMAP, [6]uint64{0, 4096, unix.PROT_READ | unix.PROT_WRITE}, allow},
		{"code", native, unix.SYS_MMAP, [6]uint64{0, 4096, unix.PROT_READ | unix.PROT_EXEC}, perm},
		{"data made code", native, unix.SYS_MPROTECT, [6]uint64{0, 4096, unix.PROT_EXEC}, perm},
		{"own signal", native, unix.SYS_TGKILL, [6]uint64{pid, pid, 23}, allow},
		{"other's signal", native, unix.SYS_TGKILL, [6]uint64{1, 1, 9}, perm},
		{"limits read", native, unix.SYS_PRLIMIT64, [6]uint64{0, 7, 0, 1}, allow},
		{"limits set", native, unix.SYS_PRLIMIT64, [6]uint64{0, 7, 1 << 40, 0}, perm},
		{"duplicate a descriptor", native, unix.SYS_FCNTL, [6]uint64{3, unix.F_DUPFD}, perm},
		{"no such call", native, 9999, [6]uint64{}, perm},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := vm.Run(callData(c.arch, c.call, c.args))
			if err != nil {
				t.Fatal(err)
			}
			if uint32(got) != c.want {
				t.Errorf("%#x, want %#x", uint32(got), c.want)
			}
		})
	}
}

// callData is struct seccomp_data with every word in network order, as the program's
// simulator reads it.
func callData(arch uint32, call int, args [6]uint64) []byte {
	b := make([]byte, 64)
	binary.BigEndian.PutUint32(b, uint32(call))
	binary.BigEndian.PutUint32(b[4:], arch)
	for i, a := range args {
		binary.BigEndian.PutUint32(b[16+8*i:], uint32(a)) // low word first: a little-endian machine
		binary.BigEndian.PutUint32(b[20+8*i:], uint32(a>>32))
	}
	return b
}
