package cell

import (
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"blotter/internal/cell/wire"
	"blotter/internal/reason"
)

// A wall that the host lacks refuses the start, by name, until it is accepted by name.
func TestMissingWallsAreJudged(t *testing.T) {
	c := &Cell{protections: wire.AllProtections &^ (wire.LandlockNet | wire.Seccomp)}
	err := c.judge()
	if reason.Of(err) != reason.CellProtection {
		t.Fatalf("%v, want %s", err, reason.CellProtection)
	}
	for _, name := range []string{"landlock_net", "seccomp"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%v does not name %s", err, name)
		}
	}
	c.cfg.Accept = wire.LandlockNet
	if err := c.judge(); reason.Of(err) != reason.CellProtection || strings.Contains(err.Error(), "landlock_net") {
		t.Errorf("one accepted: %v", err)
	}
	c.cfg.Accept |= wire.Seccomp
	if err := c.judge(); err != nil {
		t.Errorf("both accepted: %v", err)
	}
}

func TestConfigReportsEverything(t *testing.T) {
	err := Config{MemoryBytes: -1, AddressSpaceBytes: 1 << 20, Threads: -1, Nice: 20, UID: -1, StartTimeout: -1}.Validate()
	for _, field := range []string{"memory_bytes", "address_space_bytes", "threads", "nice", "uid", "start_timeout"} {
		if err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s is not reported in %v", field, err)
		}
	}
	if err := (Config{}).Validate(); err != nil {
		t.Errorf("the zero value: %v", err)
	}
}

func TestMemoryReadsTheKernelsLines(t *testing.T) {
	status := []byte("Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\nVmSwap:\tmany\n")
	for name, want := range map[string]int64{"VmHWM:": 2 << 20, "VmRSS:": 1 << 20, "VmSwap:": 0, "VmPeak:": 0} {
		if got := kilobytes(status, name); got != want {
			t.Errorf("%s %d, want %d", name, got, want)
		}
	}
}

// What the kernel says of a process's time is what the process knows of itself, to the
// step of its clock.
func TestComputedIsTheProcessorTime(t *testing.T) {
	own := func() time.Duration {
		var u unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	for own() < 100*time.Millisecond { // asking takes time itself
	}
	const step = 20 * time.Millisecond // one of hundredths for each of user and system
	before := own()
	got := computed(os.Getpid())
	if after := own(); got < before-step || got > after+step {
		t.Errorf("%v, between %v and %v", got, before, after)
	}
	if got := computed(1 << 25); got != 0 {
		t.Errorf("a process that is none computed for %v", got)
	}
}
