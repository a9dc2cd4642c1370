package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"blotter/internal/app"
	"blotter/internal/reason"
)

// verifyCommand is `blotter verify`.
type verifyCommand struct {
	Paths []string `arg:"" name:"path" help:"Receipts, or directories that redact has written." type:"path"`
	Trust string   `placeholder:"FILE" help:"Trust list; the data directory's without it." type:"path"`
	Data  string   `placeholder:"DIR" help:"Data directory whose trust list is used." type:"path"`
}

// Run implements command.
func (v *verifyCommand) Run(c *call) (int, error) {
	path := v.Trust
	if path == "" {
		cfg, err := c.load(v.Data)
		if err != nil {
			return 0, err
		}
		path = app.TrustFile(cfg.Data)
	}
	trust, err := app.ReadTrust(path)
	if err != nil {
		return 0, err
	}
	checked, err := app.Verify(v.Paths, trust)
	if err != nil {
		return 0, err
	}
	failed := 0
	for _, r := range checked {
		printChecked(c.stdio.out, r)
		if !r.OK() {
			failed++
		}
	}
	fmt.Fprintf(c.stdio.out, "receipts that hold: %d, that fail: %d\n", len(checked)-failed, failed)
	if failed > 0 {
		return reason.ExitFailed, nil
	}
	return reason.ExitOK, nil
}

// printable takes the control characters out of a path, so that a directory's name
// cannot write on the terminal.
func printable(path string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, path)
}

// printChecked writes one line for each statement, and once for each kind of failure
// what to do about it.
func printChecked(w io.Writer, r app.Checked) {
	fmt.Fprintf(w, "%s\n", printable(r.Path))
	advised := map[string]bool{}
	for _, s := range r.Statements {
		if s.OK {
			fmt.Fprintf(w, "  holds  %-11s %s\n", s.Name, s.Detail)
			continue
		}
		fmt.Fprintf(w, "  FAILS  %-11s %s (%s)\n", s.Name, s.Detail, s.Code)
		if !advised[s.Code] {
			advised[s.Code] = true
			fmt.Fprintf(w, "         %s\n", reason.Must(reason.Code(s.Code)).Text)
		}
	}
}
