// Command demo redacts the example documents with the built binary, verifies each
// receipt and prints what was done. `make demo` runs it.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"blotter/internal/document"
	"blotter/receipt"
)

// marker lies in a demo directory that this command made: only such a one is removed.
const marker = "made-by-make-demo"

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.SetOutput(stderr)
	binary := flags.String("binary", "bin/blotter", "blotter to run")
	examples := flags.String("examples", "examples", "directory with the documents")
	dir := flags.String("dir", "out/demo", "directory to write into; made anew")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := fresh(*dir); err != nil {
		return err
	}
	files, err := documents(*examples)
	if err != nil {
		return err
	}
	d := demo{binary: *binary, data: filepath.Join(*dir, "data"), out: filepath.Join(*dir, "redacted"), stderr: stderr}
	results, err := d.redact(files)
	if err != nil {
		return err
	}
	return d.report(stdout, files, results)
}

// fresh makes dir empty. It refuses one that holds what somebody else put there.
func fresh(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(dir, marker)); err != nil {
			return fmt.Errorf("%s is not empty and was not made by `make demo`: move it away", dir)
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, marker), nil, 0o644)
}

// documents lists the example files, in the order of their names.
func documents(dir string) ([]string, error) {
	var files []string
	for _, pattern := range []string{"*.pdf", "*.jpg", "*.docx", "*.tiff"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no documents in %s", dir)
	}
	return files, nil
}

type demo struct {
	binary, data, out string
	stderr            io.Writer
}

// redact runs all files in one command; results come in the order of the files.
func (d demo) redact(files []string) ([]receipt.Result, error) {
	args := append([]string{"redact", "--out", d.out, "--data", d.data, "--originals", "--json"}, files...)
	cmd := exec.Command(d.binary, args...)
	cmd.Stderr = d.stderr
	if _, err := cmd.Output(); err != nil {
		return nil, fmt.Errorf("blotter redact: %w", err)
	}
	results := make([]receipt.Result, len(files))
	for i := range files {
		body, err := os.ReadFile(filepath.Join(d.dir(i), "result.json"))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(body, &results[i]); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// dir is where the outputs of the i-th file lie.
func (d demo) dir(i int) string { return filepath.Join(d.out, fmt.Sprintf("%04d", i+1)) }

func (d demo) report(w io.Writer, files []string, results []receipt.Result) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "file\ttype\tassets\tboxes\tseconds\treceipt\toutput")
	var failures []error
	for i, r := range results {
		verified := "verified"
		if said, err := d.verify(d.dir(i)); err != nil {
			verified = "NOT VERIFIED"
			failures = append(failures, fmt.Errorf("%s: receipt: %w\n%s", filepath.Base(files[i]), err, said))
		}
		if r.State != string(document.Released) {
			failures = append(failures, fmt.Errorf("%s: %s %s", filepath.Base(files[i]), r.State, r.Reason))
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%.1f\t%s\t%s\n", filepath.Base(files[i]), shortType(r.Input.MediaType),
			assets(r), boxes(r), seconds(r), verified, d.dir(i))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for i, r := range results {
		fmt.Fprintf(w, "%s\n  boxes    %s\n  seconds  %s\n", filepath.Base(files[i]), byType(r), byStage(r))
		if len(r.NotCovered) > 0 {
			fmt.Fprintf(w, "  not an image, not processed: %s\n", strings.Join(r.NotCovered, ", "))
		}
	}
	fmt.Fprintf(w, "\nverify it yourself: %s verify %s --trust %s\n", d.binary, d.out, filepath.Join(d.data, "audit", "trust.json"))
	return errors.Join(failures...)
}

// verify checks an output directory offline and returns what was said.
func (d demo) verify(dir string) (string, error) {
	cmd := exec.Command(d.binary, "verify", dir)
	cmd.Env = append(os.Environ(), "BLOTTER_DATA="+d.data)
	said, err := cmd.CombinedOutput()
	return string(said), err
}

// shortType is the last part of a media type, where office types are long.
func shortType(media string) string {
	if media == document.DOCX.String() {
		return "docx"
	}
	_, sub, _ := strings.Cut(media, "/")
	return sub
}

func assets(r receipt.Result) string {
	withheld := 0
	for _, a := range r.Assets {
		if a.Derivative == nil {
			withheld++
		}
	}
	if withheld == 0 {
		return fmt.Sprint(len(r.Assets))
	}
	return fmt.Sprintf("%d (%d withheld)", len(r.Assets), withheld)
}

func boxes(r receipt.Result) int {
	n := 0
	for _, a := range r.Assets {
		n += len(a.Boxes)
	}
	return n
}

// byType counts boxes, the most frequent type first.
func byType(r receipt.Result) string {
	counts := map[string]int{}
	for _, a := range r.Assets {
		for _, b := range a.Boxes {
			counts[b.Type]++
		}
	}
	types := make([]string, 0, len(counts))
	for t := range counts {
		types = append(types, t)
	}
	slices.SortFunc(types, func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	for i, t := range types {
		types[i] = fmt.Sprintf("%s %d", t, counts[t])
	}
	return strings.Join(types, ", ")
}

// byStage lists the stages in the order of the pipeline, in seconds.
func byStage(r receipt.Result) string {
	var parts []string
	for s := document.StageQueue; s <= document.StageSeal; s++ {
		if ms, ok := r.TimingsMS[s.String()]; ok {
			parts = append(parts, fmt.Sprintf("%s %.2f", s, float64(ms)/1000))
		}
	}
	return strings.Join(parts, ", ")
}

// seconds is the work on a document, without its wait for the documents before it.
func seconds(r receipt.Result) float64 {
	var ms int64
	for stage, t := range r.TimingsMS {
		if stage != document.StageQueue.String() {
			ms += t
		}
	}
	return float64(ms) / 1000
}
