package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"blotter/client"
	"blotter/internal/app"
	"blotter/internal/document"
	"blotter/receipt"
)

// printJob writes a job for a person, in three parts: what it is, how long its stages
// took, and its signed events.
func printJob(w io.Writer, j app.JobTrail) error {
	if err := table(w, facts(j.Job)); err != nil {
		return err
	}
	if len(j.TimingsMS) > 0 {
		fmt.Fprintln(w)
		if err := table(w, stages(j.Job)); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	return table(w, events(j.Trail))
}

func facts(j client.Job) [][]string {
	rows := [][]string{
		{"job", j.ID}, {"tenant", j.Tenant}, {"lane", j.Lane}, {"state", j.State}, {"attempts", strconv.Itoa(j.Attempt)},
		{"created", moment(j.Created)}, {"ready", moment(j.Ready)}, {"input", inputOf(j.Input)},
		{"policy", fmt.Sprintf("%s %s, sha256 %s", j.Policy.Name, j.Policy.Version, j.Policy.SHA256)},
	}
	if r := j.Reason; r != nil {
		rows = append(rows, []string{"reason", fmt.Sprintf("%s (%s, for %s)", r.Code, r.Class, r.Owner)}, []string{"", r.Text})
	}
	if len(j.Assets) > 0 {
		rows = append(rows, []string{"images", imagesOf(j.Assets)})
	}
	if len(j.NotCovered) > 0 {
		rows = append(rows, []string{"not covered", strings.Join(j.NotCovered, ", ")})
	}
	if j.Pixels > 0 {
		rows = append(rows, []string{"pixels", fmt.Sprintf("%d decoded, both passes", j.Pixels)})
	}
	if len(j.Signals) > 0 {
		rows = append(rows, []string{"slow for", strings.Join(j.Signals, ", ")})
	}
	return rows
}

func inputOf(in client.Input) string {
	return fmt.Sprintf("%s, %d bytes, sha256 %s", orUnknown(in.MediaType), in.Bytes, in.SHA256)
}

func imagesOf(assets []client.Asset) string {
	plain := make([]receipt.ResultAsset, 0, len(assets))
	for _, a := range assets {
		plain = append(plain, a.ResultAsset)
	}
	redacted, withheld, boxes := count(plain)
	return fmt.Sprintf("redacted: %d, withheld: %d, boxes: %d", redacted, withheld, boxes)
}

// stages sets the times of the stages against their budgets.
func stages(j client.Job) [][]string {
	rows := [][]string{{"STAGE", "MS", "BUDGET MS"}}
	for _, s := range document.Stages() {
		name := s.String()
		took, timed := j.TimingsMS[name]
		if !timed {
			continue
		}
		row := []string{name, strconv.FormatInt(took, 10), "-"}
		if budget, ok := j.BudgetsMS[name]; ok {
			row[2] = strconv.FormatInt(budget, 10)
		}
		if slices.Contains(j.OverBudget, name) {
			row = append(row, "over budget")
		}
		rows = append(rows, row)
	}
	return rows
}

// events lists the trail. What an event says in full is in its receipt, and with --json.
func events(trail []receipt.Event) [][]string {
	rows := [][]string{{"EVENT", "TIME", "KIND", "ACTOR", "STATE", "REASON"}}
	for _, e := range trail {
		rows = append(rows, []string{
			strconv.FormatInt(e.Sequence, 10), e.Time, string(e.Kind), e.Actor, orNone(e.State), orNone(e.Reason),
		})
	}
	return rows
}

func orNone(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
