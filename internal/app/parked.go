package app

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"blotter/internal/cell"
	"blotter/internal/config"
)

// parkedMost is how many bulk documents may be parked on a node. Each keeps its cell's
// memory, so that by default they get what a host of so many bytes has left when every
// place is taken by a cell at its limit, less an eighth for all else; at most four for
// each place.
func parkedMost(cfg config.Config, hostBytes int64) int {
	if cfg.Parked >= 0 {
		return cfg.Parked
	}
	limit := cfg.Cell.MemoryBytes
	if limit == 0 {
		limit = cell.DefaultMemory
	}
	places := int64(cfg.Workers + cfg.Serve.InteractiveWorkers + cfg.Serve.SyncSlots)
	left := hostBytes - hostBytes/8 - places*limit
	return int(min(max(left/limit, 0), 4*int64(cfg.Workers)))
}

// hostMemory is how many bytes this process and its cells may use: the least of the
// host's memory and its control group's limit; 0 where the host does not say.
func hostMemory() int64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0
	}
	host := int64(info.Totalram) * int64(info.Unit)
	if b, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64); err == nil { // else "max"
			return min(n, host)
		}
	}
	return host
}
