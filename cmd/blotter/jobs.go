package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"blotter/client"
	"blotter/internal/app"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
)

// jobsCommand is `blotter jobs`.
type jobsCommand struct {
	List    jobsList    `cmd:"" help:"List jobs, the latest first."`
	Show    jobsShow    `cmd:"" help:"Show a job: its state, reason, timings and signed events."`
	Replay  jobsReplay  `cmd:"" help:"Put a dead job, or all with a reason, back into the queue."`
	Discard jobsDiscard `cmd:"" help:"End a dead job and destroy what was kept for it."`
	Cancel  jobsCancel  `cmd:"" help:"End a job that waits or works, and destroy what was kept for it."`
}

// jobsList is `blotter jobs list`.
type jobsList struct {
	Tenant string `placeholder:"NAME" help:"Only jobs of this tenant; the command line's own are those of local."`
	State  string `placeholder:"STATE" help:"Only jobs in this state: queued, leased, sealing, released, awaiting_review, rejected, dead or cancelled."`
	Lane   string `placeholder:"LANE" help:"Only jobs of this lane: interactive or bulk."`
	Reason string `placeholder:"CODE" help:"Only jobs with this reason code."`
	Limit  int    `default:"50" placeholder:"N" help:"Most jobs to list; 50 without it."`
	All    bool   `help:"List every job."`
	deskFlags
}

// Run implements command.
func (j *jobsList) Run(c *call) (int, error) {
	f, err := j.filter()
	if err != nil {
		return 0, err
	}
	most := j.Limit
	if j.All {
		most = 0
	}
	return c.at(j.deskFlags, app.OpenDesk, func(d *app.Desk) error {
		told, more, err := d.Jobs(c.ctx, f, most, j.printer(c))
		switch {
		case err != nil:
			return err
		case more:
			fmt.Fprintln(c.stdio.err, "There are more; see them with --limit or --all.")
		case told == 0:
			fmt.Fprintln(c.stdio.err, "There is no such job.")
		}
		return nil
	})
}

// filter checks what was asked for: a misspelt name would look like an empty list.
func (j *jobsList) filter() (queue.Filter, error) {
	f := queue.Filter{
		Tenant: document.Tenant(j.Tenant), State: document.State(j.State), Lane: document.Lane(j.Lane), Reason: reason.Code(j.Reason),
	}
	_, tenantErr := document.ParseTenant(j.Tenant)
	_, known := reason.Lookup(f.Reason)
	var wrong string
	switch {
	case f.Tenant != "" && tenantErr != nil:
		wrong = "--tenant is 1 to 64 of a-z, 0-9, _ and -"
	case f.State != "" && !slices.Contains(document.States(), f.State):
		wrong = fmt.Sprintf("--state %q is no state of a job", j.State)
	case f.Lane != "" && !slices.Contains(document.Lanes(), f.Lane):
		wrong = fmt.Sprintf("--lane %q is no lane", j.Lane)
	case f.Reason != "" && !known:
		wrong = fmt.Sprintf("--reason %q is no reason code", j.Reason)
	case j.Limit < 1:
		wrong = "--limit is a number from 1 on"
	default:
		return f, nil
	}
	return f, reason.Because(reason.UsageWrong, errors.New(wrong))
}

// listRow has a place for each column but the last: an identifier, the longest state, the
// longest lane, attempts, a time, a tenant of usual length.
const listRow = "%-27s  %-15s  %-11s  %8v  %-20s  %-16s  %s\n"

// printer writes each job as it is read: a list may be long.
func (j *jobsList) printer(c *call) func(client.Job) error {
	if j.JSON {
		return func(job client.Job) error { return printJSON(c.stdio.out, job) }
	}
	heading := true
	return func(job client.Job) error {
		if heading {
			heading = false
			fmt.Fprintf(c.stdio.out, listRow, "JOB", "STATE", "LANE", "ATTEMPTS", "CREATED", "TENANT", "REASON")
		}
		_, err := fmt.Fprintf(c.stdio.out, listRow, job.ID, job.State, job.Lane, job.Attempt, moment(job.Created), job.Tenant, codeOf(job.Reason))
		return err
	}
}

