package app

import (
	"bytes"
	"os"
	"strconv"

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
// host's memory and its control group's limit; 0 where neither can be read.
func hostMemory() int64 {
	host := kilobytesOf("/proc/meminfo", "MemTotal:")
	if b, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64); err == nil { // else "max"
			return min(n, host)
		}
	}
	return host
}

func kilobytesOf(file, name string) int64 {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(b, []byte(name))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	n, _ := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(line), []byte(" kB"))), 10, 64)
	return n << 10
}
