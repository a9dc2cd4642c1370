package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"blotter/internal/app"
	"blotter/internal/document"
	"blotter/internal/eval"
	"blotter/internal/policy"
	"blotter/internal/reason"
)

// evalCommand is `blotter eval`.
type evalCommand struct {
	Dir     string   `arg:"" help:"Directory with documents, at any depth, that have NAME.truth.json beside them." type:"path"`
	Policy  string   `placeholder:"FILE" help:"Redaction policy (YAML); the default policy without it." type:"path"`
	Kinds   []string `placeholder:"KIND,…" help:"Only documents of these kinds."`
	Without []string `placeholder:"LAYER,…" help:"Leave layers of finding out, to see what they give: pattern, label, name, place, …"`
	Workers int      `placeholder:"N" help:"Documents at once; as configured without it. Use 1 to measure time."`
	Text    bool     `help:"Name leaked and lost words in the output. It then holds personal data."`
	JSON    bool     `name:"json" help:"Print the report as JSON (blotter.eval/1)."`
	Report  string   `placeholder:"FILE.html" help:"Also write a report with the redacted pages, for a person to look at (0600). It holds what leaked."`
}

// Run implements command.
func (e *evalCommand) Run(c *call) (int, error) {
	m, err := e.measure()
	if err != nil {
		return 0, err
	}
	cfg, err := c.load("")
	if err != nil {
		return 0, err
	}
	if e.Workers > 0 {
		cfg.Workers = e.Workers
	}
	page, err := openReport(e.Report)
	if err != nil {
		return 0, err
	}
	defer page.close()
	m.Told = told(c.stdio.err)
	report, err := app.Evaluate(c.ctx, cfg, m)
	m.Told(0, 0)
	if err != nil {
		return 0, err
	}
	return reason.ExitOK, errors.Join(page.write(report), e.print(c.stdio.out, report))
}

func (e *evalCommand) measure() (app.Measure, error) {
	m := app.Measure{Dir: e.Dir, Policy: policy.Default(), Kinds: e.Kinds, Text: e.Text, Sheets: e.Report != ""}
	var err error
	if e.Policy != "" {
		if m.Policy, err = readPolicy(e.Policy); err != nil {
			return m, err
		}
	}
	m.Without, err = layers(e.Without)
	return m, err
}

// layers reads the names of layers.
func layers(names []string) ([]document.Source, error) {
	var out []document.Source
	for _, name := range names {
		s, ok := document.ParseSource(name)
		if !ok {
			var known []string
			for _, s := range document.Sources() {
				known = append(known, s.String())
			}
			return nil, reason.Because(reason.UsageWrong, fmt.Errorf("no layer is called %q; they are: %s", name, strings.Join(known, ", ")))
		}
		out = append(out, s)
	}
	return out, nil
}

// told draws a progress line on a terminal, and takes it away when told of nothing.
func told(w io.Writer) func(done, total int) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return func(int, int) {}
	}
	return func(done, total int) {
		fmt.Fprint(w, clearLine)
		if total > 0 {
			fmt.Fprintf(w, "[%-*s] %d/%d documents", barWidth, bar(barWidth*done/total), done, total)
		}
	}
}

func (e *evalCommand) print(w io.Writer, r *eval.Report) error {
	if !e.JSON {
		return r.WriteText(w)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(r)
}

// reportFile is where the report for a person goes. It is opened before anything is
// measured, so that a path that cannot be written shows at once.
type reportFile struct {
	f    *os.File // nil: no report was asked for
	path string
}

func openReport(path string) (*reportFile, error) {
	r := &reportFile{path: path}
	if path == "" {
		return r, nil
	}
	var err error
	if r.f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600); err != nil {
		return nil, r.failed(err)
	}
	if err := r.f.Chmod(0o600); err != nil { // it may have been there, for all to read
		return nil, errors.Join(r.failed(err), r.f.Close())
	}
	return r, nil
}

func (r *reportFile) write(report *eval.Report) error {
	if r.f == nil {
		return nil
	}
	if err := r.f.Truncate(0); err != nil {
		return r.failed(err)
	}
	if err := report.WriteHTML(r.f); err != nil {
		return r.failed(err)
	}
	return nil
}

func (r *reportFile) failed(err error) error {
	return reason.Because(reason.UsageWrong, fmt.Errorf("--report %q cannot be written: %w", r.path, err))
}

// close leaves no empty file where nothing was measured.
func (r *reportFile) close() {
	if r.f == nil {
		return
	}
	if st, err := r.f.Stat(); err == nil && st.Size() == 0 {
		_ = os.Remove(r.path) // an empty file says nothing
	}
	_ = r.f.Close() // what could not be written has shown in write
}
