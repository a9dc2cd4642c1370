package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"

	"blotter/internal/config"
	"blotter/internal/reason"
	"blotter/receipt"
)

// actorCLI is the actor of what a person does on the command line of the station's host.
const actorCLI = "cli"

// Desk is a data directory opened to look at it and to decide: stores and trail, but no
// cells, workers or engines. It works beside a running service.
type Desk struct{ station *Station }

// OpenDesk opens the desk of a data directory that is there; usage.wrong where none is, so
// that a mistyped name does not make one.
func OpenDesk(ctx context.Context, cfg config.Config, log *slog.Logger) (*Desk, error) {
	_, err := os.Stat(databaseFile(cfg.Data))
	if cfg.Database == "" && errors.Is(err, fs.ErrNotExist) {
		return nil, reason.Because(reason.UsageWrong, fmt.Errorf("%q is not a data directory of blotter", cfg.Data))
	}
	return openDesk(ctx, cfg, log)
}

// MakeDesk opens the desk of a data directory, which it makes where it is missing.
func MakeDesk(ctx context.Context, cfg config.Config, log *slog.Logger) (*Desk, error) {
	return openDesk(ctx, cfg, log)
}

func openDesk(ctx context.Context, cfg config.Config, log *slog.Logger) (*Desk, error) {
	s, err := openStation(ctx, cfg, log, receipt.Code{})
	if err != nil {
		return nil, err
	}
	return &Desk{s}, nil
}

// Close closes the stores.
func (d *Desk) Close() error { return d.station.Close() }

// act does something that puts events into the trail, and returns once they are in a
// signed checkpoint: this process signs them, or the one that holds the key. Where nobody
// can, what was done stays done, and its events wait.
func (d *Desk) act(ctx context.Context, do func(context.Context) error) error {
	signs, err := d.station.hasSigningKey(ctx)
	if err == nil {
		err = do(ctx)
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var sealer sync.WaitGroup
	defer sealer.Wait()
	defer cancel(nil)
	if signs {
		sealer.Go(func() {
			if err := d.station.seal(ctx); err != nil {
				cancel(err)
			}
		})
	}
	return d.station.drain(ctx)
}
