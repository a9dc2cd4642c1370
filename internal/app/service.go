package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/trace"

	"blotter/internal/access"
	"blotter/internal/cell"
	"blotter/internal/cell/engine"
	"blotter/internal/config"
	"blotter/internal/document"
	"blotter/internal/intake"
	"blotter/internal/ops"
	"blotter/internal/reason"
	"blotter/internal/source"
	"blotter/internal/vault"
	"blotter/internal/webhook"
	"blotter/internal/worker"
	"blotter/receipt"
)

// Service is a station that serves: what `blotter serve` runs.
type Service struct {
	*Station
	sources *source.Stores
	changes *changes
	runner  *runner
	api     *intake.API
	ops     http.Handler
	keys    *access.Keyring
	slots   *worker.Slots // places that documents of both lanes share
	work    chan struct{} // there may be a job to claim; holds one signal for each worker
	moved   chan move     // jobs that the API moved, and those whose end was sealed
	ended   chan struct{} // a job has ended, so that there may be somebody to tell; holds one signal
	meter   *ops.Metrics
	stopped chan struct{} // closed once nothing new is taken in
	combed  time.Time     // when blobs that nothing refers to were looked for last; comb's own
	flush   func(context.Context) error
	removed webhook.Removed
}

var (
	_ worker.Meter = (*ops.Metrics)(nil)
	_ intake.Meter = (*ops.Metrics)(nil)

	_ webhook.Meter = (*ops.Metrics)(nil)
)

// move is a job that the API moved, or whose end was sealed.
type move struct {
	job    document.ID
	sealed bool
}

// movedMost is how many moved jobs wait to be looked at. One that finds no room is met
// by its worker's next heartbeat.
const movedMost = 1024

