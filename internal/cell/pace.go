package cell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"blotter/internal/cell/wire"
	"blotter/internal/reason"
)

// pace says when a cell computes on its document: at which priority, how long at most,
// and whether it stands still between two assets.
type pace struct {
	cell  *Cell
	sink  Sink
	limit time.Duration // that the document may take, without the time it stood still

	began time.Time // of the stretch that is under way
	late  *time.Timer
}

// begin starts the document's time; stop ends it.
func (p *pace) begin() (stop func()) {
	if b, ok := p.sink.(Background); ok && b.Nice() > 0 {
		lower(p.cell.PID(), b.Nice())
	}
	p.start()
	return func() { p.late.Stop() }
}

func (p *pace) start() {
	p.began = time.Now()
	p.late = time.AfterFunc(p.limit, func() {
		p.cell.kill(reason.Because(reason.CellTimeout, errors.New("cell: over its time")))
	})
}

// betweenAssets reports whether the cell waits for wire.GoOn after this message.
func betweenAssets(m wire.Message) bool {
	said, ok := m.(wire.Progress)
	return ok && said.Index > 0
}

// between lets the cell go on with its next asset, at once or after a rest.
func (p *pace) between(ctx context.Context) error {
	if b, ok := p.sink.(Background); ok {
		if rest := b.Between(); rest != nil {
			if err := p.rest(ctx, rest); err != nil {
				return err
			}
		}
	}
	if _, err := p.cell.conn.Write([]byte{wire.GoOn}); err != nil {
		return p.cell.ended(err, reason.CellCrashed)
	}
	return nil
}

// rest stops the process while it lasts. An honest cell waits for our word anyway; one
// that was captured must not compute in a place that was given to another.
func (p *pace) rest(ctx context.Context, rest func(context.Context) error) error {
	p.late.Stop()
	p.limit -= time.Since(p.began)
	if err := p.cell.process.Signal(unix.SIGSTOP); err != nil {
		return p.cell.ended(err, reason.CellCrashed)
	}
	if err := rest(ctx); err != nil {
		return fmt.Errorf("cell: at rest: %w", err)
	}
	p.start()
	if err := p.cell.process.Signal(unix.SIGCONT); err != nil {
		return p.cell.ended(err, reason.CellCrashed)
	}
	return nil
}

// lower gives the threads of a process a lower priority than ours by nice, and never a
// higher one than they have. Nice is of a thread on Linux (setpriority(2)); threads that
// are made later inherit it from who makes them. A process that has gone needs none.
func lower(pid, nice int) {
	tasks, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task")
	if err != nil {
		return
	}
	target := min(niceOf(0)+nice, 19)
	for _, t := range tasks {
		tid, err := strconv.Atoi(t.Name())
		if err == nil && niceOf(tid) < target {
			_ = unix.Setpriority(unix.PRIO_PROCESS, tid, target) // the thread may have ended
		}
	}
}

// niceOf is the priority of a thread; 0 is the calling one. The system call returns 20
// minus nice, so that no answer looks like an error.
func niceOf(tid int) int {
	raw, err := unix.Getpriority(unix.PRIO_PROCESS, tid)
	if err != nil {
		return 0
	}
	return 20 - raw
}
