package checkup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Directory looks at a directory that holds documents or keys: whose it is, what its mount
// allows, whether what is deleted is gone, what room there is. least is how many bytes must
// be free. Of one that is not there yet it looks at the place where it will be. What is
// lasting must outlive the host's next start; of the rest nothing need.
func Directory(part, dir string, least int64, lasting bool) []Finding {
	place := standing(dir)
	st, err := os.Stat(place)
	if err != nil {
		return []Finding{judged(part, "permissions", false, "cannot be looked at", "Give blotter's user the right to enter it.")}
	}
	var out []Finding
	if missing(dir) {
		out = append(out, unknown(part, "permissions", "not there yet", "It is made at the first start; look again then."))
	} else {
		out = append(out, private(part, "permissions", st), writable(part, place))
	}
	if mounts, err := os.ReadFile("/proc/self/mountinfo"); err == nil {
		if m, ok := mountOf(place, mounts); ok {
			out = append(out, mountOptions(part, m), keepsSecrets(part, m, lasting))
		}
	}
	return append(out, room(part, place, least)...)
}

func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// standing is the directory, links resolved, or the nearest one above that is there.
func standing(dir string) string {
	for missing(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// File looks at a file that holds a key.
func File(part, check, path string) Finding {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return unknown(part, check, "not there yet", "It is made at the first start of a new station. Where there was one: restore it, or nothing stored under it can be read.")
	case err != nil || !st.Mode().IsRegular():
		return judged(part, check, false, "cannot be looked at", "Give blotter's user the right to read it.")
	}
	return private(part, check, st)
}

// private demands that nobody else may read, enter or change it.
func private(part, check string, st fs.FileInfo) Finding {
	owner := -1
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		owner = int(s.Uid)
	}
	found := fmt.Sprintf("mode %04o, owner %d", st.Mode().Perm(), owner)
	const open = 0o077
	return judged(part, check, st.Mode().Perm()&open == 0 && owner == os.Geteuid(), found,
		fmt.Sprintf("Make it the property of user %d, with no right for anybody else (chmod go=).", os.Geteuid()))
}

// writable asks the kernel whether this user may make and remove files in a directory, which
// a file system mounted for reading alone, or one that the kernel has given up, forbids.
func writable(part, dir string) Finding {
	const check = "writable"
	switch err := unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK|unix.X_OK, unix.AT_EACCESS); {
	case err == nil:
		return judged(part, check, true, "yes", "")
	case errors.Is(err, unix.EROFS):
		return judged(part, check, false, "its file system is mounted for reading alone",
			"Mount it for writing; where it was, look into the kernel's log for errors of the disk.")
	default:
		return judged(part, check, false, "no", "Give blotter's user the right to write and enter it.")
	}
}

// room looks at free bytes, free inodes, and the quota of this user.
func room(part, dir string, least int64) []Finding {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return []Finding{unknown(part, "free space", "cannot be asked", "Look at it with df.")}
	}
	free := int64(s.Bavail) * s.Bsize
	out := []Finding{judged(part, "free space", free >= least, fmt.Sprintf("%d MB free, %d MB wanted", free/1e6, least/1e6),
		"Make room, or lower serve.disk_free_bytes: nothing new is taken in meanwhile.")}
	if s.Files > 0 { // some file systems have no such number
		const fewest = 10_000
		out = append(out, judged(part, "free inodes", s.Ffree >= fewest, fmt.Sprintf("%d", s.Ffree), "Remove what is not needed: each stored image is a file."))
	}
	return append(out, quota(part, dir, least))
}

// diskQuota is struct if_dqblk of the kernel (quotactl(2)).
type diskQuota struct {
	HardBlocks, SoftBlocks uint64 // of 1,024 bytes; 0: no limit
	UsedBytes              uint64
	HardInodes, SoftInodes uint64
	UsedInodes             uint64
	BlockGrace             uint64
	InodeGrace             uint64
	Valid                  uint32
	_                      uint32
}

