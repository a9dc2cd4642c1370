// Package app is the only wiring: it makes the rooms from the configuration, starts
// them in their order, and lets commands use the whole.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"blotter/internal/audit/sequencer"
	"blotter/internal/cell"
	"blotter/internal/config"
	"blotter/internal/document"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/retention"
	"blotter/internal/sqlite"
	"blotter/internal/vault"
	"blotter/internal/worker"
	"blotter/internal/worker/workdir"
	"blotter/receipt"
)

// Station is a data directory at work: store, vault, working copies, cells and trail.
//
//	blotter.db    jobs, outbox, log, wrapped keys
//	vault/        encrypted blobs
//	station.key   wraps the data keys (0600)
//	audit/        signing key (0600), last checkpoint, trust list
//	work/         working copies
type Station struct {
	cfg       config.Config
	log       *slog.Logger
	store     *sqlite.DB
	vault     *vault.Vault
	cellSetup cell.Config
	cells     *cell.Pool
	root      *workdir.Root
	worker    *worker.Worker
	retention *retention.Retention
	code      receipt.Code
	endless   bool                              // a service: it waits out what passes, however long
	wake      chan struct{}                     // there may be something to seal; holds one signal
	sealed    func(document.ID, document.State) // told of jobs whose events were sealed, and where they moved; nil: nobody
}

// Open opens the data directory, making what is missing, and starts cells ahead.
// progress is told how far each job is; it may be nil. Errors carry a reason code.
func Open(ctx context.Context, cfg config.Config, log *slog.Logger, progress func(document.ID, document.Stage, int)) (*Station, error) {
	engines, err := OpenEngines(cfg)
	if err != nil {
		return nil, err
	}
	if err := cell.TryClassifier(ctx, cellConfig(cfg, engines)); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, reason.Because(reason.ConfigInvalid, fmt.Errorf("the data directory cannot be made: %w", err))
	}
	s := &Station{cfg: cfg, log: log, code: CodeOf(engines), wake: make(chan struct{}, 1)}
	if err := s.openStores(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if s.root, err = workdir.OpenRoot(cfg.WorkDir); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.cellSetup = cellConfig(cfg, engines)
	s.cells = cell.NewPool(s.cellSetup, 1)
	s.worker = s.newWorker(s.cells)
	s.worker.Progress = progress
	s.retention = &retention.Retention{Store: s.store, Vault: s.vault, Log: log, Sealed: s.wakeSequencer}
	return s, nil
}

// newWorker makes a worker that gives its documents to the cells of a pool.
func (s *Station) newWorker(cells *cell.Pool) *worker.Worker {
	return &worker.Worker{
		Config: worker.Config{Lease: s.cfg.Lease, Heartbeat: s.cfg.Lease / 3, Backoff: s.cfg.Backoff, BulkNice: s.cfg.BulkNice},
		Store:  s.store, Vault: s.vault, Cells: cells, Root: s.root, Node: node, Code: s.code, Log: s.log,
		Budgets: s.cfg.Budgets, Sealed: s.wakeSequencer,
	}
}

// node is the name of the one node that shares a data directory.
const node = "local"

// databaseFile is where a data directory's jobs, outbox and log lie.
func databaseFile(data string) string { return filepath.Join(data, "blotter.db") }

func (s *Station) openStores(ctx context.Context) (err error) {
	if s.store, err = sqlite.Open(ctx, databaseFile(s.cfg.Data), sqlite.Options{Settings: queue.Settings{Weights: s.cfg.Weights, Endpoints: s.cfg.Webhooks.Names()}}); err != nil {
		return err
	}
	s.vault, err = vault.Open(ctx, filepath.Join(s.cfg.Data, "vault"), filepath.Join(s.cfg.Data, "station.key"), s.store)
	return err
}

// Close stops the cells and closes the stores.
func (s *Station) Close() error {
	var errs []error
	if s.cells != nil {
		s.cells.Close()
	}
	if s.vault != nil {
		errs = append(errs, s.vault.Close())
	}
	if s.store != nil {
		errs = append(errs, s.store.Close())
	}
	return errors.Join(errs...)
}

func (s *Station) wakeSequencer() {
	signal(s.wake)
}

// destroyAll destroys every key that a cancelled job has, at once: nobody will ask for it
// any more. What fails is left to the retention.
func (s *Station) destroyAll(ctx context.Context, id document.ID) {
	for _, c := range vault.Classes() {
		if err := s.retention.Destroy(ctx, id, c); err != nil {
			s.log.Warn("left to the janitor", "job", id, "class", c, "reason", reason.Of(err))
		}
	}
}

// electionInterval is how often a process that is not the sequencer looks whether the
// one that is has gone.
const electionInterval = 250 * time.Millisecond

// seal numbers and signs events for as long as ctx lives, as soon as this process is
// elected; until then the process that is does it.
func (s *Station) seal(ctx context.Context) error {
	retry := time.NewTicker(electionInterval)
	defer retry.Stop()
	t := trouble{endless: s.endless}
	for {
		err := s.sealElected(ctx)
		if err == nil {
			return nil // ctx has ended
		}
		if errors.Is(err, sequencer.ErrNotElected) {
			err = nil
		}
		if err := t.met(err); err != nil {
			return err
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func (s *Station) sealElected(ctx context.Context) error {
	seq, err := sequencer.Open(ctx, sequencer.Config{
		Dir: auditDir(s.cfg.Data), Log: s.store, Now: time.Now,
		Failed: func(err error) { s.log.Warn("sealing failed", "reason", reason.Of(err)) },
		Sealed: s.sealed,
	})
	if err != nil {
		return err
	}
	return errors.Join(seq.Run(ctx, s.wake), seq.Close())
}

func auditDir(data string) string { return filepath.Join(data, "audit") }

// TrustFile is where the data directory's trust list lies.
func TrustFile(data string) string { return filepath.Join(auditDir(data), sequencer.TrustFile) }
