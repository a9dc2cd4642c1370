package main

import (
	"fmt"

	"blotter/internal/app"
	"blotter/internal/reason"
)

// versionCommand is `blotter version`.
type versionCommand struct{}

// Run implements command. Without engines it still says which program this is.
func (versionCommand) Run(c *call) (int, error) {
	cfg, err := c.load("")
	if err != nil {
		return 0, err
	}
	engines, missing := app.OpenEngines(cfg)
	code := app.CodeOf(engines)
	fmt.Fprintf(c.stdio.out, "module    %s\nrevision  %s\n", code.Module, code.Revision)
	if missing != nil {
		fmt.Fprintf(c.stdio.out, "engines   %s\n", reason.Must(reason.Of(missing)).Text)
		return reason.ExitOK, nil
	}
	for _, e := range code.Engines {
		fmt.Fprintf(c.stdio.out, "engine    %s  sha256:%s\n", e.Name, e.SHA256)
	}
	return reason.ExitOK, nil
}

// warmCommand is `blotter warm`.
type warmCommand struct{}

// Run implements command.
func (warmCommand) Run(c *call) (int, error) {
	cfg, err := c.load("")
	if err != nil {
		return 0, err
	}
	return reason.ExitOK, app.Warm(c.ctx, cfg)
}

// helpCommand is `blotter help`.
type helpCommand struct {
	Command []string `arg:"" optional:"" help:"Command to explain."`
}

// Run implements command.
func (h *helpCommand) Run(c *call) (int, error) {
	_, err := c.parse(append(h.Command, "--help"))
	return reason.ExitOK, err
}
