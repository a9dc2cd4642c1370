// Package checkup looks whether this host keeps what blotter promises: the walls of a
// cell, by what a cell's own attempts to break out come to; the directories that hold
// documents and keys; clock, memory and space. Each finding says what was found and what
// to do.
//
// It changes nothing. A file that an attempt could make is taken away again.
//
// A finding passes, fails, or is unknown where the host does not say. One that passes may
// carry advice: it is right as it is, and could be better.
package checkup

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Schema names the form of a Report as JSON.
const Schema = "blotter.doctor/1"

// Status is how a check ended.
type Status string

// The ends of a check.
const (
	Pass    Status = "pass"
	Fail    Status = "fail"
	Unknown Status = "unknown" // the host does not say, or there is nothing to look at yet
)

// Finding is one check. It holds no path: the part says which of the node's places it is.
type Finding struct {
	Part   string `json:"part"`  // cell, working directory, data, database, …
	Check  string `json:"check"` // what was looked at
	Status Status `json:"status"`
	Found  string `json:"found"`
	Do     string `json:"do,omitempty"` // what to do; of a pass: what would be better
}

// Report is what a check-up found.
type Report struct {
	Schema   string    `json:"schema"`
	Passed   int       `json:"passed"`
	Failed   int       `json:"failed"`
	Unknown  int       `json:"unknown"`
	Findings []Finding `json:"findings"`
}

// NewReport counts findings.
func NewReport(findings []Finding) Report {
	r := Report{Schema: Schema, Findings: findings}
	for _, f := range findings {
		switch f.Status {
		case Pass:
			r.Passed++
		case Fail:
			r.Failed++
		default:
			r.Unknown++
		}
	}
	return r
}

// WriteJSON writes the report as JSON.
func (r Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(r)
}

// WriteText writes the report for a terminal: one line for each finding, then what to do
// about those that need it.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	for _, f := range r.Findings {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", f.Status, f.Part, f.Check, f.Found)
	}
	_ = t.Flush() // a strings.Builder takes everything
	for _, s := range []struct {
		status Status
		title  string
	}{{Fail, "To be mended"}, {Unknown, "Not known"}, {Pass, "Could be better"}} {
		r.advise(&b, s.status, s.title)
	}
	fmt.Fprintf(&b, "\n%d passed, %d failed, %d unknown\n", r.Passed, r.Failed, r.Unknown)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r Report) advise(b *strings.Builder, s Status, title string) {
	first := true
	for _, f := range r.Findings {
		if f.Status != s || f.Do == "" {
			continue
		}
		if first {
			fmt.Fprintf(b, "\n%s:\n", title)
			first = false
		}
		fmt.Fprintf(b, "  %s, %s: %s\n", f.Part, f.Check, f.Do)
	}
}

// judged is a finding that passes or fails.
func judged(part, check string, ok bool, found, do string) Finding {
	if ok {
		return Finding{Part: part, Check: check, Status: Pass, Found: found}
	}
	return Finding{Part: part, Check: check, Status: Fail, Found: found, Do: do}
}

// advised passes either way, with advice where it could be better.
func advised(part, check string, best bool, found, do string) Finding {
	f := Finding{Part: part, Check: check, Status: Pass, Found: found}
	if !best {
		f.Do = do
	}
	return f
}

func unknown(part, check, found, do string) Finding {
	return Finding{Part: part, Check: check, Status: Unknown, Found: found, Do: do}
}
