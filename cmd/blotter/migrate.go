package main

import (
	"fmt"

	"blotter/internal/app"
	"blotter/internal/reason"
)

// migrateCommand is `blotter migrate`.
type migrateCommand struct {
	Data string `placeholder:"DIR" help:"Data directory; $$BLOTTER_DATA, else the XDG state directory, without it." type:"path"`
}

// Run implements command.
func (m *migrateCommand) Run(c *call) (int, error) {
	cfg, err := c.load(m.Data)
	if err != nil {
		return 0, err
	}
	did, err := app.Migrate(c.ctx, cfg)
	if err != nil {
		return 0, err
	}
	switch did.From {
	case did.To:
		fmt.Fprintf(c.stdio.out, "The database is up to date: schema %d.\n", did.To)
	case 0:
		fmt.Fprintf(c.stdio.out, "The database was empty and has schema %d now.\n", did.To)
	default:
		fmt.Fprintf(c.stdio.out, "The database was brought from schema %d to %d.\n", did.From, did.To)
	}
	return reason.ExitOK, nil
}
