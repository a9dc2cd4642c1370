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
	"strings"

	"blotter/internal/examples"
	"blotter/internal/truth"
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
	annotate := flags.Bool("truth", false, "also write FILE.truth.json, for blotter eval")
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
		if !*annotate {
			continue
		}
		b, err := json.MarshalIndent(truth.Document{
			Schema: truth.Schema, Kind: strings.TrimSuffix(e.Name, filepath.Ext(e.Name)), Language: "en", Pictures: e.Pictures,
		}, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(path+truth.Suffix, append(b, '\n'), 0o644); err != nil {
			return err
		}
	}
	return nil
}
