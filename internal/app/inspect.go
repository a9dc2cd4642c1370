package app

import (
	"context"
	"errors"
	"os"

	"blotter/internal/cell"
	"blotter/internal/cell/engine"
	"blotter/internal/cell/wire"
	"blotter/internal/config"
	"blotter/internal/inspect"
	"blotter/internal/policy"
)

// Inspect says what is in a file, with the walls and limits that a job has and without
// making one: no data directory is opened, and nothing that reads is loaded.
func Inspect(ctx context.Context, cfg config.Config, file string, p policy.Policy, decode bool) (_ inspect.Report, err error) {
	setup, err := openers(ctx, cfg)
	if err != nil {
		return inspect.Report{}, err
	}
	cells := cell.NewPool(setup, 0)
	defer func() { err = errors.Join(err, cells.Close()) }()
	return inspect.File(ctx, cells, file, wire.Task{Rules: p.Rules, Limits: p.Limits, Deny: p.DeniedFormats(), Decode: decode})
}

// openers is the setup of cells that open documents and read none. The compilation cache is
// filled where it is empty, so that they work on a machine without engines.
func openers(ctx context.Context, cfg config.Config) (cell.Config, error) {
	setup := cellConfig(cfg, engine.Openers(cfg.Engines))
	setup.Purpose = wire.Inspect
	if entries, err := os.ReadDir(setup.Engines.Cache); err == nil && len(entries) > 0 {
		return setup, nil
	}
	return setup, cell.Warm(ctx, setup)
}
