package main

import (
	"fmt"
	"strings"
	"time"

	"blotter/internal/access"
	"blotter/internal/app"
	"blotter/internal/document"
)

// keysCommand is `blotter keys`.
type keysCommand struct {
	Add    keysAdd    `cmd:"" help:"Make an API key and print it: once, it cannot be shown again."`
	List   keysList   `cmd:"" help:"List the API keys, never their secrets."`
	Revoke keysRevoke `cmd:"" help:"End an API key for good."`
}

// keysAdd is `blotter keys add`.
type keysAdd struct {
	Tenant string   `required:"" placeholder:"NAME" help:"Whose documents: 1 to 64 of a-z, 0-9, _ and -; * for every tenant (operator and admin)."`
	Role   string   `required:"" placeholder:"ROLE" enum:"client,reader,reviewer,operator,admin" help:"client sends documents and fetches results; reader fetches results; reviewer also sees images before redaction; operator cancels, replays and discards jobs and sees no result; admin may do all of it."`
	Lanes  []string `placeholder:"LANE" help:"Lanes in which the key may send documents: interactive, bulk or both; bulk without it."`
	deskFlags
}

// Run implements command. The key stands alone on standard output, so that a script can
// take it; what it is for goes to standard error.
func (k *keysAdd) Run(c *call) (int, error) {
	lanes := make([]document.Lane, 0, len(k.Lanes))
	for _, l := range k.Lanes {
		lanes = append(lanes, document.Lane(l))
	}
	return c.at(k.deskFlags, app.MakeDesk, func(d *app.Desk) error {
		key, token, err := d.AddKey(c.ctx, document.Tenant(k.Tenant), access.Role(k.Role), lanes)
		if err != nil {
			return err
		}
		if k.JSON {
			shown := shownKey(key)
			shown.Key = token
			return printJSON(c.stdio.out, shown)
		}
		if _, err := fmt.Fprintln(c.stdio.out, token); err != nil {
			return err
		}
		fmt.Fprintf(c.stdio.err, "This is key %s: role %s, tenant %s, lanes: %s.\n", key.ID, key.Role, key.Tenant, lanesOf(key))
		fmt.Fprintln(c.stdio.err, "Only its hash is kept, so it is not shown again. Send it as Authorization: Bearer KEY")
		return nil
	})
}

// keysList is `blotter keys list`.
type keysList struct{ deskFlags }

// Run implements command.
func (k *keysList) Run(c *call) (int, error) {
	return c.at(k.deskFlags, app.OpenDesk, func(d *app.Desk) error {
		keys, err := d.Keys(c.ctx)
		if err != nil {
			return err
		}
		if k.JSON {
			for _, key := range keys {
				if err := printJSON(c.stdio.out, shownKey(key)); err != nil {
					return err
				}
			}
			return nil
		}
		rows := [][]string{{"KEY", "TENANT", "ROLE", "LANES", "CREATED", "REVOKED"}}
		for _, key := range keys {
			rows = append(rows, []string{
				key.ID, string(key.Tenant), string(key.Role), lanesOf(key), moment(key.Created), moment(key.Revoked),
			})
		}
		return table(c.stdio.out, rows)
	})
}

// keysRevoke is `blotter keys revoke`.
type keysRevoke struct {
	ID string `arg:"" name:"key" help:"Identifier of the key (k…), from: blotter keys list."`
	deskFlags
}

// Run implements command.
func (k *keysRevoke) Run(c *call) (int, error) {
	return c.at(k.deskFlags, app.OpenDesk, func(d *app.Desk) error {
		key, err := d.RevokeKey(c.ctx, k.ID)
		if err != nil {
			return err
		}
		if k.JSON {
			return printJSON(c.stdio.out, shownKey(key))
		}
		_, err = fmt.Fprintf(c.stdio.out, "%s revoked %s\n", key.ID, moment(key.Revoked))
		return err
	})
}

// keyView is an API key as --json shows it.
type keyView struct {
	ID      string     `json:"id"`
	Tenant  string     `json:"tenant"`
	Role    string     `json:"role"`
	Lanes   []string   `json:"lanes"`
	Created time.Time  `json:"created"`
	Revoked *time.Time `json:"revoked,omitempty"`
	Key     string     `json:"key,omitempty"` // when it is made, and never again
}

func shownKey(k access.Key) keyView {
	v := keyView{ID: k.ID, Tenant: string(k.Tenant), Role: string(k.Role), Lanes: laneNames(k), Created: k.Created}
	if !k.Revoked.IsZero() {
		v.Revoked = &k.Revoked
	}
	return v
}

func laneNames(k access.Key) []string {
	names := make([]string, 0, len(k.Lanes))
	for _, l := range k.Lanes {
		names = append(names, string(l))
	}
	return names
}

func lanesOf(k access.Key) string {
	if len(k.Lanes) == 0 {
		return "-"
	}
	return strings.Join(laneNames(k), ",")
}
