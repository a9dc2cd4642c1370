// Command generate writes the example documents into a directory and, with -truth,
// what is known of each picture as JSON beside them.
//
//	go run ./internal/examples/generate -dir examples
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"blotter/internal/examples"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("generate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	dir := flags.String("dir", "examples", "directory to write into; it must exist")
	truth := flags.Bool("truth", false, "also write FILE.truth.json with each picture's words")
	if err := flags.Parse(args); err != nil {
		return err
	}
	all, err := examples.All()
	if err != nil {
		return err
	}
	for _, e := range all {
		path := filepath.Join(*dir, e.Name)
		if err := os.WriteFile(path, e.Bytes, 0o644); err != nil {
			return err
		}
		if !*truth {
			continue
		}
		b, err := json.MarshalIndent(e.Pictures, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(path+".truth.json", append(b, '\n'), 0o644); err != nil {
			return err
		}
	}
	return nil
}
