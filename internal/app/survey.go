package app

import (
	"context"
	"errors"

	"blotter/internal/cell"
	"blotter/internal/cell/engine"
	"blotter/internal/config"
	"blotter/internal/inspect/survey"
	"blotter/internal/policy"
)

// Sample is what `blotter survey` asks for.
type Sample struct {
	Dir         string
	MemoryBytes int64 // that a cell may take; 0: as configured
	Names       bool  // name documents that were refused
	Read        int   // about how many of them are read as well, to measure how long that takes
	Told        func(done, total int)
}

// Survey measures sample documents in cells that read no text, some of them in cells that do
// where that is asked for, and proposes limits. No data directory is opened.
func Survey(ctx context.Context, cfg config.Config, s Sample) (_ *survey.Report, err error) {
	if s.MemoryBytes == 0 {
		s.MemoryBytes = cellMemory(cfg)
	}
	cfg.Cell.MemoryBytes = s.MemoryBytes
	setup, err := openers(ctx, cfg)
	if err != nil {
		return nil, err
	}
	cells := cell.NewPool(setup, 1)
	defer func() { err = errors.Join(err, cells.Close()) }()
	p := policy.Default()
	task := survey.Config{
		Dir: s.Dir, Cells: cells, Workers: cfg.Workers, Limits: p.Limits, MemoryBytes: s.MemoryBytes,
		Names: s.Names, Told: s.Told, Read: s.Read, Rules: p.Rules,
	}
	if s.Read > 0 {
		var engines engine.Set
		if engines, err = OpenEngines(cfg); err != nil {
			return nil, err
		}
		readers := cell.NewPool(cellConfig(cfg, engines), 1)
		defer func() { err = errors.Join(err, readers.Close()) }()
		task.Readers = readers
	}
	return survey.Run(ctx, task)
}
