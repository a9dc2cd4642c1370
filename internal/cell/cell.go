// Package cell runs one document in a confined child process and takes what comes
// back: assets, boxes and PNG bytes, never text. The child is this binary again, under
// Landlock and seccomp, without capabilities, and dead when its parent is.
//
// The parent treats every message as hostile: a message out of order, out of bounds or
// out of range ends the cell with cell.protocol. It enforces wall-clock time and memory
// by SIGKILL, holds no decoder, and forwards nothing that the child prints.
//
// A cell takes one document and is gone afterwards, whatever happened.
package cell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// Asset is one image of a document as the cell left it.
type Asset struct {
	document.Asset
	Findings []document.Finding // boxes in the asset's own pixels, after orientation
	Status   document.Status
	Reason   reason.Code // why it is withheld, else empty
}

// Sink takes a document's results while they arrive. Its methods are called from
// Run's goroutine, in order; an error ends the cell and is returned by Run.
type Sink interface {
	// Blob opens the place for a PNG of the asset with that index: its derivative or,
	// where the task asks for it, its original. It is closed without error before Asset
	// is called. Where Run fails it is closed as well, no Asset follows, and whatever was
	// written must be thrown away.
	Blob(index int, original bool) (io.WriteCloser, error)
	// Asset takes a finished asset, redacted or withheld.
	Asset(Asset) error
}

// Watcher is a Sink that also wants to know how far the cell is.
type Watcher interface {
	// Progress says that the stage has begun for the asset with that index (0: for the
	// whole document).
	Progress(stage document.Stage, index int)
}

// Background is a Sink whose document gives way to others.
type Background interface {
	// Nice is how far the cell's priority is lowered below this process's, from 0 (not at all) to 19.
	Nice() int
	// Between is asked before each asset. It returns nil where the cell may go on at once.
	// Otherwise the cell stands still, with its memory and its place in the document, until
	// rest returns; that time does not count towards the document's limit. An error of rest
	// ends the cell.
	Between() (rest func(context.Context) error)
}

// Report sums up a document.
type Report struct {
	Format      document.Format
	NotCovered  document.NotCovered
	Protections wire.Protection  // walls that were in force
	Timings     document.Timings // of the stages inside the cell
	PeakBytes   int64            // resident memory of the cell at its highest, as the kernel counted it
	CPU         time.Duration    // that the cell computed on the document, summed over its threads; 0 where it ended by itself
	Pixels      int64            // decoded in the cell, summed over both passes
	Assets      int

	// Of all containers of the document; 0 for one that is none.
	Entries       int
	UnpackedBytes int64
	Ratio         int64 // of the densest entry above 8 MiB, times its packed bytes
}

// Cell is a child process that waits for its document or works on it.
type Cell struct {
	cfg         Config
	process     *os.Process
	conn        *net.UnixConn
	messages    *wire.Reader
	protections wire.Protection
	memory      *memory

	mu    sync.Mutex
	cause error            // why we killed it; nil while we have not
	done  chan struct{}    // closed when the process was waited for
	state *os.ProcessState // how it ended; once done is closed
}

