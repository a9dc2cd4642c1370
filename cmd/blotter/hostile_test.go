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
	d := hostile.Driver{Cells: cells, Dir: t.TempDir(), Task: wire.Task{Rules: p.Rules, Limits: p.Limits, Decode: true}}
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
