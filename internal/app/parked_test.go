package app

import (
	"testing"

	"blotter/internal/config"
)

func TestParkedMost(t *testing.T) {
	const gib = 1 << 30
	for name, c := range map[string]struct {
		workers, parked int
		host            int64
		want            int
	}{
		"as said":               {2, 7, gib, 7},
		"none":                  {2, 0, 64 * gib, 0},
		"a small host":          {2, -1, 2 * gib, 0},
		"what is left of 16":    {2, -1, 16 * gib, 8}, // four for each place; 10 would fit
		"what is left of 8":     {2, -1, 8 * gib, 3},
		"memory is not known":   {2, -1, 0, 0},
		"many places, much RAM": {8, -1, 64 * gib, 32},
	} {
		cfg := config.Config{Workers: c.workers, Parked: c.parked, Serve: config.Serve{InteractiveWorkers: 1, SyncSlots: 1}}
		cfg.Cell.MemoryBytes = gib
		if got := parkedMost(cfg, c.host); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestHostMemoryIsKnown(t *testing.T) {
	if got := hostMemory(); got < 1<<28 {
		t.Errorf("%d bytes", got)
	}
}
