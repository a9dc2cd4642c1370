package ops

import (
	"math"
	"path/filepath"
	"testing"
	"time"

	"blotter/internal/reason"
)

func TestDiskFree(t *testing.T) {
	dir := t.TempDir()
	if err := DiskFree(dir, 1); err != nil {
		t.Errorf("one byte: %v", err)
	}
	if err := DiskFree(dir, -1); err != nil {
		t.Errorf("no bytes: %v", err)
	}
	if got := reason.Of(DiskFree(dir, math.MaxInt64)); got != reason.HostDisk {
		t.Errorf("every byte there is: %q", got)
	}
	if got := reason.Of(DiskFree(filepath.Join(dir, "missing"), 1)); got != reason.WorkdirFailed {
		t.Errorf("no directory: %q", got)
	}
}

func TestClock(t *testing.T) {
	signed := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		now  time.Time
		last time.Time
		want reason.Code
	}{
		{signed.Add(time.Hour), signed, ""},
		{signed, signed, ""},
		{signed.Add(-clockSlack), signed, ""},
		{signed.Add(-clockSlack - time.Second), signed, reason.HostClock},
		{time.Unix(0, 0), signed, reason.HostClock},
		{time.Unix(0, 0), time.Time{}, ""},
	} {
		if got := reason.Of(Clock(c.now, c.last)); got != c.want {
			t.Errorf("now %s, last %s: %q, want %q", c.now, c.last, got, c.want)
		}
	}
}
