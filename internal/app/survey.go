package app

import (
	"context"
	"errors"

	"blotter/internal/cell"
	"blotter/internal/config"
	"blotter/internal/inspect/survey"
	"blotter/internal/policy"
)

// Sample is what `blotter survey` asks for.
type Sample struct {
	Dir         string
	MemoryBytes int64 // that a cell may take; 0: as configured
	Names       bool  // name documents that were refused
	Told        func(done, total int)
}

// Survey measures sample documents in cells that read no text, and proposes limits. No data
// directory is opened.
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
	return survey.Run(ctx, survey.Config{
		Dir: s.Dir, Cells: cells, Workers: cfg.Workers, Limits: policy.Default().Limits, MemoryBytes: s.MemoryBytes,
		Names: s.Names, Told: s.Told,
	})
}
