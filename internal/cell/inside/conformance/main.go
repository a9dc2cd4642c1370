// Command conformance compares the images that blotter finds in documents with what
// poppler and MuPDF find in them, pixel by pixel, and how fast. It reads documents that
// others made, outside a cell, so it is for developers' machines only.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"blotter/internal/cell/inside/extract"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run compares and writes the report. It fails where a reference finds an image that
// blotter does not, or other pixels, and nothing explains it.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	corpus := flags.String("corpus", os.Getenv("BLOTTER_CORPUS"), "directory of documents with their manifest.tsv; empty: generated documents only")
	report := flags.String("report", "", "Markdown file whose measured parts are replaced; empty: they are printed")
	only := flags.String("only", "", "compare documents whose name contains this")
	pictures := flags.String("pictures", "", "existing directory that gets what differs as PNG files, the reference's and ours; empty: none")
	rounds := flags.Int("rounds", 3, "how often speed is measured; 0: not at all")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	engines, err := extract.LoadEngines(filepath.Join(dir, "blotter-test-wazero"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engines.Close()) }()
	documents, err := collect(*corpus, *only)
	if err != nil {
		return err
	}
	var r results
	for i, d := range documents {
		if err := ctx.Err(); err != nil {
			return err
		}
		start := time.Now()
		o := compare(ctx, d, engines, *pictures)
		r.documents = append(r.documents, o)
		fmt.Fprintf(os.Stderr, "%d/%d %s: %v, %d of the reference, %d ms\n", i+1, len(documents), d.name, o.format, o.reference, time.Since(start).Milliseconds())
	}
	if *rounds > 0 {
		if r.speed, err = measure(ctx, documents, engines, *rounds); err != nil {
			return err
		}
	}
	if err := r.write(*report, out); err != nil {
		return err
	}
	return r.unexplained()
}
