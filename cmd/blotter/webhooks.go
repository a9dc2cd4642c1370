package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"blotter/internal/app"
	"blotter/internal/document"
	"blotter/internal/reason"
	"blotter/internal/webhook"
)

// webhooksCommand is `blotter webhooks`.
type webhooksCommand struct {
	List    webhooksList    `cmd:"" help:"List messages that no endpoint has taken yet, the newest first."`
	Replay  webhooksReplay  `cmd:"" help:"Try a message that was given up again."`
	Discard webhooksDiscard `cmd:"" help:"Forget a message that was given up."`
}

// webhooksList is `blotter webhooks list`.
type webhooksList struct {
	Tenant   string `placeholder:"NAME" help:"Only messages of this tenant."`
	Endpoint string `placeholder:"NAME" help:"Only messages for this endpoint."`
	Dead     bool   `help:"Only messages that were given up."`
	deskFlags
}

// Run implements command.
func (w *webhooksList) Run(c *call) (int, error) {
	f := webhook.Filter{Tenant: document.Tenant(w.Tenant), Endpoint: w.Endpoint}
	if _, err := document.ParseTenant(w.Tenant); w.Tenant != "" && err != nil {
		return 0, reason.Because(reason.UsageWrong, errors.New("--tenant is 1 to 64 of a-z, 0-9, _ and -"))
	}
	if w.Dead {
		f.Status = webhook.Dead
	}
	return c.at(w.deskFlags, app.OpenDesk, func(d *app.Desk) error {
		rows := [][]string{{"MESSAGE", "ENDPOINT", "JOB", "STATE", "STATUS", "ATTEMPTS", "NEXT", "REASON"}}
		err := d.Webhooks(c.ctx, f, func(m webhook.Delivery) error {
			if w.JSON {
				return printJSON(c.stdio.out, shownDelivery(m))
			}
			rows = append(rows, []string{
				m.ID, m.Endpoint, string(m.Job), string(m.State), string(m.Status), fmt.Sprint(m.Attempt), nextOf(m), dash(string(m.Why)),
			})
			return nil
		})
		if err != nil || w.JSON {
			return err
		}
		if len(rows) == 1 {
			fmt.Fprintln(c.stdio.err, nothingLeft(f))
			return nil
		}
		return table(c.stdio.out, rows)
	})
}

// nothingLeft says what an empty list means.
func nothingLeft(f webhook.Filter) string {
	switch {
	case f.Tenant != "" || f.Endpoint != "":
		return "Nothing waits for this tenant and endpoint: every message was taken, or there was none."
	case f.Status == webhook.Dead:
		return "No message was given up."
	}
	return "Nothing waits: every message was taken, or there was none."
}

func nextOf(m webhook.Delivery) string {
	if m.Status == webhook.Dead {
		return "-"
	}
	return moment(m.NotBefore)
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// delivery is a message as JSON shows it.
type delivery struct {
	ID        string    `json:"id"`
	Endpoint  string    `json:"endpoint"`
	Tenant    string    `json:"tenant"`
	Job       string    `json:"job"`
	State     string    `json:"state"`
	Sequence  int64     `json:"sequence"`
	Status    string    `json:"status"`
	Attempts  int       `json:"attempts"`
	NotBefore time.Time `json:"not_before"`
	Reason    string    `json:"reason,omitempty"` // of the last failure
}

func shownDelivery(m webhook.Delivery) delivery {
	return delivery{
		ID: m.ID, Endpoint: m.Endpoint, Tenant: string(m.Tenant), Job: string(m.Job), State: string(m.State), Sequence: m.Sequence,
		Status: string(m.Status), Attempts: m.Attempt, NotBefore: m.NotBefore, Reason: string(m.Why),
	}
}

// webhooksReplay is `blotter webhooks replay`.
type webhooksReplay struct{ webhookAct }

// Run implements command.
func (w *webhooksReplay) Run(c *call) (int, error) {
	return w.run(c, "pending", (*app.Desk).ReplayWebhook)
}

// webhooksDiscard is `blotter webhooks discard`.
type webhooksDiscard struct{ webhookAct }

// Run implements command.
func (w *webhooksDiscard) Run(c *call) (int, error) {
	return w.run(c, "discarded", (*app.Desk).DiscardWebhook)
}

// webhookAct is what the commands that decide over a message have in common.
type webhookAct struct {
	ID string `arg:"" name:"message" help:"Identifier of the message (msg_…), from: blotter webhooks list."`
	deskFlags
}

func (w *webhookAct) run(c *call, became string, act func(*app.Desk, context.Context, string) (webhook.Delivery, error)) (int, error) {
	return c.at(w.deskFlags, app.OpenDesk, func(d *app.Desk) error {
		m, err := act(d, c.ctx, w.ID)
		if err != nil {
			return err
		}
		if w.JSON {
			return printJSON(c.stdio.out, shownDelivery(m))
		}
		_, err = fmt.Fprintf(c.stdio.out, "%s %s\n", m.ID, became)
		return err
	})
}
