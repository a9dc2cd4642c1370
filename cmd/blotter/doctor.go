package main

import (
	"blotter/internal/app"
	"blotter/internal/config"
	"blotter/internal/reason"
)

// doctorCommand is `blotter doctor`.
type doctorCommand struct {
	Config string `arg:"" optional:"" placeholder:"FILE" help:"Configuration to look at; the one that other commands use without it." type:"path"`
	Data   string `placeholder:"DIR" help:"Data directory, before that of the configuration." type:"path"`
	JSON   bool   `name:"json" help:"Print JSON (blotter.doctor/1)."`
}

// Run implements command. Anything that fails makes the exit status 1; what is not known
// does not.
func (d *doctorCommand) Run(c *call) (int, error) {
	cfg, err := config.Load(config.Source{File: d.Config, Env: c.env, Data: d.Data})
	if err != nil {
		return 0, err
	}
	r := app.Doctor(c.ctx, cfg)
	code := reason.ExitOK
	if r.Failed > 0 {
		code = reason.ExitFailed
	}
	if d.JSON {
		return code, r.WriteJSON(c.stdio.out)
	}
	return code, r.WriteText(c.stdio.out)
}
