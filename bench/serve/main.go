// Command serve loads a running `blotter serve` on loopback, and writes what it measures
// as Markdown. `make bench-serve` runs it. It starts the service itself, each time with a
// fresh data directory, and ends by itself.
//
//   - latency: how long intake takes to answer an upload, with idle and with saturated
//     workers, beside a handler that only hashes and syncs the same bytes;
//   - memory: resident memory of the process that holds keys, over many uploads;
//   - kill: many small documents, with kill -9 while they arrive and again while they
//     are worked on; each must end once, with a receipt that verifies.
//
// `make bench-neighbours` runs the parts about who suffers from whom:
//
//   - import: what people's requests wait while another tenant imports, beside a service
//     that has nothing else to do;
//   - shares: what tenants with more work than there is time for get, beside their weights;
//   - poison: whole documents amid malformed ones, beside the same without these.
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
	"time"

	"blotter/bench/section"
)

// plan is what the command line asks for.
type plan struct {
	binary, examples, report, scratch string
	section                           string // of the report; also the target of make
	only                              []string
	samples, requests, documents      int
	people, whole                     int
	share                             time.Duration
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
	fmt.Fprintf(&text, "Measured by `make %s` on %s; client and service share the machine, over loopback.\n", p.section, section.Machine())
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
	return section.Replace(p.report, p.section, text.String())
}

// parts are the measurements, in the order of the report.
var parts = []struct {
	name string
	run  func(context.Context, plan) (string, error)
}{{"latency", latency}, {"memory", memory}, {"kill", kill}, {"import", neighbours}, {"shares", shares}, {"poison", poison}}

func parse(args []string) (plan, error) {
	var p plan
	flags := flag.NewFlagSet("bench-serve", flag.ContinueOnError)
	flags.StringVar(&p.binary, "binary", "../bin/blotter", "blotter to measure")
	flags.StringVar(&p.examples, "examples", "../examples", "directory with the documents that saturate the workers")
	flags.StringVar(&p.report, "report", "", "Markdown file whose section is replaced")
	flags.StringVar(&p.section, "section", "bench-serve", "name of the marks around that section")
	flags.IntVar(&p.samples, "samples", 300, "uploads that are timed, idle and again saturated")
	flags.IntVar(&p.requests, "requests", 10_000, "uploads over which memory is watched")
	flags.IntVar(&p.documents, "documents", 1000, "documents through the kills")
	flags.IntVar(&p.people, "people", 60, "requests of people, idle and again beside the import")
	flags.DurationVar(&p.share, "share", 3*time.Minute, "how long the shares of busy tenants are watched")
	flags.IntVar(&p.whole, "whole", 95, "whole documents, without and again with one malformed to nineteen of them")
	only := flags.String("only", "latency,memory,kill", "what to measure, separated by commas")
	err := flags.Parse(args)
	p.only = strings.Split(*only, ",")
	return p, err
}
