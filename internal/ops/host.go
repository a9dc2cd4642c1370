package ops

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"blotter/internal/reason"
)

// clockSlack is how far the clock may stand before the last signed event: hosts of one
// fleet differ by less, and a clock that is set does not jump back further.
const clockSlack = 2 * time.Minute

// DiskFree reports whether the file system of dir has at least so many bytes left for an
// unprivileged user. Errors: host.disk_full; workdir.unavailable where it cannot be asked.
func DiskFree(dir string, least int64) error {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return reason.Because(reason.WorkdirFailed, fmt.Errorf("ops: ask for free space: %w", err))
	}
	if free := s.Bavail * uint64(s.Bsize); free < uint64(max(0, least)) {
		return reason.Because(reason.HostDisk, fmt.Errorf("ops: %d bytes free, %d wanted", free, least))
	}
	return nil
}

// Clock reports whether now is plausible beside the last event that was signed here: a
// clock that stands clearly before it would date new events, leases and deletions wrongly.
// A zero lastSigned tells nothing. Error: host.clock_wrong.
func Clock(now, lastSigned time.Time) error {
	if behind := lastSigned.Sub(now); !lastSigned.IsZero() && behind > clockSlack {
		return reason.Because(reason.HostClock, fmt.Errorf("ops: the clock is %s behind the log", behind.Round(time.Second)))
	}
	return nil
}
