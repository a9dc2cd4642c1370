package inside_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blotter/internal/cell"
	"blotter/internal/cell/engine"
	"blotter/internal/cell/engine/enginetest"
	"blotter/internal/cell/inside"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
)

// TestMain makes the test binary its own cell. A document that begins with "probe "
// names one of the probes, which then runs behind all walls instead of the pipeline.
func TestMain(m *testing.M) {
	if inside.IsCell(os.Args) {
		inside.SetProbes(tryLandlock, runProbe)
		os.Exit(inside.Main())
	}
	if len(os.Args) == 3 && os.Args[1] == orphanMaker {
		makeOrphan(os.Args[2])
	}
	os.Exit(m.Run())
}

const probePrefix = "probe "

// These, given as the task's subject, make a cell forget the largest box of an asset when
// it paints: the first time, or whenever it is found again, too.
const (
	leaveOneOut       = `{"names":["leave one out"]}`
	alwaysLeaveOneOut = `{"names":["always leave one out"]}`
)

// forgetting returns a hook that leaves out the largest box of the first painting and,
// if always, whatever touches it later.
func forgetting(always bool) func(round int, fs []document.Finding) []document.Finding {
	var forgotten document.Box
	return func(round int, fs []document.Finding) []document.Finding {
		if round == 0 {
			for _, f := range fs {
				if f.Box.Area() > forgotten.Area() {
					forgotten = f.Box
				}
			}
		} else if !always {
			return fs
		}
		return slices.DeleteFunc(slices.Clone(fs), func(f document.Finding) bool {
			return f.Box == forgotten || round > 0 && !f.Box.Intersect(forgotten).Empty()
		})
	}
}

func runProbe(t wire.Task, doc *os.File, out *inside.Emitter) bool {
	switch string(t.Subject) {
	case leaveOneOut:
		inside.SetOmit(forgetting(false))
	case alwaysLeaveOneOut:
		inside.SetOmit(forgetting(true))
	}
	b := make([]byte, 64)
	n, _ := doc.ReadAt(b, 0)
	name, ok := strings.CutPrefix(string(b[:n]), probePrefix)
	if !ok {
		return false
	}
	if lie, ok := lies[name]; ok {
		lie(out)
		return true
	}
	probes[name](t, out)
	return true
}

// limits are generous: no test of this package is about them unless it says so.
var limits = document.Limits{
	SourceBytes: 64 << 20, Assets: 100, Pages: 100, Frames: 100, AssetPixels: 100e6, TotalPixels: 400e6,
	Entries: 1000, UnpackedBytes: 256 << 20, Ratio: 200, Depth: 4, Filters: 5, PageObjects: 500_000, TotalObjects: 2_000_000, DrawnPixels: 8e9, PageDPI: 200, Seconds: 900, // on a machine that does much else, too
}

// start runs a cell without engines.
func start(t *testing.T, cfg cell.Config) *cell.Cell {
	t.Helper()
	c, err := cell.Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// probe runs one probe in a fresh cell.
func probe(t *testing.T, cfg cell.Config, task wire.Task, name string) (cell.Report, error) {
	t.Helper()
	return start(t, cfg).Run(t.Context(), file(t, []byte(probePrefix+name)), task, &sink{})
}

// file gives a document as the worker does: open for reading alone.
func file(t *testing.T, b []byte) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "document")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// sink keeps everything in memory.
type sink struct {
	assets    []cell.Asset
	made      map[int]*bytes.Buffer
	originals map[int]*bytes.Buffer
	closed    int
}

func (s *sink) Blob(index int, original bool) (io.WriteCloser, error) {
	if s.made == nil {
		s.made, s.originals = map[int]*bytes.Buffer{}, map[int]*bytes.Buffer{}
	}
	b := new(bytes.Buffer)
	if original {
		s.originals[index] = b
	} else {
		s.made[index] = b
	}
	return closer{b, &s.closed}, nil
}

func (s *sink) Asset(a cell.Asset) error {
	s.assets = append(s.assets, a)
	return nil
}

type closer struct {
	io.Writer
	n *int
}

func (c closer) Close() error { *c.n++; return nil }

// withEngines is the configuration of a cell that reads, or the test's end where `make
// setup` was not run. The compilation cache is filled once.
func withEngines(t *testing.T) cell.Config {
	t.Helper()
	dir, err := engine.Dir()
	if err != nil {
		t.Fatal(err)
	}
	set, err := engine.Open(dir)
	if err != nil {
		enginetest.Missing(t, err)
	}
	cfg := cell.Config{Engines: set}
	if err := cell.Warm(context.Background(), cfg); err != nil {
		t.Fatal(err)
	}
	return cfg
}
