package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"

	"blotter/internal/app"
	"blotter/internal/config"
	"blotter/internal/logs"
	"blotter/internal/reason"
)

// deskFlags belong to every command that looks at a data directory and decides.
type deskFlags struct {
	Data string `placeholder:"DIR" help:"Data directory; $$BLOTTER_DATA, else the XDG state directory, without it." type:"path"`
	JSON bool   `name:"json" help:"Print JSON, one object a line, instead of words."`
}

// opener is app.OpenDesk or app.MakeDesk.
type opener func(ctx context.Context, cfg config.Config, log *slog.Logger) (*app.Desk, error)

// at does something at the desk of the data directory.
func (c *call) at(f deskFlags, open opener, do func(*app.Desk) error) (int, error) {
	cfg, err := c.load(f.Data)
	if err != nil {
		return 0, err
	}
	desk, err := open(c.ctx, cfg, logs.New(c.stdio.err, cfg.LogLevel))
	if err != nil {
		return 0, err
	}
	return reason.ExitOK, errors.Join(do(desk), desk.Close())
}

// printJSON writes one object and a line feed.
func printJSON(w io.Writer, v any) error { return json.NewEncoder(w).Encode(v) }

// table aligns rows of words; the first is their heading.
func table(w io.Writer, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, columnGap, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	return t.Flush()
}

// columnGap is how many blanks stand between two columns.
const columnGap = 2

// moment is a time for a person; "-" where there is none.
func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.RFC3339)
}
