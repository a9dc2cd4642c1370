// Train makes the weights of the perceptron in package detect: it fills templates with
// names, places and numbers that it makes up from the word lists, lays them out as a reader
// would report them, damages some as readers do, and trains on what package detect sees of
// them. The same program makes the same bytes; no document of anybody is used.
//
//	go run ./internal/cell/inside/detect/train -out internal/cell/inside/detect/weights.gz
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"

	"blotter/internal/cell/inside/detect"
	"blotter/internal/cell/inside/detect/perceptron"
)

// How much is trained: pages of up to some hundred words, gone through some times.
const (
	trainedPages = 6000 // with 4000, another seed found or lost some values in a thousand
	heldPages    = 200  // measured on, not trained on
	rounds       = 4
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

func run(args []string, report io.Writer) error {
	flags := flag.NewFlagSet("train", flag.ContinueOnError)
	out := flags.String("out", "weights.gz", "where the weights go")
	pages := flags.Int("pages", trainedPages, "pages to train on")
	if err := flags.Parse(args); err != nil {
		return err
	}
	m, err := train(*pages, report)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		return err
	}
	fmt.Fprintf(report, "%d bytes\n", b.Len())
	return os.WriteFile(*out, b.Bytes(), 0o644)
}

// example is one page: what is seen of its tokens, and what they are.
type example struct {
	tokens []perceptron.Token
	want   []uint8
}

func train(pages int, report io.Writer) (*perceptron.Model, error) {
	f := detect.New()
	w, err := newWriter(rand.New(rand.NewPCG(1, 2)), f)
	if err != nil {
		return nil, err
	}
	examples := make([]example, pages)
	for i := range examples {
		examples[i] = observe(f, w.page())
	}
	t := perceptron.NewTrainer()
	for n := range rounds {
		wrong, all := 0, 0
		for _, i := range w.Perm(len(examples)) {
			wrong += t.Learn(examples[i].tokens, examples[i].want)
			all += len(examples[i].want)
		}
		fmt.Fprintf(report, "round %d: %.2f %% of %d tokens wrong\n", n+1, 100*float64(wrong)/float64(all), all)
	}
	m := t.Model()
	measure(f, w, m, report)
	return m, nil
}

// observe pairs what package detect sees of a page with what was written there.
func observe(f *detect.Finder, p page) example {
	var e example
	for _, o := range f.Observe(p.words()) {
		e.tokens = append(e.tokens, o.Token)
		e.want = append(e.want, p.classOf(o.Word, o.From, o.To))
	}
	return e
}

// measure reports, for each class, how many tokens of fresh pages are found.
func measure(f *detect.Finder, w *writer, m *perceptron.Model, report io.Writer) {
	var wanted, found, taken [perceptron.Classes]int
	for range heldPages {
		e := observe(f, w.page())
		for i, g := range m.Tag(e.tokens) {
			wanted[e.want[i]]++
			taken[g.Class]++
			if g.Class == e.want[i] {
				found[g.Class]++
			}
		}
	}
	for c, name := range classNames {
		fmt.Fprintf(report, "%-13s %6d tokens, recall %.3f, precision %.3f\n", name, wanted[c],
			float64(found[c])/float64(max(1, wanted[c])), float64(found[c])/float64(max(1, taken[c])))
	}
}

var classNames = []string{"none", "name", "staff", "place", "organisation", "date", "code"}
