package cell

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"blotter/internal/cell/wire"
	"blotter/internal/reason"
)

// Trial is what a cell's own attempts to break out came to.
type Trial struct {
	Protections wire.Protection
	Tried       []Attempted
}

// Attempted is one attempt.
type Attempted struct {
	wire.Attempt
	Early   bool       // made before the system call filter stood: what Landlock and the user refuse alone
	Refused unix.Errno // 0: it went through
}

// Bounds of the trials: attempts take milliseconds, and memory fills at gigabytes a second.
const (
	trialTime     = 30 * time.Second
	trialMemory   = 256 << 20 // bytes at which the watch must stop a cell that fills memory
	trialPatience = 300 * time.Millisecond
)

// TryWalls starts a cell that takes no document and does what hostile code would. paths
// name what it must not reach. The error says that no cell could be tried.
func TryWalls(ctx context.Context, cfg Config, paths wire.TryPaths) (Trial, error) {
	cfg.Purpose, cfg.try = wire.TryWalls, paths
	// What the host lacks is the trial's to find out.
	cfg.Accept = wire.AllProtections
	c, err := Start(ctx, cfg)
	if err != nil {
		return Trial{}, err
	}
	defer c.Close()
	defer c.killOn(ctx)()
	defer c.killAfter(trialTime, reason.CellTimeout)()
	t := Trial{Protections: c.protections}
	for {
		m, err := c.messages.Next()
		if err != nil {
			return t, c.ended(err, reason.CellCrashed)
		}
		switch m := m.(type) {
		case wire.Tried:
			if len(t.Tried) > 2*len(wire.Attempts()) || m.Attempt.String() == "invalid" {
				return t, wire.Violation("Tried out of range")
			}
			t.Tried = append(t.Tried, Attempted{Attempt: m.Attempt, Early: m.Early == 1, Refused: unix.Errno(m.Errno)})
		case wire.Done:
			return t, nil
		default:
			return t, wire.Violation("a message that does not belong to a trial")
		}
	}
}

// TryMemory reports whether a cell that fills its memory is stopped at its limit. It
// takes a small limit, so that a host under load is not pressed.
func TryMemory(ctx context.Context, cfg Config) error {
	cfg.MemoryBytes = trialMemory
	return endsAs(ctx, cfg, wire.TryMemory, trialTime, reason.CellMemory)
}

// TryTime reports whether a cell that does not end is stopped.
func TryTime(ctx context.Context, cfg Config) error {
	return endsAs(ctx, cfg, wire.TryTime, trialPatience, reason.CellTimeout)
}

// endsAs starts a cell that would go on for ever, and demands that it is stopped for that
// reason and gone.
func endsAs(ctx context.Context, cfg Config, p wire.Purpose, within time.Duration, want reason.Code) error {
	cfg.Purpose = p
	cfg.Accept = wire.AllProtections
	c, err := Start(ctx, cfg)
	if err != nil {
		return err
	}
	defer c.Close()
	defer c.killOn(ctx)()
	defer c.killAfter(within, reason.CellTimeout)()
	_, err = c.messages.Next()
	if err == nil {
		return wire.Violation("a word from a cell that has nothing to say")
	}
	if err = c.ended(err, reason.CellCrashed); reason.Of(err) != want {
		return err
	}
	if err := unix.Kill(c.PID(), 0); !errors.Is(err, unix.ESRCH) {
		return reason.Because(reason.Internal, fmt.Errorf("cell: process %d is still there", c.PID()))
	}
	return nil
}

// killAfter ends the cell after a while, unless the returned function is called before.
func (c *Cell) killAfter(d time.Duration, code reason.Code) func() bool {
	return time.AfterFunc(d, func() { c.kill(reason.Because(code, errors.New("cell: over its time"))) }).Stop
}
