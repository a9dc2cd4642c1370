package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"blotter/internal/app"
	"blotter/internal/document"
	"blotter/internal/logs"
	"blotter/internal/policy"
	"blotter/internal/reason"
)

// redactCommand is `blotter redact`.
type redactCommand struct {
	Files     []string `arg:"" name:"file" help:"Documents: PDF, PNG, JPEG, TIFF, GIF, BMP, WebP, HEIC, AVIF, JPEG 2000, JBIG2, ICO, DOCX, PPTX, XLSX, ODT, ODS, ODP, DOC, XLS, PPT, RTF, EML, MSG, EMF, WMF, PICT and others (docs/formats.md)." type:"path"`
	Out       string   `required:"" placeholder:"DIR" help:"Empty or new directory for the results: DIR/0001, DIR/0002, … in the order of the files." type:"path"`
	Originals bool     `help:"Also write each image as it was before redaction."`
	Policy    string   `placeholder:"FILE" help:"Redaction policy (YAML); the default policy without it." type:"path"`
	Hints     string   `placeholder:"FILE" help:"What is known of the person (JSON: names, dates, numbers, addresses)." type:"path"`
	Data      string   `placeholder:"DIR" help:"Data directory; $$BLOTTER_DATA, else the XDG state directory, without it." type:"path"`
	JSON      bool     `name:"json" help:"Print one result a line, as JSON, instead of words."`
}

// Run implements command.
func (r *redactCommand) Run(c *call) (int, error) {
	req, err := r.request()
	if err != nil {
		return 0, err
	}
	cfg, err := c.load(r.Data)
	if err != nil {
		return 0, err
	}
	if cfg.Database != "" {
		return 0, reason.Because(reason.UsageWrong, errors.New("redact works with a database of this machine, and the configuration names one that nodes share: "+
			"send the documents to the service, or let redact work with a data directory of its own: BLOTTER_CONFIG=/dev/null blotter redact --data DIR, without BLOTTER_DATABASE and BLOTTER_VAULT"))
	}
	if err := app.CheckRequest(req, cfg.Data); err != nil {
		return 0, err
	}
	out := newReporter(c.stdio, len(req.Files), r.JSON)
	defer out.close()
	station, err := app.Open(c.ctx, cfg, logs.New(c.stdio.err, cfg.LogLevel), out.progress)
	if err != nil {
		return 0, err
	}
	err = station.Redact(c.ctx, req, out.ended)
	if err := errors.Join(err, station.Close()); err != nil {
		return 0, err
	}
	return out.exit, nil
}

func (r *redactCommand) request() (app.Request, error) {
	req := app.Request{Files: r.Files, Out: r.Out, Originals: r.Originals, Policy: policy.Default()}
	var err error
	if r.Policy != "" {
		if req.Policy, err = readPolicy(r.Policy); err != nil {
			return req, err
		}
	}
	if r.Hints != "" {
		if req.Subject, err = readHints(r.Hints); err != nil {
			return req, err
		}
	}
	return req, nil
}

func readPolicy(path string) (policy.Policy, error) {
	body, err := readInput(path, maxPolicyBytes)
	if err != nil {
		return policy.Policy{}, err
	}
	return policy.Parse(body)
}

// hints are what the caller knows of the person; the cell reads the same fields.
type hints struct {
	Names     []string `json:"names,omitempty"`
	Dates     []string `json:"dates,omitempty"`
	Numbers   []string `json:"numbers,omitempty"`
	Addresses []string `json:"addresses,omitempty"`
}

func readHints(path string) (json.RawMessage, error) {
	body, err := readInput(path, maxHintsBytes)
	if err != nil {
		return nil, err
	}
	h, err := decodeHints(body)
	if err != nil {
		return nil, reason.Because(reason.UsageWrong,
			fmt.Errorf("the hints %q are not a JSON object of names, dates, numbers and addresses, each a list of strings", path))
	}
	return json.Marshal(h)
}

// Bounds of the files that a caller writes, in bytes: far above any honest one.
const (
	maxPolicyBytes = 1 << 20
	maxHintsBytes  = 64 << 10
)

// readInput reads a small file that the caller named.
func readInput(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, reason.Because(reason.UsageWrong, fmt.Errorf("%q cannot be read", path))
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil || int64(len(body)) > limit {
		return nil, reason.Because(reason.UsageWrong, fmt.Errorf("%q cannot be read, or is over %d bytes", path, limit))
	}
	return body, nil
}

// exitOf is the status that one document asks for; the worst counts for the command.
func exitOf(state document.State) int {
	switch state {
	case document.Rejected:
		return reason.ExitRejected
	case document.Dead:
		return reason.ExitFailed
	}
	return reason.ExitOK
}

// worse returns the exit status that outranks: a failure before a rejection.
func worse(a, b int) int {
	if a == reason.ExitFailed || b == reason.ExitFailed {
		return reason.ExitFailed
	}
	return max(a, b)
}