// OpenService opens the data directory, checks the host, and makes all rooms of the
// service. It serves nothing yet. Errors carry a reason code.
func OpenService(ctx context.Context, cfg config.Config, log *slog.Logger) (*Service, error) {
	known, policyProblems := readPolicies(cfg.Serve.Policies)
	sources, sourceProblems := source.Open(source.Config{
		Prefixes: cfg.Serve.Sources, Private: private(cfg),
	})
	if err := errors.Join(policyProblems, sourceProblems); err != nil {
		return nil, reason.Because(reason.ConfigInvalid, err)
	}
	station, err := openFor(ctx, cfg, log)
	if err != nil {
		return nil, errors.Join(err, sources.Close())
	}
	s := &Service{
		Station: station, sources: sources, changes: newChanges(), keys: &access.Keyring{Store: station.store},
		slots: worker.NewSlots(cfg.Workers, parkedMost(cfg, hostMemory()), cfg.Quantum),
		work:  make(chan struct{}, cfg.Workers+cfg.Serve.InteractiveWorkers), moved: make(chan move, movedMost),
		ended: make(chan struct{}, 1), stopped: make(chan struct{}),
	}
	if cfg.Serve.Has(config.RoleAudit) {
		err = s.expectSigningKey(ctx)
	}
	if err := errors.Join(err, s.checkHost(ctx), s.assemble(ctx, known)); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// private lists what no document may be fetched from.
func private(cfg config.Config) []string {
	own := []string{cfg.Data, cfg.WorkDir, cfg.StationKey, cfg.AuditKey}
	if !vault.IsBucket(cfg.Vault) {
		own = append(own, cfg.Vault)
	}
	if cfg.DatabaseFile != "" {
		own = append(own, cfg.DatabaseFile)
	}
	return own
}

// openFor opens a station for what the node does: one that meets no document needs neither
// engines nor cells.
func openFor(ctx context.Context, cfg config.Config, log *slog.Logger) (*Station, error) {
	if meetsDocuments(cfg) {
		return Open(ctx, cfg, log, nil)
	}
	s, err := openStation(ctx, cfg, log, CodeOf(engine.Set{}))
	if err != nil {
		return nil, err
	}
	if err := s.takeName(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.worker = s.newWorker(nil)
	return s, nil
}

func meetsDocuments(cfg config.Config) bool {
	return cfg.Serve.Has(config.RoleAPI) || cfg.Serve.Has(config.RoleWorker)
}

// checkHost refuses to serve where a document could not be worked on safely: a cell's
// walls, the clock, the disks. The engines were checked when the station was opened.
func (s *Service) checkHost(ctx context.Context) error {
	if !meetsDocuments(s.cfg) {
		return errors.Join(s.checkDisks(ctx), s.checkClock(ctx))
	}
	c, err := cell.Start(ctx, s.cellSetup)
	if err != nil {
		return err
	}
	return errors.Join(c.Close(), s.checkDisks(ctx), s.checkClock(ctx))
}

func (s *Service) checkDisks(context.Context) error {
	err := ops.DiskFree(s.cfg.Data, s.cfg.Serve.DiskFreeBytes)
	if meetsDocuments(s.cfg) {
		err = errors.Join(err, ops.DiskFree(s.cfg.WorkDir, s.cfg.Serve.DiskFreeBytes))
	}
	if !vault.IsBucket(s.cfg.Vault) {
		err = errors.Join(err, ops.DiskFree(s.cfg.Vault, s.cfg.Serve.DiskFreeBytes))
	}
	return err
}

// checkClock compares the host's clock with the last event that was signed here.
func (s *Service) checkClock(ctx context.Context) error {
	signed, err := lastSigned(ctx, s.store)
	if err != nil || signed.IsZero() {
		return err
	}
	return ops.Clock(time.Now(), signed)
}

// lastSigned is when the last event of the log was signed; zero for an empty log.
func lastSigned(ctx context.Context, store Store) (time.Time, error) {
	size, _, err := store.Head(ctx)
	if err != nil || size == 0 {
		return time.Time{}, err
	}
	entry, err := store.Entry(ctx, size-1)
	if err != nil {
		return time.Time{}, err
	}
	last, err := receipt.Open(entry.Envelope)
	if err != nil {
		return time.Time{}, reason.Because(reason.AuditKey, err)
	}
	signed, err := time.Parse(receipt.TimeLayout, last.Event.Time)
	if err != nil {
		return time.Time{}, reason.Because(reason.AuditKey, err)
	}
	return signed, nil
}

// assemble makes the rooms that only a service has, and joins them to the station's.
func (s *Service) assemble(ctx context.Context, known policies) error {
	routes := &ops.Routes{}
	metrics := ops.NewMetrics(ops.Options{
		Version: s.code.Module, Revision: s.code.Revision, Pressure: s.store.Pressure, Slots: s.places(), Undelivered: s.undelivered, Routes: routes,
	})
	traces := s.cfg.Traces
	traces.Version, traces.Routes, traces.Lost = s.code.Module, routes, metrics.SpansLost
	provider, flush, err := ops.Tracing(ctx, traces)
	if err != nil {
		return err
	}
	s.flush = flush
	tracer := provider.Tracer("blotter")
	s.equip(metrics, tracer)
	s.api = intake.New(s.cfg.API, intake.Deps{
		Store: s.store, Uploads: uploads{s.vault, s.retention}, Orders: orders{s.sources, s.code}, Results: results{s.Station},
		Runner: s.runner, Policies: known, Changes: s.changes, Meter: metrics, Keys: s.keys,
		Admit: s.admit, Moved: s.jobMoved, Budgets: s.cfg.Budgets, Log: s.log, Tracer: tracer,
	})
	routes.Learn(s.api.Routes()...)
	s.ops = ops.Handler(metrics, s.checks()...)
	return nil
}

// places are those that this node claims jobs for; nil: it claims none.
func (s *Service) places() ops.Slots {
	if !s.cfg.Serve.Has(config.RoleWorker) {
		return nil
	}
	return s.slots
}

// equip gives the workers what a command's do without.
func (s *Service) equip(m *ops.Metrics, t trace.Tracer) {
	slots := 0
	if s.cfg.Serve.Has(config.RoleAPI) {
		slots = s.cfg.Serve.SyncSlots
	}
	cells := cell.NewPool(s.cellSetup, min(slots, 1))
	s.runner = &runner{
		worker: s.newWorker(cells), cells: cells, store: s.store, changes: s.changes, slots: make(chan struct{}, slots),
	}
	for _, w := range []*worker.Worker{s.worker, s.runner.worker} {
		w.Sources, w.Meter, w.Tracer = s.sources, m, t
	}
	s.sealed = func(id document.ID, moved document.State) {
		s.changes.moved(id)
		if moved.Ended() {
			signal(s.ended)
			s.note(move{id, true})
		}
	}
	s.meter, s.endless, s.roles.tell = m, true, m.Leads
	s.removed = webhook.Removed{Store: s.store, Log: s.log, Meter: m, Known: s.cfg.Webhooks.All()}
}

// checks are what must hold for this process to be ready.
func (s *Service) checks() []ops.Check {
	return []ops.Check{
		{Name: "store", Run: func(ctx context.Context) error { _, err := s.store.Now(ctx); return err }},
		{Name: "vault", Run: s.vault.Reach},
		{Name: "disk", Run: s.checkDisks},
		{Name: "clock", Run: s.checkClock},
		{Name: "engines", Run: s.checkEngines},
		{Name: "seal", Run: s.checkSeal},
		{Name: "running", Run: func(context.Context) error { return s.stopping() }},
	}
}

// sealLag is how long an event may wait for its signature before the service calls
// itself unready: nothing is handed out meanwhile.
const sealLag = 30 * time.Second

func (s *Service) checkSeal(ctx context.Context) error {
	p, err := s.store.Pressure(ctx)
	if err != nil {
		return err
	}
	if p.Outbox > 0 && p.At.Sub(p.OldestOutbox) > sealLag {
		return errSealing
	}
	return nil
}

// checkEngines looks at the files again: a cell that starts later needs them too.
func (s *Service) checkEngines(context.Context) error {
	if !meetsDocuments(s.cfg) {
		return nil
	}
	_, err := OpenEngines(s.cfg)
	return err
}

// admit implements intake.Deps.Admit.
func (s *Service) admit(ctx context.Context) error {
	if err := s.stopping(); err != nil {
		return err
	}
	return s.checkDisks(ctx)
}

func (s *Service) stopping() error {
	select {
	case <-s.stopped:
		return reason.Because(reason.APIStopping, nil)
	default:
		return nil
	}
}

// jobMoved implements intake.Deps.Moved.
func (s *Service) jobMoved(id document.ID) {
	s.wakeSequencer()
	s.changes.moved(id)
	s.note(move{job: id})
	for range cap(s.work) {
		signal(s.work)
	}
}

// note leaves a job for follow to look at.
func (s *Service) note(m move) {
	select {
	case s.moved <- m:
	default:
	}
}

// FirstKey makes the first API key of a data directory and returns it; made is false
// where there ever was one.
func (s *Service) FirstKey(ctx context.Context) (key string, made bool, err error) {
	return s.keys.First(ctx)
}

// Close stops the cells and closes the stores.
func (s *Service) Close() error {
	var errs []error
	if s.runner != nil {
		errs = append(errs, s.runner.cells.Close())
	}
	if s.flush != nil {
		ctx, cancel := context.WithTimeout(context.Background(), lastWords)
		defer cancel()
		errs = append(errs, s.flush(ctx))
	}
	return errors.Join(append(errs, s.sources.Close(), s.Station.Close())...)
}
