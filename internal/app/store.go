package app

import (
	"context"

	"blotter/internal/access"
	"blotter/internal/audit"
	"blotter/internal/config"
	"blotter/internal/intake"
	"blotter/internal/postgres"
	"blotter/internal/queue"
	"blotter/internal/retention"
	"blotter/internal/sqlite"
	"blotter/internal/vault"
	"blotter/internal/webhook"
	"blotter/internal/worker"
)

// Store is what the rooms ask of a database together.
type Store interface {
	worker.Store
	intake.Store
	retention.Store
	access.Store
	audit.Log
	vault.Keys
	queue.Leaders
	queue.Marks
	queue.Watcher
	webhook.Store

	// Waiting returns the numbers of the oldest and the newest event in the outbox, both 0
	// where it is empty. A number is never given twice.
	Waiting(ctx context.Context) (oldest, newest int64, err error)
	// Server says what runs the database, for a person.
	Server(ctx context.Context) (string, error)
	Close() error
}

// openStore opens the database of the configuration. schema is told the schema that is
// there, 0 for none, and the one that it is brought to; nil: nobody.
func openStore(ctx context.Context, cfg config.Config, schema func(have, want int)) (Store, error) {
	settings := settingsOf(cfg)
	if cfg.Database == "" {
		return opened(sqlite.Open(ctx, databaseFile(cfg.Data), sqlite.Options{
			Settings: settings, NoMigration: cfg.AsItIs, Schema: schema,
		}))
	}
	return opened(postgres.Open(ctx, string(cfg.Database), postgres.Options{
		Settings: settings, NoMigration: cfg.AsItIs, Schema: schema,
	}))
}

// opened keeps a nil pointer from becoming a store that is not nil.
func opened[S Store](s S, err error) (Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// settingsOf are what every process must open the database with.
func settingsOf(cfg config.Config) queue.Settings {
	return queue.Settings{Weights: cfg.Weights, Endpoints: cfg.Webhooks.Names()}
}

// Migration is what bringing a database up to date did.
type Migration struct{ From, To int }

// Migrate brings the schema of the configuration's database up to date, and says from which
// to which: 0 is an empty database.
func Migrate(ctx context.Context, cfg config.Config) (m Migration, err error) {
	cfg.AsItIs = false
	s, err := openStore(ctx, cfg, func(have, want int) { m = Migration{have, want} })
	if err != nil {
		return Migration{}, err
	}
	return m, s.Close()
}
