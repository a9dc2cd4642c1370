// Command generate writes specimens: documents of one half, and beside each its truth
// as NAME.truth.json. `make specimens` writes both halves.
//
//	go run ./internal/specimen/generate -half tune -dir out/specimens/tune
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"blotter/internal/specimen"
	"blotter/internal/truth"
)

func main() {
	half := flag.String("half", "tune", "which half: tune, or publish (whose misses nobody looks at)")
	dir := flag.String("dir", "", "directory to write into; it is created")
	perKind := flag.Int("per-kind", 4, "documents of each kind")
	only := flag.String("kinds", "", "these kinds only, with commas between; default: all")
	seed := flag.Uint64("seed", 1, "another seed makes other documents of the same half")
	list := flag.Bool("list", false, "list the kinds and stop")
	flag.Parse()
	if *list {
		fmt.Println(strings.Join(specimen.Kinds(), "\n"))
		return
	}
	if err := run(*half, *dir, *only, *perKind, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(halfName, dir, only string, perKind int, seed uint64) error {
	half, ok := map[string]specimen.Half{"tune": specimen.Tune, "publish": specimen.Publish}[halfName]
	if !ok || dir == "" || perKind < 1 {
		return fmt.Errorf("say -half tune or -half publish, -dir DIR and -per-kind of at least 1")
	}
	kinds := specimen.Kinds()
	if only != "" {
		kinds = strings.Split(only, ",")
	}
	press, err := specimen.Open(seed)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	sum, err := fill(dir, press, half, kinds, perKind)
	if err != nil {
		return err
	}
	fmt.Printf("%d documents of %d kinds with %d pictures, %d words and %d values in %s\n",
		sum.documents, len(kinds), sum.pictures, sum.words, sum.values, dir)
	return nil
}

// fill makes the documents on as many cores as there are.
func fill(dir string, press *specimen.Press, half specimen.Half, kinds []string, perKind int) (total, error) {
	var (
		sum    total
		failed []error
		mu     sync.Mutex
		all    sync.WaitGroup
	)
	next := make(chan func() (specimen.Specimen, error))
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for job := range next {
				made, err := job()
				if err == nil {
					err = write(dir, made)
				}
				mu.Lock()
				sum.add(made)
				failed = append(failed, err)
				mu.Unlock()
			}
		})
	}
	for _, kind := range kinds {
		for n := range perKind {
			next <- func() (specimen.Specimen, error) { return press.Make(half, kind, n) }
		}
	}
	close(next)
	all.Wait()
	return sum, errors.Join(failed...)
}

func write(dir string, s specimen.Specimen) error {
	b, err := json.MarshalIndent(s.Truth, "", " ")
	if err != nil {
		return err
	}
	name := filepath.Join(dir, s.Name)
	if err := os.WriteFile(name, s.Bytes, 0o644); err != nil {
		return err
	}
	return os.WriteFile(name+truth.Suffix, append(b, '\n'), 0o644)
}

// total counts what was written.
type total struct{ documents, pictures, words, values int }

func (t *total) add(s specimen.Specimen) {
	t.documents++
	for _, p := range s.Truth.Pictures {
		t.pictures++
		t.words += len(p.Words)
		values := map[int]bool{}
		for _, w := range p.Words {
			if w.Want == truth.Destroy {
				values[w.Value] = true
			}
		}
		t.values += len(values)
	}
}
