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
	"blotter/internal/objectstore"
	"blotter/internal/queue"
	"blotter/internal/reason"
	"blotter/internal/retention"
	"blotter/internal/vault"
	"blotter/internal/worker"
	"blotter/internal/worker/workdir"
	"blotter/receipt"
)

// Station is a data directory at work: store, vault, working copies, cells and trail.
//
//	blotter.db    jobs, outbox, log, wrapped keys; in a fleet a PostgreSQL has them
//	vault/        encrypted blobs; in a fleet a bucket has them
//	station.key   wraps the data keys (0600)
//	audit/        signing key (0600), last checkpoint, trust list
//	work/         working copies
type Station struct {
	cfg       config.Config
	log       *slog.Logger
	store     Store
	objects   *objectstore.Store // what nodes keep together beside the vault's blobs; nil: no fleet
	holder    string             // this process in elections
	roles     roles
	outages   outages
	name      *named // the lease on the node's name; nil: none is needed
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
	s, err := openStation(ctx, cfg, log, CodeOf(engines))
	if err != nil {
		return nil, err
	}
	if s.root, err = workdir.OpenRoot(cfg.WorkDir); err == nil {
		err = s.takeName(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.cellSetup = cellConfig(cfg, engines)
	s.cells = cell.NewPool(s.cellSetup, 1)
	s.worker = s.newWorker(s.cells)
	s.worker.Progress = progress
	return s, nil
}

// openStation opens all but what documents are worked on with.
func openStation(ctx context.Context, cfg config.Config, log *slog.Logger, code receipt.Code) (*Station, error) {
	cfg.Complete()
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, reason.Because(reason.ConfigInvalid, fmt.Errorf("the data directory cannot be made: %w", err))
	}
	s := &Station{cfg: cfg, log: log, code: code, wake: make(chan struct{}, 1), outages: outages{log: log}}
	if err := s.openStores(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.retention = &retention.Retention{Store: s.store, Vault: s.vault, Log: log, Sealed: s.wakeSequencer}
	return s, nil
}

// newWorker makes a worker that gives its documents to the cells of a pool.
func (s *Station) newWorker(cells *cell.Pool) *worker.Worker {
	return &worker.Worker{
		Config: worker.Config{Lease: s.cfg.Lease, Heartbeat: s.cfg.Lease / 3, Backoff: s.cfg.Backoff, BulkNice: s.cfg.BulkNice},
		Store:  s.store, Vault: s.vault, Cells: cells, Root: s.root, Node: s.cfg.Node, Code: s.code, Log: s.log,
		Budgets: s.cfg.Budgets, Sealed: s.wakeSequencer,
	}
}

// databaseFile is where a data directory's jobs, outbox and log lie.
func databaseFile(data string) string { return filepath.Join(data, "blotter.db") }

// fleet reports whether several nodes may share database and vault.
func (s *Station) fleet() bool { return s.cfg.Database != "" && vault.IsBucket(s.cfg.Vault) }

func (s *Station) openStores(ctx context.Context) (err error) {
	s.holder = s.newHolder()
	if s.store, err = openStore(ctx, s.cfg, nil); err != nil {
		return err
	}
	if err := s.expect(ctx); err != nil {
		return err
	}
	if s.vault, err = vault.Open(ctx, s.cfg.Vault, s.cfg.StationKey, s.store); err != nil {
		return err
	}
	if s.fleet() {
		if s.objects, err = objectstore.Open(ctx, s.cfg.Vault); err != nil {
			return reason.Because(reason.VaultUnavailable, err)
		}
	}
	return s.agree(ctx)
}

// Close stops the cells and closes the stores.
func (s *Station) Close() error {
	var errs []error
	if s.cells != nil {
		s.cells.Close()
	}
	if s.name != nil { // once nothing here has a working copy open
		s.name.stop()
	}
	if s.vault != nil {
		errs = append(errs, s.vault.Close())
	}
	if s.objects != nil {
		errs = append(errs, s.objects.Close())
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

// seal numbers and signs events for as long as ctx lives, as soon as this process is
// elected; until then the process that is does it.
func (s *Station) seal(ctx context.Context) error {
	retry := time.NewTicker(s.electionInterval())
	defer retry.Stop()
	t := s.troubles(sealing)
	for {
		err := s.sealElected(ctx)
		if err == nil {
			return nil // ctx has ended
		}
		if errors.Is(err, sequencer.ErrNotElected) || errors.Is(err, errNotElected) {
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

// electionInterval is how often a process that is not the sequencer looks whether the
// one that is has gone. In a fleet looking is a transaction.
func (s *Station) electionInterval() time.Duration {
	if s.fleet() {
		return time.Second
	}
	return 250 * time.Millisecond
}

// sealElected seals while this process is elected: on one host by the lock on a file, in a
// fleet by the database.
func (s *Station) sealElected(ctx context.Context) error {
	if !s.fleet() {
		return s.sequence(ctx, nil)
	}
	return s.leading(ctx, queue.RoleSequencer, func(ctx context.Context) error {
		records, err := sequencer.Shared(ctx, s.objects.Under("audit").Under("records"))
		if err != nil {
			return err
		}
		return s.sequence(ctx, records)
	})
}

func (s *Station) sequence(ctx context.Context, records sequencer.Records) error {
	seq, err := sequencer.Open(ctx, sequencer.Config{
		Dir: auditDir(s.cfg.Data), Key: s.cfg.AuditKey, Records: records, Identify: s.maySign,
		Log: s.store, Now: time.Now,
		Stepped: func(err error) { s.outages.note(sealing, err) },
		Sealed:  s.sealed,
	})
	if err != nil {
		return err
	}
	s.leads(queue.RoleSequencer, true)
	defer s.leads(queue.RoleSequencer, false)
	return errors.Join(seq.Run(ctx, s.wake), seq.Close())
}

func auditDir(data string) string { return filepath.Join(data, "audit") }

// TrustFile is where the data directory's trust list lies.
func TrustFile(data string) string { return filepath.Join(auditDir(data), sequencer.TrustFile) }