func codeOf(r *client.Reason) string {
	if r == nil {
		return "-"
	}
	return r.Code
}

// jobsShow is `blotter jobs show`.
type jobsShow struct {
	ID string `arg:"" name:"job" help:"Identifier of the job (j…), from: blotter jobs list."`
	deskFlags
}

// Run implements command.
func (j *jobsShow) Run(c *call) (int, error) {
	return c.at(j.deskFlags, app.OpenDesk, func(d *app.Desk) error {
		job, err := d.Job(c.ctx, j.ID)
		if err != nil {
			return err
		}
		if j.JSON {
			return printJSON(c.stdio.out, job)
		}
		return printJob(c.stdio.out, job)
	})
}

// jobsReplay is `blotter jobs replay`.
type jobsReplay struct {
	ID        string `arg:"" optional:"" name:"job" help:"Identifier of the job (j…), from: blotter jobs list."`
	Reason    string `placeholder:"CODE" help:"Instead of one job: every dead job with this reason code."`
	Tenant    string `placeholder:"NAME" help:"With --reason: only jobs of this tenant."`
	PerSecond int    `default:"5" placeholder:"N" help:"With --reason: jobs a second at most, 1 to 1000; 5 without it."`
	deskFlags
}

// Run implements command.
func (j *jobsReplay) Run(c *call) (int, error) {
	if j.Reason == "" && j.ID != "" && j.Tenant == "" {
		return (&jobAct{j.ID, j.deskFlags}).run(c, (*app.Desk).Replay)
	}
	if j.Reason == "" || j.ID != "" {
		return 0, reason.Because(reason.UsageWrong, errors.New("name one job, or the jobs' reason with --reason"))
	}
	if j.PerSecond < 1 || j.PerSecond > 1000 {
		return 0, reason.Because(reason.UsageWrong, errors.New("--per-second is a number from 1 to 1000"))
	}
	f, err := (&jobsList{Tenant: j.Tenant, Reason: j.Reason, Limit: 1}).filter()
	if err != nil {
		return 0, err
	}
	return c.at(j.deskFlags, app.OpenDesk, func(d *app.Desk) error {
		replayed, passed, err := d.ReplayAll(c.ctx, f, j.PerSecond, func(job client.Job) error {
			if j.JSON {
				return printJSON(c.stdio.out, job)
			}
			_, err := fmt.Fprintf(c.stdio.out, "%s %s\n", job.ID, job.State)
			return err
		})
		fmt.Fprintf(c.stdio.err, "%d replayed, %d passed over (moved meanwhile, or their documents were destroyed).\n", replayed, passed)
		return err
	})
}

// jobsDiscard is `blotter jobs discard`.
type jobsDiscard struct{ jobAct }

// Run implements command.
func (j *jobsDiscard) Run(c *call) (int, error) { return j.run(c, (*app.Desk).Discard) }

// jobsCancel is `blotter jobs cancel`.
type jobsCancel struct{ jobAct }

// Run implements command.
func (j *jobsCancel) Run(c *call) (int, error) { return j.run(c, (*app.Desk).Cancel) }

// jobAct is what the commands that change a job have in common.
type jobAct struct {
	ID string `arg:"" name:"job" help:"Identifier of the job (j…), from: blotter jobs list."`
	deskFlags
}

// run acts on the job, and says how it stands once that is signed.
func (j *jobAct) run(c *call, act func(*app.Desk, context.Context, string) (client.Job, error)) (int, error) {
	return c.at(j.deskFlags, app.OpenDesk, func(d *app.Desk) error {
		job, err := act(d, c.ctx, j.ID)
		if err != nil {
			return err
		}
		if j.JSON {
			return printJSON(c.stdio.out, job)
		}
		_, err = fmt.Fprintf(c.stdio.out, "%s %s\n", job.ID, job.State)
		return err
	})
}
