package main_test

import (
	"os"
	"path/filepath"
	"testing"

	"blotter/internal/cell"
	"blotter/internal/cell/engine"
	"blotter/internal/cell/inside/hostile"
	"blotter/internal/cell/wire"
	"blotter/internal/policy"
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
func attacker(t *testing.T) *hostile.Driver {
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
	cells := cell.NewPool(cell.Config{Binary: program(t), Purpose: wire.Inspect, Engines: engine.Openers(dir), Threads: 1}, 1)
	t.Cleanup(func() {
		if err := cells.Close(); err != nil {
			t.Error(err)
		}
	})
	return &hostile.Driver{Cells: cells, Dir: t.TempDir(), Task: wire.Task{Rules: p.Rules, Limits: p.Limits, Decode: true}}
}