// quota asks what this user may still store on the file system of a directory. The call
// takes a descriptor since Linux 5.14.
func quota(part, dir string, least int64) Finding {
	const check = "quota"
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return unknown(part, check, "cannot be asked", "Look at it with quota.")
	}
	defer unix.Close(fd)
	const getUserQuota = 0x800007 << 8 // QCMD(Q_GETQUOTA, USRQUOTA)
	var q diskQuota
	_, _, errno := unix.Syscall6(unix.SYS_QUOTACTL_FD, uintptr(fd), getUserQuota, uintptr(os.Geteuid()), uintptr(unsafe.Pointer(&q)), 0, 0)
	switch {
	case errno == unix.ESRCH, errno == unix.ENOTSUP, errno == unix.ENOTBLK, errno == 0 && q.HardBlocks == 0:
		return judged(part, check, true, "none for this user", "")
	case errno == unix.ENOSYS && inMemory(fd):
		return judged(part, check, true, "none: it has the size of its mount", "")
	case errno != 0:
		return unknown(part, check, "cannot be asked: "+nameOf(errno), "Look at it with quota.")
	}
	left := int64(q.HardBlocks)<<10 - int64(q.UsedBytes)
	return judged(part, check, left >= least, fmt.Sprintf("%d MB left, %d MB wanted", left/1e6, least/1e6),
		"Have the quota of blotter's user raised.")
}

func inMemory(fd int) bool {
	var s unix.Statfs_t
	return unix.Fstatfs(fd, &s) == nil && (s.Type == unix.TMPFS_MAGIC || s.Type == unix.RAMFS_MAGIC)
}

// ClockSlack is how far two clocks may be apart before leases, events and deletions of one
// host contradict those of another.
const ClockSlack = 2 * time.Minute

const partClock = "clock"

// Clock looks at this host's clock: beside the time at which this program was built (zero:
// not known), and whether something keeps it right.
func Clock(now, built time.Time) []Finding {
	out := []Finding{judged(partClock, "date", !now.Before(built), now.UTC().Format(time.RFC3339),
		"The clock stands before the day on which this program was built. Set it, and let NTP keep it.")}
	var t unix.Timex
	state, err := unix.Adjtimex(&t) // Modes 0: only asks
	switch {
	case err != nil:
		return append(out, unknown(partClock, "synchronised", "the kernel does not say", "Look at it with timedatectl."))
	case state == timeError || t.Status&unix.STA_UNSYNC != 0:
		return append(out, unknown(partClock, "synchronised", "nothing keeps it in time that this kernel knows of", "Run an NTP client on the host. In a virtual machine or container the host may do it."))
	}
	return append(out, judged(partClock, "synchronised", true, "yes", ""))
}

// timeError is the state of a clock that is not synchronised (adjtimex(2)).
const timeError = 5

// Beside compares this host's clock with another, such as the database's.
func Beside(other string, own, theirs time.Time) Finding {
	apart := own.Sub(theirs).Abs()
	return judged(partClock, "beside "+other, apart <= ClockSlack, fmt.Sprintf("%s apart", apart.Round(time.Second)),
		"Set both by NTP: leases are counted by the database's clock, events are dated by this host's.")
}

// Memory looks whether all cells at their limit fit into the host. hostBytes 0: not known.
func Memory(hostBytes, cellBytes int64, cells int) Finding {
	const part, check = "host", "memory"
	if hostBytes == 0 {
		return unknown(part, check, "the host does not say", "Compare the host's memory with workers × cell.memory_bytes.")
	}
	need := int64(cells)*cellBytes + hostBytes/8
	return judged(part, check, need <= hostBytes,
		fmt.Sprintf("%d MB for %d cells of %d MB and the rest", hostBytes/1e6, cells, cellBytes/1e6),
		"Lower workers or cell.memory_bytes, or give the host more memory: else the kernel may kill a cell that keeps its limit.")
}

// Passed and Failed make findings of what a caller has looked at.
func Passed(part, check, found string) Finding { return judged(part, check, true, found, "") }

// Failed says what is wrong and what to do.
func Failed(part, check, found, do string) Finding { return judged(part, check, false, found, do) }

// NotKnown says what could not be looked at, and what to do.
func NotKnown(part, check, found, do string) Finding { return unknown(part, check, found, do) }
