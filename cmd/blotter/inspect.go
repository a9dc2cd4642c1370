package main

import (
	"blotter/internal/app"
	"blotter/internal/policy"
	"blotter/internal/reason"
)

// inspectCommand is `blotter inspect`.
type inspectCommand struct {
	File   string `arg:"" help:"Document." type:"path"`
	Policy string `placeholder:"FILE" help:"Redaction policy (YAML) whose limits count; the default policy without it." type:"path"`
	Decode bool   `help:"Also decode each image, to see whether it can be and how long it takes."`
	JSON   bool   `name:"json" help:"Print JSON (blotter.inspect/1)."`
}

// Run implements command. A document that would be rejected is no failure of the command,
// but its exit status says so.
func (i *inspectCommand) Run(c *call) (int, error) {
	p, err := policyOf(i.Policy)
	if err != nil {
		return 0, err
	}
	cfg, err := c.load("")
	if err != nil {
		return 0, err
	}
	r, err := app.Inspect(c.ctx, cfg, i.File, p, i.Decode)
	if err != nil {
		return 0, err
	}
	code := reason.ExitOK
	if r.Reason != "" {
		code = reason.ExitRejected
	}
	if i.JSON {
		return code, r.WriteJSON(c.stdio.out)
	}
	return code, r.WriteText(c.stdio.out)
}

// policyOf reads a policy file, or gives the default policy where none is named.
func policyOf(path string) (policy.Policy, error) {
	if path == "" {
		return policy.Default(), nil
	}
	return readPolicy(path)
}
