// Command bench measures the built blotter on the example documents, and tesseract on
// the same pages in the same run, and writes the figures as Markdown. `make bench`
// runs it.
//
// What is compared: blotter's whole way (confinement, reading, finding, redaction,
// second look, sealing) and, beside it, its reading stage alone, with tesseract's plain
// text output. tesseract gets the pages as PNG, so that it decodes no PDF or TIFF.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"blotter/bench/section"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	binary := flags.String("binary", "../bin/blotter", "blotter to measure")
	examples := flags.String("examples", "../examples", "directory with the documents")
	report := flags.String("report", "", "Markdown file whose section between the bench marks is replaced")
	runs := flags.Int("runs", 3, "runs of each; the median is reported")
	if err := flags.Parse(args); err != nil {
		return err
	}
	files, err := documents(*examples)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "blotter-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)

	b := blotter{binary: *binary, scratch: scratch}
	rows, err := measure(b, files, *runs)
	if err != nil {
		return err
	}
	batch, err := b.redact("batch", files)
	if err != nil {
		return err
	}
	text := markdown(rows, batch, *runs)
	fmt.Print(text)
	if *report == "" {
		return nil
	}
	return section.Replace(*report, "bench", text)
}

func documents(dir string) ([]string, error) {
	var out []string
	for _, pattern := range []string{"*.pdf", "*.jpg", "*.docx", "*.tiff"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no documents in %s", dir)
	}
	return out, nil
}

// row is one document: the median run of each program.
type row struct {
	file      string
	blotter   redaction
	tesseract reading
}

// measure takes turns between the two programs, so that a change of the machine's mood
// meets both.
func measure(b blotter, files []string, runs int) ([]row, error) {
	rows := make([]row, 0, len(files))
	for _, file := range files {
		ours, theirs := make([]redaction, runs), make([]reading, runs)
		for i := range runs {
			var err error
			if ours[i], err = b.redact(fmt.Sprintf("%s-%d", filepath.Base(file), i), []string{file}); err != nil {
				return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
			}
			if theirs[i], err = tesseract(ours[i].pages); err != nil {
				return nil, err
			}
		}
		slices.SortFunc(ours, func(a, b redaction) int { return int(a.wall - b.wall) })
		slices.SortFunc(theirs, func(a, b reading) int { return int(a.wall - b.wall) })
		rows = append(rows, row{filepath.Base(file), ours[runs/2], theirs[runs/2]})
	}
	return rows, nil
}
