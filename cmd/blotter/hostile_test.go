package main_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"blotter/internal/cell"
	"blotter/internal/cell/engine"
	"blotter/internal/cell/inside/hostile"
	"blotter/internal/cell/wire"
	"blotter/internal/document"
	"blotter/internal/policy"
	"blotter/internal/reason"
)

// Every hostile file of the sample ends with a reason or with its pictures, within its
// time and memory, and leaves the parent standing. The cells are those of the program, as
// make hostile drives them with every file. It takes 40 to 50 s of processor time: each
// file has a cell of its own, as it would have.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	d := attacker(t)
	results := map[string]int{}
	ctx := limited(t)
	for f := range hostile.Sample() {
		o, err := d.Inspect(ctx, f)
		if err != nil {
			t.Fatalf("%s, %s: %v", f.Kind, f.Name, err)
		}
		if o.Problem != "" {
			t.Errorf("%s, %s: %s", f.Kind, f.Name, o.Problem)
		}
		results[o.Result()]++
	}
	if len(results) < 10 { // an attack that is refused at the door tries nothing
		t.Errorf("only these ends: %v", results)
	}
	if left, err := filepath.Glob(filepath.Join(d.Dir, "*")); len(left) > 1 || err != nil {
		t.Errorf("cells left files behind: %d, %v", len(left), err)
	}
}

// Files that a header alone refuses are refused, each for its reason, within twice the
// processor time that make bench-reject allows for all of them: every sixth is tried here.
func TestRefusedFromTheHeader(t *testing.T) {
	t.Parallel()
	d := attacker(t)
	ctx := limited(t)
	for i, f := range hostile.Refusals() {
		if i%6 != 0 {
			continue
		}
		o, err := d.Inspect(ctx, f.File)
		if err != nil {
			t.Fatalf("%s, %s: %v", f.Kind, f.Name, err)
		}
		if o.Reason != f.Want && (o.Reason != "" || o.Assets == 0 || o.Withheld[f.Want] < o.Assets) {
			t.Errorf("%s, %s: %q, withheld %v, want %s", f.Kind, f.Name, o.Reason, o.Withheld, f.Want)
		}
		if most := 2 * hostile.RefusedWithin; o.CPU > most {
			t.Errorf("%s, %s: %v of processor time, over %v", f.Kind, f.Name, o.CPU, most)
		}
	}
}

// attacker gives files to cells of the program that only open documents.
func attacker(t *testing.T) *hostile.Driver { return attackerOf(t, 0) }

// attackerOf is attacker with cells of so many bytes of memory; 0: as many as is usual.
func attackerOf(t *testing.T, memory int64) *hostile.Driver {
	t.Helper()
	dir, err := engine.Dir()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(engine.Openers(dir).Cache); err != nil {
		if os.Getenv("BLOTTER_TEST_NEED_ENGINES") != "" {
			t.Fatal(err)
		}
		t.Skip("no compiled engines: run make setup")
	}
	p := policy.Default()
	p.Limits.Seconds = hostile.Seconds
	cells := cell.NewPool(cell.Config{Binary: program(t), Purpose: wire.Inspect, Engines: engine.Openers(dir), Threads: 1, MemoryBytes: memory}, 1)
	t.Cleanup(func() {
		if err := cells.Close(); err != nil {
			t.Error(err)
		}
	})
	return &hostile.Driver{Cells: cells, Dir: t.TempDir(), Task: wire.Task{Rules: p.Rules, Limits: p.Limits, Decode: true}}
}

// In a small cell a picture that just fits is decoded in no more than it was taken to cost,
// and one of a row and a column more is withheld before it is decoded: of every format and
// way of keeping pixels, of which every fourth is tried here.
func TestEstimatesOfMemoryHold(t *testing.T) {
	t.Parallel()
	const memory, buffers = 512 << 20, 8 << 20 // the latter are beside the pixels
	d := attackerOf(t, memory)
	ctx := limited(t)
	for i, f := range hostile.Large() {
		if i%4 != 1 {
			continue
		}
		side := int(math.Sqrt(float64((memory - wire.ReadingBytes) / f.Bytes)))
		path := filepath.Join(d.Dir, "large")
		for _, fits := range []bool{true, false} {
			if !fits {
				side++
			}
			if err := os.WriteFile(path, f.Make(side, side), 0o600); err != nil {
				t.Fatal(err)
			}
			doc, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			c, err := d.Cells.Get(ctx)
			if err != nil {
				t.Fatal(err)
			}
			seen, err := c.Inspect(ctx, doc, d.Task)
			doc.Close()
			if err != nil {
				t.Fatalf("%s of %d pixels a side: %v", f.Name, side, err)
			}
			withheld := slices.ContainsFunc(seen.Images, func(l cell.Listed) bool {
				return l.Kind != document.Page && l.Withheld == reason.ExtractMemory
			})
			if withheld == fits {
				t.Errorf("%s of %d pixels a side: withheld %v", f.Name, side, withheld)
			}
			if grown, most := seen.PeakBytes-seen.Idle, int64(side*side)*int64(f.Bytes)+buffers; fits && grown > most {
				t.Errorf("%s of %d pixels a side took %d MB, taken to be %d", f.Name, side, grown/1e6, most/1e6)
			}
		}
	}
}
