package onnx

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"blotter/internal/cell/engine"
	"blotter/internal/cell/engine/enginetest"
	"blotter/internal/cell/inside/onnx/rewrite"
)

// engines opens the pinned engines, or ends the test.
func engines(t testing.TB) (engine.Set, *Runtime) {
	t.Helper()
	dir, err := engine.Dir()
	if err != nil {
		t.Fatal(err)
	}
	set, err := engine.Open(dir)
	if err != nil {
		enginetest.Missing(t, err)
	}
	r, err := Open(set.Library.Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return set, r
}

func session(t testing.TB, r *Runtime, model []byte) *Session {
	t.Helper()
	s, err := r.Session(model, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func file(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// noise fills an input with the same numbers in [-1, 1) for the same seed.
func noise(seed uint32) func([]float32) {
	return func(in []float32) {
		x := seed*2654435761 + 1
		for i := range in {
			x ^= x << 13
			x ^= x >> 17
			x ^= x << 5
			in[i] = float32(int32(x)) / (1 << 31)
		}
	}
}

// lines fills an input with what looks like print: short dark bars on paper, in rows.
func lines(shape []int) func([]float32) {
	return func(in []float32) {
		h, w := shape[2], shape[3]
		for i := range in {
			x, y := i%w, i/w%h
			in[i] = 1
			if y%24 > 8 && y%24 < 20 && x > 8 && x < w-8 && x%5 < 2+y%3 && x/40%4 > 0 {
				in[i] = -1
			}
		}
	}
}

func output(t testing.TB, s *Session, shape []int, seed uint32) []float32 {
	return outputOf(t, s, shape, noise(seed))
}

func outputOf(t testing.TB, s *Session, shape []int, fill func([]float32)) []float32 {
	var out []float32
	if err := s.Run(shape, fill, func(o []float32, _ []int) { out = append(out, o...) }); err != nil {
		t.Error(err)
	}
	return out
}

func TestRewriteChangesNothingButRounding(t *testing.T) {
	set, r := engines(t)
	for _, m := range []struct {
		name, path string
		shape      []int
	}{
		{"detection", set.Detection.Path, []int{1, 3, 160, 96}},
		{"recognition", set.Recognition.Path, []int{1, 3, 48, 200}},
		{"angle", set.Angle.Path, []int{1, 3, 48, 192}},
	} {
		t.Run(m.name, func(t *testing.T) {
			model := file(t, m.path)
			short, err := rewrite.Model(model)
			if err != nil {
				t.Fatal(err)
			}
			before := session(t, r, model)
			after := session(t, r, short)
			for name, fill := range map[string]func([]float32){"noise": noise(1), "more noise": noise(2), "lines": lines(m.shape)} {
				a, b := outputOf(t, before, m.shape, fill), outputOf(t, after, m.shape, fill)
				if len(a) == 0 || len(a) != len(b) {
					t.Fatalf("%d and %d numbers", len(a), len(b))
				}
				if d := difference(a, b); d > 1e-5 {
					t.Errorf("%s: outputs differ by %g", name, d)
				}
				if most := slices.Max(a); name == "lines" && most < 0.3 {
					t.Errorf("%s: the net sees nothing (%g), so that the comparison says little", name, most)
				}
			}
		})
	}
}

func difference(a, b []float32) (most float64) {
	for i := range a {
		most = math.Max(most, math.Abs(float64(a[i]-b[i])))
	}
	return most
}

// TestStress runs the smallest model from many goroutines while the garbage collector
// never rests, so that a stack or an object that moved under native code shows.
func TestStress(t *testing.T) {
	set, r := engines(t)
	s := session(t, r, file(t, set.Angle.Path))
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	shape := []int{1, 3, 48, 48}
	want := [4][]float32{}
	for i := range want {
		want[i] = output(t, s, shape, uint32(i))
	}
	runs := 750
	if testing.Short() {
		runs = 50
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for range runs {
				if deep(t, s, shape, uint32(worker), 40, want[worker]) > 0 {
					t.Error("the same input gave another output")
					return
				}
			}
		})
	}
	wg.Wait()
}

// deep makes the stack grow, so that it is moved, before it runs the model.
func deep(t *testing.T, s *Session, shape []int, seed uint32, n int, want []float32) float64 {
	var pad [256]byte
	pad[n] = byte(n)
	if n > 0 {
		return deep(t, s, shape, seed, n-1, want) + float64(pad[0])
	}
	return difference(output(t, s, shape, seed), want)
}

// A run of the detector on a page's worth of pixels leaves nothing behind once it is
// trimmed.
func TestTrimGivesMemoryBack(t *testing.T) {
	set, r := engines(t)
	short, err := rewrite.Model(file(t, set.Detection.Path))
	if err != nil {
		t.Fatal(err)
	}
	s := session(t, r, short)
	run := func() int {
		err := s.Run([]int{1, 3, 960, 704}, noise(1), func([]float32, []int) {})
		if err != nil {
			t.Fatal(err)
		}
		r.Trim()
		debug.FreeOSMemory()
		return residentMiB(t)
	}
	before := run()
	after := run()
	for range 3 {
		after = min(after, run()) // a neighbour's load must not decide
	}
	if after > before+24 {
		t.Errorf("%d MiB resident after the first run, %d after more", before, after)
	}
}

// What the largest tile needs stays within the arena: outside it, and in the holes that
// blocks leave in a common heap, a run once took up to 200 MiB where it used 97 at once.
func TestLargestTileStaysWithinTheArena(t *testing.T) {
	set, r := engines(t)
	short, err := rewrite.Model(file(t, set.Detection.Path))
	if err != nil {
		t.Fatal(err)
	}
	s := session(t, r, short)
	resident := func() int {
		debug.FreeOSMemory()
		return residentMiB(t)
	}
	for _, shape := range [][]int{{1, 3, 1312, 1056}, {1, 3, 832, 1056}, {1, 3, 1312, 928}, {1, 3, 1312, 1056}} { // each meets what the last one left
		r.Trim()
		before := resident()
		if err := s.Run(shape, noise(1), func([]float32, []int) {}); err != nil {
			t.Fatal(err)
		}
		if used := resident() - before; used > arenaBytes>>20 {
			t.Errorf("%v: %d MiB more resident after the run; the arena is %d", shape, used, arenaBytes>>20)
		}
	}
}

// residentMiB is the memory of the process itself: pages of files come and go as the
// kernel likes.
func residentMiB(t *testing.T) int {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(b), "RssAnon:")
	var kilobytes int
	if _, err := fmt.Sscan(rest, &kilobytes); !ok || err != nil {
		t.Fatalf("no RssAnon in %q: %v", b, err)
	}
	return kilobytes >> 10
}

func TestFailuresAreErrors(t *testing.T) {
	set, r := engines(t)
	if _, err := Open(set.Dictionary.Path); err == nil {
		t.Error("a text file was loaded as a library")
	}
	for name, model := range map[string][]byte{"empty": nil, "rubbish": []byte(strings.Repeat("rubbish", 100))} {
		if _, err := r.Session(model, 1); err == nil {
			t.Errorf("%s model: no error", name)
		}
	}
	s := session(t, r, file(t, set.Angle.Path))
	read := func([]float32, []int) { t.Error("read was called") }
	for name, shape := range map[string][]int{"no": {}, "zero": {1, 3, 0, 10}, "wrong rank": {1, 3, 48}, "wrong channels": {1, 7, 48, 192}, "many": make([]int, 20)} {
		if err := s.Run(shape, func([]float32) {}, read); err == nil {
			t.Errorf("%s shape: no error", name)
		}
	}
	s.Close()
	if err := s.Run([]int{1, 3, 48, 192}, noise(1), read); err == nil {
		t.Error("a closed session ran")
	}
}

func BenchmarkModels(b *testing.B) {
	set, r := engines(b)
	for _, m := range []struct {
		name, path string
		shape      []int
	}{
		{"detection 1280x896", set.Detection.Path, []int{1, 3, 1280, 896}},
		{"recognition 480", set.Recognition.Path, []int{1, 3, 48, 480}},
		{"angle", set.Angle.Path, []int{1, 3, 48, 192}},
	} {
		plain := file(b, m.path)
		short, err := rewrite.Model(plain)
		if err != nil {
			b.Fatal(err)
		}
		for name, model := range map[string][]byte{"plain": plain, "rewritten": short} {
			s := session(b, r, model)
			b.Run(m.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					output(b, s, m.shape, 1)
				}
			})
		}
	}
}

// The recogniser's scores are those whose softmax it gives itself.
func TestScoresAreOfTheSameModel(t *testing.T) {
	set, r := engines(t)
	model := file(t, set.Recognition.Path)
	short, err := rewrite.Scores(model)
	if err != nil {
		t.Fatal(err)
	}
	shape := []int{1, 3, 48, 200}
	want := outputOf(t, session(t, r, model), shape, lines(shape))
	scores := outputOf(t, session(t, r, short), shape, lines(shape))
	steps := shape[3] / 8
	if len(scores) != len(want) || len(want)%steps != 0 {
		t.Fatalf("%d scores of %d", len(scores), len(want))
	}
	classes := len(want) / steps
	for s := range steps {
		sum := 0.0
		for c := range classes {
			sum += math.Exp(float64(scores[c*steps+s]))
		}
		for c := range classes {
			if got := math.Exp(float64(scores[c*steps+s])) / sum; math.Abs(got-float64(want[s*classes+c])) > 1e-5 {
				t.Fatalf("step %d, class %d: %g, want %g", s, c, got, want[s*classes+c])
			}
		}
	}
}
