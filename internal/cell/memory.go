package cell

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"blotter/internal/reason"
)

// watchEvery is how often a cell's memory is looked at. Between two looks a cell can
// touch some 100 MB; the address-space limit is the backstop.
const watchEvery = 25 * time.Millisecond

// memory watches the resident set of one process.
type memory struct {
	pid     int
	limit   int64        // bytes
	highest atomic.Int64 // resident bytes
	mapped  atomic.Int64 // address space in bytes, at its highest
}

// watch looks until done is closed, and calls kill once the limit is passed.
func (m *memory) watch(done <-chan struct{}, kill func(error)) {
	t := time.NewTicker(watchEvery)
	defer t.Stop()
	for {
		select {
		case <-done:
			return
		case <-t.C:
			if m.look() > m.limit {
				kill(reason.Because(reason.CellMemory, fmt.Errorf("cell: over %d bytes", m.limit)))
				return
			}
		}
	}
}

// look returns the bytes that are resident now and keeps the kernel's high-water mark;
// 0 once the process has gone.
func (m *memory) look() int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(m.pid) + "/status")
	if err != nil {
		return 0
	}
	m.highest.Store(max(m.highest.Load(), kilobytes(b, "VmHWM:")))
	m.mapped.Store(max(m.mapped.Load(), kilobytes(b, "VmPeak:")))
	return kilobytes(b, "VmRSS:")
}

// filled reports whether the process came close to its limit of address space, so that
// its end means want of memory: an allocation that fails leaves the last eighth unused
// at most, unless it was a single huge one.
func (m *memory) filled(limit int64) bool { return m.mapped.Load() > limit-limit/8 }

// peak is the highest resident set seen, bytes.
func (m *memory) peak() int64 { return m.highest.Load() }

// kilobytes finds a line such as "VmRSS:   1234 kB" and returns it in bytes.
func kilobytes(status []byte, name string) int64 {
	_, rest, ok := bytes.Cut(status, []byte("\n"+name))
	if !ok {
		return 0
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	n, err := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(line), []byte(" kB"))), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}

// computed is the processor time of a process and all its threads so far; 0 once it has
// gone. Its clock is told from its number as the C library does it
// (clock_getcpuclockid(3)); the kernel counts nanoseconds there, and whole ticks of 10 ms
// in /proc.
func computed(pid int) time.Duration {
	const scheduled = 2 // CPUCLOCK_SCHED of its posix-timers.h; numbers of processes have 22 bits
	var t unix.Timespec
	if err := unix.ClockGettime(^int32(pid)<<3|scheduled, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
