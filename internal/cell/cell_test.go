package cell

import (
	"strings"
	"testing"

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
