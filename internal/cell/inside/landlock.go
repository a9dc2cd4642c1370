package inside

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"blotter/internal/cell/wire"
)

// Rights that a Landlock domain can take away. The kernel is asked for each, so that a
// newer one forbids more and an older one is no error.
const (
	lastFSRight  = unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	tcpRights    = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	lastNetRight = unix.LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP
	scopes       = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL

	readFile = unix.LANDLOCK_ACCESS_FS_READ_FILE
	readDir  = unix.LANDLOCK_ACCESS_FS_READ_DIR
	execute  = unix.LANDLOCK_ACCESS_FS_EXECUTE
)

// systemFiles is what loading the engines needs of the host, and nothing more: the
// dynamic loader with its index, shared libraries, and the description of the CPU.
// What a host lacks is passed over.
var systemFiles = []struct {
	path   string
	rights uint64
}{
	{"/lib64/ld-linux-x86-64.so.2", readFile | execute},
	{"/lib/ld-linux-aarch64.so.1", readFile | execute},
	{"/etc/ld.so.cache", readFile},
	{"/lib", readFile}, {"/lib64", readFile}, {"/usr/lib", readFile}, {"/usr/lib64", readFile},
	{"/sys/devices/system/cpu", readFile | readDir},
	{"/proc/cpuinfo", readFile},
}

// inheritedRights are the rights on the descriptors that the parent opened.
var inheritedRights = map[int]uint64{
	wire.BinaryFD: readFile | execute, wire.LibraryFD: readFile, wire.DetectionFD: readFile,
	wire.RecognitionFD: readFile, wire.AngleFD: readFile, wire.DictionaryFD: readFile,
	wire.CacheFD: readFile | readDir,
	wire.ModelFD: readFile, wire.TokenizerFD: readFile, wire.LabelsFD: readFile,
}

// landlock puts the calling thread, and what it executes, into a domain that may read
// the engines and the system files above and reach no network. It returns the walls
// that this kernel could build; without Landlock none, and no error.
func landlock() (wire.Protection, error) {
	rules := unix.LandlockRulesetAttr{
		Handled_access_fs: rightsOf(lastFSRight, func(a *unix.LandlockRulesetAttr, bit uint64) { a.Handled_access_fs = bit }),
	}
	if rules.Handled_access_fs == 0 {
		return 0, nil
	}
	walls := wire.Landlock
	rules.Handled_access_net = rightsOf(lastNetRight, func(a *unix.LandlockRulesetAttr, bit uint64) { a.Handled_access_net = bit })
	rules.Scoped = rightsOf(scopes, func(a *unix.LandlockRulesetAttr, bit uint64) { a.Scoped = bit })
	if rules.Handled_access_net&tcpRights == tcpRights {
		walls |= wire.LandlockNet
	}
	if rules.Scoped == scopes {
		walls |= wire.LandlockScope
	}
	set, err := newRuleset(&rules)
	if err != nil {
		return 0, fmt.Errorf("inside: landlock: %w", err)
	}
	defer unix.Close(set)
	if err := allow(set); err != nil {
		return 0, fmt.Errorf("inside: landlock: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(set), 0, 0); errno != 0 {
		return 0, fmt.Errorf("inside: landlock: %w", errno)
	}
	return walls, nil
}

// rightsOf asks the kernel for each right up to last.
func rightsOf(last uint64, put func(*unix.LandlockRulesetAttr, uint64)) uint64 {
	var all uint64
	for bit := uint64(1); bit <= last; bit <<= 1 {
		var a unix.LandlockRulesetAttr
		put(&a, bit)
		if set, err := newRuleset(&a); err == nil {
			unix.Close(set)
			all |= bit
		}
	}
	return all
}

func newRuleset(a *unix.LandlockRulesetAttr) (int, error) {
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(a)), unsafe.Sizeof(*a), 0)
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}

func allow(set int) error {
	for fd, rights := range inheritedRights {
		if err := allowFD(set, fd, rights); err != nil {
			return err
		}
	}
	for _, f := range systemFiles {
		fd, err := unix.Open(f.path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		err = allowFD(set, fd, f.rights)
		unix.Close(fd)
		if err != nil {
			return err
		}
	}
	return nil
}

// allowFD adds a rule for what a descriptor names. A file can have no directory's
// rights.
func allowFD(set, fd int, rights uint64) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &^= readDir
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
