package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"blotter/internal/config"
	"blotter/internal/reason"
)

// cli is the command line.
type cli struct {
	Redact     redactCommand     `cmd:"" help:"Redact documents: images and a receipt for each."`
	Inspect    inspectCommand    `cmd:"" help:"Say what is in a document, without reading its text."`
	Survey     surveyCommand     `cmd:"" help:"Measure sample documents and propose limits that fit the memory of a cell."`
	Eval       evalCommand       `cmd:"" help:"Measure redaction on your own annotated documents."`
	Serve      serveCommand      `cmd:"" help:"Run the service: HTTP API, workers and trail on one data directory."`
	Doctor     doctorCommand     `cmd:"" help:"Try whether this host keeps documents isolated, and whether the node is whole."`
	Migrate    migrateCommand    `cmd:"" help:"Bring the schema of the database up to date."`
	Verify     verifyCommand     `cmd:"" help:"Verify receipts, and the files beside them, offline."`
	Keys       keysCommand       `cmd:"" help:"Make, list and revoke the API keys of the service."`
	Jobs       jobsCommand       `cmd:"" help:"List and show jobs; replay, discard and cancel them."`
	Webhooks   webhooksCommand   `cmd:"" help:"List messages that endpoints have not taken; replay and discard them."`
	Version    versionCommand    `cmd:"" help:"Say which program, engines and models these are."`
	Completion completionCommand `cmd:"" help:"Print a completion script for a shell."`
	Help       helpCommand       `cmd:"" help:"Explain a command."`
	Warm       warmCommand       `cmd:"" hidden:"" help:"Fill the compilation cache of the engines (make setup does it)."`
}

// call is what a command is given to run in.
type call struct {
	ctx   context.Context
	env   []string
	stdio stdio
	parse func(args []string) (*kong.Context, error)
	model *kong.Application
}

// command runs one subcommand and returns its exit status. Errors are shown by fail.
type command interface {
	Run(c *call) (int, error)
}

// run is the whole program but for the process around it. It returns the exit status:
// 0 done, 1 failed, 2 wrong usage, 3 at least one document rejected.
func run(ctx context.Context, args, env []string, io stdio) int {
	var parsed cli
	asked := false // for help, which kong prints by itself
	app, err := kong.New(&parsed,
		kong.Name("blotter"),
		kong.Description("blotter destroys the personal data in the images of documents and leaves a signed trail that anyone can verify offline.\n\nExit status: 0 done, 1 failed, 2 wrong usage, 3 at least one document rejected."),
		kong.Writers(io.out, io.err),
		kong.Exit(func(int) { asked = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
	)
	if err != nil {
		panic("blotter: the command line is declared wrongly: " + err.Error())
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	// Where help was asked for, kong has printed it and goes on to complain of what is
	// missing: nothing was parsed, and nothing is wrong.
	parse := func(args []string) (*kong.Context, error) {
		asked = false
		parsed, err := app.Parse(args)
		if asked {
			return nil, nil
		}
		if err != nil {
			return nil, reason.Because(reason.UsageWrong, err)
		}
		return parsed, nil
	}
	chosen, err := parse(args)
	if err != nil {
		return fail(io.err, err)
	}
	if chosen == nil {
		return reason.ExitOK
	}
	c := &call{ctx: ctx, env: env, stdio: io, parse: parse, model: app.Model}
	code, err := chosen.Selected().Target.Addr().Interface().(command).Run(c)
	if err != nil {
		return fail(io.err, err)
	}
	return code
}

// fail shows an error: what happened, what to do, and the stable code. Its exit status
// is the code's. Only what the person typed is repeated from the error itself.
func fail(w io.Writer, err error) int {
	code := reason.Of(err)
	if errors.Is(err, context.Canceled) {
		code = reason.QueueStopped
	}
	e := reason.Must(code)
	headline, more := e.Text, detailOf(code, err)
	if code == reason.UsageWrong && more != "" {
		headline, more = more, "See: blotter help"
	}
	fmt.Fprintf(w, "blotter: %s\n", headline)
	for line := range strings.Lines(more) {
		fmt.Fprintf(w, "  %s\n", strings.TrimRight(line, "\n"))
	}
	fmt.Fprintf(w, "  reason: %s\n", code)
	return e.Exit
}

// detailOf returns the words of an error that speaks of the caller's own input or
// machine, so that a mistake can be found.
func detailOf(code reason.Code, err error) string {
	switch code {
	case reason.UsageWrong, reason.PolicyInvalid, reason.ConfigInvalid, reason.TruthInvalid, reason.CellEngines,
		reason.CellProtection, reason.CellStart, reason.StationKeys, reason.StationName, reason.QueueBusy, reason.WorkdirFailed, reason.VaultUnavailable, reason.Internal:
	default:
		return ""
	}
	var coded *reason.Error
	if errors.As(err, &coded) {
		if coded.Err == nil {
			return ""
		}
		return coded.Err.Error()
	}
	return err.Error()
}

// load reads the configuration, with the flag's data directory before all else.
func (c *call) load(data string) (config.Config, error) {
	return config.Load(config.Source{Env: c.env, Data: data})
}
