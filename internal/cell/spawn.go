package cell

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"blotter/internal/cell/engine"
	"blotter/internal/cell/wire"
)

// launch starts the child's first stage and the goroutines that wait for its end and
// watch its memory.
func launch(cfg Config) (*Cell, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	files, err := inherited(cfg, theirs)
	defer closeAll(files)
	if err != nil {
		return nil, errors.Join(err, ours.Close())
	}
	p, err := spawn(cfg.Binary, setup(cfg).Args(wire.Stage1), files)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cell: start child: %w", err), ours.Close())
	}
	c := &Cell{
		cfg: cfg, process: p, conn: ours, done: make(chan struct{}),
		messages: wire.NewReader(bufio.NewReaderSize(ours, 2*wire.MaxChunk)),
		memory:   &memory{pid: p.Pid, limit: cfg.MemoryBytes},
	}
	go func() {
		c.state, _ = p.Wait() // fails only for a process that was waited for
		close(c.done)
	}()
	go c.memory.watch(c.done, c.kill)
	return c, nil
}

func setup(cfg Config) wire.Setup {
	return wire.Setup{
		Purpose: cfg.Purpose, Try: cfg.try, Parent: os.Getpid(), UID: cfg.UID, GID: cfg.GID,
		MemoryBytes: cfg.MemoryBytes, AddressSpaceBytes: cfg.AddressSpaceBytes, HeapBytes: cfg.MemoryBytes / 2,
		Threads: cfg.Threads, Nice: cfg.Nice, Classifier: classifier(cfg),
	}
}

func classifier(cfg Config) *wire.Classifier {
	if cfg.Engines.Classifier == nil {
		return nil
	}
	return &wire.Classifier{Meanings: cfg.Engines.Classifier.Meanings}
}

// socketPair makes the only connection that a cell has.
func socketPair() (*net.UnixConn, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("cell: socket pair: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "cell"), os.NewFile(uintptr(fds[1]), "parent")
	defer ours.Close() // FileConn duplicates it
	conn, err := net.FileConn(ours)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("cell: socket: %w", err), theirs.Close())
	}
	return conn.(*net.UnixConn), theirs, nil
}

// inherited opens what the child gets, in the order of the wire's descriptor numbers:
// nothing on the standard streams, whose output could hold text. It returns what is
// open also where it fails.
func inherited(cfg Config, socket *os.File) ([]*os.File, error) {
	files := []*os.File{nil, nil, nil, socket}
	for _, path := range readable(cfg) {
		if path == "" {
			path = os.DevNull // an engine that is not configured: loading says so
		}
		f, err := os.Open(path)
		if err != nil {
			return files, fmt.Errorf("cell: open what a cell reads: %w", err)
		}
		files = append(files, f)
		if err := openToNobody(f); err != nil {
			return files, err
		}
	}
	return files, nil
}

// openToNobody says early and plainly what a cell under root, which is nobody, would
// only fail at: the directories above do not matter, the file's own mode does.
func openToNobody(f *os.File) error {
	if os.Geteuid() != 0 {
		return nil
	}
	st, err := f.Stat()
	if err != nil {
		return fmt.Errorf("cell: what a cell reads: %w", err)
	}
	const read = 0o004
	if st.Mode().Perm()&read == 0 {
		return fmt.Errorf("cell: under root a cell runs as nobody: make %s readable by everyone", f.Name())
	}
	return nil
}

// readable lists the files that a cell reads, in the order of the wire's numbers.
func readable(cfg Config) []string {
	e := cfg.Engines
	own := engine.Classifier{}
	if e.Classifier != nil {
		own = *e.Classifier
	}
	return []string{
		cfg.Binary, e.Library.Path, e.Detection.Path, e.Recognition.Path, e.Angle.Path, e.Dictionary.Path, e.Cache,
		own.Model.Path, own.Tokenizer.Path, own.Config.Path,
	}
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// A child that asks to die with its parent dies with the *thread* that made it. So one
// goroutine, locked to its thread for the life of this process, makes all of them.
var spawner = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// spawn starts a program with an empty environment; a nil file stands for /dev/null.
func spawn(binary string, args []string, files []*os.File) (*os.Process, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	given := make([]*os.File, len(files))
	for i, f := range files {
		if given[i] = f; f == nil {
			given[i] = null
		}
	}
	type result struct {
		p   *os.Process
		err error
	}
	out := make(chan result, 1)
	spawner() <- func() {
		p, err := os.StartProcess(binary, append([]string{"blotter"}, args...), &os.ProcAttr{
			Dir: "/", Env: []string{"GOTRACEBACK=none"}, Files: given,
			// A session of its own: an interrupt typed at the terminal is for the parent, which
			// decides what becomes of the document.
			Sys: &syscall.SysProcAttr{Setsid: true},
		})
		out <- result{p, err}
	}
	r := <-out
	return r.p, r.err
}
