package checkup

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// mount is one line of /proc/self/mountinfo (proc(5)).
type mount struct {
	point   string
	options []string
	kind    string // file system
	source  string
}

// mountOf finds the mount that a path, links resolved, lies on.
func mountOf(path string, mountinfo []byte) (mount, bool) {
	var best mount
	found := false
	for line := range bytes.Lines(mountinfo) {
		m, ok := parseMount(string(line))
		if ok && covers(m.point, path) && len(m.point) >= len(best.point) { // a later one lies over an earlier one
			best, found = m, true
		}
	}
	return best, found
}

// parseMount reads a line: id, parent, device, root, mount point, options, any number of
// optional fields, a dash, file system, source, options of the file system.
func parseMount(line string) (mount, bool) {
	fields := strings.Fields(line)
	dash := slices.Index(fields, "-")
	if dash < 6 || len(fields) < dash+3 {
		return mount{}, false
	}
	return mount{
		point: unescape(fields[4]), options: strings.Split(fields[5], ","),
		kind: fields[dash+1], source: unescape(fields[dash+2]),
	}, true
}

// unescape undoes the octal escapes of blanks and backslashes.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace

func covers(point, path string) bool {
	return point == "/" || path == point || strings.HasPrefix(path, point+"/")
}

func (m mount) inMemory() bool { return m.kind == "tmpfs" || m.kind == "ramfs" }

// mountOptions has a finding for what the mount of a directory of documents allows.
func mountOptions(part string, m mount) Finding {
	var missing []string
	for _, o := range []string{"noexec", "nosuid", "nodev"} {
		if !slices.Contains(m.options, o) {
			missing = append(missing, o)
		}
	}
	found := fmt.Sprintf("%s, %s", m.kind, strings.Join(m.options, ","))
	return advised(part, "mount options", len(missing) == 0, found,
		"Give it a file system of its own, mounted with "+strings.Join(missing, ", ")+": nothing in it is ever executed.")
}

// keepsSecrets has findings for whether what is deleted there can come back: what is in
// memory only can through swap, what is on a disk can unless that is encrypted. What is to
// last has no place in memory.
func keepsSecrets(part string, m mount, lasting bool) Finding {
	const check = "on disk"
	instead := "Encrypt the disk, or point workdir at a tmpfs"
	switch {
	case m.inMemory() && lasting:
		return advised(part, check, false, "in memory", "Move it to a disk: all that is in it is gone when the host starts anew.")
	case m.inMemory():
		return swapped(part)
	case lasting:
		instead = "Encrypt the disk"
	}
	switch encrypted(m.source) {
	case yes:
		return judged(part, check, true, "encrypted", "")
	case no:
		return advised(part, check, false, "not encrypted", instead+": what is deleted from a disk can often be read from it for a while.")
	}
	return unknown(part, check, "whether "+m.kind+" lies on an encrypted disk is not to be seen from here",
		instead+", unless the storage below does.")
}

// swapped judges a place that is in memory.
func swapped(part string) Finding {
	const check = "in memory"
	swaps, err := os.ReadFile("/proc/swaps")
	if err != nil {
		return unknown(part, check, "whether there is swap is not to be seen", "Look at it with swapon --show: pages of a tmpfs may go there.")
	}
	switch where := plainSwap(swaps); {
	case where == 0:
		return judged(part, check, true, "no page of it reaches a disk in the clear", "")
	default:
		return advised(part, check, false, fmt.Sprintf("%d places of swap that are not encrypted", where),
			"Encrypt the swap or turn it off: pages of a tmpfs, and of cells, may go there.")
	}
}

// plainSwap counts places of swap that are neither memory nor encrypted.
func plainSwap(swaps []byte) int {
	n := 0
	for i, line := range strings.Split(string(swaps), "\n") {
		fields := strings.Fields(line)
		if i == 0 || len(fields) == 0 {
			continue // the heading
		}
		if strings.HasPrefix(fields[0], "/dev/zram") || encrypted(fields[0]) == yes {
			continue
		}
		n++
	}
	return n
}

// answer is yes, no, or neither.
type answer int

const (
	notKnown answer = iota
	yes
	no
)

// encrypted asks the kernel whether a block device, or one below it, is a dm-crypt target.
func encrypted(device string) answer {
	if !strings.HasPrefix(device, "/dev/") {
		return notKnown
	}
	var st unix.Stat_t
	if err := unix.Stat(device, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFBLK {
		return notKnown
	}
	return encryptedAt(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(st.Rdev), unix.Minor(st.Rdev)))
}

func encryptedAt(dir string) answer {
	if _, err := os.Stat(dir); err != nil {
		return notKnown
	}
	if uuid, err := os.ReadFile(filepath.Join(dir, "dm", "uuid")); err == nil && bytes.HasPrefix(uuid, []byte("CRYPT-")) {
		return yes
	}
	below, _ := os.ReadDir(filepath.Join(dir, "slaves")) // an absent directory has nothing below
	for _, e := range below {
		if encryptedAt(filepath.Join(dir, "slaves", e.Name())) != yes {
			return no
		}
	}
	if len(below) > 0 {
		return yes // each of them is
	}
	return no
}