// Start runs a cell and waits until its engines are loaded and its walls stand. The
// error carries cell.protection_missing, cell.engines_missing or cell.start_failed.
func Start(ctx context.Context, cfg Config) (*Cell, error) {
	if err := cfg.Validate(); err != nil {
		return nil, reason.Because(reason.ConfigInvalid, err)
	}
	cfg = cfg.withDefaults()
	c, err := launch(cfg)
	if err != nil {
		return nil, reason.Because(reason.CellStart, err)
	}
	if err := c.awaitReady(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// awaitReady takes the first message and judges the walls.
func (c *Cell) awaitReady(ctx context.Context) error {
	defer c.killOn(ctx)()
	late := time.AfterFunc(c.cfg.StartTimeout, func() {
		c.kill(reason.Because(reason.CellStart, fmt.Errorf("cell: not ready after %v", c.cfg.StartTimeout)))
	})
	defer late.Stop()
	m, err := c.messages.Next()
	if err != nil {
		return c.ended(err, reason.CellStart)
	}
	switch m := m.(type) {
	case wire.Ready:
		c.protections = m.Protections
		return c.judge()
	case wire.Failed:
		code, ok := reason.ByNumber(m.Reason)
		if !ok {
			code = reason.CellStart
		}
		return reason.Because(code, errors.New("cell: the child could not start"))
	}
	return wire.Violation("no Ready at the start")
}

func (c *Cell) judge() error {
	missing := wire.AllProtections &^ c.protections &^ c.cfg.Accept
	if missing != 0 {
		return reason.Because(reason.CellProtection, fmt.Errorf("cell: this host lacks %v", missing.Names()))
	}
	return nil
}

// Run gives the cell its document and takes the results. doc must be open for reading
// alone. The error carries the reason why nothing of the document can be released; the
// report holds what was learned until then. The cell is gone when Run returns.
func (c *Cell) Run(ctx context.Context, doc *os.File, t wire.Task, s Sink) (Report, error) {
	defer c.Close()
	r := &session{task: t, sink: s, report: Report{Protections: c.protections}}
	err := c.run(ctx, doc, t, r, s)
	r.report.PeakBytes = c.memory.peak()
	return r.report, errors.Join(err, r.abandon())
}

// listener judges what the cell says of a document, and keeps what it learns.
type listener interface {
	take(wire.Message) (over bool, err error)
	spent(cpu time.Duration)
}

func (c *Cell) run(ctx context.Context, doc *os.File, t wire.Task, r listener, s Sink) error {
	if err := readOnly(doc); err != nil {
		return err
	}
	defer c.killOn(ctx)()
	p := &pace{cell: c, sink: s, limit: time.Duration(t.Limits.Seconds) * time.Second}
	defer p.begin()()
	if err := wire.SendTask(c.conn, t, doc); err != nil {
		return c.ended(err, reason.CellCrashed)
	}
	loaded := computed(c.PID())
	for {
		m, err := c.messages.Next()
		if err != nil {
			return c.ended(err, reason.CellCrashed)
		}
		over, err := r.take(m)
		if err == nil && betweenAssets(m) {
			err = p.between(ctx)
		}
		if over || err != nil {
			c.memory.look() // while the process is still there
			r.spent(computed(c.PID()) - loaded)
			return err
		}
	}
}

// readOnly refuses a descriptor through which the cell could write.
func readOnly(doc *os.File) error {
	raw, err := doc.SyscallConn()
	if err != nil {
		return reason.Because(reason.WorkdirFailed, errors.New("cell: the document is closed"))
	}
	var flags int
	var failed error
	err = raw.Control(func(fd uintptr) { flags, failed = unix.FcntlInt(fd, unix.F_GETFL, 0) })
	if err := errors.Join(err, failed); err != nil {
		return reason.Because(reason.WorkdirFailed, errors.New("cell: the document is closed"))
	}
	if flags&unix.O_ACCMODE != unix.O_RDONLY {
		return reason.Because(reason.Internal, errors.New("cell: the document is open for writing"))
	}
	return nil
}

// Close kills the cell and waits for its end. Calling it again does nothing.
func (c *Cell) Close() error {
	c.kill(errClosed)
	<-c.done
	c.conn.Close()
	return nil
}

var errClosed = errors.New("cell: closed")

// PID is the process id of the child.
func (c *Cell) PID() int { return c.process.Pid }

// Alive reports whether the process still runs.
func (c *Cell) Alive() bool {
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// kill ends the process and remembers the first cause.
func (c *Cell) kill(cause error) {
	c.mu.Lock()
	if c.cause == nil {
		c.cause = cause
	}
	c.mu.Unlock()
	c.process.Kill() // fails only where the process has ended
}

// killOn ties the cell to ctx until the returned function is called.
func (c *Cell) killOn(ctx context.Context) func() bool {
	return context.AfterFunc(ctx, func() {
		c.kill(fmt.Errorf("cell: stopped: %w", context.Cause(ctx)))
	})
}

// ended finds out why the socket gave err: a protocol violation, our own kill, or an
// end of the child that we did not ask for, whose code is otherwise before it had a
// document.
func (c *Cell) ended(err error, otherwise reason.Code) error {
	if reason.Of(err) == reason.CellProtocol {
		return err
	}
	select {
	case <-c.done:
	case <-time.After(endsWithin): // it hung up and lives on
	}
	c.kill(reason.Because(c.verdict(otherwise), errors.New("cell: the child ended by itself")))
	<-c.done
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cause
}

// endsWithin is how long a process may take from closing its socket to its end before
// we end it: long enough for the kernel to free gigabytes.
const endsWithin = 2 * time.Second

// verdict tells how a child ended that we did not kill. SIGKILL from elsewhere is
// nearly always the host's out-of-memory killer, whose choice says little about the
// document.
func (c *Cell) verdict(otherwise reason.Code) reason.Code {
	if otherwise != reason.CellCrashed || c.Alive() {
		return otherwise
	}
	if status, ok := c.state.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == unix.SIGKILL {
		return reason.CellKilled
	}
	if c.memory.filled(c.cfg.AddressSpaceBytes) {
		return reason.CellMemory
	}
	return reason.CellCrashed
}
