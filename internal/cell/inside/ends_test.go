package inside_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"blotter/internal/cell"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/reason"
)

func TestLiesEndTheCell(t *testing.T) {
	for name := range lies {
		t.Run(name, func(t *testing.T) {
			_, err := probe(t, cell.Config{}, wire.Task{Limits: limits}, name)
			if reason.Of(err) != reason.CellProtocol {
				t.Errorf("%v, want %s", err, reason.CellProtocol)
			}
		})
	}
}

// Whatever a cell does, its end has a code, nothing of it is left, and the next
// document runs.
func TestBadEnds(t *testing.T) {
	short := limits
	short.Seconds = 1
	for name, c := range map[string]struct {
		cfg    cell.Config
		limits document.Limits
		want   reason.Code
	}{
		"crash":   {cell.Config{}, limits, reason.CellCrashed},
		"fault":   {cell.Config{}, limits, reason.CellCrashed},
		"hang up": {cell.Config{}, limits, reason.CellCrashed},
		"hang":    {cell.Config{}, short, reason.CellTimeout},
		"eat":     {cell.Config{MemoryBytes: 256 << 20}, limits, reason.CellMemory},
	} {
		t.Run(name, func(t *testing.T) {
			c1 := start(t, c.cfg)
			r, err := c1.Run(t.Context(), file(t, []byte(probePrefix+name)), wire.Task{Limits: c.limits}, &sink{})
			if reason.Of(err) != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
			if name == "eat" && (r.PeakBytes < 256<<20 || r.PeakBytes > 1<<30) {
				t.Errorf("peak of %d bytes", r.PeakBytes)
			}
			if err := unix.Kill(c1.PID(), 0); !errors.Is(err, unix.ESRCH) {
				t.Errorf("process %d is still there: %v", c1.PID(), err)
			}
			if _, err := probe(t, cell.Config{}, wire.Task{Limits: limits}, "nothing"); err != nil {
				t.Errorf("next document: %v", err)
			}
		})
	}
}

// The address-space limit holds where nobody watches.
func TestBackstopHolds(t *testing.T) {
	_, err := probe(t, cell.Config{MemoryBytes: 64 << 30, AddressSpaceBytes: 2 << 30}, wire.Task{Limits: limits}, "eat")
	if reason.Of(err) != reason.CellMemory {
		t.Errorf("%v, want %s", err, reason.CellMemory)
	}
}

// The host's out-of-memory killer says little about the document.
func TestKilledFromOutside(t *testing.T) {
	c := start(t, cell.Config{})
	_, err := c.Run(t.Context(), file(t, []byte(probePrefix+"wait")), wire.Task{Limits: limits},
		&onProgress{f: func() { unix.Kill(c.PID(), unix.SIGKILL) }})
	if reason.Of(err) != reason.CellKilled {
		t.Errorf("%v, want %s", err, reason.CellKilled)
	}
}

func TestCancelKills(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("lease lost")
	_, err := start(t, cell.Config{}).Run(ctx, file(t, []byte(probePrefix+"wait")), wire.Task{Limits: limits},
		&onProgress{f: func() { cancel(why) }})
	if !errors.Is(err, why) {
		t.Errorf("%v, want %v", err, why)
	}
}

type onProgress struct {
	sink
	f func()
}

func (s *onProgress) Progress(document.Stage, int) { s.f() }

// What a sink refuses is the document's end, and what was opened is closed.
func TestSinkRefuses(t *testing.T) {
	full := errors.New("disk full")
	s := &refusing{err: full}
	_, err := start(t, cell.Config{}).Run(t.Context(), file(t, []byte(probePrefix+"one asset")), wire.Task{Limits: limits}, s)
	if !errors.Is(err, full) || s.closed != 1 {
		t.Errorf("%v with %d closed, want %v with 1", err, s.closed, full)
	}
}

type refusing struct {
	sink
	err error
}

func (s *refusing) Blob(index int, original bool) (io.WriteCloser, error) {
	w, _ := s.sink.Blob(index, original)
	return failing{w, s.err}, nil
}

type failing struct {
	io.WriteCloser
	err error
}

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestDocumentMustBeReadOnly(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := start(t, cell.Config{}).Run(t.Context(), f, wire.Task{Limits: limits}, &sink{}); reason.Of(err) != reason.Internal {
		t.Errorf("a writable document was passed on: %v", err)
	}
}

func TestStartThatFails(t *testing.T) {
	notAnEngine := cell.Config{}
	notAnEngine.Engines.Library.Path = "ends_test.go"
	secret := filepath.Join(t.TempDir(), "engine")
	if err := os.WriteFile(secret, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	unreadable := cell.Config{}
	unreadable.Engines.Library.Path = secret
	refused := reason.CellStart
	if os.Getuid() != 0 {
		refused = reason.CellEngines // our own file: the cell opens it and finds no model
	}
	for name, c := range map[string]struct {
		cfg  cell.Config
		want reason.Code
	}{
		"engine for one":   {unreadable, refused},
		"no binary":        {cell.Config{Binary: "/nonexistent"}, reason.CellStart},
		"not a cell":       {cell.Config{Binary: "/bin/true"}, reason.CellStart},
		"never ready":      {cell.Config{StartTimeout: 1}, reason.CellStart},
		"broken engine":    {notAnEngine, reason.CellEngines},
		"impossible limit": {cell.Config{Nice: 99}, reason.ConfigInvalid},
	} {
		if got, err := cell.Start(t.Context(), c.cfg); reason.Of(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
			if err == nil {
				got.Close()
			}
		}
	}
}

func TestPoolOutlivesItsCells(t *testing.T) {
	p := cell.NewPool(cell.Config{}, 1)
	defer p.Close()
	for range 3 {
		c, err := p.Get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Run(t.Context(), file(t, []byte(probePrefix+"crash")), wire.Task{Limits: limits}, &sink{}); reason.Of(err) != reason.CellCrashed {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if c, err := p.Get(t.Context()); err == nil {
		c.Close()
		t.Error("a closed pool gave a cell")
	}
}

const orphanMaker = "make-orphan"

// makeOrphan is another process: it starts a cell, says its number, and waits to be
// killed.
func makeOrphan(string) {
	c, err := cell.Start(context.Background(), cell.Config{})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	fmt.Println(c.PID())
	select {}
}

// A cell dies with its parent, even one that is killed. A pidfd tells when.
func TestCellDiesWithItsParent(t *testing.T) {
	cmd := exec.Command("/proc/self/exe", orphanMaker, "now")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(strings.TrimSpace(line), &pid); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	cmd.Process.Kill()
	cmd.Wait()
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int((10 * time.Second).Milliseconds()))
	if n != 1 || err != nil {
		t.Errorf("the cell outlived its parent: %d, %v", n, err)
	}
}
