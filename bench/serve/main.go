// Command serve loads a running `blotter serve` on loopback, and writes what it measures
// as Markdown. `make bench-serve` runs it. It starts the service itself, each time with a
// fresh data directory, and ends by itself.
//
//   - latency: how long intake takes to answer an upload, with idle and with saturated
//     workers, beside a handler that only hashes and syncs the same bytes;
//   - memory: resident memory of the process that holds keys, over many uploads;
//   - kill: many small documents, with kill -9 while they arrive and again while they
//     are worked on; each must end once, with a receipt that verifies.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"blotter/bench/section"
)

// plan is what the command line asks for.
type plan struct {
	binary, examples, report, scratch string
	only                              []string
	samples, requests, documents      int
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == floorCommand {
		fail(serveFloor(os.Args[2]))
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fail(run(ctx, os.Args[1:]))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-serve:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	p, err := parse(args)
	if err != nil {
		return err
	}
	if p.scratch, err = os.MkdirTemp("", "blotter-bench-serve-"); err != nil {
		return err
	}
	defer os.RemoveAll(p.scratch)
	var text strings.Builder
	fmt.Fprintf(&text, "Measured by `make bench-serve` on %s; client and service share the machine, over loopback.\n", section.Machine())
	for _, part := range parts {
		if !slices.Contains(p.only, part.name) {
			continue
		}
		said, err := part.run(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		text.WriteString("\n" + said)
		fmt.Print(said)
	}
	if p.report == "" {
		return nil
	}
	return section.Replace(p.report, "bench-serve", text.String())
}

// parts are the measurements, in the order of the report.
var parts = []struct {
	name string
	run  func(context.Context, plan) (string, error)
}{{"latency", latency}, {"memory", memory}, {"kill", kill}}

func parse(args []string) (plan, error) {
	var p plan
	flags := flag.NewFlagSet("bench-serve", flag.ContinueOnError)
	flags.StringVar(&p.binary, "binary", "../bin/blotter", "blotter to measure")
	flags.StringVar(&p.examples, "examples", "../examples", "directory with the documents that saturate the workers")
	flags.StringVar(&p.report, "report", "", "Markdown file whose section between the bench-serve marks is replaced")
	flags.IntVar(&p.samples, "samples", 300, "uploads that are timed, idle and again saturated")
	flags.IntVar(&p.requests, "requests", 10_000, "uploads over which memory is watched")
	flags.IntVar(&p.documents, "documents", 1000, "documents through the kills")
	only := flags.String("only", "latency,memory,kill", "what to measure, separated by commas")
	err := flags.Parse(args)
	p.only = strings.Split(*only, ",")
	return p, err
}
