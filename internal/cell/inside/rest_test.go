package inside_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"blotter/internal/cell"
	"blotter/internal/cell/wire"
	"blotter/internal/reason"
)

// background is a sink whose document gives way.
type background struct {
	sink
	nice    int
	between func() func(context.Context) error
	asked   int
}

func (b *background) Nice() int { return b.nice }

func (b *background) Between() func(context.Context) error {
	b.asked++
	return b.between()
}

// state is the letter with which the kernel tells what a process does.
func state(t *testing.T, pid int) string {
	t.Helper()
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	return string(line[bytes.LastIndexByte(line, ')')+2:][0])
}

// A cell at rest stands still by the kernel's account, and its document comes to the same
// end afterwards.
func TestRestsBetweenAssets(t *testing.T) {
	c := start(t, cell.Config{})
	rests := 0
	s := &background{nice: 6, between: func() func(context.Context) error {
		return func(context.Context) error {
			rests++
			if got := stopped(t, c.PID()); got != "T" {
				t.Errorf("a resting cell is in state %q", got)
			}
			if raw, err := unix.Getpriority(unix.PRIO_PROCESS, c.PID()); os.Getuid() == 0 && (err != nil || 20-raw < 6) {
				t.Errorf("the cell runs at nice %d, %v", 20-raw, err)
			}
			return nil
		}
	}}
	r, err := c.Run(t.Context(), file(t, []byte(probePrefix+"two assets")), wire.Task{Limits: limits}, s)
	if err != nil || r.Assets != 2 || s.asked != 4 || rests != 4 {
		t.Errorf("%d assets, asked %d times, %d rests: %v", r.Assets, s.asked, rests, err)
	}
}

// stopped waits until every thread of the process has taken the stop.
func stopped(t *testing.T, pid int) string {
	t.Helper()
	var status unix.Siginfo
	if err := unix.Waitid(unix.P_PID, pid, &status, unix.WSTOPPED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	return state(t, pid)
}

func TestRestEndsTheCell(t *testing.T) {
	lost := errors.New("lease lost")
	for name, between := range map[string]func(cancel func()) func(context.Context) error{
		"by its error": func(func()) func(context.Context) error {
			return func(context.Context) error { return lost }
		},
		"by its context": func(cancel func()) func(context.Context) error {
			return func(ctx context.Context) error { cancel(); <-ctx.Done(); return context.Cause(ctx) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			c := start(t, cell.Config{})
			s := &background{between: func() func(context.Context) error { return between(func() { cancel(lost) }) }}
			_, err := c.Run(ctx, file(t, []byte(probePrefix+"two assets")), wire.Task{Limits: limits}, s)
			if !errors.Is(err, lost) || c.Alive() {
				t.Errorf("alive %v, %v", c.Alive(), err)
			}
		})
	}
}

// A cell that was captured must not make us answer for ever.
func TestPausesAreCounted(t *testing.T) {
	_, err := probe(t, cell.Config{}, wire.Task{Limits: limits}, "endless pauses")
	if reason.Of(err) != reason.CellProtocol {
		t.Errorf("%v, want %s", err, reason.CellProtocol)
	}
}
